"""References that people check or make: answers, reports, imports, and the pack that results."""
