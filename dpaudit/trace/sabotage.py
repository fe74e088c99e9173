"""Sabotage: a mechanism with its noise halved or off, or with a record counted twice."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from threading import Lock
from typing import Any, Literal

import numpy as np
from numpy.random import SeedSequence

from dpaudit.reference import reference
from dpaudit.subject import Subject, marks_of, put_marks
from dpaudit.trace.draws import Director, Request
from dpaudit.trace.frozen import Frozen, location_of, without_noise
from dpaudit.trace.intercept import intercepted
from dpaudit.trace.standins import RealGenerator, standing_in
from dpaudit.trace.switch import directed

Noise = Literal["as it is", "halved", "off"]
# Laws with a scale, and a value that stands for no noise: see `dpaudit.trace.frozen.location_of`.
SCALED = {"laplace", "normal", "gumbel", "logistic", "gauss", "normalvariate", "randn"}
SCALED |= {"standard_normal", "standard_cauchy", "standard_t", "multivariate_normal"}
SCALED |= {"discrete_laplace", "discrete_gaussian", "staircase", "bounded_laplace"}
SCALED |= {"torch.normal", "torch.randn", "torch.normal_", "geometric", "rayleigh"}
SCALED |= {"exponential", "standard_exponential", "expovariate"}
SCALED |= {"gamma", "standard_gamma", "gammavariate"}


@dataclass(frozen=True, slots=True)
class Way:
    """How a mechanism is spoiled.

    Attributes
    ----------
    noise : {"as it is", "halved", "off"}
        Of the laws in `SCALED`.
    stream : int or None
        Seed of all other draws: each call repeats them. None leaves them as they are.
    doubled : int or None
        Index of the record that is counted twice; None counts each once.
    answers : bool
        Whether the dataset holds answers of queries. If each record counts twice, they double.
    """

    noise: Noise = "as it is"
    stream: int | None = None
    doubled: int | None = None
    answers: bool = False


class Sabotaged:
    """A mechanism that is spoiled in one way, to be audited in place of the mechanism.

    Parameters
    ----------
    mechanism : callable or str
        As for `dpaudit.audit`.
    way : Way
    """

    def __init__(self, mechanism: Any, way: Way) -> None:
        self.mechanism, self.way = mechanism, way
        self._marks = marks_of(mechanism)

    def __dpaudit_subject__(self) -> Subject:
        """Return the subject of the mechanism, with another function to call."""
        put_marks(self.mechanism, self._marks)  # a function travels as its name, without them
        subject = Subject.of(self.mechanism)
        spoiled = Spoiled(subject.function, self.way)
        put_marks(spoiled, self._marks)
        return replace(
            subject,
            function=spoiled,
            source_hash=f"{subject.source_hash} {self.way}",
        )

    def __call__(self, *given: Any) -> Any:
        """Call the mechanism, spoiled."""
        return self.__dpaudit_subject__().function(*given)

    def __repr__(self) -> str:
        return f"{reference(self.mechanism)}, sabotaged"


class Spoiled:
    """What is called in place of a mechanism's function.

    Parameters
    ----------
    function : callable
    way : Way

    Notes
    -----
    From its arrival in a worker process, the noise of that process is intercepted to its end.
    """

    def __init__(self, function: Callable[..., Any], way: Way) -> None:
        self._function, self._way = function, way

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        _intercept()

    def __call__(self, dataset: Any, *given: Any) -> Any:
        """Call the function, its noise answered by a saboteur."""
        _intercept()
        passed = [standing_in(v) if isinstance(v, RealGenerator) else v for v in given]
        way = self._way
        data = dataset if way.doubled is None else counted_twice(dataset, way)
        director = None if way == Way(doubled=way.doubled, answers=way.answers) else Saboteur(way)
        with directed(director):
            return self._function(data, *passed)


class Saboteur:
    """A director that weakens noise.

    Parameters
    ----------
    way : Way
    seen : set of str, optional
        Gets the kinds of the draws.
    """

    def __init__(self, way: Way, seen: set[str] | None = None) -> None:
        self._way, self._seen = way, set[str]() if seen is None else seen
        stream = way.stream
        self._frozen: Director | None = None
        if stream is not None:
            self._frozen = Frozen(SeedSequence(stream), zero=False)

    def draw(self, request: Request, natural: Callable[[], Any]) -> Any:
        """Answer a noise call."""
        if request.draws:
            self._seen.add(request.kind)
        value = natural() if self._frozen is None else self._frozen.draw(request, natural)
        if request.kind not in SCALED or self._way.noise == "as it is":
            return value
        if self._way.noise == "off":
            return without_noise(request, value)
        return _halved(value, location_of(request))

    def branch(self) -> Director:
        """Return the director of a thread."""
        branch = Saboteur(self._way, self._seen)
        if self._frozen is not None:
            branch._frozen = self._frozen.branch()
        return branch


def _halved(value: Any, location: Any) -> Any:
    """Return a draw of the law with half the scale: exact for integers too, as `trunc` is."""
    if hasattr(value, "copy_"):  # a tensor of torch, drawn in place perhaps
        return value.copy_(location + (value - location) / 2)
    if isinstance(value, np.ndarray):
        half = (value - np.asarray(location)) / 2
        kept = np.trunc(half) if value.dtype.kind in "iu" else half
        return (location + kept).astype(value.dtype)
    half = (value - location) / 2
    return type(value)(location + (np.trunc(half) if _is_whole(value) else half))


def _is_whole(value: Any) -> bool:
    return isinstance(value, int | np.integer)


def counted_twice(dataset: Any, way: Way) -> Any:
    """Return a dataset in which a record is counted twice; an empty one as it is.

    Parameters
    ----------
    dataset : object
    way : Way

    Raises
    ------
    TypeError
        Where it holds no records: it is a bare one.
    """
    if way.answers:
        return dataset * 2 if isinstance(dataset, np.ndarray) else [2 * each for each in dataset]
    if not hasattr(dataset, "__len__") or isinstance(dataset, str | bytes | dict | tuple | np.void):
        raise TypeError(f"the dataset is a single record of type {type(dataset).__name__}")
    if len(dataset) == 0 or way.doubled is None:
        return dataset
    place = way.doubled % len(dataset)
    again = slice(place, place + 1)
    for library in ("pandas", "polars"):
        module = sys.modules.get(library)
        if module is not None and isinstance(dataset, module.DataFrame | module.Series):
            part = dataset.iloc[again] if library == "pandas" else dataset[again]
            more = {"ignore_index": True} if library == "pandas" else {}
            return module.concat([dataset, part], **more)
    if isinstance(dataset, np.ndarray):
        if dataset.ndim == 0:
            raise TypeError("the dataset is a single record, a number")
        return np.concatenate([dataset, dataset[again]])
    return type(dataset)([*dataset, *dataset[again]])


_lock = Lock()
_kept: list[ExitStack] = []


def _intercept() -> None:
    """Intercept the noise of this process, until `released`."""
    with _lock:
        if not _kept:
            stack = ExitStack()
            stack.enter_context(intercepted())
            _kept.append(stack)


@contextmanager
def released() -> Iterator[None]:
    """Put back, at the end, what was intercepted in this process."""
    try:
        yield
    finally:
        with _lock:
            if _kept:
                _kept.pop().close()
