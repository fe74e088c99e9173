"""How likely so many correct guesses are at most, under a claim; one run, many canaries.

Each canary is in by a fair coin. From the output alone an auditor guesses some coins, `guesses` of
`canaries`, and gets `correct` right. `worst_p_value` and `recursive_p_value` bound the probability
of that many or more over all mechanisms that keep the claim, whatever the guesses are made of;
`binomial_p_value` is the bound that was published first, which is one without delta.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from dpaudit.claims import ApproxDP, Claim, GaussianDP, PureDP

Inverse = Callable[[float], float]

OUTWARD = 1e-9  # relative; what is summed and inverted here errs by less than 1e-11
HALVINGS = 50
SURE = 0.999999  # levels above cannot be told from one


def binomial_p_value(
    correct: int, guesses: int, canaries: int, epsilon: float, delta: float = 0.0
) -> float:
    """Return the bound of Steinke, Nasr & Jagielski under (epsilon, delta)-DP.

    Parameters
    ----------
    correct : int
        Correct guesses, v.
    guesses : int
        Guesses made, r, a number fixed beforehand.
    canaries : int
        m, guessed or not.
    epsilon : float
        In nats.
    delta : float

    Returns
    -------
    float
        Rounded up.

    Raises
    ------
    ValueError
        Unless 0 <= correct <= guesses <= canaries, or where epsilon or delta is out of range.

    Notes
    -----
    With W binomial of r draws of probability e^ε / (1 + e^ε):
    ``Pr[W ≥ v] + 2 m δ max_i Pr[v > W ≥ v − i] / i``. Exact, by randomized response, for δ = 0.
    With δ it is as printed, and no bound for likely counts: for m = r = 2, v = 1, ε = 1, δ = .01
    it is .93056, and a mechanism attains .93108. `worst_p_value` is what `one_run` uses.

    References
    ----------
    Steinke, Nasr & Jagielski, "Privacy auditing with one (1) training run", NeurIPS 2023, Theorem
    5.2 and Appendix D.

    Examples
    --------
    >>> print(round(binomial_p_value(75, 100, 1000, epsilon=0.673, delta=1e-4), 4))
    0.05
    """
    _validate(correct, guesses, canaries, epsilon, delta)
    if correct == 0:
        return 1.0
    lucky = 1 / (1 + math.exp(-epsilon))
    tails = binomial_tails(correct, guesses, lucky)
    beta = float(tails[0])
    alpha = float(np.max((tails[1:] - beta) / np.arange(1, correct + 1)))
    return min(1.0, (beta + 2 * canaries * delta * alpha) * (1 + OUTWARD))  # rounds up


def worst_p_value(
    correct: int, guesses: int, canaries: int, epsilon: float, delta: float = 0.0
) -> float:
    """Return the greatest probability of so many correct guesses under (epsilon, delta)-DP.

    Parameters
    ----------
    correct, guesses, canaries, epsilon, delta
        As for `binomial_p_value`.

    Returns
    -------
    float
        Rounded up.

    Raises
    ------
    ValueError
        As `binomial_p_value`.

    Notes
    -----
    ``β + m δ β (1 − β) / (v Pr[W = v])`` with β = Pr[W ≥ v], W as in `binomial_p_value`. Turning
    coins and permuting canaries changes neither the claim nor the count; so let p_j be the
    probability of j correct guesses, and turn a coin that is chosen uniformly. It moves mass
    j p_j / m of right guesses to where (r − j + 1) p_(j−1) / m of wrong ones was, so that
    ``j p_j ≤ e^ε (r − j + 1) p_(j−1) + m u_j`` with u_j ≥ 0 and Σ u_j ≤ δ. Written out, p is a
    binomial and m u_i times its tail from i on, over i Pr[W = i]; given Σ p_j = 1 the gain of
    Σ p_j over j ≥ v is at most Σ u_i m g_i, where g_i is β Pr[W < i] / (i Pr[W = i]) up to i = v
    and (1 − β) Pr[W ≥ i] / (i Pr[W = i]) beyond. A binomial is log-concave, so that g_i is
    greatest at i = v. Attained as long as m δ Pr[W ≥ v] ≤ v Pr[W = v].

    Examples
    --------
    >>> print(round(worst_p_value(75, 100, 1000, epsilon=0.673, delta=1e-4), 4))
    0.0408
    """
    _validate(correct, guesses, canaries, epsilon, delta)
    if correct == 0:
        return 1.0
    from scipy.special import betainc, betaincc

    r, v, lucky = guesses, correct, 1 / (1 + math.exp(-epsilon))
    tail = float(betainc(v, r - v + 1, lucky))
    # Of the tails on both sides of v that away from the mode, over Pr[W = v]: no ratio exceeds 1.
    if v >= lucky * (r + 1):
        j = np.arange(v, r)
        beside = 1 + np.cumprod((r - j) / (j + 1) * math.exp(epsilon)).sum()
        other = float(betaincc(v, r - v + 1, lucky))
    else:
        j = np.arange(v, 0, -1)
        beside = np.cumprod(j / (r - j + 1) * math.exp(-epsilon)).sum()
        other = tail
    found = tail + canaries * delta * other * float(beside) / v
    return min(1.0, float(found) * (1 + OUTWARD))  # rounds up


def _validate(correct: int, guesses: int, canaries: int, epsilon: float, delta: float) -> None:
    validate_counts(correct, guesses, canaries)
    if not (epsilon >= 0 and 0 <= delta <= 1):
        raise ValueError(
            f"`epsilon` must be at least 0 and `delta` in [0, 1], got {epsilon!r} and {delta!r}"
        )


def binomial_tails(correct: int, guesses: int, lucky: float) -> NDArray[np.float64]:
    """Return Pr[W >= v − i] for i = 0..v, W binomial."""
    from scipy.special import betainc

    v = np.arange(correct, 0, -1.0)
    return np.append(betainc(v, guesses - v + 1, lucky), 1.0)


def recursive_p_value(correct: int, guesses: int, canaries: int, claim: Claim) -> float:
    """Return the bound of Mahloujifar, Melis & Chaudhuri under any claim, by its trade-off curve.

    Parameters
    ----------
    correct, guesses, canaries : int
        As for `binomial_p_value`.
    claim : Claim

    Returns
    -------
    float
        Rounded up.

    Raises
    ------
    ValueError
        Unless 0 <= correct <= guesses <= canaries.

    Notes
    -----
    Let p_j be the probability of j correct guesses. Turning one coin, chosen uniformly, turns a
    correct guess among j into a wrong one among j − 1, so for every set J of counts, f the curve,
    ``Σ_J j p_j / m ≤ 1 − f(Σ_J (r − j + 1) p_(j−1) / m)``. Only J = {i, i + 1, ...} with i ≤ v is
    used. Given the probability τ of v or more, all other p_j are least where all of τ sits at v,
    and are then found downwards; the claim is rejected at level τ where they sum to more than one.

    References
    ----------
    Mahloujifar, Melis & Chaudhuri, "Auditing f-differential privacy in one run", ICML 2025.
    """
    validate_counts(correct, guesses, canaries)
    least = least_level(claim)
    low, high = 0.0, 1.0
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        if rejects(correct, guesses, canaries, least, middle):
            high = middle
        else:
            low = middle
    return min(1.0, high * (1 + OUTWARD))  # rounds up


def rejects(correct: int, guesses: int, canaries: int, least: Inverse, level: float) -> bool:
    """Return whether a claim leaves so many correct guesses a probability below `level`.

    Parameters
    ----------
    correct, guesses, canaries : int
    least : callable
        Of `least_level`.
    level : float
    """
    if not level < SURE:
        return False
    r, whole = guesses, guesses / canaries
    right = level * correct / canaries  # Σ j p_j / m over j >= i
    wrong = level * (r - correct) / canaries  # Σ (r − j) p_j / m over j >= i
    for i in range(correct - 1, -1, -1):
        needed = least(min(right, 1.0))
        if needed <= wrong:
            break  # no more is needed further down
        right += i / (r - i) * (needed - wrong)
        wrong = needed
        if right + wrong > whole * (1 + OUTWARD):
            return True
    return right + wrong > whole * (1 + OUTWARD)


def least_level(claim: Claim) -> Inverse:
    """Return the function from an event's power to the least level it can have, rounded down.

    That is f(1 − power), for a curve of a symmetric relation.
    """
    if isinstance(claim, GaussianDP):
        return _gaussian(claim.mu)
    if isinstance(claim, PureDP | ApproxDP):
        return _approximate(claim.epsilon, claim.declared_delta)
    return lambda power: float(claim.beta(1.0 - power)) * (1 - OUTWARD)


def _gaussian(mu: float) -> Inverse:
    from scipy.special import ndtr, ndtri

    return lambda power: float(ndtr(ndtri(power) - mu)) * (1 - OUTWARD)  # rounds down


def _approximate(epsilon: float, delta: float) -> Inverse:
    factor, shrink = math.exp(min(epsilon, 700.0)), math.exp(-epsilon)

    def least(power: float) -> float:
        steep = 1 - delta - factor * (1 - power)
        return max(0.0, steep - 1e-15 * factor, shrink * (power - delta) * (1 - OUTWARD))

    return least


def validate_counts(correct: int, guesses: int, canaries: int) -> None:
    """Raise ValueError unless 0 <= correct <= guesses <= canaries, and there are guesses."""
    if not 0 <= correct <= guesses <= canaries or guesses < 1:
        raise ValueError(
            "`correct`, `guesses` and `canaries` must not fall in this order, with one guess at "
            f"least, got {correct}, {guesses}, {canaries}"
        )
