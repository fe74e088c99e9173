"""Follows a lifted program on both runs at once, statement by statement.

Both take the same path: a test is on what both hold alike, else the program is not checked. Lists,
dicts and arrays are Python's and NumPy's own, so that two names of one object are two names of one
object here too.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from dpaudit.checker.cost import (
    apart,
    array_functions,
    delta_events,
    deviations,
    emptiness,
    frame_rows,
    indexing,
    joining,
    keyed,
    merged,
    one_by_one,
    ordering,
    positional_records,
    record_coins,
    sampling_loop,
    shortened,
)
from dpaudit.checker.cost.arrays import Arr, is_shared
from dpaudit.checker.cost.compare import compared, found
from dpaudit.checker.cost.constants import CHANGED, FixedDict, FixedList, Named, constant
from dpaudit.checker.cost.each_run import either
from dpaudit.checker.cost.ends import same
from dpaudit.checker.cost.frames import Frame as DataFrame
from dpaudit.checker.cost.frames import Series, names_of
from dpaudit.checker.cost.in_place import is_alone
from dpaudit.checker.cost.iterators import Once, taken
from dpaudit.checker.cost.labelled import Labelled, labelled
from dpaudit.checker.cost.library import ORDER_FREE, called
from dpaudit.checker.cost.locations import are_numbers, counted_by, is_computed
from dpaudit.checker.cost.noise import shown
from dpaudit.checker.cost.parts import Record
from dpaudit.checker.cost.python_functions import Live, text_of_exception
from dpaudit.checker.cost.record_columns import Rows, Sorted, counted, holds_records, validate_typed
from dpaudit.checker.cost.records import Var
from dpaudit.checker.cost.run import Run
from dpaudit.checker.cost.shared import is_alike, is_repeated, takes_up
from dpaudit.checker.cost.values import (
    SHARED,
    Generator,
    Shared,
    Sofar,
    Unknown,
    is_known,
    kind_of,
    negated,
)
from dpaudit.checker.cost.weights import Mark, Total, Weight
from dpaudit.checker.exact.exponential_fractions import Multiple
from dpaudit.checker.exact.numbers import Number
from dpaudit.checker.file import PRIVATE, RejectedError
from dpaudit.checker.program import EMITTED, assigned, begun, bound, error_name, identifier
from dpaudit.checker.wording import construct, described

Node = dict[str, Any]
Flow = tuple[str, Any] | None  # how a block ended before its end: return, break, continue, raise
BRANCH = "a branch on private data; branch on a noisy value instead"
_DEEPEST_CALL = 12


@dataclass(frozen=True, slots=True, eq=False)
class Closure:
    """A function defined inside, with the variables that it sees, and arguments that it has."""

    function: Node
    frame: Frame
    bound: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class Lookup:
    """The method ``get`` of a dict."""

    of: dict[Any, Any]


class _EndedError(Exception):
    """The program ends in an error inside of a function."""

    def __init__(self, name: Any) -> None:
        super().__init__(name)
        self.name = name


@dataclass(slots=True, eq=False)
class Frame:
    """The variables of one call; `own` are names that the function assigns."""

    variables: dict[str, Any]
    own: frozenset[str]
    parent: Frame | None = None
    started: int = field(default_factory=counted)


@dataclass(slots=True, eq=False)
class Machine:
    """Follows one path.

    Attributes
    ----------
    run : Run
    functions : list of Node
        The program's functions in the order in which they are written.
    """

    run: Run
    functions: list[Node]
    depth: int = 0
    frames: list[Frame] = field(default_factory=list)
    unordered: Node | None = None  # of which a function is asked that gives the same in any order
    _own: dict[int, frozenset[str]] = field(default_factory=dict)

    def start(self, program: Node, data: Any) -> tuple[str, Any]:
        """Return how the program ends, ``return`` or ``raise``, and its value."""
        entry = program["entry"]
        one = Multiple(Fraction(1))  # of the parameter that the claim names
        values = begun(program, data, Generator(), constant, lambda _: one)
        self.frames.append(Frame(values, self.own(entry)))
        self.run.data = data
        try:
            flow = self.block(entry["body"], self.frames[-1])
        except _EndedError as ended:
            flow = "raise", ended.name
        how, value = flow or ("return", None)
        if how not in ("return", "raise"):
            raise RejectedError("the program leaves a loop where there is none")
        return how, value

    def own(self, function: Node) -> frozenset[str]:
        """Return the names that are variables of a function."""
        found = self._own.get(id(function))
        if found is None:
            names = set(function["parameters"]) | assigned(function["body"])
            found = self._own[id(function)] = frozenset(names)
        return found

    # --- statements

    def block(self, statements: list[Node], frame: Frame) -> Flow:
        """Execute statements in order."""
        for node in statements:
            self.run.step(node["place"])
            flow = self._statement(node, frame)
            if flow is not None:
                return flow
        return None

    def _statement(self, node: Node, frame: Frame) -> Flow:
        match node["kind"]:
            case "Assign":
                self.assign(node["target"], self.value(node["value"], frame), frame)
            case "Update":
                self._update(node, frame)
            case "Evaluate":
                self.value(node["value"], frame)
            case "Branch":
                if shortened.branched(self, node, frame) or emptiness.assigned(self, node, frame):
                    return None
                test = self.value(node["test"], frame)
                if joining.branched(self, node, frame, test):
                    return None
                yes = self.truth(test)
                return self.block(node["yes"] if yes else node["no"], frame)
            case "For":
                return self._for(node, frame)
            case "While":
                return self._while(node, frame)
            case "Return":
                return "return", self.value(node["value"], frame)
            case "Leave" if node["how"] in ("break", "continue"):
                return node["how"], None
            case "Raise":
                return "raise", self._error(node, frame)
            case "Define":
                self._bind(node["name"], Closure(node["function"]["function"], frame), frame)
            case kind:
                raise self.run.refused(construct(kind))
        return None

    def _error(self, node: Node, frame: Frame) -> str:
        """Return the name of an exception, whose text both runs share."""
        made = node["value"]
        computed = made is not None and made["kind"] == "Call" and not made["keywords"]
        if not computed or all(each["kind"] == "Constant" for each in made["arguments"]):
            return error_name(node)
        if self.run.lane is not None or not isinstance(made["function"], str):
            return error_name(node)
        said = tuple(self.value(each, frame) for each in made["arguments"])
        text_of_exception(self.run, said)
        return str(made["function"])

    def _for(self, node: Node, frame: Frame) -> Flow:
        iterable = taken(self.run, self.value(node["iterable"], frame))
        if record_coins.looped(self, node, frame, iterable):
            return None
        iterable = one_by_one.each_place(self.run, iterable, node["body"]) or iterable
        if self._deviations(node, frame):
            return None
        several = one_by_one.in_order(iterable)
        if several is not None:
            one_by_one.loop(self, node, frame, several)
            return None
        if isinstance(iterable, Shared) and joining.repeated(self, node, frame):
            return None
        for item in self.iterated(iterable):
            self.run.step(node["place"])
            self.assign(node["target"], item, frame)
            flow = self.block(node["body"], frame)
            if flow is not None and flow[0] != "continue":
                return None if flow[0] == "break" else flow
        return self.block(node["otherwise"], frame)

    def _deviations(self, node: Node, frame: Frame) -> bool:
        """Whether a loop adds squares of deviations from a mean to a variable, which is done."""
        if self.run.lane is not None:
            return False
        found = deviations.added(node, lambda part: self.value(part, frame))
        if found is None:
            return False
        name, squares, bound_names = found
        total = self.called("builtins.sum", [squares])
        old = frame.variables.get(name)
        if not isinstance(old, Unknown | Number | int):
            return False
        self._bind(name, self.called("operator.add", [old, total]), frame)
        for each in bound_names:
            frame.variables.pop(each, None)
        return True

    def _while(self, node: Node, frame: Frame) -> Flow:
        if self.run.lane is None and sampling_loop.is_one(self, node):
            return "return", sampling_loop.returned(self, node, frame)
        while True:
            test = self.value(node["test"], frame)
            if joining.is_open(self.run, test) and joining.repeated(self, node, frame):
                return None
            if not self.truth(test):
                break
            self.run.step(node["place"])
            flow = self.block(node["body"], frame)
            if flow is not None and flow[0] != "continue":
                return None if flow[0] == "break" else flow
        return self.block(node["otherwise"], frame)

    def iterated(self, value: Any) -> Any:
        """Return what a loop goes through, whose number both runs share."""
        value = keyed.plain(taken(self.run, value))
        if isinstance(value, list | tuple | range | dict | str | Live):
            return value
        if isinstance(value, DataFrame):
            return names_of(self.run, value)
        if isinstance(value, frame_rows.Row) and value.fields is not None:
            return value.fields
        if isinstance(value, Record):
            return list(value.columns.values())
        if isinstance(value, Labelled) and not value.missing:  # its numbers, not its labels
            value = value.values
        if isinstance(value, Arr) and value.cells.ndim == 1:
            return (value.cells[i] for i in range(len(value.cells)))
        if isinstance(value, Arr) and value.cells.ndim > 1:
            return (Arr(value.cells[i], value.dtype) for i in range(len(value.cells)))
        raise self.run.refused(f"a loop over {described(value)}")

    def _update(self, node: Node, frame: Frame) -> None:
        name: str = node["function"]
        if not name.startswith("operator.i"):
            raise self.run.refused(f"the update {name!r:.40}")
        name = name.removeprefix("operator.i")
        target = node["target"]
        name = {"and": "and_", "or": "or_"}.get(name) or name
        if target["kind"] == "Name":
            old, new = self.value(target, frame), self.value(node["value"], frame)
            if isinstance(old, Rows):
                self._bind(target["id"], self._column(name, target["id"], old, new, frame), frame)
                return
            self._bind(target["id"], self._updated(name, old, new), frame)
            return
        if target["kind"] != "Subscript":
            raise self.run.refused("this update")
        of = self.value(target["value"], frame)
        at = self.place(of, target["index"], frame)
        old, new = indexing.entry(self.run, of, at), self.value(node["value"], frame)
        if isinstance(of, Rows):
            of = self._by_place(of, at, target["value"], frame)
        indexing.store(self.run, of, at, self._updated(name, old, new))

    def _updated(self, name: str, old: Any, new: Any) -> Any:
        """Return ``old op= new``: the same object where it changes in place."""
        if isinstance(old, Arr):
            indexing.change(self.run, old, self.called(f"operator.{name}", [old, new]))
            return old
        if isinstance(old, list) and name == "add" and isinstance(new, list | tuple):
            self._validate_free(old)
            old.extend(new)
            return old
        if isinstance(old, Shared) and takes_up(self.run, old, new):
            return old
        kinds: Any = Unknown | tuple | Sofar | Var | Total | Weight | Mark
        plain = is_known(old) or isinstance(old, kinds) or shown_later(old)
        if not plain:
            raise self.run.refused(f"{described(old)} changed in place")
        return self.called(f"operator.{name}", [old, new])

    def _column(self, name: str, of: str, old: Rows, new: Any, frame: Frame) -> Rows:
        """Return a column that changed in place, which no other name sees."""
        if old.listed or not is_alone(self.run, old, of, frame, self.frames, (Generator,)):
            raise self.run.refused("a column changed in place that others may share")
        found = self.called(f"operator.{name}", [old, new])
        alike = isinstance(found, Rows) and (found.dtype, found.rest) == (old.dtype, old.rest)
        if not alike or found.view is not old.view or found.last is not old.last:
            raise self.run.refused("a column changed in place to one of another form")
        return found  # type: ignore[no-any-return]

    def _validate_free(self, value: Any) -> None:
        if isinstance(value, FixedList | FixedDict) or self.run.is_lent(value):
            raise self.run.refused(CHANGED)

    def assign(self, target: Node, value: Any, frame: Frame) -> None:
        """Bind a target."""
        match target["kind"]:
            case "Name":
                self._bind(target["id"], value, frame)
            case "tuple" | "list" if "items" in target:
                for part, item in self._parts(target["items"], list(self.iterated(value))):
                    self.assign(part, item, frame)
            case "Subscript":
                of = self.value(target["value"], frame)
                at = self.place(of, target["index"], frame)
                if isinstance(of, Rows) and isinstance(at, Rows):
                    self._put_where(of, at, value, target["value"], frame)
                    return
                if isinstance(of, Rows):
                    of = self._by_place(of, at, target["value"], frame)
                indexing.store(self.run, of, at, value)
            case _:
                raise self.run.refused("this target of an assignment")

    def _parts(self, targets: list[Node], items: list[Any]) -> list[tuple[Node, Any]]:
        """Return which item each target is given; one with a star takes those that are left."""
        starred = [i for i, target in enumerate(targets) if target["kind"] == "Starred"]
        if len(starred) == 1:
            (i,), more = starred, len(items) - len(targets) + 1
            targets = [*targets[:i], targets[i]["value"], *targets[i + 1 :]]
            items = [*items[:i], items[i : i + more], *items[i + more :]] if more >= 0 else []
        if len(items) != len(targets):
            raise self.run.refused("values that do not fit their targets")
        return list(zip(targets, items, strict=True))

    def _put_where(self, of: Rows, at: Rows, value: Any, node: Node, frame: Frame) -> None:
        """Put a number wherever a column of truth values is true: ``np.where(at, value, of)``."""
        named = node["kind"] == "Name" and node["id"] in frame.variables and not of.listed
        entries = named and at.dtype == "bool" and (at.view, at.rest) == (of.view, of.rest)
        if not entries or not is_alone(self.run, of, node["id"], frame, self.frames, (Generator,)):
            raise self.run.refused("an assignment to records that others may share")
        validate_typed(self.run, at)
        if kind_of(value) is None:
            raise self.run.refused(f"{described(value)} put where records are")
        found = self.called("numpy.where", [at, value, of])
        if not isinstance(found, Rows) or found.dtype != of.dtype:
            raise self.run.refused("numbers put into an array of another type")
        self._bind(node["id"], replace(found, fresh=True, untyped=of.untyped), frame)

    def _by_place(self, of: Rows, at: Any, node: Node, frame: Frame) -> Any:
        """Return a column into which an entry is put as an array, where nothing else sees it."""
        plain = node["kind"] == "Name" and node["id"] in frame.variables and not of.listed
        if not plain or isinstance(at, Rows) or not positional_records.is_placed(self.run, of.view):
            return of
        if not is_alone(self.run, of, node["id"], frame, self.frames, (Generator,)):
            return of
        array = array_functions.copied(self.run, positional_records.by_place(self.run, of))
        self._bind(node["id"], array, frame)
        return array

    def _bind(self, name: Any, value: Any, frame: Frame) -> None:
        frame.variables[identifier(name)] = value

    # --- tests

    def truth(self, value: Any) -> bool:
        """Return the truth of a value that both runs share; each outcome is a path.

        Raises
        ------
        NotCheckedError
            Where it is private.
        """
        value = found(self.run, shown(self.run, value))
        if isinstance(value, Arr) and value.cells.size == 1:
            value = shown(self.run, value.cells.flat[0])
        if isinstance(value, list | tuple | dict | range):
            return len(value) > 0
        if isinstance(value, Number):
            return value.sign() != 0
        if is_known(value):
            return bool(value)
        if isinstance(value, Var):
            value = compared(self.run, "ne", value, 0)
            if isinstance(value, bool):
                return value
        if self.run.lane is not None and isinstance(value, Unknown | Shared):
            return self.run.fork(2, public=True) == 0
        if isinstance(value, Unknown):
            if not value.shared:
                raise self.run.refused(BRANCH)
            if value.regular and same(value.low, value.high):
                return bool(value.low.sign() != 0)
            if (contrary := negated(value)) is not None:
                return not self.truth(contrary)
            for tested, before in self.run.tested:
                if tested is value:
                    return before
            outcome = self.run.fork(2, public=True) == 0
            self.note(value, outcome)
            return outcome
        if isinstance(value, Shared):
            return self.run.fork(2, public=True) == 0
        raise self.run.refused(f"a test on {described(value)}")

    def note(self, test: Any, outcome: bool) -> None:
        """Note how a test that both runs share comes out."""
        if not isinstance(test, Unknown):
            return
        if (contrary := negated(test)) is not None:
            return self.note(contrary, not outcome)
        self.run.tested.append((test, outcome))
        delta_events.note(self.run, test, outcome)
        if test.tested is not None:
            name, of, at = test.tested
            self.run.facts.setdefault(of, []).append((name, at, outcome))

    # --- expressions

    def value(self, node: Node, frame: Frame) -> Any:
        """Return the value of an expression."""
        match node["kind"]:
            case "Constant":
                return constant(node)
            case "Name":
                return self.variable(identifier(node["id"]), frame)
            case "Generator" if node["origin"] in PRIVATE and node["seed"] is None:
                return Generator()
            case "Draw":
                return self._draw(node, frame)
            case "Call":
                return self._call(node, frame)
            case "Subscript":
                of = self.value(node["value"], frame)
                at = self.place(of, node["index"], frame)
                self.run.place = node["place"]
                return indexing.entry(self.run, of, at)
            case "Attribute":
                of = self.value(node["value"], frame)
                if node["name"] == "get" and isinstance(of, dict):
                    return Lookup(of)
                return self.called(f"attribute.{node['name']}", [of])
            case "tuple" | "list" as kind if "items" in node:
                items = self._items(node["items"], frame)
                return tuple(items) if kind == "tuple" else items
            case "Mapping":
                return self._mapping(node["items"], frame)
            case "Choice":
                return self._choice(node, frame)
            case "Logic" if node["operator"] in ("and", "or"):
                return self._logic(node, frame)
            case "Named":
                if frame.parent is not None and frame.own is _NO_NAMES:
                    raise self.run.refused("a name assigned inside a comprehension")
                value = self.value(node["value"], frame)
                self.run.step(node["place"])  # what was made before is kept
                self.assign(node["target"], value, frame)
                return value
            case "Closure":
                return Closure(node["function"], frame)
            case "list" | "generator" | "dict" | "set" as kind if "clauses" in node:
                return self._comprehension(kind, node, frame)
            case kind:
                raise self.run.refused(construct(kind))

    def _choice(self, node: Node, frame: Frame) -> Any:
        """Return one of two values; where the test is private, what stands for either."""
        vector = shortened.chosen(self, node["test"], node["yes"], node["no"], frame)
        if vector is None:
            vector = emptiness.choice(self, node["test"], node["yes"], node["no"], frame)
        if vector is not None:
            return vector
        test = shown(self.run, self.value(node["test"], frame))
        if self.run.lane is not None:
            return self.value(node["yes"] if self.truth(test) else node["no"], frame)
        view, before = counted_by(test), self.run.nonempty
        some = before if view is None else (*before, view)
        computed = all(is_computed(node[side]) for side in ("yes", "no"))
        alike = isinstance(test, Unknown) and test.shared
        either_way = view is not None or positional_records.is_of_other(self.run, test)
        if not isinstance(test, Unknown) or (alike and not (computed and either_way)):
            outcome = self.truth(test)
            self.run.nonempty = some if outcome else before
            return self.value(node["yes"] if outcome else node["no"], frame)
        if not computed:
            raise self.run.refused(BRANCH)
        self.run.nonempty = some
        yes = self.value(node["yes"], frame)
        self.run.nonempty = before
        no = self.value(node["no"], frame)
        if not are_numbers(yes, no):
            if alike:
                return yes if self.truth(test) else no
            raise self.run.refused("a private choice among values that are not numbers of one type")
        return either(self.run, yes, no, alike=alike)

    def variable(self, name: str, frame: Frame) -> Any:
        """Return what a variable holds."""
        at: Frame | None = frame
        while at is not None:
            if name in at.variables:
                return self._seen(at, name)
            if name in at.own:
                break
            at = at.parent
        raise self.run.refused(f"the variable {name!r:.40} before it has a value")

    def _seen(self, frame: Frame, name: str) -> Any:
        """Return a variable, in a loop over records what one record may know of it."""
        value, since = frame.variables[name], self.run.since
        if since is None or frame.started > since:
            return value
        for changed in self.run.changing[:1]:
            if changed[0] is frame and name in changed[1]:
                raise self.run.refused(f"the variable {name!r:.40}, which earlier records changed")
        return one_by_one.outside(self.run, value)

    def _items(self, nodes: list[Node], frame: Frame) -> list[Any]:
        found: list[Any] = []
        for node in nodes:
            if node["kind"] == "Starred":
                value = taken(self.run, self.value(node["value"], frame))
                if not isinstance(value, list | tuple | range | dict | Live):
                    raise self.run.refused("this after a star")
                found.extend(value)
            else:
                found.append(self.value(node, frame))
        return found

    def _mapping(self, items: list[Any], frame: Frame) -> dict[Any, Any]:
        found: dict[Any, Any] = {}
        for key, value in items:
            found[self.key(self.value(key, frame))] = self.value(value, frame)
        return found

    def key(self, value: Any) -> Any:
        """Return a key of a dict, which must be known."""
        if value is None or isinstance(value, bool | int | str):
            return value
        if isinstance(value, tuple):
            return tuple(map(self.key, value))
        raise self.run.refused("a key that is not known")

    def place(self, of: Any, node: Node, frame: Frame) -> Any:
        """Return an index, in a loop over records a known one."""
        at = self.index(node, frame)
        return at if self.run.lane is None else one_by_one.settled(self.run, of, at)

    @contextmanager
    def inside(self, frame: Frame, variables: dict[str, Any]) -> Iterator[Frame]:
        """Give the body of a loop over records, or a comprehension, variables of its own."""
        inner = Frame(variables, _NO_NAMES, frame)
        self.frames.append(inner)
        try:
            yield inner
        finally:
            self.frames.pop()

    def index(self, node: Node, frame: Frame) -> Any:
        """Return an index, of which slices have known ends."""
        if node["kind"] == "Slice":
            parts = [node["start"], node["stop"], node["step"]]
            ends = [None if p is None else self.value(p, frame) for p in parts]
            if all(value is None or type(value) is int for value in ends):
                return slice(*ends)
            if not all(is_shared(shown(self.run, value)) for value in ends):
                raise self.run.refused("a slice of which the ends are not known")
            return indexing.Between()
        if node["kind"] == "tuple" and "items" in node:
            return tuple(self.index(item, frame) for item in node["items"])
        return shown(self.run, self.value(node, frame))

    def _logic(self, node: Node, frame: Frame) -> Any:
        value: Any = None
        for operand in node["operands"]:
            value = self.value(operand, frame)
            if operand is not node["operands"][-1]:
                value = shown(self.run, value)
                if self.truth(value) is (node["operator"] == "or"):
                    return value
        return value

    def _comprehension(self, kind: str, node: Node, frame: Frame) -> Any:
        found = self._listed(kind, node, frame)
        if kind != "generator":
            return found
        names = deviations.names_in(node["clauses"]) | deviations.names_in(node["element"])
        return Once(self.run, found, lambda: self._held(names, frame), lazy=True)

    def _held(self, names: set[str], frame: Frame | None) -> list[Any]:
        """Return what variables hold that a function sees, those of inner frames first."""
        found = []
        while frame is not None:
            found += [frame.variables[name] for name in sorted(names & frame.variables.keys())]
            frame = frame.parent
        return found

    def _listed(self, kind: str, node: Node, frame: Frame) -> Any:
        unordered = node is self.unordered and _is_plain(node)
        first = taken(self.run, self.value(node["clauses"][0][1], frame))
        if isinstance(first, Sorted) and unordered:
            first = first.rows
        if kind in ("list", "generator") and len(node["clauses"]) == 1:
            sampled = record_coins.listed(self, node, frame, first)
            if sampled is not None:
                return sampled[0]
        if kind != "dict" and len(node["clauses"]) == 1:
            first = one_by_one.each_place(self.run, first, node) or first
            several = one_by_one.records(first)
            squares = deviations.products(node, lambda part: self.value(part, frame))
            if squares is not None and kind != "set":
                return squares
            if several is not None:
                listed = one_by_one.comprehension(self, node, frame, several)
                return self.called("builtins.set", [listed]) if kind == "set" else listed
        if isinstance(first, Shared):
            return self._of_released(node, frame)
        if kind == "set":
            raise self.run.refused("a set of what are no records")
        inner = Frame({}, _NO_NAMES, frame)
        self.frames.append(inner)
        found: list[Any] = []

        def clause(at: int) -> None:
            if at == len(node["clauses"]):
                self.run.step(node["place"])
                found.append(self.value(node["element"], inner))
                return
            target, iterable, conditions = node["clauses"][at]
            through = self.value(iterable, inner) if at else first
            for item in self.iterated(through):
                self.assign(target, item, inner)
                if all(self.truth(self.value(c, inner)) for c in conditions):
                    clause(at + 1)

        clause(0)
        self.frames.pop()
        if kind == "dict":
            return {self.key(key): value for key, value in found}
        return found

    def _of_released(self, node: Node, frame: Frame) -> Shared:
        """Return a comprehension over what both runs share, of which the number is not known.

        Its element is evaluated twice: where the second time pays for no more, no time does.
        """
        [(target, _, conditions), *others] = node["clauses"]
        parts = [node["element"], *conditions]
        if others or target["kind"] != "Name" or not all(map(is_repeated, parts)):
            raise self.run.refused("a loop as often as was released")
        paid = None
        for _ in range(2):
            with self.inside(frame, {}) as inner:
                self.assign(target, SHARED, inner)
                alike = all(is_alike(self.run, self.value(part, inner)) for part in parts)
            if not alike or paid not in (None, self.run.ledger.paid):
                raise self.run.refused("private data in a loop over what was released")
            paid = self.run.ledger.paid
        return SHARED

    # --- calls

    def _call(self, node: Node, frame: Frame) -> Any:
        function = node["function"]
        if isinstance(function, str) and function in ORDER_FREE:
            self.unordered = node["arguments"][0] if node["arguments"] else None
        args = self._items(node["arguments"], frame)
        named = {name: self.value(value, frame) for name, value in node["keywords"]}
        self.run.place = node["place"]
        if function == "method.append" and node["arguments"][0].get("id") == EMITTED:
            apart.validate_text(self.run, args[1][0], args[1][1:])
        if isinstance(function, str):
            mapped = self._of_each(function, args, named)
            if mapped is not None:
                return mapped[0]
            if function in ordering.BY_KEY and "key" in named:
                return ordering.by_key(self, function, args, named)
            if function == "functools.partial" and len(args) == 1 and isinstance(args[0], Closure):
                return replace(args[0], bound=args[0].bound | named)
            if function == "operator.call" and args and isinstance(args[0], Closure):
                return self._enter(args[0], args[1:], named)
            if function == "operator.call" and args and isinstance(args[0], Named):
                return self.called(args[0].name, args[1:], named)
            return self.called(function, args, named)
        if function["kind"] == "Again":
            function = self.again(function)
        if function["kind"] == "Function":
            return self.apply(function, args, named, None)
        raise self.unread(function)

    def unread(self, function: Node) -> Exception:
        """Return what refuses the call of a function that is not in the program."""
        named = function.get("value")
        name = named.get("callable") if isinstance(named, dict) else None
        what = f"a call of {name or 'a function'}, whose source was not understood"
        return self.run.refused(what)

    def _of_each(self, name: str, args: list[Any], named: dict[str, Any]) -> tuple[Any] | None:
        """Return ``series.apply`` or ``map``, or a merge; None for other calls."""
        joined = merged.called_on(self.run, name, args, named, self._looked_up)
        if joined is not None or name not in ("method.apply", "method.map") or not args:
            return joined
        if isinstance(args[0], Series):
            return self._applied_to_each(args[0], [merged.lookup(v) for v in args[1:]], named)
        if isinstance(args[0], DataFrame) and named in ({"axis": 1}, {"axis": "columns"}):
            return self._applied_to_each(args[0], args[1:], {})
        if isinstance(args[0], Labelled) and len(args) == 2 and not named:
            return (self._applied_by_label(args[0], args[1]),)
        return None

    def _looked_up(self, of: Series, by: dict[Any, Any]) -> Any:
        """Return ``series.map(dict)``."""
        found = self._applied_to_each(of, [by], {})
        if found is None:
            raise self.run.refused("what a dict has for each value of this column")
        return found[0]

    def _applied_to_each(
        self, of: Series | DataFrame, args: list[Any], named: dict[str, Any]
    ) -> tuple[Any] | None:
        """Return ``series.apply(function)`` where that gives numbers, or texts.

        Of an empty series truth values would be floats, which choose no rows; of an empty frame
        there would be a frame.
        """
        if len(args) != 1 or named or not isinstance(args[0], Closure | dict):
            return None
        function = Lookup(args[0]) if isinstance(args[0], dict) else args[0]
        if isinstance(of, Series):
            several = one_by_one.records(of)
            places = one_by_one.each_place(self.run, of, args[0])
            if places is not None:
                return (self._by_label(range(len(places)), places, function),)
        else:
            several = frame_rows.rows(self.run, of) if of.table.view.size else None
        if several is None:
            return None

        def make() -> list[Any]:
            given = self.applied(function, [several.item(self.run)])
            return [one_by_one.resolved(self.run, given)]

        rows = one_by_one.each(self.run, several.view, make)
        kinds = {one_by_one.kind(v) for cells in rows.lanes.values() for v in cells.flat}
        if rows.rest or "bool" in kinds:
            raise self.run.refused("a function of each value that gives no number")
        # Where there are no values, NumPy and pandas keep the type of the column.
        typed = isinstance(of, DataFrame) or of.rows.dtype == rows.dtype
        untyped = rows.dtype == "int" and not (typed or holds_records(self.run, rows.view))
        return (Series(Rows(rows.view, rows.lanes, rows.dtype, untyped=untyped)),)

    def _applied_by_label(self, of: Labelled, function: Any) -> Labelled | Shared:
        """Return numbers of known labels, of each of which a function was taken."""
        if of.missing:
            raise self.run.refused("numbers that are missing where a label does not occur")
        return self._by_label(of.labels, of.values.cells, function)

    def _by_label(self, labels: Any, values: Any, function: Any) -> Labelled | Shared:
        found = [self.applied(function, [value]) for value in values]
        array = self.called("numpy.array", [found])
        return array if isinstance(array, Shared) else labelled(self.run, labels, array)

    def applied(self, function: Any, args: list[Any]) -> Any:
        """Return what a function that is a value returns."""
        if isinstance(function, Closure):
            return self._enter(function, args, {})
        if isinstance(function, Lookup):
            return self.called("method.get", [function.of, *args])
        if isinstance(function, Named):
            return self.called(function.name, args)
        raise self.run.refused("a function that is not understood")

    def _enter(self, function: Closure, args: list[Any], named: dict[str, Any]) -> Any:
        """Return what a function defined inside returns; of records it knows what both share."""
        bound = function.bound
        if self.run.lane is not None:
            bound = {name: one_by_one.outside(self.run, value) for name, value in bound.items()}
        if bound.keys() & named.keys():
            raise self.run.refused("an argument that is given twice")
        return self.apply(function.function, args, bound | named, function.frame)

    def again(self, node: Node) -> Node:
        """Return a function that was written out before."""
        number: int = node["number"]
        if not 0 <= number < len(self.functions):
            raise RejectedError("`program` calls a function again that it has not")
        return self.functions[number]

    def called(self, name: str, args: list[Any], named: dict[str, Any] | None = None) -> Any:
        """Return the value of a function of a library."""
        return called(self.run, name, args, named or {})

    def apply(
        self, function: Node, args: list[Any], named: dict[str, Any], parent: Frame | None
    ) -> Any:
        """Return what a function of the program returns."""
        values = bound(function, args, named, constant, self.run.refused)
        self.depth += 1
        if self.depth > _DEEPEST_CALL:
            raise self.run.refused("a recursion")
        self.frames.append(Frame(values, self.own(function), parent))
        flow = self.block(function["body"], self.frames[-1])
        self.frames.pop()
        self.depth -= 1
        how, value = flow or ("return", None)
        if how == "raise" and self.run.lane is None:  # both runs are on this path
            raise _EndedError(value)
        if how != "return":
            raise self.run.refused("an error for some records")
        return value

    def _draw(self, node: Node, frame: Frame) -> Any:
        if self.run.lane is not None:
            raise self.run.refused("noise for each record")
        if not isinstance(self.value(node["generator"], frame), Generator):
            raise self.run.refused("noise from a generator that is not understood")
        given: dict[str, Any] = {}
        for name, value in node["arguments"]:
            if name in given:
                raise self.run.refused(f"two arguments {name!r:.20} of one draw")
            given[name] = self.value(value, frame)
        self.run.place = node["place"]
        return called(self.run, f"draw.{node['family']}", [], given)


_NO_NAMES: frozenset[str] = frozenset()


def shown_later(value: Any) -> bool:
    """Whether a value is a scalar with noise, which never changes in place."""
    from dpaudit.checker.cost.noise import is_noise

    return is_noise(value)


def _is_plain(value: Any) -> bool:
    """Whether code draws nothing, sets nothing, and calls nothing that may change a value."""
    if isinstance(value, list):
        return all(map(_is_plain, value))
    if not isinstance(value, dict):
        return True
    function = value.get("function", "")
    named = isinstance(function, str) and not function.startswith(("method.", "operator.call"))
    own = value.get("kind") in ("Named", "Draw", "Function", "Closure") or value.get("keywords")
    return named and not own and all(map(_is_plain, value.values()))
