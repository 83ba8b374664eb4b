"""A challenge: submissions of an exam in phases, graded by workers, on a leaderboard."""
