"""Stand-ins for NumPy's generators: the same streams, drawn before our eyes."""

from __future__ import annotations

import copy
import weakref
from typing import Any

import numpy as np
from numpy.random import mtrand

from dpaudit.trace.draws import Hands
from dpaudit.trace.signatures import GENERATOR, RANDOM_STATE, Signature
from dpaudit.trace.switch import answering, attended, noting_seed, noting_state, plain, unwatched

RealGenerator = np.random.Generator
RealRandomState = np.random.RandomState
real_default_rng = np.random.default_rng

alive: weakref.WeakSet[Any] = weakref.WeakSet()  # stand-ins that may outlive their context


class _PassesFor(type):
    """A metaclass under which every instance of the real class counts as one of ours."""

    real: type

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, cls.real)

    def __subclasscheck__(cls, subclass: type) -> bool:
        return issubclass(subclass, cls.real)


class Generator(RealGenerator, metaclass=_PassesFor):
    """A `numpy.random.Generator` on the same bit generator, whose noise calls are seen."""

    # No dict, where what it stands in for would be replaced.
    __slots__ = ("__weakref__", "_bits", "_born", "_real")
    _bits: Any
    _born: Any
    real = RealGenerator

    def __init__(self, bit_generator: Any) -> None:
        super().__init__(bit_generator)
        self._real = RealGenerator(bit_generator)
        _arrive(self, bit_generator)

    @property
    def bit_generator(self) -> Any:
        """What draws the bits; whoever holds it can draw, copy and rewind unseen."""
        noting_state()
        return self._real.bit_generator

    def spawn(self, n_children: int) -> list[RealGenerator]:
        """Return generators of child seeds, seen as well."""
        return [standing_in(child) for child in self._real.spawn(n_children)]

    def __reduce__(self) -> Any:
        noting_state()
        return self._real.__reduce__()

    def __copy__(self) -> Any:
        noting_state()
        return standing_in(copy.copy(self._real))

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        noting_state()
        return standing_in(copy.deepcopy(self._real, memo))

    def __str__(self) -> str:
        return str(self._real)

    def __repr__(self) -> str:
        return repr(self._real)


class RandomState(RealRandomState, metaclass=_PassesFor):
    """A `numpy.random.RandomState` whose noise calls are seen."""

    __slots__ = ("__weakref__", "_bits", "_born", "_real")
    _bits: Any
    _born: Any
    _real: Any
    real = RealRandomState

    def __init__(self, seed: Any = None, real: RealRandomState | None = None) -> None:
        with unwatched():
            self._real = RealRandomState(plain(seed)) if real is None else real
            super().__init__(self._real._bit_generator)
        _arrive(self, self._real._bit_generator)
        if real is None:
            noting_seed("numpy.random.RandomState", seed, 0)

    def seed(self, seed: Any = None) -> None:
        """Seed the generator anew."""
        noting_seed("RandomState.seed", seed, id(self._bits))
        self._real.seed(plain(seed))

    def set_state(self, state: Any) -> None:
        """Set the state of the generator."""
        noting_state()
        self._real.set_state(state)

    def get_state(self, legacy: Any = True) -> Any:
        """Return the state of the generator."""
        noting_state()
        return self._real.get_state(legacy)

    def __reduce__(self) -> Any:
        noting_state()
        return self._real.__reduce__()

    def __copy__(self) -> Any:
        noting_state()
        return standing_in(copy.copy(self._real))

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        noting_state()
        return standing_in(copy.deepcopy(self._real, memo))

    def __str__(self) -> str:
        return str(self._real)

    def __repr__(self) -> str:
        return repr(self._real)


def _arrive(standin: Any, bits: Any) -> None:
    """Note the state that a stand-in begins with, where somebody wants to see every draw."""
    standin._bits = bits
    standin._born = bits.state if attended() else None
    alive.add(standin)


def _method(name: str, source: str, signature: Signature, hand: str) -> Any:
    def replaced(hands: Hands) -> Any:
        return getattr(getattr(hands, hand), name)

    def drawn(self: Any, *args: Any, **kwargs: Any) -> Any:
        real = getattr(self._real, name)
        owner = id(self._bits)
        return answering(name, source, signature, real, replaced, owner, args, kwargs)

    drawn.__name__ = name
    return drawn


for _name, _signature in GENERATOR.items():
    setattr(Generator, _name, _method(_name, "numpy.random.Generator", _signature, "generator"))
for _name, _signature in RANDOM_STATE.items():
    setattr(RandomState, _name, _method(_name, "numpy.random.RandomState", _signature, "state"))
for _ours, _real in ((Generator, RealGenerator), (RandomState, RealRandomState)):
    _ours.__name__ = _ours.__qualname__ = _real.__name__


def standing_in(real: Any) -> Any:
    """Return the stand-in of a generator; of a stand-in, itself.

    Parameters
    ----------
    real : numpy.random.Generator or numpy.random.RandomState
        It and its stand-in share one stream.
    """
    if type(real) in (Generator, RandomState):
        return real
    if isinstance(real, RealGenerator):
        made = Generator(real.bit_generator)
        made._real = real
        return made
    return RandomState(real=real)


def original_of(generator: Any) -> Any:
    """Return what a generator stands in for; of any other object, itself."""
    return generator._real if type(generator) in (Generator, RandomState) else generator


def default_rng(seed: Any = None) -> Any:
    """Stand in for `numpy.random.default_rng`."""
    if type(seed) is Generator:
        return seed
    with unwatched():
        made = standing_in(real_default_rng(plain(seed)))
    noting_seed("numpy.random.default_rng", seed, 0)
    return made


def seed(seed: Any = None) -> None:
    """Stand in for `numpy.random.seed`."""
    mtrand._rand.seed(seed)
