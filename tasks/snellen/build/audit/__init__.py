"""Auditing an exam: baseline solvers that should fail, and faulty items."""
