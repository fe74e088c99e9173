"""Follows one path through a lifted mechanism, its noise and perhaps its data unknown.

Data of known values is gone through entry by entry. Data of unknown length is met in loops whose
head stands for an arbitrary iteration: a path ends where it comes back there.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from dpaudit.formal.alignment import library, loops, vectors
from dpaudit.formal.alignment.arithmetic import binary, constant_value, truth
from dpaudit.formal.alignment.blocks import Written, write
from dpaudit.formal.alignment.loops import Break, Continue, World
from dpaudit.formal.alignment.poly import Poly, Symbol
from dpaudit.formal.alignment.trace import Atom, Leaves, Script, Stop
from dpaudit.formal.alignment.values import Array, Items, Rng, Stream, Union
from dpaudit.formal.binding import fitted
from dpaudit.formal.clock import charge
from dpaudit.formal.error_text import error_name
from dpaudit.formal.program import (
    Assign,
    Attribute,
    Branch,
    Call,
    Choice,
    Comprehension,
    Constant,
    Draw,
    Evaluate,
    Expression,
    For,
    Function,
    Generator,
    Leave,
    Logic,
    Name,
    Named,
    Node,
    Place,
    Raise,
    Return,
    Sequence,
    Slice,
    Statement,
    Subscript,
    Update,
    While,
)
from dpaudit.formal.unsupported import Unsupported
from dpaudit.formal.words import in_words

_MAX_STEPS = 20_000


class _Return(Exception):  # noqa: N818
    def __init__(self, value: Any) -> None:
        self.value = value


@dataclass(slots=True)
class Interpreter:
    """One path.

    Attributes
    ----------
    script : Script
        Which way to go at each test.
    world : World
    data : Any
        `Array` of known numbers, or a `Stream`.
    length : Poly
        Number of entries.
    """

    script: Script
    world: World
    data: Any
    length: Poly
    frames: list[dict[str, Any]] = field(default_factory=list)
    loops: list[str] = field(default_factory=list)
    calls: list[str] = field(default_factory=list)
    consumed: set[str] = field(default_factory=set)
    made: dict[str, int] = field(default_factory=dict)
    drawn: dict[str, int] = field(default_factory=dict)
    entered: dict[str, int] = field(default_factory=dict)
    segment: str = "start"
    steps: int = 0
    tidy: bool = True
    direct: Any = None

    @property
    def concrete(self) -> bool:
        """Whether the data is known."""
        return isinstance(self.data, Array)

    def run(self, entry: Function, env: dict[str, Any]) -> None:
        """Follow the path to its end."""
        self.frames.append(env)
        try:
            self.block(entry.body)
            value = None
        except _Return as returned:
            value = returned.value
        value = vectors.materialized(self, value, entry.place)
        self.script.events.append(Leaves(value, False, entry.place))

    # --- statements

    def block(self, statements: Iterable[Statement]) -> None:
        """Execute statements in order."""
        for statement in statements:
            self.steps += 1
            if self.steps > _MAX_STEPS:
                raise Unsupported(f"a path of more than {_MAX_STEPS} steps", statement.place)
            self._statement(statement)

    def _statement(self, node: Statement) -> None:
        if isinstance(node, Assign | Return | Evaluate):
            self.direct = node.value
        match node:
            case Assign(_, target, value):
                self.assign(target, self.value(value))
            case Update(_, target, function, value):
                self._update(node, target, function, value)
            case Evaluate(_, value):
                self.value(value)
            case Branch(_, test, yes, no):
                self.block(yes if self.truth(test) else no)
            case For():
                self._for(node)
            case While():
                self._while(node)
            case Return(_, value):
                raise _Return(self.value(value))
            case Leave(_, how):
                raise Break if how == "break" else Continue
            case Raise(place, value):
                self.script.events.append(Leaves(error_name(value, place), True, place))
                raise Stop
            case _:
                raise Unsupported(in_words(node), node.place)

    def _update(self, node: Node, target: Any, function: str, value: Expression) -> None:
        old, new = self.value(target), self.value(value)
        if isinstance(old, Items) and function == "operator.iadd":
            if not isinstance(new, Items) or new.prefix:
                raise Unsupported("a list extended by a list of unknown length", node.place)
            old.items.extend(new.items)
            return
        name = "operator." + function.removeprefix("operator.i")
        if isinstance(old, Array | Stream) or not function.startswith("operator.i"):
            raise Unsupported(f"an array changed in place ({function})", node.place)
        self.assign(target, binary(self, name, old, new, node.place))

    def assign(self, target: Any, value: Any) -> None:
        """Bind a target."""
        match target:
            case Name(_, name):
                self.frames[-1][name] = value
            case Sequence(place, _, items):
                parts = value if isinstance(value, tuple) else getattr(value, "items", None)
                if parts is None or len(parts) != len(items) or getattr(value, "prefix", None):
                    raise Unsupported("this assignment to several names", place)
                for part, item in zip(items, parts, strict=True):
                    self.assign(part, item)
            case Subscript(place, base, index):
                box, at = self.value(base), self._index(index)
                if isinstance(box, Written):
                    write(box, at, value, place)
                    return
                if isinstance(box, Array) and isinstance(at, tuple):
                    vectors.assign_slice(box, at, value, place)
                    return
                position = at.constant if isinstance(at, Poly) else None
                if not isinstance(box, Array | Items) or position is None:
                    raise Unsupported("an assignment to an entry at an unknown place", place)
                if isinstance(box, Items) and box.prefix:
                    raise Unsupported("an assignment into a list of unknown length", place)
                box.items[int(position)] = value
            case _:
                raise Unsupported("this target of an assignment", target.place)

    # --- loops

    def _for(self, node: For) -> None:
        iterable = self.value(node.iterable)
        known = vectors.listed(iterable, node.place)
        if known is not None:
            self._unrolled(node, known, iterable)
            return
        walk = vectors.walk_of(self, iterable, node.place)
        key = f"{node.place.line}:{id(node)}"

        def body(at: Poly) -> None:
            self.assign(node.target, walk.entry(at))
            self.block(node.body)

        if not loops.indexed(self, key, walk, body, node.place):
            self.block(node.otherwise)

    def _unrolled(self, node: For, known: list[Any], iterable: Any) -> None:
        for turn, item in enumerate(known):
            self._validate_unchanged(iterable, known, node.place)
            self.assign(node.target, item)
            self.calls.append(f"{id(node)}.{turn}")
            try:
                self.block(node.body)
            except Break:
                self.calls.pop()
                return
            except Continue:
                pass
            self.calls.pop()
        self._validate_unchanged(iterable, known, node.place)
        self.block(node.otherwise)

    def _validate_unchanged(self, iterable: Any, known: list[Any], place: Place) -> None:
        """Refuse a list that changes while it is gone through: the loop would see it."""
        if not isinstance(iterable, Items | Array):
            return
        now = iterable.items
        if len(now) != len(known) or any(a is not b for a, b in zip(now, known, strict=True)):
            raise Unsupported("a list that changes while it is gone through", place)

    def _while(self, node: While) -> None:
        if self.concrete:
            while self.truth(node.test):
                try:
                    self.block(node.body)
                except Break:
                    return
                except Continue:
                    pass
            self.block(node.otherwise)
            return
        key = f"{node.place.line}:{id(node)}"
        broken = loops.cut(
            self, key, lambda: self.truth(node.test), lambda: self.block(node.body), node.place
        )
        if not broken:
            self.block(node.otherwise)

    # --- expressions

    def truth(self, node: Expression) -> bool:
        """Return the truth of an expression on this path."""
        charge(350)
        return truth(self, self.value(node), node.place)

    def value(self, node: Any) -> Any:
        """Return the value of an expression on this path."""
        charge(15)
        match node:
            case Constant(place, value):
                return constant_value(value, place)
            case Name(place, name):
                return self.load(name, place)
            case Generator():
                return _generator(node)
            case Draw():
                return library.draw(self, node)
            case Call():
                return self._call(node)
            case Subscript(place, base, index):
                return vectors.entry_of(self, self.value(base), self._index(index), place)
            case Sequence(_, kind, items):
                values = [self.value(item) for item in items]
                return tuple(values) if kind == "tuple" else self._display(node, values)
            case Choice(_, test, yes, no):
                return self.value(yes if self.truth(test) else no)
            case Logic(_, operator, operands):
                return self._logic(operator, operands)
            case Named(_, target, value):
                self.assign(target, result := self.value(value))
                return result
            case Comprehension():
                return self._comprehension(node)
            case Attribute(place, base, "size"):
                return vectors.length_of(self, self.value(base), place)
            case _:
                raise Unsupported(in_words(node), node.place)

    def _index(self, index: Any) -> Any:
        if isinstance(index, Slice):
            parts = (index.start, index.stop, index.step)
            return ("slice", *(None if p is None else self.value(p) for p in parts))
        return self.value(index)

    def _display(self, node: Sequence, values: list[Any]) -> Items:
        if node.kind != "list":
            raise Unsupported(f"a {node.kind}", node.place)
        return Items(values)

    def load(self, name: str, place: Place) -> Any:
        """Return a variable, its kind decided on this path."""
        frame = self.frames[-1]
        if name not in frame:
            raise Unsupported(f"{name} may be unassigned here", place)
        value = frame[name]
        if isinstance(value, Union):
            last = len(value.options) - 1
            for at, option in enumerate(value.options):
                tag = Atom(Poly.of(value.tag) - at, "==")
                if at == last or self.script.decide(tag, place):
                    frame[name] = value = option
                    break
        return value

    def _logic(self, operator: str, operands: tuple[Expression, ...]) -> Any:
        for operand in operands[:-1]:
            value = self.value(operand)
            if truth(self, value, operand.place) is (operator == "or"):
                return value
        return self.value(operands[-1])

    def _comprehension(self, node: Comprehension) -> Any:
        if node.kind not in ("list", "generator") or len(node.clauses) != 1:
            raise Unsupported("this comprehension", node.place)
        target, iterable, conditions = node.clauses[0]
        source = self.value(iterable)
        known = vectors.listed(source, node.place)
        self.frames[-1]["%made"] = made = Items()
        if known is None:
            return self._unknown_comprehension(node, source, made)
        for item in known:
            self._validate_unchanged(source, known, node.place)
            self.assign(target, item)
            if all(self.truth(c) for c in conditions):
                made.items.append(self.value(node.element))
        return self.frames[-1].pop("%made")

    def _unknown_comprehension(self, node: Comprehension, source: Any, made: Items) -> Any:
        target, _, conditions = node.clauses[0]
        walk = vectors.walk_of(self, source, node.place)

        def body(at: Poly) -> None:
            self.assign(target, walk.entry(at))
            if all(self.truth(c) for c in conditions):
                self.frames[-1]["%made"].items.append(self.value(node.element))

        with loops.untidy(self):
            loops.indexed(self, f"{node.place.line}:{id(node)}", walk, body, node.place)
        return self.frames[-1].pop("%made")

    # --- calls

    def _call(self, node: Call) -> Any:
        if isinstance(node.function, Function):
            return self._inlined(node, node.function)
        if isinstance(node.function, str):
            return library.call(self, node)
        raise Unsupported("a call of a function whose source was not read", node.place)

    def _inlined(self, node: Call, function: Function) -> Any:
        if len(self.calls) > 8:
            raise Unsupported("calls nested deeper than 8", node.place)
        if function.starred:
            raise Unsupported("a call with *args", node.place)
        env = {name: self.value(default) for name, default in function.defaults.items()}
        arguments = [self.value(a) for a in node.arguments]
        named = {name: self.value(value) for name, value in node.keywords}
        env |= fitted(function, arguments, named, node.place)
        self.frames.append(env)
        self.calls.append(f"{node.place.line}:{id(node)}")
        loops, calls, tidy = len(self.loops), len(self.calls) - 1, self.tidy
        self.tidy = tidy and self.direct is node
        try:
            self.block(function.body)
            result = None
        except _Return as returned:
            result = returned.value
        self.frames.pop()
        del self.loops[loops:], self.calls[calls:]
        self.tidy = tidy
        return result

    def fresh(self, name: str, kind: Any, *, integer: bool = False) -> Symbol:
        """Return a new symbol of this stretch of the path, the same for the same path."""
        count = self.drawn[name] = self.drawn.get(name, 0) + 1
        mark = f"#{count}" if count > 1 else ""
        return Symbol(f"{name}{mark}@{self.segment}", kind, integer)


def _generator(node: Generator) -> Rng:
    if not node.is_private:
        raise Unsupported("noise from a generator that is seeded", node.place)
    return Rng()
