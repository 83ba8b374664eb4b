"""Raters' answers: who is asked what, what they gave, and nothing of the references."""
