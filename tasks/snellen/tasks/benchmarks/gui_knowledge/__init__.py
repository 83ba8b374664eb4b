"""GUI Knowledge Bench: what a model knows of interfaces, actions and tasks, as closed questions."""
