"""Generated worlds."""
