"""Reads calls: draws and generators, functions whose source is at hand, and the library."""

from __future__ import annotations

import ast
from dataclasses import replace

from dpaudit.static.estimators import estimator_call
from dpaudit.static.expressions import NOBODY, evaluate, exits, named
from dpaudit.static.facts import Call
from dpaudit.static.frames import DEEPEST, FOLLOWED, Frame
from dpaudit.static.known import known_call
from dpaudit.static.library import ADDERS, LOGGERS, NOISE_NAMES, SANITIZERS
from dpaudit.static.modules import Function
from dpaudit.static.noise import draw, make, mechanism, unread_noise
from dpaudit.static.objects import Instance, enter, fields_of, leave, method_of
from dpaudit.static.parts import element
from dpaudit.static.releasers import library_call
from dpaudit.static.values import NOTHING, PUBLIC, Value, changed, joined, mixed

GROWING = frozenset({"append", "add", "extend", "insert", "appendleft", "update", "setdefault"})


def call(frame: Frame, node: ast.Call) -> Value:
    """Return what is known of a call's result, and note the call."""
    name, dotted, receiver, function, this = _called(frame, node.func)
    arguments = tuple(evaluate(frame, argument) for argument in node.args)
    keywords = {k.arg or "**": evaluate(frame, k.value) for k in node.keywords}
    if receiver is not None and receiver.instance is not None and function is None:
        receiver = None  # a method that is not at hand
    if receiver is not None and receiver.maker is not None and isinstance(node.func, ast.Name):
        arguments = (*(frame.names[node.func.id].items or ()), *arguments)
    made = _read(frame, node, name, dotted, receiver, function, arguments, keywords, this)
    result, parameters = made
    everything = (*arguments, *keywords.values(), *(() if receiver is None else (receiver,)))
    if function is not None or any(not v.public or v.maker is not None for v in everything):
        frame.facts.calls.append(
            Call(
                frame.place(node), name, dotted, receiver, arguments, keywords, result,
                frame.loops, tuple(frame.under), frame.depth, parameters, function, node,
            )
        )  # fmt: skip
    return result


def _called(
    frame: Frame, node: ast.expr
) -> tuple[str, str, Value | None, Function | None, Instance | None]:
    """Return the last name of what is called, its whole name, its receiver, its definition.

    And the object whose method it is, where that is known.
    """
    this = _object(frame, node.value if isinstance(node, ast.Attribute) else node)
    if this is not None:
        name = node.attr if isinstance(node, ast.Attribute) else "__call__"
        method = method_of(frame.reading.project, this.node, this.module, name)
        held = frame.names.get(f"self.{name}") if this is frame.this else this.held.get(name)
        if method is not None or held is None:
            return name, f"self.{name}", None, method, this
        if held.instance is not None:
            inner = held.instance
            method = method_of(frame.reading.project, inner.node, inner.module, "__call__")
            return name, f"self.{name}", None, method, inner
        return name, f"self.{name}", None, held.function, None
    return *_named(frame, node), None


def _object(frame: Frame, node: ast.expr) -> Instance | None:
    """Return the object that an expression is, where its class is at hand."""
    if isinstance(node, ast.Name):
        if node.id == "self" and frame.this is not None:
            return frame.this
        return frame.names[node.id].instance if node.id in frame.names else None
    if isinstance(node, ast.NamedExpr):
        return evaluate(frame, node).instance
    if isinstance(node, ast.Attribute | ast.Call | ast.Subscript):
        root: ast.expr = node
        while isinstance(root, ast.Attribute | ast.Subscript):
            root = root.value
        if isinstance(root, ast.Call) and root is not node:
            return None
        if isinstance(node, ast.Call) and not _makes(frame, node):
            return None
        return evaluate(frame, node).instance
    return None


def _makes(frame: Frame, node: ast.Call) -> bool:
    """Whether a call makes an object of a class at hand, or is a method of one."""
    inner = node.func
    while isinstance(inner, ast.Attribute | ast.Call):
        inner = inner.value if isinstance(inner, ast.Attribute) else inner.func
    if not isinstance(inner, ast.Name):
        return False
    if inner.id == "self" or inner.id in frame.names:
        return _object(frame, inner) is not None
    return frame.reading.project.found_class(ast.unparse(node.func), frame.module) is not None or (
        frame.reading.project.found_class(inner.id, frame.module) is not None
    )


