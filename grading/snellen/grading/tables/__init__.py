"""What a benchmark makes of its items' values: its own tables and averages."""
