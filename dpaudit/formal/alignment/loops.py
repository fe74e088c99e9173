"""Loops over data of unknown length: cut at their head, which stands for any iteration."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from dpaudit.formal.alignment.cuts import Restart, Shape
from dpaudit.formal.alignment.poly import Poly
from dpaudit.formal.alignment.trace import Atom, Enter, Head, Stop
from dpaudit.formal.alignment.values import Noise, Range, Stream
from dpaudit.formal.program import Draw, Place
from dpaudit.formal.unsupported import Unsupported

if TYPE_CHECKING:
    from dpaudit.formal.alignment.interpret import Interpreter


class Break(Exception):  # noqa: N818 - it leaves a loop, nothing went wrong
    """A ``break``."""


class Continue(Exception):  # noqa: N818
    """A ``continue``."""


@dataclass(frozen=True, slots=True)
class Walk:
    """A vector of unknown length, ready to be gone through."""

    start: Poly
    stop: Poly
    step: Poly
    entry: Callable[[Poly], Any]
    noises: tuple[Noise, ...]
    signature: Range | Stream


@dataclass(slots=True)
class World:
    """What all paths share: the heads of loops met so far."""

    shapes: dict[str, Shape] = field(default_factory=dict)
    explored: dict[str, tuple[Any, ...]] = field(default_factory=dict)
    places: dict[str, Place] = field(default_factory=dict)
    _sites: list[Draw] = field(default_factory=list)

    def site(self, node: Draw) -> int:
        """Return the number of a place that draws noise, in the order they are met."""
        for at, known in enumerate(self._sites):
            if known is node:
                return at
        self._sites.append(node)
        return len(self._sites) - 1


def indexed(
    run: Interpreter, key: str, walk: Any, body: Callable[[Poly], None], place: Place
) -> bool:
    """Go through a vector of unknown length; return whether a break left it."""
    frame, index = run.frames[-1], f"%i{len(run.loops)}"
    frame[index] = walk.start
    frame[f"%walk{len(run.loops)}"] = walk.signature

    def test() -> bool:
        return run.script.decide(Atom(walk.stop - frame[index] - 1, ">="), place)

    def step() -> None:
        at = frame[index]
        with suppress(Continue):
            body(at)
        frame[index] = at + walk.step

    broken = cut(run, key, test, step, place, walk)
    del frame[index], frame[f"%walk{len(run.loops)}"]
    return broken


def cut(
    run: Interpreter,
    key: str,
    test: Callable[[], bool],
    body: Callable[[], None],
    place: Place,
    walk: Any = None,
) -> bool:
    """Follow a loop from an arbitrary iteration; return whether a break left it."""
    key = "/".join([*run.calls, key])
    run.entered[key] = run.entered.get(key, 0) + 1
    loop = _name(run, f"{key}#{run.entered[key]}", place)
    if walk is not None:
        _consume(run, walk, place)
    _enter(run, loop, place, again=False)
    _forget(run, loop)
    run.loops.append(loop)
    if test():
        try:
            body()
        except Continue:
            pass
        except Break:
            run.loops.pop()
            return True
        _enter(run, loop, place, again=True)
        raise Stop
    run.loops.pop()
    return False


def _name(run: Interpreter, key: str, place: Place) -> str:
    for loop in run.world.places:
        if loop.endswith(f"|{key}"):
            return loop
    loop = f"L{len(run.world.places)}|{key}"
    run.world.places[loop] = place
    return loop


def _enter(run: Interpreter, loop: str, place: Place, *, again: bool) -> None:
    state = _variables(run)
    short = loop.partition("|")[0]
    shape = run.world.shapes.setdefault(short, Shape(short))
    if again:
        state = {name: value for name, value in state.items() if name in shape.kinds}
    if shape.learn(state, place):
        raise Restart
    run.script.events.append(Enter(short, state, again))
    if again:
        return
    came = tuple(run.script.taken)
    first = run.world.explored.setdefault(short, (came, frozenset(run.consumed)))
    if first[0] != came and not run.tidy:
        # What an unfinished expression holds is seen by no head of a loop.
        raise Unsupported("a loop inside an expression, after a test", place)
    if first[1] != frozenset(run.consumed):
        raise Unsupported("noise vectors that are used up on some paths only", place)
    if first[0] != came[: len(first[0])] or len(came) < len(first[0]):
        raise Stop


def _variables(run: Interpreter) -> dict[str, Any]:
    """Return the variables of all functions that are being called, the innermost plain."""
    return {
        f"{'^' * depth}{name}": value
        for depth, frame in enumerate(reversed(run.frames))
        for name, value in frame.items()
    }


def _forget(run: Interpreter, loop: str) -> None:
    """Replace every variable by that of an arbitrary iteration."""
    short = loop.partition("|")[0]
    shape = run.world.shapes[short]
    fresh = shape.fresh(_variables(run))
    for depth, frame in enumerate(reversed(run.frames)):
        for name in list(frame):
            frame[name] = fresh[f"{'^' * depth}{name}"]
    run.segment = short
    run.drawn.clear()
    run.script.events.append(Head(short))


@contextmanager
def untidy(run: Interpreter) -> Iterator[None]:
    """Mark that a loop stands inside an expression."""
    before, run.tidy = run.tidy, False
    yield
    run.tidy = before


def _consume(run: Interpreter, walk: Walk, place: Place) -> None:
    """Note that a loop draws vectors of noise: no other may, and none around it may repeat."""
    for noise in walk.noises:
        if noise.site in run.consumed or noise.loops != tuple(run.loops):
            raise Unsupported("a vector of noise that is used twice", place)
        run.consumed.add(noise.site)
