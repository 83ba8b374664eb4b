"""The desk: tasks in snellen's own applications, in the manner of MMBench-GUI's L3 and L4."""
