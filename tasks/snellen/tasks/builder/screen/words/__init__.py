"""What buttons and fields say in a language, and what that means: tables to read."""
