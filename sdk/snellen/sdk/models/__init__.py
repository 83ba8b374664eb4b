"""Tasks of Inspect AI, and `evaluate`, which has Inspect ask a model and grades its answers."""
