"""Running models: every item in a separate request; answers are saved and graded."""
