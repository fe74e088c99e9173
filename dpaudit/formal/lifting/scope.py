"""What the names of a function stand for: local variables, and the live objects around it."""

from __future__ import annotations

import ast
import logging
import random
import sys
import threading
import types
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, TypeVar

from dpaudit.formal.lifting.canonical import canonical_name, is_library_module, is_tabular
from dpaudit.formal.lifting.deterministic import is_in_place
from dpaudit.formal.lifting.displays import AS_IN_PYTHON
from dpaudit.formal.lifting.enumerations import is_member, told
from dpaudit.formal.lifting.environment import (
    changes_others,
    is_attribute_changed,
    is_changed,
    is_environment,
    is_frozen,
    is_global_set,
    is_outside,
    module_value,
)
from dpaudit.formal.lifting.seeding import SHARED
from dpaudit.formal.lifting.shapes import (
    Contents,
    Holders,
    Learned,
    Shape,
    in_class,
    is_code,
)
from dpaudit.formal.lifting.source import Defined
from dpaudit.formal.lifting.streams import (
    PYTHON_SEED,
    Kind,
    Seeding,
    is_unseeded,
    module_kind,
    patches,
    seedings,
    sets_of_others,
    setting_file,
    stream_kind,
)
from dpaudit.formal.program import Constant, Expression, Function, Generator, Place
from dpaudit.formal.unsupported import Unsupported
from dpaudit.outputs.observed import EVERYTHING

Key = tuple[
    int,
    tuple[tuple[str, Kind], ...],
    tuple[tuple[str, int], ...],
    frozenset[str],
    tuple[tuple[str, str], ...],
    tuple[tuple[str, int], ...],
    tuple[str, ...],
]
Known = tuple[dict[str, Any], dict[str, ast.expr]]
_Node = TypeVar("_Node", bound=Expression)
_FOLDED = ("shape", "size", "ndim", "dtype", "real", "imag", "value", "name", "eps", "max", "min")


