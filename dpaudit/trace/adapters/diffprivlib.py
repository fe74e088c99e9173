"""The mechanisms of diffprivlib: each `randomise` is one draw, of its own law.

Seen as the uniform numbers that it is computed from, the noise of this library has no law that a
move could be priced by.

References
----------
Holohan, Braghin, Mac Aonghusa & Levacher, Diffprivlib: The IBM Differential Privacy Library, 2019.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from dpaudit.extras import optional
from dpaudit.trace.adapters.primitive import Noise, Primitive
from dpaudit.trace.draws import Hands
from dpaudit.trace.switch import plain

Described = Callable[[Any, Any], Noise]


def primitives() -> Iterator[Primitive]:
    """Yield the mechanisms whose law is known; what others draw is seen number by number."""
    mechanisms = optional("diffprivlib.mechanisms")
    for name, describe in _LAWS.items():
        kind = getattr(mechanisms, name, None)
        if kind is not None and "randomise" in vars(kind):
            yield Primitive(kind, "randomise", _guarded(describe), _again)


def _guarded(describe: Described) -> Callable[..., Noise | None]:
    """Let a call with wrong arguments pass: the mechanism itself says what is wrong."""

    def described(mechanism: Any, value: Any = None) -> Noise | None:
        try:
            return describe(mechanism, value)
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
            return None

    return described


def _again(hands: Hands, original: Callable[..., Any]) -> Callable[..., Any]:
    def call(mechanism: Any, *args: Any, **kwargs: Any) -> Any:
        twin = copy.copy(mechanism)
        twin._rng = hands.state
        return original(twin, *args, **kwargs)

    return call


def _laplace(mechanism: Any, value: Any) -> Noise:
    paid = mechanism.epsilon - math.log(1 - mechanism.delta)
    return Noise("laplace", {"loc": value, "scale": mechanism.sensitivity / paid})


def _gaussian(mechanism: Any, value: Any) -> Noise:
    return Noise("normal", {"loc": value, "scale": mechanism._scale})


def _geometric(mechanism: Any, value: Any) -> Noise:
    return Noise("discrete_laplace", _pure(mechanism, value))


def _staircase(mechanism: Any, value: Any) -> Noise:
    return Noise("staircase", _pure(mechanism, value))


def _bounded_domain(mechanism: Any, value: Any) -> Noise:
    return Noise("bounded_laplace", _pure(mechanism, value))


def _pure(mechanism: Any, value: Any) -> Mapping[str, Any]:
    return {"loc": value, "scale": mechanism.sensitivity / mechanism.epsilon}


def _discrete_gaussian(mechanism: Any, value: Any) -> Noise:
    return Noise("discrete_gaussian", {"loc": value, "scale": mechanism._scale})


def _binary(mechanism: Any, value: Any) -> Noise:
    labels = [mechanism.value0, mechanism.value1]
    kept = min((math.exp(mechanism.epsilon) + mechanism.delta) / (math.exp(mechanism.epsilon) + 1),
               1.0)  # fmt: skip
    return _choice(labels, [kept if plain(value) == label else 1 - kept for label in labels])


def _exponential(mechanism: Any, _: Any) -> Noise:
    sums = np.asarray(mechanism._probabilities, dtype=np.float64)  # added up
    members = list(mechanism.candidates) if mechanism.candidates else list(range(len(sums)))
    return _choice(members, np.diff(sums, prepend=0.0))


def _choice(members: list[Any], chances: Any) -> Noise:
    return Noise("choice", {"a": members, "size": None, "replace": True, "p": chances})


# PermuteAndFlip inherits from Exponential and draws by itself; Vector returns a function.
_LAWS: Mapping[str, Described] = {
    "Binary": _binary,
    "Exponential": _exponential,
    "Gaussian": _gaussian,
    "GaussianDiscrete": _discrete_gaussian,
    "Geometric": _geometric,
    "Laplace": _laplace,
    "LaplaceBoundedDomain": _bounded_domain,
    "Staircase": _staircase,
}
