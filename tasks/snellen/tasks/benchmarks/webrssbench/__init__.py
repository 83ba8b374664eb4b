"""WebRSSBench."""
