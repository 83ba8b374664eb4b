"""Raters' answers: assignment of items and storage of answers, without references."""
