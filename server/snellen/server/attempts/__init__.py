"""Attempts: models, leases, answers, grading and the service over them."""
