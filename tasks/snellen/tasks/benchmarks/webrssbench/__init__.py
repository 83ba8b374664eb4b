"""WebRSSBench: how regions of a page lie, what elements are for, and whether changes mislead."""
