"""Functions: their parameters, their variables, and the body that is read once for each use."""

from __future__ import annotations

import ast
import inspect
import types
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, cast

from dpaudit.formal.lifting.by_key import by_key
from dpaudit.formal.lifting.clipping_factors import shortened
from dpaudit.formal.lifting.coroutines import is_coroutine_function, is_only_called
from dpaudit.formal.lifting.dispatch import expression, lifts
from dpaudit.formal.lifting.emits import with_list
from dpaudit.formal.lifting.environment import is_cell_changed, is_default_changed, is_environment
from dpaudit.formal.lifting.final_handlers import without_handlers
from dpaudit.formal.lifting.flow_syntax import looked_up
from dpaudit.formal.lifting.frame_tables import filled_in
from dpaudit.formal.lifting.generator_loops import listed, looped
from dpaudit.formal.lifting.generators import generator_variables, kind_of
from dpaudit.formal.lifting.group_loops import of_numbers
from dpaudit.formal.lifting.imports import imported
from dpaudit.formal.lifting.known import is_plain
from dpaudit.formal.lifting.lazy import asked
from dpaudit.formal.lifting.lowering import simplified
from dpaudit.formal.lifting.nested import unnested
from dpaudit.formal.lifting.rows_of_displays import iterators_in
from dpaudit.formal.lifting.scalar_replacement import separated
from dpaudit.formal.lifting.scope import (
    Key,
    Lifter,
    Scope,
    is_container,
    is_generator,
    none_of,
    parameter_names,
    stored_names,
)
from dpaudit.formal.lifting.set_order import validate_sets
from dpaudit.formal.lifting.shapes import (
    Contents,
    Holders,
    LearnedError,
    Shape,
    is_setting,
    is_table,
)
from dpaudit.formal.lifting.source import Defined, Source, default_values, source_of
from dpaudit.formal.lifting.statements import block, needed, returned
from dpaudit.formal.lifting.streams import (
    Kind,
    is_unseeded,
    makes_unseeded,
    module_kind,
    stream_kind,
)
from dpaudit.formal.lifting.synonyms import named
from dpaudit.formal.lifting.tallies import filled_at_once
from dpaudit.formal.lifting.variadic import gathered, taken, written_out
from dpaudit.formal.program import (
    EMITTED,
    Call,
    Closure,
    Constant,
    Expression,
    Function,
    Name,
    Place,
    Return,
    Starred,
    is_weighted,
)
from dpaudit.formal.unsupported import Unsupported

_READING = frozenset({"len", "enumerate"})
_ASYNC = inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
_YIELDING = inspect.CO_GENERATOR | inspect.CO_ASYNC_GENERATOR


def lift_function(
    function: types.FunctionType,
    positional: tuple[Expression, ...],
    keywords: tuple[tuple[str, Expression], ...],
    place: Place,
    scope: Scope,
) -> Function | str:
    """Return the function that a call runs, lifted for the arguments of that call.

    What is known of arguments goes in: which are generators, and which are functions or objects
    that exist before the run. A function that draws noise and calls itself, with the same known,
    is named there (`itself`); any other recursion is refused.
    """
    _refuse_misfit(function, *gathered(positional, keywords), place)
    names = _positional_names(function)
    bound = dict(keywords)
    for name, argument in zip(names, positional, strict=False):
        if isinstance(argument, Starred):
            break
        bound[name] = argument
    kinds = {name: kind_of(argument, scope) for name, argument in bound.items()}
    shapes = ((name, scope.lifter.shape_of(argument)) for name, argument in bound.items())
    objects = {name: shape for name, shape in shapes if shape is not None}
    generators = {name: kind for name, kind in kinds.items() if kind is not None}
    live = {
        name: argument.value
        for name, argument in bound.items()
        if isinstance(argument, Constant) and not is_plain(argument.value)
    }
    surely = not any(isinstance(argument, Starred) for argument in positional)
    defaults = {name: value for name, value in default_values(function).items() if surely}
    live |= {
        name: value
        for name, value in defaults.items()
        if name not in bound and not (is_plain(value) or _is_stream(value))
    }
    shared = frozenset(
        name
        for name, argument in bound.items()
        if (isinstance(argument, Constant) and is_container(argument.value))
        or (isinstance(argument, Name) and argument.id in scope.shared)
    )
    lifter = scope.lifter
    recursive = (function.__code__, "settings"), function.__name__
    settings = _settings(defaults, bound, scope, every=recursive not in lifter.learned)
    beyond = taken(keywords)
    if function.__code__ not in lifter.stack:
        lifted = read(
            function, lifter, generators, live, shared=shared, settings=settings, objects=objects,
            beyond=beyond,
        )  # fmt: skip
        lifter.unawaited[place] += id(lifted) in lifter.coroutines
        return lifted
    key = _key(function, generators, live, shared, settings, objects, beyond)
    if lifter.stack[-1] is function.__code__ and lifter.keys[-1] == key and generators:
        return itself(function.__name__)
    if recursive not in lifter.learned:  # what it is called with may be all that differs
        raise LearnedError({recursive: ("varies", None)}, place)
    raise Unsupported(f"recursion: {function.__name__!r} calls itself", place)


