"""Analysis of reports: comparisons, breakdowns, audits, published numbers."""
