"""The total of a price in one notion of privacy."""

from __future__ import annotations

from collections.abc import Callable

import sympy

from dpaudit.formal.price.notions import Approximate, Expr, Gaussian, Price, Pure, Together


def total(price: Price, leaf: Callable[[Price], Expr | None]) -> Expr | None:
    """Return the total in a notion whose parameter adds up; None where a part has none.

    Parameters
    ----------
    price : Price
    leaf : callable
        The parameter of a price that is not made of others, None where it has none in the notion.

    Returns
    -------
    Expr or None

    References
    ----------
    C. Dwork, A. Roth 2014, Theorem 3.16. J. Dong, A. Roth, W. Su 2019, Corollary 3.3 (squares of
    mu). M. Bun, T. Steinke 2016, Lemma 1.7.
    """
    if not isinstance(price, Together):
        return leaf(price)
    values = [total(part, leaf) for part in price.parts]
    return None if None in values else sympy.Add(*values)


def pure(price: Price) -> Expr | None:
    """Return the total epsilon of pure privacy, None where a part is not pure."""

    def leaf(part: Price) -> Expr | None:
        match part:
            case Pure(epsilon, _):
                return epsilon
            case Approximate(epsilon, delta) if delta.is_zero:
                return epsilon
        return None

    return total(price, leaf)


def gaussian(price: Price) -> Expr | None:
    """Return the total square of mu, None where a part is not Gaussian."""
    return total(price, lambda part: part.squared if isinstance(part, Gaussian) else None)


def concentrated(price: Price) -> Expr | None:
    """Return the total rho of zero-concentrated privacy, None where a part has none."""

    def leaf(part: Price) -> Expr | None:
        match part:
            case Gaussian(squared):
                return squared / 2  # Bun & Steinke 2016, Proposition 1.6
            case Pure(epsilon, _):
                return epsilon**2 / 2  # Bun & Steinke 2016, Proposition 1.4
        return None

    return total(price, leaf)


def renyi(price: Price, order: Expr) -> Expr | None:
    """Return the total Rényi divergence of an order above 1, None where a part has none."""

    def leaf(part: Price) -> Expr | None:
        match part:
            case Gaussian(squared):
                return order * squared / 2
            case Pure(epsilon, laplace):
                return _pure_renyi(epsilon, order, laplace=laplace)
        return None

    return total(price, leaf)


def _pure_renyi(epsilon: Expr, order: Expr, *, laplace: bool) -> Expr:
    """Return the divergence of two Laplace distributions, or of randomized response.

    Of all pure mechanisms randomized response has the largest (Mironov 2017, Proposition 5);
    a sum of Laplace divergences is convex in the shifts, so that one shift of the whole distance
    is the worst of a vector.
    """
    if laplace:  # Mironov 2017, Proposition 6
        up = order / (2 * order - 1) * sympy.exp((order - 1) * epsilon)
        down = (order - 1) / (2 * order - 1) * sympy.exp(-order * epsilon)
        return sympy.log(up + down) / (order - 1)
    p = 1 / (1 + sympy.exp(-epsilon))
    mixed = p**order * (1 - p) ** (1 - order) + (1 - p) ** order * p ** (1 - order)
    return sympy.log(mixed) / (order - 1)
