"""Episodes that are played again from the store, and compared: the command `replay`."""
