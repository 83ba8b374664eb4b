"""The `snellen` command line: thin commands over `snellen.sdk` and `snellen.server`."""

import sys
from importlib.metadata import version


def main() -> None:
    """Run the command line; for its version alone, nothing is imported."""
    if sys.argv[1:] == ["--version"]:
        sys.stdout.write(f"snellen {version('snellen')}\n")
        return
    from snellen.cli.app import app

    app()
