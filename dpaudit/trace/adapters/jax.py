"""Noise of JAX: its functions that draw by a key, where no compiled function calls them.

The key alone says what is drawn. So noise repeats where keys do, and keys come from generators that
are seen. While JAX compiles a function, that function calls with stand-ins for numbers. Such calls
pass, and the noise of the compiled function is not seen.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from dpaudit.trace.adapters.primitive import Noise, Primitive
from dpaudit.trace.arrays import is_traced
from dpaudit.trace.draws import Hands
from dpaudit.trace.signatures import Signature, bound

_STANDARD = {"loc": 0.0, "scale": 1.0}
_SHAPED: Signature = (("key", ...), ("size", ()))
_AMONG: Signature = (
    ("key", ...), ("a", ...), ("size", ()), ("replace", True), ("p", None), ("axis", 0),
)  # fmt: skip
# Functions by the law that NumPy has a name for, with parameters that they do not ask for.
LAWS: Mapping[str, tuple[str, Signature, Mapping[str, Any]]] = {
    "cauchy": ("standard_cauchy", _SHAPED, {}),
    "choice": ("choice", _AMONG, {}),
    "exponential": ("standard_exponential", _SHAPED, {}),
    "gumbel": ("gumbel", _SHAPED, _STANDARD),
    "laplace": ("laplace", _SHAPED, _STANDARD),
    "logistic": ("logistic", _SHAPED, _STANDARD),
    "normal": ("standard_normal", _SHAPED, {}),
    "permutation": ("permutation", (("key", ...), ("x", ...)), {}),
    "uniform": ("uniform", (*_SHAPED, ("dtype", None), ("low", 0.0), ("high", 1.0)), {}),
}
OTHERS = (
    "ball", "bernoulli", "beta", "binomial", "bits", "categorical", "chisquare", "dirichlet",
    "double_sided_maxwell", "f", "gamma", "generalized_normal", "geometric", "loggamma",
    "lognormal", "maxwell", "multinomial", "multivariate_normal", "orthogonal", "pareto",
    "poisson", "rademacher", "randint", "rayleigh", "t", "triangular", "truncated_normal",
    "wald", "weibull_min",
)  # fmt: skip
_RENAMED = {"shape": "size", "minval": "low", "maxval": "high"}
_OPERATORS = ("add", "radd", "sub", "rsub", "mul", "rmul", "truediv")


def primitives() -> Iterator[Primitive]:
    """Yield the functions that draw, and those that make a key of a seed."""
    random = sys.modules["jax"].random
    for name, (law, signature, known) in LAWS.items():
        yield Primitive(random, name, _drawing(law, signature, known), _again)
    for name in OTHERS:
        yield Primitive(random, name, _drawing(f"jax.{name}", (("key", ...),), {}), _again)
    for name in ("key", "PRNGKey"):
        yield Primitive(random, name, _drawing("seed", (("seed", ...),), {}), _again)


def operators() -> Iterator[tuple[Any, str, Callable[..., Any]]]:
    """Yield the operators of JAX's arrays that would take the noise of a traced array away."""
    kind = type(sys.modules["jax"].numpy.zeros(()))
    for name in _OPERATORS:
        method = f"__{name}__"
        yield kind, method, _kept(method, getattr(kind, method))


def _kept(method: str, original: Callable[..., Any]) -> Callable[..., Any]:
    def operator(ours: Any, other: Any) -> Any:
        if is_traced(other) and not _compiling(ours):
            return getattr(np.asarray(ours), method)(other)
        return original(ours, other)

    return operator


def _drawing(
    kind: str, signature: Signature, known: Mapping[str, Any]
) -> Callable[..., Noise | None]:
    def described(*args: Any, **kwargs: Any) -> Noise | None:
        if _compiling(*args, *kwargs.values()):
            return None
        named = {_RENAMED.get(name, name): value for name, value in kwargs.items()}
        given = bound(signature, args, named)
        for name in ("key", "dtype", "*"):
            given.pop(name, None)
        return Noise(kind, {**known, **given})

    return described


def _compiling(*values: Any) -> bool:
    """Whether JAX is compiling the function that a call is in, by what the call is given."""
    return any(isinstance(each, sys.modules["jax"].core.Tracer) for each in values)


def _again(_: Hands, original: Callable[..., Any]) -> Callable[..., Any]:
    return original
