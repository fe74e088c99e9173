"""The audit of one training run: from scores of canaries to a lower bound on epsilon."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Literal, Protocol, cast

import numpy as np
from numpy.typing import ArrayLike

from dpaudit.claims import ApproxDP, Claim, PureDP
from dpaudit.estimates.checks import (
    check_claim,
    check_confidence,
    check_delta,
    check_seed,
    floats,
)
from dpaudit.estimates.estimate import Estimate, Interval
from dpaudit.estimates.one_run.pvalues import least_level, rejects, worst_p_value
from dpaudit.estimates.one_run.rules import (
    Bools,
    Floats,
    Rule,
    declared_rules,
    ranked_coins,
    single_rule,
)

METHODS = ("dp", "fdp")
UNFAIR = 1e-9  # probability below which coins are no longer taken for fair
FARTHEST = 200.0  # of parameters and epsilons that are looked for
HALVINGS = 30
TINY = 1e-9  # the least parameter looked at; claims may refuse zero


class Rejects(Protocol):
    """Whether a parameter of the claim is rejected by so many correct guesses, at a level."""

    def __call__(self, parameter: float, correct: int, rule: Rule, level: float) -> bool:
        """Return True where it is rejected."""
        ...


def one_run(
    scores: ArrayLike,
    included: ArrayLike,
    *,
    method: Literal["dp", "fdp"] = "dp",
    delta: float = 1e-5,
    family: Claim | None = None,
    claim: Claim | None = None,
    guesses: int | Sequence[int] | None = None,
    confidence: float = 0.95,
    seed: int = 0,
) -> Estimate:
    """Return a lower bound on epsilon from one run on canaries that fair coins included.

    Parameters
    ----------
    scores : array_like of float, shape (m,)
        One for each canary, computed from what the run released and from the canary, never from
        the coins. Whether high scores mean "in" or "out" need not be known.
    included : array_like of bool, shape (m,)
        The coins: independent and fair, one for each canary, tossed for this run.
    method : {"dp", "fdp"}
        ``"dp"``: by the greatest probability of so many correct guesses under (ε, δ)-DP, which is
        that of Steinke, Nasr & Jagielski at δ = 0 (`worst_p_value`). ``"fdp"``: by the bound of
        Mahloujifar, Melis & Chaudhuri, for the curves of a family.
    delta : float
        At which epsilon is bounded.
    family : Claim, optional
        For ``"fdp"``, any claim with a parameter of its own, e.g. ``GaussianDP(1.0)``; the value of
        the parameter does not matter. By default that of `claim`, and (ε, δ)-DP where there is
        none: no other family bounds epsilon without an assumption on the algorithm.
    claim : Claim, optional
        Shown against the estimate: its epsilon at `delta` is the estimate's ``bound``.
    guesses : int or (int, int), optional
        How many canaries are guessed, or the numbers of both guesses. Half are guessed "in" for the
        highest scores, and half "out" for the lowest. They are fixed before the scores are seen,
        and uncorrected. By default a grid of numbers, ends and directions that depends on m alone
        is tried, each with its share of the error.
    confidence : float
    seed : int
        Of the order of ties.

    Returns
    -------
    Estimate
        ``value`` is the lower end, which papers call the empirical epsilon. The lower end is valid
        for the training algorithm on the dataset with its canaries, at `delta`. With ``"fdp"`` and
        a family other than ``ApproxDP`` at `delta`, the bound on the parameter of the family (in
        ``method``) needs no further assumption. The bound on epsilon holds only if the curve of the
        algorithm belongs to the family. The upper end is always infinite.

    Raises
    ------
    ValueError
        Where shapes differ, a score is NaN, the coins cannot have been fair, or the family has no
        parameter.

    Notes
    -----
    Assumes that one canary, in or out, makes a pair of neighbors, and that the coins were
    independent of each other and of everything else. Canaries held out in a fixed number (exactly
    half) break the assumption.

    References
    ----------
    Steinke, Nasr & Jagielski, "Privacy auditing with one (1) training run", NeurIPS 2023;
    Mahloujifar, Melis & Chaudhuri, "Auditing f-differential privacy in one run", ICML 2025.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> included = rng.random(1000) < 0.5
    >>> scores = 3.0 * included + rng.normal(size=1000)
    >>> print(one_run(scores, included))
    lower bound on epsilon at delta 1e-05: 3.84... nats, 0.95 interval [3.84..., inf]
      ...
    """
    check_confidence(confidence)
    check_seed(seed)
    check_claim("claim", claim)
    check_claim("family", family)
    values, coins = _validate(scores, included, method, delta)
    m = len(coins)
    rules = declared_rules(m) if guesses is None else single_rule(guesses, m)
    ranked = ranked_coins(values, coins, seed)
    searched = _family(method, delta, family or claim)
    rejects_it: Rejects = _Approximate(m, delta) if method == "dp" else _Family(m, searched)
    bound, rule = _best(rejects_it, rules, ranked, 1 - confidence)
    said = _said(method, searched, bound, rules, rule)
    # what is not (ε, δ')-DP is not (ε, δ)-DP for a smaller δ either
    known = isinstance(searched, ApproxDP | PureDP) and searched.declared_delta >= delta
    if not known:
        bound = epsilon_at(searched.with_parameter(bound), delta) if bound > 0 else 0.0
    return Estimate(
        value=bound,
        confidence_interval=Interval(bound, math.inf),
        method=said,
        n=m,
        quantity=f"lower bound on epsilon at delta {delta:g}",
        confidence=confidence,
        valid_for=_valid_for(method, searched, known),
        bound=None if claim is None else epsilon_at(claim, delta, upper=True),
    )


def epsilon_at(claim: Claim, delta: float, *, upper: bool = False) -> float:
    """Return the epsilon that a claim guarantees at a delta, rounded down, or up if told."""
    slack = 0.0 if upper else 1e-9  # `delta` rounds up

    def exceeds(epsilon: float) -> bool:
        return float(np.asarray(claim.delta(epsilon))) * (1 - slack) > delta

    if not exceeds(0.0):
        return 0.0
    low, high = _bracket(exceeds)
    return high if upper else low


def _bracket(holds: Callable[[float], bool]) -> tuple[float, float]:
    """Return a close pair (one for which it holds, one for which it does not or infinity)."""
    low, high = 0.0, 1.0
    while holds(high):
        if high >= FARTHEST:
            return high, math.inf
        low, high = high, 2 * high
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low, high


class _Approximate:
    """Tests (epsilon, delta)-DP by its worst mechanisms."""

    def __init__(self, canaries: int, delta: float) -> None:
        self.canaries, self.delta = canaries, delta

    def __call__(self, parameter: float, correct: int, rule: Rule, level: float) -> bool:
        counts = correct, rule.guesses, self.canaries
        return worst_p_value(*counts, parameter, self.delta) <= level


class _Family:
    """Tests a member of a family by its trade-off curve."""

    def __init__(self, canaries: int, family: Claim) -> None:
        self.canaries, self.family = canaries, family

    def __call__(self, parameter: float, correct: int, rule: Rule, level: float) -> bool:
        least = least_level(self.family.with_parameter(parameter))
        return rejects(correct, rule.guesses, self.canaries, least, level)


def _best(
    rejects_it: Rejects, rules: Sequence[Rule], ranked: Bools, error: float
) -> tuple[float, Rule | None]:
    """Return the greatest parameter that some rule rejects, and that rule.

    Claims are nested, so whatever is rejected, all below it is; a rule that does not reject the
    best so far need not be looked at.
    """
    best, by = 0.0, None
    for rule in rules:
        correct, level = rule.correct(ranked), rule.share * error

        def rejected(
            parameter: float, correct: int = correct, rule: Rule = rule, level: float = level
        ) -> bool:
            return rejects_it(parameter, correct, rule, level)

        if 2 * correct > rule.guesses and rejected(best or TINY):
            best, by = max(best, _bracket(rejected)[0]), rule  # rounds down: the rejected side
    return best, by


def _family(method: str, delta: float, family: Claim | None) -> Claim:
    if method == "dp" or family is None:
        return cast(Claim, ApproxDP(1.0, delta))
    if family.parameter is None:
        raise ValueError(
            f"`family` must have a parameter of its own, got {family}; pass e.g. GaussianDP(1.0)"
        )
    return family


def _validate(
    scores: ArrayLike, included: ArrayLike, method: str, delta: float
) -> tuple[Floats, Bools]:
    values, coins = floats("scores", scores, "give each canary its score"), np.asarray(included)
    if method not in METHODS:
        raise ValueError(f'`method` must be "dp" or "fdp", got {method!r}; "dp" is always valid')
    check_delta(delta)
    if values.ndim != 1 or values.shape != coins.shape or not len(values):
        raise ValueError(
            "`scores` and `included` must have one entry a canary, got shapes "
            f"{values.shape} and {coins.shape}; pass two rows of the same length"
        )
    if np.isnan(values).any():
        raise ValueError(
            f"`scores` holds {int(np.isnan(values).sum())} NaN; give such canaries a score that "
            "does not depend on their coins, e.g. 0"
        )
    if not np.isin(coins, (0, 1)).all():
        raise ValueError("`included` must hold True or False for each canary; pass the coins")
    heads, m = int(coins.sum()), len(coins)
    if abs(heads / m - 0.5) > math.sqrt(math.log(2 / UNFAIR) / (2 * m)):  # Hoeffding
        raise ValueError(
            f"`included` holds {heads} of {m} canaries, which fair coins do not give; the bound "
            "needs each canary included by its own fair coin"
        )
    return values, coins.astype(bool)


def _said(
    method: str, family: Claim, bound: float, rules: Sequence[Rule], rule: Rule | None
) -> str:
    parameter = (family.parameter or ("", 0.0))[0]
    names = {
        "dp": "one run, worst (ε, δ)-DP mechanism, after Steinke, Nasr & Jagielski 2023",
        "fdp": "one run, Mahloujifar, Melis & Chaudhuri 2025, for "
        f"{type(family).__name__}: {parameter} at least {bound:.6g}",
    }
    tried = f"; {len(rules)} rules declared beforehand" if len(rules) > 1 else ""
    if rule is None:
        return f"{names[method]}{tried}"
    ends = replace(rule, top=rule.bottom, bottom=rule.top) if rule.reverse else rule
    order = ", high scores taken for out" if rule.reverse else ""
    return f"{names[method]}{tried}; best: {ends.top} guessed in, {ends.bottom} out{order}"


def _valid_for(method: str, family: Claim, known: bool) -> str:
    low = "lower end: valid for the training algorithm on this dataset with its canaries"
    if method == "fdp" and not known:
        low += f", if its trade-off curve is that of a {type(family).__name__}"
    return f"{low}; upper end: none"
