"""The exam over HTTP: the application, tokens, the organizer's routes."""
