"""Programs as pseudo-code: noise is written ``Lap(scale)``, operators stand between operands."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from dpaudit.checker.operators import INFIX, PREFIX
from dpaudit.formal.program import (
    Assign,
    Attribute,
    Branch,
    Call,
    Choice,
    Closure,
    Comprehension,
    Constant,
    Define,
    Draw,
    Evaluate,
    Expression,
    For,
    Function,
    Generator,
    Leave,
    Logic,
    Mapping,
    Name,
    Named,
    Node,
    Program,
    Raise,
    Return,
    Sequence,
    Slice,
    Starred,
    Statement,
    Subscript,
    Update,
    While,
    walk,
)

NOISE = {
    "binomial": "Bin",
    "exponential": "Exp",
    "gamma": "Gamma",
    "geometric": "Geom",
    "gumbel": "Gumbel",
    "laplace": "Lap",
    "normal": "N",
    "random": "U",
    "standard_exponential": "Exp",
    "standard_normal": "N",
    "uniform": "U",
}
_BRACKETS = {"tuple": "()", "list": "[]", "set": "{}", "generator": "()", "dict": "{}"}
_ATOM = 20
_LONGEST = 60  # characters of a constant


def program_text(program: Program) -> str:
    """Return a program as pseudo-code, the functions that it calls after it."""
    fixed = ", ".join(f"{name} = {_constant(c)}" for name, c in program.fixed.items())
    given = [program.data, *program.symbolic]
    head = f"{program.entry.name}({', '.join(given)}{'; ' + fixed if fixed else ''})"
    texts = [function_text(program.entry, head)]
    seen = {id(program.entry)}
    for node in walk(program.entry):
        called = node.function if isinstance(node, Call) else None
        if isinstance(called, Function) and id(called) not in seen:
            seen.add(id(called))
            texts.append(function_text(called))
    return "\n\n".join(texts)


def function_text(function: Function, head: str | None = None) -> str:
    """Return a function as pseudo-code."""
    return "\n".join([head or _head(function), *_block(function.body)])


def expression_text(node: Expression) -> str:
    """Return an expression as pseudo-code."""
    return _expression(node)[0]


def _head(function: Function) -> str:
    defaults = function.defaults
    named = [
        f"{name} = {_constant(defaults[name])}" if name in defaults else name
        for name in function.parameters
    ]
    starred = [f"*{function.starred}"] if function.starred else []
    return f"{function.name}({', '.join([*named, *starred])})"


def _block(statements: Iterable[Statement]) -> list[str]:
    lines = [f"  {line}" for statement in statements for line in _statement(statement)]
    return lines or ["  nothing"]


def _statement(node: Statement) -> list[str]:
    text = expression_text
    match node:
        case Assign(target=target, value=value):
            return [f"{text(target)} = {text(value)}"]
        case Update(target=target, function=function, value=value):
            return [f"{text(target)} {_in_place(function)} {text(value)}"]
        case Evaluate(value=value):
            return [text(value)]
        case Branch():
            return _branch(node)
        case For(target=target, iterable=iterable, body=body, otherwise=otherwise):
            head = f"for {_bare(target)} in {text(iterable)}:"
            return [head, *_block(body), *_otherwise(otherwise)]
        case While(test=test, body=body, otherwise=otherwise):
            return [f"while {text(test)}:", *_block(body), *_otherwise(otherwise)]
        case Return(value=value):
            return [f"return {text(value)}"]
        case Leave(how=how):
            return [how]
        case Raise(value=raised):
            return ["raise" if raised is None else f"raise {text(raised)}"]
        case Define(function=closure):
            return [f"def {_head(closure.function)}:", *_block(closure.function.body)]


def _branch(node: Branch, word: str = "if") -> list[str]:
    lines = [f"{word} {expression_text(node.test)}:", *_block(node.yes)]
    if len(node.no) == 1 and isinstance(node.no[0], Branch):
        return [*lines, *_branch(node.no[0], "elif")]
    return [*lines, *_otherwise(node.no)]


def _otherwise(statements: tuple[Statement, ...]) -> list[str]:
    return ["else:", *_block(statements)] if statements else []


def _in_place(function: str) -> str:
    word = function.removeprefix("operator.i")
    symbol = INFIX.get(word) or INFIX.get(f"{word}_")
    return f"{symbol[0]}=" if symbol else function


def _bare(node: Any) -> str:
    if isinstance(node, Sequence) and node.items:
        return ", ".join(expression_text(item) for item in node.items)
    return expression_text(node)


def _expression(node: Expression) -> tuple[str, int]:
    """Return the text of an expression, and how tightly its outermost operator binds."""
    return _WRITERS[type(node)](node)


def _within(node: Expression, least: int) -> str:
    text, level = _expression(node)
    return text if level >= least else f"({text})"


def _constant(node: Constant) -> str:
    value = node.value
    if callable(value):
        return str(getattr(value, "__name__", type(value).__name__))
    text = " ".join(repr(value).split())
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _literal(node: Constant) -> tuple[str, int]:
    text = _constant(node)
    return text, 11 if text.startswith("-") else _ATOM


def _draw(node: Draw) -> tuple[str, int]:
    family = NOISE.get(node.family, node.family)
    arguments = dict(node.arguments)
    alone = list(arguments) in (["scale"], ["p"], ["size"])
    shown = [
        expression_text(value) if alone and name != "size" else f"{name}={expression_text(value)}"
        for name, value in arguments.items()
    ]
    if node.family in NOISE and list(arguments) == ["scale", "size"]:
        shown[0] = expression_text(arguments["scale"])
    return f"{family}({', '.join(shown)}){_source(node.generator)}", _ATOM


def _source(generator: Expression) -> str:
    if isinstance(generator, Generator):
        if generator.origin == "seeded" and generator.seed is not None:
            return f"[seed {expression_text(generator.seed)}]"
        return "[shared]" if generator.origin == "global" else ""
    return "" if expression_text(generator) == "rng" else f"[{expression_text(generator)}]"


def _generator(node: Generator) -> tuple[str, int]:
    return ("rng" if node.origin == "argument" else f"generator{_source(node)}"), _ATOM


def _call(node: Call) -> tuple[str, int]:
    function = node.function
    if isinstance(function, Function):
        return f"{function.name}({_arguments(node)})", _ATOM
    if isinstance(function, Constant):
        return f"{_constant(function)}({_arguments(node)})", _ATOM
    library, _, word = function.rpartition(".")
    if library == "operator" and word in INFIX and len(node.arguments) == 2:
        symbol, level = INFIX[word]
        left, right = node.arguments
        tighter = (level + 1, level) if word == "pow" else (level, level + 1)
        return f"{_within(left, tighter[0])} {symbol} {_within(right, tighter[1])}", level
    if library == "operator" and word in PREFIX:
        symbol, level = PREFIX[word]
        return f"{symbol}{_within(node.arguments[0], level)}", level
    if function == "operator.contains":
        return f"{_within(node.arguments[1], 5)} in {_within(node.arguments[0], 5)}", 4
    if function == "operator.call":
        return f"{_within(node.arguments[0], 15)}({_arguments(node, 1)})", _ATOM
    if library == "method":
        return f"{_within(node.arguments[0], 15)}.{word}({_arguments(node, 1)})", _ATOM
    return f"{function.removeprefix('builtins.')}({_arguments(node)})", _ATOM


def _arguments(node: Call, start: int = 0) -> str:
    positional = [expression_text(argument) for argument in node.arguments[start:]]
    return ", ".join([*positional, *(f"{k}={expression_text(v)}" for k, v in node.keywords)])


def _slice(node: Slice) -> tuple[str, int]:
    ends = ["" if end is None else expression_text(end) for end in (node.start, node.stop)]
    step = "" if node.step is None else f":{expression_text(node.step)}"
    return f"{':'.join(ends)}{step}", 0


def _sequence(node: Sequence) -> tuple[str, int]:
    first, last = tuple(_BRACKETS[node.kind])
    inside = ", ".join(expression_text(item) for item in node.items)
    comma = "," if node.kind == "tuple" and len(node.items) == 1 else ""
    return f"{first}{inside}{comma}{last}", _ATOM


def _mapping(node: Mapping) -> tuple[str, int]:
    items = (f"{expression_text(k)}: {expression_text(v)}" for k, v in node.items)
    return f"{{{', '.join(items)}}}", _ATOM


def _comprehension(node: Comprehension) -> tuple[str, int]:
    first, last = tuple(_BRACKETS[node.kind])
    clauses = []
    for target, iterable, conditions in node.clauses:
        clauses.append(f" for {_bare(target)} in {expression_text(iterable)}")
        clauses += [f" if {expression_text(condition)}" for condition in conditions]
    element = expression_text(node.element)
    if node.kind == "dict" and isinstance(node.element, Sequence):
        element = ": ".join(expression_text(item) for item in node.element.items)
    return f"{first}{element}{''.join(clauses)}{last}", _ATOM


def _logic(node: Logic) -> tuple[str, int]:
    level = 2 if node.operator == "and" else 1
    return f" {node.operator} ".join(_within(o, level + 1) for o in node.operands), level


def _choice(node: Choice) -> tuple[str, int]:
    yes, test, no = _within(node.yes, 1), _within(node.test, 1), _within(node.no, 0)
    return f"{yes} if {test} else {no}", 0


def _closure(node: Closure) -> tuple[str, int]:
    function = node.function
    if function.name == "<lambda>" and isinstance(function.body[0], Return):
        parameters = ", ".join(function.parameters)
        return f"lambda {parameters}: {expression_text(function.body[0].value)}", 0
    return function.name, _ATOM


_WRITERS: dict[type[Node], Callable[[Any], tuple[str, int]]] = {
    Attribute: lambda n: (f"{_within(n.value, 15)}.{n.name}", _ATOM),
    Call: _call,
    Choice: _choice,
    Closure: _closure,
    Comprehension: _comprehension,
    Constant: _literal,
    Draw: _draw,
    Generator: _generator,
    Logic: _logic,
    Mapping: _mapping,
    Name: lambda n: (n.id, _ATOM),
    Named: lambda n: (f"({n.target.id} := {expression_text(n.value)})", _ATOM),
    Sequence: _sequence,
    Slice: _slice,
    Starred: lambda n: (f"*{_within(n.value, 15)}", 0),
    Subscript: lambda n: (f"{_within(n.value, 15)}[{_bare(n.index)}]", _ATOM),
}
