"""Answers the noise calls of a run from other laws than their own."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dpaudit.trace.draws import Director, Request
from dpaudit.trace.record import MOST_DRAWS, EndlessNoiseError
from dpaudit.trace.steered.noise import Noise
from dpaudit.trace.steered.symbols import Drawn, Notes, read
from dpaudit.trace.steered.tilt import NATURAL, Tilt
from dpaudit.trace.steered.whole import Discrete, Whole

MOST_ENTRIES = 64  # of an array of noise
_IN_PLACE = {"shuffle"}
_NUMBERS = (bool, int, float, np.bool_, np.integer, np.floating)
Tilts = Sequence[Tilt | None]
Entries = tuple[tuple[int, ...], list[Noise]]


class UntraceableError(RuntimeError):
    """What is done with the noise is not what a trace of it shows."""


class Steerer:
    """A director that draws the first noise calls of a run from other laws than their own.

    Parameters
    ----------
    tilts : sequence of Tilt or None
        For the first noise calls; for at most two of them.
    rng : numpy.random.Generator
        Draws what is steered.
    unread : bool
        Whether the mechanism receives symbols, or plain numbers.
    again : sequence of Drawn, optional
        A run to be repeated.
    """

    def __init__(
        self,
        tilts: Tilts,
        rng: np.random.Generator,
        *,
        unread: bool,
        again: Sequence[Drawn] | None = None,
    ) -> None:
        self.notes = Notes()
        self.seeds = False  # whether a generator was given a seed of the program's own
        self.state = False  # whether the state of a generator was read, set or copied
        self.endless = False
        self._tilts, self._rng, self._unread, self._again = tilts, rng, unread, again

    def draw(self, request: Request, natural: Callable[[], Any]) -> Any:
        """Answer a noise call."""
        if request.seeds:
            self.seeds |= request.arguments.get("seed") is not None
            for value in request.arguments.values():
                read(value)
            return natural()
        plain = {name: read(value) for name, value in request.arguments.items()}
        draws = self.notes.draws
        if len(draws) >= MOST_DRAWS:
            self.endless = True
            raise EndlessNoiseError(f"more than {MOST_DRAWS:,} noise calls")
        discrete, entries = _discrete(request, plain), _entries(request, plain)
        if self._again is not None:
            return self._repeated(request, natural, entries)
        if discrete is not None:
            return self._one_of(request.kind, discrete)
        if entries is not None:
            shape, laws = entries
            made = np.empty(len(laws), dtype=object if self._unread else np.float64)
            for cell, each in enumerate(laws):  # all at once, NumPy would read the symbols
                made[cell] = self._number(request.kind, each)
            return made.reshape(shape)
        noise = _law(request, plain)
        if noise is None:
            value = natural()
            kept = value.copy() if isinstance(value, np.ndarray) else value
            draws.append(Drawn(request.kind, None, kept, pinned=True))
            return value
        return self._number(request.kind, noise, natural)

    @property
    def _tilt(self) -> Tilt | None:
        number = len(self.notes.draws)
        return self._tilts[number] if number < len(self._tilts) else None

    def _number(self, kind: str, noise: Noise, natural: Callable[[], Any] | None = None) -> Any:
        """Return a number of a law, from a generator of ours unless another one is given."""
        tilt = self._tilt
        if tilt is None and natural is not None:
            drawn = Drawn(kind, noise, natural())
        else:
            tilt = NATURAL if tilt is None else tilt
            drawn = Drawn(kind, noise, tilt.draw(noise, self._rng), tilt)
        if self._unread:
            return self.notes.symbol(drawn)
        drawn.pinned = True
        self.notes.draws.append(drawn)
        return drawn.value

    def _one_of(self, kind: str, law: Discrete) -> Any:
        tilt = self._tilt or NATURAL
        place = tilt.draw(law.noise, self._rng)
        value, low, high = law.at(place)
        drawn = Drawn(kind, law.noise, place, tilt, given=value)
        self.notes.draws.append(drawn)
        if self._unread and kind != "choice":
            return Whole(self.notes, drawn, value)
        drawn.low, drawn.high = low, high
        return value

    def state_seen(self) -> None:
        """Note that steered noise may come again as it would have been: two draws of one state."""
        self.state = True

    def branch(self) -> Director:
        """Return itself: threads of one run write on one list."""
        return self

    def _repeated(
        self, request: Request, natural: Callable[[], Any], entries: Entries | None
    ) -> Any:
        assert self._again is not None
        number = len(self.notes.draws)
        if entries is not None:
            again = list(self._again[number : number + len(entries[1])])
            if [(each.kind, each.noise) for each in again] != [
                (request.kind, noise) for noise in entries[1]
            ]:
                raise UntraceableError("under the same noise the program draws otherwise")
            self.notes.draws += again
            return np.array([float(each.value) for each in again]).reshape(entries[0])
        if number >= len(self._again) or self._again[number].kind != request.kind:
            raise UntraceableError("under the same noise the program draws otherwise")
        known = self._again[number]
        self.notes.draws.append(known)
        value = known.shown
        if request.kind in _IN_PLACE or known.tilt is None:
            drawn = natural()  # generators go on as they did
            value = drawn if request.kind in _IN_PLACE else value
        return value.copy() if isinstance(value, np.ndarray) else value


def _discrete(request: Request, plain: dict[str, Any]) -> Discrete | None:
    return Discrete.of(Request(request.kind, request.source, plain, request.again, request.owner))


def _entries(request: Request, plain: dict[str, Any]) -> Entries | None:
    """Return shape and laws of an array of noise; None for anything else, or for many entries."""
    given = {name: value for name, value in plain.items() if name not in ("size", "random_state")}
    size = plain.get("size")
    if size is None and not any(isinstance(value, np.ndarray) for value in given.values()):
        return None
    try:
        shape = np.broadcast_shapes(*map(np.shape, given.values()))
        shape = shape if size is None else tuple(np.atleast_1d(size).tolist())
        if not 0 < math.prod(shape) <= MOST_ENTRIES:
            return None
        parts = {name: np.broadcast_to(value, shape).ravel() for name, value in given.items()}
    except (TypeError, ValueError):
        return None
    cells = [
        _law(request, {name: part[i] for name, part in parts.items()})
        for i in range(math.prod(shape))
    ]
    laws = [cell for cell in cells if cell is not None]
    return (shape, laws) if len(laws) == len(cells) else None


def _law(request: Request, plain: dict[str, Any]) -> Noise | None:
    """Return the law of a call for one number, of numbers alone."""
    given = [value for name, value in plain.items() if name not in ("size", "random_state")]
    if not all(isinstance(value, _NUMBERS) for value in given):
        return None
    return Noise.of(Request(request.kind, request.source, plain, request.again, request.owner))
