"""The steps from one revision of the store to the next; a step that shipped never changes."""
