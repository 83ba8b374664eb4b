"""Questions about a page with exact answers: texts, facts, numbers, places, options."""