def _refuse_misfit(
    function: types.FunctionType,
    positional: tuple[Expression, ...],
    keywords: tuple[tuple[str, Expression], ...],
    place: Place,
) -> None:
    """Refuse arguments that Python does not bind, or that no evaluator may bind otherwise.

    The language of programs has positional parameters, and ``*args`` behind them. So that all
    evaluators agree with Python, a name is given twice, by position beyond ``*``, or by a keyword
    before ``/`` in no call that is lifted.
    """
    signature = inspect.signature(function, follow_wrapped=False)
    parameters = list(signature.parameters.values())
    names = [name for name, _ in keywords]
    if any(isinstance(argument, Starred) for argument in positional):
        ordinary = inspect.Parameter.POSITIONAL_OR_KEYWORD
        may_clash = any(p.name in names and p.kind is ordinary for p in parameters)
        if may_clash or any(p.kind not in (ordinary, p.VAR_POSITIONAL) for p in parameters):
            raise Unsupported(f"* among the arguments of {function.__name__!r}", place)
        return
    try:
        signature.bind(*positional, **dict(keywords))
    except TypeError as error:
        raise Unsupported(f"a call of {function.__name__!r} that raises: {error}", place) from None


def itself(name: str) -> str:
    """Return what `Call.function` is where a function calls itself: no library has this name."""
    return f"recursion:{name}"


def _key(
    function: types.FunctionType,
    generators: dict[str, Kind],
    live: dict[str, Any],
    shared: frozenset[str],
    settings: dict[str, Any],
    objects: dict[str, Shape | Contents],
    beyond: tuple[str, ...],
) -> Key:
    known = tuple(sorted((name, id(value)) for name, value in live.items()))
    shapes = tuple(sorted((name, id(shape)) for name, shape in objects.items()))
    settled = tuple(sorted((name, _text(value)) for name, value in settings.items()))
    return id(function), tuple(sorted(generators.items())), known, shared, settled, shapes, beyond


def _text(value: Any) -> str:
    """Return what tells constants apart; no code of a user's is run for it."""
    if type(value) is tuple:
        return f"({', '.join(map(_text, value))})"
    plain = type(value) in (bool, int, float, str, type(None))
    return f"{type(value).__name__} {value!r}" if plain else f"object {id(value)}"


def _settings(
    defaults: dict[str, Any], bound: dict[str, Expression], scope: Scope, *, every: bool
) -> dict[str, Any]:
    """Return the values of parameters that are known: those that are passed, and defaults.

    Of a function that calls itself these are the parameters that are None as nothing is passed.
    """
    if not every:
        return {n: None for n, value in defaults.items() if value is None and n not in bound}
    given = {name: _known(argument, scope) for name, argument in bound.items()}
    held = {**defaults, **given}
    return {name: value for name, value in held.items() if is_setting(value) or is_table(value)}


