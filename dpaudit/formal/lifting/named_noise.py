"""Noise that has a law by name, and numbers that scale it: what needs no algebra to be told."""

from __future__ import annotations

from dpaudit.formal.lifting import rewriting
from dpaudit.formal.program import Call, Constant, Draw, Expression

LINEAR = {
    "operator.add": lambda a, b: a + b,
    "operator.sub": lambda a, b: a - b,
    "operator.mul": lambda a, b: a * b,
    "operator.truediv": lambda a, b: a / b,
    "numpy.add": lambda a, b: a + b,
    "numpy.subtract": lambda a, b: a - b,
    "numpy.multiply": lambda a, b: a * b,
    "numpy.divide": lambda a, b: a / b,
}
SOURCES = frozenset(
    {"random", "uniform", "exponential", "standard_exponential", "integers", "choice",
     "laplace", "normal", "standard_normal", "geometric"}
)  # fmt: skip
_STANDARD = frozenset({"laplace", "normal", "exponential", "standard_normal",
                       "standard_exponential", "gumbel", "geometric"})  # fmt: skip


def is_normal(node: Expression) -> bool:
    """Return whether an expression is a draw of a law that is known by name, or a sum with one."""
    if isinstance(node, Call) and node.function in ("operator.neg", "operator.add", "operator.sub"):
        drawn = [a for a in node.arguments if rewriting.draws(a)]
        if len(drawn) == 2 and node.function == "operator.sub":
            return all(isinstance(a, Draw) and a.family == "geometric" for a in drawn)
        return len(drawn) == 1 and is_normal(drawn[0])
    return isinstance(node, Draw) and node.family in _STANDARD


def as_number(node: Expression) -> Expression:
    """Return a scale that is one number: an array of them would be one of several draws."""
    if is_scalar(node):
        return node
    return rewriting.call(node.place, "builtins.float", node)


def is_scalar(node: Expression) -> bool:
    """Return whether an expression is one number whatever the numbers in it are."""
    if isinstance(node, Constant):
        return type(node.value) in (int, float)
    if not isinstance(node, Call) or not isinstance(node.function, str):
        return False
    if node.function in ("builtins.float", "builtins.len") or node.function.startswith("math."):
        return True
    return node.function in (*LINEAR, "operator.neg") and all(map(is_scalar, node.arguments))
