"""Generators for mechanisms that copy theirs: what they draw must not come again in a later call.

A generator that a mechanism is given goes on from call to call, so that calls are independent. One
that copies it draws from the copy: what was passed in stays where it was, or behind, and the next
call draws the same numbers once more. The claim is about a single call; each then gets a generator
of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from numpy.random import PCG64, BitGenerator, Generator, SeedSequence

from dpaudit.randomness import FAR, STATE

_OWN = 2  # the branch of a task's seeds, beside its coins and its streams
_OTHER = 3


class WatchedBits(PCG64):
    """A bit generator that notes when its numbers might be drawn by another one too.

    Parameters
    ----------
    seed : SeedSequence, or what else PCG64 takes

    Attributes
    ----------
    copied : bool
        Whether it was copied, or its state or seed were asked for, since it last moved.
    moved : bool
        Whether it was moved away from a copy.
    """

    def __init__(self, seed: Any = None) -> None:
        super().__init__(seed)
        self.copied = False
        self.moved = False

    @property
    def state(self) -> Any:
        """Where the stream is."""
        self.copied = True
        return STATE.__get__(self)

    @state.setter
    def state(self, value: Any) -> None:
        STATE.__set__(self, value)

    @property
    def seed_seq(self) -> Any:
        """Where the stream began."""
        self.copied = True
        return _SEEDS.__get__(self)

    def jumped(self, jumps: int = 1) -> PCG64:
        """Return another, far ahead of where this one is."""
        return self._plain().jumped(jumps)

    def __reduce__(self) -> Any:
        return self._plain().__reduce__()

    def _plain(self) -> PCG64:
        self.copied = True
        plain = PCG64(_SEEDS.__get__(self))
        plain.state = STATE.__get__(self)
        return plain

    def place(self) -> object:
        """Return where the stream is, and how many children it has."""
        return STATE.__get__(self), getattr(_SEEDS.__get__(self), "n_children_spawned", 0)


WatchedBits.__name__ = PCG64.__name__  # by which states are known to be of one kind
_SEEDS = vars(BitGenerator)["seed_seq"]


def were_copied(bits: BitGenerator) -> bool:
    """Whether watched numbers might at any time have been drawn by another one too."""
    return isinstance(bits, WatchedBits) and (bits.copied or bits.moved)


def apart(generators: Sequence[Generator], *, coupled: bool) -> Callable[[], None]:
    """Return what moves watched generators away from whatever was copied of them.

    Parameters
    ----------
    generators : sequence of Generator
        Of the left and of the right side.
    coupled : bool
        Whether both are to go on alike.
    """
    left, right = watched(generators)

    def leave() -> None:
        for bits in (left, right):
            bits.advance(FAR)
            bits.copied, bits.moved = False, True
        if coupled:
            STATE.__set__(right, STATE.__get__(left))

    return leave


def watched(generators: Sequence[Generator]) -> list[WatchedBits]:
    """Return the bit generators of generators that are watched, all of them.

    Parameters
    ----------
    generators : sequence of Generator
    """
    return [bits for rng in generators if isinstance(bits := rng.bit_generator, WatchedBits)]


def own_generators(key: Sequence[int], stream: int) -> Iterator[Generator]:
    """Yield a generator for each call, all of them independent.

    Parameters
    ----------
    key : sequence of int
        Of the task.
    stream : int
        Equal ones give equal generators: that of both sides where draws are coupled.
    """
    call = 0
    while True:
        yield _seeded(key, (_OWN, stream, call))
        call += 1


def other_generators(key: Sequence[int], number: int) -> Iterator[Generator]:
    """Yield so many generators that are none of a task's own.

    Parameters
    ----------
    key : sequence of int
        Of the task.
    number : int
    """
    yield from (_seeded(key, (_OTHER, call)) for call in range(number))


def _seeded(key: Sequence[int], place: tuple[int, ...]) -> Generator:
    return Generator(PCG64(SeedSequence(tuple(key), spawn_key=place)))
