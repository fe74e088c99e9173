"""Objects of classes whose source is at hand: what they hold, and which methods they have."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from dpaudit.static.frames import Frame
from dpaudit.static.modules import DEFINITIONS, Function, Module, Project
from dpaudit.static.values import PUBLIC, Value, changed, joined

_SELF = "self."


@dataclass(frozen=True, slots=True, eq=False)
class Instance:
    """An object that is made while a function is read.

    Attributes
    ----------
    node : ast.ClassDef
    module : Module
        Of the class.
    held : dict of str to Value
        Its attributes, by name.
    """

    node: ast.ClassDef
    module: Module
    held: dict[str, Value] = field(default_factory=dict)

    @property
    def is_record(self) -> bool:
        """Whether it is there for its fields: a dataclass or a named tuple."""
        words = [ast.unparse(each) for each in (*self.node.decorator_list, *self.node.bases)]
        return any("dataclass" in word or "NamedTuple" in word for word in words)

    def value(self) -> Value:
        """Return what is known of all that a record holds; of another object nothing is."""
        if not self.is_record or not self.held:
            return PUBLIC
        return changed(joined(*self.held.values()), items=tuple(self.held.values()))


def method_of(
    project: Project, node: ast.ClassDef, module: Module, name: str, depth: int = 0
) -> Function | None:
    """Return a method of a class, or of those that it inherits from.

    Parameters
    ----------
    project : Project
    node : ast.ClassDef
    module : Module
        Of the class.
    name : str
    depth : int
        Classes that inherit from this one, on the way here.
    """
    for inner in node.body:
        if isinstance(inner, DEFINITIONS) and inner.name == name:
            return Function(inner, module, node.name)
    for base in node.bases if depth < 5 else ():
        above = project.found_class(ast.unparse(base), module)
        if above is not None:
            found = method_of(project, *above, name, depth + 1)
            if found is not None:
                return found
    return None


def fields_of(node: ast.ClassDef) -> list[tuple[str, ast.expr | None]]:
    """Return the fields that a class annotates, with their defaults."""
    return [
        (inner.target.id, inner.value)
        for inner in node.body
        if isinstance(inner, ast.AnnAssign) and isinstance(inner.target, ast.Name)
    ]


def constant_of(node: ast.ClassDef, name: str) -> ast.expr | None:
    """Return what the body of a class assigns to a name."""
    for inner in node.body:
        targets = inner.targets if isinstance(inner, ast.Assign) else []
        if any(isinstance(t, ast.Name) and t.id == name for t in targets):
            return getattr(inner, "value", None)
    return None


def decorated(function: Function, word: str) -> bool:
    """Whether a method is decorated by a name: ``property``, ``staticmethod``."""
    lines = getattr(function.node, "decorator_list", ())
    return any(word in ast.unparse(each) for each in lines)


def enter(frame: Frame, this: Instance) -> None:
    """Give a frame the attributes of the object whose method it reads."""
    frame.this = this
    frame.names |= {f"{_SELF}{name}": value for name, value in this.held.items()}


def leave(frame: Frame) -> None:
    """Let an object hold what the method that a frame reads has bound to its attributes."""
    if frame.this is None:
        return
    for name, value in frame.names.items():
        if name.startswith(_SELF):
            frame.this.held[name.removeprefix(_SELF)] = value
