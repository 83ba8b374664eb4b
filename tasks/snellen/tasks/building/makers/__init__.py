"""Makers: from a frozen page to items with exact references, task by task."""
