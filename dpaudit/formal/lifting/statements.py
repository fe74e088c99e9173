"""Statements."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from dpaudit.formal.lifting import rewriting, tensors
from dpaudit.formal.lifting.catching import Catching, Caught
from dpaudit.formal.lifting.containers import begun, each_of, item_set
from dpaudit.formal.lifting.dispatch import expression, reference, unread
from dpaudit.formal.lifting.emits import emitted, is_logger_made
from dpaudit.formal.lifting.expressions import attribute_target, operator_name, target, truth
from dpaudit.formal.lifting.final_handlers import raises_again
from dpaudit.formal.lifting.folding import decided, folded, setting, tells
from dpaudit.formal.lifting.generator_loops import yielded
from dpaudit.formal.lifting.generators import generator_kind, kind_of
from dpaudit.formal.lifting.handlers import note_raised, own_handlers, session_handlers
from dpaudit.formal.lifting.implicit import Implicit, watched_of
from dpaudit.formal.lifting.imports import names_of
from dpaudit.formal.lifting.inner_classes import defined
from dpaudit.formal.lifting.known import is_plain
from dpaudit.formal.lifting.managers import changes_no_value, finished, managed
from dpaudit.formal.lifting.objects import is_users_class
from dpaudit.formal.lifting.partial import gone_through, reference_kept
from dpaudit.formal.lifting.raising import tested
from dpaudit.formal.lifting.scope import (
    Live,
    Scope,
    is_container,
    object_shape,
    resolve,
    stored_names,
)
from dpaudit.formal.lifting.shapes import in_class, is_setting
from dpaudit.formal.lifting.source import Defined, source_of
from dpaudit.formal.lifting.unrolled import rounds
from dpaudit.formal.program import (
    Assign,
    Branch,
    Call,
    Constant,
    Define,
    Evaluate,
    Expression,
    For,
    Leave,
    Name,
    Raise,
    Return,
    Statement,
    Update,
    While,
    walk,
)
from dpaudit.formal.unsupported import Unsupported

_WORDS: dict[type, str] = {
    ast.AsyncFor: "async for",
    ast.AsyncFunctionDef: "an async function",
    ast.AsyncWith: "async with",
    ast.Match: "match with patterns of more than values, classes and names",
    ast.Nonlocal: "nonlocal",
    ast.TryStar: "except*",
    ast.With: "with",
}
_REPEATING = (ast.For, ast.While, ast.Try)
_DEFINED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
_LEAVING = ast.Return | ast.Raise | ast.Break | ast.Continue


def block(
    statements: Sequence[ast.stmt], scope: Scope, *, surely: bool = True
) -> tuple[Statement, ...]:
    """Return the statements of a block.

    Parameters
    ----------
    statements : sequence of stmt
    scope : Scope
    surely : bool
        Whether a run that comes to what is around the block comes to it. Where that is open, code
        that cannot be read is refused only by a run that comes to it.
    """
    lifted: list[Statement] = []
    for number, statement in enumerate(statements):
        try:
            lifted += _read(statement, scope)
        except Unsupported as why:
            if surely:
                raise
            rest = ast.Module(list(statements[number:]), [])
            call = unread(why, rest, scope)
            return (*lifted, Evaluate(call.place, call))
        surely = surely and not any(isinstance(part, _LEAVING) for part in ast.walk(statement))
    return tuple(lifted)


def _read(statement: ast.stmt, scope: Scope) -> Sequence[Statement]:
    handler = _HANDLERS.get(type(statement))
    if handler is None:
        word = _WORDS.get(type(statement), type(statement).__name__)
        raise scope.refuse(word, statement)
    names = set(stored_names([statement]))
    arms = isinstance(statement, ast.If)
    if isinstance(statement, _REPEATING) or any(
        isinstance(part, ast.NamedExpr) for part in ast.walk(statement)
    ):
        scope.forget(names)
        arms = False
    held, kept = _held(statement, scope)
    lifted = handler(statement, scope) if not kept else _stand_in(statement, handler, scope)
    if held:
        scope.lifter.stand_ins |= set(map(id, lifted))
        scope.lifter.kept += lifted
    if not arms and not isinstance(statement, ast.With):
        scope.forget(names)
    scope.settings.update(held)
    scope.written.update(kept)
    return lifted


def _stand_in(statement: ast.stmt, handler: Any, scope: Scope) -> Sequence[Statement]:
    """Return the assignment of code to a variable, which goes if what calls it names the code."""
    try:
        lifted = handler(statement, scope)
    except Unsupported as why:
        place, name = scope.place(statement), next(stored_names([statement]))
        lifted = [Assign(place, Name(place, name), unread(why, statement, scope))]
    scope.lifter.stand_ins |= set(map(id, lifted))
    scope.lifter.kept += lifted
    return lifted  # type: ignore[no-any-return]


def needed(body: tuple[Statement, ...], scope: Scope) -> tuple[Statement, ...]:
    """Return a body without assignments of code or of members whose variables nobody reads."""
    read = rewriting.loads(*body)

    def left(block: tuple[Statement, ...]) -> tuple[Statement, ...]:
        found: list[Statement] = []
        for each in block:
            idle = not any(read[name] for name in rewriting.stores(each))
            if id(each) in scope.lifter.stand_ins and idle:
                continue
            found.append(rewriting.with_blocks(each, left))
        return tuple(found)

    return left(body) if scope.lifter.stand_ins else body


def _held(statement: ast.stmt, scope: Scope) -> tuple[dict[str, Any], dict[str, ast.expr]]:
    """Return the constant that a statement gives to a variable, and code that stands for it."""
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=value):
            pass
        case ast.Assign(targets=[ast.Tuple(elts=parts)], value=value):
            return _held_apart(parts, folded(value, scope), scope), {}
        case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
            pass
        case _:
            return {}, {}
    found = folded(value, scope)
    if not scope.times.get(name):  # which other functions may assign
        return {}, {}
    if found is not None and is_setting(found.value):
        return {name: found.value}, {}
    kept = reference_kept(name, value, scope)
    return {}, {} if kept is None else {name: kept}


def _held_apart(parts: list[ast.expr], found: Live | None, scope: Scope) -> dict[str, Any]:
    """Return the constants that several variables are given at once."""
    names = [part.id for part in parts if isinstance(part, ast.Name) and scope.times.get(part.id)]
    values = found.value if found is not None and type(found.value) is tuple else ()
    whole = len(names) == len(parts) == len(values) and all(map(is_setting, values))
    return dict(zip(names, values, strict=True)) if whole else {}


def _import(node: ast.Import | ast.ImportFrom, scope: Scope) -> list[Statement]:
    unknown = [name for name in names_of(node) if name not in scope.live]
    if unknown:
        raise scope.refuse(f"the import of {unknown[0]!r} inside a function", node)
    return []


def _assign(node: ast.Assign, scope: Scope) -> list[Statement]:
    if len(node.targets) == 1:
        if isinstance(node.targets[0], ast.Attribute) and is_logger_made(node.value, scope):
            attribute_target(node.targets[0], "sink", scope)
            return []
        apart = _side_by_side(node, scope)
        if apart:
            return list(block(apart, scope))
        return [_assigned(node, node.targets[0], node.value, scope)]
    place, value = scope.place(node), expression(node.value, scope)
    _refuse_another_name(node, node.value, scope)
    if isinstance(value, Constant) and type(value.value) in (bool, int, float, str, type(None)):
        return [Assign(place, target(each, scope), replace(value)) for each in node.targets]
    # The value is evaluated once, then assigned from left to right.
    kept = Name(place, f"·{node.lineno}.{node.col_offset}")
    others = [Assign(place, target(t, scope), kept) for t in node.targets]
    return [Assign(place, kept, value), *others]


def _side_by_side(node: ast.Assign, scope: Scope) -> list[ast.stmt]:
    """Return ``o.x, o.y = a, b`` as assignments in a row, where none of them changes a or b."""
    (to,), given = node.targets, node.value
    if not isinstance(to, ast.Tuple | ast.List) or not isinstance(given, ast.Tuple | ast.List):
        return []
    sets = any(isinstance(target, ast.Attribute) for target in to.elts)
    if len(to.elts) != len(given.elts) or not (sets or _makes_object(given, scope)):
        return []
    changed = {part.id for t in to.elts for part in ast.walk(t) if isinstance(part, ast.Name)}
    for part in (part for value in given.elts for part in ast.walk(value)):
        if isinstance(part, ast.Starred | ast.NamedExpr | ast.Await | ast.Yield):
            return []
        if isinstance(part, ast.Name) and part.id in changed:
            return []
        if isinstance(part, ast.Call):  # one of the user's may look at what is changed
            live = resolve(part.func, scope)
            if (live is None or live.name is None) if sets else _is_read_inside(changed, scope):
                return []
    pairs = zip(to.elts, given.elts, strict=True)
    return [ast.copy_location(ast.Assign([target], value), node) for target, value in pairs]


def _is_read_inside(names: set[str], scope: Scope) -> bool:
    """Return whether a function that is defined inside of the one that is read names a variable."""
    tree = source_of(scope.lifter.stack[-1]).tree
    inside = (node for node in ast.walk(tree) if isinstance(node, Defined) and node is not tree)
    parts = (part for node in inside for part in ast.walk(node))
    return any(isinstance(part, ast.Name) and part.id in names for part in parts)


def _makes_object(node: ast.Tuple | ast.List, scope: Scope) -> bool:
    """Return whether one of several values is a new object of a class of the user's."""
    calls = (value for value in node.elts if isinstance(value, ast.Call))
    held = (resolve(call.func, scope) for call in calls)
    return any(live is not None and is_users_class(live.value) for live in held)


