"""Formulas that were read, as sympy expressions with what they need to have a value."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import sympy

from dpaudit.formal.deriving.formulas import Formula, always, comparisons, written

_LARGEST_EXPONENT = 5_000
_LARGEST_BITS = 100_000


@dataclass(frozen=True, slots=True)
class Translated:
    """A formula in sympy.

    Attributes
    ----------
    value : sympy expression or Boolean
    needs : tuple of sympy Boolean
        What must hold for the formula, as it is written, to have a value. sympy simplifies ``x/x``
        to 1 before anyone can ask whether x is 0.
    """

    value: Any
    needs: tuple[Any, ...]


def symbols_for(variables: Mapping[str, frozenset[str]]) -> dict[str, sympy.Symbol]:
    """Return a symbol for each variable, with the assumptions that its words name."""
    return {
        name: sympy.Symbol(name, **{"real": True, **dict.fromkeys(words, True)})
        for name, words in variables.items()
    }


def translate(formula: Formula, symbols: Mapping[str, sympy.Symbol]) -> Translated:
    """Return a number-valued formula in sympy."""
    work = _Translation(formula.text, symbols)
    value = work.number(formula.tree)
    return Translated(value, tuple(work.needs))


def translate_condition(formula: Formula, symbols: Mapping[str, sympy.Symbol]) -> Translated:
    """Return a condition in sympy."""
    work = _Translation(formula.text, symbols)
    value = work.condition(formula.tree)
    return Translated(value, tuple(work.needs))


def relation(left: Any, operator: str, right: Any) -> Any:
    """Return a relation, not evaluated."""
    return _RELATIONS[operator](left, right, evaluate=False)


_RELATIONS = {
    "==": sympy.Eq,
    "!=": sympy.Ne,
    "<=": sympy.Le,
    "<": sympy.Lt,
    ">=": sympy.Ge,
    ">": sympy.Gt,
}


@dataclass(slots=True)
class _Translation:
    text: str
    symbols: Mapping[str, sympy.Symbol]
    needs: list[Any] = field(default_factory=list)
    path: list[Any] = field(default_factory=list)

    def need(self, condition: Any) -> None:
        if condition is sympy.true:
            return
        if self.path:
            premise = sympy.And(*self.path, evaluate=False)
            condition = sympy.Or(sympy.Not(premise), condition, evaluate=False)
        self.needs.append(condition)

    def condition(self, tree: ast.expr) -> Any:
        if always(tree):
            return sympy.true
        parts = [
            relation(self.number(left), operator, self.number(right))
            for left, operator, right in comparisons(tree)
        ]
        return parts[0] if len(parts) == 1 else sympy.And(*parts, evaluate=False)

    def number(self, node: ast.expr) -> Any:
        match node:
            case ast.Constant():
                # The text, since the float that Python made of a decimal is another number.
                exact = Fraction(written(node, self.text).replace("_", ""))
                return sympy.Rational(exact.numerator, exact.denominator)
            case ast.Name(id="pi"):
                return sympy.pi
            case ast.Name(id="E"):
                return sympy.E
            case ast.Name(id=name):
                return self.symbols[name]
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return -self.number(operand)
            case ast.UnaryOp(operand=operand):
                return self.number(operand)
            case ast.BinOp(left=left, op=operator, right=right):
                return self._binary(operator, self.number(left), self.number(right))
            case ast.Call(func=ast.Name(id="Piecewise"), args=branches):
                return self._piecewise(branches)
            case ast.Call(func=ast.Name(id=name), args=arguments):
                return self._call(name, [self.number(argument) for argument in arguments])
        raise ValueError(f"{ast.unparse(node)} cannot be read; simplify it")

    def _binary(self, operator: ast.operator, left: Any, right: Any) -> Any:
        match operator:
            case ast.Add():
                return left + right
            case ast.Sub():
                return left - right
            case ast.Mult():
                return left * right
            case ast.Pow():
                return self._power(left, right)
        self._not_zero(right)
        match operator:
            case ast.Div():
                return left / right
            case ast.FloorDiv():
                return sympy.floor(left / right)
        return left - right * sympy.floor(left / right)

    def _not_zero(self, divisor: Any) -> None:
        if divisor == 0:
            raise ValueError(f"{self.text!r} divides by zero; correct it")
        if not divisor.is_Number:
            self.need(sympy.Ne(divisor, 0, evaluate=False))

    def _power(self, base: Any, exponent: Any) -> Any:
        if base.is_Number and exponent.is_Number:
            self._limit(base, exponent)
        if exponent.is_Integer:
            if exponent < 0:
                self._not_zero(base)
        elif exponent.is_Rational:
            low = sympy.Gt if exponent < 0 else sympy.Ge
            self.need(low(base, 0, evaluate=False))
        elif not (exponent.is_integer and exponent.is_nonnegative) and not base.is_positive:
            self.need(_has_power(base, exponent))
        return sympy.Pow(base, exponent)

    def _limit(self, base: Any, exponent: Any) -> None:
        if base == 0 and exponent < 0:
            raise ValueError(f"{self.text!r} divides by zero; correct it")
        large = abs(exponent) > _LARGEST_EXPONENT
        bits = 1
        if base.is_Rational:
            bits = max(abs(int(base.p)).bit_length(), int(base.q).bit_length())
        if large or (exponent.is_Integer and bits * abs(int(exponent)) > _LARGEST_BITS):
            raise ValueError(f"{self.text!r} holds a power that is too large; write it smaller")

    def _piecewise(self, branches: list[ast.expr]) -> Any:
        depth = len(self.path)
        parts = []
        for branch in branches:
            assert isinstance(branch, ast.Tuple)
            test = self.condition(branch.elts[1])
            self.path.append(test)
            parts.append((self.number(branch.elts[0]), test))
            self.path[-1] = sympy.Not(test)
        if parts[-1][1] is not sympy.true:
            self.need(sympy.false)
        del self.path[depth:]
        return sympy.Piecewise(*parts)

    def _call(self, name: str, arguments: list[Any]) -> Any:
        first = arguments[0]
        if name in ("sqrt", "log", "ln"):
            kind = sympy.Ge if name == "sqrt" else sympy.Gt
            for argument in arguments:
                self.need(kind(argument, 0, evaluate=False))
        if name == "log" and len(arguments) == 2:
            self._not_zero(sympy.log(arguments[1]))
            return sympy.log(first) / sympy.log(arguments[1])
        if name == "Mod":
            self._not_zero(arguments[1])
            return first - arguments[1] * sympy.floor(first / arguments[1])
        if name == "Rational":
            if not all(a.is_Rational for a in arguments) or (arguments[1:] and arguments[1] == 0):
                raise ValueError(f"{self.text!r}: Rational takes numbers; divide with / instead")
            return first / (arguments[1] if len(arguments) == 2 else 1)
        return getattr(sympy, _SYMPY.get(name, name))(*arguments)


def _has_power(base: Any, exponent: Any) -> Any:
    """Return when a power has a real value: no less, since a step without one is false."""
    zero = sympy.Ge(exponent, 0, evaluate=False)
    whole = sympy.Eq(exponent, sympy.floor(exponent), evaluate=False)
    return sympy.Or(
        sympy.Gt(base, 0, evaluate=False),
        sympy.And(sympy.Eq(base, 0, evaluate=False), zero, evaluate=False),
        sympy.And(sympy.Lt(base, 0, evaluate=False), whole, evaluate=False),
        evaluate=False,
    )


_SYMPY = {"abs": "Abs", "max": "Max", "min": "Min", "ln": "log"}
