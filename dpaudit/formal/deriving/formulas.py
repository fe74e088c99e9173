"""Formulas as text: read by a list of what is allowed, never evaluated as code.

Decimals are the numbers that are written: ``0.1`` is 1/10.
"""

from __future__ import annotations

import ast
import difflib
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any

_LONGEST = 10_000
_FUNCTIONS = {  # name: least and greatest number of arguments
    "Abs": (1, 1),
    "Max": (1, None),
    "Min": (1, None),
    "Mod": (2, 2),
    "Rational": (1, 2),
    "abs": (1, 1),
    "ceiling": (1, 1),
    "cosh": (1, 1),
    "erf": (1, 1),
    "erfc": (1, 1),
    "exp": (1, 1),
    "floor": (1, 1),
    "ln": (1, 1),
    "log": (1, 2),
    "max": (1, None),
    "min": (1, None),
    "sign": (1, 1),
    "sinh": (1, 1),
    "sqrt": (1, 1),
    "tanh": (1, 1),
    "Piecewise": (1, None),
}
_CONSTANTS = frozenset({"E", "pi"})
_TRUTHS = frozenset({"True", "False", "true", "false"})
_RELATED = {"Eq": "==", "Ne": "!=", "Le": "<=", "Lt": "<", "Ge": ">=", "Gt": ">"}
_COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.LtE: "<=",
    ast.Lt: "<",
    ast.GtE: ">=",
    ast.Gt: ">",
}
RESERVED = frozenset({*_FUNCTIONS, *_CONSTANTS, *_TRUTHS, *_RELATED})


@dataclass(frozen=True, slots=True)
class Formula:
    """A text that was read and found to use nothing but what is allowed.

    Attributes
    ----------
    text : str
    tree : ast.expr
    names : frozenset of str
        The variables in it.
    """

    text: str
    tree: ast.expr
    names: frozenset[str]


def read_expression(text: object, where: str, variables: Collection[str]) -> Formula:
    """Read a number-valued formula.

    Parameters
    ----------
    text : str
    where : str
        What it is, for the message.
    variables : collection of str
        Names that it may use.

    Raises
    ------
    TypeError, ValueError
        The message names what is wrong and what is allowed.
    """
    tree = _parsed(text, where)
    _Reader(str(text), where, variables).number(tree)
    return Formula(str(text), tree, _names(tree, variables))


def read_condition(text: object, where: str, variables: Collection[str]) -> Formula:
    """Read a relation such as ``n >= 2`` or ``0 <= x <= 1``; otherwise as `read_expression`."""
    tree = _parsed(text, where)
    _Reader(str(text), where, variables).condition(tree)
    return Formula(str(text), tree, _names(tree, variables))


def _names(tree: ast.expr, variables: Collection[str]) -> frozenset[str]:
    found = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    return frozenset(found & set(variables))


def _parsed(text: object, where: str) -> ast.expr:
    if not isinstance(text, str):
        raise TypeError(
            f"{where} must be text in sympy's notation, got {text!r}; write it as a string"
        )
    if not text.strip():
        raise ValueError(f"{where} is empty; write a formula such as 'Abs(x)/n'")
    if len(text) > _LONGEST:
        raise ValueError(
            f"{where} has {len(text):,} characters, at most {_LONGEST:,} are read; split it"
        )
    try:
        return ast.parse(text.strip(), mode="eval").body
    except SyntaxError as error:
        place = f" at column {error.offset}" if error.offset else ""
        raise ValueError(
            f"{where} cannot be read{place}: {text!r}; write it in sympy's notation, "
            "such as 'Abs(x)/(n + 1)'"
        ) from None
    except (ValueError, RecursionError, MemoryError):
        raise ValueError(f"{where} cannot be read: {text[:60]!r}; simplify it") from None


