"""WebClick: point at what an instruction means, on pages and calendars."""
