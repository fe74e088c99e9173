"""Customs: what the code of a module gives a meaning of its own to, as its source shows.

A method that a library's objects have changes nothing that it is given, and no operator changes its
operands, unless code of the user's gives an object a function of that name: in a class, by an
assignment to an attribute, or where a class is made by a call. An operator of the user's that only
reads its operands is like one of Python's.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dpaudit.formal.lifting.flow_syntax import sets_attributes

_MAKERS = frozenset({"type", "new_class", "make_dataclass", "namedtuple", "NamedTuple", "setattr",
                     "__setattr__", "SimpleNamespace", "Namespace"})  # fmt: skip
_ANY = frozenset({"__getattr__", "__getattribute__"})
_CALLED_WORDS = """
__init__ __new__ __call__ __post_init__ __enter__ __exit__ __aenter__ __aexit__ __init_subclass__
__set_name__ __setstate__
"""
_CALLED = frozenset(_CALLED_WORDS.split())  # whose calls are read, or are given nothing
_PLAIN = frozenset({"__doc__", "__slots__", "__hash__", "__module__", "__dict__", "__weakref__",
                    "__name__", "__qualname__", "__annotations__", "__wrapped__"})  # fmt: skip
_TAKING_APART = ("__reduce__", "__reduce_ex__")
_KINDS = (int, float, str, list, dict, set, type, type(lambda: None), memoryview)
_OPERATORS = frozenset(
    name for kind in _KINDS for name in dir(kind) if name.startswith("__") and name not in _PLAIN
) | {"__array_ufunc__", "__array_function__", "__missing__", "__set__", "__matmul__",
     "__rmatmul__", "__imatmul__", "__copy__", "__deepcopy__"}  # fmt: skip


class Customs:
    """What a module gives a meaning to.

    Attributes
    ----------
    methods : frozenset of str
        Names of functions in classes.
    others : frozenset of str
        Other names that classes and objects are given.
    any : bool
        Whether objects may have methods of names that are not written down.
    operators : tuple of FunctionDef
        Functions that Python calls with operands.
    hooks : tuple of FunctionDef
        These, and functions that Python calls with the name of an attribute.
    unread : bool
        Whether an operator is given otherwise than as a function in a class, or code takes apart
        what holds a container, such as an iterator.
    """

    def __init__(self, tree: ast.Module) -> None:
        every = list(ast.walk(tree))
        inside = [n for n in every if isinstance(n, ast.ClassDef) for n in _of_class(n)]
        defined = [n for n in inside if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]
        self.methods = frozenset(node.name for node in defined)
        self.others = frozenset(
            name
            for names in (map(_bound, inside), map(_set, every), map(_made, every))
            for name in (n for many in names for n in many)
        )
        self.any = bool(self.methods & _ANY) or sets_attributes(tree)
        self.hooks = tuple(n for n in defined if _is_special(n.name) and n.name not in _CALLED)
        self.operators = tuple(n for n in self.hooks if n.name not in _ANY)
        again = {n for node in inside for n in _named_again(node, self.methods)}
        taken = any(getattr(node, "attr", "") in _TAKING_APART for node in every)
        self.unread = taken or bool((self.others - again) & _OPERATORS)


def _is_special(name: str) -> bool:
    return name.startswith("__") and name.endswith("__")


def _of_class(node: ast.ClassDef) -> Iterator[ast.AST]:
    """Yield what is in the body of a class, and not in that of a function or a class inside."""
    rest: list[ast.AST] = list(node.body)
    while rest:
        part = rest.pop()
        yield part
        if not isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            rest += ast.iter_child_nodes(part)


def _bound(node: ast.AST) -> Iterator[str]:
    """Yield what a node in the body of a class binds, functions left out."""
    match node:
        case ast.Name(id=name, ctx=ast.Store()) | ast.ClassDef(name=name):
            yield name
        case ast.alias(name=name, asname=other):
            yield other or name.partition(".")[0]


def _set(node: ast.AST) -> Iterator[str]:
    """Yield the attribute that a node assigns."""
    match node:
        case ast.Attribute(attr=name, ctx=ast.Store()):
            yield name


def _made(node: ast.AST) -> Iterator[str]:
    """Yield the names of attributes that a call gives what it makes, or an object."""
    if not isinstance(node, ast.Call):
        return
    called = getattr(node.func, "attr", None) or getattr(node.func, "id", None)
    if called not in _MAKERS or (called == "type" and len(node.args) < 2):
        return
    for part in ast.walk(node):
        if isinstance(part, ast.Constant) and isinstance(part.value, str):
            yield from part.value.replace(",", " ").split()
        elif isinstance(part, ast.keyword) and part.arg is not None:
            yield part.arg


def _named_again(node: ast.AST, methods: frozenset[str]) -> Iterator[str]:
    """Yield the second name of a method: ``__radd__ = __add__``."""
    match node:
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Name(id=of)) if of in methods:
            yield name
