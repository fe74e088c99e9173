"""Runs a program on floats, with draws that go one way of its exact run: it must return the same.

Exact numbers stand for floats, and Python's objects for NumPy's, in ways that code can tell: types,
dtypes, hashes, texts, rounding. So what the program does on each way is not taken from the exact
run alone. The draws are given values near both ends of what that way says of them, and the program
is run with these on floats, in the arrays that NumPy makes. Only the chance of the way remains for
exact numbers to tell.

A float of an output is off by its rounding, which must tell nothing: where the exact output is the
same, so is that float, on whichever dataset and way.

Where every way was run within 2^-30 of both ends of what it says of each draw, rounding decides
what the program does only for draws that are nearer to an end: floats are no further from exact
numbers than the float analysis allows, and it need not be asked (`Replay.at_ends`). That is so
where what is compared is computed of a draw once, and of numbers that are no more than 2^20 times
as large as the draw: of ``(u + 2**52) - 2**52``, or with ``- u``, ends tell nothing of what is
between them. And a draw that leaves as it is has digits that both ends need not show.
"""

from __future__ import annotations

import copy
import math
import random
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from dpaudit.checker.exact.affine import Affine, Share
from dpaudit.checker.exact.code import RaisedError, compiled, failure
from dpaudit.checker.exact.drawn import Drawn, Stepped
from dpaudit.checker.exact.exponential_fractions import UNIT, Growing, Multiple
from dpaudit.checker.exact.fixed import Fixed
from dpaudit.checker.exact.generator import Generator, drawing
from dpaudit.checker.exact.lazy_value import Undecided
from dpaudit.checker.exact.numbers import Number
from dpaudit.checker.exact.paths import Path
from dpaudit.checker.exact.plain import Plain
from dpaudit.checker.exact.sources import Cut, Source, TwoSided
from dpaudit.checker.exact.turns import Turn
from dpaudit.checker.file import FAULTS, NotCheckedError, RejectedError
from dpaudit.checker.program import Node, prints

_NEAR = 2.0**-30  # of a range, from its end
_STEPS = 2.0**-46  # of floats near 1, which a very small range does not tell
_PART = 2.0**-20  # of a range, that floats may not tell
_LOW, _HIGH = Fraction(0), Fraction(1)  # ends
_CLOSE = 1e-9  # relative: numbers that are the same but for rounding
_RECORDS = 8  # of a range, that are tried beside its middle
_FAR = 3  # from the end of a range without another
_TRIES = 300  # values of draws of which remainders are known
_ALL = 600  # ways of which all values of draws are tried, and after which one of them is
_POINT = Fraction(1, 2**80)
_LARGE = 2**53
_CHANCES = {"binomial": "p", "geometric": "p", "choice": "p"}
_PYTHON: dict[Any, type] = {np.float64: float, np.int64: int, np.bool_: bool, np.str_: str}
_LIBRARIES = ("numpy", "python")
_TYPED = ("choice", "integers")  # of which one number or text is of another type in each library
_PLACE = type(np.random.default_rng(0).choice(1))
_OTHERWISE = "not checked: on floats the code does something else than in exact numbers"


