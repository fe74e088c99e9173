"""What several claims say together: in sequence, on disjoint parts, with slack, numerically."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from typing import Literal

import numpy as np

from dpaudit.claims import validation
from dpaudit.claims.conversion import concentrated_rho, pure_epsilon, renyi_bound
from dpaudit.claims.directions import directed_function
from dpaudit.claims.functional import PrivacyProfile
from dpaudit.claims.gaussian import GaussianDP
from dpaudit.claims.privacy_loss import ComposedProfile, composed_profile
from dpaudit.claims.pure import ApproxDP, PureDP
from dpaudit.claims.region import Claim
from dpaudit.claims.renyi import RenyiDP, ZeroConcentratedDP
from dpaudit.claims.rounding import scalar_up, smallest_float_at_least

Parts = Counter[Claim]


def compose(
    claims: Iterable[Claim],
    *,
    how: Literal["basic", "parallel", "advanced", "numeric"] = "basic",
    delta: float | None = None,
    relation: str = "add/remove",
) -> Claim:
    """Return what mechanisms with these claims promise together.

    Parameters
    ----------
    claims : iterable of Claim
        At least one. Each may be chosen after seeing the outputs of those before it.
    how : {"basic", "parallel", "advanced", "numeric"}
        ``"basic"``: all run on the same records; parameters add up (epsilon, delta, rho, Rényi
        epsilon, squares of mu). Families are mixed where a theorem converts them: to zCDP, or to
        the lowest Rényi order. Where a part is a profile after sampling or composition, all
        compose as in ``"numeric"``. ``"parallel"``: each runs on its own part of the records, and
        a record's part depends on that record alone. ``"advanced"``: pure and approximate claims,
        with a slack `delta`. ``"numeric"``: claims of any families, by their privacy profiles
        (`dpaudit.claims.privacy_loss`), for adding and for removing a record apart. Gaussian,
        zero-concentrated and Rényi claims first add up among themselves, which is exact.
    delta : float, optional
        The slack, in (0, 1); for ``"advanced"`` only. The delta of the result also holds those
        of the parts: 1 - (1 - slack) * product of (1 - delta_i).
    relation : {"add/remove", "replace-one"}
        For ``"parallel"``: under add/remove one part changes, so the worst one counts; under
        replace-one a record may move, so the two worst count together. Each claim is then about
        one record that is added to, removed from or replaced in its part.

    Returns
    -------
    Claim
        Parameters round up. For ``"numeric"`` a `PrivacyProfile` that is never below the truth,
        unless one claim of a family says it all.

    Raises
    ------
    ValueError
        Where there are no claims, the families do not mix, the deltas add up to 1, or claims are
        about samples under different relations.

    References
    ----------
    F. McSherry. Privacy integrated queries. SIGMOD 2009. P. Kairouz, S. Oh, P. Viswanath. The
    composition theorem for differential privacy. ICML 2015, Theorems 3.3 and 3.5. M. Bun,
    T. Steinke 2016. I. Mironov 2017. J. Dong, A. Roth, W. Su 2019, Corollary 3.3 of
    arXiv:1905.02383.

    Examples
    --------
    >>> compose([PureDP(1.0), ApproxDP(0.5, 1e-6)])
    ApproxDP(1.5, 1e-06)
    >>> compose([PureDP(1.0), PureDP(2.0), PureDP(3.0)], how="parallel", relation="replace-one")
    PureDP(5.0)
    >>> together = compose([PureDP(0.5)] * 10 + [GaussianDP(1.0)], how="numeric")
    >>> print(f"{together.delta(4.0):.3f}")
    0.050
    """
    validation.relation(relation)
    parts = _validate_parts(claims)
    if how == "advanced":
        return _advanced(parts, _validate_slack(delta))
    if how not in ("basic", "parallel", "numeric"):
        raise ValueError(
            "`how` must be 'basic', 'parallel', 'advanced' or 'numeric', "
            f"got {how!r}; name one of them"
        )
    if delta is not None:
        raise ValueError(
            f"`delta` is the slack of how='advanced', got {delta!r} with how={how!r}; leave it out"
        )
    if parts.total() == 1:
        return next(iter(parts))
    if how in ("basic", "numeric"):
        return compose_counted(parts, numeric=how == "numeric")
    return _together(parts, 2 if relation == "replace-one" else 1)


def compose_counted(parts: Parts, *, numeric: bool) -> Claim:
    """Return what claims promise together, each as often as it is counted.

    Parameters
    ----------
    parts : Counter of Claim
        At least one.
    numeric : bool
        By privacy profiles, even where parameters could add up.

    Returns
    -------
    Claim
    """
    if numeric or any(directed_function(claim) is not None for claim in parts):
        return _numeric(parts)
    return _together(parts, None)


def _validate_parts(claims: Iterable[Claim]) -> Parts:
    parts: Parts = Counter()
    for claim in claims:
        if not isinstance(claim, Claim):
            raise TypeError(
                f"`claims` must hold claims, got {claim!r}; give some such as PureDP(1.0)"
            )
        parts[claim] += 1
    if not parts:
        raise ValueError(
            "`claims` must hold at least one claim, got none; "
            "for a mechanism that ignores its data use PureDP(0.0)"
        )
    return parts


def _validate_slack(delta: float | None) -> float:
    remedy = "give a slack such as 1e-6"
    if delta is None:
        raise ValueError(f"`delta` must be given with how='advanced', got None; {remedy}")
    slack = validation.real("delta", delta, remedy)
    if not 0 < slack < 1:
        raise ValueError(f"`delta` must be in (0, 1), got {delta!r}; {remedy}")
    return slack


def _together(parts: Parts, largest: int | None) -> Claim:
    """Return the claim whose parameters add up over all parts, or over the largest ones."""
    if all(isinstance(claim, PureDP | ApproxDP) for claim in parts):
        return _straight(parts, largest)
    if all(isinstance(claim, GaussianDP) for claim in parts):
        squares = {claim: Fraction(_mu(claim)) ** 2 for claim in parts}
        return GaussianDP(_square_root(_total(squares, parts, largest)))
    orders = [claim.order for claim in parts if isinstance(claim, RenyiDP)]
    values: dict[Claim, Fraction] = {}
    for claim in parts:
        value = renyi_bound(claim, min(orders)) if orders else concentrated_rho(claim)
        if value is None:
            raise ValueError(
                f"{claim!r} does not compose with claims of other families: no theorem converts "
                f"it to {'Rényi DP' if orders else 'zCDP'}; compose pure and approximate claims "
                "apart from the others"
            )
        values[claim] = Fraction(value)
    bound = smallest_float_at_least(_total(values, parts, largest))  # rounds up
    return RenyiDP(min(orders), bound) if orders else ZeroConcentratedDP(bound)


def _straight(parts: Parts, largest: int | None) -> PureDP | ApproxDP:
    epsilons = {claim: Fraction(_epsilon(claim)) for claim in parts}
    deltas = {claim: Fraction(claim.declared_delta) for claim in parts}
    epsilon = smallest_float_at_least(_total(epsilons, parts, largest))  # rounds up
    if all(isinstance(claim, PureDP) for claim in parts):
        return PureDP(epsilon)
    return ApproxDP(epsilon, _below_one(_total(deltas, parts, largest)))


def _numeric(parts: Parts) -> Claim:
    """Return the profile of all parts together; families that add up exactly do so first."""
    families: dict[tuple[type[Claim], float], Parts] = {}
    merged: Parts = Counter()
    for claim, count in _leaves(parts).items():
        if pure_epsilon(claim) == 0:
            continue  # perfect privacy adds nothing
        if isinstance(claim, GaussianDP | ZeroConcentratedDP | RenyiDP):
            order = claim.order if isinstance(claim, RenyiDP) else 0.0
            families.setdefault((type(claim), order), Counter())[claim] = count
        else:
            merged[claim] = count
    for family in families.values():
        merged[_together(family, None)] += 1
    if not merged:
        return PureDP(0.0)
    if merged.total() == 1:
        return next(iter(merged))
    return PrivacyProfile(composed_profile(merged))


def _leaves(parts: Parts) -> Parts:
    """Return the parts, and in the place of a numeric composition what it was made of."""
    leaves: Parts = Counter()
    for claim, count in parts.items():
        function = claim.function if isinstance(claim, PrivacyProfile) else None
        inner = function.parts if isinstance(function, ComposedProfile) else ((claim, 1),)
        for leaf, times in inner:
            leaves[leaf] += count * times
    return leaves


def _total(values: dict[Claim, Fraction], parts: Parts, largest: int | None) -> Fraction:
    """Return the exact sum over all parts, or over the `largest` ones."""
    left = parts.total() if largest is None else largest
    total = Fraction(0)
    for key in sorted(values, key=values.__getitem__, reverse=True):
        taken = min(left, parts[key])
        total += taken * values[key]
        left -= taken
    return total


def _below_one(total: Fraction) -> float:
    value = smallest_float_at_least(total)  # rounds up
    if value >= 1:
        raise ValueError(
            f"the deltas must add up to less than 1, got {value!r}; claim smaller ones"
        )
    return value


def _epsilon(claim: Claim) -> float:
    assert isinstance(claim, PureDP | ApproxDP)
    return claim.epsilon


def _mu(claim: Claim) -> float:
    assert isinstance(claim, GaussianDP)
    return claim.mu


def _square_root(exact: Fraction) -> float:
    """Return the smallest double whose square is at least `exact`."""
    root = math.sqrt(smallest_float_at_least(exact))
    while Fraction(root) ** 2 < exact:
        root = math.nextafter(root, math.inf)
    while root > 0 and Fraction(math.nextafter(root, 0.0)) ** 2 >= exact:
        root = math.nextafter(root, 0.0)
    return root


def _advanced(parts: Parts, slack: float) -> ApproxDP:
    """Return the composition with slack: exact for equal epsilons, Theorem 3.5 for others."""
    for claim in parts:
        if not isinstance(claim, PureDP | ApproxDP):
            raise ValueError(
                f"{claim!r} has no advanced composition: zCDP, Rényi and Gaussian claims add up "
                "exactly; use how='basic' and read .delta(epsilon)"
            )
    counts: Counter[float] = Counter()
    log_kept = math.log1p(-slack)
    for claim, count in parts.items():
        counts[_epsilon(claim)] += count
        log_kept += count * math.log1p(-claim.declared_delta)
    basic = smallest_float_at_least(sum((k * Fraction(e) for e, k in counts.items()), Fraction(0)))
    counts.pop(0.0, None)
    if not counts:
        epsilon = 0.0
    elif len(counts) == 1:
        ((single, k),) = counts.items()
        epsilon = homogeneous_epsilon(single, k, slack)
    else:
        epsilon = _heterogeneous_epsilon(counts, slack)
    if any(claim.declared_delta > 0 for claim in parts):
        slack = -math.expm1(log_kept) * (1.0 + 1e-13)  # rounds up
    return ApproxDP(min(epsilon, basic), _below_one(Fraction(slack)))


def homogeneous_epsilon(epsilon: float, k: int, slack: float) -> float:
    """Return the least t for which k claims PureDP(epsilon) give (t, slack)-DP; rounds up.

    Notes
    -----
    Theorem 3.3 reads off delta(t) of k-fold randomized response at t = (k - 2i) epsilon; this
    is its exact profile at every t. The loss is (k - 2l) epsilon with binomial probability.
    """
    from scipy.special import gammaln

    heads = np.arange(k // 2 + 1, dtype=np.float64)  # only positive losses count
    loss = (k - 2.0 * heads) * epsilon
    log_mass = gammaln(k + 1.0) - gammaln(heads + 1.0) - gammaln(k - heads + 1.0)
    log_mass = log_mass - heads * epsilon - k * math.log1p(math.exp(-epsilon))
    mass = np.exp(log_mass)
    margin = 1.0 + 1e-11 + 1e-15 * k * (epsilon + math.log(k + 1.0))  # rounds up

    def delta(t: float) -> float:
        return float(mass @ -np.expm1(np.minimum(t - loss, 0.0))) * margin

    low, high = 0.0, k * epsilon
    if delta(low) <= slack:
        return 0.0
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if delta(middle) > slack else (low, middle)
    return scalar_up(high)


def _heterogeneous_epsilon(counts: Counter[float], slack: float) -> float:
    """Return the lesser of the two non-trivial bounds of Theorem 3.5; rounds up."""
    mean = sum(k * e * math.tanh(e / 2) for e, k in counts.items())
    squares = sum(k * e * e for e, k in counts.items())
    first = math.sqrt(2 * squares * math.log(math.e + math.sqrt(squares) / slack))
    second = math.sqrt(2 * squares * math.log(1 / slack))
    return (mean + min(first, second)) * (1.0 + 1e-13)
