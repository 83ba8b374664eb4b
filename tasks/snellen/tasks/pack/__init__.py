"""Packs: an exam on disk, with its items and images separate from its references."""
