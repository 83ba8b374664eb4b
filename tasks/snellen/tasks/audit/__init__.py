"""Auditing an exam: solvers that must fail, and items that are at fault themselves."""
