"""Calls that draw noise, made symbolic: which variables they return, and what was asked."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations
from math import comb, factorial, prod
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
    asked : tuple of Place
        The lines that ask for it: what draws it, the call of that function, and so on.
    """

    family: str
    arguments: dict[str, Any]
    result: Any
    place: Place
    asked: tuple[Place, ...] = ()

    def scale(self) -> Any:
        """Return what sets the size of the noise."""
        return self.arguments.get("p" if self.family == "geometric" else "scale", 1.0)


def draw(family: str, arguments: dict[str, Any], place: Place, oracle: Oracle) -> Drawn:
    """Return what a call of the generator returns, as symbols or as a choice of the oracle."""
    given = dict(arguments)
    size = given.pop("size", None)
    if family in ("integers", "choice", "permutation", "binomial"):
        result = _several(family, given, size, oracle)
    else:
        location = given.pop("loc", 0)
        if exact_number(given.get("scale", 1)) == 0 and family != "geometric":
            result = location if size is None else location + np.zeros(size)
            return Drawn(family, arguments, result, place)
        result = _noise(family, given, location, size, place)
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


def _noise(family: str, given: dict[str, Any], location: Any, size: Any, place: Place) -> Any:
    def one(parameters: dict[str, Any]) -> Affine:
        charge(20)
        law = _law(family, parameters)
        return Affine(Fraction(0), {Variable(law, place): Fraction(1)}, integral=law.integral)

    arrays = {name: np.asarray(value) for name, value in given.items() if np.ndim(value)}
    if size is None and (arrays or np.ndim(location)):
        size = np.broadcast_shapes(np.shape(location), *(a.shape for a in arrays.values()))
    if size is None:
        return one(dict(given)) + location
    shape = _shape(size)
    arrays = {name: np.broadcast_to(array, shape) for name, array in arrays.items()}
    array = np.empty(shape, dtype=object)
    for index in np.ndindex(shape):
        array[index] = one(given | {name: values[index] for name, values in arrays.items()})
    if np.ndim(location):
        location = np.asarray(location, dtype=object)
    return array if _is_zero(location) else array + location


def _shape(size: Any) -> tuple[int, ...]:
    shape = tuple(int(n) for n in size) if isinstance(size, tuple | list) else (int(size),)
    if prod(shape) > MOST_NOISE:
        raise NotAffine(f"more than {MOST_NOISE} draws in one call")
    return shape


def _is_zero(location: Any) -> bool:
    return isinstance(location, int | float) and location == 0


def _several(family: str, given: dict[str, Any], size: Any, oracle: Oracle) -> Any:
    """Return what is chosen, by itself or in an array of independent choices."""
    if size is None:
        return _chosen(family, given, oracle)
    if family == "permutation":
        raise NotAffine("several permutations at once")
    shape = _shape(size)
    if family == "choice" and not given.pop("replace", True):
        return _without_replacement(given, shape, oracle)
    found = [_chosen(family, dict(given), oracle) for _ in range(prod(shape))]
    if any(np.ndim(each) for each in found):
        raise NotAffine("several choices of rows")
    return np.asarray(found).reshape(shape)


def _without_replacement(given: dict[str, Any], shape: tuple[int, ...], oracle: Oracle) -> Any:
    """Return some of several options in a random order, each at most once."""
    values, count = given.pop("a"), prod(shape)
    options = list(range(values)) if isinstance(values, int | np.integer) else list(values)
    if given or not 0 < count <= len(options) <= MOST_OPTIONS:
        raise NotAffine("a choice without replacement among many options, or with weights")
    places = list(range(len(options)))
    chosen = [
        places.pop(oracle.choose([share(1, len(places))] * len(places))) for _ in range(count)
    ]
    found = np.asarray([options[place] for place in chosen])
    return found if found.ndim > 1 and len(shape) == 1 else found.reshape(shape)


def _chosen(family: str, given: dict[str, Any], oracle: Oracle) -> Any:
    if family == "integers":
        return _integer(given, oracle)
    if family == "binomial":
        return _binomial(given, oracle)
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


def _binomial(given: dict[str, Any], oracle: Oracle) -> int:
    """Return how many of n independent coins show heads."""
    n, p = exact_number(given.pop("n")), exact_number(given.pop("p"))
    if given or n is None or p is None or n.denominator != 1 or not 0 <= n <= MOST_OPTIONS:
        raise NotAffine("a binomial draw of many coins, or with other arguments")
    if not 0 <= p <= 1 or (0 < p < 1 and not (tosses(p) and tosses(1 - p))):
        raise NotAffine("a coin of a probability that is lost beside 1 in floats")
    weights = [comb(int(n), k) * p**k * (1 - p) ** (int(n) - k) for k in range(int(n) + 1)]
    return oracle.choose([share(w.numerator, w.denominator) for w in weights])


def _permutation(x: Any, oracle: Oracle) -> Any:
    items = np.arange(x) if isinstance(x, int | np.integer) else np.asarray(x)
    if len(items) > 4:
        raise NotAffine(f"a permutation of {len(items)} items")
    orders = list(permutations(range(len(items))))
    chosen = orders[oracle.choose([share(1, factorial(len(items)))] * len(orders))]
    return items[list(chosen)]
