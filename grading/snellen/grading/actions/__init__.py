"""Actions of agents: from what a model wrote, in any family's format, to what it does."""