@dataclass(slots=True, eq=False)
class Lifter:
    """What one lift shares among all functions that it reads."""

    sources: dict[str, str] = field(default_factory=dict)
    entry: types.CodeType | None = None  # of the mechanism, whose end is that of the run
    functions: dict[Key, Function] = field(default_factory=dict)
    stack: list[types.CodeType] = field(default_factory=list)
    homes: list[dict[str, Any]] = field(default_factory=list)  # globals of those on the stack
    keys: list[Key] = field(default_factory=list)  # of the functions on the stack
    kept: list[Any] = field(default_factory=list)  # what the keys are the ids of
    changing: list[Unsupported] = field(default_factory=list)  # globals that are no constants
    prints: bool = False  # whether the program prints
    observes: frozenset[str] = EVERYTHING  # what leaves the trust boundary
    weighs: bool = False  # whether it chooses by weights, as it is written
    streams: dict[int, Kind] = field(default_factory=dict)  # by id of the node of a generator
    shapes: dict[type, Shape] = field(default_factory=dict)
    objects: dict[int, Shape | Contents] = field(
        default_factory=dict
    )  # by id of the node of an object
    results: dict[int, Shape | Contents] = field(
        default_factory=dict
    )  # by id of the function returning them
    raised: dict[tuple[str, int], set[Any]] = field(default_factory=dict)  # classes, by the line
    alone: set[tuple[str, int]] = field(default_factory=set)  # lines of `raise ... from None`
    formatted: set[Place] = field(default_factory=set)  # where own exceptions make their texts
    set_by: dict[tuple[int, str], bool] = field(default_factory=dict)  # by module and attribute
    texts: set[int] = field(default_factory=set)  # ids of calls that ask for exceptions' texts
    seeded: set[str] = field(default_factory=set)  # functions that seed, which the program calls
    drawn: set[str] = field(default_factory=set)  # functions that seed what the program draws from
    unused: frozenset[str] = frozenset()  # functions that seed what it does not draw from
    idle: dict[Seeding, None] = field(default_factory=dict)  # what would seed, and does not run
    learned: Learned = field(default_factory=dict)  # which variables and attributes hold objects
    many: dict[tuple[str, Shape | None], Contents] = field(default_factory=dict)
    clocks: list[Place] = field(default_factory=list)  # where the clock is read
    begun: set[tuple[str, int]] = field(default_factory=set)  # where functions that are read stand
    excused: list[Unsupported] = field(default_factory=list)  # draws beside seeds that are not run
    stand_ins: set[int] = field(default_factory=set)  # ids of assignments that nobody may need
    coroutines: dict[int, types.CodeType] = field(default_factory=dict)  # by id of the function
    suspends: set[types.CodeType] = field(default_factory=set)  # in which other tasks may run
    unawaited: Counter[Place] = field(default_factory=Counter)  # where coroutines are made
    numbers: dict[int, float] = field(default_factory=dict)  # by id of an argument, its value
    tables: dict[str, None] = field(default_factory=dict)  # what constants are looked up in
    unread: int = 0  # how often there was code that is not understood
    partial: set[int] = field(default_factory=set)  # ids of functions that hold such code

    def stream(self, place: Place, kind: Kind) -> Generator:
        """Return a generator that exists before the run, with the methods of a library."""
        made = Generator(place, "global", library=kind)
        self.note(made, kind)
        return made

    def note(self, made: Expression, kind: Kind) -> None:
        """Remember whose methods a generator has."""
        self.streams[id(made)] = kind
        self.kept.append(made)

    def note_text(self, call: ast.Call) -> None:
        """Remember that a call asks for the text of an exception that was caught."""
        self.texts.add(id(call))
        self.kept.append(call)

    def shape(self, cls: type) -> Shape:
        """Return what is known of the objects of a class."""
        return self.shapes.setdefault(cls, Shape(cls, learned=self.learned))

    def shape_of(self, node: Expression) -> Shape | Contents | None:
        """Return the shape of an object or of what holds some, None where an expression is none."""
        return self.objects.get(id(node))

    def with_shape(self, node: _Node, shape: Shape | Contents | None) -> _Node:
        """Remember that an expression is an object."""
        if shape is not None:
            self.objects[id(node)] = shape
            self.kept.append(node)
        return node

    def is_set(self, name: str) -> bool:
        """Return whether a module of those that are read may set an attribute of this name."""
        for home in self.homes:
            key = id(home), name
            if key not in self.set_by:
                self.set_by[key] = sets_of_others(home, name)
            if self.set_by[key]:
                return True
        return False

    def refuse_patches(self, function: types.FunctionType) -> None:
        """Raise where code that may run with a function changes what a library's functions do."""
        home = function.__globals__
        if any(home is each for each in self.homes):
            return
        for what, place in patches([home], [*self.roots(), function.__code__]):
            raise Unsupported(what, place)

    def roots(self) -> list[types.CodeType]:
        """Return the functions that run."""
        return [code for code in (self.entry, *self.stack) if code]

    def may_change(self, name: str, value: Any) -> bool:
        """Return whether a module of those that are read may change a global of another one."""
        if self.is_set(name):
            return True
        if is_frozen(value) or isinstance(value, types.ModuleType):
            return False
        return any(changes_others(home, name, value) for home in self.homes)

    def validate_constants(self) -> None:
        """Refuse a program that reads a global variable which is no constant."""
        if self.changing:
            raise self.changing[0]
        if self.seeded and self.excused:
            raise self.excused[0]


