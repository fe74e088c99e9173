"""What leaves a mechanism beside its return value: what it prints and logs.

Every such text is an output. In the lifted program it is appended to a list that every function
which prints or raises is given, and the mechanism returns what it returned together with that list.
What is appended is more than the text: the source of the call with a mark for each value that it
shows, and these values, whatever the level of a logger, so that the text is a function of it. Logs
and warnings may show the line, which is appended too; a text that shows whence a function was
called, or what an exception says, is refused.
"""

from __future__ import annotations

import ast
import copy
import logging
import threading
import types
from typing import Any

from dpaudit.formal.lifting.canonical import canonical_name
from dpaudit.formal.lifting.dispatch import expression
from dpaudit.formal.lifting.kinds import ARITHMETIC
from dpaudit.formal.lifting.objects import with_ends
from dpaudit.formal.lifting.rewriting import call
from dpaudit.formal.lifting.scope import Scope, is_sink, object_shape, resolve
from dpaudit.formal.lifting.streams import is_set_once
from dpaudit.formal.program import (
    EMITTED,
    Assign,
    Call,
    Constant,
    Evaluate,
    Expression,
    Function,
    Name,
    Raise,
    Return,
    Sequence,
    Statement,
)
from dpaudit.formal.unsupported import Unsupported

_LEVELS = frozenset({"debug", "info", "warning", "error", "critical", "exception", "log"})
_WRITING = frozenset({"write"})
_CALLERS = ("exc_info", "stack_info", "stacklevel")  # which show whence, or what was raised
_NAMED = {"builtins.print": "print", "warnings.warn": "warnings", "_warnings.warn": "warnings"}
_NAMED |= {f"logging.{name}": "logging" for name in _LEVELS}


def emitted(node: ast.expr, scope: Scope) -> list[Statement] | None:
    """Return what stands for a call that prints or logs; None for any other expression.

    Raises
    ------
    Unsupported
        Where it is given more than texts and values: a file, a stack level that is computed.
    """
    way = _way(node, scope) if isinstance(node, ast.Call) else None
    if way is None:
        return None
    assert isinstance(node, ast.Call)
    if way not in scope.lifter.observes:
        shown = [value for argument in node.args for value in _shown(argument, scope)]
        return [Evaluate(value.place, value) for value in shown if isinstance(value, Call)]
    scope.emits.append(node)
    scope.lifter.prints = True
    place = scope.place(node)
    for keyword in node.keywords:
        value = keyword.value
        if keyword.arg == "file" and _sink(value, scope) is not None:
            continue
        known = expression(value, scope)
        plain = keyword.arg not in (None, "file") and isinstance(known, Constant)
        own = keyword.arg not in _CALLERS or _is_own(keyword.arg, known, scope)
        if not plain or not own:
            raise scope.refuse(f"the argument {keyword.arg!r} of what is printed", node)
    if isinstance(node.func, ast.Attribute) and node.func.attr == "exception":
        raise scope.refuse("a log that shows an exception", node)
    values = tuple(_as_it_is(v) for argument in node.args for v in _shown(argument, scope))
    item = Sequence(place, "tuple", (Constant(place, _form(node, way, scope)), *values))
    return [Evaluate(place, Call(place, "method.append", (Name(place, EMITTED), item)))]


def _as_it_is(value: Expression) -> Expression:
    """Return a copy of a value, which may change after it was shown."""
    made = isinstance(value, Call) and value.function in ARITHMETIC
    return (
        value if made or isinstance(value, Constant) else call(value.place, "copy.deepcopy", value)
    )


def _is_own(word: str | None, given: Expression, scope: Scope) -> bool:
    """Return whether a text shows no line but its own, or one outside of the mechanism."""
    value = given.value if isinstance(given, Constant) else given
    if word != "stacklevel":
        return value in (None, False)
    (code, *callers) = reversed(scope.lifter.stack)
    inside = any(isinstance(part, types.CodeType) for part in code.co_consts)
    return value == 1 or (isinstance(value, int) and not callers and not inside)


def _form(node: ast.Call, way: str, scope: Scope) -> str:
    """Return all of a text but the values that it shows."""
    marked = copy.copy(node)
    marked.args = [_marked(argument) for argument in node.args]
    holder = node.func.value if isinstance(node.func, ast.Attribute) else node.func
    shape = object_shape(holder.value, scope) if isinstance(holder, ast.Attribute) else None
    whose = "" if shape is None else f" of {shape.cls.__qualname__}"
    line = "" if way == "print" else f", line {node.lineno}"
    return f"{ast.unparse(marked)}{whose}{line}"


def _marked(node: ast.expr) -> ast.expr:
    """Return a text with a mark for each value that `_shown` returns."""
    match node:
        case ast.JoinedStr(values=values):
            return ast.JoinedStr([_marked(part) for part in values])
        case ast.FormattedValue(value=value, conversion=conversion, format_spec=spec):
            held = None if spec is None else _marked(spec)
            return ast.FormattedValue(_marked(value), conversion, held)
        case ast.BinOp(left=left, op=ast.Mod(), right=right) if _is_text(left):
            return ast.BinOp(left, ast.Mod(), _marked(right))
        case ast.Tuple(elts=items):
            return ast.Tuple([_marked(item) for item in items], ast.Load())
        case ast.Starred(value=value):
            return ast.Starred(_marked(value), ast.Load())
        case ast.Constant():
            return node
    return ast.Name("_", ast.Load())


