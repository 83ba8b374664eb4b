"""The items and rules of an exam, and shuffled options."""
