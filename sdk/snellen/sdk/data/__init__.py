"""What is graded: the selected items, their tags and samples, and references made from votes."""