def _known(argument: Expression, scope: Scope) -> Any:
    """Return the value of a constant, or of what holds or computes one, ... of anything else."""
    if id(argument) in scope.lifter.numbers:
        return scope.lifter.numbers[id(argument)]
    if isinstance(argument, Name):
        return scope.settings.get(argument.id, ...)
    return argument.value if isinstance(argument, Constant) else ...


def read(
    function: types.FunctionType,
    lifter: Lifter,
    generators: dict[str, Kind],
    live: dict[str, Any],
    rng: str | None = None,
    shared: frozenset[str] = frozenset(),
    settings: dict[str, Any] | None = None,
    objects: dict[str, Shape | Contents] | None = None,
    beyond: tuple[str, ...] = (),
) -> Function:
    """Return a live function, lifted.

    Parameters
    ----------
    function : function
    lifter : Lifter
    generators : dict of str to Kind
        Parameters that get a generator.
    live : dict of str to Any
        Parameters whose values are known objects.
    rng : str, optional
        The parameter by which the generator of the whole program comes in.
    shared : frozenset of str, optional
        Parameters that get a container which outlives the call.
    settings : dict of str to object, optional
        Parameters whose value is a constant that is known.
    objects : dict of str to Shape, optional
        Parameters that get objects which the program makes.
    beyond : tuple of str, optional
        Names of what ``*args`` and ``**kwargs`` get (`dpaudit.formal.lifting.variadic`).
    """
    code = function.__code__
    objects, settings = objects or {}, settings or {}
    key = _key(function, generators, live, shared, settings, objects, beyond)
    if key in lifter.functions:
        return lifter.functions[key]
    source = source_of(code)
    lifter.sources[f"{source.file}:{code.co_qualname}"] = source.digest
    source = replace(source, tree=written_out(source.tree, beyond))
    if code is lifter.entry and not lifter.stack:
        source = replace(source, tree=without_handlers(source.tree))
    lifter.kept += [function, *live.values(), *settings.values()]
    lifter.refuse_patches(function)
    lifter.stack.append(code)
    lifter.homes.append(function.__globals__)
    lifter.keys.append(key)
    lifter.begun.add((source.file, source.tree.lineno))
    unread = lifter.unread
    try:
        scope = _scope(function, source, lifter, generators, live, rng, shared, settings, objects)
        yields = code.co_flags & _YIELDING and len(lifter.stack) == 1
        whole = listed if yields else None
        lifted = _function(source.tree, scope, _defaults(function, source), code.co_name, whole)
        for inside in _definitions(source.tree):
            name = f"{code.co_qualname}.<locals>.{inside.name}"
            lifter.sources[f"{source.file}:{name}"] = source.digest
    finally:
        lifter.stack.pop()
        lifter.homes.pop()
        lifter.keys.pop()
    if scope.emits:
        lifted = with_list(lifted, outermost=not lifter.stack)
    lifter.functions[key] = lifted
    if code.co_flags & _ASYNC:
        lifter.coroutines[id(lifted)] = code
    for made in +lifter.unawaited if not lifter.stack else ():
        raise Unsupported("a coroutine that is not awaited where it is made", made)
    if lifter.unread > unread:
        lifter.partial.add(id(lifted))
    shape = next(iter(scope.returns or ()), None)
    if shape is not None:
        lifter.results[id(lifted)] = shape
    return lifted


def _definitions(tree: Defined) -> list[ast.FunctionDef]:
    """Return the functions that are defined inside of one."""
    found = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))
    return [node for node in found if node is not tree]


