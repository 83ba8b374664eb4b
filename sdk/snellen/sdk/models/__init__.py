"""Asking models: every item in a context of its own, the answers kept and graded."""
