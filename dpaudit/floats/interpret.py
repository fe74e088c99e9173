"""The interpreter of the float analysis: runs a program as a certificate holds it."""

from __future__ import annotations

import copy
import inspect
import itertools
import math
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cache, partial, reduce
from typing import Any

import numpy as np

from dpaudit.floats import arithmetic
from dpaudit.floats.data import constant
from dpaudit.floats.draws import draw
from dpaudit.floats.functions import (
    FEWER,
    IN_PLACE,
    Functions,
    numbers,
    span_of,
    validate_held,
)
from dpaudit.floats.ledger import Ledger
from dpaudit.floats.targets import fitted
from dpaudit.floats.values import (
    DOUBLE,
    EXACT,
    INF,
    SHOWN,
    Fields,
    Function,
    Groups,
    Many,
    Matrix,
    Num,
    Refused,
    Rows,
    Table,
    Thing,
    Unknown,
    across,
    as_item,
    containers,
    flat,
    hull,
    in_memory,
    is_private,
    is_related,
    joined,
    leaves,
    memory_of,
    new_memory,
    point,
    privately,
    renewed,
    shown,
    some_of,
    unrelated,
    without_norms,
)

STEPS = 60_000
DEPTH = 30
_GIVEN = " given"  # the name of no variable: what a function was given
_INTEGERS = Thing(("callable", "builtins.int"))
_TURNED = ("lt", "le", "gt", "ge")
UNROLLED = 2_048  # rounds of a loop over what is public
_TURNING = frozenset(
    ["T", "transpose", "swapaxes", "moveaxis", "rot90", "atleast_2d", "expand_dims"]
)
_STRAIGHT = frozenset({"Assign", "Update", "Evaluate", "Define", "Return"})
_NOISE = frozenset({"laplace", "normal", "gumbel", "exponential", "geometric"})
_STARRED = 64  # numbers of an array that a star may spread in a call
_OF_ANY_NUMBER = frozenset({"builtins.max", "builtins.min", "builtins.print", "builtins.zip"})
_MEASURES = ("numpy.shape", "numpy.ndim", "numpy.size")  # functions of what arrays tell too
_OF_EACH = frozenset({"method.apply", "method.map", "method.transform"})
_STILL_COLUMNS = frozenset({"clip", "fillna", "astype", "abs", "round", "reindex"})
_OF_COLUMNS = _STILL_COLUMNS | {"sum", "mean"}
_LIKE_ONE = ("mean", "median", "max", "min", "first", "last")  # of a group: no larger than one
MARGIN = 1 + 2.0**-20  # by which a bound of many rounds exceeds so many times the first
ATTEMPTS = 5  # to find such a bound
ROUNDS = 1_024  # of a loop whose end is not known, where each round loses something


@dataclass(slots=True, eq=False)
class Frame:
    """The variables of one call, and how its blocks ended."""

    variables: dict[str, Any]
    parent: Frame | None = None
    returned: list[Any] = field(default_factory=list)
    left: list[dict[str, Any]] = field(default_factory=list)  # variables where it returned
    broken: list[dict[str, Any]] = field(default_factory=list)
    continued: list[dict[str, Any]] = field(default_factory=list)
    lent: frozenset[int] = frozenset()  # where the arrays are that its caller gave

    def scopes(self) -> Iterator[Frame]:
        """Yield this frame and those around it."""
        scope: Frame | None = self
        while scope is not None:
            yield scope
            scope = scope.parent

    def replace(self, old: Any, new: Any) -> None:
        """Put a value in the place of another, and widen what may share memory with that."""
        for scope in self.scopes():
            for name, value in scope.variables.items():
                scope.variables[name] = _replaced(value, old, new)


