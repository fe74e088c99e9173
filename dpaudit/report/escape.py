"""Makes text that a mechanism chose harmless where it is shown."""

from __future__ import annotations

import unicodedata

# Control, format (bidirectional overrides), surrogate and unassigned characters, line separators.
_UNSAFE = frozenset({"Cc", "Cf", "Cs", "Cn", "Co", "Zl", "Zp"})


def plain(text: object, limit: int | None = None) -> str:
    r"""Return text of one line without control characters or escape sequences.

    Parameters
    ----------
    text : object
        Anything; its ``str`` is taken.
    limit : int, optional
        Longest text to return; a longer one loses its middle.

    Returns
    -------
    str

    Examples
    --------
    >>> plain("\x1b[31mred")
    '\\x1b[31mred'
    """
    written = str(text)
    if not (written.isascii() and written.isprintable()):
        written = "".join(map(_visible, written))
    if limit is None or len(written) <= limit:
        return written
    head = (limit - 1) // 2
    return f"{written[:head]}…{written[len(written) - (limit - 1 - head) :]}"


def _visible(character: str) -> str:
    category = unicodedata.category(character)
    if category == "Zs":
        return " "
    if category not in _UNSAFE:
        return character
    return character.encode("unicode_escape", "surrogatepass").decode("ascii")
