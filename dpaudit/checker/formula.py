"""Formulas as text: read by a list of what is allowed, never evaluated as code.

Decimals are the numbers that are written: ``0.1`` is 1/10.
"""

from __future__ import annotations

import ast
import difflib
import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from fractions import Fraction

from dpaudit.checker.file import RejectedError
from dpaudit.checker.operators import BY_SYNTAX, INFIX, ORDERS, SIGNS

_NUMBER = re.compile(r"(\d[\d_]*\.?[\d_]*|\.\d[\d_]*)([eE][+-]?\d{1,4})?")
_LONGEST = 10_000
_LARGEST_POWER = 5_000
_LARGEST_BITS = 100_000
_BINARY: dict[type[ast.operator], str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.Div: "div",
}
_ONE_ARGUMENT = {
    "Abs": "abs",
    "abs": "abs",
    "cosh": "cosh",
    "erf": "erf",
    "erfc": "erfc",
    "exp": "exp",
    "floor": "floor",
    "ln": "log",
    "sign": "sign",
    "sinh": "sinh",
    "sqrt": "sqrt",
    "tanh": "tanh",
}
_MANY_ARGUMENTS = {"Max": "max", "max": "max", "Min": "min", "min": "min"}
_CONSTANTS = ("E", "pi")
_RELATIONS = {syntax: INFIX[name] for syntax, name in BY_SYNTAX.items() if name in ORDERS}
_NAMED_RELATIONS = {"Eq": "==", "Ne": "!=", "Le": "<=", "Lt": "<", "Ge": ">=", "Gt": ">"}


@dataclass(frozen=True, slots=True)
class Term:
    """A number-valued formula.

    Attributes
    ----------
    op : str
        ``number``, ``variable``, ``pi``, one of ``add sub mul div neg power abs max min sign floor
        exp log sqrt erf erfc sinh cosh tanh``, or ``cases``.
    args : tuple of Term
    number : Fraction
        Of a ``number``.
    name : str
        Of a ``variable``.
    tests : tuple of Condition
        Of ``cases``: the value is that of the first argument whose test holds.
    """

    op: str
    args: tuple[Term, ...] = ()
    number: Fraction = Fraction(0)
    name: str = ""
    tests: tuple[Condition, ...] = ()


@dataclass(frozen=True, slots=True)
class Relation:
    """Two terms and one of ``== != <= < >= >``."""

    left: Term
    sign: str
    right: Term


Condition = tuple[Relation, ...]  # all of them


def read_term(
    text: str, variables: Collection[str], where: str, *, longest: int = _LONGEST
) -> Term:
    """Return the formula that a text is.

    Raises
    ------
    RejectedError
        For whatever is not on the list of what formulas are made of.
    """
    reader = _Reader(text.strip(), variables, where)
    return reader.term(reader.tree(longest))


def read_condition(text: str, variables: Collection[str], where: str) -> Condition:
    """Return the relation, or the chain of them, that a text is; otherwise as `read_term`."""
    reader = _Reader(text.strip(), variables, where)
    return reader.condition(reader.tree())


def number(value: Fraction | int) -> Term:
    """Return a number as a term."""
    return Term("number", number=Fraction(value))


def constant(term: Term) -> Fraction | None:
    """Return the rational that a term plainly is, None where it is another or none."""
    if term.op == "number":
        return term.number
    if term.op == "cases":
        return None
    values = [constant(arg) for arg in term.args]
    known = [value for value in values if value is not None]
    if len(known) < len(values) or not values:
        return None
    return _folded(term.op, known)


def compared(left: Fraction, sign: str, right: Fraction) -> bool:
    """Return whether a relation of two rationals holds."""
    return bool(SIGNS[sign](left, right))


def walk(term: Term) -> Iterator[Term]:
    """Yield a term and all below it, tests included."""
    yield term
    for arg in term.args:
        yield from walk(arg)
    for test in term.tests:
        for relation in test:
            yield from walk(relation.left)
            yield from walk(relation.right)


def replaced(term: Term, values: dict[str, Term]) -> Term:
    """Return a term with others in place of some variables."""
    if term.op == "variable":
        return values.get(term.name, term)
    tests = tuple(
        tuple(Relation(replaced(r.left, values), r.sign, replaced(r.right, values)) for r in test)
        for test in term.tests
    )
    args = tuple(replaced(arg, values) for arg in term.args)
    return Term(term.op, args, term.number, term.name, tests)


