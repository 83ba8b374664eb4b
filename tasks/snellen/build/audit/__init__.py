"""Auditing an exam: items are recomputed from their frozen pages and pixels, and solvers tried."""
