"""Episodes: interactive items that are played, counted and kept."""