class Interpreter:
    """Runs a lifted program on values of the float analysis.

    Parameters
    ----------
    program : dict
        As `dpaudit.formal.hashing.to_dict` writes it.
    ledger : Ledger
    strict : bool
        Whether noise may be used without being paid for as a release.
    records : float
        N.
    sized : bool
        Whether all datasets have as many records.
    """

    def __init__(
        self, program: dict[str, Any], ledger: Ledger, *, strict: bool, records: float, sized: bool
    ) -> None:
        self.program, self.ledger, self.records, self.sized = program, ledger, records, sized
        self.functions = Functions(ledger, strict, records, sized)
        self.steps = self.draws = self.depth = 0
        self.memo: dict[Any, tuple[Any, float, float]] = {}
        self.numbered: list[dict[str, Any]] = []
        self.whole: Any = None  # what a statement evaluates first, when nothing else is at hand
        self.constants: frozenset[int] = frozenset()  # where arrays are that all calls share
        self.changes = 0  # of arrays that functions were given
        self.turned = False  # whether rows may become columns
        self.summed: set[str] = set()  # variables of which tests are to tell nothing
        self.users: dict[int, Any] = {}  # columns of users who have any number of rows, by their id
        self._number(program["entry"])

    def _number(self, node: Any) -> None:
        if isinstance(node, list):
            for item in node:
                self._number(item)
        elif isinstance(node, dict):
            if node.get("kind") == "Function":
                self.numbered.append(node)
            named = node.get("name") if node.get("kind") == "Attribute" else node.get("function")
            self.turned |= isinstance(named, str) and named.rpartition(".")[2] in _TURNING
            for item in node.values():
                self._number(item)

    def run(self, data: Any, symbols: dict[str, Num]) -> Any:
        """Run the entry and return what it returns."""
        entry = self.program["entry"]
        variables: dict[str, Any] = {}
        for name in entry["parameters"]:
            if name == self.program["data"]:
                variables[name] = data
            elif name == self.program["rng"]:
                variables[name] = Thing(("generator", None))
            elif name in symbols:
                variables[name] = symbols[name]
            elif name in self.program["fixed"]:
                variables[name] = self.evaluate(self.program["fixed"][name], Frame({}))
            elif name in entry["defaults"]:
                variables[name] = self.evaluate(entry["defaults"][name], Frame({}))
            else:
                variables[name] = Unknown(f"nothing is known of the parameter `{name}`")
        if entry["starred"]:
            variables.setdefault(entry["starred"], Many([]))
        return self._body(entry, Frame(variables))

    def _body(self, function: dict[str, Any], frame: Frame) -> Any:
        self.depth += 1
        if self.depth > DEPTH:
            self.depth -= 1
            return Unknown(f"recursion in `{function['name']}`")
        try:
            falls = self.block(function["body"], frame)
        finally:
            self.depth -= 1
        found = list(frame.returned)
        if falls:
            found.append(Thing(None))
            frame.left.append(frame.variables)
        if not found:
            return Thing(None)
        return reduce(joined, found)

    # --- statements

    def block(self, body: Iterable[dict[str, Any]], frame: Frame) -> bool:
        """Run statements; return whether what follows is reached."""
        for node in body:
            self.steps += 1
            if self.steps > STEPS:
                raise Refused("the float analysis takes too many steps", node["place"])
            if not self.statement(node, frame):
                return False
        return True

    def statement(self, node: dict[str, Any], frame: Frame) -> bool:
        """Run a statement; return whether what follows is reached."""
        self.whole = _first(node["value"]) if node["kind"] in ("Assign", "Return") else None
        match node["kind"]:
            case "Assign":
                lengths = self._lengths(node["target"], node["value"], frame)
                made = self.evaluate(node["value"], frame) if lengths is None else lengths
                self.assign(node["target"], made, frame)
            case "Update":
                old = self.evaluate(node["target"], frame)
                new = self.evaluate(node["value"], frame)
                if isinstance(old, Many) and node["function"] == "operator.iadd":
                    self._validate_apart(old, frame, node["place"])
                    self._validate_alone(old, frame, node["place"])
                    if isinstance(new, Many):
                        old.items.extend(new.items)
                    else:
                        old.items.append(new)
                    return True
                if isinstance(old, Many) or (type(old) is Table and not old.framed):
                    raise Refused("a list or a dict that is changed in place", node["place"])
                value = self.functions.apply(node["function"], [old, new], {}, node["place"])
                value = _apart(value, "operator.add", [old, new], {})
                if isinstance(old, Num) and any(containers(old)) and isinstance(value, Num):
                    size = max(old.size, value.size)
                    value = replace(value, scalar=old.scalar and value.scalar, size=size)
                    if not old.whole or old.wraps:
                        value = replace(value, unit=max(old.unit, value.unit))
                    value = self._everywhere(old, value, frame, node["place"])
                self.assign(node["target"], value, frame)
            case "Evaluate":
                self.effect(node["value"], frame)
            case "Branch":
                return self.branch(node, frame)
            case "Return":
                frame.returned.append(self.evaluate(node["value"], frame))
                frame.left.append(frame.variables)
                return False
            case "Leave":
                ends = frame.broken if node["how"] == "break" else frame.continued
                ends.append(dict(frame.variables))
                return False
            case "Raise":
                return False
            case "Define":
                frame.variables[node["name"]] = Function(node["function"]["function"], frame)
            case "For":
                return self.loop(node, frame, self.evaluate(node["iterable"], frame))
            case "While":
                return self.loop(node, frame, None)
            case other:
                raise Refused(f"the float analysis does not know the statement {other}", "")
        return True

    def branch(self, node: dict[str, Any], frame: Frame) -> bool:
        """Run one side where the test is known, else both."""
        test = self.evaluate(node["test"], frame)
        outcome = known_truth(test)
        sides = ("yes", "no") if outcome is None else ("yes" if outcome else "no",)
        if outcome is not None and not is_private(test):
            return self.block(node[sides[0]], frame)
        before, outer = frame.variables, _held(frame)
        ends = []
        returned = len(frame.returned)
        for side in sides:
            frame.variables = copy.deepcopy(before)
            self.narrow(node["test"], frame, outcome=side == "yes")
            if self.block(node[side], frame):
                ends.append(frame.variables)
        frame.variables = merged_variables(ends) if ends else before
        _validate_held(outer, node["test"]["place"])
        if is_private(test):  # known here, it may come out otherwise in the other run
            frame.variables = changed_privately(before, frame.variables)
            frame.returned[returned:] = [privately(v) for v in frame.returned[returned:]]
        return bool(ends)

    def narrow(self, test: dict[str, Any], frame: Frame, *, outcome: bool) -> None:
        """Narrow variables whose noise hides nothing by a test that came out so."""
        if test["kind"] == "Logic" and (test["operator"] == "and") is outcome:
            for operand in test["operands"]:
                self.narrow(operand, frame, outcome=outcome)
        if test["kind"] != "Call" or not isinstance(test["function"], str):
            return
        name, args = test["function"].rpartition(".")[2], test["arguments"]
        if name == "not_" and len(args) == 1:
            self.narrow(args[0], frame, outcome=not outcome)
        if name not in _TURNED or len(args) != 2 or test["keywords"]:
            return
        for (one, other), below in (
            (args, name in ("lt", "le")),
            (args[::-1], name in ("gt", "ge")),
        ):
            if one["kind"] == "Name" and other["kind"] in ("Name", "Constant"):
                self._narrow(one["id"], self.evaluate(other, frame), frame, below is outcome)

    def _narrow(self, name: str, limit: Any, frame: Frame, below: bool) -> None:
        value = frame.variables.get(name)
        if not isinstance(value, Num) or not isinstance(limit, Num) or not value.scalar:
            return
        if name in self.summed:
            return
        noise = value.noise
        if noise is not None and noise.role == SHOWN and not self.ledger.strict:
            noise = replace(noise, width=0.0, uniform=None)  # of the values on this side
        elif noise is not None:
            return
        if value.open or value.error == INF or not limit.known or limit.error:
            return
        slack = 2 * value.error  # the float is on this side, the real number nearly
        low, high = value.low, value.high
        if below:
            high = min(high, limit.low + slack)
        else:
            low = max(low, limit.low - slack)
        if low <= high:
            frame.variables[name] = replace(value, low=low, high=high, noise=noise)
        if below and value.norm is not None and high >= 0:
            rows, times = value.norm
            short = arithmetic.no_longer(rows, high / times, value.error / times)
            for held, inside in frame.variables.items():
                frame.variables[held] = _replaced(inside, rows, short)

    def loop(self, node: dict[str, Any], frame: Frame, iterable: Any) -> bool:
        """Run a loop: round by round where that ends, else to a bound of all rounds."""
        outer = frame.broken, frame.continued
        frame.broken, frame.continued = [], []
        try:
            with self.functions.each():
                reached = self._rounds(node, frame, iterable)
            ends = list(frame.broken)
            if reached and (not node["otherwise"] or self.block(node["otherwise"], frame)):
                ends.append(frame.variables)
            if not ends:
                return False
            frame.variables = merged_variables(ends)
            return True
        finally:
            frame.broken, frame.continued = outer

    def _rounds(self, node: dict[str, Any], frame: Frame, iterable: Any) -> bool:
        if node["kind"] == "While":
            for _ in range(UNROLLED):
                outcome = known_truth(self.evaluate(node["test"], frame))
                if outcome is None:
                    break
                if not outcome:
                    return True
                ends = len(frame.returned) + len(frame.broken)
                if not self._round(node, frame):
                    return False
                if len(frame.returned) + len(frame.broken) > ends:
                    break  # whether it ends is not known
            self._abstract(node, frame, None, INF)
            return True
        iterable = spread(iterable)
        if isinstance(iterable, Many) and len(iterable.items) <= UNROLLED:
            for item in list(iterable.items):
                self.assign(node["target"], item, frame)
                if not self._round(node, frame):
                    return False
            return True
        element, count = self.element(iterable, node["place"])
        self._abstract(node, frame, element, count)
        return True

    def _round(self, node: dict[str, Any], frame: Frame) -> bool:
        reached = self.block(node["body"], frame)
        ends = frame.continued + ([frame.variables] if reached else [])
        frame.continued = []
        if not ends:
            return False
        frame.variables = merged_variables(ends)
        return True

    def _abstract(self, node: dict[str, Any], frame: Frame, element: Any, count: float) -> None:
        """Bound the variables over all rounds: by growth of so much a round, then checked."""
        if count == 0 and not is_private(element):
            return
        count = count or 1.0  # a neighbor has a record
        start, outer = copy.deepcopy(frame.variables), _held(frame)
        saved = self.ledger.saved()
        returned = len(frame.returned)
        private = False

        def once(state: dict[str, Any]) -> dict[str, Any]:
            frame.variables = copy.deepcopy(state)
            frame.continued, broken = [], len(frame.broken)
            if node["kind"] == "While":
                self.evaluate(node["test"], frame)
            else:
                self.assign(node["target"], renewed(element), frame)
            reached = self._round(node, frame)
            out = frame.variables if reached else state
            del frame.broken[broken:]
            return out

        rounds = ROUNDS if count == INF else count
        guess = self._all_rounds(node["body"], start, once, rounds)
        self.ledger.restore(saved)
        del frame.returned[returned:]
        self.ledger.repeats.append(self.ledger.repeats[-1] * rounds)
        frame.variables = copy.deepcopy(guess)
        try:
            if node["kind"] == "While":
                private = is_private(self.evaluate(node["test"], frame))
            else:
                self.assign(node["target"], renewed(element), frame)
                private = _is_of_record(element) and not self._is_public(node["body"])
            reached = self._round(node, frame)
        finally:
            self.ledger.repeats.pop()
        last = frame.variables if reached else guess
        frame.variables = joined_variables(guess, last)
        _validate_held(outer, node["place"])
        if private:  # so may be how often it was run
            frame.variables = changed_privately(start, frame.variables)

    def _is_public(self, round_: Any, deep: int = DEPTH) -> bool:
        """Return whether both runs have as many rounds: a proof by cost has no noise for a record.

        Noise is looked for where every round draws it, whatever tests come out.
        """
        if self.functions.strict or not deep:
            return False
        if isinstance(round_, list):
            plain = itertools.takewhile(lambda each: each["kind"] in _STRAIGHT, round_)
            return any(self._is_public(each.get("value"), deep) for each in plain)
        match round_:
            case {"kind": "Draw", "family": family}:
                return family in _NOISE
            case {"kind": "Call", "function": function, "arguments": arguments}:
                if isinstance(function, dict) and function["kind"] == "Again":
                    function = self.numbered[int(function["number"])]
                inside = isinstance(function, dict) and function["kind"] == "Function"
                drawn = inside and self._is_public(function["body"], deep - 1)
                return drawn or any(self._is_public(each, deep - 1) for each in arguments)
            case {"kind": "list" | "tuple", "items": items}:
                return any(self._is_public(each, deep - 1) for each in items)
        return False

    def _all_rounds(
        self, body: Any, start: dict[str, Any], once: Callable[..., Any], rounds: float
    ) -> dict[str, Any]:
        """Return variables that bound those after every round.

        What is within a bound before a round has to be within it afterwards. Of a variable to which
        the body only adds, it is enough that no round adds more than its share of the bound. What a
        test tells of such a variable is left out: the sum is then largest where the variable is.
        """
        first = joined_variables(start, once(start))
        step = once(first)
        rounds *= MARGIN
        guess = widened(start, first, rounds)
        guess |= {name: v for name, v in first.items() if alike(v, step.get(name))}
        better = widened(start, joined_variables(first, step), rounds)
        begun = _begun(start, first)
        for attempt in range(ATTEMPTS):
            after = once(guess)
            larger = growing(guess, after, begun, rounds)
            sums = growing(guess, after, {}, rounds)
            if not larger and sums and not only_added(body, sums, in_place=_in_place(sums)):
                break
            if not larger and sums:
                summed, self.summed = self.summed, self.summed | set(sums)
                larger = growing(guess, once(guess), begun, rounds)
                self.summed = summed
            if not larger:
                return guess
            growth = guess | larger
            guess = growth if attempt == 0 else joined_variables(better, growth)
        for _ in range(ATTEMPTS):
            after = once(guess)
            if not growing(guess, after, {}, rounds):
                return guess
            guess = unbounded(guess, after)
        raise Refused("the float analysis finds no bound of what a loop changes", "")

    def element(self, value: Any, place: str) -> tuple[Any, float]:
        """Return what a loop over a value gets in each round, and how many rounds there are."""
        if isinstance(value, Unknown):
            raise Refused(value.why, place)
        if isinstance(value, Rows):
            return value.item, value.count
        if isinstance(value, Many):
            if not value.items:
                return Thing(("some", None)), 0.0
            return reduce(joined, value.items), float(len(value.items))
        if isinstance(value, Table):
            row, count = self._entries(value)
            key = _key_in(value) if type(value) is Table else None
            return key or row, count
        if isinstance(value, Num):
            return one(value), value.size
        return Thing(("some", None)), self.records

    def _entries(self, table: Table) -> tuple[Any, float]:
        """Return one record of all that a table has, and how many there are."""
        count = max((v.size for v in table.columns.values() if isinstance(v, Num)), default=1.0)
        if table.rest is not None:
            count += table.rest.size if isinstance(table.rest, Num) else self.records
        row = Table({k: one(v) for k, v in table.columns.items()}, table.rest)
        return flat(row) if isinstance(table, Matrix) else row, count

    def effect(self, node: dict[str, Any], frame: Frame) -> None:
        """Run an expression for its effect."""
        if node["kind"] == "Call" and isinstance(node["function"], str):
            short = node["function"].rpartition(".")[2]
            if node["function"].startswith("method.") and node["arguments"]:
                of = node["arguments"][0]
                held = self.evaluate(of, frame)
                rest = [self.evaluate(item, frame) for item in node["arguments"][1:]]
                if of["kind"] == "Subscript" and short in _CHANGING:
                    around, index = (self.evaluate(of[part], frame) for part in ("value", "index"))
                    if isinstance(around, Many | Table) and (
                        is_private(index) or _known_place(around, index) is None
                    ):
                        self._perhaps_added(around, index, short, rest, frame, node["place"])
                        return
                if isinstance(held, Many | Table):
                    self._validate_apart(held, frame, node["place"])
                if isinstance(held, Many) and short in ("append", "extend", "add"):
                    if short == "extend" and isinstance(rest[-1], Many):
                        held.items.extend(rest[-1].items)
                    else:
                        held.items.append(rest[-1])
                    if len(held.items) > UNROLLED:
                        raise Refused("a list of so many items", node["place"])
                    return
                if isinstance(held, Many | Num) and short in ("sort", "reverse"):
                    ordered = short == "sort" and not rest and not node["keywords"]
                    self._reordered(held, frame, node["place"], ordered=ordered)
                    return
                if isinstance(held, Num) and short in ("append", "extend", "insert", "add", "fill"):
                    number = flat(rest[-1])
                    if isinstance(number, Unknown):
                        raise Refused(number.why, node["place"])
                    if number is not None:
                        size = held.size + number.size
                        held_now = replace(hull(held, as_item(number)), size=size)
                        self._everywhere(held, held_now, frame, node["place"])
                    return
            if node["function"] == "numpy.add.at" and len(node["arguments"]) == 3:
                self._added_at(node, frame)
                return
        self.evaluate(node, frame)

    def _reordered(self, held: Any, frame: Frame, place: str, *, ordered: bool = False) -> None:
        """Put the entries of a list or an array into an order, which is known where `ordered`."""
        if isinstance(held, Many):
            self._validate_apart(held, frame, place)
            held.items[:] = _mixed(held.items)
        elif isinstance(held, Num):
            held_now = without_norms(unrelated(replace(held)))
            span = span_of("sort", [held], {}) if ordered else None
            self._everywhere(held, replace(held_now, span=span), frame, place)

    def _perhaps_added(
        self,
        around: Many | Table,
        index: Any,
        short: str,
        given: list[Any],
        frame: Frame,
        place: str,
    ) -> None:
        """Add a value to one of several lists, each of which may be the one."""
        within = around.items if isinstance(around, Many) else [*around.columns.values()]
        within = [*within, around.rest] if isinstance(around, Table) else within
        for one_of in [each for each in within if each is not None]:
            if not isinstance(one_of, Many | Num) or short not in ("append", "add", "insert"):
                raise Refused("one of several lists, which is changed", place)
            if isinstance(one_of, Many):
                self._validate_apart(one_of, frame, place)
                grown = joined(one_of, Many([*one_of.items, given[-1]], one_of.memory))
            else:
                number = flat(given[-1])
                grown = joined(one_of, as_item(number) if isinstance(number, Num) else given[-1])
                if isinstance(grown, Num) and isinstance(number, Num):
                    grown = replace(grown, size=one_of.size + number.size, scalar=False)
            grown = privately(copy.deepcopy(grown)) if is_private(index) else grown
            self._exchange(one_of, grown, frame, place)

    def _added_at(self, node: dict[str, Any], frame: Frame) -> None:
        """Add up values at the places that records tell: all of them may be at one."""
        held, index, value = (self.evaluate(item, frame) for item in node["arguments"])
        number, places = flat(value), flat(index)
        if not (isinstance(held, Num) and isinstance(number, Num) and isinstance(places, Num)):
            raise Refused("sums in what is no array of numbers", node["place"])
        count = max(number.size, places.size)
        terms = arithmetic.total(privately(replace(number, holds=-INF, fewest=0.0)), count)
        added = arithmetic.add(held, terms, self.ledger, node["place"])
        self._everywhere(held, replace(added, size=held.size, scalar=False), frame, node["place"])

    def _everywhere(self, old: Num, new: Num, frame: Frame, place: str) -> Num:
        """Change an array under all its names, and what may share memory with it; return it.

        A caller's own values are not followed into a function.
        """
        new = replace(new, memory=old.memory | new.memory)
        within = old.low <= new.low and new.high <= old.high and new.error <= old.error
        for scope in frame.scopes():
            if scope.lent & old.memory and not within:
                raise Refused("an array that a function is given and changes", place)
            held = (each for value in scope.variables.values() for each in containers(value))
            if any(each.memory & old.memory for each in held if not isinstance(each, Num)):
                raise Refused("one of several lists, which is changed", place)
        self._exchange(old, new, frame, place)
        return new

    def _validate_apart(self, held: Many | Table, frame: Frame, place: str) -> None:
        """Refuse to change a list or dict of which another value may be a copy, or the same."""
        values = (value for scope in _around(frame) for value in scope.variables.values())
        others = (other for value in values for other in containers(value) if other is not held)
        if any(other.memory & held.memory for other in others):
            raise Refused("a list or a dict that may be another, and is changed", place)

    def _exchange(self, old: Any, new: Any, frame: Frame, place: str) -> None:
        """Put a value in the place of another; refuse where functions see that and do not change.

        They do not where they are made elsewhere.
        """
        followed = [id(scope) for scope in frame.scopes()]
        for scope in _around(frame):
            inside = scope.variables.values() if id(scope) not in followed else ()
            if any(each.memory & old.memory for value in inside for each in containers(value)):
                raise Refused("what a function sees that is made elsewhere, and is changed", place)
        frame.replace(old, new)

    def assign(self, target: dict[str, Any], value: Any, frame: Frame) -> None:
        """Bind a target."""
        match target["kind"]:
            case "Name":
                frame.variables[target["id"]] = value
            case "Starred":
                self.assign(target["value"], value, frame)
            case "tuple" | "list":
                self._unpack(target["items"], value, frame, target["place"])
            case "Subscript":
                self._store(target, value, frame)
            case other:
                raise Refused(f"an assignment to {other}", target["place"])

    def _unpack(self, targets: list[Any], value: Any, frame: Frame, place: str) -> None:
        known = list(value.columns.values()) if isinstance(value, Fields) else None
        known = value.items if isinstance(value, Many) else known
        found = None if known is None else fitted(targets, list(known), Many)
        starred = [target["kind"] == "Starred" for target in targets]
        if any(starred) and isinstance(value, Many) and found is None:
            raise Refused("values that do not fit their targets", place)
        one = self.element(value, place)[0] if found is None else None
        rest = value if isinstance(value, Num) else Many([one])
        pairs = zip(targets, [rest if each else one for each in starred], strict=True)
        for target, item in pairs if found is None else found:
            self.assign(target, item, frame)

    def _store(self, target: dict[str, Any], value: Any, frame: Frame) -> None:
        held = self.evaluate(target["value"], frame)
        sliced = target["index"]["kind"] == "Slice"
        index = None if sliced else self.evaluate(target["index"], frame)
        if is_private(index):
            value = privately(copy.deepcopy(value))
        if isinstance(held, Many | Table):
            self._validate_apart(held, frame, target["place"])
        if isinstance(held, Table):
            key = _key_of(held, index)
            if held.unit is not None and key in (None, held.unit[0]):
                held.unit = None
            if key is not None:
                held.columns[key] = value
            else:  # the entry of any key
                held.columns = {k: joined(v, value) for k, v in held.columns.items()}
                held.rest = value if held.rest is None else joined(held.rest, value)
            return
        if isinstance(held, Many):
            if sliced:
                raise Refused("a part of a list that is changed", target["place"])
            at = _position(index, len(held.items))
            if at is not None:
                held.items[at] = value
            else:
                held.items[:] = [joined(item, value) for item in held.items] or [value]
            return
        if isinstance(held, Num) and not held.scalar:
            number = flat(value)
            if isinstance(number, Unknown):
                raise Refused(number.why, target["place"])
            if number is None:
                return
            if not held.private:
                number = self.ledger.released(number, target["place"])
            if sliced and number.columns == 1 and all(cell > 0 for cell in number.memory):
                number = replace(number, memory=frozenset())  # its numbers are stored, and not it
            else:
                number = as_item(number)
            exact = number.whole and number.error == 0 and number.most * held.unit <= 1
            coarser = held.unit > number.unit and not exact
            number = replace(number, unit=held.unit, wraps=held.wraps, scalar=False)
            if held.wraps or coarser:
                number = replace(number, error=number.error + held.unit * number.most)
            kept = self._kept(target, held, frame)
            now = hull(held, number, size=held.size)
            self._everywhere(held, now, frame, target["place"])
            if kept is not None:  # other names may be of copies
                now = replace(hull(kept, number, size=held.size), memory=held.memory)
                frame.variables[target["value"]["id"]] = now
            return
        why = held.why if isinstance(held, Unknown) else "a change of what is not followed"
        raise Refused(why, target["place"])

    def _kept(self, target: dict[str, Any], held: Num, frame: Frame) -> Num | None:
        """Return what is left of an array where all beyond a limit is changed: ``x[x > 1] = 1``."""
        of, test = target["value"], target["index"]
        if of["kind"] != "Name" or test["kind"] != "Call" or of["id"] not in frame.variables:
            return None
        name = str(test["function"]).removeprefix("operator.")
        plain = name in _TURNED and len(test["arguments"]) == 2 and not test["keywords"]
        if not plain or test["arguments"][0].get("id") != of["id"] or held.noise is not None:
            return None
        limit = self.evaluate(test["arguments"][1], frame)
        if not isinstance(limit, Num) or not limit.known or limit.error:
            return None
        return arithmetic.extreme(held, limit, name in ("lt", "le"))

    def _validate_alone(self, held: Many, frame: Frame, place: str) -> None:
        """Refuse to add to a value in place that others hold: they keep a tuple as it was."""
        values = (value for scope in frame.scopes() for value in scope.variables.values())
        names = sum(each is held for value in values for each in containers(value))
        if names > 1 or any(scope.lent & held.memory for scope in frame.scopes()):
            raise Refused("a list or a tuple that others hold, and is added to", place)

    # --- expressions

    def evaluate(self, node: dict[str, Any] | None, frame: Frame) -> Any:
        """Return the value of an expression."""
        if node is None:
            return Thing(None)
        self.steps += 1
        if self.steps > 20 * STEPS:
            raise Refused("the float analysis takes too many steps", node["place"])
        kind = node["kind"].lower()
        if "element" in node:
            kind = "comprehension"
        elif kind in ("tuple", "list", "set"):
            kind = "sequence"
        made = getattr(self, "_e_" + kind, None)
        if made is None:
            return Unknown(f"the float analysis does not know {node['kind']}")
        value = made(node, frame)
        if isinstance(value, Num) and not value.scalar and not value.memory:
            object.__setattr__(value, "memory", new_memory())  # nobody has asked for it before
        return value

    def _e_constant(self, node: dict[str, Any], frame: Frame) -> Any:
        found = decoded(node["value"])
        for each in containers(found):
            if isinstance(each, Num) and not each.memory:
                object.__setattr__(each, "memory", new_memory())
            self.constants |= each.memory
        return found

    def _e_name(self, node: dict[str, Any], frame: Frame) -> Any:
        for scope in frame.scopes():
            if node["id"] in scope.variables:
                return scope.variables[node["id"]]
        return Unknown(f"nothing is known of `{node['id']}`")

    def _e_generator(self, node: dict[str, Any], frame: Frame) -> Any:
        return Thing(("generator", None))

    def _e_draw(self, node: dict[str, Any], frame: Frame) -> Any:
        given = {name: self.evaluate(value, frame) for name, value in node["arguments"]}
        self.draws += 1
        size = 1.0
        if "size" in given:
            size = self._drawn_size(given["size"])
        for value in given.values():
            if isinstance(value, Unknown):
                raise Refused(value.why, node["place"])
        if given.get("out", Thing(None)) != Thing(None):
            raise Refused("an array that a draw is written to", node["place"])
        if node["family"] == "shuffle":
            self._reordered(given.get("x"), frame, node["place"])
        return draw(node["family"], given, self.draws, size, self.ledger, node["place"])

    def _drawn_size(self, value: Any) -> float:
        if isinstance(value, Many):
            product = 1.0
            for item in value.items:
                product *= self._drawn_size(item)
            return product
        return value.high if isinstance(value, Num) else 1.0

    def _e_call(self, node: dict[str, Any], frame: Frame) -> Any:
        function, caller = node["function"], frame if node is self.whole else None
        args: list[Any] = []
        for item in node["arguments"]:
            if item["kind"] == "Starred":
                value = self.evaluate(item["value"], frame)
                args += self._starred(value, function, node["place"])
            else:
                args.append(self.evaluate(item, frame))
        keywords = {name: self.evaluate(value, frame) for name, value in node["keywords"]}
        if isinstance(function, dict):
            if function["kind"] == "Again":
                function = self.numbered[int(function["number"])]
            if function["kind"] == "Function":
                return self.call(Function(function), args, keywords, node["place"], caller)
            return Unknown("a function that the float analysis cannot read")
        if function in _MEASURES and len(args) == 1 and not keywords:
            name = function.removeprefix("numpy.")
            if isinstance(args[0], Num) and args[0].scalar:
                return {"shape": Many([]), "ndim": point(0), "size": point(1)}[name]
            return self._measured(args[0], name)
        if function.startswith("recursion:"):
            name = function.partition(":")[2]
            for known in self.numbered:
                if known["name"].rpartition(".")[2] == name:
                    return self.call(Function(known), args, keywords, node["place"])
        others = {name: value for name, value in keywords.items() if name != "out"}
        if _writes(function, args, others) or self._is_named(keywords.get("out"), frame):
            raise Refused("an array that a function is given and changes", node["place"])
        for value in keywords.values():
            if isinstance(value, Function):
                self._of_any(value, args, node["place"])
        if function in ("builtins.max", "builtins.min") and "key" in keywords and len(args) == 1:
            return self.element(args[0], node["place"])[0]
        found = self.applied(function, args, keywords, node["place"])
        return _apart(found, function, args, keywords)

    def _is_named(self, value: Any, frame: Frame) -> bool:
        """Whether a variable, or a caller, has something of a value."""
        memory = frozenset().union(*(each.memory for each in containers(value)))
        for scope in frame.scopes():
            held = (each for v in scope.variables.values() for each in containers(v))
            if scope.lent & memory or any(each.memory & memory for each in held):
                return True
        return False

    def _starred(self, value: Any, function: Any, place: str) -> list[Any]:
        """Return the arguments that a star makes of a value in a call."""
        value = spread(value) if type(value) is Table else value
        if isinstance(value, Many):
            return list(value.items)
        if type(value) is Table and _key_in(value) is not None:
            raise Refused("a dict of unknown length after a star", place)
        if not isinstance(value, Num):
            return [value]
        if value.size <= _STARRED:
            return [one(value)] * math.ceil(value.size)
        if not (isinstance(function, str) and function in _OF_ANY_NUMBER):
            raise Refused("an array of unknown length after a star", place)
        return [one(value)]

    def call(
        self,
        function: Function,
        args: list[Any],
        keywords: dict[str, Any],
        place: str,
        caller: Frame | None = None,
    ) -> Any:
        """Call a function whose source was read.

        Where `caller` is given, what the function changes of arrays is followed there: nothing else
        has them at hand.
        """
        if function.scope is None:
            return self._memoized(function, args, keywords, place, caller)
        return self._called(function, args, keywords, place, caller)

    def _of_any(self, function: Function, given: list[Any], place: str) -> Any:
        """Call a function that a library calls as often as it likes: it may change nothing."""
        held = [value for value in given if not isinstance(value, Function)]
        before = _held(Frame({_GIVEN: Many(held)}, function.scope), itself=True)
        of = next((value for value in held if any(containers(value))), held[0] if held else None)
        element = self.element(of, place)[0] if held else Thing(None)
        found = self.call(function, [element], {}, place)
        _validate_held(before, place)
        return found

    def _memoized(
        self,
        function: Function,
        args: list[Any],
        keywords: dict[str, Any],
        place: str,
        caller: Frame | None,
    ) -> Any:
        """Call a function, or charge again what the same call charged before."""
        held = [*args, *keywords.values()]
        plain = all(
            isinstance(value, Thing) or (isinstance(value, Num) and not is_related(value))
            for value in held
        )
        if not plain or not self.ledger.repeats[-1]:  # no round at all charges nothing
            return self._called(function, args, keywords, place, caller)
        looped = self.functions.depth > 0
        at = tuple(map(memory_of, held))  # what is returned may be there
        key = (id(function.node), looped, tuple(args), tuple(keywords.items()), at)
        repeats = self.ledger.repeats[-1]
        if key not in self.memo:
            loss, crossing = self.ledger.loss, self.ledger.crossing
            changes = self.changes
            result = self._called(function, args, keywords, place, caller)
            changed = self.changes > changes
            if changed or not isinstance(result, Num | Thing) or is_related(result):
                return result
            charged = (
                (self.ledger.loss - loss) / repeats,
                (self.ledger.crossing - crossing) / repeats,
            )
            self.memo[key] = (result, *charged)
            return result
        result, loss, crossing = self.memo[key]
        self.ledger.loss += loss * repeats
        self.ledger.crossing += crossing * repeats
        return renewed(result)

    def _called(
        self,
        function: Function,
        args: list[Any],
        keywords: dict[str, Any],
        place: str,
        caller: Frame | None,
    ) -> Any:
        node = function.node
        if node["kind"] == "Again":
            node = self.numbered[int(node["number"])]
        names = [name for name in node["parameters"] if name != node["starred"]]
        variables = dict(zip(names, args, strict=False))
        if node["starred"]:
            variables[node["starred"]] = Many(args[len(names) :])
        variables |= keywords
        for name in names:
            if name not in variables and name not in function.bound:
                default = node["defaults"].get(name)
                variables[name] = (
                    self.evaluate(default, Frame({})) if default
                    else Unknown(f"nothing is known of `{name}`")
                )  # fmt: skip
        given = list(variables.values())
        lent = frozenset().union(*(each.memory for value in given for each in containers(value)))
        if caller is not None and function.scope is None:
            lent &= self._unfollowed(given, caller)
        inner = Frame({**variables, _GIVEN: Many([*given])}, function.scope, lent=lent)
        result = self._body(node, inner)
        ends = [end[_GIVEN] for end in inner.left]
        for end in ends[1:]:
            ends[0] = joined(ends[0], end)
        for held, now in zip(given, ends[0].items if ends else given, strict=True):
            if caller is not None and isinstance(held, Many) and not isinstance(now, Many):
                self.changes += 1
                self._validate_apart(held, caller, place)
                longer = in_memory(now, held.memory)  # it may be
                self._exchange(held, longer, caller, place)
                continue
            _change(held, now, place)
            if caller is not None and isinstance(held, Num) and not alike(held, now):
                self.changes += 1
                self._everywhere(held, hull(held, now), caller, place)
        return result

    def _unfollowed(self, given: list[Any], caller: Frame) -> frozenset[int]:
        """Return where arrays are of which a change is not followed from a function to its caller.

        That is what lists and functions hold that are given too, what functions see that the caller
        may call, and constants.
        """
        if any(_functions(value) for value in given):
            held = list(given)
        else:
            held = [value for value in given if not isinstance(value, Num)]
        followed = [id(scope) for scope in caller.scopes()]
        for scope in _around(caller):
            held += scope.variables.values() if id(scope) not in followed else ()
        found = (each.memory for value in held for each in containers(value))
        return self.constants.union(*found)

    def applied(self, name: str, args: list[Any], keywords: dict[str, Any], place: str) -> Any:
        """Apply a function of a library."""
        short = name.rpartition(".")[2]
        if name.startswith("method.") and args and short in _CHANGED_BY.get(type(args[0]), ()):
            raise Refused(f"`{short}` in an expression", place)
        if short in ("is_", "is_not") and len(args) == 2 and args[1] == Thing(None):
            nothing = args[0] == Thing(None)
            if nothing or isinstance(args[0], Num | Many | Table | Rows | Function):
                return point(nothing is (short == "is_"))
        if name == "builtins.isinstance" and args[1:] == [_INTEGERS] and isinstance(args[0], Many):
            return point(False)
        if name == "functools.partial" and len(args) == 1 and isinstance(args[0], Function):
            of = args[0]
            if any(True for value in keywords.values() for _ in containers(value)):
                return Unknown("a function that holds what may be changed")
            return replace(of, scope=Frame(keywords, of.scope), bound=of.bound | set(keywords))
        if name == "operator.call" and args:
            if isinstance(args[0], Function):
                return self.call(args[0], args[1:], keywords, place)
            named = args[0].value if isinstance(args[0], Thing) else None
            if isinstance(named, tuple) and named[0] == "callable":
                return self.applied(named[1], args[1:], keywords, place)
        if name == "operator.call" and len(args) == 2 and isinstance(args[1], Num):
            return self.functions._to(args[1], "float16", place)  # a type that is not known
        if name == "builtins.range":
            return self._range(args, place)
        if name == "itertools.product":
            return _products(args, keywords)
        if name == "pandas.MultiIndex.from_product" and args and isinstance(args[0], Many):
            return _products(args[0].items, {})
        if name in ("pandas.Index", "pandas.MultiIndex.from_tuples") and args:
            name = "builtins.list"
        if name in ("builtins.enumerate", "builtins.zip"):
            start = [keywords["start"]] if "start" in keywords else []
            return self._zipped(name, [*args, *start], place)
        if name in ("collections.Counter", "collections.defaultdict") and not keywords:
            return self._of_labels(name, args, place)
        name = "builtins.dict" if name == "collections.OrderedDict" else name
        if name == "builtins.dict" and (not args or isinstance(args[0], Table)):
            held = args[0] if args else Table({})
            return Table(held.columns | keywords, held.rest)
        if name == "builtins.dict" and args and isinstance(args[0], Many | Rows):
            held = args[0]
            return Table({}, flat(held.item)) if isinstance(held, Rows) else _keyed(held.items)
        if name in ("builtins.list", "builtins.tuple", "builtins.sorted", "builtins.set"):
            if args and type(args[0]) is Table:
                args = [self._of_table("keys", args, {}, place), *args[1:]]
            if name == "builtins.set" and args:
                return _distinct(args[0])
            if args and isinstance(args[0], Many):
                ordered = name in ("builtins.list", "builtins.tuple")
                return Many(list(args[0].items) if ordered else _mixed(args[0].items))
            if name == "builtins.sorted" and args and isinstance(args[0], Num):
                return unrelated(args[0])
            return args[0] if args else Many([])
        if name == "pandas.merge" and len(args) > 1 and isinstance(args[0], Table):
            return self._merged(args[0], args[1], place)
        if name == "pandas.DataFrame" and args and isinstance(args[0], Table):
            return replace(args[0], framed=True, memory=new_memory())
        if name == "pandas.DataFrame" and args and isinstance(args[0], Num):
            names = getattr(keywords.get("columns"), "items", [])
            return Table({getattr(each, "value", None): args[0] for each in names}, framed=True)
        if name == "pandas.DataFrame" and args and isinstance(args[0], Rows):
            titles = getattr(keywords.get("columns"), "items", [])
            entries = getattr(args[0].item, "items", [args[0].item] * len(titles))
            if titles and len(entries) == len(titles):
                wide = [_wide(entry, args[0].count) for entry in entries]
                keys = [getattr(each, "value", None) for each in titles]
                return Table(dict(zip(keys, wide, strict=True)), framed=True)
        if name == "method.groupby" and args and isinstance(args[0], Num):
            of_users = len(args) > 1 and id(args[1]) in self.users
            return Groups(args[0], self.records, of_users)
        if args and isinstance(args[0], Groups):
            return self._of_groups(short, args, keywords, place)
        if name.startswith("method.") and args and isinstance(args[0], Table):
            found = self._of_table(short, args, keywords, place)
            if found is not None:
                return found
        if name in _OF_EACH and len(args) > 1 and isinstance(args[1], Function | Table):
            return self._of_each(args[0], args[1], place)
        if name == "method.map" and len(args) == 2 and isinstance(args[1], Num | Many):
            return self._of_each(args[0], Table({}, flat(args[1])), place)  # by a series
        for index, value in enumerate(args):
            if isinstance(value, Function):  # a key by which something is chosen
                args = [*args[:index], self._of_any(value, args, place), *args[index + 1 :]]
        keywords = {
            key: value for key, value in keywords.items() if not isinstance(value, Function)
        }
        return _unframed(self.functions.apply(name, args, keywords, place))

    def _of_each(self, held: Any, function: Any, place: str) -> Any:
        """Return what a function, or a dict, has for each value of a column or each row."""
        of = self._row if type(held) is Table else self.element
        element, count = of(held, place)
        found = function if isinstance(function, Table) else None
        before = [] if found else _held(Frame({}, function.scope), itself=True)
        self.ledger.repeats.append(self.ledger.repeats[-1] * count)
        try:
            with self.functions.each():
                value = self.call(function, [element], {}, place) if found is None else found
        finally:
            self.ledger.repeats.pop()
        _validate_held(before, place)
        if isinstance(value, Thing):  # a text, as a column of texts is
            return Thing(("some", None))
        number = flat(value)
        if not isinstance(number, Num):
            return number or Unknown("a function of each value that gives no number")
        return replace(number, scalar=False, size=count, fewest=0.0, shape=None)

    def _of_labels(self, name: str, args: list[Any], place: str) -> Any:
        """Return a dict with a number for any label, or a list."""
        if name == "collections.Counter":
            most = self.element(args[0], place)[1] if args else 0.0
            if len(args) > 1 or (args and isinstance(args[0], Table)):
                return Unknown("the float analysis has no rule for this `Counter`")
            return Table({}, Num(0.0, most, whole=True, unit=EXACT, private=bool(args)))
        kind = args[0].value if len(args) == 1 and isinstance(args[0], Thing) else None
        empty = {"int": point(0), "float": point(0.0), "list": Many([])}
        word = str(kind[1]).removeprefix("builtins.") if isinstance(kind, tuple) else ""
        return Table({}, empty[word]) if word in empty else Unknown("a dict with these defaults")

    def _range(self, args: list[Any], place: str) -> Any:
        given = numbers(args, place)
        if all(n.known for n in given) and given:
            ends = [int(n.low) for n in given]
            if len(range(*ends)) <= UNROLLED:
                return Many([point(i) for i in range(*ends)])
        if not given:
            return Unknown("a range to something that is no number")
        top = given[0] if len(given) == 1 else given[1]
        low = 0.0 if len(given) == 1 else given[0].low
        size = max(abs(top.high - low), abs(top.low - low))
        return Num(min(low, top.low), max(low, top.high), whole=True, size=size, scalar=False,
                   private=is_private(*args))  # fmt: skip

    def _zipped(self, name: str, args: list[Any], place: str) -> Any:
        first = 0
        if name == "builtins.enumerate":
            start = _whole(args[1]) if len(args) > 1 else 0
            if not isinstance(start, int):
                return Unknown("places that are counted from a number that is not known")
            first, args = start, args[:1]
        args = [spread(value) for value in args]
        if all(isinstance(value, Many) for value in args):
            rows = [list(row) for row in zip(*(value.items for value in args), strict=False)]
            if name == "builtins.enumerate":
                return Many([Many([point(i), row[0]]) for i, row in enumerate(rows, first)])
            return Many([Many(row) for row in rows])
        elements = [self.element(value, place) for value in args]
        told = [value.size for value in args if isinstance(value, Num)]
        told += [float(len(value.items)) for value in args if isinstance(value, Many)]
        count = min(told) if told else max(found[1] for found in elements)  # the shortest ends it
        items = [found[0] for found in elements]
        if name == "builtins.enumerate":
            private = is_private(*args)
            items.insert(0, Num(first, count + first, whole=True, unit=EXACT, private=private))
        return Rows(Many(items), count)

    def _of_table(self, short: str, args: list[Any], keywords: dict[str, Any], place: str) -> Any:
        table = args[0]
        if short in ("get", "get_column", "setdefault") and len(args) > 1:
            return self._given(table, *args[1:], kept=short == "setdefault")
        if short == "to_numpy":
            return Matrix(table.columns, table.rest)
        if short == "groupby":
            by = args[1] if len(args) > 1 else Thing(None)
            of_units = table.unit is not None and by == Thing(table.unit[0])
            most = table.unit[1] if of_units else self.records
            return Groups(table, min(most, self.records), most == INF)
        if short == "sort_values":
            return replace(some_of(table), memory=new_memory())
        if short == "drop_duplicates" and table.unit is not None and table.unit[1] == INF:
            of_units = [_key(value) for value in args[1:]] == [table.unit[0]]
            return replace(some_of(table), unit=(table.unit[0], 1.0) if of_units else None)
        if short in ("copy", "drop_nulls", "dropna", "view", "reset_index", "collect", "drop"):
            if short == "dropna":
                validate_held(list(leaves(table)), place)
            return some_of(table) if short in FEWER else table
        if short == "rename" and isinstance(keywords.get("columns"), Table):
            names = keywords["columns"].columns
            new = {n: getattr(names.get(n), "value", n) for n in table.columns}
            columns = {new[n]: v for n, v in table.columns.items()}
            return replace(table, columns=columns, memory=new_memory())
        if short == "merge" and len(args) > 1:
            return self._merged(table, args[1], place)
        if short == "select_dtypes":
            numbers = {n: v for n, v in table.columns.items() if isinstance(v, Num)}
            return replace(table, columns=numbers, memory=new_memory())
        if short == "assign" and len(args) == 1:
            return replace(table, columns=table.columns | keywords, memory=new_memory())
        if short in ("iterrows", "itertuples"):
            return self._by_row(short, table, keywords, place)
        if short in _OF_COLUMNS and table.columns and table.rest is None:
            found = {
                key: self.functions.apply(f"method.{short}", [value, *args[1:]], keywords, place)
                for key, value in table.columns.items()
            }
            return Table(found) if short in _STILL_COLUMNS else Many(list(found.values()))
        if short in ("keys", "items", "values") and table.rest is not None:
            return self._unnamed(table, short)
        if short == "keys":
            return Many([_of_key(key) for key in table.columns], table.memory)
        if short in ("items",):
            each = [Many([_of_key(k), v]) for k, v in table.columns.items()]
            return Many(each, table.memory)  # a view: it shows what the dict holds later
        if short == "values" and table.rest is None:
            return Many(list(table.columns.values()), table.memory)
        return None

    def _merged(self, table: Table, other: Any, place: str) -> Any:
        """Return a frame with the columns of a table of known rows, one of which a record has."""
        if not isinstance(other, Table) or other.rest is not None:
            return Unknown("a merge with what is no table")
        some, columns = some_of(table), {}
        for name, column in other.columns.items():
            of = flat(column)
            if isinstance(of, Num):
                columns[name] = replace(
                    some_of(replace(of, scalar=False)), size=self.records, private=True
                )
            elif name not in table.columns:
                columns[name] = Thing(("some", None))
        return replace(some, columns=columns | some.columns, memory=new_memory())

    def _by_row(self, short: str, table: Table, keywords: dict[str, Any], place: str) -> Rows:
        """Return the rows of a frame, with labels of which nothing is known."""
        row, count = self._row(table, place) if short == "iterrows" else self._entries(table)
        label: Any = Thing(("some", None))
        if short == "iterrows":
            return Rows(Many([label, row]), count)
        first = {} if _whole(keywords.get("index")) == 0 else {"Index": label}
        return Rows(Fields(first | row.columns, row.rest), count)

    def _row(self, table: Table, place: str) -> tuple[Any, float]:
        """Return a row as a series, which has one type, and how many there are."""
        row, count = self._entries(table)
        numbers = [v for v in row.columns.values() if isinstance(v, Num)]
        if all(v.whole for v in numbers):
            return row, count
        cast = {n: self.functions._to(v, "float64", place) for n, v in row.columns.items()}
        return replace(row, columns=cast, memory=new_memory()), count

    def _of_groups(self, short: str, args: list[Any], keywords: dict[str, Any], place: str) -> Any:
        """Return what each group comes to: as many numbers as there may be records."""
        groups = args[0]
        if short in ("head", "tail"):
            return _with_so_many(groups, args[1:])
        if short == "len":
            return Num(0.0, self.records, whole=True, unit=EXACT)
        if short in ("agg", "aggregate"):
            if len(args) == 2 and isinstance(args[1], Many):
                words = [str(getattr(word, "value", word)) for word in args[1].items]
                return Table({w: self._of_groups(w, [groups], {}, place) for w in words})
            asked = keywords if len(args) == 1 else getattr(args[1], "columns", {})
            columns = {}
            for name, how in asked.items():
                source, word = how.items if isinstance(how, Many) else (Thing(name), how)
                if not isinstance(word, Thing):
                    return Unknown("an aggregate of groups that is not known")
                column = replace(groups, of=self._column(groups.of, source))
                columns[name] = self._of_groups(str(word.value), [column], {}, place)
            return Table(columns)
        if isinstance(groups.of, Table):
            if short == "size":
                return Num(1.0, groups.most, whole=True, size=self.records, scalar=False)
            of = groups.of
            return Table({
                name: self._of_groups(short, [replace(groups, of=value)], keywords, place)
                for name, value in of.columns.items()
            })  # fmt: skip
        if isinstance(groups.of, Thing) and short in ("first", "last"):
            return groups.of
        if short in ("size", "count", "nunique"):
            return Num(1.0, groups.most, whole=True, size=self.records, scalar=False)
        if not isinstance(groups.of, Num) or short not in ("sum", *_LIKE_ONE):
            return Unknown(f"the float analysis has no rule for `{short}` of groups")
        if short in ("first", "last"):
            return some_of(groups.of)
        plain = replace(groups.of, fewest=0.0, holds=-INF, size=groups.most)
        found = self.functions.apply(f"method.{short}", [plain], {}, place)
        signed = plain.low >= 0 or plain.high <= 0 or plain.error == 0
        if groups.of_users and short == "sum" and signed and found.error < INF:
            # The proof holds for any number on this side of 0, so for the float that it is. A sum
            # that overflows may be on the other side, or none at all.
            found = replace(found, error=0.0)
        return replace(found, size=self.records, scalar=False, holds=-INF, peak=None)

    def _unnamed(self, table: Table, short: str) -> Any:
        """Return the keys, values or items of a dict some keys of which are not known."""
        value = flat(table)
        if isinstance(value, Unknown):
            return value
        single = isinstance(table.rest, Num) and table.rest.scalar
        key = Thing(("some", None))
        count = len(table.columns) + self.records if value is None or single else value.size
        held = Thing(("some", None)) if value is None else one(value)
        if short == "values":
            plain = isinstance(held, Num) and held.noise is None
            found = in_memory(_wide(held, count) if plain else held, table.memory)
            return found if plain else Rows(found, count)
        return Rows(key if short == "keys" else Many([key, held], table.memory), count)

    def _given(self, table: Table, index: Any, default: Any = None, *, kept: bool) -> Any:
        """Return an entry of a dict, or what stands for it where it is missing."""
        key = _key_of(table, index)
        if default is None or (key is not None and key in table.columns):
            return self._column(table, index)
        found = _any_entry(table) if key is None else table.rest
        found = default if found is None else joined(found, default)
        if kept:
            table.rest = found
        return found

    def _column(self, table: Table, index: Any) -> Any:
        key = _key_of(table, index)
        if key is not None and key in table.columns:
            column = table.columns[key]
            if table.unit == (key, INF):
                self.users[id(column)] = column
            return column
        if key is not None and table.rest is not None:
            return table.rest
        if key is None:
            found = _any_entry(table)
            return Thing(("some", None)) if found is None else found
        return Unknown(f"nothing is known of the column {key!r}")

    def _e_starred(self, node: dict[str, Any], frame: Frame) -> Any:
        return self.evaluate(node["value"], frame)

    def _e_slice(self, node: dict[str, Any], frame: Frame) -> Any:
        return Thing(("slice", None))

    def _e_subscript(self, node: dict[str, Any], frame: Frame) -> Any:
        index = self.evaluate(node["index"], frame)
        if node["value"].get("name") == "shape" and _whole(index) in (0, 1, 2):
            array = self.evaluate(node["value"]["value"], frame)
            length = self._axis(array, _whole(index), node["place"])
            if length is not None:
                return length
        held = self.evaluate(node["value"], frame)
        if is_private(index) and not is_private(held):
            held = privately(copy.deepcopy(held))
        sliced = node["index"]["kind"] == "Slice"
        if isinstance(held, Unknown):
            return held
        if isinstance(held, Rows):
            return held.item
        if isinstance(held, Table):
            if node["value"].get("name") == "iloc" and isinstance(index, Many):
                index = _named(held, index)
            if isinstance(index, Thing):
                return held if sliced else self._column(held, index)
            if isinstance(index, Many) and _key_of(held, index) is not None:
                return self._column(held, index)
            if isinstance(index, Many):
                return _some_columns(held, index) or flat(held) or held
            if isinstance(index, Num) and index.scalar:
                of_names = all(isinstance(key, str) for key in held.columns)
                row = of_names and (held.columns or held.framed)
                return self._entries(held)[0] if row else self._column(held, index)
            return self._column(held, index) if isinstance(index, Table) else held
        if isinstance(held, Groups):
            if isinstance(index, Many) and isinstance(held.of, Table):
                return replace(held, of=_some_columns(held.of, index) or held.of)
            return replace(held, of=self._column(held.of, index))
        if isinstance(held, Many):
            at = _position(index, len(held.items))
            if at is not None:
                return held.items[at]
            if sliced:
                bounds = [
                    None if node["index"][end] is None
                    else _whole(self.evaluate(node["index"][end], frame))
                    for end in ("start", "stop", "step")
                ]  # fmt: skip
                if "?" not in bounds:
                    return Many(held.items[slice(*bounds)])
                return Many(list(held.items))
            if not held.items:
                return Unknown("an item of an empty list")
            return self.element(held, node["place"])[0]
        if isinstance(held, Num):
            picks = index.items if isinstance(index, Many) else [index]
            label = isinstance(index, Thing) and isinstance(index.value, str)
            single = label and held.shape is not None and len(held.shape) == 1  # of a series
            if single or (all(isinstance(i, Num) and i.scalar for i in picks) and not sliced):
                last = held.rising and _whole(index) == -1
                low = max(held.low, held.holds) if last else held.low
                return replace(one(held), low=low)
            wide = any(p == Thing(None) for p in picks)  # an axis of length 1
            some = replace(held, shape=None, holds=-INF, rising=False, span=None)
            some = replace(some, columns=INF) if wide else without_norms(some)
            if isinstance(index, Num) and not index.scalar and index.size > held.size:
                some = replace(some, size=index.size * math.prod((held.shape or (1,))[1:]))
            elif sliced or (isinstance(index, Num) and index.high <= 1):
                some = replace(some, fewest=0.0)
            for places in picks if isinstance(index, Many) else ():
                number = flat(places) if isinstance(places, Num | Many) else None
                if not isinstance(number, Num) or number.scalar:
                    continue
                if number.size > held.size:  # some are taken again
                    some = replace(some, size=some.size * number.size, fewest=0.0, columns=INF)
            self.ledger.parts[id(some)] = some, held
            return some
        return Thing(("some", None))

    def _axis(self, array: Any, at: int | None, place: str) -> Any:
        """Return how long an axis of an array or a frame is, None where its shape is known."""
        if isinstance(array, Table):
            parts = array.columns.values()
            known = isinstance(array, Matrix) or array.framed
            known = known and not any(isinstance(v, Num) and v.scalar for v in parts)
        else:
            known = isinstance(array, Num) and array.shape is None and not array.scalar
        if not known:
            return None
        if at == 0:
            return self.functions.apply("builtins.len", [array], {}, place)
        if isinstance(array, Table):
            return point(len(array.columns)) if array.rest is None and at == 1 else None
        length = one(self._measured(array, "shape"))
        return length if self.turned else privately(_columns(array, length), private=False)

    def _lengths(self, target: dict[str, Any], value: dict[str, Any], frame: Frame) -> Many | None:
        """Return the lengths of the axes of an array that are unpacked, None of other values."""
        unpacked = target["kind"] in ("tuple", "list") and value.get("name") == "shape"
        if not unpacked or value["value"]["kind"] != "Name":
            return None
        array = self.evaluate(value["value"], frame)
        places = range(len(target["items"]))
        found = [self._axis(array, at, value["place"]) for at in places]
        return None if any(length is None for length in found) else Many(found)

    def _measured(self, held: Any, name: str) -> Any:
        """Return the shape, the number of entries or of dimensions."""
        if name == "shape" and isinstance(held, Num) and held.shape is not None:
            return Many([point(length) for length in held.shape])
        number = flat(held)
        most = number.size if isinstance(number, Num) else self.records
        if isinstance(held, Table):
            most = max((v.size for v in held.columns.values() if isinstance(v, Num)), default=1)
        least = number.fewest if isinstance(number, Num) and name == "size" else 0.0
        public = self.sized and isinstance(held, Num) and held.size == held.fewest
        private = is_private(held) and not public
        found = Num(least, most, whole=True, unit=EXACT, private=private)
        return replace(found, scalar=False) if name == "shape" else found

    def _e_attribute(self, node: dict[str, Any], frame: Frame) -> Any:
        held = self.evaluate(node["value"], frame)
        name = node["name"]
        if isinstance(held, Table) and name in held.columns:
            return held.columns[name]
        if isinstance(held, Groups):
            return replace(held, of=self._column(held.of, Thing(name)))
        if name == "values" and isinstance(held, Table):
            return Matrix(held.columns, held.rest)
        if name in ("shape", "size", "ndim"):
            return self._measured(held, name)
        if name in ("names", "columns") and isinstance(held, Table):
            return Many([_of_key(key) for key in held.columns])
        if name == "dtype":
            double = isinstance(held, Num) and held.unit == DOUBLE and not held.whole
            named = Thing("float64" if double else ("some", None))
            return held if isinstance(held, Table) else named
        if name in ("numerator", "denominator") and isinstance(held, Num):
            low = -INF if held.low < 0 else 0.0
            return Num(low, 2.0**1000, whole=True, unit=0.0, private=held.private)
        if isinstance(held, Thing):
            return held
        number = flat(held)
        if name in ("T", "flat") and isinstance(held, Num | Matrix) and isinstance(number, Num):
            return replace(number, shape=None, columns=number.size if name == "T" else 1.0)
        if name in ("T", "values", "real", "flat", "loc", "iloc", "at", "iat", "array"):
            return _unframed(held)
        if name == "index" and isinstance(held, Table | Num):
            number = flat(held)
            many = getattr(number, "size", self.records)
            return Num(-INF, INF, whole=True, size=many, unit=EXACT, scalar=False)
        return number if isinstance(number, Unknown) else Unknown(
            f"the float analysis has no rule for `.{name}`")  # fmt: skip

    def _e_sequence(self, node: dict[str, Any], frame: Frame) -> Any:
        items: list[Any] = []
        for item in node["items"]:
            value = self.evaluate(item, frame)
            if item["kind"] == "Starred" and isinstance(value, Many):
                items += value.items
            else:
                items.append(value)
        return _distinct(Many(items)) if node["kind"] == "set" else Many(items)

    def _e_mapping(self, node: dict[str, Any], frame: Frame) -> Any:
        columns: dict[Any, Any] = {}
        rest: Any = None
        for key_node, value_node in node["items"]:
            key = _key(self.evaluate(key_node, frame))
            value = self.evaluate(value_node, frame)
            if key is not None:
                columns[key] = value
            else:
                rest = value if rest is None else joined(rest, value)
        return Table(columns, rest)

    def _e_comprehension(self, node: dict[str, Any], frame: Frame) -> Any:
        with self.functions.each():
            return self._clauses(node, node["clauses"], Frame({}, frame))

    def _clauses(self, node: dict[str, Any], clauses: list[Any], frame: Frame) -> Any:
        if not clauses:
            return self.evaluate(node["element"], frame)
        target, iterable_node, conditions = clauses[0]
        iterable = self.evaluate(iterable_node, frame)
        if isinstance(iterable, Unknown):
            return iterable
        iterable = spread(iterable) if isinstance(iterable, Table) else iterable
        if isinstance(iterable, Many) and len(iterable.items) <= UNROLLED:
            found, chosen = [], []
            for item in list(iterable.items):
                self.assign(target, item, frame)
                tests = [self._perhaps(c, frame) for c in conditions]
                outcomes = [known_truth(test) for test in tests]
                if False in outcomes:
                    continue
                if None not in outcomes:
                    inside = self._clauses(node, clauses[1:], frame)
                else:
                    inside = self._perhaps(node, frame, clauses[1:])
                if None in outcomes:  # there may be no such item
                    inside = renewed(inside)
                    chosen += tests
                found += inside.items if len(clauses) > 1 and isinstance(inside, Many) else [inside]
            if node["kind"] == "dict":
                return _keyed(found)
            return _some(found, private=is_private(*chosen)) if chosen else Many(found)
        element, count = self.element(iterable, node["place"])
        self.assign(target, element, frame)
        tests = [self._perhaps(c, frame) for c in conditions]
        alike = not tests and len(clauses) == 1 and self._is_public(node["element"])
        private = is_private(*tests) or (_is_of_record(element) and not alike)
        self.ledger.repeats.append(self.ledger.repeats[-1] * count)
        try:
            inside = self._perhaps(node, frame, clauses[1:])
        finally:
            self.ledger.repeats.pop()
        inside = privately(inside) if private else inside
        if node["kind"] == "dict" and isinstance(inside, Many):
            return Table({}, _wide(inside.items[-1], count))
        if isinstance(inside, Many):
            inside = Many([_wide(item, count) for item in inside.items], inside.memory)
            return Rows(inside, count)
        every = len(clauses) == 1 and not conditions and _number_of(iterable) == count
        return _wide(inside, count, every=every)

    def _e_choice(self, node: dict[str, Any], frame: Frame) -> Any:
        test = self.evaluate(node["test"], frame)
        outcome = known_truth(test)
        if outcome is not None:
            value = self.evaluate(node["yes"] if outcome else node["no"], frame)
            return privately(copy.deepcopy(value)) if is_private(test) else value
        found = joined(*(self._perhaps(node[side], frame) for side in ("yes", "no")))
        return privately(copy.deepcopy(found)) if is_private(test) else found

    def _e_logic(self, node: dict[str, Any], frame: Frame) -> Any:
        found: Any = None
        for operand in node["operands"]:
            value = (self.evaluate if found is None else self._perhaps)(operand, frame)
            outcome = known_truth(value)
            if found is not None:
                value_or = joined(found, value)
                value = privately(copy.deepcopy(value_or)) if is_private(found) else value_or
            found = value
            if outcome is (node["operator"] == "or"):
                return value if found is value else found
        return found

    def _perhaps(self, node: dict[str, Any], frame: Frame, clauses: list[Any] | None = None) -> Any:
        """Return the value of an expression, or an element, that may not be evaluated once.

        It may change nothing, since that would have to stand for what was before too.
        """
        act = self.evaluate if clauses is None else partial(self._clauses, clauses=clauses)
        if not _may_change(node):
            return act(node, frame=frame)
        before = _held(frame, itself=True)
        value = act(node, frame=frame)
        _validate_held(before, node["place"])
        return value

    def _e_named(self, node: dict[str, Any], frame: Frame) -> Any:
        value = self.evaluate(node["value"], frame)
        self.assign(node["target"], value, frame)
        return value

    def _e_closure(self, node: dict[str, Any], frame: Frame) -> Any:
        return Function(node["function"], frame)


