"""Conditions on a budget: whether a test that holds refuses a price, and whether it is strict."""

from __future__ import annotations

import ast
import re

BUDGET = re.compile(
    r"budget|quota|spent|consumed|remaining|balance|allowance|exhausted|(^|[._])(used|left|cost)\b|"
    r"total_eps|eps(ilon)?_(so_far|left|used)|privacy_loss",
    re.I,
)
_CAPS = re.compile(r"budget|quota|remaining|balance|allowance|limit|total|(^|[._])left\b|max", re.I)
_SUMS = re.compile(r"spent|consumed|used|cost|so_far|loss|sum\(", re.I)
_ASKS = re.compile(r"^_?(can|has|enough|allow|check|within|affords?)", re.I)


def is_limit(side: ast.expr) -> bool:
    """Whether a side of a comparison is what may be spent, and not what is."""
    text = ast.unparse(side)
    return bool(_CAPS.search(text)) and not _SUMS.search(text)


def is_of_none(test: ast.expr) -> bool:
    """Whether a test asks whether something is None."""
    return any(isinstance(n, ast.Constant) and n.value is None for n in ast.walk(test))


def is_strict(test: ast.expr) -> bool:
    """Whether a test that refuses says that more than the budget is spent, or would be."""
    inner = test.operand if isinstance(test, ast.UnaryOp) else test
    if not isinstance(inner, ast.Compare):
        return True
    limit = inner.left if isinstance(inner.ops[0], ast.Gt | ast.GtE) else inner.comparators[0]
    if isinstance(limit, ast.Constant) and limit.value not in (0, 0.0):
        return False  # little is left, but enough for what was spent
    adds = any(isinstance(n, ast.BinOp) and isinstance(n.op, ast.Add) for n in ast.walk(inner))
    return adds or isinstance(inner.ops[0], ast.Gt | ast.Lt)


def refuses(test: ast.expr) -> bool | None:
    """Return whether a test of the budget that holds is a refusal; None where it is no such test.

    The larger side of a comparison is what is spent, or what is left.
    """
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        inner = refuses(test.operand)
        return None if inner is None else not inner
    if isinstance(test, ast.Call):
        name = getattr(test.func, "attr", getattr(test.func, "id", ""))
        if not BUDGET.search(ast.unparse(test.func)) and not re.search("spend|charge", name):
            return None
        asks = _ASKS.match(name)
        return False if asks else (True if re.search("exhaust|exceed|over", name) else None)
    if not isinstance(test, ast.Compare) or len(test.ops) != 1 or is_of_none(test):
        return None
    one, other = ast.unparse(test.left), ast.unparse(test.comparators[0])
    if not (BUDGET.search(one) or BUDGET.search(other)):
        return None
    if isinstance(test.ops[0], ast.Lt | ast.LtE):
        one, other = other, one
    elif not isinstance(test.ops[0], ast.Gt | ast.GtE):
        return None
    return not (_CAPS.search(one) and not _SUMS.search(one))


def is_ahead(test: ast.expr) -> bool:
    """Whether a test is of a price that is not booked yet, not of the sum alone."""
    inner = test.operand if isinstance(test, ast.UnaryOp) else test
    if not isinstance(inner, ast.Compare):
        return True
    below = isinstance(inner.ops[0], ast.Lt | ast.LtE)
    larger = inner.comparators[0] if below else inner.left
    if any(isinstance(n, ast.BinOp) and isinstance(n.op, ast.Add) for n in ast.walk(larger)):
        return True
    return not (isinstance(larger, ast.Constant) or _SUMS.search(ast.unparse(larger)))
