"""The `snellen` command line: thin commands over `snellen.sdk`."""

import sys
from importlib import import_module
from importlib.metadata import version

_APART = {
    "mcp": "snellen.cli.serving",
    "benchmarks": "snellen.cli.listing",
    "protocols": "snellen.cli.listing",
}


def main() -> None:
    """Run the command line; for its version alone, none of the commands is imported."""
    if sys.argv[1:] == ["--version"]:
        sys.stdout.write(f"snellen {version('snellen')}\n")
        return
    # A host waits a second or two for a server's tools, and people for a list: of what has an
    # entry here no other command is imported.
    command = sys.argv[1] if len(sys.argv) > 1 else ""
    home = _APART.get(command, "snellen.cli.app")
    import_module(home).app()
