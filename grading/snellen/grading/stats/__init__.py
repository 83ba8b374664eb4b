"""Uncertainty of means and differences, as pure functions of arrays of item values."""
