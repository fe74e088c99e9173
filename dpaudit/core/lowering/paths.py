"""Paths: one run of lowering for each sequence of answers to the tests, joined to a tree."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from dpaudit.core.language import Block, Branch, Constant, Draw, Instruction, Let, Raise, Return
from dpaudit.core.lowering.values import Const, Items, Place, Ref, Unsupported
from dpaudit.formal.lifting.known import is_plain

MOST_INSTRUCTIONS = 4000
MOST_PATHS = 64
MOST_TESTS = 24
MOST_STEPS = 20_000


@dataclass(frozen=True, slots=True)
class Test:
    """A test that was answered, and how."""

    var: int
    answer: bool
    line: int


@dataclass(slots=True)
class Path:
    """The instructions of one run, with the answers that it was told."""

    script: list[bool]
    events: list[Instruction | Test] = field(default_factory=list)
    answers: list[bool] = field(default_factory=list)
    place: Place = field(default_factory=lambda: Place("", 0))
    steps: int = 0
    _next: int = 1
    _made: dict[Any, int] = field(default_factory=dict)

    def refuse(self, what: str) -> Unsupported:
        """Return the error that something is not lowered, with the line."""
        return Unsupported(what, self.place)

    def step(self, place: Place) -> None:
        """Count a step at a place."""
        self.place, self.steps = place, self.steps + 1
        if self.steps > MOST_STEPS:
            raise self.refuse("more steps than lowering takes")

    def let(self, prim: str, args: Iterable[Any], fields: tuple[Any, ...] = ()) -> int:
        """Bind a primitive, once where it is written twice."""
        vars_ = tuple(self.variable(arg) for arg in args)
        key = (prim, vars_, tuple((type(f), repr(f)) for f in fields))
        if key not in self._made:
            self._made[key] = self._bind()
            self._add(Let(self._made[key], prim, vars_, fields, self.place.line))
        return self._made[key]

    def is_truth(self, var: int) -> bool:
        """Whether a variable was made by a comparison, or of such variables."""
        made = next((e for e in self.events if isinstance(e, Let) and e.var == var), None)
        if made is None:
            return False
        if made.prim in ("and", "or", "not"):
            return all(self.is_truth(arg) for arg in made.args)
        return made.prim in ("eq", "ne", "lt", "le", "gt", "ge", "isnan", "isfinite")

    def draw(self, law: str, parameter: Any) -> Ref:
        """Bind a draw, each time anew."""
        at = self.variable(parameter)
        var = self._bind()
        self._add(Draw(var, law, at, self.place.line))
        return Ref(var)

    def variable(self, value: Any) -> int:
        """Return the variable that holds a value."""
        match value:
            case Ref(var=var):
                return var
            case Const(var=int(var)):
                return var
            case Const(value=held):
                if not is_plain(held):
                    raise self.refuse(f"a {type(held).__name__} as a value")
                key = ("", type(held), repr(held) if not hasattr(held, "tobytes") else
                       (str(held.dtype), held.shape, held.tobytes()))  # fmt: skip
                if key not in self._made:
                    self._made[key] = self._bind()
                    self._add(Constant(self._made[key], held, self.place.line))
                return self._made[key]
            case Items(kind=kind, items=items, keys=keys):
                if any(isinstance(item, Ref) and item.shape == "record" for item in items):
                    raise self.refuse("a container a record")
                return self.let("pack", items, (kind, tuple(keys)))
        raise self.refuse(f"a {type(value).__name__.lower()} as a value")

    def answer(self, value: Ref) -> bool:
        """Return the answer to a test on this path."""
        if value.shape not in ("scalar", "opaque"):
            raise self.refuse("a test of the records")
        at = len(self.answers)
        if at >= MOST_TESTS:
            raise self.refuse("more tests than lowering follows")
        given = self.script[at] if at < len(self.script) else True
        self.answers.append(given)
        self.events.append(Test(value.var, given, self.place.line))
        return given

    def _bind(self) -> int:
        self._next += 1
        return self._next - 1

    def _add(self, instruction: Instruction) -> None:
        if len(self.events) >= MOST_INSTRUCTIONS:
            raise self.refuse("more instructions than lowering makes")
        self.events.append(instruction)


End = Return | Raise


def tree(run: Callable[[Path], End]) -> Block:
    """Return the program of all paths.

    Parameters
    ----------
    run : callable
        Lowers one path, and returns how it ends.
    """
    found: list[tuple[Path, End]] = []
    script: list[bool] = []
    while True:
        if len(found) >= MOST_PATHS:
            raise Unsupported("more paths than lowering follows")
        path = Path(list(script))
        found.append((path, run(path)))
        script = list(path.answers)
        while script and not script[-1]:
            script.pop()
        if not script:
            return _joined(found, 0)
        script[-1] = False


def _joined(paths: list[tuple[Path, End]], start: int) -> Block:
    """Join paths that agree up to an event."""
    body: list[Instruction] = []
    first, end = paths[0]
    for at in range(start, len(first.events)):
        event = first.events[at]
        if isinstance(event, Test):
            arms = [[p for p in paths if p[0].events[at].answer is way] for way in (True, False)]  # type: ignore[union-attr]
            yes, no = (_joined(arm, at + 1) for arm in arms)
            return Block(tuple(body), Branch(event.var, yes, no, event.line))
        body.append(event)
    assert len(paths) == 1
    return Block(tuple(body), end)
