"""VenusBench-GD: point at what an instruction means, or refuse where nothing is there."""
