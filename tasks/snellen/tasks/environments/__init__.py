"""Interactive environments: applications that an agent uses step by step."""
