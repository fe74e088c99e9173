"""A budget that is looked at too late."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from dpaudit.static.facts import Facts
from dpaudit.static.modules import DEFINITIONS
from dpaudit.static.rule import Hit, Rule


def look(facts: Facts) -> Iterator[Hit]:
    """Yield loops and tests on what is spent that take a price without a look at it."""
    seen: set[int] = set()
    for call in facts.calls:
        if call.function is not None and id(call.function.node) not in seen:
            seen.add(id(call.function.node))
            price = _checked_late(call.function.node)
            if price:
                yield Hit(call.place, f"`{price}` is spent before anybody sees whether it is left")
    for place, loop in facts.loops:
        test = loop.test
        if not (isinstance(test, ast.Compare) and isinstance(test.ops[0], ast.Lt | ast.LtE)):
            continue
        limit = test.comparators[-1]
        if not (isinstance(limit, ast.Name) and limit.id in ("epsilon", "eps", "budget")):
            continue
        prices = {
            name.id
            for node in loop.body
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call)
            for target in node.targets
            for name in ast.walk(target)
            if isinstance(name, ast.Name)
        }
        looked = _names(n.test for n in ast.walk(loop) if isinstance(n, ast.If))
        grown = _grown(loop)
        late = (prices & grown) - looked
        if late:
            said = f"`{min(late)}` is spent before anybody sees whether it is left"
            yield Hit(place, said)


def _checked_late(function: ast.AST) -> str:
    """Return what is added to a sum after a test of that sum against a limit, which leaves it out.

    Notes
    -----
    The test is of the sum alone, raises or returns where it is over, and names no price. So is that
    of what is left against 0, from which a price is taken that no test names.
    """
    over: dict[str, ast.expr] = {}
    left: set[str] = set()
    tested = _names(n.test for n in ast.walk(function) if isinstance(n, ast.If | ast.IfExp))
    for node in function.body if isinstance(function, DEFINITIONS) else ():
        match node:
            case ast.If(
                test=ast.Compare(
                    left=sum_, ops=[ast.Lt() | ast.LtE()], comparators=[ast.Constant(0 | 0.0)]
                ),
                body=[*_, ast.Raise() | ast.Return()],
            ) if _LEFT.search(ast.unparse(sum_)):
                left.add(ast.unparse(sum_))
            case ast.AugAssign(op=ast.Sub(), value=ast.Name(id=price)):
                if ast.unparse(node.target) in left and price not in tested:
                    return price
            case ast.If(
                test=ast.Compare(left=sum_, ops=[ast.Gt() | ast.GtE()], comparators=[_]),
                body=[*_, ast.Raise() | ast.Return()],
            ) if _SPENT.search(ast.unparse(sum_)) and isinstance(sum_, ast.Name | ast.Attribute):
                over[ast.unparse(sum_)] = node.test
            case ast.AugAssign(op=ast.Add(), value=ast.Name(id=price)):
                test = over.get(ast.unparse(node.target))
                if test is not None and price not in _names(iter([test])):
                    return price
    return ""


def _names(nodes: Iterator[ast.expr]) -> set[str]:
    return {n.id for node in nodes for n in ast.walk(node) if isinstance(n, ast.Name)}


def _grown(loop: ast.While) -> set[str]:
    """Return the names that are added to a sum, or appended to a list, that the test is about."""
    tested = _names(iter([loop.test]))
    grown: set[str] = set()
    for node in ast.walk(loop):
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            if node.target.id in tested:
                grown |= _names(iter([node.value]))
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            base = node.func.value
            if node.func.attr == "append" and isinstance(base, ast.Name) and base.id in tested:
                grown |= _names(iter(node.args))
    return grown


_SPENT = re.compile(r"spent|used|consumed|cost|total_epsilon|budget_so_far", re.I)
_LEFT = re.compile(r"(left|remaining|budget)$", re.I)

RULE = Rule(
    "DPA107",
    "budget-checked-late",
    "A loop continues while less than epsilon is spent, and its last round may spend more "
    "than is left.",
    bad="""\
def noisy_answers(data, rng, analyst=next, epsilon=1.0):
    answers, spent = [], 0.0
    while spent < epsilon:
        price = analyst(answers)
        answers.append(len(data) + rng.laplace(scale=1 / price))
        spent += price
    return answers
""",
    good="""\
def noisy_answers(data, rng, analyst=next, epsilon=1.0):
    answers, spent = [], 0.0
    while True:
        price = analyst(answers)
        if not price > 0 or spent + price > epsilon:
            return answers
        answers.append(len(data) + rng.laplace(scale=1 / price))
        spent += price
""",
    look=look,
)
