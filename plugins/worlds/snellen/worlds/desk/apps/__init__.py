"""The applications of a desk."""