class Replay(Plain):
    """A program that is run on floats, with draws that are given.

    Parameters
    ----------
    program : dict
    every : list of dict
        All functions of the program, in order.
    values : mapping of str to Number
        What stands for parameters that the proof is about all values of.
    read : bool, optional
        As for `Mechanism`.

    Attributes
    ----------
    at_ends : bool
        Whether all ways were run at both ends of what they say of their draws, which are finitely
        many numbers or from a range, and draws were made with the chances of the exact run.
    """

    def __init__(
        self,
        program: Node,
        every: list[Node],
        values: Mapping[str, Number],
        read: bool | None = None,
    ) -> None:
        super().__init__()
        self._program = program
        self._draws: list[tuple[str, Any, dict[str, Any]]] = []
        self._constants: dict[int, Any] = {}
        self._ways = 0
        self.at_ends = True
        self._known: dict[Any, Any] = {}  # by functions that only compute
        self._drawn: dict[Any, dict[int, int] | None] = {}  # from very many integers
        self._floats = {library: Floats(prints(program), read) for library in _LIBRARIES}
        self._library = _LIBRARIES[0]  # of the generators that are made or global
        self._told = False  # whether a run drew what is of another type in the other library
        self._function = compiled(program["entry"], self, every)
        self._given = {name: self.constant(node) for name, node in program["fixed"].items()}
        self._given |= {name: _float(value, 0.0) for name, value in values.items()}

    @property
    def missing(self) -> bool:
        """Whether some output held NaN, or a large integer: code may tell which object it is.

        NumPy's integers are compared with floats as floats.
        """
        return any(floats.missing for floats in self._floats.values())

    def same(self, data: Any, path: Path, output: Callable[[], Any]) -> None:
        """Refuse a way on which the program does something else on floats.

        Parameters
        ----------
        data : object
            The dataset as the mechanism gets it, or a record of which only a range is known.
        path : Path
            The way, which was gone to its end.
        output : callable
            Returns what the exact run returned, with its draws, or raises what that raised.

        Raises
        ------
        NotCheckedError
        """
        self._ways += 1
        ends = list(enumerate((_LOW, _HIGH, None)))
        one = [ends[self._ways % len(ends)]]
        all_ends = self._ways < _ALL and not path.lazy
        self.at_ends = self.at_ends and all_ends and not path.counts and not path.again
        for seed, share in ends if all_ends else one:
            rng, fixed = random.Random(seed), self._fixed(path, seed)
            for record in _records(data, rng) if fixed is not None else ():
                meant = _Meant(path, record, share, rng, fixed or {})
                self._gone(data, path, output, meant)
                self.at_ends = self.at_ends and meant.at_ends

    def _fixed(self, path: Path, seed: int) -> dict[int, int] | None:
        """Return draws from very many integers that have the way's remainders, if some are found.

        They are the same on all ways with these draws and remainders.
        """
        asked = tuple((formula, path.chosen[formula]) for formula in path.remainders)
        at = seed, tuple(path.counts.items()), asked
        if at not in self._drawn:
            rng = random.Random(seed)
            tried = (
                {n: rng.randrange(count) for n, count in path.counts.items()}
                for _ in range(_TRIES if path.counts else 1)
            )
            self._drawn[at] = next((fixed for fixed in tried if path.has_remainders(fixed)), None)
        return self._drawn[at]

    def _gone(self, data: Any, path: Path, output: Callable[[], Any], meant: _Meant) -> None:
        """Run the program with these values of the draws."""
        recorded, given_to = meant.every_draw(path)
        native = [meant.native(family, drawn) for family, drawn in recorded]
        with meant:
            arguments = [meant.of(dict(each)) for each in given_to]
        families = [family for family, _ in recorded]
        draws = list(zip(families, native, arguments, strict=True))
        expected = _ended(partial(meant.of_all, output))
        given = _float(data, meant.record) if isinstance(data, Number) else data
        self._told = False
        for self._library in _LIBRARIES:
            self._draws = list(draws)
            found = _ended(partial(self._run, given))
            if self._draws or not self._floats[self._library].alike(expected, found):
                raise NotCheckedError(_OTHERWISE)
            if not self._told:
                return

    def _run(self, data: Any) -> Any:
        self._steps = 0
        own = {self._program["data"]: copy.deepcopy(data)}
        if self._program["rng"] is not None:
            own[self._program["rng"]] = self
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            return self._function(**own, **self._given)

    def constant(self, node: Node) -> Any:
        """Return the value of a constant."""
        if id(node) not in self._constants:
            self._constants[id(node)] = super().constant(node)
        return self._constants[id(node)]

    def called(self, function: Callable[..., Any], node: Node) -> Callable[..., Any]:
        """Return a function that remembers what it computed from numbers, without a draw."""

        def remembering(*args: Any, **words: Any) -> Any:
            given = (*args, *words.values())
            if not all(isinstance(value, int | float | str | None) for value in given):
                return function(*args, **words)
            at = (id(node), tuple(words), tuple((type(value), repr(value)) for value in given))
            if at not in self._known:
                before = len(self._draws)
                found = function(*args, **words)
                if len(self._draws) < before or not isinstance(found, int | float | str | None):
                    return found
                self._known[at] = found
            return self._known[at]

        return remembering

    def function(self, name: str) -> Callable[..., Any]:
        """Return what a canonical name stands for."""
        return drawing(super().function(name), name, self)

    def generator(self, origin: str, seed: Any, library: str | None) -> Any:
        """Return what draws."""
        if seed is not None:
            raise NotCheckedError("not checked: a generator with a seed")
        known = library if library in _LIBRARIES else None  # `RandomState` changed with versions
        return self if origin == "argument" else _Made(origin == "global", known)

    def draw(self, generator: Any, family: str, **arguments: Any) -> Any:
        """Return the next draw."""
        made = isinstance(generator, _Made)
        if not (made or generator is self) or not self._draws or self._draws[0][0] != family:
            raise NotCheckedError(_OTHERWISE)
        _, given, expected = self._draws.pop(0)
        if not _near(
            {name: value for name, value in expected.items() if name != "dtype"},
            {name: value for name, value in arguments.items() if name != "dtype"},
        ):
            raise NotCheckedError(_OTHERWISE)
        self.at_ends = self.at_ends and _keeps(family, expected, arguments)
        library = (generator.library or self._library) if made else _LIBRARIES[0]
        self._told |= made and generator.library is None and family in _TYPED
        of_numpy = library == _LIBRARIES[0]
        if family == "choice":
            return _chosen(given(), arguments["a"], of_numpy)
        if family == "integers" and of_numpy and isinstance(given, int):
            python = (made and generator.is_global) or arguments.get("dtype") is int
            return given if python else np.int64(given)
        return given(**arguments) if callable(given) else given