def _scope(
    function: types.FunctionType,
    source: Source,
    lifter: Lifter,
    generators: dict[str, Kind],
    live: dict[str, Any],
    rng: str | None,
    shared: frozenset[str],
    settings: dict[str, Any],
    objects: dict[str, Shape | Contents],
) -> Scope:
    stored = _stored(source.tree)
    defaults = {name: constant.value for name, constant in _defaults(function, source).items()}
    annotated = {
        name: "numpy"
        for name in parameter_names(source.tree)
        if name not in none_of(settings) and (name == "rng" or _is_annotated(function, name))
    }
    local = frozenset((*_all_parameters(source.tree), *stored))
    known = {*local, *live, *function.__globals__, *function.__code__.co_freevars}
    times, only_read = _times(source.tree), looked_up(source.tree, _READING - known)
    if EMITTED in local:
        raise Unsupported(f"the name {EMITTED!r}", Place(source.file, source.tree.lineno))
    scope = Scope(
        lifter=lifter,
        file=source.file,
        module=function.__globals__,
        builtins=cast(Any, function).__builtins__,
        cells=dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)),
        local=local,
        live={
            **{name: value for name, value in live.items() if name not in stored},
            **imported(source.tree, local),
        },
        generators={**annotated, **generators},  # type: ignore[dict-item]
        rng=rng if rng not in stored else None,
        shared=shared | {name for name, value in defaults.items() if is_container(value)},
        settings=_steady(settings, times, only_read),
        absent=none_of(settings),
        stored=frozenset(stored),
        times=times,
        only_read=only_read,
        defined=_defined(source.tree, times),
        given=frozenset(generators),
        holders=Holders(local, held=dict(objects)),
        returns=[],
    )
    lifter.changing.extend(_changing(function, source, scope, defaults))
    held = generator_variables(source.tree, scope, stored)
    scope.generators.clear()
    scope.generators.update(held)
    return scope


def _changing(
    function: types.FunctionType, source: Source, scope: Scope, defaults: dict[str, Any]
) -> Iterable[Unsupported]:
    """Yield what refuses defaults and variables of enclosing functions that are no constants."""
    for name, value in defaults.items():
        if is_default_changed(function, name, value):
            yield scope.refuse(f"the default of {name!r}, which is no constant", source.tree)
    for name, cell in scope.cells.items():
        try:
            changed = is_cell_changed(function, name, cell.cell_contents)
        except ValueError:  # empty, which is refused where it is read
            continue
        if changed:
            what = f"the variable {name!r} of an enclosing function, which is no constant"
            yield scope.refuse(what, source.tree)


def _is_annotated(function: types.FunctionType, name: str) -> bool:
    import numpy as np

    annotation = function.__annotations__.get(name)
    text = annotation if isinstance(annotation, str) else ""
    return annotation is np.random.Generator or text.endswith("random.Generator")


def _stored(tree: Defined) -> list[str]:
    return list(stored_names(tree.body))


def _times(tree: Defined) -> dict[str, int]:
    """Return how often each name is bound in a function; 0 where that is not told by its nodes."""
    times: Counter[str] = Counter()
    hidden: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            times[node.id] += 1
        elif isinstance(node, ast.arg):
            times[node.arg] += 1
        elif isinstance(node, ast.Nonlocal | ast.Global):
            hidden |= set(node.names)
        elif isinstance(node, ast.alias):
            hidden |= {node.asname or node.name}
        elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar | ast.ClassDef):
            hidden |= {str(node.name)}
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node is not tree:
            times[node.name] += 1
    return {name: 0 if name in hidden else count for name, count in times.items()}


def _defined(tree: Defined, times: dict[str, int]) -> frozenset[str]:
    """Return the names of the functions that a function defines once, in its own block."""
    body = tree.body if isinstance(tree.body, list) else []
    found = {each.name for each in body if isinstance(each, ast.FunctionDef)}
    for each in body:
        match each:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Lambda()):
                found.add(name)
    return frozenset(name for name in found if times.get(name) == 1)


def _steady(
    settings: dict[str, Any], times: dict[str, int], only_read: frozenset[str]
) -> dict[str, Any]:
    """Return the constants that a body begins with, but for names that others may bind, or change.

    Parameters
    ----------
    settings : dict of str to object
    times : dict of str to int
    only_read : frozenset of str
    """
    return {
        name: value
        for name, value in settings.items()
        if times.get(name, 1) and (is_setting(value) or name in only_read)
    }


