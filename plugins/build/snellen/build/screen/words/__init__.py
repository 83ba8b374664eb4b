"""The words of buttons and fields by language, and their meaning, as tables."""
