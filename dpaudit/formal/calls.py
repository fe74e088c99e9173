"""Calls of functions: run for real on what is known, by a rule on what is not."""

from __future__ import annotations

import functools
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NoReturn

import sympy

from dpaudit.formal import narrow
from dpaudit.formal import program as ir
from dpaudit.formal.constants import constant
from dpaudit.formal.dependence import is_public, source_of
from dpaudit.formal.domain import (
    Array,
    ClosureValue,
    DictValue,
    Foreign,
    FunctionValue,
    Known,
    ListValue,
    Number,
    Table,
    Tuple,
    Value,
    fresh,
)
from dpaudit.formal.lifting.known import is_inert, may_run
from dpaudit.formal.program import Place
from dpaudit.formal.running import NotConcreteError, concrete, ran, really, run_for_real
from dpaudit.formal.terms import IN_PLACE, SYNONYMS, with_term
from dpaudit.formal.unsupported import Unsupported
from dpaudit.formal.words import in_words

if TYPE_CHECKING:
    from dpaudit.formal.walk import Walk


@dataclass(slots=True)
class Application:
    """One call: what rules look at."""

    name: str
    args: list[Value]
    keywords: dict[str, Value]
    place: Place
    walk: Walk
    notes: list[str] = field(default_factory=list)

    def refuse(self, what: str) -> NoReturn:
        """Raise `Unsupported` here."""
        raise Unsupported(what, self.place)

    def bind(self, *names: str, required: int = 1) -> list[Value | None]:
        """Return the arguments by the names that the function gives them, None where not passed.

        Raises
        ------
        Unsupported
            For other arguments.
        """
        if len(self.args) > len(names):
            self.refuse(f"{len(self.args)} arguments of {self.name}")
        values: list[Value | None] = [*self.args, *[None] * (len(names) - len(self.args))]
        for name, value in self.keywords.items():
            if name not in names:
                self.refuse(f"the argument `{name}` of {self.name}")
            at = names.index(name)
            if values[at] is not None:
                self.refuse(f"`{name}` of {self.name} given twice")
            values[at] = value
        if any(value is None for value in values[:required]):
            self.refuse(f"{self.name} with {len(self.args)} arguments")
        return values

    def known(self, value: Value | None, default: Any = None) -> Any:
        """Return the Python object that a public constant is.

        Raises
        ------
        Unsupported
            Where it is not known.
        """
        if value is None:
            return default
        try:
            return concrete(value)
        except NotConcreteError:
            self.refuse(f"an argument of {self.name} that is not known")

    def redo(self, name: str, *args: Value, **keywords: Value) -> Value:
        """Return the value of another call, at the same place."""
        return apply(self.walk, name, list(args), keywords, self.place)


def apply(
    walk: Walk, name: str, args: list[Value], keywords: dict[str, Value], place: Place
) -> Value:
    """Return the value of a call of a library's function.

    Raises
    ------
    Unsupported
        Where no rule is known.
    """
    from dpaudit.formal.refine import narrowed
    from dpaudit.formal.relations import settled
    from dpaudit.formal.rules import EXACT, RULES

    name = IN_PLACE.get(name, name)
    name = SYNONYMS.get(name, name)
    if name.startswith("recursion:"):
        raise Unsupported(f"recursion: {name.partition(':')[2]!r} calls itself", place)
    call = Application(name, args, keywords, place, walk)
    everything = [*args, *keywords.values()]
    if any(_has_foreign(value) for value in everything):
        value = walk.hooks.call(call)
        if value is not None:
            return value
    value = run_for_real(call, everything)
    if value is None:
        call.args = [settled(v) for v in args]
        call.keywords = {k: settled(v) for k, v in keywords.items()}
        if any(isinstance(v, Foreign) for v in everything):
            call.refuse(f"{name} of noise")
        narrow.check(call)
        for rule in RULES.get(name, ()):
            found = rule.apply(call)
            if found is not None:
                value = _finished(call, found)
                walk.steps.append(rule.step(call, value))
                break
    if value is None and name in EXACT:
        value = run_for_real(call, everything, exact=False)
    if value is None:
        call.refuse(f"it is not known how far one record moves {_shown(call)}")
    term = getattr(value, "term", None)
    if term is not None and term not in walk.values:
        walk.values[term] = value
    return narrowed(walk, value)


