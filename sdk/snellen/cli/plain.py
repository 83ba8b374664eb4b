"""Text for a terminal: what comes of files and clients can't steer it.

`Terminal` in `terminal` does the same for what is printed with colors and tables.
"""

import sys

_KEPT = "\n\t"
# Set the direction of writing: what follows would be shown in another order than it has.
_DIRECTIONS = (0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A))
_SHOWN: dict[int, str] = {
    **{code: chr(0x2400 + code) for code in range(0x20) if chr(code) not in _KEPT},
    0x7F: "␡",
    **dict.fromkeys((*range(0x80, 0xA0), *_DIRECTIONS), "�"),
}


def printable(text: str) -> str:
    r"""Return a text with a visible sign for each control character but line feeds and tabs.

    >>> printable("a\x1b[2Jb\r\n")
    'a␛[2Jb␍\n'
    """
    return text.translate(_SHOWN)


def write(text: str) -> None:
    """Write a text to standard output, its control characters made visible."""
    sys.stdout.write(printable(text))


def tell(sentence: str) -> None:
    """Say a sentence on standard error."""
    # Standard output is for the protocol, or for what is piped on.
    sys.stderr.write(f"{printable(sentence)}\n")
    sys.stderr.flush()
