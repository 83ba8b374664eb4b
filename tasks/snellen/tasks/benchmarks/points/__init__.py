"""Points: any set of elements to point at, in the shapes that people publish."""