@dataclass(frozen=True, slots=True, eq=False)
class Scope:
    """The names that a piece of source can see.

    Attributes
    ----------
    lifter : Lifter
    file : str
    module : dict of str to Any
        Globals of the live function.
    builtins : dict of str to Any
    cells : dict of str to CellType
        Variables of enclosing functions that have returned.
    local : frozenset of str
        Variables of this function, and of functions around it that are read with it.
    live : dict of str to Any
        Parameters whose value is known and is no plain data: ``self``, functions that were fixed.
    generators : dict of str to Kind
        Variables that hold a generator, and nothing else.
    rng : str or None
        The parameter by which the generator is passed in, unless it is assigned to.
    shared : frozenset of str
        Parameters whose default is a container, which all calls share.
    settings : dict of str to object
        Variables that hold a known constant, where the reader is.
    absent : frozenset of str
        Parameters that are None when the body begins.
    stored : frozenset of str
        Variables that the function assigns.
    times : dict of str to int
        How often each name is bound anywhere in the function, parameters included.
    written : dict of str to expr
        Variables that hold a method, a partial function or a table of such, and how it is written.
    only_read : frozenset of str
        Variables of which items are looked up, and nothing else is done with them.
    defined : frozenset of str
        Functions that the function defines, each once and outside of loops and branches.
    given : frozenset of str
        Parameters that a generator is passed for.
    holders : Holders
        What the variables hold.
    returns : list of Shape or None
        What the function returned so far; None where it may return no objects.
    emits : list of object
        What prints in the function, and in those that it calls.
    caught : list of Caught
        The exceptions of the handlers around what is read, the innermost last.
    """

    lifter: Lifter
    file: str
    module: dict[str, Any]
    builtins: dict[str, Any]
    cells: dict[str, types.CellType]
    local: frozenset[str]
    live: dict[str, Any]
    generators: dict[str, Kind]
    rng: str | None
    shared: frozenset[str] = frozenset()
    settings: dict[str, Any] = field(default_factory=dict)
    absent: frozenset[str] = frozenset()
    stored: frozenset[str] = frozenset()
    times: dict[str, int] = field(default_factory=dict)
    written: dict[str, ast.expr] = field(default_factory=dict)
    only_read: frozenset[str] = frozenset()
    defined: frozenset[str] = frozenset()
    given: frozenset[str] = frozenset()
    holders: Holders = field(default_factory=lambda: Holders(frozenset()))
    returns: list[Shape | Contents | None] | None = None
    emits: list[object] = field(default_factory=list)
    caught: list[Any] = field(default_factory=list)

    def forget(self, names: Iterable[str]) -> None:
        """Forget what variables hold that may be assigned."""
        for name in names:
            self.settings.pop(name, None)
            self.written.pop(name, None)
            for other in [n for n, held in self.written.items() if name in _named(held)]:
                del self.written[other]

    def kept(self, names: frozenset[str], *, later: bool) -> Known:
        """Return what variables hold inside, where code that runs later sees what is bound once."""
        settings, written = (
            {k: v for k, v in held.items() if k not in names and (not later or self.once(k))}
            for held in (self.settings, self.written)
        )
        return settings, {k: v for k, v in written.items() if not self._varies(v, names, later)}

    def _varies(self, node: ast.expr, names: frozenset[str], later: bool) -> bool:
        """Return whether the names in code that runs inside, or later, may stand for others."""
        used = _named(node)
        return bool(names & used) or (
            later and any(n in self.local and not self.once(n) for n in used)
        )

    def known(self, other: Known | None = None) -> Known:
        """Return what variables hold here; from now on they hold something else, if it is given."""
        before = dict(self.settings), dict(self.written)
        for held, new in zip((self.settings, self.written), other or before, strict=True):
            held.clear()
            held.update(new)
        return before

    def meet(self, other: Known) -> None:
        """Keep what variables hold on the other way to this point, too."""
        for held, there in zip((self.settings, self.written), other, strict=True):
            for name in [n for n, v in held.items() if n not in there or not _alike(v, there[n])]:
                del held[name]

    def once(self, name: str) -> bool:
        """Return whether a variable is bound once, so that it holds one value from then on."""
        return self.times.get(name) == 1

    def place(self, node: ast.AST) -> Place:
        """Return where a node is written."""
        return Place(self.file, getattr(node, "lineno", 0))

    def refuse(self, what: str, node: ast.AST) -> Unsupported:
        """Return the exception that names a construct and its line."""
        return Unsupported(what, self.place(node))

    def inner(self, names: frozenset[str], *, later: bool = True) -> Scope:
        """Return the scope of something inside that has variables of its own, which may run later.

        Parameters
        ----------
        names : frozenset of str
        later : bool
        """
        settings, written = self.kept(names, later=later)
        live = {k: v for k, v in self.live.items() if k not in names}
        generators = {k: v for k, v in self.generators.items() if k not in names}
        return Scope(
            self.lifter,
            self.file,
            self.module,
            self.builtins,
            self.cells,
            self.local | names,
            live,
            generators,
            None if self.rng in names else self.rng,
            self.shared - names,
            settings,
            self.absent - names,
            self.stored | names,
            self.times,
            written,
            self.only_read - names,
            self.defined - names,
            self.given - names,
            Holders(names, self.holders),
            emits=self.emits,
        )

    def of_all_callers(self, node: ast.AST, seeds: str) -> Generator:
        """Return the generator that all callers of a library share.

        Parameters
        ----------
        node : AST
            Where it draws.
        seeds : str
            The function that seeds it.
        """
        place = self.place(node)
        library: Kind = "python" if seeds == PYTHON_SEED else "legacy"
        self.lifter.drawn.add(seeds)
        if seeds in self.lifter.seeded:
            return Generator(place, "seeded", Constant(place, seeds), library)
        self.refuse_seeding(node, of=seeds.removesuffix(".seed"))
        return Generator(place, "global", library=library)

    def refuse_seeding(self, node: ast.AST, name: str | None = None, of: str = "") -> None:
        """Raise where a module of the user's seeds generators that outlive calls.

        Parameters
        ----------
        node : AST
            Where one draws.
        name : str or None
            What the module's own generator is called that draws.
        of : str
            The module whose generator draws, where all callers share it; see `Touched`.

        Those that the callers' modules reach count too. What a function that is read seeds stands
        in the program, so that it does not count, unless others may run the function before.
        """
        homes = list({id(home): home for home in (*self.lifter.homes, self.module)}.values())
        others = SHARED - {of} if of or name else frozenset({"torch"})
        self.lifter.drawn |= {f"{module}.seed" for module in SHARED - others}
        every = list(seedings(homes, self.lifter.roots()))
        apart = {t for s in every for t in s.part.touches if t.module in others}
        apart -= {t for t in apart if setting_file(homes, t.root)}
        found = [seeding for seeding in every if not seeding.part.touches <= apart]
        running = [seeding for seeding in found if seeding.runs]
        begun = [s for s in running if (s.file, s.part.line) in self.lifter.begun]
        if begun:
            alone = {(s.file, s.part) for s in seedings(homes, ()) if s.runs}
            begun = [s for s in begun if (s.file, s.part) not in alone]
        files = (seeding.file for seeding in running if seeding not in begun)
        file = next(files, None) or (setting_file(homes, name) if name else None)
        for by in [file] if file is not None else {seeding.file for seeding in begun}:
            seeds = "this file" if by == self.file else by
            what = f"noise of a module's generator, and {seeds} seeds one"
            refused = self.refuse(f"{what}; draw from a generator that is passed in", node)
            if file is not None:
                raise refused
            self.lifter.excused.append(refused)
        self.lifter.idle |= dict.fromkeys(found)

    def refuse_change(self, node: ast.expr) -> None:
        """Raise where what would be changed outlives the call.

        Parameters
        ----------
        node : expr
            The variable, or an item or attribute of it.
        """
        inner = node
        while isinstance(inner, ast.Subscript | ast.Attribute):
            inner = inner.value
        is_shared = isinstance(inner, ast.Name) and inner.id in self.shared
        if is_shared or resolve(inner, self) is not None:
            what = ast.unparse(node.value if isinstance(node, ast.Subscript) else node)
            raise self.refuse(f"a change to {what!r}, which other calls see; change a copy", node)


