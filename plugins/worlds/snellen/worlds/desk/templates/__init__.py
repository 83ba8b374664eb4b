"""Templates of tasks: level 3 in one application, level 4 across several."""
