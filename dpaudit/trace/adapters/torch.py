"""Noise of torch: its functions and in-place methods, whatever generator they draw from."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from dpaudit.trace.adapters.primitive import Noise, Primitive
from dpaudit.trace.draws import Hands
from dpaudit.trace.signatures import bound

_MEAN_STD = (("mean", 0.0), ("std", 1.0))
FUNCTIONS: Mapping[str, tuple[tuple[str, Any], ...]] = {
    "bernoulli": (("input", ...),),
    "multinomial": (("input", ...), ("num_samples", ...)),
    "normal": (*_MEAN_STD, ("size", None)),
    "poisson": (("input", ...),),
    "rand": (),
    "rand_like": (("input", ...),),
    "randint": (),
    "randint_like": (("input", ...),),
    "randn": (),
    "randn_like": (("input", ...),),
    "randperm": (("n", ...),),
}
METHODS: Mapping[str, tuple[tuple[str, Any], ...]] = {
    "bernoulli_": (("p", 0.5),),
    "cauchy_": (("median", 0.0), ("sigma", 1.0)),
    "exponential_": (("lambd", 1.0),),
    "geometric_": (("p", ...),),
    "log_normal_": _MEAN_STD,
    "normal_": _MEAN_STD,
    "random_": (),
    "uniform_": (("from", 0.0), ("to", 1.0)),
}


def primitives() -> Iterator[Primitive]:
    """Yield the functions and methods that draw, and the function that seeds them."""
    torch = sys.modules["torch"]
    for module in (torch, torch.random):
        yield Primitive(module, "manual_seed", lambda seed: Noise("seed", {"seed": seed}), _again)
    for name, signature in FUNCTIONS.items():
        yield Primitive(torch, name, _function(name, signature), _again)
    for name, signature in METHODS.items():
        yield Primitive(getattr(torch, "Tensor", None), name, _method(name, signature), _again)


def _function(name: str, signature: tuple[tuple[str, Any], ...]) -> Callable[..., Noise]:
    def described(*args: Any, **kwargs: Any) -> Noise:
        return Noise(f"torch.{name}", bound(signature, args, kwargs))

    return described


def _method(name: str, signature: tuple[tuple[str, Any], ...]) -> Callable[..., Noise]:
    def described(_: Any, *args: Any, **kwargs: Any) -> Noise:
        return Noise(f"torch.{name}", bound(signature, args, kwargs))

    return described


def _again(hands: Hands, original: Callable[..., Any]) -> Callable[..., Any]:
    def call(*args: Any, **kwargs: Any) -> Any:
        torch = sys.modules["torch"]
        kwargs.pop("generator", None)
        with torch.random.fork_rng():
            torch.manual_seed(hands.python.getrandbits(63))
            return original(*args, **kwargs)

    return call
