"""The `snellen` command line: thin commands over `snellen.sdk`."""

from snellen.sdk.cli.app import main

__all__ = ["main"]
