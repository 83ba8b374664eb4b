"""MMBench-GUI: questions on screenshots, pointing at elements, and episodes, in four levels."""
