"""What is known of roots, exponentials, logarithms and rounding, as facts for a solver.

Each fact holds for every real argument in the function's domain, so that whatever follows from
facts is true. They say enough for bounds that are linear or quadratic near the arguments.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import sympy
import z3
from flint import arb

from dpaudit.formal.deciding.numbers import UndefinedError, precision
from dpaudit.formal.deciding.ratios import (
    Formula,
    Ratio,
    Term,
    compare,
    conjunction,
    plus,
    power,
    times,
)
from dpaudit.formal.deciding.values import value

if TYPE_CHECKING:
    from dpaudit.formal.deciding.encode import Encoder

_BITS = 160
_SHOWN = 40  # decimal digits of a constant's bounds


class Facts:
    """Fresh variables for functions, and the facts that tie them to their arguments."""

    known = frozenset({"floor", "ceiling", "Mod", "log", "erf", "erfc", "tanh"})

    def __init__(self, encoder: Encoder) -> None:
        self._to = encoder
        self.formulas: list[Formula] = []
        self._exponentials: list[tuple[Ratio, Term, Formula]] = []
        self._functions: dict[str, list[tuple[Ratio, Term, Formula]]] = {}

    def say(self, guard: Formula, *facts: Formula) -> None:
        """Assert facts where the argument is defined: elsewhere they could exclude real cases."""
        self.formulas += [z3.Implies(guard, fact) for fact in facts]

    def _guard(self, conditions: list[Formula]) -> Formula:
        return conjunction(conditions, self._to.context)

    def root(self, inner: Ratio, degree: int, conditions: list[Formula]) -> Ratio:
        """Return the root that is not negative; the facts say all of it."""
        root = self._to.unknown("root")
        raised = Ratio(power(root, degree, self._to.one), self._to.one)
        self.say(self._guard(conditions), root >= 0, compare("==", raised, inner))
        return Ratio(root, self._to.one)

    def number(self, expression: sympy.Expr) -> Ratio:
        """Return a constant between two rational bounds that a ball certifies."""
        with precision(_BITS):
            enclosed = value(expression, {})
            if not isinstance(enclosed, arb):
                return self._to.constant(sympy.Rational(int(enclosed.p), int(enclosed.q)))
            if not enclosed.is_finite():
                raise UndefinedError(f"{expression} has no value that could be enclosed")
            # Decimal bounds of the middle and the radius, rounded outward.
            middle, radius, exponent = enclosed.mid_rad_10exp(_SHOWN)
        scale = sympy.Integer(10) ** int(exponent)
        low, high = (sympy.Integer(int(m)) * scale for m in (middle - radius, middle + radius))
        constant = self._to.unknown("constant")
        self.formulas += [
            constant >= self._to.constant(low).top,
            constant <= self._to.constant(high).top,
        ]
        self._to.inexact = True
        return Ratio(constant, self._to.one)

    def exponential(self, argument: sympy.Expr, inner: Ratio, conditions: list[Formula]) -> Term:
        """Return exp of an argument: positive, convex bounds around 0, increasing."""
        if not argument.free_symbols:
            return self.number(sympy.exp(argument)).top
        to, guard = self._to, self._guard(conditions)
        to.inexact = True
        unit = to.unknown("exp")
        # A positive factor may be cancelled anywhere, so this one needs no guard.
        self.formulas.append(unit > 0)
        one, e = to.constant(1), Ratio(unit, to.one)
        square, cube = times(inner, inner), times(inner, times(inner, inner))
        line = plus(one, inner)
        second = plus(line, times(to.constant(sympy.Rational(1, 2)), square))
        third = plus(second, times(to.constant(sympy.Rational(1, 6)), cube))
        over, under = plus(to.constant(2), inner), plus(to.constant(2), to.negated(inner))
        low = compare("<=", inner, to.constant(0))
        self.say(
            guard,
            compare(">=", e, line),
            compare("==", e, one) == compare("==", inner, to.constant(0)),
            compare(">", e, one) == compare(">", inner, to.constant(0)),
            # Taylor with Lagrange's remainder: e^a ≥ an odd partial sum; an even one bounds it
            # above for a ≤ 0 and below for a ≥ 0.
            compare(">=", e, third),
            z3.If(low, compare("<=", e, second), compare(">=", e, second)),
            # tanh(a/2) ≤ a/2 for a ≥ 0, and at least that below
            z3.If(low, compare(">=", times(e, under), over), compare("<=", times(e, under), over)),
            # e^(-a) ≥ 1 - a
            compare("<=", times(e, plus(one, to.negated(inner))), one),
        )
        for other, known, when in self._exponentials:
            self.say(
                z3.And(guard, when),
                compare("<", other, inner) == (known < unit),
                compare("==", other, inner) == (known == unit),
            )
        for argument_, logarithm, when in self._functions.get("log", ()):
            self._inverse(Ratio(logarithm, to.one), argument_, when, inner, unit, guard)
        self._exponentials.append((inner, unit, guard))
        return unit

    def function(
        self, name: str, argument: sympy.Expr, inner: Ratio, conditions: list[Formula]
    ) -> Ratio:
        """Return the value of a function with facts of its own."""
        guard = self._guard(conditions)
        if name == "floor":
            return self._floor(inner, guard)
        self._to.inexact = True
        result = self._to.unknown(name)
        own = {"log": self._log, "erf": self._erf, "tanh": self._tanh}[name]
        self.say(guard, *own(inner, Ratio(result, self._to.one)))
        for other, known, when in self._functions.get(name, ()):
            self.say(
                z3.And(guard, when),
                compare("<", other, inner) == (known < result),
                compare("==", other, inner) == (known == result),
            )
        if name == "log":
            for exponent, unit, when in self._exponentials:
                self._inverse(Ratio(result, self._to.one), inner, guard, exponent, unit, when)
        self._functions.setdefault(name, []).append((inner, result, guard))
        return Ratio(result, self._to.one)

    def _inverse(
        self, log: Ratio, of: Ratio, there: Formula, exponent: Ratio, exp: Term, here: Formula
    ) -> None:
        """Say that log(of) and the exponent compare as `of` and exp(exponent) do."""
        for operator in ("<", "=="):
            self.say(
                z3.And(there, here),
                compare(operator, log, exponent) == compare(operator, of, Ratio(exp, self._to.one)),
            )

    def _floor(self, inner: Ratio, guard: Formula) -> Ratio:
        whole = Ratio(self._to.unknown("floor", whole=True), self._to.one)
        self.say(
            guard,
            compare("<=", whole, inner),
            compare("<", inner, plus(whole, self._to.constant(1))),
        )
        return whole

    def _log(self, a: Ratio, log: Ratio) -> tuple[Formula, ...]:
        to = self._to
        one, zero = to.constant(1), to.constant(0)
        less = plus(a, to.constant(-1))
        more = plus(a, one)
        return (
            compare("<=", log, less),  # log a ≤ a - 1
            compare(">=", times(a, log), less),  # log a ≥ 1 - 1/a
            compare(">", log, zero) == compare(">", a, one),
            compare("==", log, zero) == compare("==", a, one),
            # log a ≥ 2(a - 1)/(a + 1) for a ≥ 1, and at most that below
            z3.If(
                compare(">=", a, one),
                compare(">=", times(log, more), times(to.constant(2), less)),
                compare("<=", times(log, more), times(to.constant(2), less)),
            ),
        )

    def _erf(self, a: Ratio, erf: Ratio) -> tuple[Formula, ...]:
        to, zero = self._to, self._to.constant(0)
        slope = to.constant(sympy.Rational(11284, 10000))  # rounds 2/√π up
        steep = times(slope, a)
        return (
            compare("<", erf, to.constant(1)),
            compare(">", erf, to.constant(-1)),
            compare(">", erf, zero) == compare(">", a, zero),
            compare("==", erf, zero) == compare("==", a, zero),
            z3.If(compare(">=", a, zero), compare("<=", erf, steep), compare(">=", erf, steep)),
        )

    def _tanh(self, a: Ratio, tanh: Ratio) -> tuple[Formula, ...]:
        to, zero = self._to, self._to.constant(0)
        return (
            compare("<", tanh, to.constant(1)),
            compare(">", tanh, to.constant(-1)),
            compare(">", tanh, zero) == compare(">", a, zero),
            compare("==", tanh, zero) == compare("==", a, zero),
            z3.If(compare(">=", a, zero), compare("<=", tanh, a), compare(">=", tanh, a)),
        )
