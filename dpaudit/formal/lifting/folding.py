"""Constant folding: what expressions of public constants yield, and the code that they choose.

A constant is a literal, a parameter whose value is known, a variable or an attribute that holds one
where it is read, or what exists before the run and does not change. Operations on constants are
those of Python itself, on numbers, texts, truth values, None, tuples of them and members of
enumerations: nothing that they call was written by a user. A float decides tests alone: what is
computed with floats stays in the program, where the proofs read it as real numbers.
"""

from __future__ import annotations

import ast
import types
from collections.abc import Callable
from typing import Any

from dpaudit.checker.effort import beyond
from dpaudit.checker.operators import BY_SYNTAX, MEANING
from dpaudit.formal.lifting.canonical import canonical_name
from dpaudit.formal.lifting.enumerations import MAPS, is_enumeration, is_member, looked_up
from dpaudit.formal.lifting.environment import is_attribute_changed
from dpaudit.formal.lifting.known import may_call
from dpaudit.formal.lifting.operations import MOST, compared, computed, is_short, is_table
from dpaudit.formal.lifting.scope import Live, Scope, object_shape, of_member, resolve
from dpaudit.formal.lifting.shapes import (
    Value,
    in_class,
    is_code,
    is_scalar,
    is_setting,
    value_of,
)

_TEXT_METHODS_WORDS = """
lower upper strip lstrip rstrip title capitalize casefold swapcase startswith endswith replace
removeprefix removesuffix isdigit isalpha isidentifier split count find index
"""
_TEXT_METHODS = frozenset(_TEXT_METHODS_WORDS.split())
_TABLE_METHODS = frozenset({"get", "keys", "values", "items"})
_FUNCTIONS_WORDS = "abs bool int float len max min round str repr"
_EXACT_WORDS = """
ceil comb copysign fabs factorial floor gcd isfinite isinf isnan isqrt lcm perm sqrt trunc
"""  # of `math`: every machine computes these alike, and logarithms not but of powers of two
_FUNCTIONS = frozenset(f"builtins.{word}" for word in _FUNCTIONS_WORDS.split()) | frozenset(
    f"math.{word}" for word in _EXACT_WORDS.split()
)
_OF_TABLES = {"builtins.len", "builtins.isinstance", "builtins.enumerate", "builtins.zip"}


def setting(node: ast.expr, scope: Scope) -> Value | None:
    """Return the constant that an expression yields, and its type; None where it is not known."""
    found = folded(node, scope)
    return None if found is None else value_of(found.value)


def decided(test: ast.expr, scope: Scope) -> bool | None:
    """Return whether a test of constants holds, None for any other test."""
    found = folded(test, scope)
    return None if found is None else is_code(found.value) or bool(found.value)


def replaced(node: ast.expr, scope: Scope) -> Live | None:
    """Return the constant that takes the place of an expression, None where it stays."""
    if not isinstance(node, _FOLDED):
        return None
    found = folded(node, scope)
    value = None if found is None else found.value
    if type(value) is float and isinstance(node, ast.Subscript):  # a number that nobody computed
        return found if resolve(node.value, scope) is not None else None
    return found if (is_scalar(value) and type(value) is not float) or is_code(value) else None


def folded(node: ast.expr, scope: Scope) -> Live | None:
    """Return the constant that an expression yields, None where it is not known."""
    rule = _RULES.get(type(node))
    return None if rule is None else rule(node, scope)


def code(node: ast.expr, scope: Scope) -> Live | None:
    """Return the function or class that constants choose, None of any other expression."""
    looked_up = isinstance(node, ast.Subscript | ast.Attribute | ast.Call)
    found = folded(node, scope) if looked_up else None
    if found is None or not is_code(found.value):
        return None
    return Live(found.value, canonical_name(found.value))


