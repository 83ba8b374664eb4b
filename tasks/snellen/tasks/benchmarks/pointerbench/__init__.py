"""PointerBench: point at cells, text and controls, or box what is named."""
