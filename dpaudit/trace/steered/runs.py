"""Runs a mechanism with steered noise, and says what the run stands for.

A run stands for a *fiber*: all noise that agrees with it where the program has read a number, and
lies in the same interval where it has only compared. On a fiber the program goes one way and its
output is known, so the probability of an event on it is a product of probabilities of intervals.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from dpaudit.trace.record import Bench
from dpaudit.trace.standins import RealGenerator
from dpaudit.trace.steered.forms import CONSTANT, Form, Target, form_of, realized
from dpaudit.trace.steered.noise import Floats
from dpaudit.trace.steered.steerer import Steerer, Tilts, UntraceableError
from dpaudit.trace.steered.symbols import Drawn, Notes, read_late
from dpaudit.trace.steered.tilt import OWN, spread, stratum_of

SITES = 2  # noise calls of a run that are steered,
MOST_SITES = 8  # among so many first ones
HEAVIEST = OWN**-SITES  # the largest weight of a run
MOST_STEERED = 300  # noise calls of a run that can be kept in mind


@dataclass(frozen=True, eq=False)
class Fiber:
    """What a run stands for.

    Attributes
    ----------
    form : Form
        Of its output.
    draws : tuple of Drawn
    weight : float
        The likelihood ratio: the fiber's own probability over its steered one.
    """

    form: Form
    draws: tuple[Drawn, ...]
    weight: float

    @cached_property
    def read(self) -> bool:
        """Whether the program has read a number of its noise."""
        return any(drawn.pinned for drawn in self.draws)

    @cached_property
    def key(self) -> Any:
        """What tells fibers apart; one of which a number was read is like no other."""
        if self.read:
            return id(self)
        return tuple((d.kind, d.noise, d.low, d.high) for d in self.draws), self.form

    @cached_property
    def masses(self) -> tuple[Floats, ...]:
        """Own probabilities of the intervals of the first noise calls, by stratum."""
        return tuple(_spread(drawn) for drawn in self.draws[:MOST_SITES])

    @cached_property
    def probability(self) -> float:
        """Own probability of the fiber; of use where no noise was read."""
        return math.prod(_mass(drawn) for drawn in self.draws)

    def weight_under(self, tilts: Tilts) -> float:
        """Return the weight that the fiber has under other laws."""
        return math.prod(
            tilt.ratio(masses) if tilt is not None and drawn.noise is not None else 1.0
            for tilt, masses, drawn in zip(tilts, self.masses, self.draws, strict=False)
        )

    def holds(self, draws: Sequence[Drawn]) -> bool:
        """Whether noise of the same calls lies on a fiber of which nothing was read."""
        if len(draws) < len(self.draws):
            return False
        return all(
            own.kind == other.kind and own.noise == other.noise and own.low < other.value < own.high
            for own, other in zip(self.draws, draws, strict=False)
        )

    def chance(self, target: Target, low: Any = None, high: Any = None, *, up: bool) -> Any:
        """Return the probability of a set of outputs on the fiber.

        Parameters
        ----------
        target : Target
        low, high : ndarray of float, optional
            Ends instead of the target's own, many at a time.
        up : bool
            Whether a single number, of a density, is to be given a little probability for the
            grain of floats, or none. # rounds up, or down
        """
        if any(word not in self.form.words for word in target.words):
            return 0.0
        if target.path is None:
            return 1.0
        leaf = self.form.leaf(target.path)
        if leaf is None:
            return 0.0
        low = target.low if low is None else low
        high = target.high if high is None else high
        if leaf.at == CONSTANT:
            return np.where((low <= leaf.base) & (leaf.base <= high), 1.0, 0.0)
        if target.is_point:
            if not up:
                return 0.0
            grain = 4 * np.spacing(max(abs(target.low), abs(leaf.base)))
            low, high = target.low - grain, target.high + grain
        return _conditional(self.draws[leaf.at], leaf.coef, leaf.base, low, high)


def _conditional(drawn: Drawn, coef: float, base: float, low: Any, high: Any) -> Any:
    """Return the probability of an interval of ``base + coef · noise``, given noise's interval."""
    assert drawn.noise is not None
    ends = (low - base) / coef, (high - base) / coef
    first, last = ends if coef > 0 else ends[::-1]
    inside = drawn.noise.mass(np.maximum(first, drawn.low), np.minimum(last, drawn.high))
    whole = _mass(drawn)
    return np.minimum(inside / whole, 1.0) if whole > 0 else np.zeros_like(inside)


def _mass(drawn: Drawn) -> float:
    assert drawn.noise is not None
    if math.isinf(drawn.low) and math.isinf(drawn.high):
        return 1.0
    return float(drawn.noise.mass(drawn.low, drawn.high))


def _spread(drawn: Drawn) -> Floats:
    if drawn.noise is None:
        return np.zeros(0)
    if drawn.pinned:
        return stratum_of(drawn.noise, drawn.value)
    return spread(drawn.noise, drawn.low, drawn.high)


def run(
    bench: Bench,
    dataset: Any,
    key: tuple[int, ...],
    tilts: Tilts,
    *,
    unread: bool,
    checked: bool,
) -> Fiber:
    """Run a mechanism with steered noise.

    Parameters
    ----------
    bench : Bench
    dataset : object
    key : tuple of int
        Seed of this run; no other run has it.
    tilts : sequence of Tilt or None
    unread : bool
        Whether the mechanism receives symbols.
    checked : bool
        Whether the run is repeated with the same noise in plain numbers.

    Raises
    ------
    UntraceableError
        Where the mechanism draws without end, seeds its own generators, keeps numbers from run to
        run, or gives another output for the same noise.
    """
    read_late()
    steerer = Steerer(tilts, _generator((*key, 1)), unread=unread)
    output = bench.under(steerer, dataset, bench.generator(key))
    notes = steerer.notes
    if steerer.endless:
        raise UntraceableError("it draws without end")
    if len(notes.draws) > MOST_STEERED:
        raise UntraceableError("it makes too many noise calls")
    if steerer.seeds:
        raise UntraceableError("it seeds generators by itself")
    if steerer.state:
        raise UntraceableError("it reads, sets or copies the state of a generator")
    if not notes.draws:
        raise UntraceableError("no noise is seen")
    form = form_of(output)
    notes.open = False
    if read_late():
        raise UntraceableError("it keeps noise of earlier calls")
    if checked:
        _check(bench, dataset, key, output, notes)
    for drawn in notes.draws:
        if not drawn.pinned and not drawn.low < drawn.value < drawn.high:
            raise UntraceableError("its noise is not where it was seen to be")
    fiber = Fiber(form, tuple(notes.draws), 1.0)
    if any(len(masses) and masses.sum() == 0 for masses in fiber.masses):
        raise UntraceableError("its noise lies where floats tell nothing apart")
    return replace(fiber, weight=fiber.weight_under(tilts))


def _generator(key: tuple[int, ...]) -> np.random.Generator:
    """Return a generator of our own, which nobody watches."""
    return RealGenerator(np.random.PCG64(np.random.SeedSequence(key)))


def _check(bench: Bench, dataset: Any, key: tuple[int, ...], output: Any, notes: Notes) -> None:
    """Repeat a run with the same noise in plain numbers: its output must be the same."""
    steerer = Steerer((), _generator((0,)), unread=False, again=notes.draws)
    repeated = bench.under(steerer, dataset, bench.generator(key))
    if len(steerer.notes.draws) != len(notes.draws):
        raise UntraceableError("under the same noise the program draws otherwise")
    if not realized(output).same_as(realized(repeated)):
        raise UntraceableError("its output is no function of the noise that is seen")
