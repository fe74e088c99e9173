"""Families of functions of uniform variables: boxes without tests, and what each says in them."""

from __future__ import annotations

import itertools
from typing import Any

import sympy

HALF = sympy.Rational(1, 2)


class Logarithm(sympy.Function):  # type: ignore[misc]
    """A logarithm that sympy does not rewrite."""

    is_real = True


class Root(sympy.Function):  # type: ignore[misc]
    """A square root that sympy does not rewrite."""

    is_real = True


class Cosine(sympy.Function):  # type: ignore[misc]
    """A cosine that sympy does not rewrite."""

    is_real = True


class Whole(sympy.Function):  # type: ignore[misc]
    """The largest integer below, which sympy does not rewrite."""

    is_real = True


class NoLawError(Exception):
    """An expression that is not read."""


def linear(value: Any, variable: Any) -> tuple[Any, Any]:
    """Return a and b of ``a + b * variable``."""
    value = sympy.expand(value)
    factor = value.coeff(variable)
    rest = sympy.expand(value - factor * variable)
    if rest.has(variable) or factor.has(variable):
        raise NoLawError
    return rest, factor


def side(value: Any, variables: list[Any]) -> int:
    """Return the sign that a number, or a multiple of a logarithm, has wherever it is drawn.

    Raises
    ------
    NoLawError
        Where it has none, or both.
    """
    value = sympy.expand(value)
    logarithms = value.atoms(Logarithm)
    if not logarithms:
        low, high = limits(value, variables)
        if low < 0 < high or low == high == 0:
            raise NoLawError
        return 1 if low >= 0 else -1
    (logarithm, *more) = logarithms
    factor = value.coeff(logarithm)
    if more or sympy.expand(value - factor * logarithm) != 0 or factor.free_symbols:
        raise NoLawError
    low, high = limits(logarithm.args[0], variables)
    if low < 0 or low < 1 < high:
        raise NoLawError
    return int(sympy.sign(factor)) * (-1 if high <= 1 else 1)


def limits(value: Any, variables: list[Any]) -> tuple[Any, Any]:
    """Return bounds of a number that is linear in one variable wherever no test changes."""
    ends = []
    for cell in _cells(value, variables):
        plain = _plain(_within(value, cell))
        (variable, *others) = plain.free_symbols or {variables[0]}
        if others or variable not in cell:
            raise NoLawError
        offset, slope = linear(plain, variable)
        ends += [offset + slope * end for end in cell[variable]]
    return min(ends), max(ends)


def recognised(value: Any, variables: list[Any]) -> tuple[str, Any, Any, int]:
    """Return family, location, factor and offset of an expression of uniform variables.

    Parameters
    ----------
    value : Expr
    variables : list of Symbol

    Raises
    ------
    NoLawError
        Where its law is not known.
    """
    for known in (_normal, _geometric, _gumbel):
        found = known(value, variables)
        if found is not None:
            return found
    forms = [
        (_chance(cell), *_logarithms(_within(value, cell), cell, variables))
        for cell in _cells(value, variables)
    ]
    location = forms[0][1]
    if any(sympy.expand(rest - location) != 0 for _, rest, _ in forms):
        raise NoLawError
    return _from_forms(forms, location)


def _from_forms(
    forms: list[tuple[Any, Any, list[Any]]], location: Any
) -> tuple[str, Any, Any, int]:
    """Return the law of a mixture of ``location - sum(factor * E)``, E independent exponentials."""
    merged: dict[Any, Any] = {}
    for chance, _, factors in forms:
        key = tuple(sorted((sympy.simplify(f) for f in factors), key=str))
        merged[key] = merged.get(key, 0) + chance
    if len(merged) == 1:
        ((factors, _),) = merged.items()
        if len(factors) == 1:
            return "exponential", location, -factors[0], 0
        if len(factors) == 2 and factors[0] + factors[1] == 0:
            return "laplace", location, _positive(factors), 0
    if len(merged) == 2 and all(len(f) == 1 and p == HALF for f, p in merged.items()):
        (a,), (b,) = merged
        if a + b == 0:
            return "laplace", location, _positive((a, b)), 0
    raise NoLawError