def _named(node: ast.expr) -> set[str]:
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}


def _alike(one: Any, other: Any) -> bool:
    """Return whether two constants are one, the types of their parts too."""
    if type(one) is not type(other) or isinstance(one, ast.expr):
        return one is other
    if type(one) is tuple:
        return len(one) == len(other) and all(map(_alike, one, other))
    return bool(one == other)


@dataclass(frozen=True, slots=True, eq=False)
class Live:
    """An object that exists before the run, and the name that it goes by."""

    value: Any
    name: str | None


def resolve(node: ast.expr, scope: Scope) -> Live | None:
    """Return the live object that an expression names, None where it depends on the run."""
    live: Live | None = None
    if isinstance(node, ast.Name):
        live = _resolve_name(node, scope)
    elif isinstance(node, ast.Attribute):
        base = resolve(node.value, scope)
        live = None if base is None else _attribute(base, node, scope)
    if live is not None and live.name is not None and is_in_place(live.name):
        raise scope.refuse(f"{live.name}, which changes what it is given", node)
    return live


def _resolve_name(node: ast.Name, scope: Scope) -> Live | None:
    name = node.id
    if name.startswith(AS_IN_PYTHON):
        plain = name.removeprefix(AS_IN_PYTHON)
        live = _resolve_name(ast.copy_location(ast.Name(plain, ast.Load()), node), scope)
        if live is None or live.name != f"builtins.{plain}":
            raise scope.refuse(f"the name {plain!r}, which is not Python's own function here", node)
        return live
    if name.startswith("__") and not name.endswith("__"):
        raise scope.refuse(f"the name {name!r}, which a class would change", node)
    if name in scope.live:
        return _live(scope.live[name])
    if name in scope.local:
        held = scope.settings.get(name)
        return _live(held) if is_code(held) or is_member(held) else None
    if name in scope.cells:
        try:
            found = scope.cells[name].cell_contents
        except ValueError:
            raise scope.refuse(f"the variable {name!r} has no value yet", node) from None
        return _live(found)
    held = scope.module.get(name)
    changed = is_changed(scope.module, name)
    changed = changed or (name in scope.module and scope.lifter.may_change(name, held))
    if changed and not (is_generator(held) or is_sink(held) or is_lock(held)):
        why = "is of the environment" if is_outside(scope.module, name) else "may change"
        what = f"the global variable {name!r}, which {why}: pass it in as a parameter"
        scope.lifter.changing.append(scope.refuse(what, node))
    for names in (scope.module, scope.builtins):
        if name in names:
            return _live(names[name])
    raise scope.refuse(f"the name {name!r} is not defined", node)