def simple(term: Term) -> Term:
    """Return a term with rational parts computed, and without factors and divisors of 1."""
    value = constant(term)
    if value is not None:
        return number(value)
    args = tuple(simple(arg) for arg in term.args)
    ones = [constant(arg) == 1 for arg in args]
    if term.op in ("mul", "div") and ones[1]:
        return args[0]
    if term.op == "mul" and ones[0]:
        return args[1]
    return Term(term.op, args, term.number, term.name, term.tests)


def _folded(op: str, values: list[Fraction]) -> Fraction | None:
    first, second = values[0], values[-1]
    match op:
        case "max":
            return max(values)
        case "min":
            return min(values)
        case "abs":
            return abs(first)
        case "floor":
            return Fraction(first // 1)
        case "add":
            return first + second
        case "sub":
            return first - second
        case "mul":
            return first * second
        case "neg":
            return -first
        case "div":
            return first / second if second else None
        case "power" if second.denominator == 1 and (first or second >= 0):
            return None if _too_large(first, second) else first ** int(second)
    return None


def _too_large(base: Fraction, exponent: Fraction) -> bool:
    bits = max(base.numerator.bit_length(), base.denominator.bit_length())
    return abs(exponent) > _LARGEST_POWER or bits * abs(exponent) > _LARGEST_BITS


class _Reader:
    """Walks a syntax tree and refuses whatever is not on the list."""

    def __init__(self, text: str, variables: Collection[str], where: str) -> None:
        self.text, self.variables, self.where = text, variables, where

    def tree(self, longest: int = _LONGEST) -> ast.expr:
        if not self.text:
            raise RejectedError(f"{self.where} is empty; write a formula such as 'Abs(x)/n'")
        if len(self.text) > longest:
            raise RejectedError(
                f"{self.where} has {len(self.text):,} characters, at most {longest:,} are read; "
                "split it"
            )
        try:
            return ast.parse(self.text, mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            raise RejectedError(
                f"{self.where} cannot be read: {self.text!r:.80}; write it in sympy's notation, "
                "such as 'Abs(x)/(n + 1)'"
            ) from None

    def error(self, node: ast.AST, fact: str, remedy: str) -> RejectedError:
        piece = ast.get_source_segment(self.text, node) or ast.unparse(node)
        whole = "" if piece == self.text else f" in {self.text!r:.200}"
        return RejectedError(f"{self.where}: {piece!r:.60} {fact}{whole}; {remedy}")

    def term(self, node: ast.expr) -> Term:
        match node:
            case ast.Constant(value=value) if type(value) in (int, float):
                return number(self.literal(node))
            case ast.Constant():
                raise self.error(node, "is no real number", "use integers and decimals")
            case ast.Name(id=name) if name in self.variables:
                return Term("variable", name=name)
            case ast.Name(id="pi"):
                return Term("pi")
            case ast.Name(id="E"):
                return Term("exp", (number(1),))
            case ast.Name(id=name):
                known = sorted({*self.variables, *_CONSTANTS})
                close = difflib.get_close_matches(name, known, 1)
                hint = f"did you mean {close[0]!r}?" if close else f"there are {', '.join(known)}"
                raise self.error(node, "is not declared", f"add it to `variables`; {hint}")
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return Term("neg", (self.term(operand),))
            case ast.UnaryOp(op=ast.UAdd(), operand=operand):
                return self.term(operand)
            case ast.BinOp(left=left, op=operator, right=right):
                return self.binary(node, operator, self.term(left), self.term(right))
            case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]):
                if name == "Piecewise" and arguments:
                    return self.cases(arguments)
                return self.call(node, name, arguments)
            case ast.Call():
                raise self.error(node.func, "is no function that is known", _FUNCTIONS_SAID)
            case ast.Compare() | ast.BoolOp():
                raise self.error(node, "is a relation", "a number is needed here")
        remedy = "use + - * / // % **, numbers, variables and functions"
        raise self.error(node, "is not allowed", remedy)

    def literal(self, node: ast.expr) -> Fraction:
        written = ast.get_source_segment(self.text, node) or ""
        if not _NUMBER.fullmatch(written):
            raise self.error(node, "is not allowed", "write it as a decimal number")
        return Fraction(written.replace("_", ""))

    def binary(self, node: ast.expr, operator: ast.operator, left: Term, right: Term) -> Term:
        if type(operator) in _BINARY:
            return Term(_BINARY[type(operator)], (left, right))
        if isinstance(operator, ast.Pow):
            power = Term("power", (left, right))
            base, exponent = constant(left), constant(right)
            if base is not None and exponent is not None and _too_large(base, exponent):
                raise self.error(node, "holds a power that is too large", "write it smaller")
            return power
        below = Term("floor", (Term("div", (left, right)),))
        if isinstance(operator, ast.FloorDiv):
            return below
        if isinstance(operator, ast.Mod):
            return _rest(left, right)
        hint = "powers are written **" if isinstance(operator, ast.BitXor) else "use + - * / **"
        raise self.error(node, "uses an operator that is not allowed", hint)

    def call(self, node: ast.expr, name: str, arguments: list[ast.expr]) -> Term:
        if name not in _FUNCTIONS:
            raise self.error(node, "is no function that is known", _FUNCTIONS_SAID)
        args = [self.term(argument) for argument in arguments]
        if name in _MANY_ARGUMENTS and args:
            return Term(_MANY_ARGUMENTS[name], tuple(args))
        make = _OTHERS.get((name, len(args)))
        if make is not None:
            return make(*args)
        if name in _ONE_ARGUMENT and len(args) == 1:
            return Term(_ONE_ARGUMENT[name], tuple(args))
        if name == "Rational" and len(args) in (1, 2):
            value = constant(Term("div", (args[0], args[1] if args[1:] else number(1))))
            if value is not None:
                return number(value)
            raise self.error(node, "is no number", "divide with / instead")
        takes = "1 or 2" if name in ("log", "Rational") else "2" if name == "Mod" else "1"
        takes = "at least 1" if name in _MANY_ARGUMENTS else takes
        raise self.error(node, f"passes {len(args)} arguments", f"{name} takes {takes}")

    def cases(self, branches: list[ast.expr]) -> Term:
        values, tests = [], []
        for branch in branches:
            if not isinstance(branch, ast.Tuple) or len(branch.elts) != 2:
                raise self.error(branch, "is no case", "write (value, condition)")
            values.append(self.term(branch.elts[0]))
            tests.append(self.condition(branch.elts[1]))
        if tests[-1]:
            raise RejectedError(
                f"{self.where} has cases without a last one that always holds; "
                "end with (value, True)"
            )
        return Term("cases", tuple(values), tests=tuple(tests))

    def condition(self, node: ast.expr) -> Condition:
        match node:
            case ast.Constant(value=True) | ast.Name(id="True" | "true"):
                return ()
            case ast.Compare(left=left, ops=operators, comparators=others):
                sides = [self.term(side) for side in (left, *others)]
                if all(type(operator) in _RELATIONS for operator in operators):
                    return tuple(
                        Relation(one, _RELATIONS[type(operator)], other)
                        for one, operator, other in zip(sides, operators, sides[1:], strict=False)
                    )
            case ast.Call(func=ast.Name(id=name), args=[left, right], keywords=[]) if (
                name in _NAMED_RELATIONS
            ):
                return (Relation(self.term(left), _NAMED_RELATIONS[name], self.term(right)),)
        raise self.error(node, "is no relation", "write two sides and one of == != <= < >= >")


def _rest(left: Term, right: Term) -> Term:
    below = Term("floor", (Term("div", (left, right)),))
    return Term("sub", (left, Term("mul", (right, below))))


def _ceiling(term: Term) -> Term:
    return Term("neg", (Term("floor", (Term("neg", (term,)),)),))


_OTHERS: dict[tuple[str, int], Callable[..., Term]] = {
    ("Mod", 2): _rest,
    ("ceiling", 1): _ceiling,
    ("log", 1): lambda a: Term("log", (a,)),
    ("log", 2): lambda a, base: Term("div", (Term("log", (a,)), Term("log", (base,)))),
}
_FUNCTIONS = {*_ONE_ARGUMENT, *_MANY_ARGUMENTS, *(name for name, _ in _OTHERS), "Rational"}
_FUNCTIONS_SAID = f"there are {', '.join(sorted({*_FUNCTIONS, 'Piecewise'}))}"
_TRUTHS = {"True", "False", "true", "false"}
RESERVED = frozenset({*_FUNCTIONS, "Piecewise", *_CONSTANTS, *_NAMED_RELATIONS, *_TRUTHS})
