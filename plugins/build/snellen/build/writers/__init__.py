"""Writers: the questions of each benchmark as items, and their published layout."""
