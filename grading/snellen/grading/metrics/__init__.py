"""Metrics as pure functions of strings, boxes and numbers."""
