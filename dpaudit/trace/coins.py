"""Coins whose chances the data sets: what one path of them costs."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from dpaudit.trace.suspicion import Suspicion, number_text, related

if TYPE_CHECKING:
    from dpaudit.trace.causes import Case


def coins_suspicion(case: Case) -> Suspicion | None:
    """Return that the coins of a run fell far likelier on one dataset than on its neighbor.

    Parameters
    ----------
    case : Case

    Notes
    -----
    Where a run does nothing but toss coins whose chances differ, the ratio of their chances is that
    of the two likelihoods of its path. DPA106 is one coin too many; several that are within the
    claim are bits of one answer (DPA105), or answers (DPA107) where they are tossed a row for each.
    """
    comparison = case.trial.comparison
    if comparison.parts or not comparison.alike or comparison.coupling.moves:
        return None
    tossed = {id(draw) for draw, _, _ in comparison.chances}
    if len(tossed) != len(comparison.left.noise):
        return None  # other noise may hide what these coins show
    logs = [_log(p) - _log(q) for _, p, q in comparison.chances]
    cost = abs(sum(logs))
    if not case.allowance.pure * (1 + 1e-6) < cost < math.inf:
        return None
    draw, p, q = max(comparison.chances, key=lambda each: abs(_log(each[1]) - _log(each[2])))
    shown = (
        f"what a coin shows has probability {number_text(p)} on one dataset and {number_text(q)} "
        f"on its neighbor; {len(logs)} such coins make {cost:.3g} nats"
    )
    if _named(case, cost):
        what = f"{shown}, which only shuffling would pay for"
        seen = related(case.trial, draw)
        return Suspicion("DPA115", what, math.inf, draw.place, seen, ("DPA105",))
    if max(map(abs, logs)) > case.allowance.pure * (1 + 1e-6):
        kind, also = "DPA106", ("DPA105", "DPA107")
    elif np.ndim(draw.value) > 1 or len(tossed) > 1:
        kind, also = "DPA107", ("DPA105", "DPA106")
    else:
        kind, also = "DPA105", ("DPA106", "DPA107")
    share = cost / case.allowance.pure
    return Suspicion(kind, shown, share, draw.place, related(case.trial, draw), also)


def _log(p: float) -> float:
    return math.log(p) if p > 0 else -math.inf


def _named(case: Case, cost: float) -> bool:
    """Whether the code speaks of the cost as a local one."""
    return any(
        "local" in name.lower()
        and held.numbers is not None
        and held.numbers.size == 1
        and math.isclose(float(held.numbers[0]), cost, rel_tol=1e-6)
        for name, held in case.histories[0].named()
    )