def _first(node: Any) -> Any:
    """Return what is evaluated first of an expression that makes a tuple or a list."""
    while node is not None and node["kind"].lower() in ("tuple", "list") and node.get("items"):
        node = node["items"][0]
    return node


def _columns(array: Any, length: Any) -> Any:
    """Return how long a later axis is: at least 1 where there are numbers."""
    if not isinstance(array, Num) or not isinstance(length, Num):
        return length
    most = array.columns if array.columns > 1 else INF
    return replace(length, low=min(array.fewest, 1.0), high=min(length.high, most))


def one(value: Any) -> Any:
    """Return an entry of an array."""
    if isinstance(value, Num):
        value = without_norms(value)
    if isinstance(value, Num) and value.columns > 1:
        most = min(value.columns, value.size)
        return replace(unrelated(value), size=most, columns=most, fewest=0.0)
    if isinstance(value, Num):  # of an array it is a number, of a list it may be an array
        memory = value.memory if any(cell < 0 for cell in value.memory) else frozenset()
        value = replace(value, holds=-INF, rising=False, span=None)
        return replace(value, size=1.0, scalar=True, memory=memory)
    return value


def spread(value: Any) -> Any:
    """Return the entries of an array whose length is known and small, the keys of a dict."""
    if type(value) is Table and value.rest is None and value.columns:
        columns = value.columns.values()
        single = all(isinstance(v, Num) and v.scalar and not v.fewest for v in columns)
        if single or value.framed:
            return Many([_of_key(key) for key in value.columns])
    number = _number_of(value)
    if number is None or not 0 < number <= 64:
        return value
    if isinstance(value, Num):
        return Many([replace(one(value), fewest=0.0) for _ in range(int(number))])
    return Many([Table({k: one(v) for k, v in value.columns.items()}) for _ in range(int(number))])


