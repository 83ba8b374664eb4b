"""AndroidControl: the next action on a phone's screen."""
