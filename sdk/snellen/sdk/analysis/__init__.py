"""Analysis of reports: comparisons, correlations, breakdowns, audits, published numbers."""
