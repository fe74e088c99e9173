"""The noise calls of NumPy and of Python, with the names of their arguments."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Signature = tuple[tuple[str, Any], ...]
REQUIRED: Any = ...


def _signature(text: str, **defaults: Any) -> Signature:
    return tuple((name, defaults.get(name, REQUIRED)) for name in text.split())


_LOC_SCALE = _signature("loc scale size", loc=0.0, scale=1.0, size=None)
_COMMON: Mapping[str, Signature] = {
    "beta": _signature("a b size", size=None),
    "binomial": _signature("n p size", size=None),
    "chisquare": _signature("df size", size=None),
    "dirichlet": _signature("alpha size", size=None),
    "exponential": _signature("scale size", scale=1.0, size=None),
    "f": _signature("dfnum dfden size", size=None),
    "gamma": _signature("shape scale size", scale=1.0, size=None),
    "geometric": _signature("p size", size=None),
    "gumbel": _LOC_SCALE,
    "hypergeometric": _signature("ngood nbad nsample size", size=None),
    "laplace": _LOC_SCALE,
    "logistic": _LOC_SCALE,
    "lognormal": _signature("mean sigma size", mean=0.0, sigma=1.0, size=None),
    "logseries": _signature("p size", size=None),
    "multinomial": _signature("n pvals size", size=None),
    "multivariate_normal": _signature("mean cov size", size=None),
    "negative_binomial": _signature("n p size", size=None),
    "noncentral_chisquare": _signature("df nonc size", size=None),
    "noncentral_f": _signature("dfnum dfden nonc size", size=None),
    "normal": _LOC_SCALE,
    "pareto": _signature("a size", size=None),
    "permutation": _signature("x axis", axis=0),
    "poisson": _signature("lam size", lam=1.0, size=None),
    "power": _signature("a size", size=None),
    "rayleigh": _signature("scale size", scale=1.0, size=None),
    "shuffle": _signature("x axis", axis=0),
    "standard_cauchy": _signature("size", size=None),
    "standard_exponential": _signature("size", size=None),
    "standard_gamma": _signature("shape size", size=None),
    "standard_normal": _signature("size", size=None),
    "standard_t": _signature("df size", size=None),
    "triangular": _signature("left mode right size", size=None),
    "uniform": _signature("low high size", low=0.0, high=1.0, size=None),
    "vonmises": _signature("mu kappa size", size=None),
    "wald": _signature("mean scale size", size=None),
    "weibull": _signature("a size", size=None),
    "zipf": _signature("a size", size=None),
    "bytes": _signature("length"),
    "choice": _signature("a size replace p", size=None, replace=True, p=None),
}
GENERATOR: Mapping[str, Signature] = {
    **_COMMON,
    "random": _signature("size", size=None),
    "integers": _signature("low high size", high=None, size=None),
    "permuted": _signature("x axis", axis=None),
    "multivariate_hypergeometric": _signature("colors nsample size", size=None),
}
RANDOM_STATE: Mapping[str, Signature] = {
    **_COMMON,
    "random_sample": _signature("size", size=None),
    "random": _signature("size", size=None),
    "rand": (),
    "randn": (),
    "randint": _signature("low high size", high=None, size=None),
    "random_integers": _signature("low high size", high=None, size=None),
    "tomaxint": _signature("size", size=None),
}
PYTHON: Mapping[str, Signature] = {
    "random": (),
    "getrandbits": _signature("k"),
    "_randbelow": _signature("n"),
    "randbytes": _signature("n"),
    "randrange": _signature("start stop step", stop=None, step=1),
    "randint": _signature("a b"),
    "choice": _signature("seq"),
    "choices": _signature("population weights cum_weights k", weights=None, cum_weights=None, k=1),
    "sample": _signature("population k counts", counts=None),
    "shuffle": _signature("x"),
    "uniform": _signature("a b"),
    "triangular": _signature("low high mode", low=0.0, high=1.0, mode=None),
    "betavariate": _signature("alpha beta"),
    "expovariate": _signature("lambd", lambd=1.0),
    "gammavariate": _signature("alpha beta"),
    "gauss": _signature("mu sigma", mu=0.0, sigma=1.0),
    "lognormvariate": _signature("mu sigma"),
    "normalvariate": _signature("mu sigma", mu=0.0, sigma=1.0),
    "paretovariate": _signature("alpha"),
    "vonmisesvariate": _signature("mu kappa"),
    "weibullvariate": _signature("alpha beta"),
    "binomialvariate": _signature("n p", n=1, p=0.5),
}


_Parted = tuple[Signature, tuple[str, ...], dict[str, Any]]
_parted: dict[int, _Parted] = {}  # names and defaults of signatures, by their id


def bound(signature: Signature, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """Return arguments by name, defaults filled in; the call itself decides what is an error."""
    known = _parted.get(id(signature))
    if known is None or known[0] is not signature:
        names = tuple(name for name, _ in signature)
        defaults = {name: value for name, value in signature if value is not REQUIRED}
        known = _parted[id(signature)] = signature, names, defaults
    _, names, defaults = known
    by_name = defaults.copy()
    if args:
        by_name.update(zip(names, args, strict=False))
    if len(args) > len(names):
        by_name["*"] = args[len(names) :]
    by_name.update(kwargs)
    return by_name
