"""Taking an exam with an agent command: a fresh process for each item."""
