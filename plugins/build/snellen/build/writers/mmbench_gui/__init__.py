"""MMBench-GUI, levels 1 and 2: its items, made from pages, and their published layout."""
