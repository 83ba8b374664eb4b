"""What can be audited of any pack: faults of its items, and baseline solvers that should fail."""
