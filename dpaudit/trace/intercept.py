"""Puts the noise calls of a program through our hands, and leaves no trace behind."""

from __future__ import annotations

import gc
import random
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.random import mtrand

from dpaudit.trace import standins
from dpaudit.trace.adapters.found import patch_libraries
from dpaudit.trace.draws import Director
from dpaudit.trace.foreign import patch_python, patch_scipy, patch_threads
from dpaudit.trace.patches import Patches, rebind, rebind_variables
from dpaudit.trace.standins import original_of, standing_in
from dpaudit.trace.switch import directed

_lock = threading.RLock()
_installed: list[Patches] = []  # one, while anybody is inside
_inside = 0


@contextmanager
def intercepted(director: Director | None = None) -> Iterator[None]:
    """Let a director answer the noise calls of this thread, and of threads that it starts.

    Parameters
    ----------
    director : Director, optional
        Without one the calls pass until `dpaudit.trace.switch.directed` names one.

    Notes
    -----
    What is replaced: names in modules, closures, lists, attributes and running functions that hold
    one of NumPy's generators or random functions, methods of `random.Random` and of
    ``scipy.stats``, functions of `secrets` and `os`, and what the adapters of loaded libraries
    name (`dpaudit.trace.adapters`). All of it is put back when the last
    context ends, generators that were made inside and are still held included. A generator in a
    tuple, or in an object of a compiled type, is not found.
    """
    global _inside
    with _lock:
        if not _inside:
            _installed.append(_install())
        _inside += 1
    try:
        with directed(director):
            yield
    finally:
        with _lock:
            _inside -= 1
            if not _inside:
                _installed.pop().undo()


def generators() -> list[Any]:
    """Return every bit generator and every `random.Random` with a state that is alive."""
    found: dict[int, Any] = {id(mtrand._rand._bit_generator): mtrand._rand._bit_generator}
    for each in gc.get_objects():
        kind = type(each)  # `isinstance` would ask objects that answer with code of their own
        if issubclass(kind, np.random.BitGenerator):
            found[id(each)] = each
        elif issubclass(kind, (standins.RealGenerator, standins.RealRandomState)):
            bits = each._bit_generator if hasattr(each, "_bit_generator") else each.bit_generator
            found[id(bits)] = bits
        elif issubclass(kind, random.Random) and not issubclass(kind, random.SystemRandom):
            found[id(each)] = each
    return list(found.values())


def _install() -> Patches:
    patches = Patches()
    try:
        replaced = [*_numpy_classes(), *_legacy_functions(patches), *_existing_generators()]
        patches.then(_put_back_standins)
        replaced += patch_python(patches)
        patch_scipy(patches)
        replaced += patch_libraries(patches)
        patch_threads(patches)
        patches.everywhere(replaced)
    except BaseException:
        patches.undo()
        raise
    return patches


def _numpy_classes() -> list[tuple[Any, Any]]:
    return [
        (standins.RealGenerator, standins.Generator),
        (standins.RealRandomState, standins.RandomState),
        (standins.real_default_rng, standins.default_rng),
    ]


def _legacy_functions(patches: Patches) -> list[tuple[Any, Any]]:
    """Return the functions of ``numpy.random``, each with the stand-in's method."""
    real = mtrand._rand
    ours = standing_in(real)
    replaced = [
        (held, getattr(ours, held.__name__))
        for held in vars(mtrand).values()
        if getattr(held, "__self__", None) is real and hasattr(ours, held.__name__)
    ]
    replaced.append((mtrand.seed, standins.seed))
    hidden = (mtrand.set_bit_generator, (real, ours))  # from what is replaced in closures

    def set_bit_generator(bitgen: Any) -> None:
        for singleton in hidden[1]:  # the function sets that of the module's own state
            mtrand._rand = singleton
            hidden[0](bitgen)

    patches.attribute(mtrand, "_rand", ours)
    patches.attribute(mtrand, "set_bit_generator", set_bit_generator)
    replaced.append((hidden[0], set_bit_generator))
    return replaced


def _existing_generators() -> list[tuple[Any, Any]]:
    kinds = (standins.RealGenerator, standins.RealRandomState)
    found = [each for each in gc.get_objects() if issubclass(type(each), kinds)]
    kept = [each for each in found if original_of(each) is each and each is not mtrand._rand]
    return [(each, standing_in(each)) for each in kept]


def _put_back_standins() -> None:
    """Let whoever still holds a stand-in hold the generator itself."""
    held = [each for each in standins.alive if each is not mtrand._rand]
    pairs = [(each, original_of(each)) for each in held]
    rebind(pairs)
    rebind_variables(pairs)
