"""Which calls draw noise, and what NumPy calls their arguments."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from dpaudit.formal.program import (
    Call,
    Constant,
    Draw,
    Expression,
    Name,
    Named,
    Place,
    Starred,
)
from dpaudit.formal.program import Sequence as Display

# Positional parameters of the methods of numpy.random.Generator, in their order.
GENERATOR: dict[str, tuple[str, ...]] = {
    "beta": ("a", "b", "size"),
    "binomial": ("n", "p", "size"),
    "bytes": ("length",),
    "chisquare": ("df", "size"),
    "choice": ("a", "size", "replace", "p", "axis", "shuffle"),
    "dirichlet": ("alpha", "size"),
    "exponential": ("scale", "size"),
    "f": ("dfnum", "dfden", "size"),
    "gamma": ("shape", "scale", "size"),
    "geometric": ("p", "size"),
    "gumbel": ("loc", "scale", "size"),
    "hypergeometric": ("ngood", "nbad", "nsample", "size"),
    "integers": ("low", "high", "size", "dtype", "endpoint"),
    "laplace": ("loc", "scale", "size"),
    "logistic": ("loc", "scale", "size"),
    "lognormal": ("mean", "sigma", "size"),
    "logseries": ("p", "size"),
    "multinomial": ("n", "pvals", "size"),
    "multivariate_hypergeometric": ("colors", "nsample", "size", "method"),
    "multivariate_normal": ("mean", "cov", "size", "check_valid", "tol"),
    "negative_binomial": ("n", "p", "size"),
    "noncentral_chisquare": ("df", "nonc", "size"),
    "noncentral_f": ("dfnum", "dfden", "nonc", "size"),
    "normal": ("loc", "scale", "size"),
    "pareto": ("a", "size"),
    "permutation": ("x", "axis"),
    "permuted": ("x",),
    "poisson": ("lam", "size"),
    "power": ("a", "size"),
    "random": ("size", "dtype", "out"),
    "rayleigh": ("scale", "size"),
    "shuffle": ("x", "axis"),
    "standard_cauchy": ("size",),
    "standard_exponential": ("size", "dtype", "method", "out"),
    "standard_gamma": ("shape", "size", "dtype", "out"),
    "standard_normal": ("size", "dtype", "out"),
    "standard_t": ("df", "size"),
    "triangular": ("left", "mode", "right", "size"),
    "uniform": ("low", "high", "size"),
    "vonmises": ("mu", "kappa", "size"),
    "wald": ("mean", "scale", "size"),
    "weibull": ("a", "size"),
    "zipf": ("a", "size"),
}
_BY_KEYWORD = {"multivariate_normal": {"method"}, "permuted": {"axis", "out"}}
_NOT_LEGACY = {"integers", "multivariate_hypergeometric", "permuted", "random"}
# Names of numpy.random and RandomState: family, and the names of the positional parameters.
LEGACY: dict[str, tuple[str, tuple[str, ...]]] = {
    **{name: (name, args) for name, args in GENERATOR.items() if name not in _NOT_LEGACY},
    "choice": ("choice", ("a", "size", "replace", "p")),
    "permutation": ("permutation", ("x",)),
    "rand": ("random", ()),
    "randint": ("integers", ("low", "high", "size", "dtype")),
    "randn": ("standard_normal", ()),
    "random": ("random", ("size",)),
    "random_integers": ("integers", ("low", "high", "size")),
    "random_sample": ("random", ("size",)),
    "ranf": ("random", ("size",)),
    "sample": ("random", ("size",)),
    "shuffle": ("shuffle", ("x",)),
    "standard_exponential": ("standard_exponential", ("size",)),
    "standard_gamma": ("standard_gamma", ("shape", "size")),
    "standard_normal": ("standard_normal", ("size",)),
}
# Python's own: family, its parameters, and how to translate them.
PYTHON: dict[str, tuple[str, tuple[str, ...]]] = {
    "betavariate": ("beta", ("alpha", "beta")),
    "binomialvariate": ("binomial", ("n", "p")),
    "choice": ("choice", ("seq",)),
    "choices": ("choice", ("population", "weights", "cum_weights", "k")),
    "expovariate": ("exponential", ("lambd",)),
    "gammavariate": ("gamma", ("alpha", "beta")),
    "gauss": ("normal", ("mu", "sigma")),
    "getrandbits": ("integers", ("k",)),
    "lognormvariate": ("lognormal", ("mu", "sigma")),
    "normalvariate": ("normal", ("mu", "sigma")),
    "randbelow": ("integers", ("exclusive_upper_bound",)),
    "randbits": ("integers", ("k",)),
    "randbytes": ("bytes", ("n",)),
    "randint": ("integers", ("a", "b")),
    "random": ("random", ()),
    "randrange": ("integers", ("start", "stop")),
    "sample": ("choice", ("population", "k")),
    "shuffle": ("shuffle", ("x",)),
    "token_bytes": ("bytes", ("nbytes",)),
    "uniform": ("uniform", ("a", "b")),
    "vonmisesvariate": ("vonmises", ("mu", "kappa")),
    "weibullvariate": ("", ()),
}
_RENAMED = {
    "beta": {"alpha": "a", "beta": "b"},
    "binomial": {"n": "n", "p": "p"},
    "bytes": {"n": "length", "nbytes": "length"},
    "gamma": {"alpha": "shape", "beta": "scale"},
    "lognormal": {"mu": "mean", "sigma": "sigma"},
    "normal": {"mu": "loc", "sigma": "scale"},
    "random": {},
    "shuffle": {"x": "x"},
    "uniform": {"a": "low", "b": "high"},
    "vonmises": {"mu": "mu", "kappa": "kappa"},
}


@dataclass(frozen=True, slots=True)
class Mismatch(Exception):  # noqa: N818 - turned into Unsupported by the caller, who has the place
    """Arguments that do not fit, or that have no translation."""

    what: str


Arguments = tuple[tuple[str, Expression], ...]


def numpy_draw(
    name: str, positional: Sequence[Expression], named: Mapping[str, Expression]
) -> tuple[str, Arguments] | None:
    """Return family and arguments of a method of `numpy.random.Generator`, None if it is none."""
    parameters = GENERATOR.get(name)
    if parameters is None:
        return None
    return name, _bound(name, parameters, positional, named, _BY_KEYWORD.get(name, set()))


def legacy_draw(
    name: str, positional: Sequence[Expression], named: Mapping[str, Expression], place: Place
) -> tuple[str, Arguments] | None:
    """Return family and arguments of a function of `numpy.random`, None if it is none."""
    if name not in LEGACY:
        return None
    family, parameters = LEGACY[name]
    if name in ("rand", "randn"):
        if named:
            raise Mismatch(f"{name} takes no keywords")
        if len(positional) == 1 and isinstance(positional[0], Starred):
            return family, (("size", positional[0].value),)  # ``randn(*x.shape)``
        shape = Display(place, "tuple", tuple(positional))
        return family, (("size", shape),) if positional else ()
    bound = _bound(name, parameters, positional, named, set())
    if name == "random_integers":
        raise Mismatch("numpy.random.random_integers")
    return family, bound


def python_draw(
    name: str, positional: Sequence[Expression], named: Mapping[str, Expression], place: Place
) -> tuple[str, Arguments] | None:
    """Return family and arguments of a function of `random` or `secrets`, None if it is none."""
    if name not in PYTHON:
        return None
    family, parameters = PYTHON[name]
    if not family:
        raise Mismatch(f"random.{name}")
    given = dict(_bound(name, parameters, positional, named, set()))
    translate = _TRANSLATED.get(family)
    if translate is not None:
        return family, translate(name, given, place)
    renamed = _RENAMED[family]
    return family, tuple((renamed[key], value) for key, value in given.items())


def _bound(
    name: str,
    parameters: Sequence[str],
    positional: Sequence[Expression],
    named: Mapping[str, Expression],
    by_keyword: set[str],
) -> Arguments:
    if any(isinstance(argument, Starred) for argument in positional):
        raise Mismatch("* in a call that draws noise")
    if len(positional) > len(parameters):
        raise Mismatch(f"{name} takes {len(parameters)} arguments, {len(positional)} were given")
    bound = dict(zip(parameters, positional, strict=False))
    for key, value in named.items():
        if key in bound or key not in {*parameters, *by_keyword}:
            raise Mismatch(f"{name} does not take the argument {key!r} here")
        bound[key] = value
    return tuple(bound.items())


def _exponential(_name: str, given: dict[str, Expression], place: Place) -> Arguments:
    if "lambd" not in given:
        return ()
    return (("scale", Call(place, "operator.truediv", (Constant(place, 1), given["lambd"]))),)


def _integers(name: str, given: dict[str, Expression], place: Place) -> Arguments:
    if name == "randint":
        if set(given) != {"a", "b"}:
            raise Mismatch("randint takes two arguments")
        return (("low", given["a"]), ("high", given["b"]), ("endpoint", Constant(place, True)))
    if name == "randrange":
        ends = [given[end] for end in ("start", "stop") if end in given]
        return tuple(zip(("low", "high"), ends, strict=False))
    (value,) = given.values()
    if name == "randbelow":
        return (("low", value),)
    return (("low", Call(place, "operator.lshift", (Constant(place, 1), value))),)


def _choices(given: dict[str, Expression], place: Place) -> Arguments:
    """Return the arguments of a draw with replacement, by weights that need not add up to 1."""
    size, among = given.get("k", Constant(place, 1)), _letters(given["population"])
    if "cum_weights" in given:
        raise Mismatch("random.choices with cumulated weights")
    if "weights" not in given:
        return (("a", among), ("size", size))
    first = again = given["weights"]
    if not isinstance(first, Name | Constant):
        again = Name(place, f"weights·of·line·{place.line}")
        first = Named(place, again, first)
    weights = Call(place, "numpy.array", (first,))
    total = Call(place, "builtins.sum", (again,))
    shares = Call(place, "operator.truediv", (weights, total))
    return (("a", among), ("size", size), ("p", shares))


def _letters(among: Expression) -> Expression:
    """Return the characters of a text, which `random` draws from; NumPy raises there."""
    if not isinstance(among, Constant) or type(among.value) is not str:
        return among
    letters = tuple(Constant(among.place, letter) for letter in among.value)
    return Display(among.place, "tuple", letters)


def _choice(name: str, given: dict[str, Expression], place: Place) -> Arguments:
    if name == "choice":
        return (("a", _letters(given["seq"])),)
    if name == "choices":
        return _choices(given, place)
    if set(given) != {"population", "k"}:
        raise Mismatch("random.sample with these arguments")
    never = Constant(place, False)
    return (("a", given["population"]), ("size", given["k"]), ("replace", never))


_TRANSLATED: dict[str, Callable[[str, dict[str, Expression], Place], Arguments]] = {
    "exponential": _exponential,
    "integers": _integers,
    "choice": _choice,
}


# Distributions of scipy.stats by name: their shape parameters, and the family with its arguments.
SCIPY: dict[str, tuple[tuple[str, ...], str, dict[str, str]]] = {
    "bernoulli": (("p",), "binomial", {"p": "p"}),
    "binom": (("n", "p"), "binomial", {"n": "n", "p": "p"}),
    "expon": ((), "exponential", {"scale": "scale"}),
    "geom": (("p",), "geometric", {"p": "p"}),
    "gumbel_r": ((), "gumbel", {"scale": "scale"}),
    "laplace": ((), "laplace", {"scale": "scale"}),
    "logistic": ((), "logistic", {"scale": "scale"}),
    "norm": ((), "normal", {"scale": "scale"}),
    "randint": (("low", "high"), "integers", {"low": "low", "high": "high"}),
    "uniform": ((), "random", {}),
}
_DISCRETE = frozenset({"bernoulli", "binom", "geom", "randint"})
_LOCATED = frozenset({"gumbel", "laplace", "logistic", "normal"})  # NumPy draws around a value too


def scipy_expression(
    name: str,
    positional: Sequence[Expression],
    named: Mapping[str, Expression],
    generator: Expression,
    place: Place,
) -> Expression:
    """Return what ``scipy.stats.NAME.rvs`` draws from a generator.

    Raises
    ------
    Mismatch
        As `scipy_draw`.
    """
    if name == "dlaplace":
        return _discrete_laplace(positional, named, generator, place)
    family, arguments, times, plus = scipy_draw(name, positional, named, place)
    drawn: Expression = Draw(place, family, arguments, generator)
    if times is not None:
        drawn = Call(place, "operator.mul", (times, drawn))
    return drawn if plus is None else Call(place, "operator.add", (plus, drawn))


def _discrete_laplace(
    positional: Sequence[Expression],
    named: Mapping[str, Expression],
    generator: Expression,
    place: Place,
) -> Expression:
    """Return the difference of two geometric variables, whose chance goes with exp(-a abs(k))."""
    given = dict(_bound("scipy.stats.dlaplace.rvs", ("a", "loc", "size"), positional, named, set()))
    loc = given.get("loc", Constant(place, 0))
    if "a" not in given or not isinstance(loc, Constant) or not isinstance(loc.value, int):
        raise Mismatch("scipy.stats.dlaplace.rvs with these arguments")
    missed = Call(place, "math.exp", (Call(place, "operator.neg", (given["a"],)),))
    p = Call(place, "operator.sub", (Constant(place, 1), missed))
    size = (("size", given["size"]),) if "size" in given else ()
    sides = (Draw(place, "geometric", (("p", p), *size), generator) for _ in range(2))
    drawn = Call(place, "operator.sub", tuple(sides))
    return drawn if loc.value == 0 else Call(place, "operator.add", (loc, drawn))


def scipy_draw(
    name: str, positional: Sequence[Expression], named: Mapping[str, Expression], place: Place
) -> tuple[str, Arguments, Expression | None, Expression | None]:
    """Return family and arguments of ``scipy.stats.NAME.rvs``, what it is times, and what is added.

    Raises
    ------
    Mismatch
        Where the arguments do not fit, or the draws are around a value that is computed, and NumPy
        has none around a value: there would be one for each of its entries.
    """
    if name not in SCIPY:
        raise Mismatch(f"scipy.stats.{name}.rvs")
    shapes, family, translated = SCIPY[name]
    rest = ("loc", "size") if name in _DISCRETE else ("loc", "scale", "size")
    given = dict(_bound(f"scipy.stats.{name}.rvs", (*shapes, *rest), positional, named, set()))
    if any(shape not in given for shape in shapes):
        raise Mismatch(f"scipy.stats.{name}.rvs without {', '.join(shapes)}")
    loc = given.get("loc")
    found = [(translated[key], given[key]) for key in translated if key in given]
    if family in _LOCATED and loc is not None:
        found.insert(0, ("loc", loc))
        loc = None
    if not (loc is None or (isinstance(loc, Constant) and isinstance(loc.value, int | float))):
        raise Mismatch(f"scipy.stats.{name}.rvs around a value that is computed")
    if name == "bernoulli":
        found.insert(0, ("n", Constant(place, 1)))
    if "size" in given:
        found.append(("size", given["size"]))
    times = given.get("scale") if name == "uniform" else None
    return family, tuple(found), times, None if loc is None or loc.value == 0 else loc