def _named(frame: Frame, node: ast.expr) -> tuple[str, str, Value | None, Function | None]:
    """Return the same of what is no method of an object that is known."""
    if isinstance(node, ast.Attribute):
        if isinstance(node.value, ast.Name) and node.value.id in ("self", "cls"):
            method = frame.module.functions.get(f"{frame.function.owner}.{node.attr}")
            return node.attr, f"self.{node.attr}", None, method
        base = evaluate(frame, node.value)
        if base.text and base.public and base.maker is None and base.form is None:
            dotted = f"{base.text}.{node.attr}"
            found = frame.reading.project.function(dotted, frame.module)
            return node.attr, dotted, None, found
        return node.attr, "", base, None
    value = evaluate(frame, node)
    if value.has("draw"):
        return value.text, "", Value(maker=value.maker), None
    if value.function is not None:
        name = value.function.name
        return name.rpartition(".")[2], value.text or name, None, value.function
    if isinstance(node, ast.Name):
        if value.text and not value.tells:
            return value.text.rpartition(".")[2], value.text, None, None
        return (
            node.id,
            "" if node.id in frame.names else node.id,
            None if value.public else value,
            None,
        )
    return "", "", value, None


def _read(
    frame: Frame,
    node: ast.Call,
    name: str,
    dotted: str,
    receiver: Value | None,
    function: Function | None,
    arguments: tuple[Value, ...],
    keywords: dict[str, Value],
    this: Instance | None,
) -> tuple[Value, dict[str, Value]]:
    if function is not None and this is not None:
        return called(frame, node, function, arguments, keywords, this)
    built = library_call(frame, node, dotted, receiver, arguments, keywords)
    if built is not None:
        return built, {}
    made = estimator_call(frame, node, name, dotted, receiver, arguments, keywords)
    if made is None:
        made = make(frame, node, name, dotted, receiver, arguments, keywords)
    if made is None:
        made = draw(frame, node, name, dotted, receiver, arguments, keywords)
    if made is not None:
        return made, {}
    if name == "partial" and arguments and arguments[0].function is not None:
        inner = arguments[0].function
        fixed = {**inner.fixed, **keywords}
        return Value(function=replace(inner, fixed=fixed)), {}
    if name == "partial" and arguments and arguments[0].has("draw"):
        return changed(arguments[0], items=arguments[1:]), {}
    mapped = _mapped(frame, node, name, receiver, arguments)
    if mapped is not None:
        return mapped, {}
    if function is not None:
        result, bound = called(frame, node, function, arguments, keywords)
        if result.plain() == result and result.public and not any(v.tells for v in arguments):
            result = unread_noise(frame, node) if NOISE_NAMES.search(name) else result
        return result, bound
    found = frame.reading.project.found_class(dotted or name, frame.module)
    if found is not None and receiver is None:
        return _made(frame, node, Instance(*found), arguments, keywords), {}
    if name in GROWING and isinstance(node.func, ast.Attribute) and receiver is not None:
        _grow(frame, node.func.value, arguments, node)
        return PUBLIC, {}
    if name == "print" or (name in LOGGERS and _is_log(node)) or dotted == "warnings.warn":
        shown = [*arguments, *(v for k, v in keywords.items() if k != "extra")]
        value = joined(*shown)  # what is `extra` is in no record that a default format writes
        exits(frame, "log", node, value)
        return PUBLIC, {}
    known = known_call(frame, node, name, dotted, receiver, arguments, keywords)
    if known is not None:
        return known, {}
    result = _unknown(name, receiver, arguments, keywords)
    if ADDERS.match(name) and (result.tells or result.hidden):
        return mechanism(frame, node, result), {}
    if isinstance(node.func, ast.Name) and receiver is not None and receiver.tells:
        chosen = changed(mixed(arguments), tells=receiver.tells, branch=node.lineno)
        return chosen, {}  # the data choose what is called
    return result, {}


