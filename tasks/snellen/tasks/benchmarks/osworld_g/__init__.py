"""OSWorld-G: point at what a desktop screenshot shows, or say that it is not there."""
