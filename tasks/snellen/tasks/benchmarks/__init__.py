"""The benchmarks: a folder or module each, named as its protocols are, and a table of all tasks."""