def _way(node: ast.Call, scope: Scope) -> str | None:
    """Return by which way what a call is given leaves, None where it does not."""
    function = node.func
    if isinstance(function, ast.Attribute):
        base = _sink(function.value, scope)
        if base is not None:
            logs = isinstance(base, logging.Logger)
            leaves = function.attr in (_LEVELS if logs else _WRITING)
            return ("logging" if logs else "print") if leaves else None
    live = resolve(function, scope)
    return None if live is None else _NAMED.get(str(live.name))


def _sink(node: ast.expr, scope: Scope) -> Any:
    """Return the logger or the stream that a name stands for; None for anything else."""
    if isinstance(node, ast.Attribute) and object_shape(node.value, scope) is not None:
        return logging.root if is_attribute_sink(node, scope) else None
    if isinstance(node, ast.Call) and is_logger_made(node, scope):
        return None if any(_may_tell(name, scope) for name in node.args) else logging.root
    live = resolve(node, scope)
    if live is None or not is_sink(live.value):
        return None
    is_fixed = not isinstance(node, ast.Name) or is_set_once(scope.module, node.id)
    return live.value if is_fixed else None


def is_attribute_sink(node: ast.expr, scope: Scope) -> bool:
    """Return whether an attribute of an object holds a logger or a lock."""
    holder = object_shape(node.value, scope) if isinstance(node, ast.Attribute) else None
    return holder is not None and holder.attributes.get(node.attr) == "sink"  # type: ignore[attr-defined]


def leaves(node: ast.Call, scope: Scope) -> bool:
    """Return whether a call prints or logs."""
    return _way(node, scope) is not None


def _may_tell(node: ast.expr, scope: Scope) -> bool:
    """Return whether the name of a logger may hold more than a text of the source."""
    of_module = ast.unparse(node) == "__name__" and "__name__" not in scope.local
    return not (isinstance(node, ast.Constant) or of_module)


def is_logger_made(node: ast.expr, scope: Scope) -> bool:
    """Return whether an expression is ``logging.getLogger(name)``, or makes a lock."""
    live = resolve(node.func, scope) if isinstance(node, ast.Call) else None
    makers = (logging.getLogger, threading.Lock, threading.RLock)
    if live is None or not (live.name == "asyncio.Lock" or any(live.value is m for m in makers)):
        return False
    assert isinstance(node, ast.Call)
    return not node.keywords and all(isinstance(a, ast.Name | ast.Constant) for a in node.args)


def _shown(node: ast.expr, scope: Scope) -> list[Expression]:
    """Return the values that a text shows."""
    if isinstance(node, ast.JoinedStr):
        return [shown for part in node.values for shown in _shown(part, scope)]
    if isinstance(node, ast.FormattedValue):
        spec = [] if node.format_spec is None else _shown(node.format_spec, scope)
        return [*_shown(node.value, scope), *spec]
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod) and _is_text(node.left):
        return [*_shown(node.left, scope), *_shown(node.right, scope)]
    if isinstance(node, ast.Tuple):
        return [shown for part in node.elts for shown in _shown(part, scope)]
    return [expression(node, scope)]


def shows(node: ast.Call, scope: Scope) -> list[ast.Name]:
    """Return the variables that a call which prints or logs shows as they are."""
    found: list[ast.Name] = []
    rest: list[ast.expr] = list(node.args) if _way(node, scope) else []
    while rest:
        part = rest.pop()
        if isinstance(part, ast.Name):
            found.append(part)
        elif isinstance(part, ast.JoinedStr):
            rest += part.values
        elif isinstance(part, ast.FormattedValue):
            rest.append(part.value)
    return found


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def passed(function: Function | str, scope: Scope) -> tuple[tuple[str, Expression], ...]:
    """Return the list as an argument for a function that prints; the one that calls it does too."""
    if isinstance(function, str) or EMITTED not in function.parameters:
        return ()
    scope.emits.append(function)
    return ((EMITTED, Name(function.place, EMITTED)),)


def with_list(function: Function, *, outermost: bool) -> Function:
    """Return a function that is given the list; the mechanism makes it, and returns it too.

    What is raised says it as well: no call ends without it.
    """
    place, parameters = function.place, function.parameters
    body = with_ends(Raise, function.body, _saying)
    if not outermost:
        parameters = (*parameters, EMITTED)
    else:
        new = Assign(place, Name(place, EMITTED), Sequence(place, "list", ()))
        last = Return(place, _both(Constant(place, None)))
        body = (new, *with_ends(Return, body, _both), last)
    defaults, starred = function.defaults, function.starred
    return Function(place, function.name, parameters, defaults, body, starred)


def _both(value: Expression) -> Expression:
    return Sequence(value.place, "tuple", (value, Name(value.place, EMITTED)))


def _saying(value: Expression | None) -> Expression:
    match value:
        case Call(place=place, function=str(name), arguments=arguments, keywords=()):
            return Call(place, name, (*arguments, Name(place, EMITTED)))
        case Constant(place=place, value=type() as kind) if canonical_name(kind):
            return Call(place, str(canonical_name(kind)), (Name(place, EMITTED),))
    raise Unsupported("an exception of this kind, in a mechanism that prints")
