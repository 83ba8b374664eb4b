"""Published data: fetching it, saying which release it is, and checking it."""
