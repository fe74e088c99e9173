"""Decides whether a relation holds for all values of its variables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from fractions import Fraction
from typing import Any

from dpaudit.formal.clock import now


class Truth(Enum):
    """Whether a relation holds for all values.

    UNKNOWN says nothing: a proof may exist, and so may a counterexample.
    """

    PROVED = "proved"
    REFUTED = "refuted"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Decision:
    """What was decided, and why that can be believed.

    Attributes
    ----------
    truth : Truth
    method : str
        ``"rational"`` (exact arithmetic), ``"ball"`` (certified enclosures of constants),
        ``"smt"``, ``"algebra"`` (an identity of rational functions), ``"boxes"`` (enclosures over
        a bounded domain), ``"search"`` (numbers that were tried), ``"none"``.
    obligation : str or None
        SMT-LIB text: that it is unsatisfiable proves the relation.
    values : dict of str to Fraction, or None
        A counterexample: every condition holds there and the goal does not, both certified.
    reason : str
    evidence : mapping
        What else the method leaves behind, as JSON can hold it.
    """

    truth: Truth
    method: str
    obligation: str | None = None
    values: dict[str, Fraction] | None = None
    reason: str = ""
    evidence: Mapping[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Return the decision as JSON can hold it, rational numbers as ``"p/q"``."""
        values = self.values
        return {
            "truth": self.truth.value,
            "method": self.method,
            "obligation": self.obligation,
            "values": None if values is None else {k: str(v) for k, v in values.items()},
            "reason": self.reason,
            "evidence": dict(self.evidence),
        }


def decide(goal: Any, given: Iterable[Any] = (), *, timeout: float = 5.0) -> Decision:
    """Decide whether a goal holds wherever the conditions do.

    Parameters
    ----------
    goal : sympy relational or Boolean
        Over symbols with assumptions: `real`, and perhaps `integer`, `positive`, `nonnegative`,
        ….  It must be defined wherever the conditions hold, or it is not proved.
    given : iterable of sympy relational or Boolean
        Conditions. Where they contradict each other every goal is proved.
    timeout : float
        Seconds of `dpaudit.formal.clock`, which counts steps.

    Returns
    -------
    Decision
        PROVED with the obligation or evidence, REFUTED with certified values, else UNKNOWN.

    Raises
    ------
    TypeError
        Where the goal or a condition is no relation.

    Notes
    -----
    Numbers must be exact: an expression with a float is UNKNOWN. Roots, powers and logarithms are
    the real ones, so that arguments for which these do not exist are undefined. Equality of
    transcendental numbers is proved only by simplification.

    Examples
    --------
    >>> import sympy
    >>> n = sympy.Symbol("n", integer=True)
    >>> decide(1 / n <= sympy.Rational(1, 2), [n >= 2]).truth
    <Truth.PROVED: 'proved'>
    >>> decide(1 / n <= sympy.Rational(1, 3), [n >= 2]).values
    {'n': Fraction(2, 1)}
    """
    from dpaudit.formal.deciding.run import run

    if not timeout > 0:
        raise ValueError(f"`timeout` must be positive, got {timeout!r}; 5.0 seconds is usual")
    conditions: Sequence[Any] = tuple(given)
    return run(goal, conditions, now() + timeout)


def satisfiable(given: Iterable[Any], *, timeout: float = 5.0) -> Decision:
    """Decide whether conditions contradict each other.

    Parameters
    ----------
    given : iterable of sympy relational or Boolean
    timeout : float
        Seconds of `dpaudit.formal.clock`, which counts steps.

    Returns
    -------
    Decision
        PROVED where they contradict each other; REFUTED with values at which all of them hold;
        else UNKNOWN.
    """
    import sympy

    return decide(sympy.false, given, timeout=timeout)
