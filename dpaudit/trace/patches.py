"""Replaces objects in a running program, and puts every one of them back."""

from __future__ import annotations

import ctypes
import gc
import sys
from collections.abc import Callable, Iterator, Sequence
from types import CellType, FrameType, ModuleType
from typing import Any

_MISSING: Any = object()


class Patches:
    """What was replaced, in order; `undo` restores it in reverse."""

    def __init__(self) -> None:
        self._undo: list[Callable[[], None]] = []

    def attribute(self, owner: Any, name: str, value: Any) -> None:
        """Set an attribute of a module or a class."""
        before = vars(owner).get(name, _MISSING)
        setattr(owner, name, value)

        def restore() -> None:
            if vars(owner).get(name, _MISSING) is not value:
                return  # somebody else has replaced it since
            if before is _MISSING:
                delattr(owner, name)
            else:
                setattr(owner, name, before)

        self._undo.append(restore)

    def everywhere(self, replacements: Sequence[tuple[Any, Any]]) -> None:
        """Replace objects wherever a dict, a list, a closure or a variable holds them.

        This finds names that were imported from their module before, objects in globals and
        attributes, and variables of the functions that this thread is in. Tuples and slots of C
        types keep what they hold.
        """
        changed = rebind(replacements)
        self._undo.append(lambda: _put_back(changed))
        frames = rebind_variables(replacements)
        backwards = [(new, old) for old, new in replacements]

        def restore() -> None:
            rebind_variables(backwards, frames)

        self._undo.append(restore)

    def then(self, restore: Callable[[], None]) -> None:
        """Let a function run when all is undone."""
        self._undo.append(restore)

    def undo(self) -> None:
        """Put everything back, whatever one of the steps raises."""
        errors = []
        while self._undo:
            try:
                self._undo.pop()()
            except Exception as error:
                errors.append(error)
        if errors:
            raise errors[0]


Change = tuple[Any, Any, Any, Any]  # container, key, what it held, what it holds


def rebind(replacements: Sequence[tuple[Any, Any]]) -> list[Change]:
    """Replace objects wherever a dict, a list or a closure holds them; return what was changed."""
    if not replacements:
        return []
    table = {id(old): new for old, new in replacements}
    ours = _own_containers(replacements)
    changed: list[Change] = []
    for holder in gc.get_referrers(*[old for old, _ in replacements]):
        if id(holder) in ours or isinstance(holder, FrameType):
            continue
        if type(holder) is dict:
            keys = [key for key, value in list(holder.items()) if id(value) in table]
        elif type(holder) is list:
            keys = [place for place, value in enumerate(holder) if id(value) in table]
        elif type(holder) is CellType:
            keys = ["cell_contents"]
        else:
            changed += _rebind_attributes(holder, table)
            continue
        owner = _class_of(holder) if keys and type(holder) is dict else None
        for key in keys:
            old = _held(holder, key)
            new = table.get(id(old), _MISSING)
            if new is not _MISSING:
                _hold(owner or holder, key, new)
                changed.append((owner or holder, key, old, new))
    return changed


def _own_containers(replacements: Sequence[tuple[Any, Any]]) -> set[int]:
    """Return ids of containers that must go on holding the originals."""
    ours = {id(replacements), *(id(each) for each in replacements)}
    for name, module in list(sys.modules.items()):
        if name.startswith(("dpaudit.", "numpy.random.")):
            ours.add(id(vars(module)))
            for made in vars(module).values():
                if isinstance(made, type) and made.__module__.startswith("dpaudit.trace"):
                    ours.update(map(id, gc.get_referents(made)))
    return ours


def _rebind_attributes(holder: Any, table: dict[int, Any]) -> list[Change]:
    """Replace objects in the attributes of an object, those in slots included."""
    if isinstance(holder, (type, ModuleType)) or type(holder).__module__.startswith("dpaudit."):
        return []
    changed: list[Change] = []
    own = getattr(holder, "__dict__", None)
    if type(own) is dict:
        for key, old in list(own.items()):
            if id(old) in table:
                own[key] = table[id(old)]
                changed.append((own, key, old, own[key]))
    for kind in type(holder).__mro__:
        slots = vars(kind).get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else tuple(slots):
            old = getattr(holder, name, _MISSING) if isinstance(name, str) else _MISSING
            if id(old) in table:
                object.__setattr__(holder, name, table[id(old)])
                changed.append((_Slots(holder), name, old, table[id(old)]))
    return changed


class _Slots:
    """The slots of an object, as a mapping."""

    def __init__(self, owner: Any) -> None:
        self._owner = owner

    def __getitem__(self, name: str) -> Any:
        return getattr(self._owner, name)

    def __setitem__(self, name: str, value: Any) -> None:
        object.__setattr__(self._owner, name, value)


def rebind_variables(
    replacements: Sequence[tuple[Any, Any]], frames: Sequence[FrameType] | None = None
) -> list[FrameType]:
    """Replace objects in variables of functions that are running; return those it was done in.

    Parameters
    ----------
    replacements : sequence of (old, new)
    frames : sequence of frame, optional
        Those of the calling thread unless given.
    """
    table = {id(old): new for old, new in replacements}
    todo = list(_own_stack()) if frames is None else frames
    changed = []
    for frame in todo:
        held = frame.f_locals
        if held is frame.f_globals or frame.f_globals.get("__name__", "").startswith("dpaudit."):
            continue
        names = [name for name, value in list(held.items()) if id(value) in table]
        for name in names:
            held[name] = table[id(held[name])]
        if names:
            changed.append(frame)
            if sys.version_info < (3, 13):  # from then on the mapping writes through
                done = ctypes.pythonapi.PyFrame_LocalsToFast
                done(ctypes.py_object(frame), ctypes.c_int(0))
    return changed


def _own_stack() -> Iterator[FrameType]:
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        yield frame
        frame = frame.f_back


def _class_of(holder: dict[Any, Any]) -> type | None:
    """Return the class whose attributes a dict holds: they are set through it, never behind it."""
    if "__module__" not in holder:
        return None
    referrers = gc.get_referrers(holder)
    return next((each for each in referrers if isinstance(each, type)), None)


def _held(holder: Any, key: Any) -> Any:
    if type(holder) is CellType:
        return holder.cell_contents
    return vars(holder)[key] if isinstance(holder, type) else holder[key]


def _hold(holder: Any, key: Any, value: Any) -> None:
    if isinstance(holder, type):
        setattr(holder, key, value)
    elif type(holder) is CellType:
        holder.cell_contents = value
    else:
        holder[key] = value


def _put_back(changed: list[Change]) -> None:
    for holder, key, old, new in reversed(changed):
        try:
            if _held(holder, key) is new:
                _hold(holder, key, old)
        except (LookupError, ValueError):
            continue  # it was removed meanwhile
