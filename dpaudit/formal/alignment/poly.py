"""Polynomials with rational coefficients: the numbers of a run whose noise is not known yet."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

Kind = Literal["parameter", "input", "draw", "state", "shared", "change", "shift"]


@dataclass(frozen=True, slots=True, order=True)
class Symbol:
    """An unknown of the two runs.

    Attributes
    ----------
    name : str
        Unique within one proof.
    kind : str
        ``parameter`` and ``shared`` symbols have one value in both runs; ``input``, ``state`` and
        ``draw`` are those of the first run, whose ``change`` (for draws ``shift``) leads to the
        second.
    integer : bool
        Whether it is a whole number.
    """

    name: str
    kind: Kind
    integer: bool = False

    def __str__(self) -> str:
        return self.name


Monomial = tuple[Symbol, ...]  # sorted, with repetition
Number = int | Fraction


class Poly:
    """A polynomial; immutable, and equal when all coefficients are."""

    __slots__ = ("_hash", "terms")

    def __init__(self, terms: Mapping[Monomial, Fraction]) -> None:
        self.terms = {m: c for m, c in terms.items() if c}
        self._hash: int | None = None

    @staticmethod
    def of(value: Number | Symbol | Poly) -> Poly:
        """Return the polynomial of a number or a symbol."""
        if isinstance(value, Poly):
            return value
        if isinstance(value, Symbol):
            return Poly({(value,): Fraction(1)})
        return Poly({(): Fraction(value)})

    def __add__(self, other: Number | Poly) -> Poly:
        terms = dict(self.terms)
        for monomial, coefficient in Poly.of(other).terms.items():
            terms[monomial] = terms.get(monomial, Fraction(0)) + coefficient
        return Poly(terms)

    __radd__ = __add__

    def __neg__(self) -> Poly:
        return Poly({m: -c for m, c in self.terms.items()})

    def __sub__(self, other: Number | Poly) -> Poly:
        return self + (-Poly.of(other))

    def __rsub__(self, other: Number | Poly) -> Poly:
        return Poly.of(other) - self

    def __mul__(self, other: Number | Poly) -> Poly:
        terms: dict[Monomial, Fraction] = {}
        for m, c in self.terms.items():
            for n, d in Poly.of(other).terms.items():
                key = tuple(sorted(m + n)) if m and n else m or n
                terms[key] = terms.get(key, Fraction(0)) + c * d
        return Poly(terms)

    __rmul__ = __mul__

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Poly) and self.terms == other.terms

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash(frozenset(self.terms.items()))
        return self._hash

    def __str__(self) -> str:
        if not self.terms:
            return "0"
        parts = []
        for monomial, coefficient in sorted(self.terms.items(), key=lambda t: (-len(t[0]), t[0])):
            factors = [str(abs(coefficient))] if abs(coefficient) != 1 or not monomial else []
            factors += [s.name for s in monomial]
            sign = "-" if coefficient < 0 else "+"
            parts.append(f"{sign} {'*'.join(factors)}")
        text = " ".join(parts)
        return text[2:] if text.startswith("+") else "-" + text[2:]

    __repr__ = __str__

    @property
    def constant(self) -> Fraction | None:
        """The value where there is no symbol in it, else None."""
        if not self.terms:
            return Fraction(0)
        return self.terms.get(()) if len(self.terms) == 1 else None

    def symbols(self) -> frozenset[Symbol]:
        """Return all symbols in it."""
        return frozenset(s for m in self.terms for s in m)

    def split(self, symbol: Symbol) -> tuple[Poly, Poly] | None:
        """Return (a, b) with self = a·symbol + b; None where it is not linear in the symbol."""
        factor: dict[Monomial, Fraction] = {}
        rest: dict[Monomial, Fraction] = {}
        for monomial, coefficient in self.terms.items():
            count = monomial.count(symbol)
            if count > 1:
                return None
            if count:
                others = tuple(s for s in monomial if s != symbol)
                factor[others] = factor.get(others, Fraction(0)) + coefficient
            else:
                rest[monomial] = coefficient
        return Poly(factor), Poly(rest)

    def substitute(self, value: Callable[[Symbol], Poly | None]) -> Poly:
        """Return it with every symbol for which `value` is not None replaced."""
        known = {s: v for s in self.symbols() if (v := value(s)) is not None}
        if not known:
            return self
        total = Poly({})
        for monomial, coefficient in self.terms.items():
            term = Poly.of(coefficient)
            for symbol in monomial:
                term = term * known.get(symbol, Poly.of(symbol))
            total = total + term
        return total

    @property
    def integer(self) -> bool:
        """Whether it is a whole number for certain."""
        return all(c.denominator == 1 and all(s.integer for s in m) for m, c in self.terms.items())

    def linear(self) -> Iterator[tuple[Symbol | None, Fraction]]:
        """Yield (symbol, coefficient), None for the constant.

        Raises
        ------
        ValueError
            Where it is not linear.
        """
        for monomial, coefficient in self.terms.items():
            if len(monomial) > 1:
                raise ValueError(f"{self} is not linear; only linear comparisons are integrated")
            yield (monomial[0] if monomial else None), coefficient


ZERO = Poly({})
ONE = Poly.of(1)
