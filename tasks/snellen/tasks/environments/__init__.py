"""Interactive environments: applications that an agent acts in, a step at a time."""