class _Reader:
    """Walks a syntax tree and refuses whatever is not on the list."""

    def __init__(self, text: str, where: str, variables: Collection[str]) -> None:
        self._text, self._where, self._variables = text, where, variables

    def number(self, node: ast.expr) -> None:
        match node:
            case ast.Constant(value=bool() | complex() | str() | bytes() | None):
                raise self._error(node, "is no real number", "use integers and decimals")
            case ast.Constant(value=int() | float()):
                pass
            case ast.Name(id=name):
                self._name(node, name)
            case ast.UnaryOp(op=ast.USub() | ast.UAdd(), operand=operand):
                self.number(operand)
            case ast.BinOp(left=left, op=operator, right=right):
                self._operator(node, operator)
                self.number(left)
                self.number(right)
            case ast.Call():
                self._call(node)
            case ast.Compare() | ast.BoolOp():
                raise self._error(node, "is a relation", "a number is needed here")
            case _:
                raise self._error(
                    node, "is not allowed", "use + - * / // % **, numbers, variables and functions"
                )

    def condition(self, node: ast.expr) -> None:
        match node:
            case ast.Compare(left=left, ops=operators, comparators=comparators):
                for operator in operators:
                    if type(operator) not in _COMPARISONS:
                        raise self._error(node, "is no relation", "use == != <= < >= or >")
                for side in (left, *comparators):
                    self.number(side)
            case ast.Call(func=ast.Name(id=name), args=[left, right], keywords=[]) if (
                name in _RELATED
            ):
                self.number(left)
                self.number(right)
            case ast.Name(id="True" | "true") | ast.Constant(value=True):
                pass
            case _:
                raise self._error(
                    node, "is no relation", "write two sides and one of == != <= < >= >"
                )

    def _operator(self, node: ast.expr, operator: ast.operator) -> None:
        known = ast.Add | ast.Sub | ast.Mult | ast.Div | ast.FloorDiv | ast.Mod | ast.Pow
        if not isinstance(operator, known):
            hint = "powers are written **" if isinstance(operator, ast.BitXor) else "use + - * / **"
            raise self._error(node, "uses an operator that is not allowed", hint)

    def _name(self, node: ast.expr, name: str) -> None:
        if name in self._variables or name in _CONSTANTS:
            return
        known = sorted({*self._variables, *_CONSTANTS})
        close = difflib.get_close_matches(name, known, 1)
        hint = f"did you mean {close[0]!r}?" if close else f"declared are {', '.join(known)}"
        raise self._error(node, "is not declared", f"add it to `variables`; {hint}")

    def _call(self, node: ast.Call) -> None:
        if not isinstance(node.func, ast.Name) or node.func.id not in _FUNCTIONS:
            raise self._error(
                node.func, "is no function that is known", f"there are {', '.join(_FUNCTIONS)}"
            )
        name = node.func.id
        least, most = _FUNCTIONS[name]
        if node.keywords or any(isinstance(a, ast.Starred) for a in node.args):
            raise self._error(node, "passes arguments by name or star", "pass plain arguments")
        if len(node.args) < least or (most is not None and len(node.args) > most):
            raise self._error(
                node, f"passes {len(node.args)} arguments", f"{name} takes {_counted(least, most)}"
            )
        for argument in node.args:
            if name == "Piecewise":
                self._branch(argument)
            else:
                self.number(argument)

    def _branch(self, node: ast.expr) -> None:
        if not isinstance(node, ast.Tuple) or len(node.elts) != 2:
            raise self._error(node, "is no case", "write (value, condition)")
        self.number(node.elts[0])
        self.condition(node.elts[1])

    def _error(self, node: ast.AST, fact: str, remedy: str) -> ValueError:
        piece = ast.get_source_segment(self._text.strip(), node) or self._text
        shown = f"{self._where}: {piece!r} {fact}"
        whole = "" if piece == self._text.strip() else f" in {self._text!r}"
        return ValueError(f"{shown}{whole}; {remedy}")


def _counted(least: int, most: int | None) -> str:
    if most is None:
        return f"at least {least}"
    return str(least) if least == most else f"{least} or {most}"


def comparisons(tree: ast.expr) -> Iterable[tuple[ast.expr, str, ast.expr]]:
    """Yield the relations of a condition that was read."""
    match tree:
        case ast.Compare(left=left, ops=operators, comparators=comparators):
            for operator, right in zip(operators, comparators, strict=True):
                yield left, _COMPARISONS[type(operator)], right
                left = right
        case ast.Call(func=ast.Name(id=name), args=[left, right]):
            yield left, _RELATED[name], right


def always(tree: ast.expr) -> bool:
    """Return whether a condition that was read is the constant true."""
    return not isinstance(tree, ast.Compare | ast.Call)


def written(node: Any, text: str) -> str:
    """Return a number as it is written, so that a decimal is not rounded to a float."""
    return ast.get_source_segment(text.strip(), node) or ast.unparse(node)
