"""VisualWebBench: what is on a web page, where it is, and what a click does."""
