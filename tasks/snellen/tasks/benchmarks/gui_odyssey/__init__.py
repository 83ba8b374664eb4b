"""GUI-Odyssey: the next action on a phone, in tasks across applications."""