def _all_parameters(tree: Defined) -> Iterable[str]:
    names = parameter_names(tree)
    return names if tree.args.vararg is None else (*names, tree.args.vararg.arg)


def _function(
    tree: Defined,
    scope: Scope,
    defaults: dict[str, Constant],
    name: str,
    whole: Callable[[Any, tuple[str, ...], Place], Any] | None = None,
) -> Function:
    if tree.args.kwarg is not None:
        raise scope.refuse("** among the parameters", tree)
    if tree.args.vararg is not None and tree.args.kwonlyargs:
        raise scope.refuse("a parameter after *args", tree)
    place = scope.place(tree)
    validate_sets(tree, scope, {name: node.value for name, node in defaults.items()})
    if isinstance(tree, ast.Lambda):
        value = returned(tree.body, scope)
        written: tuple[Any, ...] = asked((named(Return(value.place, value)),))
    else:
        body = filled_at_once(of_numbers(filled_in(tuple(needed(block(tree.body, scope), scope)))))
        once = iterators_in(body)
        body = tuple(named(statement, once) for statement in body)
        every = tuple(_all_parameters(tree))
        body = shortened(body, every)
        written = separated(unnested(by_key(asked(body), every)), every)
    scope.lifter.weighs |= any(map(is_weighted, written))
    body = looped(written, parameter_names(tree))
    body = body if whole is None else whole(body, parameter_names(tree), place)
    body = simplified(body, parameter_names(tree), defaults)
    starred = None if tree.args.vararg is None else tree.args.vararg.arg
    return Function(place, name, parameter_names(tree), defaults, body, starred)


def _defaults(function: types.FunctionType, source: Source) -> dict[str, Constant]:
    place = Place(source.file, source.tree.lineno)
    found = default_values(function)
    for name in default_streams(function, source):
        del found[name]  # passed in every call that is lifted
    for name, value in found.items():
        if is_generator(value):
            raise Unsupported(f"the default of {name!r}: a generator that outlives the call", place)
        if is_environment(value):
            raise Unsupported(f"the default of {name!r}: a value of the environment", place)
    return {name: Constant(place, value) for name, value in found.items()}


def default_streams(function: types.FunctionType, source: Source) -> list[str]:
    """Return the parameters whose default is a generator that the system seeded once for all."""
    arguments = source.tree.args
    names = [a.arg for a in (*arguments.posonlyargs, *arguments.args)]
    written = dict(zip(reversed(names), reversed(arguments.defaults), strict=False))
    written |= {
        a.arg: d for a, d in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True) if d
    }
    held = default_values(function)
    return [
        name
        for name, node in written.items()
        if _is_stream(held.get(name)) and _is_unseeded(node, held[name], function)
    ]


def _is_stream(value: Any) -> bool:
    return is_generator(value) or module_kind(value) is not None


def _is_unseeded(node: ast.expr, value: Any, function: types.FunctionType) -> bool:
    """Return whether a default is a generator that the system seeded."""
    names = function.__globals__
    if module_kind(value) is not None:
        return True
    if isinstance(node, ast.Name) and names.get(node.id) is value:
        return is_unseeded(names, node.id, value)
    return stream_kind(value) is not None and makes_unseeded(node, names)


def passed_streams(
    function: types.FunctionType,
    positional: tuple[Expression, ...],
    keywords: tuple[tuple[str, Expression], ...],
    place: Place,
    scope: Scope,
) -> tuple[tuple[str, Expression], ...]:
    """Return the generators that a call gets by default, as arguments by name."""
    if not any(map(_is_stream, default_values(function).values())):
        return ()
    given = {*_positional_names(function)[: len(positional)], *dict(keywords)}
    missing = [n for n in default_streams(function, source_of(function.__code__)) if n not in given]
    if missing and any(isinstance(argument, Starred) for argument in positional):
        raise Unsupported(f"* among the arguments of {function.__name__!r}", place)
    for _ in missing[:1]:
        scope.refuse_seeding(ast.Pass(lineno=place.line))
    held = default_values(function)
    kinds = ((name, stream_kind(held[name]) or module_kind(held[name])) for name in missing)
    return tuple((name, scope.lifter.stream(place, kind)) for name, kind in kinds if kind)


