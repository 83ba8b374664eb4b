"""Outcomes: the verdicts that harnesses stored of their agents' runs, of any set of tasks."""
