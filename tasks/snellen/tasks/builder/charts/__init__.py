"""Charts of random tables: what they say is known exactly, and nobody has seen them before."""