def chosen(node: ast.expr, scope: Scope) -> ast.expr:
    """Return the expression that constants choose: an arm, an entry, an attribute by its name."""
    found: ast.expr | None = None
    match node:
        case ast.IfExp(test=test, body=yes, orelse=no):
            known = None if tells(yes, no) else decided(test, scope)
            found = None if known is None else yes if known else no
        case ast.Name(id=name):
            found = scope.written.get(name)
            if isinstance(found, ast.Dict):
                found = None
        case ast.Subscript(value=table, slice=key):
            found = _entry(table, key, scope)
        case ast.Call(func=ast.Attribute(value=table, attr="get"), args=[key], keywords=[]):
            found = _entry(table, key, scope)
        case ast.Call(func=ast.Name(id="getattr") as function, args=[of, name], keywords=[]):
            live, word = resolve(function, scope), setting(name, scope)
            is_own = live is not None and live.name == "builtins.getattr"
            if is_own and word is not None and word[0] is str and _is_public(word[1]):
                found = ast.copy_location(ast.Attribute(of, word[1], ast.Load()), node)
    return node if found is None else chosen(found, scope)


def _entry(table: ast.expr, key: ast.expr, scope: Scope) -> ast.expr | None:
    """Return what a dict that is displayed has under a constant; the rest must be idle.

    Nor may it be an object that can change: it is one object wherever the dict is read.
    """
    shown = scope.written.get(table.id) if isinstance(table, ast.Name) else table
    if not isinstance(shown, ast.Dict) or None in shown.keys:
        return None
    wanted = setting(key, scope)
    keys = [setting(each, scope) for each in shown.keys if each is not None]
    if wanted is None or None in keys:
        return None
    if not all(stays(value, scope) for value in shown.values):
        return None
    held = [v for k, v in zip(keys, shown.values, strict=True) if k and k[1] == wanted[1]]
    return held[-1] if held else None


def stays(node: ast.expr, scope: Scope) -> bool:
    """Return whether an expression may be written again: it is idle, or makes a constant.

    A list that is made once and changed is no other list, made anew where it is read.
    """
    if is_idle(node, scope):
        return True
    found = folded(node, scope)
    return found is not None and is_setting(found.value)


def _is_public(name: str) -> bool:
    """Return whether a text names an attribute that no class spells otherwise."""
    return name.isidentifier() and not name.startswith("__")


def has_stars(node: ast.Call) -> bool:
    """Return whether a call has arguments that ``*`` passes."""
    return any(isinstance(arg, ast.Starred) for arg in node.args)


def is_idle(node: ast.expr, scope: Scope) -> bool:
    """Return whether an expression is a name or a method: to look it up runs no code."""
    if isinstance(node, ast.Lambda):
        return not node.args.defaults and not any(node.args.kw_defaults)
    if isinstance(node, ast.Name) and node.id in scope.local:
        return node.id not in scope.stored or node.id in scope.settings
    if isinstance(node, ast.Name | ast.Attribute) and resolve(node, scope) is not None:
        return True
    if not isinstance(node, ast.Attribute) or not isinstance(node.value, ast.Name):
        return False
    shape, holder = object_shape(node.value, scope), node.value.id
    if shape is not None:
        found = in_class(shape.cls, node.attr)
        return isinstance(found, types.FunctionType | staticmethod | classmethod)
    return holder == scope.rng or holder in scope.generators


def tells(*nodes: ast.AST) -> bool:
    """Return whether code says what the function around it is, though no run comes to it."""
    told = ast.Yield | ast.YieldFrom | ast.Await | ast.Global | ast.Nonlocal
    return any(isinstance(part, told) for node in nodes for part in ast.walk(node))


# --- what each kind of expression yields


def _literal(node: ast.Constant, _scope: Scope) -> Live | None:
    return Live(node.value, None) if is_setting(node.value) else None


def _name(node: ast.Name, scope: Scope) -> Live | None:
    if node.id in scope.settings:
        return Live(scope.settings[node.id], None)
    return _usable(node, scope)