def _assigned(node: ast.stmt, to: ast.expr, given: ast.expr, scope: Scope) -> Statement:
    """Return the assignment of what may be an object to one target."""
    place, value = scope.place(node), reference(given, scope)
    _refuse_another_name(node, given, scope)
    value = begun(value, to, scope)
    shape = scope.lifter.shape_of(value)
    if isinstance(to, ast.Name):
        scope.holders.hold(to.id, shape, place)
        return Assign(place, Name(scope.place(to), to.id), value)
    if isinstance(to, ast.Attribute):
        from dpaudit.formal.lifting.methods import set_by_property

        setter = set_by_property(to, value, scope)
        if setter is not None:
            return Evaluate(place, setter)
        what = shape or kind_of(value, scope) or generator_kind(given, scope)
        known = setting(given, scope) if _begins(node, to, scope) else None
        return Assign(place, attribute_target(to, what, scope, known), value)
    if shape is not None:
        return Assign(place, item_set(to, shape, scope), value)
    return Assign(place, target(to, scope), value)


def _begins(node: ast.stmt, to: ast.Attribute, scope: Scope) -> bool:
    """Return whether a statement sets an attribute of every object of a class, where it is made."""
    shape, code = object_shape(to.value, scope), scope.lifter.stack[-1]
    init = None if shape is None else in_class(shape.cls, "__init__")
    if getattr(init, "__code__", None) is not code:
        return False
    body = source_of(code).tree.body
    first = body if isinstance(body, list) else []
    ends = any(isinstance(part, ast.Return) for each in first for part in ast.walk(each))
    return not ends and any(node is each for each in first)


