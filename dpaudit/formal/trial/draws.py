"""Calls that draw noise, made symbolic: which variables they return, and what was asked."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations
from math import factorial, prod
from typing import Any

import numpy as np

from dpaudit.checker.rounding import tosses
from dpaudit.formal.clock import charge
from dpaudit.formal.program import Place
from dpaudit.formal.trial.affine import Affine, NotAffine, Variable, exact_number
from dpaudit.formal.trial.laws import (
    Exponential,
    Geometric,
    Gumbel,
    Laplace,
    Law,
    Normal,
    Uniform,
)
from dpaudit.formal.trial.path_choices import Oracle, share

MOST_OPTIONS = 64
MOST_NOISE = 400


@dataclass(frozen=True, slots=True, eq=False)
class Drawn:
    """One call of the generator that was passed in.

    Attributes
    ----------
    family : str
    arguments : dict of str to Any
        As the call had them.
    result : Any
        Variables, or what was chosen.
    place : Place
    """

    family: str
    arguments: dict[str, Any]
    result: Any
    place: Place

    def scale(self) -> Any:
        """Return what sets the size of the noise."""
        return self.arguments.get("p" if self.family == "geometric" else "scale", 1.0)


def draw(family: str, arguments: dict[str, Any], place: Place, oracle: Oracle) -> Drawn:
    """Return what a call of the generator returns, as symbols or as a choice of the oracle."""
    given = dict(arguments)
    size = given.pop("size", None)
    if family in ("integers", "choice", "permutation"):
        result = _chosen(family, given, size, oracle)
    else:
        location = given.pop("loc", 0)
        if exact_number(given.get("scale", 1)) == 0 and family != "geometric":
            result = location if size is None else location + np.zeros(size)
            return Drawn(family, arguments, result, place)
        result = _noise(_law(family, given), location, size, place)
    return Drawn(family, arguments, result, place)


def _positive(value: Any, what: str) -> Fraction:
    number = exact_number(value)
    if number is None or number <= 0:
        raise NotAffine(f"a {what} that is not a positive number: {value!r:.60}")
    return number


def _law(family: str, given: dict[str, Any]) -> Law:
    """Return the law of one draw."""
    scaled: dict[str, Any] = {
        "laplace": Laplace,
        "normal": Normal,
        "standard_normal": Normal,
        "exponential": Exponential,
        "standard_exponential": Exponential,
        "gumbel": Gumbel,
    }
    if family in scaled:
        law: Law = scaled[family](_positive(given.pop("scale", 1), "scale"))
    elif family == "geometric":
        p = _positive(given.pop("p"), "probability")
        if p >= 1:
            raise NotAffine("a geometric draw that is always 1")
        law = Geometric(p)
    elif family in ("random", "uniform"):
        low, high = exact_number(given.pop("low", 0)), exact_number(given.pop("high", 1))
        if low is None or high is None or low >= high:
            raise NotAffine("a uniform draw without a proper interval")
        law = Uniform(low, high)
    else:
        raise NotAffine(f"draws of the family {family!r}")
    if given:
        raise NotAffine(f"the arguments {', '.join(given)} of {family!r}")
    return law


def _noise(law: Law, location: Any, size: Any, place: Place) -> Any:
    def one() -> Affine:
        charge(20)
        return Affine(Fraction(0), {Variable(law, place): Fraction(1)}, integral=law.integral)

    if size is None and np.ndim(location):
        size, location = np.shape(location), np.asarray(location, dtype=object)
    if size is None:
        return one() + location
    shape = tuple(int(n) for n in size) if isinstance(size, tuple | list) else (int(size),)
    if prod(shape) > MOST_NOISE:
        raise NotAffine(f"more than {MOST_NOISE} draws in one call")
    array = np.empty(shape, dtype=object)
    for index in np.ndindex(shape):
        array[index] = one()
    return array if _is_zero(location) else array + location


def _is_zero(location: Any) -> bool:
    return isinstance(location, int | float) and location == 0


def _chosen(family: str, given: dict[str, Any], size: Any, oracle: Oracle) -> Any:
    if size is not None:
        raise NotAffine(f"several draws of {family!r} at once")
    if family == "integers":
        return _integer(given, oracle)
    if family == "permutation":
        return _permutation(given["x"], oracle)
    values = given.pop("a")
    options = np.arange(values) if isinstance(values, int | np.integer) else np.asarray(values)
    p = given.pop("p", None)
    if given or len(options) > MOST_OPTIONS:
        raise NotAffine("a choice among many options, or with other arguments")
    if p is None:
        return options[oracle.choose([share(1, len(options))] * len(options))]
    weights = [weight for weight in map(exact_number, p) if weight is not None]
    if len(weights) != len(options):
        raise NotAffine("a choice with probabilities that are no numbers")
    total = sum(weights, Fraction(0))
    exact = [weight / total for weight in weights]
    if any(0 < w < 1 and not (tosses(w) and tosses(1 - w)) for w in exact):
        raise NotAffine("a choice of a probability that is lost beside 1 in floats")
    return options[oracle.choose([share(w.numerator, w.denominator) for w in exact])]


def _integer(given: dict[str, Any], oracle: Oracle) -> int:
    low, high = given.pop("low"), given.pop("high", None)
    endpoint = given.pop("endpoint", False)
    if high is None:
        low, high = 0, low
    if given:
        raise NotAffine("draws of integers with other arguments")
    options = int(high) + int(bool(endpoint)) - int(low)
    if not 0 < options <= 4 * MOST_OPTIONS:
        raise NotAffine(f"a draw among {options} integers")
    return int(low) + oracle.choose([share(1, options)] * options)


def _permutation(x: Any, oracle: Oracle) -> Any:
    items = np.arange(x) if isinstance(x, int | np.integer) else np.asarray(x)
    if len(items) > 4:
        raise NotAffine(f"a permutation of {len(items)} items")
    orders = list(permutations(range(len(items))))
    chosen = orders[oracle.choose([share(1, factorial(len(items)))] * len(orders))]
    return items[list(chosen)]
