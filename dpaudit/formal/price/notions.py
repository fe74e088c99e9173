"""Prices: what is known about the privacy of one release, and of several together.

A price is a guarantee for every two neighboring datasets, both ways. The parameters are sympy
expressions, exact and possibly symbolic.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

Expr = Any  # a sympy expression; sympy itself is imported where it is used


@dataclass(frozen=True, slots=True)
class Pure:
    """Epsilon-differential privacy.

    Attributes
    ----------
    epsilon : Expr
        Nats.
    parts : tuple of (Expr, Expr)
        Epsilons and how many there are of each: the release is also that many pure ones, whose
        epsilons may add up to more. Empty: the release is one.
    laplace : bool
        Whether it is Laplace noise of scale 1 on a shift of `epsilon`, which has the Rényi
        divergence of Laplace distributions.
    """

    epsilon: Expr
    parts: tuple[tuple[Expr, Expr], ...] = ()
    laplace: bool = False


@dataclass(frozen=True, slots=True)
class Gaussian:
    """mu-Gaussian differential privacy, by the square of mu, which adds up."""

    squared: Expr


@dataclass(frozen=True, slots=True)
class Concentrated:
    """rho-zero-concentrated differential privacy."""

    rho: Expr


@dataclass(frozen=True, slots=True)
class DiscreteGaussian:
    """Noise of weights e^(-x²/2 variance) on a whole number that moves by `distance` at most."""

    distance: Expr
    variance: Expr


@dataclass(frozen=True, slots=True)
class Shuffled:
    """The number of ones among `count` bits, each turned around with a chance; one may change.

    `epsilon` is what the bits in their order would cost.
    """

    epsilon: Expr
    count: Expr
    chance: Expr


@dataclass(frozen=True, slots=True)
class Approximate:
    """(epsilon, delta)-differential privacy."""

    epsilon: Expr
    delta: Expr


@dataclass(frozen=True, slots=True)
class Sampled:
    """A price paid on a Poisson sample: each record is taken with probability `rate`."""

    price: Price
    rate: Expr


@dataclass(frozen=True, slots=True)
class Together:
    """Several releases about the same records, each chosen after those before it."""

    parts: tuple[Price, ...]


@dataclass(frozen=True, slots=True)
class Repeated:
    """One price, paid a public number of times."""

    price: Price
    times: Expr


@dataclass(frozen=True, slots=True)
class Apart:
    """Releases about disjoint parts of the records, of which a neighbor changes at most `touched`.

    A record's part depends on that record alone: one part changes where it comes or goes, two
    where it is replaced.
    """

    parts: tuple[Price, ...]
    touched: int


@dataclass(frozen=True, slots=True)
class Either:
    """One of several releases, chosen by a value that is public: the worst of them."""

    parts: tuple[Price, ...]


Price = (
    Pure
    | Gaussian
    | DiscreteGaussian
    | Concentrated
    | Shuffled
    | Approximate
    | Sampled
    | Together
    | Repeated
    | Apart
    | Either
)

FREE = Together(())


def together(*prices: Price) -> Price:
    """Return the price of all of them, without empty layers.

    Parameters
    ----------
    *prices : Price

    Returns
    -------
    Price
    """
    parts: list[Price] = []
    for price in prices:
        parts.extend(price.parts if isinstance(price, Together) else (price,))
    return parts[0] if len(parts) == 1 else Together(tuple(parts))


def price_to_dict(price: Price) -> dict[str, Any]:
    """Return a price as JSON-able values, expressions as text.

    Parameters
    ----------
    price : Price

    Returns
    -------
    dict
    """
    kind = type(price).__name__.lower()
    match price:
        case Pure(epsilon, parts, laplace):
            each = [[str(e), str(count)] for e, count in parts]
            return {"kind": kind, "epsilon": str(epsilon), "parts": each, "laplace": laplace}
        case Gaussian(squared):
            return {"kind": kind, "squared_mu": str(squared)}
        case DiscreteGaussian(distance, variance):
            kind = "discrete gaussian"
            return {"kind": kind, "distance": str(distance), "variance": str(variance)}
        case Concentrated(rho):
            return {"kind": kind, "rho": str(rho)}
        case Shuffled(epsilon, count, chance):
            texts = {"epsilon": str(epsilon), "count": str(count), "chance": str(chance)}
            return {"kind": kind, **texts}
        case Approximate(epsilon, delta):
            return {"kind": kind, "epsilon": str(epsilon), "delta": str(delta)}
        case Sampled(inner, rate):
            return {"kind": kind, "price": price_to_dict(inner), "rate": str(rate)}
        case Repeated(inner, times):
            return {"kind": kind, "price": price_to_dict(inner), "times": str(times)}
        case Apart(parts, touched):
            return {"kind": kind, "parts": list(map(price_to_dict, parts)), "touched": touched}
        case Together(parts) | Either(parts):
            return {"kind": kind, "parts": list(map(price_to_dict, parts))}
