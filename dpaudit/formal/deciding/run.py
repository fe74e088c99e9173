"""The methods in turn: constants, the solver, algebra, numbers that violate, boxes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import sympy
from flint import fmpq

from dpaudit.formal.clock import charge, now
from dpaudit.formal.decide import Decision, Truth
from dpaudit.formal.deciding.boxes import cover
from dpaudit.formal.deciding.numbers import (
    PRECISIONS,
    UndefinedError,
    UnfamiliarError,
    fraction,
    precision,
    rational,
)
from dpaudit.formal.deciding.points import search, simplest
from dpaudit.formal.deciding.ranges import Range, ranges_of
from dpaudit.formal.deciding.slopes import descend
from dpaudit.formal.deciding.solve import Answer, solve
from dpaudit.formal.deciding.values import holds, value

_FIRST_POINTS, _MORE_POINTS = 400, 20_000
# Little is told to the solver of these, so that boxes come first.
_BEYOND_FACTS = (sympy.erf, sympy.erfc)
_TRANSCENDENTAL = (*_BEYOND_FACTS, sympy.exp, sympy.log, sympy.tanh)
_FEW = 200
_LARGEST_EXPANSION = 400  # operations


def run(goal: Any, given: Sequence[Any], deadline: float) -> Decision:
    """Decide a goal; see `dpaudit.formal.decide.decide`."""
    charge(3000)
    goal = _relation(goal, "goal")
    given = [_relation(condition, "given") for condition in given]
    refusal = _refusal([goal, *given])
    if refusal:
        return Decision(Truth.UNKNOWN, "none", reason=refusal)
    if goal is sympy.true:
        return Decision(Truth.PROVED, "rational", reason="both sides are the same")
    given = [condition for condition in given if condition is not sympy.true]
    symbols = sorted(
        {s for condition in (goal, *given) for s in condition.free_symbols}, key=lambda s: s.name
    )
    try:
        if not symbols:
            return _constant(goal, given, deadline)
        return _general(goal, given, symbols, deadline)
    except UnfamiliarError as error:
        return Decision(Truth.UNKNOWN, "none", reason=str(error))


def _relation(condition: Any, name: str) -> sympy.Basic:
    if isinstance(condition, bool):
        return sympy.true if condition else sympy.false
    if isinstance(condition, sympy.logic.boolalg.Boolean) and not condition.is_Symbol:
        return condition
    raise TypeError(
        f"`{name}` must be a sympy relation such as x <= 1, got {condition!r}; "
        "use sympy.Le, sympy.Eq and the like"
    )


def _refusal(conditions: Sequence[sympy.Basic]) -> str:
    """Say why nothing can be decided of conditions, if so."""
    for condition in conditions:
        floats = condition.atoms(sympy.Float)
        if floats:
            return (
                f"{condition} holds the float {min(map(str, floats))}; "
                "write the rational number that it stands for"
            )
        if condition.has(sympy.oo, -sympy.oo, sympy.zoo, sympy.nan, sympy.I):
            return f"{condition} holds a number that is not a finite real one"
        for symbol in condition.free_symbols:
            if not symbol.is_real:
                return f"nothing says that {symbol} is real; declare it with real=True"
    return ""


def _constant(goal: sympy.Basic, given: Sequence[sympy.Basic], deadline: float) -> Decision:
    """Decide a goal without variables."""
    try:
        known = [_settled(condition) for condition in given]
        answer, method, shown = _settled_with_numbers(goal)
    except UndefinedError as error:
        return Decision(Truth.UNKNOWN, "none", reason=f"undefined: {error}")
    if False in known:
        return Decision(Truth.PROVED, "ball", reason="a condition is false")
    if answer is True:
        return Decision(Truth.PROVED, method, evidence=shown)
    if answer is False and None not in known:
        return Decision(Truth.REFUTED, method, values={}, evidence=shown)
    if _identity(goal):
        return Decision(Truth.PROVED, "algebra", reason="both sides simplify to the same number")
    said = solve(goal, given, deadline)
    if said.proved:
        return Decision(Truth.PROVED, "smt", said.obligation)
    return Decision(Truth.UNKNOWN, "none", reason="the balls of both sides overlap", evidence=shown)


def _settled(condition: sympy.Basic) -> bool | None:
    return _settled_with_numbers(condition)[0]


def _settled_with_numbers(condition: sympy.Basic) -> tuple[bool | None, str, dict[str, str]]:
    answer, shown, method = None, {}, "rational"
    for bits in PRECISIONS:
        with precision(bits):
            answer = holds(condition, {})
            shown = numbers(condition, {})
        if any("±" in text for text in shown.values()):
            method = "ball"
        if answer is not None:
            break
    return answer, method, shown


def numbers(condition: sympy.Basic, at: Mapping[sympy.Symbol, fmpq]) -> dict[str, str]:
    """Return what both sides of a relation are at a point, as text."""
    if not isinstance(condition, sympy.core.relational.Relational):
        return {}
    left, right = (text_of(value(side, at)) for side in condition.args)
    return {"left": left, "right": right}


def text_of(number: Any) -> str:
    """Write a rational number as ``p/q``, a ball as ``middle ± radius`` (rounds outward)."""
    if isinstance(number, fmpq):
        return str(fraction(number))
    if not number.is_finite():
        return "undefined"
    middle, radius, exponent = number.mid_rad_10exp(20)
    return f"{middle}e{exponent} ± {radius}e{exponent}"


def _general(
    goal: sympy.Basic,
    given: Sequence[sympy.Basic],
    symbols: Sequence[sympy.Symbol],
    deadline: float,
) -> Decision:
    start = now()
    ranges = ranges_of(symbols, given)
    if goal.has(*_BEYOND_FACTS) or _few(ranges):
        covered = _by_boxes(goal, given, ranges, start + 0.15 * (deadline - start))
        if covered is not None:
            return covered
    # What is bounded and no polynomial is for the boxes; a solver decides it soon or never.
    for_boxes = goal.has(*_TRANSCENDENTAL) and _bounded(ranges)
    solver_end = start + (0.1 if for_boxes else 0.5) * (deadline - start)
    said = solve(goal, given, solver_end)
    if said.proved:
        return Decision(Truth.PROVED, "smt", said.obligation)
    near = None
    if said.hint is not None:
        near = {s: rational(said.hint.get(s.name, 0)) for s in symbols}
    share = start + 0.6 * (deadline - start)
    found = search(goal, given, ranges, deadline=share, most=_FIRST_POINTS, near=near)
    if found is not None:
        found = simplest(goal, given, ranges, found, deadline)
        return _refuted(goal, found, "search" if near is None else "smt")
    if not said.exact and _defined_identity(goal, given, deadline):
        return Decision(Truth.PROVED, "algebra", reason="both sides are the same rational function")
    if not said.exact:
        methods = (_by_boxes, descend) if for_boxes else (descend, _by_boxes)
        for method, share in zip(methods, (0.75, 0.9), strict=True):
            proved = method(goal, given, ranges, start + share * (deadline - start))
            if proved is not None:
                return proved
    found = search(goal, given, ranges, deadline=deadline, most=_MORE_POINTS)
    if found is not None:
        return _refuted(goal, found, "search")
    model = said.exact and said.hint is not None and goal is sympy.false
    return Decision(
        Truth.UNKNOWN, "none", reason=_why(said), evidence={"model": True} if model else {}
    )


def _by_boxes(
    goal: sympy.Basic,
    given: Sequence[sympy.Basic],
    ranges: Mapping[sympy.Symbol, Range],
    deadline: float,
) -> Decision | None:
    found = cover(goal, given, ranges, deadline)
    if found is None:
        return None
    domain = {s.name: f"[{r.low}, {r.high}]" for s, r in ranges.items()}
    evidence = {"boxes": found.boxes, "by": found.by, "domain": domain}
    return Decision(Truth.PROVED, "boxes", evidence=evidence)


def _bounded(ranges: Mapping[sympy.Symbol, Range]) -> bool:
    return all(r.low is not None and r.high is not None for r in ranges.values())


def _few(ranges: Mapping[sympy.Symbol, Range]) -> bool:
    """Return whether all variables are integers of which there are few combinations."""
    count = Fraction(1)
    for symbol, within in ranges.items():
        if not symbol.is_integer or within.low is None or within.high is None:
            return False
        count *= max(Fraction(0), within.high - within.low + 1)
    return count <= _FEW


def _why(said: Answer) -> str:
    if said.hint is not None:
        near = ", ".join(f"{name} = {number}" for name, number in sorted(said.hint.items()))
        return f"false or undefined near {near}, which no rational numbers certified"
    return said.reason or "no method decided it"


def _refuted(goal: sympy.Basic, at: Mapping[sympy.Symbol, fmpq], method: str) -> Decision:
    with precision(PRECISIONS[-1]):
        shown = numbers(goal, at)
    values = {s.name: fraction(x) for s, x in at.items()}
    return Decision(Truth.REFUTED, method, values=values, evidence=shown)


def _identity(goal: sympy.Basic) -> bool:
    """Return whether both sides of ``==``, ``<=`` or ``>=`` simplify to the same."""
    if not isinstance(goal, sympy.core.relational.Relational):
        return False
    if goal.rel_op not in ("==", "<=", ">="):
        return False
    gap = goal.args[0] - goal.args[1]
    if gap.count_ops() > _LARGEST_EXPANSION:
        return False
    top, _ = sympy.fraction(sympy.together(gap))
    return bool(sympy.expand_log(sympy.expand(top), factor=True) == 0)


def _defined_identity(goal: sympy.Basic, given: Sequence[sympy.Basic], deadline: float) -> bool:
    """Return whether a goal is an identity, and defined wherever the conditions hold."""
    if not _identity(goal):
        return False
    powers = goal.atoms(sympy.Pow)
    if goal.has(sympy.log, sympy.Piecewise, sympy.Mod) or any(
        not p.args[1].is_Integer for p in powers
    ):
        return False
    bottoms = {p.args[0] for p in powers if p.args[1].is_negative}
    return all(
        solve(sympy.Ne(bottom, 0, evaluate=False), given, deadline).proved for bottom in bottoms
    )
