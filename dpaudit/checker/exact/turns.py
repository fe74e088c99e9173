"""Turns of loops, each gone through by itself: what one leaves behind depends on one new draw.

A loop that tosses a coin for each of forty bits has 2^40 ways, and each of its turns has two. So
the ways of one turn are gone one after the other from the same state; what they leave is joined.
Where they differ, there stands from then on a lazy value of one new draw: the way of this turn, as
likely as that way is. Draws of a turn are independent of all others, so that nothing is lost. Where
a turn asks for what was drawn before, its ways are gone for each answer.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from dpaudit.checker.exact.cells import Cells
from dpaudit.checker.exact.code import RaisedError
from dpaudit.checker.exact.drawn import Drawn
from dpaudit.checker.exact.fixed import AskedError
from dpaudit.checker.exact.generator import Bytes, Generator
from dpaudit.checker.exact.lazy_value import Sum, Undecided, like
from dpaudit.checker.exact.numbers import Number
from dpaudit.checker.exact.paths import TURNS, Path, every_path
from dpaudit.checker.exact.sources import Listed, OutsideError, Source

TURN = "turn"  # the family under which a path records one
_WAYS = 64  # of one turn, for all answers
_QUESTIONS = 6
_EMPTY = object()
_PLAIN = (bool, int, float, str, bytes, type(None), np.generic, range, slice)
_STILL = (type, types.BuiltinFunctionType, Number, Drawn, Undecided, Bytes)
_CHOSEN = (bool, int, float, str, bytes, np.bool_, np.integer, Number, Undecided)


class OtherwiseError(Exception):
    """What a turn does is not told by one new draw."""


class Running(Protocol):
    """Who runs a program.

    Attributes
    ----------
    path : Path
        That draws are made on.
    """

    path: Path | None


@dataclass(frozen=True, slots=True)
class _Question:
    """What a turn asks of a draw that was made before: whether it is below, or its value."""

    source: Source
    at: Any

    def asked(self) -> Any:
        """Return the answer, which becomes known."""
        return self.source.value() if self.at is None else self.source.below(self.at)

    def told(self, value: Any) -> Any:
        """Return the answer where the draw has a value."""
        return value if self.at is None else bool(value < self.at)

    def answers(self) -> Iterator[Any]:
        """Narrow the draw to each possible answer, and yield that."""
        source, low, high = self.source, self.source.low, self.source.high
        if self.at is None:
            ranges = [(v, v, v + 1) for v in range(int(low), int(high))]
        elif not self.at > low or not self.at < high:
            ranges = [(bool(self.at > low), low, high)]
        else:
            ranges = [(True, low, self.at), (False, self.at, high)]
        try:
            for answer, source.low, source.high in ranges:
                if source.law.measure(source.low, source.high).sign() > 0:
                    yield answer
        finally:
            source.low, source.high = low, high


@dataclass(slots=True)
class _Way:
    """One way of a turn: what it drew, and what it left."""

    path: Path
    cells: list[Any]
    contents: list[Any]
    result: Any


@dataclass(slots=True)
class Turn:
    """All ways of a turn, by the answers to its questions.

    Attributes
    ----------
    ways : dict
        For each tuple of answers the draw that tells which way it is, None of a single one.
    """

    questions: list[_Question]
    ways: dict[tuple[Any, ...], tuple[Source | None, list[_Way]]] = field(default_factory=dict)

    def drawn(self, value: Callable[[Source], Any]) -> Path:
        """Return the path of the way that was gone, for these values of the draws."""
        source, ways = self.ways[tuple(q.told(value(q.source)) for q in self.questions)]
        return ways[0 if source is None else value(source)].path

    def adds(self, question: _Question) -> bool:
        """Add a question, where there are not too many yet."""
        few = question.at is not None or question.source.high - question.source.low <= _WAYS
        self.questions.append(question)
        return few and len(self.questions) <= _QUESTIONS

    @property
    def every(self) -> list[_Way]:
        """All ways."""
        return [way for _, ways in self.ways.values() for way in ways]

    def chosen(self, values: Sequence[Any]) -> Undecided:
        """Return which of some values it is, of which each way has one, in order."""
        if not all(isinstance(value, _CHOSEN) for value in values):
            raise OtherwiseError
        sums = [
            value if isinstance(value, Sum) else Sum(0, ((1, value),))
            for value in values
            if isinstance(value, Undecided) and value.counts
        ]
        if len(sums) == len(values) and len({_known(each.terms) for each in sums}) == 1:
            starts = [each.start for each in sums]  # a sum that goes on
            going_on: Undecided = sums[0] - starts[0] + self.chosen(starts)
            return going_on
        sources = {question.source for question in self.questions}
        sources |= {source for source, _ in self.ways.values() if source is not None}
        inside = [value.sources for value in values if isinstance(value, Undecided)]
        left = iter(values)
        table = {
            at: (source, [next(left) for _ in ways]) for at, (source, ways) in self.ways.items()
        }

        def compute() -> Any:
            source, found = table[tuple(question.asked() for question in self.questions)]
            value = found[0 if source is None else source.value()]
            return value.settled() if isinstance(value, Undecided) else value

        counts = all(map(_counts, values))
        return Undecided(frozenset(sources).union(*inside), compute, counts=counts)


def alone(run: Callable[[], Any], running: Running, shared: Sequence[Any]) -> Any:
    """Run a turn of a loop, and return its result.

    Parameters
    ----------
    run : callable
        A function of the program, without arguments; what it changes are variables that it shares
        with the function around it, and what these hold.
    running : Running
    shared : sequence
        What else the program may change.
    """
    outer = running.path
    assert outer is not None
    try:
        state = _State(run, shared)
    except OtherwiseError:
        return run()
    turn = Turn([])
    while True:
        try:
            _go_every_way(turn, state, run, running)
            return _left(turn, state, outer)
        except OutsideError as outside:
            state.restore()
            if outside.source.path.whole is not outer:  # the turn around this one is asked
                raise
            if not turn.adds(_Question(outside.source, outside.at)):
                break
        except (OtherwiseError, RaisedError, AskedError, Exception):
            state.restore()
            break
    outer.work.left()
    return run()


def _go_every_way(turn: Turn, state: _State, run: Callable[[], Any], running: Running) -> None:
    """Go every way of a turn from the same state, for every answer to its questions."""
    outer = running.path
    assert outer is not None

    def once(path: Path) -> _Way:
        state.restore()
        state.use(path, running)
        result = run()
        return _Way(path, *state.now(), result)

    known = [(q.source, q.source.low, q.source.high) for q in turn.questions]
    turn.ways, count = {}, 0
    outer.paused = True
    try:
        for answers in _answered(turn.questions):
            ways = list(every_path(once, outer.work, None, TURNS, _WAYS))
            count += len(ways)
            if count > _WAYS:
                raise OtherwiseError
            law = Listed([weight for weight, _ in ways])
            source = Source(outer, law) if len(ways) > 1 else None
            turn.ways[answers] = source, [way for _, way in ways]
    finally:
        outer.paused = False
        state.use(outer, running)
        for source, low, high in known:
            source.low, source.high = low, high


def _answered(questions: Sequence[_Question]) -> Iterator[tuple[Any, ...]]:
    """Narrow draws to each combination of answers, and yield that."""
    if not questions:
        yield ()
        return
    for answer in questions[0].answers():
        for rest in _answered(questions[1:]):
            yield (answer, *rest)


def _left(turn: Turn, state: _State, outer: Path) -> Any:
    """Make the state what all ways of a turn leave, and return their result."""
    ways = turn.every
    if len(ways) > 1 or turn.questions:
        result = state.join(turn)
        if any(way.path.recorded for way in ways):
            outer.recorded.append((TURN, turn))
            outer.arguments.append({})
    else:
        outer.recorded += ways[0].path.recorded
        outer.arguments += ways[0].path.arguments
        result = ways[0].result
    for way in ways:
        way.path.outer = outer
    return result


class _State:
    """All that a turn may change: variables, and what they hold."""

    def __init__(self, run: Callable[[], Any], shared: Sequence[Any]) -> None:
        self._cells: list[Any] = []
        self._objects: list[Any] = []
        self._generators: list[Generator] = []
        self._known: dict[int, Any] = {}
        self._look(run)
        for value in shared:
            self._look(value)
        self._before = self.now()

    def _look(self, value: Any) -> None:
        if isinstance(value, (*_PLAIN, *_STILL)) or id(value) in self._known:
            return
        self._known[id(value)] = value
        if isinstance(value, types.FunctionType):
            inside = [*(value.__defaults__ or ()), *(value.__kwdefaults__ or {}).values()]
            for cell in value.__closure__ or ():
                if id(cell) not in self._known:
                    self._known[id(cell)] = cell
                    self._cells.append(cell)
                    inside.append(_held(cell))
        elif isinstance(value, Generator):
            self._generators.append(value)
            inside = []
        elif value is _EMPTY or type(value) in (tuple, frozenset):
            inside = [] if value is _EMPTY else list(value)
        elif type(value) in (list, set, dict) or isinstance(value, np.ndarray):
            self._objects.append(value)
            inside = _items(value)
        else:
            raise OtherwiseError
        for item in inside:
            self._look(item)

    def now(self) -> tuple[list[Any], list[Any]]:
        """Return what the variables are, and what is in the objects."""
        return list(map(_held, self._cells)), list(map(_content, self._objects))

    def use(self, path: Path, running: Running) -> None:
        """Make draws from now on those of a path."""
        running.path = path
        for generator in self._generators:
            generator.path = path

    def restore(self) -> None:
        """Make all what it was before."""
        self._write(*self._before)

    def _write(self, cells: list[Any], contents: list[Any]) -> None:
        for cell, value in zip(self._cells, cells, strict=True):
            if value is not _EMPTY:
                cell.cell_contents = value
            elif _held(cell) is not _EMPTY:
                del cell.cell_contents
        for value, content in zip(self._objects, contents, strict=True):
            if isinstance(value, np.ndarray):
                np.ndarray.__setitem__(value, ..., content)
            elif isinstance(value, list):
                value[:] = content
            elif isinstance(value, set) or _differ(_items(value), content):
                value.clear()
                value.update(content)

    def join(self, turn: Turn) -> Any:
        """Make all what the ways of a turn leave, and return their result.

        A variable for which that is not told is one that has no value.
        """
        joined = _Joined(turn, self._known)
        ways = turn.every
        contents = [
            joined.content(value, [way.contents[i] for way in ways])
            for i, value in enumerate(self._objects)
        ]
        result = joined.of([way.result for way in ways])
        cells = [joined.variable([way.cells[i] for way in ways]) for i in range(len(self._cells))]
        self._write(cells, contents)
        return result


class _Joined:
    """Values of which each way of a turn has one, as a single value."""

    def __init__(self, turn: Turn, known: dict[int, Any]) -> None:
        self._turn, self._known = turn, known
        self._made: dict[tuple[int, ...], Any] = {}
        self._part: dict[tuple[int, int], tuple[int, ...]] = {}

    def variable(self, values: list[Any]) -> Any:
        """Return a value, or that there is none."""
        try:
            return self.of(values)
        except OtherwiseError:
            return _EMPTY

    def of(self, values: list[Any]) -> Any:
        """Return a value that is each of these on its way."""
        first = values[0]
        if all(value is first for value in values) or all(_same(first, v) for v in values):
            return first
        if len(set(map(type, values))) == 1:
            if type(first) is tuple:
                return tuple(self._each(values))
            if type(first) in (list, dict) or isinstance(first, np.ndarray):
                return self._made_anew(values)
        return self._turn.chosen(values)

    def _made_anew(self, values: list[Any]) -> Any:
        """Return an object that stands for one that each way made, and for nothing else."""
        ids = tuple(map(id, values))
        if any(each in self._known for each in ids):
            raise OtherwiseError
        for place in enumerate(ids):
            if self._part.setdefault(place, ids) != ids:
                raise OtherwiseError
        if ids not in self._made:
            first = values[0]
            content = self.content(first, list(map(_content, values)))
            if isinstance(first, np.ndarray) and first.dtype == object:
                content = content.view(type(first))
                if isinstance(first, Cells):
                    content.kind = first.kind
            self._made[ids] = dict(content) if type(first) is dict else content
        return self._made[ids]

    def _each(self, values: list[Any]) -> list[Any]:
        if len(set(map(len, values))) != 1:
            raise OtherwiseError
        return [self.of(list(items)) for items in zip(*values, strict=True)]

    def content(self, held: Any, contents: list[Any]) -> Any:
        """Return what is in an object."""
        first = contents[0]
        if isinstance(held, np.ndarray):
            if any(c.shape != first.shape or c.dtype != first.dtype for c in contents):
                raise OtherwiseError
            if first.dtype != object:
                if not all(np.array_equal(first, c) for c in contents):
                    raise OtherwiseError
                return first
            items = self._each([list(c.flat) for c in contents])
            return np.asarray(like(first.shape, items))
        if isinstance(held, set):
            if any(sorted(map(repr, c)) != sorted(map(repr, first)) for c in contents):
                raise OtherwiseError
            return first
        return self._each(contents)


def _held(cell: Any) -> Any:
    """Return what a variable is."""
    try:
        return cell.cell_contents
    except ValueError:
        return _EMPTY


def _items(value: Any) -> list[Any]:
    if isinstance(value, np.ndarray):
        if value.dtype != object and value.dtype.kind not in "biufUS":
            raise OtherwiseError
        return list(value.flat) if value.dtype == object else []
    if isinstance(value, dict):
        return [each for pair in value.items() for each in pair]
    return list(value)


def _differ(items: list[Any], pairs: list[tuple[Any, Any]]) -> bool:
    """Return whether keys and values are others than those of pairs."""
    return list(map(id, items)) != [id(each) for pair in pairs for each in pair]


def _content(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return np.array(value, subok=False)
    return list(value.items()) if isinstance(value, dict) else list(value)


def _known(terms: Sequence[tuple[Any, Undecided]]) -> tuple[Any, ...]:
    """Return what is equal for the same terms."""
    return tuple(
        (type(factor), getattr(factor, "fraction", factor) or id(factor), id(term))
        for factor, term in terms
    )


def _counts(value: Any) -> bool:
    if isinstance(value, Undecided):
        return value.counts
    return isinstance(value, int | np.integer | Number) and not isinstance(value, bool)


def _same(one: Any, other: Any) -> bool:
    """Return whether two values are one and the same, their type included."""
    if type(one) is not type(other):
        return False
    if isinstance(one, Number):
        return one.fraction is not None and bool(one.fraction == other.fraction)
    if isinstance(one, float | np.floating):
        return repr(one) == repr(other)
    return isinstance(one, _PLAIN) and bool(one == other)
