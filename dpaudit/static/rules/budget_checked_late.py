"""A budget that is tested, or booked, too late."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace

from dpaudit.static.budget_conditions import BUDGET
from dpaudit.static.budget_paths import Path, Paths
from dpaudit.static.facts import Facts, Place
from dpaudit.static.rule import Hit, Rule


def look(facts: Facts) -> Iterator[Hit]:
    """Yield loops and functions that take a price before a test says that it is left."""
    if facts.released:
        yield from _along_paths(facts)
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


def _along_paths(facts: Facts) -> Iterator[Hit]:
    """Yield what the paths of a function, and of those that it calls, do too late."""
    functions = {id(c.node): c.function for c in facts.calls if c.function is not None}
    noisy = {call for draw in facts.draws for call in draw.path}
    at: dict[int, Place] = {}
    asked = [] if facts.function is None else [(facts.function, facts.place)]
    asked += [(c.function, c.place) for c in facts.calls if c.function is not None]
    at_once = any(call.name in _AT_ONCE for call in facts.calls)
    seen: set[int] = set()
    for function, place in asked:
        if id(function.node) in seen or not BUDGET.search(function.module.text):
            continue
        seen.add(id(function.node))
        for path in (paths := Paths(functions, noisy).of(function)):
            late = _price_left_out(path) or _answered_first(path)
            late = late or (_others_between(path) if at_once else None)
            late = late or _never_booked(path, paths)
            if late is None or id(late[0]) in at:
                continue
            at[id(late[0])] = place
            line = getattr(late[0], "lineno", function.node.lineno)
            own = function is facts.function
            file = function.module.shown
            there = Place(file, line) if own else replace(place, inner=(file, line))
            yield Hit(there, late[1])


_AT_ONCE = frozenset({"gather", "create_task", "start_soon", "as_completed", "ensure_future"})
_Late = tuple[ast.AST, str] | None


def _price_left_out(path: Path) -> _Late:
    """Return a price that is booked after a test of the sum alone, which leaves it out."""
    for i, step in enumerate(path.steps):
        if step.kind != "book" or not step.names or not isinstance(step.node, ast.AugAssign):
            continue
        price, target = step.node.value, ast.unparse(step.node.target)
        tests = [s for s in path.steps[:i] if s.kind == "test"]
        booked = any(s.kind == "book" for s in path.steps[:i])
        looked = any(s.names & step.names for s in tests)
        limited = any(BUDGET.search(name) for name in step.names)
        about = any(_is_about(target, s.names) for s in tests)
        if about and isinstance(price, ast.Name) and not (booked or looked or limited):
            return step.node, f"`{price.id}` is spent before anybody sees whether it is left"
    return None


def _answered_first(path: Path) -> _Late:
    """Return an answer that others have although the budget refuses its price."""
    for i, step in enumerate(path.steps):
        if step.kind in ("test", "undo"):
            return None
        if step.kind != "refuse" or not step.strict:
            continue
        before, after = path.steps[:i], path.steps[i + 1 :]
        charged = step.names.union(*(s.names for s in before if s.kind == "book"))
        prices = {name for name in charged if not BUDGET.search(name)}
        booked = max((k for k, s in enumerate(before) if s.kind == "book"), default=-1)
        first = booked + 1 if step.ahead else 0  # what is booked is not refused
        answers = [s for s in path.steps[first:] if s.kind == "answer" and s.names & prices]
        limits = _limit(step.node)
        if any(BUDGET.search(name) or name in limits for a in answers for name in a.names):
            return None  # the price is a share of what is left, or of the limit
        if not answers or any(s.kind in ("test", "book", "undo") for s in after):
            return None
        for out in (s for s in path.steps if s.kind in ("keep", "leave")):
            if path.steps.index(answers[0]) < path.steps.index(out):
                return out.node, "the answer is given although the budget refuses its price"
        return None
    return None


def _limit(node: ast.AST) -> set[str]:
    """Return the names on the smaller side of a comparison that refuses."""
    if not (isinstance(node, ast.If) and isinstance(node.test, ast.Compare)):
        return set()
    below = isinstance(node.test.ops[0], ast.Lt | ast.LtE)
    side = node.test.left if below else node.test.comparators[0]
    parts = (n for n in ast.walk(side) if isinstance(n, ast.Name | ast.Attribute))
    return {ast.unparse(part) for part in parts} - {"self"}


def _others_between(path: Path) -> _Late:
    """Return a booking that others may run before, after the test that allows it."""
    for i, step in enumerate(path.steps):
        if step.kind == "book":
            tested = [k for k in range(i) if path.steps[k].kind == "test"]
            if tested and any(s.kind == "wait" for s in path.steps[tested[-1] : i]):
                return step.node, "other tasks run between the test of the budget and the booking"
    return None


def _never_booked(path: Path, paths: list[Path]) -> _Late:
    """Return an answer that leaves on a path without the booking that later lines make."""
    kinds = {s.kind for s in path.steps}
    if path.ended != "return" or kinds & {"book", "refuse", "optional"}:
        return None
    leaves = [s for s in path.steps if s.kind == "leave"]
    for out in leaves:
        prices = {n for s in path.steps if s.kind == "answer" for n in s.names}
        for other in paths:
            for k, step in enumerate(other.steps):
                answered = any(s.kind == "answer" for s in other.steps[:k])
                later = getattr(step.node, "lineno", 0) > getattr(out.node, "lineno", 0)
                if step.kind == "book" and answered and later and step.names & prices:
                    return out.node, "the answer is returned on a path that books no price"
    return None


def _is_about(target: str, names: frozenset[str]) -> bool:
    """Whether a test is of a sum, or asks the object that holds it."""
    owner, _, last = target.rpartition(".")
    if any(name == target or name.rpartition(".")[2] == last for name in names):
        return True
    return owner not in ("", "self") and owner in names


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


RULE = Rule(
    "DPA107",
    "budget-checked-late",
    "A price is spent, or an answer is given or kept, before a test finds that enough is left.",
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
