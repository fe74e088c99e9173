"""The wiring of an audit: the module that declares it hands data to the code under audit."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from dpaudit.trace.draws import Place
from dpaudit.trace.entered import added_at
from dpaudit.trace.lines import returned_at
from dpaudit.trace.suspicion import Suspicion

if TYPE_CHECKING:
    from dpaudit.trace.causes import Case

_HIDDEN_BADLY = ("DPA104", "DPA105", "DPA106", "DPA107", "DPA115")
HANDED = "what the audit hands over"  # of a related line
_LET_OUT = ("DPA101", "DPA102")


def beyond_wiring(case: Case, suspicion: Suspicion) -> Suspicion:
    """Return a suspicion with a line of the code under audit, in place of one of its wiring.

    Parameters
    ----------
    case : Case
    suspicion : Suspicion

    Notes
    -----
    A module that imports dpaudit declares audits. The mechanism of an audit may be a function of
    that module which only hands a statistic to the code under audit. Where noise of another file
    hides that statistic badly, the line that adds this noise is the cause, and where another file
    returns it without noise, the line that returns it. The line of the wiring stays in `related`.
    """
    wiring, place = case.histories[0].wiring, suspicion.place
    if place is None or place.file != wiring:
        return suspicion
    found = None
    if suspicion.id in _HIDDEN_BADLY:
        found = _adding(case, suspicion)
    elif suspicion.id in _LET_OUT:
        found = returned_at(case.histories[0])
    if found is None or found.file == wiring:
        return suspicion
    handed = (place.file, place.line, HANDED)
    return replace(suspicion, place=found, related=(*suspicion.related, handed))


def _adding(case: Case, suspicion: Suspicion) -> Place | None:
    """Return the line that adds the noise which a suspicion is about, or else that draws it."""
    lines = {(file, line) for file, line, _ in suspicion.related}
    for number, draw in enumerate(case.runs[0].draws):
        if draw.place is not None and (draw.place.file, draw.place.line) in lines:
            return added_at(case, number) or draw.place
    return None
