"""Mechanisms whose only noise is one uniform number: the probability of each of their outputs.

Where a run draws nothing but one number u of [0, 1), as an inverse distribution function does, the
output is a function of u alone. It is constant on intervals where the outputs are few, and their
ends are found by bisection: so much of the exact distribution as costs hundreds of runs.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from dpaudit.neighbors import Pair
from dpaudit.outputs import Raised
from dpaudit.trace.coins import weights_of_data
from dpaudit.trace.draws import Place
from dpaudit.trace.lines import changed_alike
from dpaudit.trace.stated import is_scale, named_sensitivity
from dpaudit.trace.suspicion import Suspicion, number_text, related

if TYPE_CHECKING:
    from dpaudit.neighbors import Neighbors
    from dpaudit.trace.causes import Case
    from dpaudit.trace.record import Bench

PAIRS, CLIMBS = 24, 40  # pairs that are looked at, and mutations of the best of them
EXACTLY = 4  # of them are integrated
CELLS = 20  # outputs of a dataset at most
_ENDS = tuple(2.0**-k for k in range(7, 16, 2))
_GRID = (*_ENDS[::-1], *((i + 0.5) / 32 for i in range(32)), *(1 - end for end in _ENDS))
_UNSEEN = 0.005  # what a grid adds to each share, so that it makes little of rare outputs
_HALVINGS = 30
_RARE = 0.01  # outputs of less probability on both datasets are left to sampling
_CLEAR = 1.001  # times the claim


@dataclass(frozen=True, slots=True, eq=False)
class Told:
    """An output whose probabilities differ by more than the claim.

    Attributes
    ----------
    pair : Pair
    output : str
    chances : (float, float)
    """

    pair: Pair
    output: str
    chances: tuple[float, float]

    @property
    def cost(self) -> float:
        """Nats between the two probabilities."""
        return _log(*self.chances)


def integrated(
    bench: Bench, neighbors: Neighbors, rng: np.random.Generator, allowed: float, calls: int
) -> Told | None:
    """Return the output that costs most, where that is more than the claim allows.

    Parameters
    ----------
    bench : Bench
    neighbors : Neighbors
    rng : numpy.random.Generator
        Chooses the pairs.
    allowed : float
        The largest ε of pure DP that implies the claim (nats).
    calls : int
        That may be made.
    """
    end = bench.calls + calls
    proposals = islice(neighbors.pairs(rng), PAIRS)
    rough: list[tuple[float, Pair]] = []
    for _ in range(PAIRS + CLIMBS):
        pair = next(proposals, None)
        if pair is None and rough and neighbors.fixed_count is None:
            pair = neighbors.mutate(max(rough, key=lambda each: each[0])[1], rng)
        if pair is None or bench.calls + 2 * len(_GRID) > end:
            break
        seen = [_outputs(bench, data) for data in (pair.left, pair.right)]
        if seen[0] is None or seen[1] is None:
            return None
        left, right = (_shares(each) for each in seen if each is not None)
        names = left.keys() | right.keys()
        costs = [_log(left.get(n, 0) + _UNSEEN, right.get(n, 0) + _UNSEEN) for n in names]
        rough.append((max(costs), pair))
    rough.sort(key=lambda each: each[0], reverse=True)
    exact: list[Told] = []
    for _, pair in rough[:EXACTLY]:
        if bench.calls + 2 * CELLS * _HALVINGS > end:
            break
        exact += _costs(bench, pair)
    worst = max(exact, key=lambda told: told.cost, default=None)
    return worst if worst is not None and worst.cost > _CLEAR * allowed else None


def _log(p: float, q: float) -> float:
    return abs(math.log(p / q))


def _shares(outputs: list[str]) -> dict[str, float]:
    """Return roughly how much of [0, 1) gives each output."""
    shares: dict[str, float] = {}
    ends = [0.0, *((a + b) / 2 for a, b in pairwise(_GRID)), 1.0]
    for (low, high), output in zip(pairwise(ends), outputs, strict=True):
        shares[output] = shares.get(output, 0.0) + high - low
    return shares


def _costs(bench: Bench, pair: Pair) -> Iterator[Told]:
    """Yield the outputs of a pair that both datasets give, one of them often enough."""
    both = [_chances(bench, data) for data in (pair.left, pair.right)]
    for output in both[0].keys() & both[1].keys():
        p, q = both[0][output], both[1][output]
        if max(p, q) > _RARE:
            yield Told(pair, output, (p, q))


def _chances(bench: Bench, data: Any) -> dict[str, float]:
    """Return the probability of each output."""
    outputs = _outputs(bench, data) or []
    chances: dict[str, float] = {}
    todo = list(zip([0.0, *_GRID], [*_GRID, 1.0], outputs[:1] + outputs, outputs + outputs[-1:],
                    strict=True))  # fmt: skip
    while todo:
        low, high, before, after = todo.pop()
        if before == after or high - low < 2.0**-_HALVINGS:
            for output in (before, after):
                chances[output] = chances.get(output, 0.0) + (high - low) / 2
            continue
        middle = (low + high) / 2
        output = _output(bench, data, middle) or before
        todo += [(low, middle, before, output), (middle, high, output, after)]
    return chances


def _outputs(bench: Bench, data: Any) -> list[str] | None:
    """Return what each number of the grid gives; None where that is too much."""
    outputs: list[str] = []
    for u in _GRID:
        output = _output(bench, data, u)
        if output is None:
            return None
        outputs.append(output)
        if len(set(outputs)) > CELLS:
            return None
    return outputs


def _output(bench: Bench, data: Any, u: float) -> str | None:
    """Return what comes of one uniform number; None where a run draws anything else."""

    def answer(*asked: Any) -> Any:
        value = asked[-1]
        return type(value)(u) if isinstance(value, float) else value

    run = bench.run(data, (0,), traced=False, answer=answer)
    drawn = run.noise
    alone = len(run.draws) == len(drawn) == 1 and drawn[0].kind in ("random", "random_sample")
    if not alone or not isinstance(drawn[0].value, float) or isinstance(run.output, Raised):
        return None
    return repr(run.output)


def integral_suspicion(case: Case, told: Told) -> Suspicion:
    """Return what makes an output too likely on one dataset, with the line that it comes from.

    Parameters
    ----------
    case : Case
        Of the pair.
    told : Told

    Notes
    -----
    DPA103 where a number that the code calls a scale, a sensitivity or ε differs between the runs;
    DPA105 where the array that the function with the noise is given moves further than the stated
    sensitivity, else DPA106.
    """
    p, q = told.chances
    shown = (
        f"{told.output:.40} has probability {number_text(p)} on one dataset and {number_text(q)} "
        f"on its neighbor, by integration over the one number that is drawn: {told.cost:.3g} nats"
    )
    draw = case.runs[0].noise[0]
    noise = related(case.trial, draw)
    scale = next(_differing_scales(case), None)
    if scale is not None:
        name, values, place = scale
        moved = f"`{name}` is {number_text(values[0])} on one dataset and {number_text(values[1])}"
        return Suspicion("DPA103", f"{moved} on its neighbor; {shown}", math.inf, place, noise)
    stated = named_sensitivity(case)
    for place, name, one, two in changed_alike(*case.histories, given=True):
        a, b = one.numbers, two.numbers
        if a is None or b is None or one.structure != two.structure or a.size < 2:
            continue
        if stated is not None and np.max(np.abs(a - b), initial=0.0) > stated * (1 + 1e-9):
            what = f"`{name}` moves by more than {number_text(stated)}; {shown}"
            return Suspicion("DPA105", what, math.inf, place, noise, ("DPA106",))
    formed = weights_of_data(case) or draw.place
    return Suspicion("DPA106", shown, math.inf, formed, noise, ("DPA105",))


def _differing_scales(case: Case) -> Iterator[tuple[str, tuple[float, float], Place]]:
    """Yield numbers that are called a scale and differ, with the line that forms each."""
    for place, name, one, two in changed_alike(*case.histories, given=True):
        if one.numbers is None or two.numbers is None or one.numbers.size != 1 != two.numbers.size:
            continue
        values = float(one.numbers[0]), float(two.numbers[0])
        if is_scale(name) and values[0] != values[1]:
            yield name, values, case.line_of(values, place) or place
