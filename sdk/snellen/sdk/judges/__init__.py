"""Judges: published methods by which a model decides whether a web agent solved a task.

Each is a profile, `NAME.toml` with its prompts and `NAME.py` with its calls, over Inspect's model.
"""