def _unframed(value: Any) -> Any:
    """Return what may be no frame any more, and has rows that a loop goes through."""
    return replace(value, framed=False) if isinstance(value, Table) and value.framed else value


def _named(table: Table, index: Many) -> Any:
    """Return the name of a column that is asked for by its number, another index as it is."""
    at = _whole(index.items[-1]) if len(index.items) == 2 and table.rest is None else None
    names = list(table.columns)
    return Thing(names[at]) if isinstance(at, int) and -len(names) <= at < len(names) else index


def _with_so_many(groups: Groups, count: list[Any]) -> Any:
    """Return a frame that has so many rows of each group."""
    of = groups.of
    if not isinstance(of, Table) or not groups.of_users or of.unit is None:
        return of
    known = len(count) == 1 and isinstance(count[0], Num) and count[0].known
    return replace(of, unit=(of.unit[0], count[0].high) if known else None)


def _some_columns(table: Table, index: Many) -> Table | None:
    """Return the columns of some names, None for another index."""
    keys = [_key(item) for item in index.items]
    if not keys or any(not isinstance(key, str) or key not in table.columns for key in keys):
        return None
    return replace(table, columns={key: table.columns[key] for key in keys}, rest=None)


def _any_entry(table: Table) -> Any:
    """Return what stands for any entry of a dict, None where it has none."""
    found = table.rest
    for value in table.columns.values():
        found = value if found is None else joined(found, value)
    return found


