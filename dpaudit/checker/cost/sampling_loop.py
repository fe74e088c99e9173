"""What a sampling loop of a program returns: noise, or something with noise in it."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from dpaudit.checker.cost.ledger import Draw
from dpaudit.checker.cost.noise import Noisy, drawn
from dpaudit.checker.cost.rejection import Loop, Tail
from dpaudit.checker.exact.numbers import Number
from dpaudit.checker.program import changed

if TYPE_CHECKING:
    from dpaudit.checker.cost.execute import Frame, Machine

Node = dict[str, Any]

_FORMULAS = (
    "operator.add",
    "operator.sub",
    "operator.mul",
    "operator.floordiv",
    "operator.truediv",
    "operator.mod",
    "operator.pow",
    "operator.neg",
    "builtins.int",
    "builtins.abs",
    "fractions.Fraction",
    "math.isqrt",
)


def is_one(machine: Machine, node: Node) -> bool:
    """Whether a loop goes on until it returns, and draws whole numbers."""
    test = node["test"]
    endless = test["kind"] == "Constant" and test["value"] is True
    return endless and _draws(machine, node["body"], 0)


def _draws(machine: Machine, value: Any, depth: int) -> bool:
    if isinstance(value, list):
        return any(_draws(machine, item, depth) for item in value)
    if not isinstance(value, dict) or value.get("kind") == "Constant" or depth > 12:
        return False
    if value.get("kind") == "Again":
        return _draws(machine, machine.again(value), depth + 1)
    drawn_whole = value.get("kind") == "Draw" and value["family"] == "integers"
    return drawn_whole or any(_draws(machine, item, depth) for item in value.values())


def returned(machine: Machine, node: Node, frame: Frame) -> Any:
    """Return the value with which a sampling loop ends the function around it."""
    for function in machine.functions:
        _validate_python(machine, function)
    own = frozenset(changed(node["body"]))
    for name in own:
        frame.variables.pop(name, None)
    loop = Loop(
        own,
        known=lambda name: _known(machine, name, frame),
        sampler=lambda call: _sampled(machine, call, frame, own),
        generator=lambda made: _generator(machine, made, frame),
        function=lambda call: _function(machine, call),
    )
    last = loop.last(node["body"])
    machine.run.place = node["place"]
    own_name = last["kind"] == "Name" and last["id"] in own
    if own_name or last["kind"] == "Choice":
        return _noise(machine, loop.tail(loop.value(last)), node)
    made: dict[tuple[str, int, int], Noisy] = {}
    for name, held in loop.held.items():
        if held.kind in ("signed", "swung"):
            key = held.kind, held.number, held.fair
            if key in made:
                raise machine.run.refused("two names of one number that was drawn")
            made[key] = frame.variables[name] = _noise(machine, loop.tail(held), node)
    _validate_set(machine, last, own, frame)
    return machine.value(last, frame)


def _validate_python(machine: Machine, value: Any) -> None:
    """Refuse what may make an integer of NumPy's known, which overflows: its arrays and calls."""
    if isinstance(value, list):
        for item in value:
            _validate_python(machine, item)
    if not isinstance(value, dict):
        return
    if value.get("kind") == "Constant":
        _validate_constant(machine, value["value"])
        return
    function = value.get("function") if value.get("kind") == "Call" else None
    library = function.partition(".")[0] if isinstance(function, str) else "builtins"
    own = library.startswith("recursion:")
    if library not in ("builtins", "operator", "math", "fractions", "method") and not own:
        raise machine.run.refused("a sampling loop in a program that calls NumPy")
    for item in value.values():
        _validate_python(machine, item)


def _validate_constant(machine: Machine, value: Any) -> None:
    plain = value is None or isinstance(value, bool | str)
    if isinstance(value, dict) and len(value) == 1:
        ((kind, inside),) = value.items()
        plain = kind in ("int", "float", "fraction", "tuple", "list")
        for item in inside if isinstance(inside, list) else ():
            _validate_constant(machine, item)
    if not plain:
        raise machine.run.refused("a sampling loop in a program with numbers of NumPy")