def _positive(pair: tuple[Any, ...]) -> Any:
    return pair[1] if pair[0].could_extract_minus_sign() else pair[0]


_Cell = dict[Any, tuple[Any, Any]]


def _cells(value: Any, variables: list[Any]) -> list[_Cell]:
    """Return boxes of the uniform variables within which no test changes."""
    cuts: dict[Any, set[Any]] = {v: {sympy.Integer(0), sympy.Integer(1)} for v in variables}
    for test in value.atoms(sympy.core.relational.Relational):
        difference = _plain(test.lhs - test.rhs)
        found = difference.free_symbols
        if len(found) != 1 or next(iter(found)) not in cuts:
            raise NoLawError
        (variable,) = found
        offset, slope = linear(difference, variable)
        root = -offset / slope
        if not root.is_Rational:
            raise NoLawError
        if 0 < root < 1:
            cuts[variable].add(root)
    if any(len(ends) > 5 for ends in cuts.values()):
        raise NoLawError
    intervals = [list(itertools.pairwise(sorted(cuts[v]))) for v in variables]
    return [dict(zip(variables, ends, strict=True)) for ends in itertools.product(*intervals)]


def _plain(value: Any) -> Any:
    if value.has(sympy.Piecewise, Logarithm, Root, Cosine, Whole):
        raise NoLawError
    return sympy.expand(value)


def _chance(cell: _Cell) -> Any:
    return sympy.Mul(*(high - low for low, high in cell.values()))


def _within(value: Any, cell: _Cell) -> Any:
    """Return an expression in a box, its tests decided."""
    middle = {variable: (low + high) / 2 for variable, (low, high) in cell.items()}
    known = {}
    for test in value.atoms(sympy.core.relational.Relational):
        outcome = test.subs(middle)
        if outcome not in (sympy.true, sympy.false):
            raise NoLawError
        known[test] = outcome
    return value.subs(known)


def _logarithms(value: Any, cell: _Cell, variables: list[Any]) -> tuple[Any, list[Any]]:
    """Return the location, and the factors of logarithms of variables on (0, 1)."""
    value = sympy.expand(_split(value))
    factors, seen = [], set()
    for logarithm in sorted(value.atoms(Logarithm), key=str):
        argument = logarithm.args[0]
        if not argument.free_symbols:
            value = value.subs(logarithm, sympy.log(argument))
            continue
        (variable, *others) = argument.free_symbols
        if others or variable not in cell:
            raise NoLawError
        low, high = cell[variable]
        offset, slope = linear(_plain(argument), variable)
        ends = sorted((offset + slope * low, offset + slope * high))
        factor = value.coeff(logarithm)
        if ends != [0, 1] or variable in seen or factor.has(Logarithm, *variables):
            raise NoLawError
        seen.add(variable)
        factors.append(factor)
        value = sympy.expand(value - factor * logarithm)
    if value.has(Logarithm, Root, Cosine, Whole, *variables) or not factors:
        raise NoLawError
    return value, factors


def _split(value: Any) -> Any:
    """Return an expression with logarithms of products and quotients taken apart."""
    for logarithm in value.atoms(Logarithm):
        argument = sympy.factor(logarithm.args[0]) if not logarithm.args[0].has(Logarithm) else None
        if argument is None:
            raise NoLawError
        symbols = argument.free_symbols
        if len(symbols) < 2:
            continue
        parts = [_power(part) for part in sympy.Mul.make_args(argument)]
        one = [(base, power) for base, power in parts if base.free_symbols]
        rest = sympy.Mul(*(base**power for base, power in parts if not base.free_symbols))
        if any(len(base.free_symbols) != 1 for base, _ in one):
            raise NoLawError
        if any(_side(base) == 0 for base, _ in one):
            raise NoLawError
        upright = [(base * _side(base), power) for base, power in one]
        rest *= sympy.Mul(*(_side(base) for base, _ in one))
        (first, power), *others = upright
        one = [(first * rest**power, power), *others]
        value = value.subs(logarithm, sum(power * Logarithm(base) for base, power in one))
    return value


