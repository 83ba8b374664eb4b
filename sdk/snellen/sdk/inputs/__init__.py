"""The data of a grading: selected items, their tags and samples."""
