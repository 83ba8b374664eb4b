"""Where items come from: benchmarks, loaders, packs and environments."""