def _attribute(node: ast.Attribute, scope: Scope) -> Live | None:
    shape = object_shape(node.value, scope)
    if shape is not None:
        held = shape.value(node.attr)
        return None if held is None else Live(held[1], None)
    base = folded(node.value, scope) if isinstance(node.value, ast.Call | ast.Subscript) else None
    if base is not None and is_member(base.value):
        return of_member(base.value, node, scope)
    return _usable(node, scope)


def _usable(node: ast.expr, scope: Scope) -> Live | None:
    """Return what exists before the run where it may be computed with."""
    live = resolve(node, scope)
    if live is None or is_setting(live.value):
        return live
    if not is_table(live.value):
        return None
    said = f"nothing changes the {type(live.value).__name__} that {scope.place(node)} reads"
    scope.lifter.tables[said] = None
    return live


def _sequence(node: ast.Tuple | ast.List | ast.Set, scope: Scope) -> Live | None:
    found = [folded(item, scope) for item in node.elts]
    values = [live.value for live in found if live is not None]
    if len(values) < len(found) or not all(map(is_setting, values)):
        return None
    kind = {ast.Tuple: tuple, ast.List: list, ast.Set: set}[type(node)]
    return Live(kind(values), None)


def _choice(node: ast.IfExp | ast.Subscript, scope: Scope) -> Live | None:
    other = chosen(node, scope)
    if other is not node:
        return folded(other, scope)
    if isinstance(node, ast.IfExp) or isinstance(node.slice, ast.Slice):
        return None
    table, key = folded(node.value, scope), folded(node.slice, scope)
    if table is None or key is None or not is_setting(key.value):
        return None
    if is_enumeration(table.value):
        return _member(table.value, key.value, scope, by_name=True)
    if type(table.value) not in (dict, list, tuple, str):
        return None
    return computed(lambda: table.value[key.value])


def _unary(node: ast.UnaryOp, scope: Scope) -> Live | None:
    if isinstance(node.op, ast.Not):
        told = decided(node.operand, scope)
        return None if told is None else Live(not told, None)
    found = folded(node.operand, scope)
    if found is None or type(found.value) not in (int, float):
        return None
    return computed(lambda: MEANING[BY_SYNTAX[type(node.op)]](found.value))


def _binary(node: ast.BinOp, scope: Scope) -> Live | None:
    left = folded(node.left, scope)
    right = None if left is None else folded(node.right, scope)
    if left is None or right is None:
        return None
    a, b = left.value, right.value
    numbers = {type(a), type(b)} <= {int, float, bool}
    if isinstance(node.op, ast.Pow | ast.LShift):
        numbers = numbers and abs(b) <= MOST and abs(a) <= 2**64
    if not numbers and not (isinstance(node.op, ast.Add) and type(a) is type(b) is str):
        return None
    return computed(lambda: MEANING[BY_SYNTAX[type(node.op)]](a, b))


def _logic(node: ast.BoolOp, scope: Scope) -> Live | None:
    if tells(node):
        return None
    decides = isinstance(node.op, ast.Or)
    for operand in node.values:
        found = folded(operand, scope)
        told = None if found is None else decided(operand, scope)
        if told is None or told is decides:
            return None if told is None else found
    return found


def _compare(node: ast.Compare, scope: Scope) -> Live | None:
    left = folded(node.left, scope)
    for sign, comparator in zip(node.ops, node.comparators, strict=True):
        right = None if left is None else folded(comparator, scope)
        if left is None or right is None:
            return None
        told = compared(sign, left.value, right.value)
        if told is None or told.value is False:
            return told
        left = right
    return Live(True, None)


def _text(node: ast.JoinedStr, scope: Scope) -> Live | None:
    parts = [folded(part, scope) for part in node.values]
    texts = [part.value for part in parts if part is not None and type(part.value) is str]
    return Live("".join(texts), None) if len(texts) == len(parts) else None