class _Made(Generator):
    """A generator that the code makes, or a global one; without a library, that of the run."""

    def __init__(self, is_global: bool, library: str | None) -> None:
        self.is_global, self.library = is_global, library


@dataclass(frozen=True, slots=True)
class _Ended:
    """How a run ends: with a value, or in an exception of the program."""

    value: Any = None
    raised: str | None = None


def _ended(run: Callable[[], Any]) -> _Ended:
    try:
        return _Ended(run())
    except RaisedError as error:
        return _Ended(raised=error.text)
    except NotCheckedError:
        raise
    except (RejectedError, RuntimeError, AssertionError, *FAULTS) as error:
        raise NotCheckedError(f"{_OTHERWISE}: {failure(error)}") from None


class _Meant:
    """Values of the draws of a way, near the low or the high end of what is known of them."""

    def __init__(
        self,
        path: Path,
        record: float,
        share: Fraction | None,
        rng: random.Random,
        fixed: Mapping[int, int],
    ) -> None:
        self.record, self._share, self._rng = record, share, rng
        self._lazily = path.lazy
        self.at_ends = True
        self._values: dict[Source, Any] = {}
        self._before: list[tuple[Source, Any, Any, Path]] = []
        self._closed = Path(path.work, [], manner="closed")
        self._fixed = fixed

    # --- what the draws are

    def every_draw(self, path: Path) -> tuple[list[tuple[str, Any]], list[Mapping[str, Any]]]:
        """Return all draws of a way and their arguments, those of its turns of loops too."""
        recorded: list[tuple[str, Any]] = []
        arguments: list[Mapping[str, Any]] = []
        if len(path.recorded) != len(path.arguments):
            raise NotCheckedError(_OTHERWISE)
        for (family, drawn), words in zip(path.recorded, path.arguments, strict=True):
            inside = [(family, drawn)], [words]
            if isinstance(drawn, Turn):
                inside = self.every_draw(drawn.drawn(self.value))
            recorded += inside[0]
            arguments += inside[1]
        return recorded, arguments

    def value(self, source: Source) -> Any:
        """Return the value of a draw."""
        if source not in self._values:
            self._values[source] = self._chosen(source)
        return self._values[source]

    def _chosen(self, source: Source) -> Any:
        if source.number is not None:
            return self._fixed[source.number]
        if source.made is not None:
            self.at_ends = False
            return self._behind(source)
        low, high = _float(source.low, self.record), _float(source.high, self.record)
        if source.law.whole:
            high -= 1
        share = self._share
        self.at_ends = self.at_ends and not math.isinf(high - low)
        if share is None or (self._lazily and not math.isinf(high - low)):
            share = Fraction(self._rng.random())
        if math.isinf(low):
            low = min(-_FAR, high - _FAR)
        if math.isinf(high):
            high = max(_FAR, low + _FAR)
        if source.law.whole:
            least, most = int(low), int(high)
            if self._share is not None and not self._lazily:  # as a rounded multiple is
                return least if self._share == _LOW else most  # monotone, ends tell of the rest
            return least + min(int(share * (most - least + 1)), most - least)
        width = high - low
        steps = _STEPS * max(1.0, abs(low), abs(high))
        self.at_ends = self.at_ends and steps <= width * _PART
        gap = min(width / 4, max(width * _NEAR, steps))
        return min(max(low + float(share) * width, low + gap), high - gap)

    def _behind(self, source: Source) -> Any:
        """Return a draw that went into another one."""
        assert source.made is not None
        child, sign, at, scale = source.made
        k = self.value(child)
        if isinstance(child.law, TwoSided):
            return 1 + max(sign * k, 0)
        assert isinstance(child.law, Cut)
        half = {"floor": 0.5, "ceil": -0.5, "round": 0.0}.get(
            child.law.how, 0.5 * ((k > 0) - (k < 0))
        )
        return (k + half - float(at)) / float(scale)

    def native(self, family: str, drawn: Any) -> Any:
        """Return what a call that drew returns on floats, or a function of its arguments."""
        if family == "bytes":
            return partial(_with_ones, self._number(drawn))
        if isinstance(drawn, Drawn):
            return self._number(drawn)
        if isinstance(drawn, np.ndarray):
            found = [self._number(one) for one in np.asarray(drawn).flat]
            kind = int if all(isinstance(one, int) for one in found) else float
            return np.array(found, dtype=kind).reshape(drawn.shape)
        return drawn

    def _number(self, drawn: Drawn) -> Any:
        value = self.value(drawn.source)
        if drawn.whole and not drawn.real:  # floats do not hold all integers
            return int(value * drawn.scale.fraction + drawn.shift.fraction)
        scale, shift = (_float(part, self.record) for part in (drawn.scale, drawn.shift))
        found = value * scale + shift
        return round(found) if drawn.source.law.whole and not drawn.real else float(found)

    # --- what the exact run returned, with these draws

    def __enter__(self) -> None:
        for source in list(self._values):
            self._before.append((source, source.low, source.high, source.path))
            value = self._values[source]
            end = value + 1 if source.law.whole else Number(Fraction(value) + _POINT)
            source.low = value if source.law.whole else Number(Fraction(value))
            source.high, source.path = end, self._closed

    def __exit__(self, *error: object) -> None:
        for source, low, high, path in self._before:
            source.low, source.high, source.path = low, high, path

    def of_all(self, output: Callable[[], Any]) -> Any:
        """Return the whole output as it is with these draws."""
        with self:
            return self.of(output())

    def of(self, value: Any) -> Any:
        """Return an output as it is with these draws."""
        if isinstance(value, Undecided):
            return self.of(value.settled())
        if isinstance(value, Drawn):
            found = self._number(value)
            self.at_ends = self.at_ends and value.source.law.whole
            return float(found) if value.real or not value.whole else int(found)
        if isinstance(value, Stepped):
            self.at_ends = False
            return float(self._number(value.steps) + self._number(value.even))
        if isinstance(value, Fixed):
            return value.value(self._fixed)
        if isinstance(value, Number):
            return _float(value, self.record)
        if isinstance(value, np.ndarray):
            found = [self.of(item) for item in np.asarray(value).ravel().tolist()]
            return _Array(value.shape, found)
        if isinstance(value, list | tuple):
            return type(value)([self.of(item) for item in value])
        if isinstance(value, dict):
            return {self.of(key): self.of(item) for key, item in value.items()}
        return value


