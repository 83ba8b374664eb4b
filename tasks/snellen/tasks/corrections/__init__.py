"""Corrections of published references, as files that grading applies by name."""
