"""Calls a mechanism that returns many outputs at once, and keeps both sides in step."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.random import PCG64, BitGenerator, Generator
from numpy.typing import NDArray

from dpaudit.outputs import Columns, Raised, encode, encode_rows
from dpaudit.randomness import FAR, Source
from dpaudit.worker.datasets import duplicate, same
from dpaudit.worker.happened import happened
from dpaudit.worker.tasks import Task, WorkerError

if TYPE_CHECKING:
    from dpaudit.evidence import Event

# Methods that consume the same numbers whatever their parameters, and where `size` stands.
_STEADY: dict[str, tuple[str, ...]] = {
    "random": ("size", "dtype", "out"),
    "standard_normal": ("size", "dtype", "out"),
    "standard_exponential": ("size", "dtype", "method", "out"),
    "uniform": ("low", "high", "size"),
    "normal": ("loc", "scale", "size"),
    "laplace": ("loc", "scale", "size"),
    "gumbel": ("loc", "scale", "size"),
    "logistic": ("loc", "scale", "size"),
    "exponential": ("scale", "size"),
}
_LAYOUT = ("dtype", "method")
_UNKNOWN = "?"


@dataclass(frozen=True, slots=True, eq=False)
class Request:
    """What was asked of a generator: everything that decides which numbers are consumed."""

    method: str
    what: tuple[Any, ...]
    state: Mapping[str, Any]

    def matches(self, other: Request) -> bool:
        """Whether both consume the same numbers for the same rows."""
        return (
            self.method == other.method != _UNKNOWN
            and self.state == other.state
            and same(self.what, other.what)
        )


class StepGenerator(Generator):
    """A generator that notes each request, and follows the requests noted by another.

    Parameters
    ----------
    bits : PCG64
    size : int
        Outputs that the mechanism was asked for: the first axis of every array.
    lead : list of Request, optional
        What the other side asked for. As long as the requests agree, both see the same numbers;
        at the first that does not, this generator leaves for a stream of its own, for good.

    Notes
    -----
    Which numbers serve a request is settled before they are drawn, from earlier ones alone. So
    both sides are distributed as they would be on their own, whatever happens, and the outputs
    i of both sides share their random numbers and nothing else.
    """

    def __init__(self, bits: PCG64, size: int, lead: list[Request] | None = None) -> None:
        super().__init__(bits)
        self._bits = bits
        self._size = size
        self._lead = lead
        self.requests: list[Request] = []
        self.left_lead = False

    @property
    def bit_generator(self) -> BitGenerator:
        """The underlying bit generator, beyond which nothing can be noted."""
        self._note(_UNKNOWN, ())
        return self._bits

    def __reduce__(self) -> Any:
        """Be copied as a plain generator, whose requests are not noted."""
        self._note(_UNKNOWN, ())
        return Generator(self._bits).__reduce__()

    def spawn(self, n_children: int) -> list[Generator]:
        """Return independent generators, whose requests are not noted."""
        self._note(_UNKNOWN, ())
        return [Generator(bits) for bits in self._bits.spawn(n_children)]

    def _note(self, method: str, what: tuple[Any, ...]) -> None:
        if self.left_lead:
            return
        request = Request(method, what, self._bits.state)
        place = len(self.requests)
        self.requests.append(request)
        lead = self._lead
        if lead is not None and not (place < len(lead) and request.matches(lead[place])):
            self._bits.advance(FAR)
            self.left_lead = True

    def in_step(self) -> bool:
        """Whether every request so far was one that the other side made too."""
        lead = self._lead
        return not self.left_lead and (lead is None or len(lead) == len(self.requests))


def _steady(name: str, names: tuple[str, ...]) -> Callable[..., Any]:
    original = getattr(Generator, name)

    def method(self: StepGenerator, *args: Any, **kwargs: Any) -> Any:
        given = {**dict(zip(names, args, strict=False)), **kwargs}
        shape = _shape(given)
        if shape is None or shape[:1] != (self._size,):
            self._note(_UNKNOWN, ())
        else:
            layout = tuple(str(given.get(key)) for key in _LAYOUT)
            self._note(name, (shape, *layout))
        return original(self, *args, **kwargs)

    return method


def _shape(given: dict[str, Any]) -> tuple[int, ...] | None:
    try:
        size, out = given.get("size"), given.get("out")
        if size is not None:
            return tuple(map(int, np.atleast_1d(size)))
        if out is not None:
            return tuple(out.shape)
        return np.broadcast_shapes(
            *(np.shape(given[key]) for key in ("low", "high", "loc", "scale") if key in given)
        )
    except (TypeError, ValueError):  # the method itself will complain
        return None


def _exact(name: str) -> Callable[..., Any]:
    original = getattr(Generator, name)

    def method(self: StepGenerator, *args: Any, **kwargs: Any) -> Any:
        self._note(name, (duplicate(args), duplicate(kwargs)))
        return original(self, *args, **kwargs)

    return method


for _name in dir(Generator):
    if _name in _STEADY:
        setattr(StepGenerator, _name, _steady(_name, _STEADY[_name]))
    elif not _name.startswith("_") and _name not in ("bit_generator", "spawn"):
        setattr(StepGenerator, _name, _exact(_name))


def call_many(
    function: Callable[..., Any],
    datasets: tuple[Any, Any],
    source: Source,
    task: Task,
    coins: NDArray[np.uint8] | None,
) -> tuple[Columns, bool, int]:
    """Call a vectorized mechanism once on each side, and again where it raised.

    Returns
    -------
    outputs : Columns
        In the order of the coins, or as left, right, left, right, … for pairs.
    uncoupled : bool
        Whether coupled draws were asked for and could not be had throughout.
    repeated : int
        Outputs asked for a second time.
    """
    left_rng, right_rng = source.generators
    repeated = 0

    def rows(dataset: Any, size: int, rng: Generator) -> Columns:
        nonlocal repeated
        outputs, again = _rows(function, dataset, size, rng, task.event)
        repeated += again
        return outputs

    if coins is not None:
        ones = int(coins.sum())
        sides = [
            rows(dataset, size, rng)
            for dataset, size, rng in zip(
                datasets, (task.size - ones, ones), source.generators, strict=True
            )
            if size
        ]
        order = np.empty(task.size, dtype=np.intp)
        order[coins == 0] = np.arange(task.size - ones)
        order[coins == 1] = np.arange(task.size - ones, task.size)
        # Columns in the order of the sides would tell which row came from which.
        return Columns.concat(sides).take(order).canonical(), False, repeated
    uncoupled = False
    if task.mode == "coupled":
        leader = StepGenerator(_bits(left_rng), task.size)
        left = rows(datasets[0], task.size, leader)
        follower = StepGenerator(_bits(right_rng), task.size, leader.requests)
        right = rows(datasets[1], task.size, follower)
        uncoupled = not follower.in_step()
    else:
        left = rows(datasets[0], task.size, left_rng)
        right = rows(datasets[1], task.size, right_rng)
    order = np.arange(2 * task.size).reshape(2, task.size).T.ravel()
    return Columns.concat([left, right]).take(order), uncoupled, repeated


def _bits(rng: Generator) -> PCG64:
    bits = rng.bit_generator
    assert isinstance(bits, PCG64)
    return bits


def _rows(
    function: Callable[..., Any], dataset: Any, size: int, rng: Generator, event: Event | None
) -> tuple[Columns, int]:
    """Return the outputs of one call, and how many were asked for again."""
    try:
        outputs = function(dataset, size, rng)
    except MemoryError as error:
        raise WorkerError("memory", "the mechanism ran out of memory") from error
    except (Exception, SystemExit) as error:
        _confirm_raises(function, dataset, size, rng, error)
        raised = [Raised(error)] * size
        return encode(raised if event is None else happened(event, raised)), size
    if event is not None and hasattr(outputs, "__len__") and len(outputs) == size:
        return encode(happened(event, outputs)), 0
    if isinstance(outputs, np.ndarray) and outputs.ndim and len(outputs) == size:
        return encode_rows(outputs), 0
    if isinstance(outputs, (list, tuple)) and len(outputs) == size:
        return encode(outputs), 0
    got = f"{type(outputs).__name__}"
    if hasattr(outputs, "__len__"):
        got += f" of shape {np.shape(outputs)}" if isinstance(outputs, np.ndarray) else (
            f" of length {len(outputs)}"
        )  # fmt: skip
    raise WorkerError(
        "wrong-size",
        f"a vectorized mechanism must return an array or list of {size} outputs when called "
        f"with size={size}, got {got}; make `size` the first axis, or drop @dpaudit.vectorized",
    )


def _confirm_raises(
    function: Callable[..., Any], dataset: Any, size: int, rng: Generator, error: BaseException
) -> None:
    """Make sure that an exception stands for every row: by chance it would for one alone."""
    try:
        function(dataset, size, rng)
    except (Exception, SystemExit):
        return
    raise WorkerError(
        "raised",
        f"a vectorized mechanism raised {type(error).__name__} in one call and none in the next; "
        "its outputs are not independent: drop @dpaudit.vectorized",
    )
