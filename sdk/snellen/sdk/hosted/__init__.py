"""A hosted exam over HTTP: upload predictions, follow their grading, read the leaderboard."""
