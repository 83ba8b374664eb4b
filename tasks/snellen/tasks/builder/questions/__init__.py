"""What can be asked of a page, with its exact answer: texts, facts, figures, places, options."""
