"""Calls of listed functions that still differ from process to process, for what they are given.

A ufunc with ``where=`` and no ``out=`` yields memory that nobody wrote; ``"now"`` and ``"today"``
are clocks to whatever reads dates. The text of a function has an address, and the order of a set
of texts depends on the hash seed.
"""

from __future__ import annotations

import dis
import itertools
import types
from collections.abc import Iterable, Iterator
from typing import Any

from dpaudit.checker.pure import is_ufunc
from dpaudit.formal.program import Call, Closure, Constant, Expression, Node, children, walk

_SHOWING = ("builtins.str", "builtins.repr", "builtins.ascii", "builtins.format", "method.format")
_APPLYING = ("operator.call", "builtins.map", "builtins.filter", "functools.reduce")
_ORDERING = ("builtins.max", "builtins.min", "builtins.sorted")
NUMBERS = (int, float, complex, bool)
_OF_FRAMES_WORDS = """
args ctypes f_back f_builtins f_globals f_locals gi_frame gi_yieldfrom tb_frame tobytes tostring
"""
_OF_FRAMES = frozenset(_OF_FRAMES_WORDS.split())
_TEXTS_WORDS = """
str repr ascii format format_map array2string array_repr array_str array_string
"""
_TEXTS = frozenset(_TEXTS_WORDS.split())
_TAKEN = frozenset({"GET_ITER", "PRECALL", "CALL", "CONTAINS_OP"})
_DATES = ("datetime64", "m8[", "M8[", "<M8", "<m8", "M8", "now", "today")


def not_repeatable(
    name: str, positional: Iterable[Expression], keywords: Iterable[tuple[str, Expression]]
) -> str | None:
    """Return what makes a call differ from process to process, None where nothing does."""
    named = dict(keywords)
    if is_ufunc(name) and "where" in named and "out" not in named:
        return f"{name} with `where` and without `out`: memory that nobody wrote"
    for argument in (*positional, *named.values()):
        if name in _SHOWING and any(map(_has_address, _shown(argument))):
            return f"{name} of a function: the address of an object"
        for node in walk(argument):
            value = node.value if isinstance(node, Constant) else None
            if name == "builtins.format" and isinstance(value, str) and value.endswith("n"):
                return f"the format {value!r}, which depends on the locale"
            if isinstance(node, Constant) and is_date(node.value):
                return f"the text {node.value!r}, which may be read as the time of the run"
    return None


def _has_address(node: Node) -> bool:
    """Return whether the text of what stands here has an address: that of a class has none."""
    value = node.value if isinstance(node, Constant) else None
    return isinstance(node, Closure) or (callable(value) and type(value) is not type)


def _shown(node: Node) -> Iterator[Node]:
    """Yield a node and all that its value may hold: not what is called, or compares items."""
    yield node
    function = node.function if isinstance(node, Call) else None
    applied = node.arguments[:1] if isinstance(node, Call) and function in _APPLYING else ()
    key = dict(node.keywords).get("key") if isinstance(node, Call) else None
    for child in children(node):
        if key is None or child is not key or function not in _ORDERING:
            yield from itertools.islice(_shown(child), int(child in applied), None)


def is_unordered(value: Any) -> bool:
    """Return whether the order of a set's elements, in what a value holds, differs by process."""
    if isinstance(value, dict):
        return any(map(is_unordered, (*value.keys(), *value.values())))
    if isinstance(value, list | tuple):
        return any(map(is_unordered, value))
    if not isinstance(value, set | frozenset):
        return False
    plain = all(type(item) in NUMBERS for item in value)
    return any(map(is_unordered, value)) or not (plain or len(value) < 2)


def is_date(value: object) -> bool:
    """Return whether a text is one that libraries read as a clock, or as a type of dates."""
    return isinstance(value, str) and value.strip().startswith(_DATES) and value != ""


def is_repeatable_code(code: types.CodeType) -> bool:
    """Return whether the constants and keywords of a function's code are harmless."""
    for constant in code.co_consts:
        texts = constant if isinstance(constant, tuple) else (constant,)
        if any(map(is_date, texts)) or ("where" in texts and "out" not in texts):
            return False
    instructions = list(dis.get_instructions(code))
    if any(map(_tells_address, instructions)) or _makes_text(instructions, code):
        return False
    if {"keys", "items"} & set(code.co_names) and _makes_set(instructions):
        return False
    for one, after in itertools.pairwise(instructions):
        if one.opname in ("SET_ADD", "SET_UPDATE", "BUILD_SET"):
            return False  # its order may differ
        if isinstance(one.argval, frozenset) and after.opname != "CONTAINS_OP":
            return False
    return not {"set", "frozenset", "strftime", "datetime64", "to_datetime"} & set(code.co_names)


def _tells_address(instruction: dis.Instruction) -> bool:
    """Return whether an attribute may lead to where an object lies, to a hash, or to a caller."""
    if instruction.opname not in ("LOAD_ATTR", "LOAD_METHOD"):
        return False
    name = str(instruction.argval)
    return name in _OF_FRAMES or (name.startswith("__") and name.endswith("__"))


def _makes_text(instructions: list[dis.Instruction], code: types.CodeType) -> bool:
    """Return whether code makes a text of a value, for anything but the error that it raises.

    The text of a function, or of an iterator, has its address.
    """
    percent = any(isinstance(text, str) and "%" in text for text in code.co_consts)
    for at, one in enumerate(instructions):
        if one.opname == "BINARY_OP" and one.argrepr in ("%", "%="):
            if percent:
                return True
        elif one.opname.startswith(("FORMAT_", "CONVERT_")):
            if not _is_raised(instructions[at:]):
                return True
        elif one.opname.startswith("LOAD_") and one.argval in _TEXTS:
            asked = instructions[max(at - 2, 0)].argval == "isinstance"
            raised = one.argval == "format" and _is_raised(instructions[at + 1 :], calls=2)
            if one.opname != "LOAD_CONST" and not (asked or raised):
                return True
    return False


def _is_raised(after: list[dis.Instruction], calls: int = 1) -> bool:
    """Return whether a text goes into so many calls, and what these yield is raised."""
    before = list(itertools.takewhile(lambda one: one.opname != "RAISE_VARARGS", after))
    words = ("LOAD_", "FORMAT_", "CONVERT_", "BUILD_STRING", "PRECALL", "CALL", "COPY")
    made = [one for one in before if one.opname == "CALL"]
    plain = all(one.opname.startswith(words) for one in before)
    return plain and len(before) < len(after) and len(made) == calls


def _makes_set(instructions: list[dis.Instruction]) -> bool:
    """Return whether code may make a set of the keys of a dict: ``a.keys() | b.keys()``."""
    for at, one in enumerate(instructions):
        if one.opname == "BINARY_OP" and one.argrepr.rstrip("=") in ("&", "|", "^"):
            return True
        if one.opname in ("LOAD_ATTR", "LOAD_METHOD") and one.argval in ("keys", "items"):
            after = [i.opname for i in instructions[at + 1 :] if i.opname != "CACHE"]
            called = next((n for n, name in enumerate(after) if name == "CALL"), len(after))
            if called > 1 or after[called + 1 : called + 2] == []:
                return True
            if after[called + 1] not in _TAKEN:
                return True
    return False