def _refuse_another_name(node: ast.stmt, given: ast.expr, scope: Scope) -> None:
    live = resolve(given, scope)
    if live is not None and is_container(live.value):
        raise scope.refuse(f"another name for {ast.unparse(given)!r}, a container", node)


def _annotated(node: ast.AnnAssign, scope: Scope) -> list[Statement]:
    if node.value is None:
        return []
    return [_assigned(node, node.target, node.value, scope)]


def _update(node: ast.AugAssign, scope: Scope) -> list[Statement]:
    scope.refuse_change(node.target)
    tensors.refuse_update(node, scope)
    changed, value = target(node.target, scope), expression(node.value, scope)
    return [Update(scope.place(node), changed, operator_name(node.op, in_place=True), value)]


def _evaluate(node: ast.Expr, scope: Scope) -> list[Statement]:
    if isinstance(node.value, ast.Constant):  # a docstring, or …
        return []
    if changes_no_value(node.value, scope):
        return []
    printed = emitted(node.value, scope)
    if printed is not None:
        return printed
    if isinstance(node.value, ast.Yield):
        given = ast.Constant(None) if node.value.value is None else node.value.value
        return [yielded(expression(given, scope), scope.place(node))]
    value = reference(node.value, scope)
    return [] if isinstance(value, Constant) else [Evaluate(scope.place(node), value)]


