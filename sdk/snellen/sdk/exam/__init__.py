"""Running an exam with an agent command: a new process for each item."""
