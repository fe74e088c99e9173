"""The distribution of the output on one dataset, by going through every path."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from typing import Any, Protocol

import numpy as np

from dpaudit.checker.exact.affine import Span
from dpaudit.checker.exact.code import RaisedError, failure
from dpaudit.checker.exact.densities import Heights, Piece, heights, is_continuous, piece_of
from dpaudit.checker.exact.drawn import Drawn, Stepped, tail_of, unbounded
from dpaudit.checker.exact.fixed import Asked, AskedError, Chosen, Fixed, every_choice
from dpaudit.checker.exact.independent import (
    HOLE,
    Mixture,
    Product,
    grouped,
    law_of_part,
    mixture,
    multiplied,
    together,
)
from dpaudit.checker.exact.keys import (
    BELOW,
    FIXED,
    FROM,
    PIECE,
    TAIL,
    WHOLE,
    filled,
    fits,
    without_type,
)
from dpaudit.checker.exact.lazy_value import Undecided
from dpaudit.checker.exact.numbers import Number
from dpaudit.checker.exact.paths import (
    EAGERLY,
    FEW,
    LAZILY,
    PATHS,
    TURNS,
    ManyTossesError,
    Path,
    every_path,
)
from dpaudit.checker.exact.sources import Cut, TwoSided
from dpaudit.checker.exact.spending import Chances
from dpaudit.checker.file import NotCheckedError, Work
from dpaudit.checker.wording import described

_MULTIPLIED = 4096


class Runner(Protocol):
    """Runs a program on a dataset.

    Attributes
    ----------
    manner : str
        How draws are tossed; set to what other datasets needed.
    """

    manner: str

    def __call__(self, path: Path) -> Any:
        """Return the output on a way."""

    def same(self, path: Path, output: Callable[[], Any]) -> None:
        """Refuse a way on which the program does something else on floats."""


@dataclass(frozen=True, slots=True)
class Tail:
    """Outputs ``place ± noise`` of two-sided noise without bound, and their probability."""

    weight: Number
    noise: TwoSided | Cut
    place: int


@dataclass(slots=True)
class Law:
    """Probabilities of outputs, and of families of outputs that hold one integer without bound.

    Attributes
    ----------
    points, tails : dict
    products : list of (Number, Product)
        Outputs of independent parts, one for each path that has them, with the path's probability.
    pieces : dict
        Of outputs with one continuous number, by their form: where it lies on each path.
    """

    points: dict[Hashable, Number] = field(default_factory=dict)
    tails: dict[Hashable, list[Tail]] = field(default_factory=dict)
    products: list[tuple[Number, Product]] = field(default_factory=list)
    pieces: dict[Hashable, list[Piece]] = field(default_factory=dict)

    def add(self, key: Hashable, weight: Number) -> None:
        """Add to the probability of an output."""
        self.points[key] = self.points.get(key, Number(Fraction(0))) + weight


def laws_of(run: Runner, work: Work) -> list[tuple[Chosen, Law]]:
    """Return the distributions of what a function returns, given draws that are fixed.

    Raises
    ------
    NotCheckedError
        Where not all that it does can be followed.
    """
    return list(every_choice(lambda chosen: _given(run, work, chosen)))


def law_of(run: Runner, work: Work) -> Law:
    """Return the distribution of what a function returns.

    Raises
    ------
    NotCheckedError
        Where not all that it does can be followed.
    """
    laws = laws_of(run, work)
    if len(laws) != 1:
        raise NotCheckedError("not checked: very many integers beside a record on a range")
    return laws[0][1]


def _given(run: Runner, work: Work, chosen: Chosen) -> tuple[Asked, Law]:
    """Return a remainder that is asked for, or None and the distribution.

    Where arrays of draws have very many ways to fall, their outputs are fewer if they fork where
    they decide.
    """
    try:
        if run.manner == FEW:
            return _followed(run, work, chosen, FEW)
    except ManyTossesError as many:
        run.manner = LAZILY if many.arrays else TURNS
    for manner in () if chosen else (LAZILY, TURNS):
        if run.manner not in (LAZILY, manner):
            continue
        try:
            _, law = _followed(run, work, {}, manner, _MULTIPLIED)
        except NotCheckedError:  # not seen without the toss of every draw
            work.left()
            continue
        if manner == LAZILY and any(map(_can_be_gone, law.products)):
            break
        run.manner = manner
        return None, law
    return _followed(run, work, chosen, EAGERLY)


def _can_be_gone(found: tuple[Number, Product]) -> bool:
    """Return whether independent parts are too many to multiply out, and all ways are not."""
    return _MULTIPLIED < math.prod(map(len, found[1].parts)) <= PATHS


def _multiply_out(law: Law) -> None:
    """Make one distribution of independent parts."""
    for weight, product in law.products:
        for key, chance in multiplied(product, plugged, _MULTIPLIED).items():
            law.add(key, weight * chance)
    law.products = []


def _followed(
    run: Runner, work: Work, chosen: Chosen, manner: str, most: int = PATHS
) -> tuple[Asked, Law]:
    law = Law()
    total = Number(Fraction(0))

    def follow(path: Path) -> tuple[Asked, Hashable, list[Any]]:
        free: list[Any] = []
        key: Hashable = None
        try:
            output = run(path)
            same = partial(run.same, path, lambda: output)
            key = _product(_key(output, free), free, work, same)
            same()
        except RaisedError as error:
            run.same(path, partial(_raise, error))
            return path.asked, ("raised", error.text), []
        except (AskedError, Exception) as error:
            if path.asked is None and not isinstance(error, NotCheckedError):
                raise NotCheckedError(f"not checked: {failure(error)}") from None
            if path.asked is None:
                raise
        return path.asked, key, free

    for weight, (asked, key, free) in every_path(follow, work, chosen, manner, most):
        if asked is not None:
            return asked, law
        total = total + weight
        if isinstance(key, Product):
            law.products.append((weight, key))
        elif free and is_continuous(free[0]):
            law.pieces.setdefault(key, []).append(piece_of(weight, free[0]))
        elif free:
            noise, place = tail_of(free[0])
            law.tails.setdefault(key, []).append(Tail(weight, noise, place))
        else:
            law.add(key, weight)
    if total != 1:
        raise NotCheckedError("not checked: the probabilities do not add up to 1")
    return None, law


def _raise(error: RaisedError) -> Any:
    raise error


def _product(key: Hashable, free: list[Any], work: Work, same: Callable[[], None]) -> Hashable:
    """Return an output's independent parts, where it has values that are undecided."""
    values = [value for value in free if isinstance(value, Undecided)]
    if not values:
        return key
    if len(values) < len(free):
        raise NotCheckedError("not checked: noise without bound beside undecided values")
    groups = grouped(values)
    place = {at: (part, i) for part, group in enumerate(groups) for i, at in enumerate(group)}
    went: list[Any] = []
    laws = [law_of_part([values[at] for at in group], _settled, work, went) for group in groups]
    for _ in together(went):
        same()
    return Product(_numbered(key, place), tuple(laws))


