"""Two runs of one segment in the language of the solver.

The second run is the first with every input and every variable moved by its *change*, and every
draw by its *shift*, so that a difference between the runs holds changes and shifts alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import z3

from dpaudit.formal.alignment.blocks import Derived, Written, block_of
from dpaudit.formal.alignment.poly import Poly, Symbol
from dpaudit.formal.alignment.relation import Relation
from dpaudit.formal.alignment.segments import Segment
from dpaudit.formal.alignment.trace import Atom, Decision
from dpaudit.formal.alignment.values import Flag, Items
from dpaudit.formal.limit import breathe
from dpaudit.formal.unsupported import Unsupported

MOVED = Symbol("changes so far", "shared")
COST = Symbol("cost so far", "shared")


def change_of(symbol: Symbol) -> Symbol | None:
    """Return the symbol that leads from the first run's value to the second's."""
    if symbol.kind in ("input", "state"):
        return Symbol(f"Δ{symbol.name}", "change", symbol.integer)
    if symbol.kind == "draw":
        return Symbol(f"shift of {symbol.name}", "shift", False)
    return None


def second(poly: Poly) -> Poly:
    """Return the value in the second run."""

    def moved(symbol: Symbol) -> Poly | None:
        change = change_of(symbol)
        return None if change is None else Poly.of(symbol) + Poly.of(change)

    return poly.substitute(moved)


def difference(poly: Poly) -> Poly:
    """Return the value in the second run less that in the first."""
    return second(poly) - poly


@dataclass(slots=True)
class Terms:
    """Translates polynomials; remembers every unknown."""

    names: dict[Symbol, Any] = field(default_factory=dict)
    _made: dict[Poly, Any] = field(default_factory=dict)

    def symbol(self, symbol: Symbol) -> Any:
        """Return the solver's variable."""
        if symbol not in self.names:
            make = z3.Int if symbol.integer else z3.Real
            self.names[symbol] = make(symbol.name.replace("Δ", "change of "))
        return self.names[symbol]

    def poly(self, poly: Poly) -> Any:
        """Return a polynomial as a term, of whole numbers where it is one for certain."""
        breathe()
        if poly not in self._made:
            self._made[poly] = evaluated(poly, self.symbol)
        return self._made[poly]

    def values(self, model: Any) -> dict[Symbol, Fraction]:
        """Return the rational values that a model gives to unknowns."""
        found = {}
        for symbol, variable in self.names.items():
            value = model.eval(variable, model_completion=True)
            if z3.is_int_value(value) or z3.is_rational_value(value):
                found[symbol] = (
                    Fraction(value.as_fraction())
                    if not symbol.integer
                    else Fraction(value.as_long())
                )
        return found

    def atom(self, atom: Atom) -> Any:
        """Return a test."""
        left = self.poly(atom.number)
        return left >= 0 if atom.relation == ">=" else left == 0

    def decision(self, decision: Decision, *, again: bool = False) -> Any:
        """Return what a test said, in the first run or (`again`) in the second."""
        atom = decision.atom
        if again:
            atom = Atom(second(atom.number), atom.relation)
        term = self.atom(atom)
        return term if decision.truth else z3.Not(term)

    def size(self, poly: Poly) -> Any:
        """Return an absolute value."""
        value = poly.constant
        if value is not None:
            return exact(abs(value))
        term = self.poly(poly)
        return z3.If(term >= 0, term, -term)


def evaluated(poly: Poly, value: Callable[[Symbol], Any]) -> Any:
    """Return a polynomial with a term for every symbol."""
    whole = poly.integer
    total = None
    for monomial, coefficient in sorted(poly.terms.items()):
        term = None
        for symbol in monomial:
            factor = value(symbol)
            term = factor if term is None else term * factor
        number = z3.IntVal(coefficient.numerator) if whole else exact(coefficient)
        if term is None:
            term = number
        elif coefficient != 1 or (not whole and term.is_int()):
            term = number * term
        total = term if total is None else total + term
    return total if total is not None else (z3.IntVal(0) if whole else z3.RealVal(0))


def exact(value: Fraction) -> Any:
    """Return a rational: never through a float, whose text would be another number."""
    return z3.RealVal(f"{value.numerator}/{value.denominator}")


def input_facts(terms: Terms, segments: Iterable[Segment], relation: Relation) -> list[Any]:
    """Return what the relation says of the entries of the data that are met."""
    facts = []
    inputs = {s for g in segments for p in g.polys() for s in p.symbols() if s.kind == "input"}
    for symbol in sorted(inputs):
        change = terms.symbol(_known(change_of(symbol)))
        block = block_of(symbol)
        if block is not None:
            if symbol != block:
                whole = terms.size(Poly.of(_known(change_of(block))))
                facts += [change <= whole, -change <= whole]
            continue
        low = Fraction(0) if relation.sign > 0 else -relation.distance
        high = Fraction(0) if relation.sign < 0 else relation.distance
        facts += [change >= exact(low), change <= exact(high)]
    return facts


def moved_by(terms: Terms, segment: Segment) -> Any:
    """Return by how much the entries met in a segment change altogether."""
    met = {s for p in segment.polys() for s in p.symbols() if s.kind == "input"}
    inputs = {block_of(s) or s for s in met}
    changes = [Poly.of(_known(change_of(s))) for s in sorted(inputs)]
    return z3.Sum([z3.RealVal(0), *(terms.size(c) for c in changes)])


def equal_outputs(terms: Terms, left: Any, right: Any) -> Any:
    """Return that the output of the first run is that of the second.

    `left` and `right` are the outputs of two segments in the symbols of the first run.
    """
    if type(left) is not type(right):
        return z3.BoolVal(False)
    if isinstance(left, Poly):
        return terms.poly(left) == terms.poly(second(right))
    if isinstance(left, Flag):
        return terms.poly(left.number) == terms.poly(second(right.number))
    if isinstance(left, Written):
        return equal_outputs(terms, left.log, right.log)
    if isinstance(left, tuple):
        return _all_equal(terms, list(left), list(right))
    if isinstance(left, Items):
        if (left.prefix is None) != (right.prefix is None):
            return z3.BoolVal(False)
        before = z3.BoolVal(True)
        if left.prefix is not None:
            if left.prefix != right.prefix:
                return z3.BoolVal(False)
            before = same_list(left.prefix.name)
        return conjunction([before, _all_equal(terms, left.items, right.items)])
    if isinstance(left, Derived):
        return _all_equal(terms, list(left.parts), list(right.parts))
    if left is None or isinstance(left, bool | str | float):
        return z3.BoolVal(left == right)
    raise Unsupported("a value of this kind in an output", None)


def _all_equal(terms: Terms, left: list[Any], right: list[Any]) -> Any:
    if len(left) != len(right):
        return z3.BoolVal(False)
    return conjunction([equal_outputs(terms, a, b) for a, b in zip(left, right, strict=True)])


def conjunction(terms: list[Any]) -> Any:
    """Return that all terms hold; SMT-LIB has no conjunction of nothing."""
    terms = [term for term in terms if not z3.is_true(term)]
    if not terms:
        return z3.BoolVal(True)
    return terms[0] if len(terms) == 1 else z3.And(terms)


def same_list(name: str) -> Any:
    """Return that a list of earlier iterations is the same in both runs."""
    return z3.Bool(f"same {name}")


def _known(symbol: Symbol | None) -> Symbol:
    assert symbol is not None
    return symbol
