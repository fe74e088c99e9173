"""What one release costs: a value of bounded distance plus noise of a public scale."""

from __future__ import annotations

import sympy

from dpaudit.formal.price.notions import Approximate, Expr, Gaussian, Price, Pure


def laplace(l1: Expr, linf: Expr, size: Expr, scale: Expr) -> Price:
    """Return the price of Laplace noise: l1 / scale.

    References
    ----------
    C. Dwork, A. Roth 2014, Theorem 3.6. Each entry alone costs linf / scale.
    """
    return Pure(_ratio(l1, scale), _parts(_ratio(linf, scale), size), laplace=True)


def _ratio(distance: Expr, scale: Expr) -> Expr:
    """Return distance / scale, without what both have in common: a scale is positive."""
    ratio = distance / scale
    return sympy.cancel(ratio) if getattr(scale, "free_symbols", None) else ratio


def two_sided_geometric(l1: Expr, linf: Expr, size: Expr, alpha: Expr) -> Price:
    """Return the price of two-sided geometric noise on integers: l1 log(1 / alpha).

    References
    ----------
    A. Ghosh, T. Roughgarden, M. Sundararajan 2009.
    """
    unit = sympy.expand_log(-sympy.log(alpha), force=False)
    return Pure(sympy.simplify(l1 * unit), _parts(sympy.simplify(linf * unit), size))


def truncated_laplace(distance: Expr, scale: Expr) -> Price:
    """Return the price of an integer plus Laplace noise cut towards zero: distance/scale + log 2.

    Notes
    -----
    With r = e^(-1/scale), k has the chance (1 - r) r^|k| / 2 for k other than 0, and 0 has 1 - r:
    twice what the formula gives. So 0 against s costs log 2 more than s/scale, which no other two
    integers s apart cost more than.
    """
    if distance == 0:
        return Pure(sympy.Integer(0))
    return Pure(_ratio(distance, scale) + sympy.log(2))


def gaussian(l2: Expr, sigma: Expr) -> Price:
    """Return the price of Gaussian noise: mu = l2 / sigma.

    References
    ----------
    J. Dong, A. Roth, W. Su 2019, on the Gaussian mechanism.
    """
    return Gaussian(l2**2 / sigma**2)


def uniform(l1: Expr, width: Expr) -> Price:
    """Return the price of uniform noise: (0, l1 / width), the mass that only one side has."""
    return Approximate(sympy.Integer(0), l1 / width)


def selection(linf: Expr, scale: Expr, *, monotone: bool) -> Price:
    """Return the price of the index of the largest entry after noise.

    Notes
    -----
    For Laplace, exponential, Gumbel and two-sided geometric noise Pr[Z >= r + t] is at least
    e^(-t / scale) Pr[Z >= r]. With the noise of all others held fixed, entry i wins if its own
    exceeds a number that moves by linf if all entries move one way, by twice that otherwise.

    References
    ----------
    C. Dwork, A. Roth 2014, Claim 3.9. Z. Ding et al. 2021. F. McSherry, K. Talwar 2007.
    """
    return Pure((1 if monotone else 2) * linf / scale)


def exponential_mechanism(linf: Expr, *, monotone: bool) -> Price:
    """Return the price of a choice with weights e^(w_i), whose exponents move by linf.

    References
    ----------
    F. McSherry, K. Talwar 2007; C. Dwork, A. Roth 2014, Theorem 3.10.
    """
    return Pure((1 if monotone else 2) * linf)


def _parts(each: Expr, size: Expr) -> tuple[tuple[Expr, Expr], ...]:
    return ((each, size),) if size is not None and size != 1 else ()