def _settled(value: Any) -> Hashable:
    return _key(value, [])


def _numbered(key: Any, place: Mapping[int, tuple[int, int]]) -> Hashable:
    if isinstance(key, tuple) and len(key) == 2 and key[0] == HOLE:
        return (HOLE, *place[key[1]])
    return tuple(_numbered(item, place) for item in key) if isinstance(key, tuple) else key


def plugged(shape: Any, parts: Sequence[Any]) -> Hashable:
    """Return an output of a shape, given the values of its parts."""
    if isinstance(shape, tuple) and len(shape) == 3 and shape[0] == HOLE:
        return parts[shape[1]][shape[2]]  # type: ignore[no-any-return]
    return tuple(plugged(item, parts) for item in shape) if isinstance(shape, tuple) else shape


def densities(law: Law, span: Span | None = None) -> dict[Hashable, Heights]:
    """Return the densities of outputs by their forms, and leave the law with its atoms."""
    found = {form: heights(pieces, span) for form, pieces in law.pieces.items()}
    law.pieces = {}
    return found


def finite(laws: Iterable[Law], most: int = _MULTIPLIED) -> list[Chances]:
    """Return distributions of which far outputs are taken together.

    Beyond the places of all noise the chances of two distributions keep one ratio, so that
    nothing is lost. Independent parts stay apart where all outputs of all distributions have the
    same ones, and are more than `most` when they are multiplied out.
    """
    listed = list(laws)
    if any(law.pieces for law in listed):
        raise NotCheckedError("not checked: a continuous output")
    if all(law.products and not law.points and not law.tails for law in listed):
        mixtures = [mixture(law.products) for law in listed]
        known = [found for found in mixtures if found is not None]
        alike = all(one.alike(other) for one in known for other in known)
        if len(known) == len(listed) and alike and max(map(_size, known), default=0) > most:
            return list(known)
    for law in listed:
        _multiply_out(law)
    return _without_tails(listed)


