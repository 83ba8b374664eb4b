"""Tags that explain why a response missed the best score, assigned by rules, never by a model."""
