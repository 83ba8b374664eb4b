"""The parts of applications: verbs that change a state, and a view that shows it."""
