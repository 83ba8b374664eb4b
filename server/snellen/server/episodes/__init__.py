"""Episodes of interactive items: run, counted and stored."""
