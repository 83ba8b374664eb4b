"""Building items from pages: capture in a browser once, then make questions from what was kept."""