def _positional_names(function: types.FunctionType) -> tuple[str, ...]:
    return function.__code__.co_varnames[: function.__code__.co_argcount]


def closure(tree: ast.FunctionDef | ast.Lambda, scope: Scope) -> Closure:
    """Return a function that is defined inside another one, its defaults constants."""
    made, computed = _closure(tree, scope)
    for name in computed:
        raise scope.refuse(f"a default that is computed ({name!r})", tree)
    return made


def applied(tree: ast.Lambda, given: tuple[Expression, ...], scope: Scope) -> Closure | None:
    """Return a lambda that is called where it is written, once, with what is known of arguments.

    Returns
    -------
    Closure or None
        None where the parameters are more than names for these arguments.
    """
    names = [a.arg for a in tree.args.args]
    plain = not (tree.args.vararg or tree.args.kwarg or tree.args.defaults)
    if len(names) != len(given) or not plain or any(isinstance(g, Starred) for g in given):
        return None
    return _closure(tree, scope, dict(zip(names, given, strict=True)))[0]


def _closure(
    tree: ast.FunctionDef | ast.Lambda, scope: Scope, given: dict[str, Expression] | None = None
) -> tuple[Closure, dict[str, Expression]]:
    """Return a function that is defined inside another one, and its defaults that are computed."""
    if isinstance(tree, ast.FunctionDef) and tree.decorator_list:
        raise scope.refuse("a decorator inside a function", tree)
    around = source_of(scope.lifter.stack[-1]).tree
    name = "" if isinstance(tree, ast.Lambda) else tree.name
    if is_coroutine_function(tree) and not is_only_called(name, around):
        raise scope.refuse("a coroutine function that is no call behind await", tree)
    if tree.args.kwonlyargs or tree.args.posonlyargs:
        raise scope.refuse("/ or * among the parameters of a function in a function", tree)
    stored = _stored(tree)
    inner = scope.inner(frozenset((*_all_parameters(tree), *stored)))
    parameters = {name: "numpy" for name in parameter_names(tree) if name == "rng"}
    for name, argument in (given or {}).items():
        kind = kind_of(argument, scope)
        parameters |= {} if kind is None else {name: kind}
        inner.holders.hold(name, scope.lifter.shape_of(argument), scope.place(tree))
    inner.generators.update(parameters)  # type: ignore[arg-type]
    held = generator_variables(tree, inner, stored)
    inner.generators.clear()
    inner.generators.update(held)
    name = tree.name if isinstance(tree, ast.FunctionDef) else "<lambda>"
    written = _written_defaults(tree, scope)
    defaults = {n: v for n, v in written.items() if isinstance(v, Constant)}
    computed = {n: v for n, v in written.items() if n not in defaults}
    return Closure(scope.place(tree), _function(tree, inner, defaults, name)), computed


def _written_defaults(tree: ast.FunctionDef | ast.Lambda, scope: Scope) -> dict[str, Expression]:
    arguments = tree.args
    names = [a.arg for a in (*arguments.posonlyargs, *arguments.args)]
    pairs = list(
        zip(names[len(names) - len(arguments.defaults) :], arguments.defaults, strict=True)
    )
    by_name = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    pairs += [(a.arg, value) for a, value in by_name if value is not None]
    return {name: expression(value, scope) for name, value in pairs}


@lifts(ast.Lambda)
def _lambda(node: ast.Lambda, scope: Scope) -> Expression:
    """Return a function; defaults that are computed are arguments that it has from then on."""
    made, computed = _closure(node, scope)
    if not computed:
        return made
    return Call(made.place, "functools.partial", (made,), tuple(computed.items()))