def _branch(node: ast.If, scope: Scope) -> list[Statement]:
    says = tells(*node.body, *node.orelse)  # what the function is, though no run comes to it
    known = None if says else decided(node.test, scope)
    test = truth(node.test, scope) if known is None else Constant(scope.place(node), known)
    if isinstance(test, Constant) and type(test.value) is bool and not says:
        return list(block(node.body if test.value else node.orelse, scope))
    before = scope.known()
    yes = block(node.body, scope, surely=False)
    after = scope.known(before)
    no = block(node.orelse, scope, surely=False)
    if _leaves(no):
        scope.known(after)
    elif not _leaves(yes):
        scope.meet(after)
    return [Branch(scope.place(node), test, yes, no)]


def _leaves(body: Sequence[Statement]) -> bool:
    """Return whether a block never comes to its end."""
    return bool(body) and isinstance(body[-1], Return | Raise | Leave)


def _for(node: ast.For, scope: Scope) -> list[Statement]:
    given = None if node.orelse else rounds(node.target, node.iter, list(node.body), scope)
    if given is not None:
        return [each for held in given for each in _round(node, held, scope)]
    named = {part.id for part in ast.walk(node.iter) if isinstance(part, ast.Name)}
    steady = not named & set(stored_names([node]))
    iterable = reference(gone_through(node.iter, scope) if steady else node.iter, scope)
    of_objects = each_of(node.target, iterable, scope)
    body = block(node.body, scope)
    scope.forget(stored_names([node]))
    otherwise = block(node.orelse, scope)
    goes: Any = of_objects or target(node.target, scope)
    return [For(scope.place(node), goes, iterable, body, otherwise)]


def _round(node: ast.For, held: dict[str, Any], scope: Scope) -> list[Statement]:
    """Return one round of a loop, with what it gives to the variables."""
    place = scope.place(node)
    target(node.target, scope)
    begun = [Assign(place, Name(place, n), Constant(place, v)) for n, v in held.items()]
    scope.settings.update(held)
    scope.lifter.stand_ins |= {
        id(each) for each, v in zip(begun, held.values(), strict=True) if not is_plain(v)
    }
    scope.lifter.kept += begun
    return [*begun, *block(node.body, scope)]


def _while(node: ast.While, scope: Scope) -> list[Statement]:
    test, body = expression(node.test, scope), block(node.body, scope)
    scope.forget(stored_names([node]))
    return [While(scope.place(node), test, body, block(node.orelse, scope))]


def _return(node: ast.Return, scope: Scope) -> list[Statement]:
    place = scope.place(node)
    if node.value is None:
        return [Return(place, Constant(place, None))]
    return [Return(place, returned(node.value, scope))]


