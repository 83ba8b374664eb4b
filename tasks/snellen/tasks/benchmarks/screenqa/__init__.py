"""ScreenQA."""
