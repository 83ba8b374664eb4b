"""The `snellen` command line: thin commands over `snellen.sdk`."""

import sys
from importlib.metadata import version


def main() -> None:
    """Run the command line; for its version alone, none of the commands is imported."""
    if sys.argv[1:] == ["--version"]:
        sys.stdout.write(f"snellen {version('snellen')}\n")
        return
    # A host waits a second or two for a server's tools: `mcp` imports no other command.
    if sys.argv[1:2] == ["mcp"]:
        from snellen.sdk.cli.serving import app
    else:
        from snellen.sdk.cli.app import app
    app()
