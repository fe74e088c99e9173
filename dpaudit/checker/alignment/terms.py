"""Numbers, truths and the solver's terms."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import reduce
from typing import Any

import cvc5
from cvc5 import Kind

from dpaudit.checker.alignment.ratios import Ratio
from dpaudit.checker.file import NotCheckedError
from dpaudit.checker.limits import limit

LENGTH = "%n"  # of the data; no name of a parameter
Term = Any  # cvc5.Term
Number = Any  # Ratio or a Term of sort Int or Real


class Terms:
    """Builds terms of one solver; whole numbers become reals where they meet reals.

    Parameters
    ----------
    whole : set of str
        Parameters that are whole numbers.
    """

    def __init__(self, whole: Iterable[str]) -> None:
        self.manager = cvc5.TermManager()
        self.whole = {*whole, LENGTH}
        self.int = self.manager.getIntegerSort()
        self.real = self.manager.getRealSort()
        self.bool = self.manager.getBooleanSort()
        self.true, self.false = self.manager.mkTrue(), self.manager.mkFalse()
        self._constants: dict[str, Term] = {}
        self._rewriter = cvc5.Solver(self.manager)

    def renew(self) -> None:
        """Forget the unknowns, whose sorts were guessed too narrow."""
        self._constants.clear()

    # --- unknowns and numbers

    def unknown(self, name: str, sort: Any) -> Term:
        """Return the unknown of that name, one for one name."""
        known = self._constants.get(name)
        if known is None:
            known = self._constants[name] = self.manager.mkConst(sort, name)
        if known.getSort() != sort:
            raise NotCheckedError(f"not checked: {name} is of two sorts")
        return known

    def parameter(self, name: str) -> Term:
        """Return a parameter, or the length of the data."""
        return self.unknown(name, self.int if name in self.whole else self.real)

    def exact(self, value: int | Fraction) -> Term:
        """Return a rational number."""
        value = Fraction(value)
        if value.denominator == 1:
            return self.manager.mkInteger(str(value.numerator))
        return self.manager.mkReal(f"{value.numerator}/{value.denominator}")

    def number(self, value: Number) -> Term:
        """Return a number as a term."""
        if not isinstance(value, Ratio):
            return value
        polynomial = value.polynomial
        if polynomial is None:
            raise NotCheckedError("not checked: a quotient of parameters among the data")
        total = self.exact(0)
        for monomial, coefficient in polynomial.items():
            factors = [self.parameter(name) for name, power in monomial for _ in range(power)]
            total = self.add(total, reduce(self.multiply, factors, self.exact(coefficient)))
        return total

    def is_whole(self, value: Number) -> bool:
        """Whether a number is whole for certain."""
        if isinstance(value, Ratio):
            polynomial = value.polynomial
            return polynomial is not None and all(
                c.denominator == 1 and all(n in self.whole for n, _ in m)
                for m, c in polynomial.items()
            )
        return bool(value.getSort() == self.int)

    # --- arithmetic

    def as_real(self, term: Term) -> Term:
        """Return a term as a real number."""
        if term.getSort() == self.real:
            return term
        if term.isIntegerValue():
            return self.manager.mkReal(str(term.getIntegerValue()))
        return self.manager.mkTerm(Kind.TO_REAL, term)

    def _same_sort(self, a: Term, b: Term) -> tuple[Term, Term]:
        if a.getSort() == b.getSort():
            return a, b
        return self.as_real(a), self.as_real(b)

    def _binary(self, kind: Kind, a: Term, b: Term) -> Term:
        return self.manager.mkTerm(kind, *self._same_sort(a, b))

    def add(self, a: Term, b: Term) -> Term:
        """Return a + b."""
        return self._binary(Kind.ADD, a, b)

    def subtract(self, a: Term, b: Term) -> Term:
        """Return a - b."""
        return self._binary(Kind.SUB, a, b)

    def multiply(self, a: Term, b: Term) -> Term:
        """Return a * b."""
        return self._binary(Kind.MULT, a, b)

    def size(self, a: Term) -> Term:
        """Return the absolute value."""
        zero = self.exact(0)
        return self.choose(self.at_least(a, zero), a, self.subtract(zero, a))

    def choose(self, test: Term, a: Term, b: Term) -> Term:
        """Return a where the test holds, else b."""
        return self.manager.mkTerm(Kind.ITE, test, *self._same_sort(a, b))

    # --- truths

    def at_least(self, a: Term, b: Term) -> Term:
        """Return a >= b."""
        return self._binary(Kind.GEQ, a, b)

    def above(self, a: Term, b: Term) -> Term:
        """Return a > b."""
        return self._binary(Kind.GT, a, b)

    def equal(self, a: Term, b: Term) -> Term:
        """Return a = b."""
        return self._binary(Kind.EQUAL, a, b)

    def negation(self, a: Term) -> Term:
        """Return not a."""
        return self.manager.mkTerm(Kind.NOT, a)

    def both(self, parts: Iterable[Term]) -> Term:
        """Return the conjunction."""
        listed = list(parts)
        if len(listed) < 2:
            return listed[0] if listed else self.true
        return self.manager.mkTerm(Kind.AND, *listed)

    def either(self, parts: Iterable[Term]) -> Term:
        """Return the disjunction."""
        return self.negation(self.both(self.negation(p) for p in parts))

    # --- questions

    def asked(self, formulas: Iterable[Term], seconds: float) -> tuple[bool | None, cvc5.Solver]:
        """Return whether formulas can hold together, None where the solver gave up, and it."""
        solver = cvc5.Solver(self.manager)
        limit(solver, seconds, linear=True)
        solver.setOption("produce-models", "true")
        solver.setLogic("ALL")
        solver.assertFormula(self.both(formulas))  # one call is quicker than many
        answer = solver.checkSat()
        return True if answer.isSat() else False if answer.isUnsat() else None, solver

    def simplified(self, term: Term) -> Term:
        """Return an equal term in the solver's normal form."""
        return self._rewriter.simplify(term)


def unknowns(terms: Iterable[Term]) -> dict[str, Term]:
    """Return all unknowns in terms, by their names."""
    found, seen, left = dict[str, Term](), set[int](), list(terms)
    while left:
        term = left.pop()
        if term.getId() in seen:
            continue
        seen.add(term.getId())
        if term.getKind() == Kind.CONSTANT:
            found[str(term.getSymbol())] = term
        left.extend(term)
    return found


def polynomial(term: Number) -> Ratio:
    """Return a number as a polynomial in the names of unknowns, and in what is no arithmetic."""
    if isinstance(term, Ratio):
        return term
    parts = [polynomial(part) for part in term] if term.getKind() in _ARITHMETIC else []
    match term.getKind():
        case Kind.CONST_INTEGER | Kind.CONST_RATIONAL:
            return Ratio.of(Fraction(term.getRealValue()))
        case Kind.CONSTANT:
            return Ratio.name(str(term.getSymbol()))
        case Kind.TO_REAL:
            return parts[0]
        case Kind.NEG:
            return -parts[0]
        case Kind.ADD:
            return reduce(lambda a, b: a + b, parts)
        case Kind.SUB:
            return reduce(lambda a, b: a - b, parts)
        case Kind.MULT:
            return reduce(lambda a, b: a * b, parts)
    return Ratio.name(str(term))


_ARITHMETIC = (Kind.TO_REAL, Kind.NEG, Kind.ADD, Kind.SUB, Kind.MULT)


def replaced(term: Term, by: dict[Term, Term]) -> Term:
    """Return a term with unknowns replaced, all at once."""
    return term.substitute(list(by), list(by.values())) if by else term