def _mapped(
    frame: Frame, node: ast.Call, name: str, receiver: Value | None, arguments: tuple[Value, ...]
) -> Value | None:
    """Return what a function makes of every entry of a collection."""
    if name not in ("apply", "map", "transform", "applymap") or not arguments:
        return None
    inner = arguments[0].function
    over = receiver if receiver is not None else arguments[1] if len(arguments) == 2 else None
    if inner is None or over is None:
        return None
    entry, loop, outer = element(over), frame.new_loop(), frame.loops
    frame.loops = (*outer, loop)
    result, _ = called(frame, node, inner, (changed(entry, loops=entry.loops | {loop}),), {})
    frame.loops = outer
    return changed(result, shape=over.shape, items=None, number=None, form=None).marked("vector")


def _made(
    frame: Frame,
    node: ast.Call,
    this: Instance,
    arguments: tuple[Value, ...],
    keywords: dict[str, Value],
) -> Value:
    """Return an object of a class, after its ``__init__`` was read, or its fields were filled."""
    start = method_of(frame.reading.project, this.node, this.module, "__init__")
    if start is not None:
        called(frame, node, start, arguments, keywords, this)
        return Value(instance=this)
    fields = fields_of(this.node)
    outside = Frame(frame.reading, Function(NOBODY, this.module), depth=frame.depth + 1)
    given = dict(zip([name for name, _ in fields], arguments, strict=False)) | keywords
    for name, default in fields:
        if name in given:
            this.held[name] = given[name]
        elif default is not None:
            this.held[name] = evaluate(outside, default)
    later = method_of(frame.reading.project, this.node, this.module, "__post_init__")
    if later is not None:
        called(frame, node, later, (), {}, this)
    return Value(instance=this)


def _unknown(
    name: str, receiver: Value | None, arguments: tuple[Value, ...], keywords: dict[str, Value]
) -> Value:
    """Return what is known of a call without a definition; noise by its name is believed."""
    parts = [*arguments, *keywords.values(), *(() if receiver is None else (receiver,))]
    result = mixed(parts)
    by_name = SANITIZERS.search(name)
    if result.tells and by_name:
        return changed(result, tells=NOTHING, hidden=True, shape=NOTHING)
    return result


def called(
    frame: Frame,
    node: ast.AST,
    function: Function,
    arguments: tuple[Value, ...],
    keywords: dict[str, Value],
    this: Instance | None = None,
) -> tuple[Value, dict[str, Value]]:
    """Read a function with these arguments, and return its result and its parameters.

    A method is read with the object whose method it is.
    """
    bound = bind(frame, function, arguments, keywords)
    if (
        frame.depth >= DEEPEST
        or frame.reading.steps > FOLLOWED
        or function.node in frame.reading.stack
    ):
        result = mixed((*arguments, *keywords.values()))
        again = result.tells and function.node in frame.reading.stack
        # What calls itself is judged by its other ways out.
        return (PUBLIC if again else result), bound
    inner = Frame(
        frame.reading,
        function,
        names=bound if function.closure is None else {**function.closure, **bound},
        depth=frame.depth + 1,
        at=frame.place(node),
        loops=frame.loops,
        under=list(frame.under),
        entered=len(frame.under),
        around=len(frame.under),
        path=(*frame.path, id(node)),
        leaves=node is frame.hands_on,
    )
    leave(frame)
    if this is not None:
        enter(inner, this)
        inner.names["self"] = Value(instance=this)
    if inner.at is not None and inner.at.inner is not None:
        inner.at = replace(inner.at, inner=None)
    frame.reading.stack.append(function.node)
    try:
        if isinstance(function.node, ast.Lambda):
            return evaluate(inner, function.node.body), bound
        from dpaudit.static.statements import block

        block(inner, function.node.body)
        _hand_back(frame, node, function, inner)
    finally:
        frame.reading.stack.pop()
        leave(inner)
        if frame.this is not None:
            enter(frame, frame.this)
    noisy = any(value.covered for value in (*inner.returns, *inner.settings))
    inner.returns += [v for v in inner.settings if not (noisy and v.tells)]
    if len(inner.returns) > 1 and any(v.number is not None for v in inner.returns):
        inner.returns = [changed(v, number=None, form=None) for v in inner.returns]
    return (joined(*inner.returns) if inner.returns else PUBLIC), bound


