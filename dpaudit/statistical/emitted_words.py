"""Words for events on the texts that a mechanism emits beside its output.

The output is then a pair: what is returned, and the entries of `dpaudit.outputs.observed`.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from dpaudit.evidence import Event
from dpaudit.outputs import Columns

_PART = re.compile(r"output\[1\]\[(\d+)\](?:\[(\d+)\])?")
_KINDS = {"written": "printed line", "file": "written file"}
# As `dpaudit.statistical.events.named` calls both parts of a pair.
_WHOLE = (
    (r"output\[0\]|\bfirst entry\b", "the returned value"),
    (r"output\[1\]|\bsecond entry\b", "the list of emitted texts"),
)
_LONGEST = 60  # characters of a text


def in_words(event: Event, likely: Columns, unlikely: Columns) -> Event:
    """Return an event whose words say which text they are about, and which of its values.

    Parameters
    ----------
    event : Event
        Of an output that is a pair.
    likely, unlikely : Columns
        Kept outputs of both datasets.
    """

    def said(path: str) -> str | None:
        """Return what an entry's part says, where it says the same on both datasets."""
        words = {w for c in (likely, unlikely) for w in c.labels.get(path, (None, ()))[1]}
        return words.pop() if len(words) == 1 else None

    words = _PART.sub(lambda found: _named(found, said), event.words)
    words = re.sub(r"output\[0\](?=[\[.])", "returned", words)
    for ways, name in _WHOLE:
        words = re.sub(ways, name, words)
    return Event(words, event.source)


def wording(event: Event, likely: Columns) -> str | None:
    """Return the wording of the text that an event is about, None where it is about none.

    Parameters
    ----------
    event : Event
        Of an output that is a pair.
    likely : Columns
        Kept outputs of the dataset that shows it.
    """
    found = _PART.search(event.source)
    words = likely.labels.get(f"[1][{found[1]}][1]", (None, ()))[1] if found else ()
    return words[0] if len(words) == 1 else None


def _named(found: re.Match[str], said: Callable[[str], str | None]) -> str:
    number, part = found[1], found[2]
    where, text = (said(f"[1][{number}][{place}]") for place in (0, 1))
    known = []
    if where is not None:
        kind = _KINDS.get(where, where)
        known.append(f"log record of level {kind}" if kind.isupper() else kind)
    if text is not None:
        known.append(repr(text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"))
    name = f"emitted text {int(number) + 1}" + (f" ({': '.join(known)})" if known else "")
    if part is None:
        return name
    if part == "0":
        return f"the kind of {name}"
    return f"the wording of {name}" if part == "1" else f"value {int(part) - 1} of {name}"