def _wide(value: Any, count: float, *, every: bool = False) -> Any:
    """Return as many as `count` of a value, as many as that where there are `every` one."""
    if not isinstance(value, Num):
        return value
    least = 1.0 if value.scalar else value.fewest if value.fewest == value.size else 0.0
    columns = 1.0 if value.scalar else value.size
    return replace(as_item(value), size=value.size * count, scalar=False, columns=columns,
                   fewest=least * count if every else 0.0)  # fmt: skip


def _number_of(value: Any) -> float | None:
    """Return how many records a column or a table has, None where that is not known."""
    if type(value) is Table and value.rest is None:
        numbers = {_number_of(column) for column in value.columns.values()}
        return numbers.pop() if len(numbers) == 1 else None
    if not isinstance(value, Num) or value.scalar or value.columns > 1:
        return None
    return value.size if value.size == value.fewest else None


_COPIES_WORDS = """
append array argsort clip column_stack concatenate copy cumprod cumsum delete dot empty_like
full_like hstack insert matmul ones_like outer percentile quantile repeat roll round sort stack
take tile unique vstack where zeros_like
"""
_COPIES = frozenset(_COPIES_WORDS.split())


def _may_be_view(name: str) -> bool:
    """Whether what a library function returns may share memory with an argument.

    That of `_COPIES` and of universal functions does not.
    """
    library, _, word = name.partition(".")
    if library == "operator":
        return word in ("call", "getitem")
    copies = word in _COPIES or isinstance(getattr(np, word, None), np.ufunc)
    return library not in ("numpy", "method") or not copies