def _hand_back(frame: Frame, node: ast.AST, function: Function, inner: Frame) -> None:
    """Let the arguments of a call be what the function has made of the objects."""
    if not inner.mutated or not isinstance(node, ast.Call):
        return
    spec = function.node.args
    free = [p.arg for p in (*spec.posonlyargs, *spec.args) if p.arg not in function.fixed]
    skipped = bool(function.owner) and free[:1] in (["self"], ["cls"])
    given = dict(zip(free[skipped:], node.args, strict=False))
    given |= {k.arg: k.value for k in node.keywords if k.arg}
    for name in inner.mutated & set(given):
        argument = given[name]
        if isinstance(argument, ast.Name) and argument.id in frame.names:
            frame.names[argument.id] = inner.names[name]
            frame.mutate(argument.id)


def bind(
    frame: Frame, function: Function, arguments: tuple[Value, ...], keywords: dict[str, Value]
) -> dict[str, Value]:
    """Return the parameters of a function by name, defaults in place of what is not given."""
    spec = function.node.args
    positional = [*spec.posonlyargs, *spec.args]
    if function.owner and positional and positional[0].arg in ("self", "cls"):
        positional = positional[1:]
    given = {**function.fixed, **{k: v for k, v in keywords.items() if k != "**"}}
    free = [p.arg for p in positional if p.arg not in function.fixed]
    bound: dict[str, Value] = dict(zip(free, arguments, strict=False))
    if spec.vararg is not None:
        rest = arguments[len(free) :]
        bound[spec.vararg.arg] = joined(*rest) if rest else PUBLIC
    outside = Frame(frame.reading, replace(function, fixed={}), depth=frame.depth + 1)
    defaults = dict(
        zip([p.arg for p in reversed(positional)], reversed(spec.defaults), strict=False)
    )
    defaults |= {
        p.arg: d for p, d in zip(spec.kwonlyargs, spec.kw_defaults, strict=True) if d is not None
    }
    for parameter in (*positional, *spec.kwonlyargs):
        name = parameter.arg
        if name in bound:
            continue
        if name in given:
            bound[name] = given[name]
        elif name in defaults:
            bound[name] = evaluate(outside, defaults[name])
        else:
            bound[name] = given.get("**", PUBLIC)
    return {name: named(frame, name, value) for name, value in bound.items()}


def _grow(frame: Frame, base: ast.expr, arguments: tuple[Value, ...], node: ast.AST) -> None:
    """Put what is appended into the list that a name is bound to."""
    while isinstance(base, ast.Subscript):
        base = base.value
    if not arguments:
        return
    name = ast.unparse(base)
    if isinstance(base, ast.Attribute) and (frame.this is None or not name.startswith("self.")):
        exits(frame, "store", node, arguments[-1])
        return
    if not isinstance(base, ast.Name | ast.Attribute):
        return
    value = changed(_let_through(frame, arguments[-1]), items=None, number=None, form=None)
    if name not in frame.names and name in frame.module.names:
        exits(frame, "store", node, value)
    held = frame.names.get(name, PUBLIC)
    both = value if held.public and not held.params else joined(held, value)
    marks = (both.marks - {"scalar", "entry", "one", "own"}) | {"vector"}
    if not any(condition.value.covered for condition in frame.under):
        marks |= {"grows"}
    marks |= {"nested"} if value.has("vector") else set()
    frame.mutate(name)
    frame.names[name] = changed(
        both,
        marks=marks,
        items=None,
        shape=held.shape,
        loops=both.loops | frozenset(frame.loops),
    )


def _let_through(frame: Frame, value: Value) -> Value:
    """Return an entry of a list without the keys of the data that a test with noise let through."""
    items = value.items or tuple(held for _, held in value.fields) or (value,)
    others = [item for item in items if not item.has("key")]
    if not frame.by_chance or len(others) == len(items):
        return value
    tests = [each.value for each in frame.under if each.value.covered]
    few = {"few"} if any(test.has("positive") for test in tests) else set()
    return changed(joined(*others), hidden=True).marked(*few)


def _is_log(node: ast.Call) -> bool:
    text = ast.unparse(node.func.value) if isinstance(node.func, ast.Attribute) else ""
    return "log" in text.lower()
