"""VisualWebBench."""
