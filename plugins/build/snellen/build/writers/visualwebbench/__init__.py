"""VisualWebBench: its items, made from pages, and their published layout."""
