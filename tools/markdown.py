"""Tables in Markdown."""

from __future__ import annotations

from collections.abc import Sequence


def escaped(text: str) -> str:
    """Return a text that can stand in a cell of a table.

    Parameters
    ----------
    text : str

    Returns
    -------
    str
    """
    return text.replace("|", "\\|")


def table_row(cells: Sequence[str]) -> str:
    """Return a row of a table.

    Parameters
    ----------
    cells : sequence of str

    Returns
    -------
    str
    """
    return f"| {' | '.join(map(escaped, cells))} |"
