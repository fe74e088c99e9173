"""The functions that proofs follow, by library."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from textwrap import fill

PRIVATE = "Of private data and noisy values"
PUBLIC = "Of public and released values"
KINDS = {
    "builtins": "Python",
    "draw": "draws of noise",
    "method": "methods",
    "attribute": "attributes",
}
_INSIDE = ("operator", "exception", "generator")  # parts of the language


def followed() -> dict[str, dict[str, list[str]]]:
    """Return the names of the functions by what they are called on, `PRIVATE` or `PUBLIC`.

    Returns
    -------
    dict of str to dict of str to list of str
        Names by library, or by one of `KINDS`. What is followed of private data is followed of
        public data too.
    """
    from dpaudit.checker.cost import library
    from dpaudit.checker.pure import marked
    from dpaudit.formal.lifting.canonical import ALIKE
    from dpaudit.formal.lifting.definitions import DEFINED

    private = {*library.FUNCTIONS, *library.OF_NUMBERS, *library.UNARY, *DEFINED}
    private |= {"builtins.divmod"} | {name for name, other in ALIKE.items() if other in private}
    public = {*marked("repeatable"), *marked("shared")} - private
    return {PRIVATE: _by_library(private), PUBLIC: _by_library(public)}


def followed_text() -> str:
    """Return the functions as text for a terminal."""
    parts = ["A proof follows these functions, many of them with some arguments only."]
    for title, libraries in followed().items():
        parts.append(title)
        parts += [
            fill(f"{KINDS.get(kind, kind)}: {', '.join(names)}", 98,
                 initial_indent="  ", subsequent_indent="    ", break_long_words=False)
            for kind, names in libraries.items()
        ]  # fmt: skip
    return "\n\n".join(parts)


def _by_library(names: Iterable[str]) -> dict[str, list[str]]:
    words = defaultdict(list)
    for name in sorted(names):
        kind, _, word = name.partition(".")
        words[kind.removeprefix("_")].append(word)
    order = sorted(words.keys() - {*_INSIDE}, key=lambda kind: (kind not in KINDS, kind))
    return {kind: words[kind] for kind in order}
