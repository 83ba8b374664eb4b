"""Grading on the server: the one room that opens references and calls the SDK."""
