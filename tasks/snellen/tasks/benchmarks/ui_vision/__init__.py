"""UI-Vision: point at elements of desktop applications, and box their regions."""
