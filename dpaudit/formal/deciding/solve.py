"""Asks a solver whether a goal can be false."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import sympy
import z3

from dpaudit.formal.clock import now
from dpaudit.formal.deciding.encode import Encoder
from dpaudit.formal.deciding.exponents import units
from dpaudit.formal.deciding.numbers import UndefinedError, UnfamiliarError
from dpaudit.formal.deciding.ratios import Formula
from dpaudit.formal.limit import shielded
from dpaudit.formal.solver import NONLINEAR, asked

_SIGN_SHARE = 0.15  # of the time that is left, for each denominator


@dataclass(frozen=True, slots=True)
class Answer:
    """What the solver says.

    Attributes
    ----------
    proved : bool
    obligation : str or None
        SMT-LIB text that is unsatisfiable, where proved.
    hint : dict of str to Fraction, or None
        Numbers at which the goal may be false; to be checked.
    exact : bool
        Whether the formula says all of the relations: then no proof means that it is false, or
        undefined, somewhere.
    reason : str
    """

    proved: bool
    obligation: str | None = None
    hint: dict[str, Fraction] | None = None
    exact: bool = False
    reason: str = ""


def solve(goal: sympy.Basic, given: Sequence[sympy.Basic], deadline: float) -> Answer:
    """Try to prove a goal by refuting its negation.

    Parameters
    ----------
    goal : sympy Boolean
    given : sequence of sympy Boolean
    deadline : float
        Of `dpaudit.formal.clock.now`.

    Returns
    -------
    Answer
    """
    symbols = sorted(_symbols([goal, *given]), key=lambda s: s.name)
    answer = Answer(False, reason="no time was left for the solver")
    # Integers as reals first: what holds for all reals holds for the integers, and is easier.
    some_whole = any(s.is_integer for s in symbols) or _rounds([goal, *given])
    for whole in (False, True) if some_whole else (False,):
        left = deadline - now()
        if left <= 0:
            return answer
        share = left if whole or not some_whole else left * 0.4
        try:
            with shielded():
                answer = _attempt(goal, given, symbols, whole, now() + share)
        except UnfamiliarError as error:
            return Answer(False, reason=str(error))
        except UndefinedError as error:
            return Answer(False, reason=f"undefined: {error}")
        except z3.Z3Exception as error:
            return Answer(False, reason=f"the solver stopped: {error}")
        if answer.proved:
            return answer
    return answer


def _symbols(conditions: Iterable[sympy.Basic]) -> set[sympy.Symbol]:
    return {symbol for condition in conditions for symbol in condition.free_symbols}


def _rounds(conditions: Iterable[sympy.Basic]) -> bool:
    return any(c.has(sympy.floor, sympy.ceiling, sympy.Mod) for c in conditions)


def _attempt(
    goal: sympy.Basic,
    given: Sequence[sympy.Basic],
    symbols: Sequence[sympy.Symbol],
    whole: bool,
    deadline: float,
) -> Answer:
    encoder = Encoder(units([goal, *given]), whole=whole)
    assumed = [domain(encoder, s) for s in symbols] + [_assumed(encoder, g) for g in given]
    with encoder.watching() as conditions:
        false = encoder.falsity(goal)
    if encoder.bottoms:
        encoder.signs = _signs(encoder, assumed, deadline)
        with encoder.watching() as conditions:
            false = encoder.falsity(goal)
    denied = z3.Or([false, *(z3.Not(condition) for condition in conditions)])
    solver = _solver(encoder, [*assumed, *encoder.facts.formulas, denied])
    answer = asked(solver, deadline - now(), NONLINEAR)
    if answer == z3.unsat:
        return Answer(True, _text(solver, encoder))
    exact = whole or not any(s.is_integer for s in symbols)
    if answer == z3.unknown:
        return Answer(False, reason=f"the solver gave up ({solver.reason_unknown()})")
    hint = _hint(solver.model(), encoder)
    return Answer(False, None, hint, exact and not encoder.inexact, "the solver has a model")


def domain(encoder: Encoder, symbol: sympy.Symbol) -> Formula:
    """Return what a symbol's assumptions say of it."""
    x = encoder.symbol(symbol)
    parts = [
        relation
        for says, relation in (
            (symbol.is_positive, x > 0),
            (symbol.is_negative, x < 0),
            (symbol.is_nonnegative, x >= 0),
            (symbol.is_nonpositive, x <= 0),
            (symbol.is_nonzero, x != 0),
        )
        if says
    ]
    return z3.And(parts) if parts else z3.BoolVal(True, encoder.context)


def _assumed(encoder: Encoder, condition: sympy.Basic) -> Formula:
    """Return a condition as something to assume: never more than what it says."""
    with encoder.watching() as conditions:
        truth = encoder.truth(condition)
    if not conditions:
        return truth
    if isinstance(condition, sympy.core.relational.Relational):
        return z3.And([*conditions, truth])
    # Of "n == 0 or 1/n <= 1" the second part need not be defined; it is not assumed.
    return z3.BoolVal(True, encoder.context)


def _signs(encoder: Encoder, assumed: Sequence[Formula], deadline: float) -> dict[str, int]:
    """Return the signs of denominators that the solver can prove."""
    signs = {}
    for bottom in encoder.bottoms:
        share = (deadline - now()) * _SIGN_SHARE
        for sign, against in ((1, bottom <= 0), (-1, bottom >= 0)):
            known = [*assumed, *encoder.facts.formulas, against]
            if asked(_solver(encoder, known), share / 2, NONLINEAR) == z3.unsat:
                signs[bottom.sexpr()] = sign
                break
    return signs


def _solver(encoder: Encoder, formulas: Sequence[Formula]) -> Any:
    logic = "QF_NIRA" if encoder.whole else "QF_NRA"
    solver = z3.SolverFor(logic, encoder.context)
    solver.add(*formulas)
    return solver


def _text(solver: Any, encoder: Encoder) -> str:
    logic = "QF_NIRA" if encoder.whole else "QF_NRA"
    return f"(set-logic {logic})\n{solver.to_smt2()}"


def _hint(model: Any, encoder: Encoder) -> dict[str, Fraction] | None:
    found = {}
    for symbol, term in encoder.symbols.items():
        number = model.eval(term, model_completion=True)
        if z3.is_algebraic_value(number):
            number = number.approx(20)
        if z3.is_int_value(number):
            found[symbol.name] = Fraction(number.as_long())
        elif z3.is_rational_value(number):
            found[symbol.name] = Fraction(number.numerator_as_long(), number.denominator_as_long())
        else:
            return None
    return found
