"""Parsers: from what an agent wrote to a typed answer."""