def _side(base: Any) -> Any:
    """Return the sign that a function of one variable has in the middle."""
    return sympy.sign(base.subs(next(iter(base.free_symbols)), HALF))


def _power(part: Any) -> tuple[Any, Any]:
    base, power = part.as_base_exp()
    if power not in (1, -1) and base.free_symbols:
        raise NoLawError
    return base, power


def _unit(logarithm: Any, variables: list[Any]) -> bool:
    """Return whether it is the logarithm of a variable that is uniform on (0, 1)."""
    argument = logarithm.args[0]
    found = argument.free_symbols
    if len(found) != 1 or next(iter(found)) not in variables or argument.has(Logarithm):
        return False
    (variable,) = found
    offset, slope = linear(_plain(argument), variable)
    return (offset, slope) in ((0, 1), (1, -1))


def _normal(value: Any, variables: list[Any]) -> tuple[str, Any, Any, int] | None:
    """Return the law of ``factor * sqrt(-2 log U) * cos(2 pi k V + c)`` (Box and Muller 1958)."""
    roots, cosines = value.atoms(Root), value.atoms(Cosine)
    if not roots and not cosines:
        return None
    if len(roots) != 1 or len(cosines) != 1 or len(variables) != 2:
        raise NoLawError
    (root,), (cosine,) = roots, cosines
    product = sympy.expand(root.args[0])
    (logarithm,) = product.atoms(Logarithm) if len(product.atoms(Logarithm)) == 1 else (None,)
    if logarithm is None or sympy.expand(product + 2 * logarithm) != 0:
        raise NoLawError
    angle = sympy.expand(cosine.args[0])
    turning = [v for v in variables if angle.has(v)]
    if not _unit(logarithm, variables) or len(turning) != 1 or logarithm.has(turning[0]):
        raise NoLawError
    offset, slope = linear(angle, turning[0])
    turns = slope / (2 * sympy.pi)
    if offset.free_symbols or not (turns.is_Integer and turns != 0):
        raise NoLawError
    z = sympy.Symbol("z", real=True)
    location, factor = linear(sympy.expand(value).subs(root * cosine, z), z)
    if (location + factor).has(Root, Cosine, Logarithm, *variables):
        raise NoLawError
    return "normal", location, -factor if factor.could_extract_minus_sign() else factor, 0


def _gumbel(value: Any, variables: list[Any]) -> tuple[str, Any, Any, int] | None:
    """Return the law of ``-factor * log(-log(U))``."""
    outer = [f for f in value.atoms(Logarithm) if f.args[0].has(Logarithm)]
    if not outer:
        return None
    if len(outer) != 1 or len(variables) != 1:
        raise NoLawError
    (logarithm,) = outer
    if not isinstance(-logarithm.args[0], Logarithm) or not _unit(-logarithm.args[0], variables):
        raise NoLawError
    location, factor = linear(value, logarithm)
    if (location + factor).has(Logarithm, *variables):
        raise NoLawError
    return "gumbel", location, -factor, 0


def _geometric(value: Any, variables: list[Any]) -> tuple[str, Any, Any, int] | None:
    """Return the law of ``floor(log(U) / log(q))``: q of it stands in `factor`."""
    wholes = value.atoms(Whole)
    if not wholes:
        return None
    if len(wholes) != 1 or len(variables) != 1:
        raise NoLawError
    (whole,) = wholes
    location, sign = linear(value, whole)
    inside = sympy.expand(whole.args[0])
    found = [f for f in inside.atoms(Logarithm) if f.has(*variables)]
    if len(found) != 1 or not _unit(found[0], variables) or (sign != 1 and sign != -1):
        raise NoLawError
    rest, rate = linear(inside, found[0])
    # floor(E / r) has the law G - 1, and -floor(-E / r) that of G.
    if rest != 0 or rate.has(*variables) or location != 0:
        raise NoLawError
    up = sign == -1
    inverse = sympy.simplify(1 / (-rate if up else rate))  # log(q)
    chance = 1 - (inverse.args[0] if isinstance(inverse, Logarithm) else sympy.exp(inverse))
    return "geometric", sympy.Integer(0), chance, 0 if up else -1
