"""The benchmarks: a folder each, the kits that they are made with, and a table of all tasks."""
