"""The benchmarks: a folder or module each, named as its protocols are, and one table of all tasks."""
