"""Perturbations of a live page that keep what they promise."""
