"""Prices: what a lemma gives, or what outputs of known form cost.

A price is a guarantee for every two neighboring datasets, both ways. The parameters are closed
sympy expressions, exact.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

Expr = Any  # a sympy expression; sympy itself is imported where it is used


@dataclass(frozen=True, slots=True)
class Pure:
    """Epsilon-differential privacy (nats).

    `laplace` says that it is Laplace noise of scale 1 on a shift of `epsilon`, which has the Rényi
    divergence of Laplace distributions.
    """

    epsilon: Expr
    laplace: bool = False


@dataclass(frozen=True, slots=True)
class Gaussian:
    """mu-Gaussian differential privacy, by the square of mu, which adds up."""

    squared: Expr


@dataclass(frozen=True, slots=True)
class Approximate:
    """(epsilon, delta)-differential privacy."""

    epsilon: Expr
    delta: Expr


@dataclass(frozen=True, slots=True)
class Together:
    """Several releases about the same records, each chosen after those before it."""

    parts: tuple[Price, ...]


Price = Pure | Gaussian | Approximate | Together


def price_to_dict(price: Pure | Approximate) -> dict[str, Any]:
    """Return the price of a lemma as JSON-able values, expressions as text.

    Parameters
    ----------
    price : Pure or Approximate

    Returns
    -------
    dict
    """
    if isinstance(price, Pure):
        return {"kind": "pure", "epsilon": str(price.epsilon)}
    return {"kind": "approximate", "epsilon": str(price.epsilon), "delta": str(price.delta)}
