"""What applications are made of: verbs on a state, and a view of it."""
