"""UI-I2E-Bench: point at what an instruction means, said outright or implied."""