_FILLED = frozenset(f"numpy.{name}" for name in ("empty", "full", "ones", "zeros"))
_SUMMARIES_WORDS = """
all amax amin any argmax argmin average clip count_nonzero dot inner interp item max mean median min
norm percentile prod ptp quantile searchsorted std sum take trace var vdot
"""
_SUMMARIES = frozenset(_SUMMARIES_WORDS.split())
_PYTHONS = frozenset("builtins." + n for n in ("abs", "bool", "float", "int", "len", "round"))


def _is_number(name: str, args: list[Any], keywords: dict[str, Any]) -> bool:
    """Whether a scalar that a library function returns is a number, and no array of no axis."""
    library, _, path = name.partition(".")
    word = path.rpartition(".")[2]
    if "out" in keywords or library not in ("builtins", "math", "method", "numpy", "operator"):
        return False
    if library in ("builtins", "math"):  # `max` returns what it is given
        return library == "math" or name in _PYTHONS or (word == "sum" and len(args) == 1)
    if library == "operator":
        return word not in ("call", "getitem")
    return word in _SUMMARIES or isinstance(getattr(np, word, None), np.ufunc | type)


def _apart(found: Any, function: str, args: list[Any], keywords: dict[str, Any]) -> Any:
    """Return what a library function returns as a value of its own, which may be a view.

    What is changed in place is the same object. A copy of an argument is none, and of a view it is
    not known whether it has all entries.
    """
    if isinstance(found, Num):
        given = frozenset().union(*(c.memory for each in args for c in containers(each)))
        viewed = "copy" in keywords or _may_be_view(function)
        if found.scalar and _is_number(function, args, keywords):
            return replace(found, memory=frozenset())
        if found.scalar:
            own = new_memory(axes=False)
            return replace(found, memory=own | given if viewed else own)
        if viewed:
            return replace(found, memory=found.memory | given)
        return replace(found, memory=new_memory()) if found.memory & given else found
    if function == "copy.deepcopy":
        return _deeply_copied(found)
    copied = function.rpartition(".")[2] == "copy" and any(found is each for each in args)
    if copied and isinstance(found, Many):
        return Many(list(found.items))
    if copied and isinstance(found, Table):
        return replace(found, columns=dict(found.columns), memory=new_memory())
    return found


