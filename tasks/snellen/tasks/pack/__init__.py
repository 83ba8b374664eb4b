"""Packs: an exam on disk, its items and images apart from its references."""