@dataclass(frozen=True, slots=True)
class _Array:
    shape: tuple[int, ...]
    items: list[Any]


class Floats:
    """What each number of an output is on floats, by its place and its exact value.

    Parameters
    ----------
    printed : bool
        Whether the output is a pair, of which the second is shown as text: there types tell too.
    read : bool, optional
        As for `Mechanism`.
    """

    def __init__(self, printed: bool, read: bool | None = None) -> None:
        self._printed, self._read = printed, read
        self.missing = False
        self._found: dict[Any, float] = {}
        self._types: dict[Any, Any] = {}

    def alike(self, one: Any, other: Any, at: tuple[int, ...] = ()) -> bool:
        """Return whether an exact output, with its draws, is what the run on floats returned."""
        if isinstance(one, _Ended) and isinstance(other, _Ended):
            return one.raised == other.raised and self.alike(one.value, other.value)
        if not self._is_of_type(one, other, at):
            return False
        if self._read and len(at) > 1 and isinstance(other, list | dict | set | np.ndarray):
            return False  # an entry of an answer that may be changed where others hold it
        if isinstance(one, _Array):
            same = isinstance(other, np.ndarray) and other.shape == one.shape
            return same and self._each(one.items, other.ravel().tolist(), at)
        if isinstance(one, dict):
            same = isinstance(other, dict) and len(one) == len(other)
            return same and self._each([*one, *one.values()], [*other, *other.values()], at)
        if isinstance(one, list | tuple):
            same = type(one) is type(other) and len(one) == len(other)
            return same and self._each(one, other, at)
        return self._alone(one, other, at)

    def _is_of_type(self, one: Any, other: Any, at: tuple[int, ...]) -> bool:
        """Return whether a value has the type that it has wherever it is the same.

        What is returned is the same of NumPy's default types and of Python's.
        """
        if isinstance(one, dict | list | tuple):
            return True
        kind = other.dtype if isinstance(other, np.ndarray) else type(other)
        if self._read is None and not (self._printed and at[:1] == (1,)):
            kind = _PYTHON.get(kind, kind)
        key = at, one.shape if isinstance(one, _Array) else (_rank(one), one)
        return bool(self._types.setdefault(key, kind) == kind)

    def _each(self, ones: Iterable[Any], others: Iterable[Any], at: tuple[int, ...]) -> bool:
        pairs = enumerate(zip(ones, others, strict=True))
        return all(self.alike(one, other, (*at, i)) for i, (one, other) in pairs)

    def _alone(self, one: Any, other: Any, at: tuple[int, ...]) -> bool:
        kinds = (bool | np.bool_, int | np.integer, float | np.floating)
        for kind in kinds:
            if isinstance(one, kind) or isinstance(other, kind):
                if not (isinstance(one, kind) and isinstance(other, kind)):
                    return False
                if kind is not kinds[-1]:
                    self.missing |= abs(int(one)) >= _LARGE
                    return bool(one == other)
                return self._is_float(float(one), float(other), at)
        return _rank(one) is _rank(other) and bool(one == other)

    def _is_float(self, one: float, other: float, at: tuple[int, ...]) -> bool:
        if one != one or other != other:
            self.missing = True
            return one != one and other != other
        if math.copysign(1, one) != math.copysign(1, other) and (one == 0 or other == 0):
            return False
        same = math.isclose(one, other, rel_tol=_CLOSE, abs_tol=1e-12)
        return same and self._found.setdefault((at, one), other) == other