def _noise(machine: Machine, law: Tail, node: Node) -> Noisy:
    run = machine.run
    run.ledger.calls += 1
    if law.both and law.a > 0 and law.b == 0:
        draw = Draw("two-sided", Number(law.a), node["place"], run.ledger.calls)
    elif law.both and law.a == 0 and law.b > 0:
        draw = Draw("discrete normal", Number(1 / (2 * law.b)), node["place"], run.ledger.calls)
    else:
        raise run.refused("a sampling loop that returns noise of another law")
    run.ledger.sampled[draw] = law
    return drawn(draw)


def _known(machine: Machine, node: Node, frame: Frame) -> int:
    value = machine.value(node, frame)
    if type(value) is not int:
        raise machine.run.refused("a number of a sampling loop that is not known")
    return value


def _generator(machine: Machine, node: Node, frame: Frame) -> None:
    from dpaudit.checker.cost.values import Generator

    if not isinstance(machine.value(node, frame), Generator):
        raise machine.run.refused("noise from a generator that is not understood")


def _function(machine: Machine, node: Node) -> Node | None:
    function = node["function"]
    if isinstance(function, str):
        return None
    if function["kind"] == "Again":
        function = machine.again(function)
    if function["kind"] != "Function":
        raise machine.unread(function)
    return dict(function)


def _sampled(machine: Machine, node: Node, frame: Frame, own: frozenset[str]) -> Tail:
    """Return the law of what another sampler returns: a number that its own loop drew."""
    run, function = machine.run, _function(machine, node)
    body = [] if function is None else function["body"]
    ends = bool(body) and body[-1]["kind"] == "While" and not _returns(body[:-1])
    if not ends or any(v["kind"] not in ("Name", "Choice") for v in _returns(body[-1:])):
        raise run.refused("a call in a sampling loop")
    _validate_set(machine, node["arguments"], own, frame)
    _validate_unchanging(machine, node, frame)
    before = len(run.taken), run.ledger.paid, run.ledger.uses
    value = machine.value(node, frame)
    draws = list(value.draws) if isinstance(value, Noisy) else []
    law = run.ledger.sampled.get(draws[0]) if len(draws) == 1 else None
    if law is None or before != (len(run.taken), run.ledger.paid, run.ledger.uses):
        raise run.refused("a call in a sampling loop")
    return law  # type: ignore[no-any-return]


def _validate_unchanging(machine: Machine, node: Node, frame: Frame) -> None:
    """Refuse arguments that a round may leave changed to the next: only numbers stay the same."""
    from dpaudit.checker.cost.values import Generator

    for argument in (*node["arguments"], *(value for _, value in node["keywords"])):
        if not _reads(argument):
            raise machine.run.refused("an argument that is no formula, in a sampling loop")
        value = machine.value(argument, frame)
        if type(value) not in (int, Fraction, Number, Generator):
            raise machine.run.refused("an argument that is no number, in a sampling loop")


def _reads(node: Any) -> bool:
    """Whether to evaluate an expression changes nothing."""
    match node["kind"]:
        case "Name" | "Constant" | "Generator":
            return True
        case "Attribute":
            return _reads(node["value"])
        case "Call" if node["function"] in _FORMULAS and not node["keywords"]:
            return all(map(_reads, node["arguments"]))
    return False


def _validate_set(machine: Machine, node: Any, own: frozenset[str], frame: Frame) -> None:
    """Refuse a name that the loop assigns, and has no value that is known."""
    for name in _nodes(node, "Name"):
        if name["id"] in own and name["id"] not in frame.variables:
            raise machine.run.refused(f"{name['id']!r:.40} after a sampling loop")


def _returns(body: list[Node]) -> list[Node]:
    return [node["value"] for node in _nodes(body, "Return")]


def _nodes(value: Any, kind: str) -> list[Node]:
    """Return the nodes of a kind, but for those of functions that are called."""
    if isinstance(value, list):
        return [found for item in value for found in _nodes(item, kind)]
    if not isinstance(value, dict) or value.get("kind") in ("Constant", "Function"):
        return []
    below = [found for item in value.values() for found in _nodes(item, kind)]
    return [value, *below] if value.get("kind") == kind else below