def returned(node: ast.expr, scope: Scope) -> Expression:
    """Return what a function returns, which may be an object in all of its returns."""
    if scope.returns is None:
        return expression(node, scope)
    value = reference(node, scope)
    scope.returns.append(scope.lifter.shape_of(value))
    if len(set(scope.returns)) > 1:
        raise scope.refuse("a function that returns an object, and something else", node)
    return value


def _leave(node: ast.Break | ast.Continue, scope: Scope) -> list[Statement]:
    return [Leave(scope.place(node), "break" if isinstance(node, ast.Break) else "continue")]


def _mark(node: ast.stmt, scope: Scope) -> None:
    """Let what is raised say what was printed before."""
    if scope.lifter.prints:
        scope.emits.append(node)


def _raise(node: ast.Raise, scope: Scope) -> list[Statement]:
    _mark(node, scope)
    caught = scope.caught[-1] if scope.caught else None
    if _names_caught(node.exc, caught) or (node.exc is None and caught is not None):
        assert caught is not None
        return [caught.again(scope.place(node))]
    if not isinstance(node.cause, ast.Constant | None) and not _names_caught(node.cause, caught):
        raise scope.refuse("an exception with a cause that is computed", node)
    if node.exc is None:
        raise scope.refuse("an exception that is raised again", node)
    value = expression(node.exc, scope)
    if isinstance(node.cause, ast.Constant) and node.cause.value is None:
        scope.lifter.alone.add((scope.file, node.lineno))
    note_raised(scope.place(node), _class_raised(node.exc, scope), scope)
    return [Raise(scope.place(node), value)]


def _names_caught(node: ast.expr | None, caught: Caught | None) -> bool:
    """Return whether an expression is the variable of the handler around it."""
    return caught is not None and isinstance(node, ast.Name) and node.id == caught.name


def _class_raised(node: ast.expr | None, scope: Scope) -> Any:
    """Return the class of what is raised, None where that is open."""
    live = (
        None if node is None else resolve(node.func if isinstance(node, ast.Call) else node, scope)
    )
    value = None if live is None else live.value
    return value if isinstance(value, type) and issubclass(value, BaseException) else None


def _assert(node: ast.Assert, scope: Scope) -> list[Statement]:
    if not __debug__:
        return []
    _mark(node, scope)
    place, test = scope.place(node), expression(node.test, scope)
    note_raised(place, AssertionError, scope)
    said = () if node.msg is None else (expression(node.msg, scope),)
    failed = Raise(place, Call(place, "builtins.AssertionError", said))
    return [Branch(place, Call(place, "operator.not_", (test,)), (failed,), ())]


def _define(node: ast.FunctionDef, scope: Scope) -> list[Statement]:
    from dpaudit.formal.lifting.functions import closure

    return [Define(scope.place(node), node.name, closure(node, scope))]


def _class(node: ast.ClassDef, scope: Scope) -> list[Statement]:
    scope.live[node.name] = defined(node, scope)
    return []


def _with(node: ast.With, scope: Scope) -> list[Statement]:
    from dpaudit.formal.lifting.entered import entered

    first, *rest = node.items
    inner: list[ast.stmt] = node.body
    if rest:
        inner = [ast.copy_location(ast.With(rest, node.body), node)]
    one = ast.copy_location(ast.With([first], inner), node)
    found = entered(one, block, scope)
    return list(block(managed(one, scope), scope)) if found is None else found


