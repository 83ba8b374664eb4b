"""What benchmarks' papers print of a report, or of several: from reports to summaries."""