def _size(law: Mixture) -> int:
    return sum(math.prod(map(len, product.parts)) for _, product in law.branches)


def _without_tails(listed: Sequence[Law]) -> list[Chances]:
    """Return distributions of which what is far is in two points.

    An integer with noise is the same output as that integer told without: so all of these that any
    distribution has are among the places that are gone through one by one.
    """
    places: dict[Hashable, list[int]] = {}
    rates: dict[Hashable, Number] = {}
    for law in listed:
        for key, tails in law.tails.items():
            shape = without_type(key)
            for tail in tails:
                noise = tail.noise
                ends = (tail.place + noise.first, tail.place + noise.last)
                places.setdefault(shape, []).extend(ends)
                if rates.setdefault(shape, noise.a) != noise.a:
                    raise NotCheckedError("not checked: noise of two scales in one output")
    for shape in places:
        if any(other != shape and fits(other, shape) is not None for other in places):
            raise NotCheckedError("not checked: noise at two places of one output")
        for law in listed:
            for key in law.points:
                at = fits(without_type(key), shape)
                if at is not None and at.denominator == 1:
                    places[shape].append(int(at))
    found: list[Chances] = []
    for law in listed:
        points = dict(law.points)
        for key, tails in law.tails.items():
            gone = places[without_type(key)]
            for tail in tails:
                _spread(points, key, tail, min(gone), max(gone))
        found.append(points)
    return found


def _spread(points: dict[Hashable, Number], key: Hashable, tail: Tail, low: int, high: int) -> None:
    """Add the chances of each integer between two, and of all beyond them."""
    noise, zero = tail.noise, Number(Fraction(0))
    ways = [(filled(key, y), y - tail.place, y - tail.place + 1) for y in range(low, high + 1)]
    far = [
        ((TAIL, key, (BELOW, low)), -math.inf, low - tail.place),
        ((TAIL, key, (FROM, high + 1)), high + 1 - tail.place, math.inf),
    ]
    for at, start, stop in (*ways, *far):
        points[at] = points.get(at, zero) + tail.weight * noise.measure(start, stop)


def _key(value: Any, free: list[Any]) -> Hashable:
    """Return what an output is, its type included, and settle what is random in it."""
    if isinstance(value, Undecided):
        free.append(value)
        return (HOLE, len(free) - 1)
    if is_continuous(value):
        if free:
            raise NotCheckedError("not checked: several continuous numbers in one output")
        free.append(value)
        return (PIECE,)
    if isinstance(value, Drawn):
        if not unbounded(value):
            if value.many:
                return _key(value.fixed(), free)
            if not value.source.law.whole:
                raise NotCheckedError("not checked: a continuous output")
            if value.source.path.lazy and value.source.number is None:
                free.append(Undecided(frozenset({value.source}), value.settled))
                return (HOLE, len(free) - 1)
            return _key(value.settled(), free)
        if any(isinstance(other, Drawn | Stepped) for other in free):
            raise NotCheckedError("not checked: several integers without bound in one output")
        tail_of(value)
        free.append(value)
        return (WHOLE, value.real)
    if isinstance(value, Fixed):
        return (FIXED, value.formula)
    if isinstance(value, bool | np.bool_):
        return ("bool", bool(value))
    if isinstance(value, int | np.integer):
        return ("int", int(value))
    if isinstance(value, Number):
        if value.fraction is None:
            hash(value)  # which refuses what has no value in the field
            return ("real", value)
        return ("real", value.fraction)
    if isinstance(value, float | np.floating):
        whole = math.isfinite(value) and (value != 0 or math.copysign(1, value) > 0)
        return ("real", Fraction(float(value))) if whole else ("float", repr(float(value)))
    if value is None or isinstance(value, str | bytes):
        return ("plain", value)
    if isinstance(value, np.ndarray):
        return ("array", value.shape, tuple(_key(item, free) for item in value.ravel().tolist()))
    if isinstance(value, tuple | list):
        return (type(value).__name__, tuple(_key(item, free) for item in value))
    if isinstance(value, set | frozenset):
        return ("set", frozenset(_key(item, free) for item in value))
    if isinstance(value, dict):
        return ("dict", tuple((_key(k, free), _key(v, free)) for k, v in value.items()))
    raise NotCheckedError(f"not checked: {described(value)} as an output")