def _rank(value: Any) -> Any:
    """Return what tells equal values of an exact output apart: a truth value is no number."""
    if isinstance(value, bool | np.bool_):
        return bool
    known = (int, float, str, bytes)
    of = (kind for kind in known if isinstance(value, kind))
    return int if isinstance(value, np.integer) else next(of, type(value))


def _chosen(at: int, a: Any, of_numpy: bool) -> Any:
    """Return one of some values, as the library does whose generator chooses."""
    if isinstance(a, int | np.integer):
        return _PLACE(at) if of_numpy else at
    return np.asarray(a)[at] if of_numpy else a[at]


def _with_ones(ones: int, length: int) -> bytes:
    """Return bytes with so many bits that are one."""
    return ((1 << ones) - 1).to_bytes(int(length), "big")


def _near(one: Any, other: Any) -> bool:
    """Return whether arguments of a draw are the same but for rounding and types."""
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(_near(one[name], other[name]) for name in one)
    if isinstance(one, _Array) or isinstance(other, np.ndarray | list | tuple):
        items = one.items if isinstance(one, _Array) else one
        others = np.asarray(other, dtype=object).ravel().tolist()
        flat = np.asarray(items, dtype=object).ravel().tolist()
        return len(flat) == len(others) and all(map(_near, flat, others))
    numbers = (int, float, np.integer, np.floating, np.bool_)
    if isinstance(one, numbers) and isinstance(other, numbers):
        return math.isclose(float(one), float(other), rel_tol=_CLOSE, abs_tol=1e-12)
    return type(one) is type(other) and bool(one == other)


