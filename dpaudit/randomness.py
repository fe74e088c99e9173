"""The one seam through which all randomness of a mechanism comes."""

from __future__ import annotations

import operator
import random
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Literal, Protocol, Self

import numpy as np
from numpy.random import MT19937, PCG64, Generator, SeedSequence, mtrand

Mode = Literal["label", "coupled", "independent"]
LEFT, RIGHT = 0, 1
# The golden section of the period, as in PCG64.jumped. A power of two would repeat the low half of
# the state, and numbers so far apart would be correlated.
FAR = 0x9E3779B97F4A7C15F39CC0605CEDC835
STATE = vars(PCG64)["state"]  # past what a subclass makes of it


@dataclass(frozen=True, slots=True)
class GlobalStates:
    """Which of the global random states a mechanism draws from.

    Attributes
    ----------
    numpy : bool
        The legacy state behind ``numpy.random.laplace`` and the like.
    python : bool
        The state of the ``random`` module.
    torch : bool
        The default generator of PyTorch.
    """

    numpy: bool = False
    python: bool = False
    torch: bool = False

    def __or__(self, other: GlobalStates) -> GlobalStates:
        return GlobalStates(
            self.numpy or other.numpy, self.python or other.python, self.torch or other.torch
        )


class Source(Protocol):
    """Randomness for one task: a context manager that puts seeded states in place.

    Attributes
    ----------
    generators : tuple of numpy.random.Generator
        Passed to the mechanism on the left and on the right dataset.
    before_call : callable or None
        Called with the side, 0 or 1, before each call; None where nothing has to be switched.
    after_pair : callable or None
        Called after each pair of calls in coupled mode: makes both sides start the next pair in
        the same state, independent of all earlier pairs.
    raised_at : str
        For who calls: where the first exception was raised, empty where none was.
    """

    generators: tuple[Generator, Generator]
    raised_at: str
    before_call: Callable[[int], None] | None
    after_pair: Callable[[], None] | None

    def used(self) -> GlobalStates:
        """Return which global states were drawn from, or were to be kept apart, so far."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...


@dataclass(frozen=True, slots=True)
class Module:
    """How the global state of a module is set, where it cannot be exchanged cheaply.

    Attributes
    ----------
    seed : callable
        Takes a number of at most 62 bits.
    state, restore, same : callable
        Read, set and compare states.
    """

    seed: Callable[[int], object]
    state: Callable[[], Any]
    restore: Callable[[Any], object]
    same: Callable[[Any, Any], bool]


_PYTHON = Module(random.seed, random.getstate, random.setstate, operator.eq)


def pytorch() -> Module | None:
    """Return how the state of PyTorch is set, None where it is not imported."""
    torch: Any = sys.modules.get("torch")
    if not hasattr(torch, "manual_seed"):  # not imported, or not to the end
        return None
    return Module(torch.manual_seed, torch.get_rng_state, torch.set_rng_state, torch.equal)


class _Reseeded:
    """A state that is seeded at the start, or before every call, alike for both sides."""

    def __init__(self, module: Module, seed: int, every_call: bool) -> None:
        self._module, self._seed, self.every_call = module, seed, every_call

    def begin(self) -> None:
        self._before = self._module.state()
        self.before_call()
        self._start = self._module.state()

    def end(self) -> None:
        self._module.restore(self._before)

    def used(self) -> bool:
        return self.every_call or not self._module.same(self._module.state(), self._start)

    def before_call(self, _: int = LEFT) -> None:
        self._module.seed(self._seed)

    def after_pair(self) -> None:
        self._seed += 1


class SeededSource:
    """Seeds every source that Python code commonly draws from, and restores it at the end.

    Parameters
    ----------
    key : sequence of int
        Seed of the task: equal keys give equal streams.
    mode : {"label", "coupled", "independent"}
        In coupled mode both sides see the same numbers, pair by pair; otherwise each its own.
    states : GlobalStates
        Which global states must be kept apart for the two sides. A state that is not named here
        is seeded all the same, and shared by both sides: the draws stay independent, and
        uncoupled.
    bits : callable
        Makes a bit generator of a seed.

    Notes
    -----
    In coupled mode the next pair goes on where this one ended if both sides drew alike. Where
    they did not, both jump to a fresh stream: a pair that saw numbers of an earlier one would
    depend on it. The states of Python and PyTorch cannot be exchanged cheaply; they are seeded
    before every call.
    """

    def __init__(
        self,
        key: Sequence[int],
        mode: Mode,
        states: GlobalStates,
        bits: Callable[[SeedSequence], PCG64] = PCG64,
    ) -> None:
        left, right, shared = SeedSequence(entropy=tuple(key), spawn_key=(1,)).spawn(3)
        coupled = mode == "coupled"
        self._bits = (bits(left), bits(left if coupled else right))
        self.generators = (Generator(self._bits[LEFT]), Generator(self._bits[RIGHT]))
        seed = int.from_bytes(shared.generate_state(4).tobytes(), "little")
        self._python = _Reseeded(_PYTHON, seed, states.python and coupled)
        torch = pytorch()
        every_call = states.torch and coupled
        self._torch = None if torch is None else _Reseeded(torch, seed % 2**62, every_call)
        self._global_seeds = shared
        self._global_words = np.append(shared.generate_state(8)[4:], np.uint32(0))
        self._globals: tuple[MT19937, MT19937] | None = None
        if states.numpy:
            first, second = shared.spawn(2)
            self._globals = (MT19937(first), MT19937(first if coupled else second))
        switches: list[Callable[[int], None]] = []
        checks: list[Callable[[], None]] = []
        if coupled:
            checks.append(_in_step(*self._bits, self._fresh_stream))
        if self._globals is not None:
            switches.append(self._switch_numpy)
            if coupled:
                checks.append(_in_step(*self._globals, self._fresh_global_stream))
        for state in self._reseeded():
            if state.every_call:
                switches.append(state.before_call)
                checks.append(state.after_pair)
        self.raised_at = ""
        self.before_call = _all_of_side(switches)
        self.after_pair = _all_of(checks)

    def __enter__(self) -> Self:
        self._numpy_before = mtrand.get_bit_generator()
        self._numpy_state_before = np.random.get_state(legacy=False)
        self._installed = self._globals[LEFT] if self._globals else MT19937(self._global_seeds)
        mtrand.set_bit_generator(self._installed)
        self._numpy_start = self._installed.state["state"]
        for state in self._reseeded():
            state.begin()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        mtrand.set_bit_generator(self._numpy_before)
        np.random.set_state(self._numpy_state_before)
        for state in self._reseeded():
            state.end()

    def used(self) -> GlobalStates:
        """Return which global states were drawn from, or were to be kept apart, so far."""
        now = self._installed.state["state"]
        touched = (
            mtrand.get_bit_generator() is not self._installed
            or now["pos"] != self._numpy_start["pos"]
            or not np.array_equal(now["key"], self._numpy_start["key"])
        )
        return GlobalStates(
            numpy=self._globals is not None or touched,
            python=self._python.used(),
            torch=pytorch() is not None if self._torch is None else self._torch.used(),
        )

    def _reseeded(self) -> tuple[_Reseeded, ...]:
        return (self._python,) if self._torch is None else (self._python, self._torch)

    def _fresh_stream(self) -> None:
        left, right = self._bits
        left.advance(FAR)
        STATE.__set__(right, STATE.__get__(left))

    def _switch_numpy(self, side: int) -> None:
        assert self._globals is not None
        mtrand.set_bit_generator(self._globals[side])  # forgets a half-used pair of normals

    def _fresh_global_stream(self) -> None:
        assert self._globals is not None
        self._global_words[-1] += 1
        for bits in self._globals:
            mtrand.set_bit_generator(bits)
            np.random.seed(self._global_words)


def _in_step(
    left: PCG64 | MT19937, right: PCG64 | MT19937, fresh: Callable[[], None]
) -> Callable[[], None]:
    """Return a check that both are in one state, which calls ``fresh`` where they are not.

    Both draw a number to be compared: 32 bits show a half-word that one side has kept, 64 bits a
    different position. Unequal states agree by chance with probability 2**-32 at most.
    """
    left_raw, right_raw = left.random_raw, right.random_raw
    if isinstance(left, MT19937):  # keeps no half-words; 32 bits at a time

        def check_words() -> None:
            if left_raw() != right_raw():
                fresh()

        return check_words

    left_half, left_state = left.ctypes.next_uint32, left.ctypes.state
    right_half, right_state = right.ctypes.next_uint32, right.ctypes.state

    def check() -> None:
        if left_half(left_state) != right_half(right_state) or left_raw() != right_raw():
            fresh()

    return check


def _all_of_side(steps: Sequence[Callable[[int], None]]) -> Callable[[int], None] | None:
    if len(steps) < 2:
        return steps[0] if steps else None

    def run(side: int) -> None:
        for step in steps:
            step(side)

    return run


def _all_of(steps: Sequence[Callable[[], None]]) -> Callable[[], None] | None:
    if len(steps) < 2:
        return steps[0] if steps else None

    def run() -> None:
        for step in steps:
            step()

    return run
