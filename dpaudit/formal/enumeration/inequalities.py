"""Pure privacy for all values of a parameter, as polynomials that are positive beyond 1."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import gcd
from typing import Any

import flint

from dpaudit.claims.symbolic import SymbolicClaim
from dpaudit.formal.enumeration.divergence import points
from dpaudit.formal.enumeration.domains import domain_of
from dpaudit.formal.enumeration.growing import Growing, Multiple
from dpaudit.formal.enumeration.measures import Distribution, distribution, expanded, law_text
from dpaudit.formal.enumeration.noise import NotFiniteError
from dpaudit.formal.enumeration.numbers import UndecidedError, sign
from dpaudit.formal.enumeration.paths import OutOfTimeError, check_time, until
from dpaudit.formal.lift import assumptions
from dpaudit.formal.price.symbolic import formulas
from dpaudit.formal.program import Constant, Program
from dpaudit.formal.unsupported import Unsupported

ASSUMPTIONS = (
    "draws are independent and follow their distributions exactly",
    "numbers are real: floats of the program stand for the rationals that they are",
)
Form = tuple[str, tuple[int, ...]]


@dataclass(frozen=True, slots=True, eq=False)
class ForAllProof:
    """Pure privacy on every pair, for every positive value of a parameter.

    Attributes
    ----------
    claim : SymbolicClaim
    parameter : str
    datasets, pairs : int
        How many were gone through.
    inequalities : tuple of (str, tuple of int)
        (r, coefficients from the lowest): polynomials in x = e^(r ε) that are positive for all
        x > 1. On every pair and for every output, what the claim allows less what is spent is one
        of them times a positive number, or 0.
    assumptions : tuple of str
    """

    claim: SymbolicClaim
    parameter: str
    datasets: int
    pairs: int
    inequalities: tuple[Form, ...]
    assumptions: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the proof as JSON-able values."""
        return {
            "kind": "exact",
            "claim": self.claim.to_dict(),
            "parameter": self.parameter,
            "datasets": self.datasets,
            "pairs": self.pairs,
            "inequalities": [[step, list(map(str, c))] for step, c in self.inequalities],
            "assumptions": list(self.assumptions),
        }


def prove_exact_for_all(
    program: Program, claim: SymbolicClaim, neighbors: Any, *, deadline: float
) -> ForAllProof:
    """Prove a pure claim for all positive values of the one parameter that it names.

    Parameters
    ----------
    program : Program
        In which that parameter is symbolic.
    claim : SymbolicClaim
        ``PureDP`` of a rational multiple of a parameter.
    neighbors : Neighbors
        Of finitely many datasets.
    deadline : float
        Of `dpaudit.formal.clock.now`.

    Raises
    ------
    Unsupported
        Where it is not proved.
    """
    name, factor = _multiple(claim)
    place = program.entry.place
    others = [n for n in program.symbolic if n != name]
    if others:
        raise Unsupported(f"the parameter {others[0]!r} has no value", place)
    fixed = {**program.fixed, name: Constant(place, Multiple(Fraction(1)))}
    valued = replace(program, fixed=fixed, symbolic=())
    domain = domain_of(neighbors)
    try:
        with until(deadline):
            laws = [distribution(valued, data) for data in domain.datasets]
            forms = _inequalities(laws, domain.pairs, Multiple(factor).exp())
    except OutOfTimeError:
        raise Unsupported("not all datasets were gone through in time") from None
    except (ArithmeticError, NotFiniteError) as error:
        raise Unsupported(str(error), place) from None
    return ForAllProof(
        claim, name, len(domain.datasets), len(domain.pairs), tuple(sorted(forms)),
        (
            *ASSUMPTIONS,
            f"the parameter {name} is positive",
            *assumptions(program),
            *neighbors.assumptions(),
        ),
    )  # fmt: skip


def _multiple(claim: SymbolicClaim) -> tuple[str, Fraction]:
    """Return c and the parameter where a claim is PureDP(c ε)."""
    import sympy

    if claim.notion != "PureDP" or len(claim.symbols) != 1:
        raise Unsupported("exact distributions for all values: PureDP of one parameter alone")
    [term] = formulas(claim)
    factor = sympy.cancel(term / sympy.Symbol(claim.symbols[0], real=True))
    if not factor.is_Rational or not factor > 0:
        raise Unsupported("exact distributions for all values: a positive multiple of a parameter")
    return claim.symbols[0], Fraction(int(factor.p), int(factor.q))


def _inequalities(
    laws: Sequence[Distribution], pairs: Sequence[tuple[int, int]], allowed: Any
) -> set[Form]:
    """Return what is positive since the claim holds on every pair."""
    texts = [law_text(law) for law in laws]
    seen: set[tuple[str, str]] = set()
    found: set[Form] = set()
    for i, j in (both for pair in pairs for both in (pair, pair[::-1])):
        if (texts[i], texts[j]) in seen:
            continue
        seen.add((texts[i], texts[j]))
        check_time()
        for x in points(expanded(laws[i]), expanded(laws[j])):
            left = allowed * x.q - x.p
            if sign(left) < 0:
                raise UndecidedError(f"the output {x.key!r:.60} is too likely on one dataset")
            if isinstance(left, Growing):
                found.add(normal(left))
    return found


def normal(value: Growing) -> Form:
    """Return the polynomial in the numerator of a positive number, without positive factors.

    Of x = e^(rε) with the largest r; whole coefficients without a common divisor, the first of
    which is not 0, as the last, which is positive.
    """
    coefficients = [flint.fmpq(c) for c in value.num.coeffs()]
    while coefficients[0] == 0:
        coefficients = coefficients[1:]  # x is positive
    shared = gcd(*(i for i, c in enumerate(coefficients) if c != 0)) or 1
    kept = coefficients[::shared]
    below = 1
    for c in kept:
        below = below * int(c.q) // gcd(below, int(c.q))
    whole = [int((c * below).p) for c in kept]
    divisor = gcd(*whole) * (1 if whole[-1] > 0 else -1)
    step = value.step * shared if len(whole) > 1 else Fraction(0)
    return str(step), tuple(c // divisor for c in whole)
