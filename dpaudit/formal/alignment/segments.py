"""A mechanism as stretches between its start, the heads of its loops, and its outputs."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from dpaudit.formal.alignment.arithmetic import constant_value
from dpaudit.formal.alignment.blocks import Derived, Written
from dpaudit.formal.alignment.cuts import Restart, Shape
from dpaudit.formal.alignment.interpret import Interpreter
from dpaudit.formal.alignment.loops import World
from dpaudit.formal.alignment.poly import Poly, Symbol
from dpaudit.formal.alignment.trace import (
    MAX_PATHS,
    Decision,
    Drawn,
    Enter,
    Head,
    Leaves,
    Same,
    Script,
    every_path,
)
from dpaudit.formal.alignment.values import Array, Flag, Items, Rng, Stream
from dpaudit.formal.clock import charge
from dpaudit.formal.program import Place, Program
from dpaudit.formal.unsupported import Unsupported

START = "start"
LENGTH = Symbol("n", "parameter", True)


@dataclass(frozen=True, slots=True, eq=False)
class Segment:
    """One way from one cut to the next.

    Attributes
    ----------
    start : str
        ``start`` or the name of a loop.
    events : tuple of Decision or Drawn
        In their order.
    to : str or None
        The loop it reaches; None where it ends.
    numbers, lists : dict
        What the variables of that loop's head become.
    output : Any
        What is returned, where it ends.
    raised : bool
        Whether it ends by an error.
    """

    start: str
    events: tuple[Decision | Same | Drawn, ...]
    to: str | None
    numbers: dict[Symbol, Poly]
    lists: dict[str, Items]
    output: Any = None
    raised: bool = False

    @property
    def decisions(self) -> tuple[Decision, ...]:
        """The tests on the way."""
        return tuple(e for e in self.events if isinstance(e, Decision))

    @property
    def agreed(self) -> tuple[Same, ...]:
        """The numbers that both runs must agree on."""
        return tuple(e for e in self.events if isinstance(e, Same))

    @property
    def draws(self) -> tuple[Drawn, ...]:
        """The noise drawn on the way."""
        return tuple(e for e in self.events if isinstance(e, Drawn))

    def polys(self) -> list[Poly]:
        """Return every number that matters after the segment, and those of its tests."""
        found = [d.atom.number for d in self.decisions] + list(self.numbers.values())
        found += [same.number for same in self.agreed]
        for items in self.lists.values():
            found += numbers_in(items)
        return found + numbers_in(self.output)


@dataclass(frozen=True, slots=True, eq=False)
class System:
    """All segments of a mechanism.

    Attributes
    ----------
    segments : tuple of Segment
    shapes : dict of str to Shape
        The variables at the head of each loop.
    places : dict of str to Place
        Where each loop is written.
    data : str
        Name of the data.
    """

    segments: tuple[Segment, ...]
    shapes: dict[str, Shape]
    places: dict[str, Place]
    data: str


def numbers_in(value: Any) -> list[Poly]:
    """Return all numbers in an output or a list."""
    if isinstance(value, Poly):
        return [value]
    if isinstance(value, Flag):
        return [value.number]
    if isinstance(value, tuple):
        return [p for part in value for p in numbers_in(part)]
    if isinstance(value, Written):
        return numbers_in(value.log)
    if isinstance(value, Items | Array):
        return [p for part in value.items for p in numbers_in(part)]
    if isinstance(value, Derived):
        return list(value.parts)
    if value is None or isinstance(value, bool | str | float):
        return []
    raise Unsupported("a value of this kind in an output", None)


def environment(program: Program, data: Any, integers: frozenset[str]) -> dict[str, Any]:
    """Return the variables that a call begins with."""
    env = {name: constant_value(c.value, c.place) for name, c in program.fixed.items()}
    for name in program.symbolic:
        env[name] = Poly.of(Symbol(name, "parameter", name in integers))
    env[program.data] = data
    if program.rng is not None:
        env[program.rng] = Rng()
    missing = [p for p in program.entry.parameters if p not in env]
    if missing:
        raise Unsupported(f"the parameter {missing[0]} has no value", program.entry.place)
    return {p: env[p] for p in program.entry.parameters}


def system_of(program: Program, integers: frozenset[str] = frozenset()) -> System:
    """Return the segments of a mechanism on data of any length.

    Raises
    ------
    Unsupported
    """
    world = World()
    for _ in range(12):
        world.explored.clear()
        try:
            scripts = list(every_path(lambda s: _follow(program, world, integers, s)))
        except Restart:
            continue
        return _collected(program, world, scripts)
    raise Unsupported("a loop whose variables change their kind again and again", None)


def _follow(program: Program, world: World, integers: frozenset[str], script: Script) -> None:
    data = Stream("data", value=program.data)
    run = Interpreter(script, world, data, Poly.of(LENGTH))
    run.run(program.entry, environment(program, data, integers))


def concrete_paths(program: Program, data: list[Poly], *, limit: int = MAX_PATHS) -> list[Segment]:
    """Return every way through a mechanism on known data."""
    found = []

    def follow(script: Script) -> None:
        charge(1000)
        run = Interpreter(script, World(), Array(list(data)), Poly.of(len(data)))
        run.run(program.entry, environment(program, Array(list(data)), frozenset()))

    for script in every_path(follow, limit=limit):
        events = tuple(e for e in script.events if isinstance(e, Decision | Drawn))
        end = script.events[-1]
        if not isinstance(end, Leaves):
            raise Unsupported("a path without an output", program.entry.place)
        found.append(Segment(START, events, None, {}, {}, end.value, end.raised))
    return found


def _collected(program: Program, world: World, scripts: list[Script]) -> System:
    segments: dict[tuple[Any, ...], Segment] = {}
    for script in scripts:
        start = START
        events: list[Decision | Same | Drawn] = []
        for event in script.events:
            if isinstance(event, Decision | Same | Drawn):
                events.append(event)
                continue
            if isinstance(event, Head):
                start, events = event.loop, []
                continue
            key = (start, tuple(map(str, events)), type(event), getattr(event, "loop", None))
            if isinstance(event, Enter):
                numbers, lists = world.shapes[event.loop].updates(event.state)
                made = Segment(start, tuple(events), event.loop, numbers, lists)
            else:
                output, raised = event.value, event.raised
                made = Segment(start, tuple(events), None, {}, {}, output, raised)
            known = segments.setdefault(key, made)
            if _effect(known) != _effect(made):
                raise Unsupported("a value that the heads of loops do not hold", None)
    for segment in segments.values():
        _validate_own_symbols(segment, program)
    places = {name.partition("|")[0]: place for name, place in world.places.items()}
    return System(tuple(segments.values()), world.shapes, places, program.data)


def _effect(segment: Segment) -> str:
    """Return all that a segment does, as a text to compare."""
    return repr((segment.to, segment.numbers, segment.lists, segment.output, segment.raised))


def _validate_own_symbols(segment: Segment, program: Program) -> None:
    """Refuse values that outlive the stretch of the path in which they have a meaning."""
    drawn = {d.symbol for d in segment.draws}
    for poly in segment.polys():
        for symbol in poly.symbols():
            own = symbol.kind == "parameter" or symbol in drawn
            if symbol.kind in ("state", "shared"):
                own = symbol.kind == "shared" or symbol.name.endswith(f"@{segment.start}")
            if symbol.kind == "input":
                own = _same_stretch(symbol.name, segment.start)
            if not own:
                raise Unsupported(f"{symbol} is used after a loop", program.entry.place)


def _same_stretch(name: str, start: str) -> bool:
    return all(cut == start for cut in re.findall(r"@(\w+)", name))
