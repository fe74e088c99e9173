"""What the cost walk adds to the values of two runs: noise, sums with it, and released answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import sympy

from dpaudit.formal.domain import Array, Foreign, Number, Rows, Value
from dpaudit.formal.program import Place

LOCATED = frozenset({"laplace", "normal", "two-sided", "exponential", "gumbel", "uniform"})

WHOLE = frozenset({"geometric", "two-sided", "truncated", "discrete-normal"})


@dataclass(frozen=True, slots=True, eq=False)
class Noise(Foreign):
    """Independent draws of one law, not yet used.

    Attributes
    ----------
    draw : int
        Which call drew them, counted along the path; two for a difference of two.
    family : str
        One of `LOCATED`, ``geometric`` (from 1 on), ``random`` (uniform on [0, 1)), ``truncated``
        (Laplace noise cut to an integer, towards zero), ``discrete-normal`` (weights e^(-x²/2v) on
        whole numbers x).
    scale : Expr
        Positive: scale, deviation, or alpha of two-sided geometric noise; p of geometric noise;
        v of discrete Gaussian noise.
    shape : tuple of Expr or None
        None: a scalar.
    place : Place
    sign : int
        −1 where the noise is mirrored.
    rows : Rows or None
        Where there is one draw for each record.
    vector : tuple of int
        The draw of the vector that it is an entry of; empty where it is none.
    """

    draw: tuple[int, ...]
    family: str
    scale: Any
    shape: tuple[Any, ...] | None
    place: Place
    sign: int = 1
    rows: Rows | None = None
    vector: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Noisy(Foreign):
    """``sign * (value + noise)``, which nobody has seen yet; what it costs depends on the use."""

    value: Number | Array
    noise: Noise
    place: Place
    sign: int = 1


@dataclass(frozen=True, slots=True, eq=False)
class Ranking(Foreign):
    """The order of noisy values, of which the first entries may be released."""

    noisy: Noisy


@dataclass(frozen=True, slots=True, eq=False)
class Share(Foreign):
    """A uniform draw times the last of private cumulated weights."""

    draw: int
    term: Any
    place: Place


@dataclass(frozen=True, slots=True, eq=False)
class Coins(Foreign):
    """For each record, whether an independent coin took it into the sample."""

    draw: int
    rate: Any
    rows: Rows
    place: Place


@dataclass(frozen=True, slots=True, eq=False)
class Released(Foreign):
    """What both runs have put out, or computed from that: the same in both.

    Attributes
    ----------
    value : Value or None
        What is known about it; None where only that it is public.
    """

    value: Value | None = None


@dataclass(frozen=True, slots=True)
class Distance:
    """How far apart the argument of a noise call may be."""

    l1: Any
    l2: Any
    linf: Any
    size: Any
    integer: bool
    monotone: bool


def distance(value: Number | Array) -> Distance:
    """Return the distances of a value that has one shape in both runs."""
    if isinstance(value, Number):
        d = value.distance
        one = sympy.Integer(1)
        monotone = value.rise == 0 or value.fall == 0
        return Distance(d, d, d, one, value.integer, monotone)
    norms = value.norms
    monotone = not (value.rises and value.falls)
    return Distance(norms.l1, norms.l2, norms.linf, value.size, value.integer, monotone)


def bounded(value: Number | Array) -> bool:
    """Whether the value is a finite number in both runs, at a finite distance."""
    largest = value.distance if isinstance(value, Number) else value.norms.linf
    return not (value.nan or value.infinite or largest is sympy.oo or largest.has(sympy.oo))


def broadcast(one: Distance, size: Any) -> Distance:
    """Return the distances of a scalar that is repeated."""
    return Distance(
        one.l1 * size, one.l2 * sympy.sqrt(size), one.linf, size, one.integer, one.monotone
    )
