"""Vectors of noise whose entries are used one by one."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import sympy

from dpaudit.formal.domain import Value
from dpaudit.formal.noise import Noise
from dpaudit.formal.running import NotConcreteError, concrete

if TYPE_CHECKING:
    from dpaudit.formal.calls import Application
    from dpaudit.formal.releases import Ledger

SIDE_BY_SIDE = ("builtins.zip", "builtins.enumerate")
TAKEN_APART = "taken apart"
_MOST = 4096


def entries(ledger: Ledger, noise: Noise) -> list[Noise] | None:
    """Return the draws of a vector as noise of their own, None where it cannot be taken apart.

    The entries are independent draws of the law of the vector, so that each may hide a value of its
    own. The same ones are returned each time; from then on the vector as a whole is not used.
    """
    shape = noise.shape
    if shape is None or len(shape) != 1 or noise.rows is not None:
        return None
    known = ledger.apart.get(noise.draw)
    if known is None:
        length = shape[0]
        fits = isinstance(length, sympy.Integer) and int(length) <= _MOST
        if not fits or any(draw in ledger.used for draw in noise.draw):
            return None
        known = []
        for _ in range(int(length)):
            first = ledger.count + 1
            ledger.count += len(noise.draw)
            known.append(tuple(range(first, ledger.count + 1)))
        ledger.apart[noise.draw] = known
        ledger.used |= dict.fromkeys(noise.draw, TAKEN_APART)
    return [replace(noise, draw=draw, shape=None, vector=noise.draw) for draw in known]


def entry(ledger: Ledger, noise: Noise, index: Value) -> Noise | None:
    """Return one draw of a vector at a known place."""
    try:
        at = concrete(index)
    except NotConcreteError:
        return None
    length = noise.shape[0] if noise.shape is not None and len(noise.shape) == 1 else None
    if type(at) is not int or not isinstance(length, sympy.Integer):
        return None
    if not -int(length) <= at < int(length):
        return None
    found = entries(ledger, noise)
    return None if found is None else found[at]


def side_by_side(call: Application) -> Value:
    """Return the items of ``zip`` and ``enumerate``, which look at none of them."""
    from dpaudit.formal.rules.python import enumerated, zipped

    found = zipped(call) if call.name == "builtins.zip" else enumerated(call)
    if found is None:
        call.refuse(f"{call.name} of noise")
    return found