def _keeps(family: str, expected: dict[str, Any], given: dict[str, Any]) -> bool:
    """Return whether the floats that a draw is made with keep its chances, to 2^-30 of them."""
    if family == "uniform":
        ends = [(float(w["low"]), float(w["high"])) for w in (expected, given) if len(w) > 1]
        (low, high), *others = ends or [(0.0, 1.0)]
        return all(max(abs(a - low), abs(b - high)) <= _NEAR * (high - low) for a, b in others)
    name = _CHANCES.get(family)
    if name not in expected or expected[name] is None:
        return family != "laplace"
    listed = [np.asarray(_items(w[name]), dtype=float).ravel() for w in (expected, given)]
    one, other = listed
    less = np.minimum(one, 1 - one)
    off = np.abs(one - other) <= np.where(less > 0, _NEAR * less, _STEPS)
    return bool(np.all(off & (other >= 0) & (other <= 1)))


def _items(value: Any) -> Any:
    return value.items if isinstance(value, _Array) else value


def _records(data: Any, rng: random.Random) -> list[float]:
    """Return records of a range of which nothing else is known; of others any number."""
    if not isinstance(data, Affine):
        return [0.0]
    low, high = (_float(end, 0.0) for end in (data.span.low, data.span.high))
    if math.isinf(low) and math.isinf(high):
        return [0.5]
    if math.isinf(low) or math.isinf(high):
        return [high - 1.0 if math.isinf(low) else low + 1.0]
    return [(low + high) / 2, *(rng.uniform(low, high) for _ in range(_RECORDS))]


def _float(value: Any, record: float) -> float:
    """Return a number as a float; of a record as given, and of a parameter that is 1."""
    if isinstance(value, Affine):
        return _float(value.base, record) + _float(value.slope, record) * record
    if isinstance(value, Share):
        return _float(value.over, record) / _float(value.under, record)
    if isinstance(value, Multiple):
        return float(value.factor)
    if isinstance(value, Growing):
        x = math.exp(1 / UNIT)
        top, bottom = (
            sum(float(Fraction(int(c.p), int(c.q))) * x**i for i, c in enumerate(part.coeffs()))
            for part in (value.top, value.bottom)
        )
        return top / bottom
    if isinstance(value, Number):
        return float(value.fraction) if value.fraction is not None else float(value.ball.mid())
    return float(value) if not isinstance(value, int) else value
