"""Perturbations of a live page whose effects are checked."""