def _live(value: Any) -> Live:
    return Live(value, canonical_name(value))


def _attribute(base: Live, node: ast.Attribute, scope: Scope) -> Live | None:
    value, name = base.value, node.attr
    if name == "__init__" and isinstance(value, type):  # called on an object that is made here
        return None
    if name.startswith("__"):
        raise scope.refuse(f"the attribute {name!r}", node)
    if isinstance(value, types.ModuleType):
        try:
            found = getattr(value, name)
        except AttributeError:
            raise scope.refuse(f"{value.__name__} has no {name!r}", node) from None
        if is_sink(found):
            return _live(found)
        outside = module_value(value, name, found) or is_environment(found)
        if outside or is_changed(vars(value), name) or _is_set(value, name, found, scope):
            why = "is of the environment" if outside else "may change"
            what = f"{value.__name__}.{name}, which {why}: pass it in as a parameter"
            scope.lifter.changing.append(scope.refuse(what, node))
        return _live(found)
    if base.name is not None or isinstance(value, type):
        found = getattr(value, name, None)
        changed = base.name is None and is_attribute_changed(value, name, found)
        if changed or (base.name is None and scope.lifter.is_set(name)):
            what = f"the attribute {name!r} of {value.__name__}, which is no constant"
            scope.lifter.changing.append(scope.refuse(what, node))
        # An attribute of a library's object, such as numpy.add.outer or scipy.stats.norm.cdf.
        own = base.name is not None and callable(found) and canonical_name(found) is None
        named = f"{base.name}.{name}" if own else canonical_name(found)
        return None if found is None else Live(found, named)
    if is_generator(value) or is_sink(value):
        return None
    if type(value).__module__ in ("builtins", "numpy"):
        return Live(getattr(value, name), None) if name in _FOLDED[:6] else None
    if is_member(value):
        return of_member(value, node, scope)
    if is_tabular(value):  # made anew where it is read
        return None
    if is_property(value, name):  # a call on the object, which is read as one that is made
        return None
    found = _of_instance(value, name, node, scope)
    changed = is_attribute_changed(value, name, found.value) or scope.lifter.is_set(name)
    if changed and not is_frozen(value):
        what = f"the attribute {name!r} of {type(value).__name__}, which is no constant"
        scope.lifter.changing.append(scope.refuse(what, node))
    return found


def of_member(value: Any, node: ast.Attribute, scope: Scope) -> Live:
    """Return the name or the value of a member of an enumeration."""
    if not told(value, node.attr):
        raise scope.refuse(f"the attribute {node.attr!r} of {type(value).__name__}", node)
    kept = "_name_" if "name" in node.attr else "_value_"
    found = getattr(value, kept)
    if is_attribute_changed(value, kept, found) or scope.lifter.is_set(kept):
        what = f"the attribute {node.attr!r} of {type(value).__name__}, which is no constant"
        scope.lifter.changing.append(scope.refuse(what, node))
    return _live(found)


def _is_set(module: types.ModuleType, name: str, value: Any, scope: Scope) -> bool:
    """Return whether the program that reads a user's module sets its attributes."""
    if is_library_module(module):
        return False
    here = is_attribute_changed(module, name, value) or is_global_set(scope.module, name)
    return here or scope.lifter.may_change(name, value)


def is_property(value: Any, name: str) -> bool:
    """Return whether a function of the class of a user's object computes an attribute of it."""
    on_class = in_class(type(value), name)
    return isinstance(on_class, property) and isinstance(on_class.fget, types.FunctionType)


