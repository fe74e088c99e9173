"""Noise calls of Python, of the operating system, and of scipy."""

from __future__ import annotations

import concurrent.futures
import os
import random
import secrets
import sys
import threading
from collections.abc import Callable
from typing import Any

from dpaudit.trace.draws import Hands
from dpaudit.trace.patches import Patches
from dpaudit.trace.signatures import PYTHON, Signature
from dpaudit.trace.switch import answering, carried, noting_seed, noting_state, plain, started_by

_BYTES: Signature = (("size", ...),)
# scipy's names for the laws that NumPy has too.
SCIPY_LAWS = {
    "norm": "normal",
    "laplace": "laplace",
    "expon": "exponential",
    "geom": "geometric",
    "gumbel_r": "gumbel",
    "logistic": "logistic",
    "uniform": "uniform",
    "bernoulli": "binomial",
}


def patch_python(patches: Patches) -> list[tuple[Any, Any]]:
    """Watch `random`, `secrets` and `os.urandom`; return functions to be replaced everywhere."""
    bound_before = _bound_functions()
    for kind in (random.Random, random.SystemRandom):
        source = f"random.{kind.__name__}"
        for name, signature in PYTHON.items():
            if name in vars(kind) or (kind is random.Random and hasattr(kind, name)):
                method = _python_method(name, source, signature, getattr(kind, name))
                patches.attribute(kind, name, method)
    patches.attribute(random.Random, "seed", _python_seed(random.Random.seed))
    for name in ("getstate", "setstate"):
        patches.attribute(random.Random, name, _python_state(getattr(random.Random, name)))
    pairs = [(old, getattr(owner, name)) for owner, name, old in bound_before]
    for name in ("urandom", "getrandom"):
        real = getattr(os, name, None)
        if real is not None:
            pairs.append((real, _function(name, f"os.{name}", _BYTES, real, _some_bytes)))
    return pairs


def _bound_functions() -> list[tuple[Any, str, Any]]:
    """Return (generator, method, the bound method that a module holds)."""
    found = []
    for module, generator in (
        (random, getattr(random, "_inst", None)),
        (secrets, getattr(secrets, "_sysrand", None)),
    ):
        found += [
            (generator, held.__name__, held)
            for held in vars(module).values()
            if getattr(held, "__self__", None) is generator is not None
        ]
    return found


def _python_state(real: Callable[..., Any]) -> Any:
    def state(self: random.Random, /, *args: Any) -> Any:
        noting_state()
        return real(self, *args)

    state.__name__ = state.__qualname__ = real.__name__
    return state


def _python_method(name: str, source: str, signature: Signature, real: Callable[..., Any]) -> Any:
    def drawn(self: random.Random, /, *args: Any, **kwargs: Any) -> Any:
        def original(*args: Any, **kwargs: Any) -> Any:
            return real(self, *args, **kwargs)

        return answering(name, source, signature, original, replaced, id(self), args, kwargs)

    def replaced(hands: Hands) -> Any:
        return getattr(hands.python, name)

    drawn.__name__ = drawn.__qualname__ = name
    return drawn


def _python_seed(real: Callable[..., Any]) -> Any:
    def seed(self: random.Random, /, a: Any = None, *args: Any, **kwargs: Any) -> None:
        noting_seed("random.seed", a, id(self))
        real(self, plain(a), *args, **kwargs)

    return seed


def _function(
    name: str,
    source: str,
    signature: Signature,
    real: Callable[..., Any],
    replaced: Callable[[Hands], Callable[..., Any]],
) -> Any:
    hidden = (real,)  # a closure that held it would be given its replacement

    def drawn(*args: Any, **kwargs: Any) -> Any:
        return answering(name, source, signature, hidden[0], replaced, 0, args, kwargs)

    drawn.__name__ = drawn.__qualname__ = name
    drawn.__doc__ = real.__doc__
    del real
    return drawn


def _some_bytes(hands: Hands) -> Callable[..., bytes]:
    def randbytes(size: int, _: int = 0) -> bytes:
        return bytes(hands.python.randbytes(size))

    return randbytes


def patch_threads(patches: Patches) -> None:
    """Let threads that are started, and work that is given to a pool, be watched as well."""
    start, submit = threading.Thread.start, concurrent.futures.ThreadPoolExecutor.submit

    def started(self: threading.Thread) -> None:
        started_by(self)
        start(self)

    def submitted(self: Any, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
        return submit(self, carried(fn), *args, **kwargs)

    patches.attribute(threading.Thread, "start", started)
    patches.attribute(concurrent.futures.ThreadPoolExecutor, "submit", submitted)


def patch_scipy(patches: Patches) -> None:
    """Watch ``scipy.stats`` distributions, where the module is loaded."""
    module = sys.modules.get("scipy.stats._distn_infrastructure")
    for kind in (getattr(module, name, None) for name in ("rv_continuous", "rv_discrete")):
        if kind is not None:
            patches.attribute(kind, "rvs", _scipy_rvs(kind.rvs))


def _scipy_rvs(real: Callable[..., Any]) -> Any:
    def rvs(self: Any, /, *args: Any, **kwargs: Any) -> Any:
        def original(*args: Any, **kwargs: Any) -> Any:
            return real(self, *args, **kwargs)

        shapes = tuple(name.strip() for name in (self.shapes or "").split(",") if name.strip())
        signature: Signature = tuple((name, ...) for name in shapes)
        signature += (("loc", 0), ("scale", 1), ("size", None), ("random_state", None))
        kind = SCIPY_LAWS.get(self.name, f"scipy.{self.name}")

        def replaced(hands: Hands) -> Callable[..., Any]:
            return lambda *args, **kwargs: original(
                *args, **{**kwargs, "random_state": hands.state}
            )

        return answering(kind, "scipy.stats", signature, original, replaced, 0, args, kwargs)

    return rvs