def _try(node: ast.Try, scope: Scope) -> list[Statement]:
    """Return a body with tests whether it raised, where the user's own exceptions are caught."""
    if node.finalbody:
        return list(block(finished(node, scope), scope))
    if all(map(raises_again, node.handlers)):
        return [*block(node.body, scope), *block(node.orelse, scope)]
    known = tested(node, scope)
    if known is not None:
        return _branch(known, scope)
    place, body = scope.place(node), block(node.body, scope)
    of_session = session_handlers(node, scope)
    handlers = of_session or own_handlers(node, scope)
    if handlers.implicit and of_session is None:
        for part in (part for each in body for part in walk(each)):
            said = part.value if isinstance(part, Raise) else None
            if said is not None and said.place in scope.lifter.formatted:
                what = "try around an exception whose text may fail, which another handler catches"
                raise Unsupported(what, part.place)
    scope.forget(stored_names([node]))
    name, explicit = f"{node.lineno}_{node.col_offset}", not handlers.implicit
    catching = Catching(scope.lifter, handlers.number, name, explicit)
    if handlers.implicit:
        watched = watched_of(node, source_of(scope.lifter.stack[-1]).tree)
        body = Implicit(handlers.implicit, catching.name, watched).whole(body, place)
    made = catching.guarded(body, place)
    after = block(node.orelse, scope)
    scope.forget(stored_names([node]))
    for number, (bound, statements) in enumerate(handlers.bodies, 1):
        error = Name(place, catching.error)
        begun = () if bound is None else (Assign(place, target(bound, scope), error),)
        scope.caught.append(Caught(catching, number, getattr(bound, "id", None)))
        handled = (*begun, *block(statements, scope, surely=False))
        scope.caught.pop()
        scope.forget(stored_names([node]))
        catching.validate_alone(number, handled, scope.lifter.alone)
        after = (Branch(place, catching.caught(number, place), handled, after),)
    return [*made, *after]


def _delete(node: ast.Delete, scope: Scope) -> list[Statement]:
    """Return ``del d[k]`` as ``d.pop(k)``; a variable is dropped that nothing reads later."""
    found: list[Statement] = []
    for each in node.targets:
        place = scope.place(each)
        if isinstance(each, ast.Subscript) and not isinstance(each.slice, ast.Slice):
            scope.refuse_change(each)
            parts = expression(each.value, scope), expression(each.slice, scope)
            found.append(Evaluate(place, Call(place, "method.pop", parts)))
        elif not isinstance(each, ast.Name) or not _is_last(each, scope):
            raise scope.refuse(f"del of {ast.unparse(each)!r}", node)
    return found


def _is_last(deleted: ast.Name, scope: Scope) -> bool:
    """Return whether a function comes to no place that names a variable after it is dropped."""
    tree = source_of(scope.lifter.stack[-1]).tree
    inside = (ast.For, ast.While, ast.AsyncFor, ast.comprehension, *_DEFINED)
    around = [n for n in ast.walk(tree) if isinstance(n, inside) and n is not tree]
    if any(getattr(part, "id", "") == deleted.id for n in around for part in ast.walk(n)):
        return False
    named = [n for n in ast.walk(tree) if isinstance(n, ast.Name) and n.id == deleted.id]
    return all((n.lineno, n.col_offset) <= (deleted.lineno, deleted.col_offset) for n in named)


def _global(node: ast.Global, scope: Scope) -> list[Statement]:
    if not scope.local.isdisjoint(node.names):
        raise scope.refuse("global variables that the function assigns", node)
    return []


def _nothing(_node: ast.Pass, _scope: Scope) -> list[Statement]:
    return []


_HANDLERS: dict[type, Callable[[Any, Scope], list[Statement]]] = {
    ast.AnnAssign: _annotated,
    ast.Assert: _assert,
    ast.Assign: _assign,
    ast.AugAssign: _update,
    ast.Break: _leave,
    ast.ClassDef: _class,
    ast.Continue: _leave,
    ast.Delete: _delete,
    ast.Expr: _evaluate,
    ast.For: _for,
    ast.FunctionDef: _define,
    ast.Global: _global,
    ast.If: _branch,
    ast.Import: _import,
    ast.ImportFrom: _import,
    ast.Pass: _nothing,
    ast.Raise: _raise,
    ast.Return: _return,
    ast.Try: _try,
    ast.While: _while,
    ast.With: _with,
}
