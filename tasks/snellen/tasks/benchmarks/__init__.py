"""The five benchmarks: one module each, named as its protocols are, and one table of all tasks."""
