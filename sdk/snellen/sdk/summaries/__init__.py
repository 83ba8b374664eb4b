"""Summaries of one or several reports: the tables of the benchmarks' papers."""
