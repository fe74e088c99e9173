"""The total of a price in one notion of privacy: sums in sequence, maxima over disjoint parts."""

from __future__ import annotations

from collections.abc import Callable

from dpaudit.formal.price.notions import (
    Apart,
    Approximate,
    Concentrated,
    DiscreteGaussian,
    Either,
    Expr,
    Gaussian,
    Price,
    Pure,
    Repeated,
    Sampled,
    Shuffled,
    Together,
)

Leaf = Callable[[Price], Expr | None]
MOST_SUMS = 200


def total(price: Price, leaf: Leaf) -> Expr | None:
    """Return the total in a notion whose parameter adds up; None where a part has none.

    Parameters
    ----------
    price : Price
    leaf : callable
        The parameter of a price that is not made of others, None where it has none in the notion.

    Returns
    -------
    Expr or None

    Notes
    -----
    Sequential composition adds the parameters up, adaptively too; disjoint parts cost the most
    that the parts which a neighbor changes can cost together.

    References
    ----------
    C. Dwork, A. Roth 2014, Theorem 3.16. F. McSherry 2009, on parallel composition. J. Dong,
    A. Roth, W. Su 2019, Corollary 3.3 (squares of mu). M. Bun, T. Steinke 2016, Lemma 1.7.
    """
    import sympy

    match price:
        case Together(parts):
            values = [total(part, leaf) for part in parts]
            return None if None in values else sympy.Add(*values)
        case Repeated(inner, times):
            value = total(inner, leaf)
            return None if value is None else times * value
        case Apart(parts, touched):
            values = [total(part, leaf) for part in parts]
            return None if None in values else largest(values, touched)
        case Either(parts):
            values = [total(part, leaf) for part in parts]
            return None if None in values else largest(values, 1)
        case _:
            return leaf(price)


def largest(values: list[Expr], count: int) -> Expr:
    """Return the largest sum of `count` of the values, none of which is negative; rounds up."""
    from itertools import combinations
    from math import comb

    import sympy

    if len(values) <= count:
        return sympy.Add(*values)
    if all(value.is_Rational for value in values):
        return sympy.Add(*sorted(values, reverse=True)[:count])
    if comb(len(values), count) > MOST_SUMS:
        return count * sympy.Max(*dict.fromkeys(values))
    return sympy.Max(*dict.fromkeys(sympy.Add(*some) for some in combinations(values, count)))


def pure(price: Price) -> Expr | None:
    """Return the total epsilon of pure privacy, None where a part is not pure."""
    import sympy

    match price:
        case Pure(epsilon, _, _) | Shuffled(epsilon, _, _):
            return epsilon
        case Gaussian(squared) if squared.is_zero:
            return sympy.Integer(0)
        case Approximate(epsilon, delta) if delta.is_zero:
            return epsilon
        case Sampled(inner, rate):
            epsilon = pure(inner)
            return None if epsilon is None else sampled_epsilon(epsilon, rate)
        case Together() | Repeated() | Apart() | Either():
            return total(price, pure)
    return None


def sampled_epsilon(epsilon: Expr, rate: Expr) -> Expr:
    """Return log(1 + rate (e^epsilon - 1)).

    References
    ----------
    B. Balle, G. Barthe, M. Gaboardi 2018, Theorem 8 (Poisson samples, add or remove).
    """
    import sympy

    return sympy.log(1 + rate * (sympy.exp(epsilon) - 1))


def gaussian(price: Price) -> Expr | None:
    """Return the total square of mu, None where a part is not Gaussian."""
    import sympy

    match price:
        case Gaussian(squared):
            return squared
        case Pure(epsilon, _, _) if epsilon.is_zero:
            return sympy.Integer(0)
        case Together() | Repeated() | Apart() | Either():
            return total(price, gaussian)
    return None


def concentrated(price: Price) -> Expr | None:
    """Return the total rho of zero-concentrated privacy, None where a part has none."""
    match price:
        case Concentrated(rho):
            return rho
        case Gaussian(squared):
            return squared / 2  # Bun & Steinke 2016, Proposition 1.6
        case DiscreteGaussian(distance, variance):
            return distance**2 / (2 * variance)  # Canonne, Kamath & Steinke 2020, Theorem 4
        case Pure(epsilon, _, _) | Shuffled(epsilon, _, _):
            return epsilon**2 / 2  # Bun & Steinke 2016, Proposition 1.4
        case Together() | Repeated() | Apart() | Either():
            return total(price, concentrated)
    return None


def renyi(price: Price, order: Expr) -> Expr | None:
    """Return the total Rényi divergence of an order above 1, None where a part has none."""

    def leaf(part: Price) -> Expr | None:
        match part:
            case Concentrated(rho):
                return order * rho
            case Gaussian(squared):
                return order * squared / 2
            case DiscreteGaussian(distance, variance):
                return order * distance**2 / (2 * variance)
            case Pure(epsilon, _, laplace):
                return _pure_renyi(epsilon, order, laplace=laplace)
            case Shuffled(epsilon, _, _):
                return _pure_renyi(epsilon, order, laplace=False)
        return None

    return total(price, leaf)


def _pure_renyi(epsilon: Expr, order: Expr, *, laplace: bool) -> Expr:
    """Return the divergence of two Laplace distributions, or of randomized response.

    Of all pure mechanisms randomized response has the largest (Mironov 2017, Proposition 5);
    a sum of Laplace divergences is convex in the shifts, so that one shift of the whole distance
    is the worst of a vector.
    """
    import sympy

    if laplace:  # Mironov 2017, Proposition 6
        up = order / (2 * order - 1) * sympy.exp((order - 1) * epsilon)
        down = (order - 1) / (2 * order - 1) * sympy.exp(-order * epsilon)
        return sympy.log(up + down) / (order - 1)
    p = 1 / (1 + sympy.exp(-epsilon))
    mixed = p**order * (1 - p) ** (1 - order) + (1 - p) ** order * p ** (1 - order)
    return sympy.log(mixed) / (order - 1)