def apply_value(
    walk: Walk, function: Any, args: list[Value], keywords: dict[str, Value], place: Place
) -> Value:
    """Return the value of a call of a function that is a value."""
    if isinstance(function, str):
        return apply(walk, function, args, keywords, place)
    if isinstance(function, ir.Function):
        return walk.call(function, args, keywords, place)
    if isinstance(function, ClosureValue):
        return walk.call(function.function, args, keywords, place, function.frame)
    if isinstance(function, ir.Constant):
        function = FunctionValue(function.value)
    if isinstance(function, Known):
        function = FunctionValue(function.value)
    if isinstance(function, Foreign):
        raise Unsupported("a call of noise", place)
    if not isinstance(function, FunctionValue):
        raise Unsupported("a call of something that is no function", place)
    return _call_object(walk, function.function, args, keywords, place)


def _call_object(
    walk: Walk, function: Any, args: list[Value], keywords: dict[str, Value], place: Place
) -> Value:
    from dpaudit.formal.lifting.canonical import canonical_name

    if isinstance(function, ir.Function):
        return walk.call(function, args, keywords, place)
    if isinstance(function, functools.partial):
        fixed = {k: constant(v) for k, v in function.keywords.items()}
        first = [constant(v) for v in function.args]
        return _call_object(walk, function.func, [*first, *args], {**fixed, **keywords}, place)
    name = canonical_name(function)
    if name is not None:
        return apply(walk, name, args, keywords, place)
    call = Application(getattr(function, "__name__", "function"), args, keywords, place, walk)
    everything = [*args, *keywords.values()]
    if may_run(function) and all(is_public(value) for value in everything):
        try:
            given = [concrete(v) for v in args], {k: concrete(v) for k, v in keywords.items()}
        except NotConcreteError:
            pass
        else:
            if not all(map(is_inert, (*given[0], *given[1].values()))):
                call.refuse(f"{call.name} of an object whose code is not read")
            value = really(call, lambda: function(*given[0], **given[1]))
            walk.steps.append(ran(call, value))
            return value
    from dpaudit.formal.lift import lift_callable

    lifted = lift_callable(function)
    if isinstance(lifted, str):
        return apply(walk, lifted, args, keywords, place)
    if isinstance(lifted, ir.Constant):
        raise Unsupported(f"a call of {lifted.value!r:.60}, whose source cannot be read", place)
    return walk.call(lifted, args, keywords, place)


def _has_foreign(value: Value) -> bool:
    match value:
        case Foreign():
            return True
        case Tuple(items=items) | ListValue(items=items):
            return any(_has_foreign(item) for item in items)
        case DictValue(items=items):
            return any(_has_foreign(item) for item in items.values())
        case Table(columns=columns):
            return any(_has_foreign(column) for column in columns.values())
    return False


def _finished(call: Application, value: Value) -> Value:
    """Return a rule's result with its term and the rows that it is a function of."""
    if isinstance(value, Number) and value.public and value.expr is None and not value.nan:
        # Equal in both runs, though nobody knows what it is.
        value = replace(value, expr=value.low if value.low == value.high else _unknown(value))
    value = with_term(call, value)
    if isinstance(value, Number | Array) and value.source is None and not is_public(value):
        rows = value.rows if isinstance(value, Array) else None
        source = rows if rows is not None else source_of(*call.args, *call.keywords.values())
        value = replace(value, source=source)
    return value


def _unknown(number: Number) -> Any:
    whole = True if number.integer else None
    return sympy.Symbol(f"value_{fresh()}", real=True, integer=whole)


def _shown(call: Application) -> str:
    kinds = ", ".join(_kind(v) for v in call.args)
    extra = "".join(f", {name}=…" for name in call.keywords)
    name = call.name.removeprefix("builtins.").removeprefix("method.")
    return f"{name}({kinds}{extra})"


def _kind(value: Value) -> str:
    match value:
        case Number():
            return "public number" if value.public else "private number"
        case Array():
            words = "records" if value.rows is not None else "array"
            return f"{'public' if value.public else 'private'} {words}"
        case Known(value=object_):
            return type(object_).__name__
    return in_words(value).removeprefix("a ").removeprefix("an ")
