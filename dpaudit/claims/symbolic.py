"""Claims about every value of a mechanism's parameters."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

NOTIONS = {
    "PureDP": ("epsilon",),
    "ApproxDP": ("epsilon", "delta"),
    "RenyiDP": ("order", "epsilon"),
    "ZeroConcentratedDP": ("rho",),
    "GaussianDP": ("mu",),
}
_EXAMPLE = '"PureDP(epsilon)" for a mechanism with a parameter `epsilon`'
_OPERATORS = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Pow, ast.USub, ast.Load)


@dataclass(frozen=True, slots=True)
class SymbolicClaim:
    """A claim whose parameters are formulas in the parameters of the mechanism.

    Parameters
    ----------
    notion : str
        Name of a claim, such as ``"PureDP"``.
    terms : tuple of str
        Its parameters (nats where they are epsilons), in order, in Python's notation.

    Raises
    ------
    ValueError
        Where the notion is unknown, or a term is no formula with ``+ - * / **``.

    Notes
    -----
    It is meant for all positive values of every parameter that it names.

    Examples
    --------
    >>> claim = SymbolicClaim.of("PureDP(2 * epsilon)")
    >>> claim.terms, claim.symbols
    (('2 * epsilon',), ('epsilon',))
    """

    notion: str
    terms: tuple[str, ...]

    def __post_init__(self) -> None:
        names = NOTIONS.get(self.notion)
        if names is None:
            raise ValueError(f"unknown claim {self.notion!r}; there are {', '.join(NOTIONS)}")
        if len(self.terms) != len(names):
            raise ValueError(
                f"{self.notion} takes {', '.join(names)}, got {self}; write {_EXAMPLE}"
            )
        for term in self.terms:
            _validate(term)
        if not self.symbols:
            raise ValueError(f"{self} names no parameter; give the claim itself, not a text")

    @staticmethod
    def of(text: str) -> SymbolicClaim:
        """Read a claim from text.

        Parameters
        ----------
        text : str
            ``"PureDP(epsilon)"``, ``"ApproxDP(epsilon=2 * epsilon, delta=delta)"``.

        Raises
        ------
        ValueError
            Where it is none.
        """
        try:
            node = ast.parse(text.strip(), mode="eval").body
        except (SyntaxError, ValueError):
            node = None
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
            raise ValueError(f"{text!r} is no claim; write {_EXAMPLE}")
        names = NOTIONS.get(node.func.id, ())
        given = dict(zip(names, map(ast.unparse, node.args), strict=False))
        given |= {str(k.arg): ast.unparse(k.value) for k in node.keywords}
        if set(given) != set(names) or len(node.args) + len(node.keywords) != len(names):
            known = f"{node.func.id}({', '.join(names)})" if names else ", ".join(NOTIONS)
            raise ValueError(f"{text!r} is no claim; there is {known}; write {_EXAMPLE}")
        return SymbolicClaim(node.func.id, tuple(given[name] for name in names))

    @property
    def symbols(self) -> tuple[str, ...]:
        """The parameters of the mechanism that it names."""
        return tuple(dict.fromkeys(name for term in self.terms for name in _names(term)))

    @property
    def parameter(self) -> None:
        """No single number."""
        return

    @property
    def declared_delta(self) -> float:
        """No single number; 0 where there is none."""
        return 0.0

    def at(self, values: dict[str, float]) -> Any:
        """Return the claim at values of the parameters.

        Parameters
        ----------
        values : dict of str to float

        Returns
        -------
        Claim
        """
        import dpaudit.claims

        numbers = [_value(ast.parse(term, mode="eval").body, values) for term in self.terms]
        return getattr(dpaudit.claims, self.notion)(*numbers)

    def to_dict(self) -> dict[str, Any]:
        """Return the claim as JSON-able values."""
        return {"notion": self.notion, "for all": list(self.symbols), "terms": list(self.terms)}

    def __str__(self) -> str:
        return f"{self.notion}({', '.join(self.terms)})"


def _validate(term: str) -> None:
    tree = ast.parse(term, mode="eval").body
    allowed = (ast.BinOp, ast.UnaryOp, ast.Name, ast.Constant, *_OPERATORS)
    for node in ast.walk(tree):
        number = not isinstance(node, ast.Constant) or type(node.value) in (int, float)
        if not isinstance(node, allowed) or not number:
            raise ValueError(f"{term!r} is no formula with + - * / **; write {_EXAMPLE}")


def _names(term: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(term, mode="eval")):
        if isinstance(node, ast.Name):
            yield node.id


def _value(node: ast.expr, values: dict[str, float]) -> float:
    match node:
        case ast.Constant(value=int() | float() as number):
            return float(number)
        case ast.Name(id=name):
            return values[name]
        case ast.UnaryOp(operand=operand):
            return -_value(operand, values)
        case ast.BinOp(left=left, op=operator, right=right):
            return float(applied(operator, _value(left, values), _value(right, values)))
    raise ValueError(f"{ast.unparse(node)!r} has no value")


def applied(operator: ast.operator, a: Any, b: Any) -> Any:
    """Return what an operator of a formula makes of two numbers or expressions.

    Raises
    ------
    ValueError
        For an operator that formulas do not have.
    """
    match operator:
        case ast.Add():
            return a + b
        case ast.Sub():
            return a - b
        case ast.Mult():
            return a * b
        case ast.Div():
            return a / b
        case ast.Pow():
            return a**b
    raise ValueError(f"formulas have + - * / **, got {type(operator).__name__}")
