"""OmniACT's single clicks: point at what a task on a desktop or a web page needs clicked."""
