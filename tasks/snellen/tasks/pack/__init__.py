"""Packs: an exam on disk, with its items and images separate from its references."""

MANIFEST = "manifest.json"
"""The file that makes a folder a pack."""
