"""Markdown that shows texts from outside as they are: the one way in which tables are written."""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence

_CODE_OR_MARKUP = re.compile(r"`[^`]+`|[\\`*_|<>\[\]&]|~(?=\S)")
_MARKUP = re.compile(r"([\\`*_|<>\[\]&]|~(?=\S))")


def plain_text(text: str) -> str:
    r"""Return a text as Markdown that shows it as it is, on one line.

    >>> print(plain_text("a|b\n*c*"))
    a\|b \*c\*
    """
    return _MARKUP.sub(r"\\\1", " ".join(text.split()))


def prose_text(text: str) -> str:
    r"""Return a sentence of ours, in which only `code` is markup, on one line.

    >>> print(prose_text("as `a_b@1` reads the tag\na|b"))
    as `a_b@1` reads the tag a\|b
    """
    return _CODE_OR_MARKUP.sub(_escaped, " ".join(text.split()))


def _escaped(found: re.Match[str]) -> str:
    return found[0] if len(found[0]) > 1 else f"\\{found[0]}"


def code_text(text: str) -> str:
    """Return a text as code on one line, which none of its characters ends.

    >>> code_text("a `b`")
    "`a 'b'`"
    """
    return f"`{' '.join(text.replace('`', chr(39)).split())}`"


def table_lines(
    columns: Sequence[str], rows: Iterable[Sequence[str]], *, texts: Collection[int] = (0,)
) -> Iterator[str]:
    r"""Yield a table's lines; every cell is shown as it is.

    Args:
        columns: Their names.
        rows: A cell a column.
        texts: The indexes of the columns that hold text; the others stand on the right.

    >>> print("\n".join(table_lines(["name", "value"], [("a|b", "1.00")])))
    | name | value |
    |---|---:|
    | a\|b | 1.00 |
    """
    yield _line(columns)
    yield f"|{'|'.join('---' if index in texts else '---:' for index in range(len(columns)))}|"
    yield from map(_line, rows)


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(map(plain_text, cells))} |"