def _of_instance(value: Any, name: str, node: ast.AST, scope: Scope) -> Live:
    """Return an attribute of a user's object, where reading it runs no code."""
    on_class = in_class(type(value), name)
    own = getattr(value, "__dict__", {})
    plain = isinstance(on_class, types.FunctionType | staticmethod | classmethod)
    if isinstance(on_class, types.MemberDescriptorType):  # __slots__
        return _live(getattr(value, name))
    kinds = [kind for kind in type(value).__mro__[:-1] if kind is not types.SimpleNamespace]
    if any("__getattr__" in vars(kind) or "__getattribute__" in vars(kind) for kind in kinds):
        raise scope.refuse(f"{type(value).__name__} computes its attributes", node)
    if name in own and not hasattr(type(on_class), "__set__"):
        return _live(own[name])
    if plain or (on_class is not None and not hasattr(type(on_class), "__get__")):
        return _live(getattr(value, name))
    raise scope.refuse(f"the attribute {name!r} of {type(value).__name__}", node)


def object_shape(node: ast.expr, scope: Scope) -> Shape | None:
    """Return the shape of the objects that a name or an attribute holds, None of anything else."""
    if isinstance(node, ast.Name):
        named = scope.holders.find(node.id)
        return named if isinstance(named, Shape) else None
    if isinstance(node, ast.Attribute):
        base = object_shape(node.value, scope)
        found = None if base is None else base.attributes.get(node.attr)
        return found if isinstance(found, Shape) else None
    return None


def shared_stream(node: ast.expr, scope: Scope) -> Kind | None:
    """Return whose methods a generator has that exists before the run, None where it is none.

    Raises
    ------
    Unsupported
        Where it is not seen to be one that the system seeded, and that nobody seeds later.
    """
    live = resolve(node, scope) if isinstance(node, ast.Name | ast.Attribute) else None
    of_module = None if live is None else module_kind(live.value)
    if of_module is not None and live is not None:
        scope.refuse_seeding(node, of=live.value.__name__)
        return of_module
    if live is None or not is_generator(live.value):
        return None
    kind, value = stream_kind(live.value), live.value
    if type(value) is random.SystemRandom:
        return kind
    names, name = scope.module, getattr(node, "id", getattr(node, "attr", ""))
    if isinstance(node, ast.Attribute):
        base = resolve(node.value, scope)
        names = vars(base.value) if base and isinstance(base.value, types.ModuleType) else {}
    here = isinstance(node, ast.Name) and (name in scope.live or name in scope.cells)
    if kind is None or here or not is_unseeded(names, name, value):
        raise scope.refuse("a generator that outlives the call, whose seed is not known", node)
    scope.refuse_seeding(node, name)
    return kind


def is_generator(value: Any) -> bool:
    """Return whether an object is a source of randomness."""
    import numpy as np

    return isinstance(value, np.random.Generator | np.random.RandomState | random.Random)


def is_sink(value: Any) -> bool:
    """Return whether an object is a logger or a stream, which texts are written to."""
    streams = (sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__)
    of_streams = value is not None and any(value is each for each in streams)
    return of_streams or type(value) in (logging.Logger, logging.RootLogger)


def is_lock(value: Any) -> bool:
    """Return whether an object is a lock, which holds no value."""
    locks = (type(threading.Lock()), type(threading.RLock()))
    return type(value) in locks or canonical_name(type(value)) == "asyncio.Lock"


def is_container(value: Any) -> bool:
    """Return whether a value can be changed in place."""
    return isinstance(value, list | dict | set | bytearray) or type(value).__name__ == "ndarray"


def stored_names(body: ast.AST | list[ast.stmt]) -> Iterator[str]:
    """Yield the variables that a piece of source assigns, once for each time it does.

    What is inside functions, lambdas and comprehensions is theirs, but for ``:=``.
    """
    nodes = body if isinstance(body, list) else [body]
    for node in nodes:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store | ast.Del):
            yield node.id
        elif isinstance(node, ast.ExceptHandler) and node.name is not None:
            yield node.name
        elif isinstance(node, ast.comprehension):
            for part in (node.iter, *node.ifs):
                yield from stored_names(part)
            continue
        elif isinstance(node, ast.Lambda):
            continue
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield from stored_names(list(ast.iter_child_nodes(node)))  # type: ignore[arg-type]


def parameter_names(node: Defined) -> tuple[str, ...]:
    """Return the names of all parameters but ``*args``, keyword-only ones last."""
    arguments = node.args
    every = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
    return tuple(a.arg for a in every)


def none_of(settings: dict[str, Any]) -> frozenset[str]:
    """Return which of several parameters are None."""
    return frozenset(name for name, value in settings.items() if value is None)
