"""What is read from reports: comparisons, correlations, breakdowns, audits, printed numbers."""