def _deeply_copied(value: Any, made: dict[int, Any] | None = None) -> Any:
    """Return a copy of all that a value holds; what it holds twice is one object in it too."""
    made = {} if made is None else made
    if id(value) in made:
        return made[id(value)]
    if isinstance(value, Many):
        found: Any = Many([_deeply_copied(item, made) for item in value.items])
    elif isinstance(value, Table):
        columns = {name: _deeply_copied(held, made) for name, held in value.columns.items()}
        found = replace(value, columns=columns, memory=new_memory())
    else:
        found = replace(value, memory=new_memory()) if isinstance(value, Num) else value
    made[id(value)] = found
    return found


_CHANGING_WORDS = """
add append clear discard extend fill insert itemset partition pop popitem put remove resize reverse
setdefault sort update
"""
_CHANGING = frozenset(_CHANGING_WORDS.split())
_CHANGED_BY = {  # in an expression, or as a statement that is not followed
    Many: _CHANGING,
    Table: frozenset({"clear", "insert", "pop", "popitem", "update"}),
    Num: frozenset({"append", "extend", "fill", "insert", "itemset", "partition", "put", "resize"}),
}
_WRITING = frozenset({"at", "copyto", "fill_diagonal", "place", "put", "put_along_axis", "putmask"})


def _writes(name: str, args: list[Any], keywords: dict[str, Any]) -> bool:
    """Whether a library function writes to an array, a list or a dict that it is given."""
    if any(key.startswith(("out", "inplace", "overwrite")) for key in keywords):
        return True
    library, _, path = name.partition(".")
    word = path.rpartition(".")[2]
    if library == "operator":
        return word in IN_PLACE
    if library not in ("numpy", "method"):
        return library in ("heapq", "bisect") or path.startswith(("list.", "dict.", "set."))
    return (library == "numpy" and word in _WRITING) or len(args) > _first_output(word)


@cache
def _first_output(word: str) -> float:
    """Return the position from which on NumPy writes to what a function of this name is given."""
    found = getattr(np, word, None)
    if isinstance(found, np.ufunc):
        return found.nin
    try:
        names = list(inspect.signature(found).parameters)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return INF
    return names.index("out") if "out" in names else INF


def _held(frame: Frame, *, itself: bool = False) -> list[tuple[Frame, dict[str, Any]]]:
    """Return what the variables around a call hold, and around the functions that it may call."""
    scopes = _around(frame)[0 if itself else 1 :]
    return [(scope, copy.deepcopy(scope.variables)) for scope in scopes]


def _around(frame: Frame) -> list[Frame]:
    """Return a frame, those around it, and those around the functions that they hold."""
    scopes = [frame]
    for scope in scopes:  # which grows
        functions = [f for value in scope.variables.values() for f in _functions(value)]
        for other in (scope.parent, *(function.scope for function in functions)):
            if other is not None and not any(other is each for each in scopes):
                scopes.append(other)
    return scopes


def _functions(value: Any) -> list[Function]:
    """Return the functions in a value."""
    if isinstance(value, Rows):
        return _functions(value.item)
    if isinstance(value, Many | Table):
        inside = value.items if isinstance(value, Many) else [*value.columns.values(), value.rest]
        return [function for each in inside for function in _functions(each)]
    return [value] if isinstance(value, Function) else []


def _validate_held(before: list[tuple[Frame, dict[str, Any]]], place: str) -> None:
    """Refuse a change that is made or not, or many times, where what was before is not kept."""
    for frame, held in before:
        now = frame.variables
        if held.keys() != now.keys() or not all(alike(held[n], now[n]) for n in held):
            raise Refused("what may be run or not, or often, and changes a variable around", place)


def _may_change(node: Any) -> bool:
    """Whether to evaluate an expression may change a variable, or what one holds."""
    if isinstance(node, list):
        return any(map(_may_change, node))
    if not isinstance(node, dict):
        return False
    function = node.get("function")
    if node.get("kind") == "Call":
        library, _, word = function.partition(".") if isinstance(function, str) else ("", "", "")
        if library not in ("builtins", "numpy", "math", "operator", "method"):
            return True  # code of the user's
        if word == "call" or word in _CHANGING:
            return True
    return node.get("kind") in ("Named", "Draw") or any(map(_may_change, node.values()))


def _replaced(value: Any, old: Any, new: Any) -> Any:
    if value is old:
        return new
    if isinstance(value, Num):
        return hull(value, new, size=value.size) if value.memory & old.memory else value
    if isinstance(value, Many):
        value.items[:] = [_replaced(item, old, new) for item in value.items]
    elif isinstance(value, Rows):
        value.item = _replaced(value.item, old, new)
    elif isinstance(value, Table):
        for key, item in value.columns.items():
            value.columns[key] = _replaced(item, old, new)
        value.rest = _replaced(value.rest, old, new)
    return value


def _mixed(items: list[Any]) -> list[Any]:
    """Return items in an order that is not known: each may be any of them."""
    if not items:
        return []
    whole = reduce(joined, items)
    return [renewed(whole) for _ in items]


def _distinct(value: Any) -> Any:
    """Return the items of a set, in an order that is not known."""
    if not isinstance(value, Many):
        return some_of(value)
    found = {_key(item): item for item in value.items}
    return some_of(value) if None in found else Many(_mixed([*found.values()]))


def _some(items: list[Any], *, private: bool) -> Any:
    """Return a list of some of these items, of which neither the places nor the number is known."""
    whole = flat(Many(items))
    if isinstance(whole, Num):
        return privately(renewed(replace(whole, fewest=0.0)), private or whole.private)
    return whole or Rows(_mixed(items)[0] if items else Thing(None), float(len(items)))


def _products(args: list[Any], keywords: dict[str, Any]) -> Any:
    """Return all choices of an item of each list."""
    lists = [spread(value) for value in args]
    times = _whole(keywords.get("repeat", point(1)))
    if not all(isinstance(value, Many) for value in lists) or not isinstance(times, int):
        return Unknown("the float analysis has no rule for this `product`")
    items = [value.items for value in lists] * times
    if math.prod(map(len, items)) > UNROLLED:
        return Unknown("a product of more lists than are followed")
    return Many([Many(list(row)) for row in itertools.product(*items)])


def _is_of_record(element: Any) -> bool:
    """Return whether what a loop goes through may be private: texts do not tell."""
    return is_private(element) or not any(True for _ in leaves(element))


def _keyed(pairs: list[Any]) -> Table:
    """Return a dict of pairs, with the keys that are known."""
    keys = [_key(pair.items[0]) if isinstance(pair, Many) and pair.items else None
            for pair in pairs]  # fmt: skip
    known = None not in keys and all(len(pair.items) == 2 for pair in pairs)
    if not known:
        return Table({}, flat(Many(pairs)))
    return Table({key: pair.items[1] for key, pair in zip(keys, pairs, strict=True)})


def _of_key(key: Any) -> Any:
    """Return a key of a dict as a value."""
    if isinstance(key, tuple):
        return Many([_of_key(part) for part in key])
    return replace(point(key), unit=DOUBLE) if isinstance(key, int | float) else Thing(key)


def _key_in(table: Table) -> Any:
    """Return what stands for any key of a dict, None of a record, whose names are texts."""
    keys = [_of_key(key) for key in table.columns]
    if table.rest is not None:
        return Thing(("some", None))
    texts = all(isinstance(key, str) for key in table.columns)
    return None if texts or table.framed else reduce(joined, keys)


def _key_of(table: Table, index: Any) -> Any:
    """Return the key of a dict that an index is; of a frame several names are no key."""
    key = _key(index)
    keyed = type(table) is Table and not table.framed
    several = isinstance(key, tuple)
    keyed = keyed and all(isinstance(known, tuple) for known in table.columns)
    return None if several and not keyed else key


def _key(index: Any) -> Any:
    """Return a value as a key of a dict, None where it is not known."""
    if isinstance(index, Many):
        parts = tuple(map(_key, index.items))
        return None if None in parts else parts
    if isinstance(index, Thing) and not isinstance(index.value, tuple):
        return index.value
    if isinstance(index, Num) and index.known and index.whole:
        return int(index.low)
    return None


def _position(index: Any, length: int) -> int | None:
    if isinstance(index, Num) and index.known and index.whole and -length <= index.low < length:
        return int(index.low)
    return None


def _known_place(held: Many | Table, index: Any) -> Any:
    """Return which item of a list or a dict is meant, None where it may be any."""
    return _key_of(held, index) if isinstance(held, Table) else _position(index, len(held.items))


def _whole(value: Any) -> Any:
    if isinstance(value, Thing) and value.value is None:
        return None
    return int(value.low) if isinstance(value, Num) and value.known and value.whole else "?"


def known_truth(value: Any) -> bool | None:
    """Return the outcome of a test, None where it is not known."""
    if isinstance(value, Num) and value.known and value.scalar:
        return bool(value.low)
    if isinstance(value, Thing) and not isinstance(value.value, tuple):
        return bool(value.value)
    if isinstance(value, Many):
        return bool(value.items)
    return None


def decoded(value: Any) -> Any:
    """Return a constant of a certificate as a value."""
    if isinstance(value, bool):
        return point(value)
    if value is None or isinstance(value, str):
        return Thing(value)
    if "int" in value:
        return point(int(value["int"]))
    if "float" in value:
        return point(float.fromhex(value["float"]))
    if "fraction" in value:
        near = float(Fraction(value["fraction"]))
        return replace(point(near), unit=EXACT, whole=False)
    for kind in ("tuple", "list"):
        if kind in value:
            return Many([decoded(item) for item in value[kind]])
    if "dict" in value:
        return Table({_key(decoded(k)): decoded(v) for k, v in value["dict"]})
    if "array" in value:
        return _array(value["array"])
    if "callable" in value:
        return Thing(("callable", value["callable"]))
    return Thing(("some", None))


def _array(written: list[Any]) -> Any:
    import numpy as np

    dtype, shape, _, listed = written
    if listed is None:
        return Unknown("a constant array of more than 10,000 entries")
    plain = [decoded(item) for item in listed]
    if not plain or not all(isinstance(item, Num) for item in plain):
        return Thing(("some", None))
    values = np.array([item.low for item in plain])
    if not shape:
        from dpaudit.floats.data import typed

        return typed(plain[0], dtype)
    found = privately(constant(values), private=False)
    from dpaudit.floats.data import typed

    if not isinstance(found, Num):
        return found
    return replace(typed(found, dtype), shape=tuple(shape), columns=max(1.0, across(shape)))


def _change(held: Any, now: Any, place: str) -> None:
    """Let what a function was given hold what it holds now: branches change copies."""
    if held is now or not isinstance(held, Many | Table):
        return
    if isinstance(held, Many) and isinstance(now, Many):
        pairs = list(itertools.zip_longest(held.items, now.items))
        held.items[:] = [_changed(old, new, place) for old, new in pairs]
    elif isinstance(held, Table) and isinstance(now, Table):
        held.columns = {k: _changed(held.columns.get(k), v, place) for k, v in now.columns.items()}
        held.rest = _changed(held.rest, now.rest, place)
    else:
        raise Refused("a list that a function may have made longer", place)


def _changed(held: Any, now: Any, place: str) -> Any:
    """Return what is held now, as the same list or dict where it is one."""
    if not memory_of(held) or memory_of(held) != memory_of(now):
        return now
    _change(held, now, place)
    return held if isinstance(held, Many | Table) else now


