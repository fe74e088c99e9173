"""A test of the budget that lets more be spent than there is."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace

from dpaudit.static.budget_conditions import BUDGET, is_limit
from dpaudit.static.facts import Facts, Place
from dpaudit.static.rule import Hit, Rule

_SLACK = 1e-3  # more than a tolerance for the rounding of floats


def look(facts: Facts) -> Iterator[Hit]:
    """Yield comparisons of what is spent with more than the budget."""
    if not facts.released:
        return
    asked = [] if facts.function is None else [(facts.function, facts.place)]
    asked += [(c.function, c.place) for c in facts.calls if c.function is not None]
    seen: set[int] = set()
    for function, place in asked:
        if id(function.node) in seen:
            continue
        seen.add(id(function.node))
        for test in ast.walk(function.node):
            if not isinstance(test, ast.Compare) or len(test.ops) > 1:
                continue
            slack = _slack(test)
            if slack is None:
                continue
            file = function.module.shown
            own = function is facts.function
            there = Place(file, test.lineno) if own else replace(place, inner=(file, test.lineno))
            yield Hit(there, f"`{slack}` lets more be spent than the budget", "warning")


def _slack(test: ast.Compare) -> str | None:
    """Return the side of a comparison that is more than a limit, None where there is none."""
    sides = test.left, test.comparators[0]
    if not isinstance(test.ops[0], ast.Gt | ast.GtE | ast.Lt | ast.LtE):
        return None
    if not any(BUDGET.search(ast.unparse(side)) for side in sides):
        return None
    for limit, spent in (sides, sides[::-1]):
        if is_limit(limit) and not is_limit(spent):
            return ast.unparse(limit) if _is_more(limit) else None
    return None


def _is_more(limit: ast.expr) -> bool:
    """Whether a limit is multiplied by more than 1, or more than 0 is added."""
    if not isinstance(limit, ast.BinOp):
        return False
    numbers = [_number(limit.left), _number(limit.right)]
    found = next((number for number in numbers if number is not None), None)
    if found is None:
        return False
    if isinstance(limit.op, ast.Mult):
        return found > 1 + _SLACK
    if isinstance(limit.op, ast.Div):
        return numbers[1] is not None and 0 < found < 1 - _SLACK
    return isinstance(limit.op, ast.Add) and found > _SLACK


def _number(node: ast.expr) -> float | None:
    """Return the value of a number, or of a sum of numbers."""
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        return float(node.value)  # type: ignore[arg-type]  # as the test says
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        parts = _number(node.left), _number(node.right)
        return None if None in parts else sum(part for part in parts if part is not None)
    return None


RULE = Rule(
    "DPA107",
    "budget-with-slack",
    "The test of the budget lets more be spent than there is.",
    bad="""\
def noisy_answers(data, rng, prices, epsilon_budget=1.0):
    answers, spent = [], 0.0
    for price in prices:
        if spent + price > epsilon_budget * 1.5:
            break
        spent += price
        answers.append(len(data) + rng.laplace(scale=1 / price))
    return answers
""",
    good="""\
def noisy_answers(data, rng, prices, epsilon_budget=1.0):
    answers, spent = [], 0.0
    for price in prices:
        if spent + price > epsilon_budget * (1 + 1e-9):
            break
        spent += price
        answers.append(len(data) + rng.laplace(scale=1 / price))
    return answers
""",
    look=look,
)
