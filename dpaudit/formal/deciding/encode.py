"""Relations of sympy as formulas for a solver over reals and integers.

Every division is by a term that the formula also asks to be non-zero; roots, exp, log and erf are
fresh variables with facts that hold for the function (a proof from facts is a proof; a model of
them is only a hint).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from math import lcm
from typing import Any

import sympy
import z3

from dpaudit.formal.clock import charge
from dpaudit.formal.deciding.axioms import Facts
from dpaudit.formal.deciding.exponents import Exponent, exponent_of
from dpaudit.formal.deciding.numbers import UnfamiliarError
from dpaudit.formal.deciding.ratios import (
    Formula,
    Ratio,
    Term,
    choose,
    compare,
    conjunction,
    plus,
    power,
    times,
)
from dpaudit.formal.limit import breathe
from dpaudit.formal.solver import Context

_LARGEST_POWER = 24
_OPPOSITE = {"==": "!=", "!=": "==", "<=": ">", ">": "<=", ">=": "<", "<": ">="}


def whole_multiple(gap: sympy.Expr) -> sympy.Expr | None:
    """Return a positive multiple of a sum that is an integer for all values, if one is known."""
    terms = [term.as_coeff_Mul(rational=True) for term in sympy.Add.make_args(gap)]
    scale = lcm(*(int(factor.q) for factor, _ in terms))
    if not all(rest.is_integer for _, rest in terms):
        return None
    return sympy.Add(*(scale * factor * rest for factor, rest in terms))


class Encoder:
    """Writes sympy expressions as terms of one solver context.

    Parameters
    ----------
    units : mapping
        Common denominators of exponents, of all expressions that will be encoded.
    whole : bool
        Whether integers are integers; else they are taken as reals, of which there are more.
    """

    def __init__(self, units: Mapping[sympy.Expr, int], *, whole: bool) -> None:
        self.context = Context()
        self.whole = whole
        self.units = dict(units)
        self.symbols: dict[sympy.Symbol, Term] = {}
        self.bottoms: list[Term] = []
        self.signs: dict[str, int] = {}
        self.inexact = False
        self._path: list[Formula] = []
        self._watchers: list[tuple[list[Formula], int]] = []
        self._known: dict[sympy.Expr, Ratio] = {}
        self.one = z3.RealVal(1, self.context)
        self.facts = Facts(self)

    # --- relations

    def truth(self, condition: sympy.Basic) -> Formula:
        """Return a formula that is true where the condition is, if it is defined."""
        if condition is sympy.true or condition is sympy.false:
            return z3.BoolVal(bool(condition), self.context)
        if isinstance(condition, sympy.Not):
            return self.falsity(condition.args[0])
        if isinstance(condition, sympy.And):
            return z3.And([self.truth(part) for part in condition.args])
        if isinstance(condition, sympy.Or):
            return z3.Or([self.truth(part) for part in condition.args])
        if isinstance(condition, sympy.Implies):
            return z3.Implies(*(self.truth(part) for part in condition.args))
        if isinstance(condition, sympy.core.relational.Relational):
            return self._relation(condition.rel_op, *condition.args)
        raise UnfamiliarError(f"{condition} is no relation that is known")

    def falsity(self, condition: sympy.Basic) -> Formula:
        """Return a formula that is true where the condition is not, if it is defined."""
        if isinstance(condition, sympy.core.relational.Relational):
            return self._relation(_OPPOSITE[condition.rel_op], *condition.args)
        return z3.Not(self.truth(condition))

    def _relation(self, operator: str, left: sympy.Expr, right: sympy.Expr) -> Formula:
        formula = compare(operator, self.number(left), self.number(right))
        if operator in ("<", ">"):
            gap = whole_multiple(left - right)
            if gap is not None:
                # Between integers "less" is "less by one", which solvers overlook under to_real.
                one = self.constant(-1 if operator == "<" else 1)
                closed = compare(f"{operator}=", self.number(gap), one)
                return z3.And(formula, closed)
        return formula

    @contextmanager
    def watching(self) -> Iterator[list[Formula]]:
        """Collect what must hold for the expressions encoded inside to be defined.

        What led here (the branch of a piecewise expression) is left out: facts about a function's
        argument are guarded by this, and must not be asserted where no branch asks for it.
        """
        collected: list[Formula] = []
        self._watchers.append((collected, len(self._path)))
        try:
            yield collected
        finally:
            self._watchers.pop()

    def need(self, condition: Formula) -> None:
        """Ask for a condition without which the expression is not defined."""
        for collected, depth in self._watchers:
            path = self._path[depth:]
            if path:
                collected.append(z3.Implies(conjunction(path, self.context), condition))
            else:
                collected.append(condition)

    # --- numbers

    def number(self, expression: sympy.Expr) -> Ratio:
        """Return an expression as a fraction of terms."""
        charge(150)
        breathe()
        if isinstance(expression, sympy.Rational):
            return self.constant(expression)
        if isinstance(expression, sympy.Symbol):
            return Ratio(self.symbol(expression), self.one)
        if isinstance(expression, sympy.Add):
            return self._folded(plus, expression)
        if isinstance(expression, sympy.Mul):
            return self._folded(times, expression)
        if isinstance(expression, sympy.Piecewise):
            return self._piecewise(expression)
        if isinstance(expression, sympy.Abs):
            inner = self.number(expression.args[0])
            return choose(self.at_least(inner, 0), inner, self.negated(inner))
        if isinstance(expression, sympy.Min | sympy.Max):
            return self._extreme(expression)
        if isinstance(expression, sympy.sign):
            return self._sign(self.number(expression.args[0]))
        exponent = exponent_of(expression)
        if exponent is not None:
            return self._exponential(expression, exponent)
        if isinstance(expression, sympy.Pow):
            return self._power(*expression.args)
        return self._fresh(expression)

    def constant(self, number: Any) -> Ratio:
        """Return a rational number; never through a float."""
        return Ratio(z3.RealVal(str(sympy.Rational(number)), self.context), self.one)

    def symbol(self, symbol: sympy.Symbol) -> Term:
        """Return the variable of a symbol, as a real term."""
        if symbol not in self.symbols:
            make = z3.Int if self.whole and symbol.is_integer else z3.Real
            self.symbols[symbol] = make(symbol.name, self.context)
        return self.real(self.symbols[symbol])

    def real(self, term: Term) -> Term:
        """Return an integer term as a real one."""
        return z3.ToReal(term) if term.is_int() else term

    def unknown(self, what: str, *, whole: bool = False) -> Term:
        """Return a fresh variable."""
        make = z3.FreshInt if whole and self.whole else z3.FreshReal
        return self.real(make(what, self.context))

    def at_least(self, a: Ratio, bound: int) -> Formula:
        """Return that a number is at least a bound."""
        return compare(">=", a, self.constant(bound))

    def negated(self, a: Ratio) -> Ratio:
        """Return minus the number."""
        return Ratio(-a.top, a.bottom, a.sign)

    def inverse(self, a: Ratio) -> Ratio:
        """Return one over the number, and ask for it to be non-zero."""
        if z3.is_rational_value(a.top):
            return self._constant_over(a)
        if not any(a.top.eq(bottom) for bottom in self.bottoms):
            self.bottoms.append(a.top)
        sign = self.signs.get(a.top.sexpr(), 0)
        if sign == 0:
            self.need(a.top != 0)
            return Ratio(a.bottom, a.top, 0)
        self.need(a.top > 0 if sign > 0 else a.top < 0)
        if sign < 0:
            return Ratio(-a.bottom, -a.top, 1)
        return Ratio(a.bottom, a.top, 1)

    def _constant_over(self, a: Ratio) -> Ratio:
        top, bottom = a.top.numerator_as_long(), a.top.denominator_as_long()
        if top == 0:
            self.need(z3.BoolVal(False, self.context))
            return Ratio(a.bottom, self.one)
        inverse = z3.RealVal(f"{bottom}/{top}" if top > 0 else f"{-bottom}/{-top}", self.context)
        return Ratio(inverse * a.bottom, self.one, 1)

    def _folded(self, join: Any, expression: sympy.Expr) -> Ratio:
        parts = [self.number(part) for part in expression.args]
        total = parts[0]
        for part in parts[1:]:
            total = join(total, part)
        return total

    def _piecewise(self, expression: sympy.Piecewise) -> Ratio:
        depth = len(self._path)
        branches = []
        for branch, condition in expression.args:
            test = self.truth(condition)
            self._path.append(test)
            branches.append((test, self.number(branch)))
            self._path[-1] = z3.Not(test)
        # Where no condition is true, the expression has no value.
        self.need(z3.BoolVal(False, self.context))
        del self._path[depth:]
        result = branches[-1][1]
        for test, branch in reversed(branches[:-1]):
            result = choose(test, branch, result)
        return result

    def _extreme(self, expression: sympy.Expr) -> Ratio:
        operator = "<=" if isinstance(expression, sympy.Min) else ">="
        parts = [self.number(part) for part in expression.args]
        best = parts[0]
        for part in parts[1:]:
            best = choose(compare(operator, best, part), best, part)
        return best

    def _sign(self, inner: Ratio) -> Ratio:
        zero = self.constant(0)
        below = choose(compare("<", inner, zero), self.constant(-1), zero)
        return choose(compare(">", inner, zero), self.constant(1), below)

    def _power(self, base: sympy.Expr, exponent: sympy.Rational) -> Ratio:
        root = self.number(base) if exponent.q == 1 else self._root(base, int(exponent.q))
        times_ = abs(int(exponent.p))
        if times_ > _LARGEST_POWER:
            raise UnfamiliarError(f"the power {exponent} is too large for the solver")
        if exponent < 0:
            root = self.inverse(root)
        # An even power of a bottom that is not zero is positive.
        sign = 1 if root.sign == 1 or times_ % 2 == 0 else 0
        return Ratio(power(root.top, times_, self.one), power(root.bottom, times_, self.one), sign)

    # --- what becomes a variable

    def _root(self, base: sympy.Expr, degree: int) -> Ratio:
        key = sympy.Pow(base, sympy.Rational(1, degree), evaluate=False)
        if key not in self._known:
            with self.watching() as conditions:
                inner = self.number(base)
                self.need(self.at_least(inner, 0))
            self._known[key] = self.facts.root(inner, degree, list(conditions))
            return self._known[key]
        self._again(base, lambda inner: self.need(self.at_least(inner, 0)))
        return self._known[key]

    def _exponential(self, expression: sympy.Expr, exponent: Exponent) -> Ratio:
        if not isinstance(expression, sympy.exp) and expression.args[0] is not sympy.E:
            base = self.number(expression.args[0])
            self.need(compare(">", base, self.constant(0)))
        result = Ratio(self.one, self.one)
        for term, factor in exponent.items():
            steps = factor * self.units[term]
            if abs(steps) > _LARGEST_POWER:
                raise UnfamiliarError(f"exp({factor}*{term}) is too high a power for the solver")
            unit = self._unit(term, self.units[term])
            raised = power(unit, abs(int(steps)), self.one)
            # A unit is positive, so that dividing by it needs no condition.
            part = Ratio(raised, self.one) if steps > 0 else Ratio(self.one, raised)
            result = times(result, part)
        return result

    def _unit(self, term: sympy.Expr, parts: int) -> Term:
        key = sympy.Function("unit")(term)
        if key not in self._known:
            with self.watching() as conditions:
                inner = self.number(term / parts)
            self._known[key] = Ratio(
                self.facts.exponential(term / parts, inner, list(conditions)), self.one
            )
        else:
            self._again(term, lambda inner: None)
        return self._known[key].top

    def _fresh(self, expression: sympy.Expr) -> Ratio:
        """Return a function's value as a variable with facts."""
        if not expression.free_symbols:
            return self._number_of_its_own(expression)
        name = expression.func.__name__
        if name not in self.facts.known:
            raise UnfamiliarError(f"{name} is not known in {expression}")
        if name == "Mod":
            a, b = expression.args
            return self.number(a - b * sympy.floor(a / b))
        if name == "ceiling":
            return self.negated(self.number(sympy.floor(-expression.args[0])))
        if name == "erfc":
            inner = sympy.erf(expression.args[0])
            return plus(self.constant(1), self.negated(self.number(inner)))
        argument = expression.args[0]
        if name == "log":
            parts = sympy.expand_log(expression)
            if parts != expression:
                return self.number(parts)
        if expression in self._known:
            self._again(argument, lambda inner: self._domain(name, inner))
            return self._known[expression]
        with self.watching() as conditions:
            inner = self.number(argument)
            self._domain(name, inner)
        self._known[expression] = self.facts.function(name, argument, inner, list(conditions))
        if name == "floor":
            self._floor_of_fraction(argument, self._known[expression])
        return self._known[expression]

    def _floor_of_fraction(self, argument: sympy.Expr, floor: Ratio) -> None:
        """Say of integers p, q that q·⌊p/q⌋ is within q - 1 of p, not merely within q."""
        top, bottom = sympy.fraction(sympy.together(argument))
        if not (top.is_integer and bottom.is_integer):
            return
        with self.watching() as conditions:
            p, q = self.number(top), self.number(bottom)
        one, zero = self.constant(1), self.constant(0)
        rest = plus(p, self.negated(times(q, floor)))
        self.facts.say(
            conjunction(conditions, self.context),
            z3.Implies(compare(">", q, zero), compare("<=", rest, plus(q, self.negated(one)))),
            z3.Implies(compare("<", q, zero), compare(">=", rest, plus(q, one))),
        )

    def _number_of_its_own(self, expression: sympy.Expr) -> Ratio:
        if expression not in self._known:
            parts = expression
            if isinstance(expression, sympy.log):
                parts = sympy.expand_log(expression, factor=True)
            known = self.facts.number(parts) if parts == expression else self.number(parts)
            self._known[expression] = known
        return self._known[expression]

    def _domain(self, name: str, inner: Ratio) -> None:
        if name == "log":
            self.need(compare(">", inner, self.constant(0)))

    def _again(self, argument: sympy.Expr, domain: Any) -> None:
        """Ask once more for what the argument needs, on the path that leads here now."""
        domain(self.number(argument))
