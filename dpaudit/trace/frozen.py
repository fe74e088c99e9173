"""Noise that stands still, for users' own tests."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from itertools import count
from typing import Any

import numpy as np
from numpy.random import PCG64, SeedSequence, mtrand

from dpaudit.trace import standins
from dpaudit.trace.draws import Director, Hands, Request, UnseenNoiseError
from dpaudit.trace.intercept import generators, intercepted
from dpaudit.trace.switch import passed, unwatched

# Laws of noise that is added: without noise there is nothing but their location.
_LOCATION = ("loc", "mean", "mu")
_CENTRED = {"laplace", "normal", "gumbel", "logistic", "gauss", "normalvariate", "lognormal"}
_CENTRED |= {"standard_normal", "standard_cauchy", "standard_t", "randn", "vonmises"}
_CENTRED |= {"multivariate_normal", "discrete_laplace", "discrete_gaussian", "staircase"}
_CENTRED |= {"bounded_laplace", "torch.normal", "torch.randn", "torch.normal_"}
_LEAST = {"geometric": 1, "zipf": 1, "logseries": 1}
_MIDDLE = {"random", "random_sample", "rand", "uniform", "torch.rand", "torch.uniform_"}
_IN_PLACE = {"shuffle"}
_AS_IT_IS = {"permutation", "permuted"}


@contextmanager
def frozen_noise(*, seed: int | None = None, zero: bool = False) -> Iterator[None]:
    """Make all noise in the ``with`` block repeat, or be zero; restore everything after.

    Parameters
    ----------
    seed : int, optional
        Noise calls draw from generators of this seed, whatever generator they are made on.
    zero : bool
        Noise calls return no noise. Noise with a location returns the location (0 unless given). A
        distribution with a least value returns that value, and an interval its middle. A shuffle or
        permutation keeps the order, a choice returns the first item, and bytes are zeros.

    Raises
    ------
    TypeError, ValueError
        Where not exactly one of both is given, or the seed is no integer of at least 0.
    UnseenNoiseError
        If a library draws noise that takes no seed, as OpenDP does. At the end, if a generator has
        moved although none of its draws was seen. Its raw bits were read then, compiled code copied
        it, or it lies where no name can be replaced.

    Notes
    -----
    The context intercepts the generators of NumPy (passed in, made inside or stored), its older
    functions and ``RandomState``. It also intercepts `random`, `secrets` and ``os.urandom``.
    ``scipy.stats`` and libraries with an adapter, such as diffprivlib and torch, are intercepted if
    they are loaded when the context begins. Noise of other compiled code cannot be noticed. The
    context holds for the thread that enters it. It also holds, each with a stream of its own, for
    threads that are started inside and for work of a thread pool. Other threads draw as usual.
    Generators do not move: after the context they continue from where they were.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng()
    >>> with frozen_noise(zero=True):
    ...     float(3 + rng.laplace(scale=10))
    3.0
    >>> with frozen_noise(seed=1):
    ...     one = rng.laplace()
    >>> with frozen_noise(seed=1):
    ...     two = np.random.default_rng().laplace()
    >>> one == two
    True
    """
    seeds = _validated(seed, zero)
    before = _states()  # those of the director's own generators, made next, are none of them
    with unwatched():
        director = Frozen(seeds, zero=zero)
    passed_before = passed.copy()
    kept = random.getstate(), mtrand._rand.get_state(legacy=False)
    with intercepted(director):
        try:
            yield
            unseen = _moved(before, director.seeded | (passed - passed_before))
        finally:
            if director.seeded:
                random.setstate(kept[0])
                mtrand._rand.set_state(kept[1])
    if unseen:
        raise UnseenNoiseError(
            f"noise was drawn unseen from {', '.join(unseen)}; draw through its methods, "
            "and keep generators in variables or attributes"
        )


class Frozen:
    """A director that answers with noise of a seed, or with none.

    Parameters
    ----------
    seeds : SeedSequence
    zero : bool
    """

    def __init__(self, seeds: SeedSequence, *, zero: bool) -> None:
        generator, state, python = seeds.spawn(3)
        self._hands = Hands(
            standins.RealGenerator(PCG64(generator)),
            standins.RealRandomState(state.generate_state(8)),
            random.Random(int.from_bytes(python.generate_state(8).tobytes(), "little")),
        )
        self._seeds = seeds
        self._branches = count()
        self._lock = threading.Lock()
        self._zero = zero
        self.seeded: set[int] = set()

    def draw(self, request: Request, natural: Callable[[], Any]) -> Any:
        """Answer a noise call; generators are seeded, and accountants told, as ever."""
        if not request.draws:
            if request.owner:  # else it is a new one
                self.seeded.add(request.owner)
            return natural()
        if self._zero and request.kind in _IN_PLACE:
            return None
        value = request.again(self._hands)
        return without_noise(request, value) if self._zero else value

    def branch(self) -> Director:
        """Return the director of a thread: with a stream of its own, in the order of starts."""
        with self._lock:
            key = (*self._seeds.spawn_key, 7, next(self._branches))
        with unwatched():
            branch = Frozen(SeedSequence(self._seeds.entropy, spawn_key=key), zero=self._zero)
        branch.seeded = self.seeded
        return branch


def without_noise(request: Request, value: Any) -> Any:
    """Return what a noise call gives without its noise, of the type and shape of a draw.

    Parameters
    ----------
    request : Request
    value : object
        A draw; a tensor is changed in place.
    """
    kind, arguments = request.kind, request.arguments
    if isinstance(value, bytes):
        return bytes(len(value))
    if kind in _AS_IT_IS:
        given = arguments["x"]
        return np.arange(given) if np.ndim(given) == 0 else np.array(given)
    if kind in ("choice", "choices", "sample"):
        return _first(request, value)
    return _filled(value, location_of(request))


def location_of(request: Request) -> Any:
    """Return the value that a noise call gives without its noise.

    Parameters
    ----------
    request : Request
        Of numbers.
    """
    return _constant(request.kind, request.arguments)


def _constant(kind: str, arguments: Mapping[str, Any]) -> Any:
    if kind in _CENTRED or "loc" in arguments:
        return next((arguments[name] for name in _LOCATION if name in arguments), 0)
    if kind in _MIDDLE:
        low, high = arguments.get("low", arguments.get("a", 0)), arguments.get("high", 1)
        return (np.asarray(low) + np.asarray(arguments.get("b", high))) / 2
    if kind in ("integers", "randint", "randrange", "random_integers"):
        low = arguments.get("low", arguments.get("a", arguments.get("start")))
        bounded = "b" in arguments or (arguments.get("high", arguments.get("stop")) is not None)
        return low if bounded else 0
    return _LEAST.get(kind, 0)


def _filled(value: Any, constant: Any) -> Any:
    if isinstance(value, np.ndarray):
        return np.broadcast_to(np.asarray(constant), value.shape).astype(value.dtype)
    if isinstance(value, (int, float, np.generic)):
        return type(value)(constant)
    if hasattr(value, "copy_"):  # a tensor of torch
        return value.copy_(constant) if hasattr(constant, "copy_") else value.fill_(constant)
    if hasattr(value, "__array_namespace__"):  # an array of JAX
        return value.__array_namespace__().full_like(value, constant)
    return value


def _first(request: Request, value: Any) -> Any:
    arguments = request.arguments
    given = next(arguments[name] for name in ("a", "seq", "population") if name in arguments)
    members = list(range(given)) if isinstance(given, (int, np.integer)) else list(given)
    if request.source.startswith("random."):
        if request.kind == "choice":
            return members[0]
        size = len(value)
        return members[:size] if request.kind == "sample" else [members[0]] * size
    array = np.asarray(given) if np.ndim(given) else np.arange(given)
    axis = arguments.get("axis", 0)
    size = np.size(value) // max(1, array.size // array.shape[axis])
    repeated = np.arange(size) if not arguments["replace"] else np.zeros(size, dtype=int)
    taken = np.take(array, repeated, axis=axis)
    return taken.reshape(np.shape(value)) if np.ndim(value) else taken[0]


def _validated(seed: Any, zero: Any) -> SeedSequence:
    if not isinstance(zero, bool):
        raise TypeError(f"`zero` must be True or False, got {zero!r}; use zero=True")
    if zero == (seed is not None):
        raise TypeError(
            f"frozen_noise takes a seed or zero=True, got seed={seed!r}, zero={zero!r}; "
            "give exactly one"
        )
    if seed is None:
        return SeedSequence(0)
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)):
        raise TypeError(f"`seed` must be an integer, got {seed!r}; any integer >= 0 will do")
    if seed < 0:
        raise ValueError(f"`seed` must be at least 0, got {seed}; any such integer will do")
    return SeedSequence(int(seed))


def _states() -> list[tuple[Any, Any]]:
    """Return every generator that is alive, with its state."""
    return [(each, _state(each)) for each in generators()]


def _state(generator: Any) -> Any:
    if isinstance(generator, random.Random):
        return generator.getstate()
    return _hashable(generator.state)


def _hashable(state: Any) -> Any:
    if isinstance(state, dict):
        return tuple((name, _hashable(value)) for name, value in state.items())
    return state.tobytes() if isinstance(state, np.ndarray) else state


def _moved(before: list[tuple[Any, Any]], excused: set[int]) -> list[str]:
    """Return what has moved, and was neither seeded nor drawn from in another thread."""
    known = {id(each) for each, _ in before}
    made = [(s._bits, _hashable(s._born)) for s in standins.alive if s._born is not None]
    fresh = {id(bits): (bits, born) for bits, born in made if id(bits) not in known}
    watched = [*before, *fresh.values()]
    moved = [each for each, state in watched if id(each) not in excused and _state(each) != state]
    return sorted({type(each).__name__ for each in moved})