def _formatted(node: ast.FormattedValue, scope: Scope) -> Live | None:
    found = folded(node.value, scope)
    if found is None or type(found.value) not in (int, float, str, bool):
        return None
    makers: dict[int, Callable[[Any], str]] = {115: str, 114: repr, 97: ascii}
    written = makers.get(node.conversion)
    value = found.value if written is None else written(found.value)
    spec = Live("", None) if node.format_spec is None else folded(node.format_spec, scope)
    if spec is None or not is_short(spec.value):
        return None
    return computed(lambda: format(value, spec.value))


def _member(cls: Any, key: Any, scope: Scope, *, by_name: bool) -> Live | None:
    """Return the member of an enumeration that is looked up by its name, or its value."""
    if is_member(key) and not by_name:
        return Live(key, None) if type(key) is cls else None
    for name in MAPS:
        if is_attribute_changed(cls, name, vars(cls)[name]) or scope.lifter.is_set(name):
            return None
    made = looked_up(cls, key, by_name=by_name)
    return None if made is None else Live(made, None)


def _call(node: ast.Call, scope: Scope) -> Live | None:
    other = chosen(node, scope)
    if other is not node:
        return folded(other, scope)
    if has_stars(node) or node.keywords:
        return None
    called = _method(node.func, scope) or _function(node.func, scope)
    given = [] if called is None else [folded(argument, scope) for argument in node.args]
    values = [live.value for live in given if live is not None]
    if called is None or len(values) < len(given):
        return None
    function, accepts = called
    if is_enumeration(function):
        return _member(function, values[0], scope, by_name=False) if len(values) == 1 else None
    if not all(map(accepts, values)) or beyond(function.__name__, values):
        return None
    return computed(lambda: function(*values))


_Called = tuple[Any, Callable[[Any], bool]]  # what is called, and which arguments it may have


def _method(node: ast.expr, scope: Scope) -> _Called | None:
    """Return a method of a text, or of a table that does not change."""
    if not isinstance(node, ast.Attribute) or node.attr not in (*_TEXT_METHODS, *_TABLE_METHODS):
        return None
    base = folded(node.value, scope)
    if base is not None and type(base.value) is str and node.attr in _TEXT_METHODS:
        return getattr(base.value, node.attr), _is_plain
    if base is not None and type(base.value) is dict and node.attr in _TABLE_METHODS:
        return getattr(base.value, node.attr), is_setting
    return None


def _function(node: ast.expr, scope: Scope) -> _Called | None:
    """Return a function of Python's that computes, or an enumeration."""
    live = resolve(node, scope)
    if live is None or is_enumeration(live.value):
        return None if live is None else (live.value, is_setting)
    if live.name in _OF_TABLES:
        return live.value, lambda value: is_setting(value) or is_table(value)
    if live.name == "builtins.type":
        return live.value, _is_plain
    known = live.name in (*_FUNCTIONS, "math.log2") and may_call(str(live.name), ())
    accepts = _is_power_of_two if live.name == "math.log2" else _is_plain
    return (live.value, accepts) if known else None


def _is_power_of_two(value: Any) -> bool:
    """Return whether the logarithm of a number is whole, and computed without an error."""
    return type(value) is int and value > 0 and not value & (value - 1)


def _is_plain(value: Any) -> bool:
    """Return whether a value is a number, a text or None: of no class of a user's."""
    return is_scalar(value) and not is_member(value)


_RULES: dict[type, Callable[[Any, Scope], Live | None]] = {
    ast.Constant: _literal,
    ast.Name: _name,
    ast.Attribute: _attribute,
    ast.Tuple: _sequence,
    ast.List: _sequence,
    ast.Set: _sequence,
    ast.IfExp: _choice,
    ast.Subscript: _choice,
    ast.UnaryOp: _unary,
    ast.BinOp: _binary,
    ast.BoolOp: _logic,
    ast.Compare: _compare,
    ast.JoinedStr: _text,
    ast.FormattedValue: _formatted,
    ast.Call: _call,
}
_FOLDED = (ast.Subscript, ast.UnaryOp, ast.BinOp, ast.BoolOp, ast.Compare, ast.JoinedStr, ast.Call)
