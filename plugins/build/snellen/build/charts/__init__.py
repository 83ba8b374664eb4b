"""Charts of random tables: their content is known exactly, and they are new to every model."""