def merged_variables(ends: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the variables after a branch."""
    return reduce(joined_variables, ends)


def changed_privately(before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    """Return variables of which those that changed may differ between the runs."""
    return {
        name: value if name in before and alike(before[name], value) else privately(value)
        for name, value in after.items()
    }


def alike(a: Any, b: Any) -> bool:
    """Return whether two values are the same, piece by piece."""
    if isinstance(a, Many) and isinstance(b, Many):
        return len(a.items) == len(b.items) and all(map(alike, a.items, b.items))
    if isinstance(a, Table) and isinstance(b, Table):
        same = a.columns.keys() == b.columns.keys() and alike(a.rest, b.rest)
        return same and all(alike(value, b.columns[key]) for key, value in a.columns.items())
    if isinstance(a, Rows) and isinstance(b, Rows):
        return a.count == b.count and alike(a.item, b.item)
    if isinstance(a, Groups) and isinstance(b, Groups):
        return (a.most, a.of_users) == (b.most, b.of_users) and alike(a.of, b.of)
    return a is b or bool(a == b)


def joined_variables(a: dict[str, Any], b: dict[str, Any]) -> dict[str, Any]:
    """Return variables that stand for both."""
    names = dict.fromkeys([*a, *b])
    found: dict[tuple[int, int], Any] = {}
    return {
        name: joined(a[name], b[name], found) if name in a and name in b
        else a.get(name, b.get(name))
        for name in names
    }  # fmt: skip


def _grown(a: Any, b: Any, rounds: float) -> Any:
    """Return a value after so many rounds of the change from a to b."""
    return in_memory(_grown_by(a, b, rounds), memory_of(a) | memory_of(b))


def _grown_by(a: Any, b: Any, rounds: float) -> Any:
    if isinstance(a, Num) and isinstance(b, Num):

        def more(x: float, y: float) -> float:
            gap = (y - x) * rounds
            return x if gap == 0 or gap != gap else x + gap

        return replace(
            hull(a, b), low=more(a.low, min(a.low, b.low)), high=more(a.high, max(a.high, b.high)),
            error=more(a.error, max(a.error, b.error)),
            size=more(a.size, max(a.size, b.size)),
        )  # fmt: skip
    if isinstance(a, Many) and isinstance(b, Many) and len(a.items) == len(b.items):
        return Many([_grown(x, y, rounds) for x, y in zip(a.items, b.items, strict=True)])
    if isinstance(a, Many) and isinstance(b, Many):
        number = flat(b)
        if isinstance(number, Num):
            before = flat(a)
            size = before.size if isinstance(before, Num) else 0.0
            return replace(number, size=size + (number.size - size) * rounds, scalar=False)
    if isinstance(a, Table) and isinstance(b, Table):
        columns = {
            k: _grown(a.columns[k], v, rounds) if k in a.columns else v
            for k, v in b.columns.items()
        }
        return Table(columns, _grown(_any_entry(a) if a.rest is None else a.rest, b.rest, rounds))
    return b


def widened(start: dict[str, Any], first: dict[str, Any], rounds: float) -> dict[str, Any]:
    """Return variables after many rounds like the first."""
    return {
        name: _grown(start[name], value, rounds) if name in start else value
        for name, value in first.items()
    }


def _begun(start: dict[str, Any], first: dict[str, Any]) -> dict[str, Any]:
    """Return the variables before a loop, with what its first round puts into dicts."""
    found = dict(start)
    for name, value in start.items():
        after = first.get(name)
        if isinstance(value, Table) and isinstance(after, Table):
            rest = _any_entry(value) if value.rest is None else value.rest
            columns = {**after.columns, **value.columns}
            found[name] = Table(columns, after.rest if rest is None else rest)
    return found


def growing(
    guess: dict[str, Any], after: dict[str, Any], start: dict[str, Any], rounds: float
) -> dict[str, Any]:
    """Return larger bounds of variables that a round moves by more than their share of a bound.

    Of a variable without a start, each round has no share.
    """
    larger = {
        name: _beyond(guess[name], value, start.get(name), rounds)
        for name, value in after.items()
        if name in guess
    }
    return {name: value for name, value in larger.items() if value is not None}


def _beyond(guess: Any, after: Any, start: Any, rounds: float) -> Any:
    if isinstance(guess, Many) and isinstance(after, Many):
        if len(guess.items) == len(after.items):
            before = start.items if isinstance(start, Many) else []
            before = before if len(before) == len(guess.items) else [None] * len(guess.items)
            inside = [_beyond(g, a, s, rounds) for g, a, s in
                      zip(guess.items, after.items, before, strict=True)]  # fmt: skip
            if all(found is None for found in inside):
                return None
            pairs = zip(guess.items, inside, strict=True)
            return Many([g if f is None else f for g, f in pairs], guess.memory | after.memory)
        return None
    if isinstance(guess, Table) and isinstance(after, Table):
        begun = start if isinstance(start, Table) else Table({})
        larger = {
            k: _beyond(v, after.columns.get(k), begun.columns.get(k), rounds)
            for k, v in guess.columns.items()
        }
        larger = {k: v for k, v in larger.items() if v is not None}
        rest = _beyond(guess.rest, after.rest, begun.rest, rounds)
        if guess.rest is None:
            rest = after.rest
        if rest is None and not larger:
            return None
        memory = guess.memory | after.memory
        return Table(guess.columns | larger, guess.rest if rest is None else rest, memory=memory)
    if isinstance(guess, Function) and isinstance(joined(guess, after), Unknown):
        raise Refused("a function that a loop makes anew", "")
    if not isinstance(guess, Num) or not isinstance(after, Num):
        return None
    s = start if isinstance(start, Num) else guess

    def excess(after: float, guess: float, start: float) -> float:
        """Return by how much more than its share of the guess one round grows."""
        gap = after - guess - abs(guess - start) / max(1.0, rounds)
        return gap if gap > 0 else 0.0  # no more than infinite

    low = excess(-after.low, -guess.low, -s.low)
    high = excess(after.high, guess.high, s.high)
    error = excess(after.error, guess.error, s.error)
    if not (low or high or error):
        return None
    more = rounds * MARGIN
    return replace(
        hull(guess, after), low=guess.low - low * more, high=guess.high + high * more,
        error=(guess.error + error * more) * MARGIN,
    )  # fmt: skip


def _in_place(values: dict[str, Any]) -> bool:
    """Return whether some of these can change without an assignment to their name."""
    return not all(isinstance(value, Num) and value.scalar for value in values.values())


def only_added(
    node: Any, names: Collection[str], *, in_place: bool, new: frozenset[str] = frozenset()
) -> bool:
    """Return whether statements change variables by adding to them alone.

    Parameters
    ----------
    node : dict or list
    names : collection of str
    in_place : bool
        Whether whatever is changed in place may be one of them, under another name.
    new : frozenset of str
        Variables of which the same round made the list, the dict or the array.
    """
    if isinstance(node, list):
        for item in node:
            if not only_added(item, names, in_place=in_place, new=new):
                return False
            new = new - _set_in(item) | _made_in(item)
        return True
    if not isinstance(node, dict) or node.get("kind") == "Constant":
        return True
    match node:
        case {"kind": "Assign", "target": {"kind": "Subscript", "value": {"id": name}}} if (
            name in new and name not in names
        ):
            pass  # an entry of what no other name has
        case {"kind": "Assign" | "For" | "Named" | "Update", "target": target}:
            part = target["kind"] in ("Subscript", "Attribute") or node["kind"] == "Update"
            adds = node["kind"] == "Assign" and _adds(target, node["value"])
            adds = adds or node.get("function") in ("operator.iadd", "operator.isub")
            if (_bases(target) & set(names) or (in_place and part)) and not adds:
                return False
        case {"kind": "Evaluate", "value": {"kind": "Call", "function": str(function)} as call}:
            if in_place and function.startswith("method.") and not _begins_at_0(call):
                return False
        case {"kind": "Call", "function": dict(function)} if in_place and (
            function["kind"] != "Function"
        ):
            return False
        case {"kind": "Function" | "Closure"} if not in_place:
            return True  # its variables are others
    if node.get("kind") in ("Function", "Closure"):
        new = frozenset()
    elif node.get("kind") in ("For", "While"):
        new -= _set_in(node)
    return all(
        only_added(inside, names, in_place=in_place, new=new)
        for key, inside in node.items()
        if key != "place"
    )


def _made_in(node: dict[str, Any]) -> frozenset[str]:
    """Return the variable for which a statement makes a list, a dict or an array of numbers."""
    match node:
        case {"kind": "Assign", "target": {"kind": "Name", "id": name}, "value": value}:
            first = value["arguments"][:1] if value["kind"] == "Call" else [value]
            made = value.get("function", "operator.mul") == "operator.mul"
            listed = made and first and first[0]["kind"] in ("list", "Mapping")
            if listed or str(value.get("function")) in _FILLED:
                return frozenset({name})
    return frozenset()


def _set_in(node: Any) -> frozenset[str]:
    """Return the variables that code may set."""
    if isinstance(node, list):
        return frozenset().union(*map(_set_in, node))
    if not isinstance(node, dict) or node.get("kind") == "Constant":
        return frozenset()
    own = _bases(node["target"]) if node.get("target") else ()
    return frozenset(own).union(*(_set_in(each) for key, each in node.items() if key != "place"))


def _begins_at_0(call: dict[str, Any]) -> bool:
    """Return whether a call is ``d.setdefault(k, 0)``, after which a sum has what was added."""
    last = call["arguments"][-1]
    zero = last["kind"] == "Constant" and last["value"] in ({"int": "0"}, {"float": "0x0.0p+0"})
    return call["function"] == "method.setdefault" and len(call["arguments"]) == 3 and zero


def _bases(target: dict[str, Any]) -> set[str]:
    """Return the variables of a target, or of which a part is one."""
    if target["kind"] == "Name":
        return {target["id"]}
    inside = [*target.get("items", ()), *([target["value"]] if "value" in target else ())]
    return {name for part in inside for name in _bases(part)}


def _adds(target: Any, value: Any) -> bool:
    """Return whether a value is that of a target with something added or taken away."""
    if _without_places(value) == _without_places(target):
        return True
    match value:
        case {"kind": "Choice", "yes": yes, "no": no}:
            return _adds(target, yes) and _adds(target, no)
        case {"kind": "Call", "function": "operator.add", "arguments": [one, other]}:
            return _adds(target, one) or _adds(target, other)
        case {"kind": "Call", "function": "operator.sub", "arguments": [one, _]}:
            return _adds(target, one)
        case {"kind": "Call", "function": "method.get", "arguments": [of, at, *_]}:
            return _adds(target, {"kind": "Subscript", "value": of, "index": at})
    return False


def _without_places(node: Any) -> Any:
    if isinstance(node, list):
        return [_without_places(item) for item in node]
    if isinstance(node, dict):
        return {key: _without_places(item) for key, item in node.items() if key != "place"}
    return node


def unbounded(guess: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    """Return variables of which nothing is known where they still grow."""
    return {name: _unbounded(old, after.get(name)) for name, old in guess.items()}


def _unbounded(old: Any, value: Any) -> Any:
    return in_memory(_not_bounded(old, value), memory_of(old) | memory_of(value))


def _not_bounded(old: Any, value: Any) -> Any:
    if isinstance(old, Many) and isinstance(value, Many) and len(old.items) == len(value.items):
        return Many([_unbounded(a, b) for a, b in zip(old.items, value.items, strict=True)])
    if isinstance(old, Table) and isinstance(value, Table):
        columns = {k: _unbounded(v, value.columns.get(k)) for k, v in old.columns.items()}
        return Table(columns, _unbounded(old.rest, value.rest))
    if not isinstance(old, Num) or not isinstance(value, Num):
        return old
    if value.low >= old.low and value.high <= old.high and value.error <= old.error:
        return old if value is old else unrelated(old, all_entries=True)
    noise = shown(old.noise, 0.0)
    if old.whole and old.unit == EXACT and old.error == value.error == 0:
        noise = noise and replace(noise, discrete=True)
        return replace(unrelated(old), low=-INF, high=INF, noise=noise)
    return replace(Num(-INF, INF, INF, noise=noise), private=old.private or value.private)
