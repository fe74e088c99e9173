"""Programs that answer each record by itself: one record stands for all of them.

Where one of n records is replaced, and what a program learns of the records is what the same
random function says of each, with draws of its own, the n answers are independent, and all but one
are alike in both runs. What the program does with the answers is post-processing. So it loses what
the function loses on one record: local differential privacy (Kasiviswanathan et al. 2011) under
parallel composition (McSherry 2009). `of_one` returns the program that releases the answers of one
record, where a program is seen to be of this kind.

It begins with statements that are public, as they read no record and draw nothing, or go record by
record: loops and comprehensions over the records, of which only answers outlive a turn
(`dpaudit.checker.exact.record_turn`), and operations on arrays entry by entry. All that follows
may read what these made, which is released as it then is, and the number of records.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from dpaudit.checker.exact.changes import changes_others
from dpaudit.checker.exact.escapes import hands_on_generator, plain_attributes
from dpaudit.checker.exact.record_turn import (
    EACH,
    GROWS,
    TYPES,
    OtherError,
    Turn,
    assigned,
    called,
    inside,
    is_alone,
    plain_names,
    variable,
    whole,
)
from dpaudit.checker.file import PRIVATE
from dpaudit.checker.operators import ORDERS
from dpaudit.checker.program import (
    EMITTED,
    Node,
    changed,
    functions_of,
    prints,
    target_names,
    target_parts,
    targets,
)
from dpaudit.checker.pure import is_ufunc
from dpaudit.checker.writing import first_output
from dpaudit.neighbors import AnyPair, Real, ReplaceOne, Row

_ARRAYS = frozenset({"numpy.array", "numpy.asarray"})
_LISTS = frozenset({"builtins.list", "builtins.tuple", "method.tolist"})
_SIZED = frozenset(f"numpy.{name}" for name in ("empty", "full"))
_LIKE = frozenset(f"numpy.{name}" for name in ("empty_like", "ones_like", "zeros_like"))
_ENTRIES_WORDS = (
    "abs add and_ eq floordiv ge gt invert le lt mod mul ne neg or_ pow sub truediv xor"
)
_ENTRIES = frozenset(f"operator.{name}" for name in _ENTRIES_WORDS.split())
_DRAWN_WORDS = "binomial exponential integers laplace normal random uniform"
_DRAWN = frozenset(_DRAWN_WORDS.split())  # of which a size gives so many, independent and alike
_RECORDS = 5_001
_LARGE = 2**53
_COLUMNS = ("array", "numbers", "list")
_SEVERAL = (*_COLUMNS, "some")
_MADE = (*_SEVERAL, "kept")
_NUMBER: Node = {"kind": "Constant", "value": {"int": "0"}}
_HOLDING_WORDS = """
builtins.abs builtins.bool builtins.dict builtins.float builtins.int builtins.len builtins.list
builtins.max builtins.min builtins.range builtins.round builtins.set builtins.sum builtins.tuple
numpy.arange numpy.array numpy.eye numpy.full numpy.linspace
"""
_HOLDING = frozenset(_HOLDING_WORDS.split())
_PLAIN = frozenset(
    {"builtins.bool", "builtins.float", "builtins.int", "builtins.len", "operator.truediv"}
)  # of which the result is no container of others
_IDENTITY = ("operator.is_", "operator.is_not")
_SETTLING_WORDS = "builtins.float builtins.int numpy.array numpy.asarray numpy.mean numpy.sum"
_SETTLING = frozenset(_SETTLING_WORDS.split())  # which make one type of NumPy's and Python's
_NUMBERED = frozenset({"builtins.float", "numpy.mean", "numpy.sum"})
_LINEAR = frozenset({"operator.add", "operator.mul", "operator.neg", "operator.sub"})
_TALLY = "collections.Counter"
_HANDING_WORDS = "builtins.list builtins.max builtins.min builtins.tuple collections.Counter"
_HANDING = frozenset(_HANDING_WORDS.split())
_CONSUMING_WORDS = """
builtins.all builtins.any builtins.list builtins.max builtins.min builtins.set builtins.sorted
builtins.sum builtins.tuple collections.Counter
"""
_CONSUMING = frozenset(_CONSUMING_WORDS.split())


def of_one(program: Node, neighbors: Any) -> tuple[Node, Any, bool | None] | None:
    """Return the program that answers one record, and its neighbors; None where there is none.

    Last whether what follows may change answers in place, None where it only hands them on, so that
    their types tell no more than in an output.
    """
    if not _is_plain(neighbors) or program["symbolic"]:
        return None
    if any(
        EACH in (each.get("id"), *each.get("parameters", ()))
        for each in inside(program["entry"], functions_of(program["entry"]))
    ):  # a name that is put in
        return None
    sort = "array" if neighbors.container == "array" else "numbers"
    reader = _Reader(program, sort if _are_alike(neighbors.records) else "list")
    try:
        body = reader.mechanism()
    except (OtherError, LookupError, TypeError, RecursionError):  # of another kind, or malformed
        return None
    alone = replace(neighbors, size=1)
    if type(neighbors.records) is Real:  # any two numbers, as an array or a list holds them
        alone = AnyPair(neighbors.records)
        body = [_contained(program, neighbors.container), *body]
    return {**program, "entry": {**program["entry"], "body": body}}, alone, reader.read


def _are_alike(records: Any) -> bool:
    """Return whether an array of any records has one type, of numbers."""
    if type(records) in (Real, Row):
        return type(records) is Real and not records.allow_missing
    return all(type(each) is int and abs(each) < _LARGE for each in records.members(_RECORDS))


def _contained(program: Node, container: str) -> Node:
    """Return the statement that puts a record into its container."""
    place = program["entry"]["place"]
    data = variable(program["data"], place)
    value: Node = {"kind": "list", "place": place, "items": [data]}
    return assigned(data, called("numpy.array", [value], place) if container == "array" else value)


def _is_plain(neighbors: Any) -> bool:
    """Return whether one of several numbers, labels or rows is replaced, at its place."""
    if type(neighbors) is not ReplaceOne or neighbors.group != 1 or neighbors.size < 2:
        return False
    plain = neighbors.unit is None and not neighbors._invariants
    return plain and neighbors.container in ("list", "array")


class _Reader:
    """Reads the statements of a mechanism in order.

    What is made of the records is an array of numbers (``array``), a list of them (``numbers``) or
    another sequence (``list``) with an entry for each, a list with several for each (``some``),
    something else that turns change (``kept``), the number of them (``size``), a new container with
    a place for each (``sized``), or a variable of a turn (``turn``). All else is public.
    """

    def __init__(self, program: Node, sort: str) -> None:
        self._program = program
        self._every = functions_of(program["entry"])
        self._kinds = {program["data"]: sort}
        self.read: bool | None = None
        self._adds = False
        self._held: dict[str, Node | None] = {**program["fixed"]}
        self._scalars = {name for name, value in program["fixed"].items() if self._is_scalar(value)}
        self._generators = {program["rng"]} - {None}
        self._holding: dict[str, frozenset[str]] = {}  # of objects that hold generators
        self._body: list[Node] = []
        self._begin_public()
        self._answers: list[Node] = []

    def mechanism(self) -> list[Node]:
        """Return the statements of the program that answers one record."""
        entry = self._program["entry"]
        self._statements(entry["body"])
        if not self._answers:
            raise OtherError
        place = entry["place"]
        value = {"kind": "tuple", "place": place, "items": self._answers}
        return [*self._body, {"kind": "Return", "place": place, "value": value}]

    # --- statements

    def _statements(self, statements: list[Node]) -> None:
        for at, node in enumerate(statements):
            last = at == len(statements) - 1 and node["kind"] == "Return"
            if last and self._inlined(_beside_prints(node["value"])):
                return
            if not self._is_first(node):
                self._release(statements[at:])
                return

    def _is_first(self, node: Node) -> bool:
        """Take up a statement that is public or goes record by record; return whether it is one."""
        draws = node["kind"] == "Assign" and node["value"]["kind"] == "Generator"
        if changed(node) & self._generators and not draws:  # what it holds then may be anything
            return False
        if not draws and self._is_public(node):
            if not self._takes_public(node):
                return False
            self._since.append(node)
            self._body.append(whole(node, self._every))
            return True
        if not self._is_by_record(node):
            return False
        self._begin_public()
        return True

    def _begin_public(self) -> None:
        """Note that public statements from here on run when no turn of a record is left."""
        self._since: list[Node] = []
        self._earlier = {*self._held}

    def _is_by_record(self, node: Node) -> bool:
        """Take up a statement that goes record by record; return whether it is one."""
        if node["kind"] == "For":
            return self._loop(node)
        if node["kind"] == "Assign" and node["target"]["kind"] == "Name":
            if node["value"]["kind"] == "Generator" and self.is_private(node["value"]):
                self._generators.add(node["target"]["id"])
                self._body.append(node)
                return True
            made = self._by_function(node["value"])
            if made is not None:
                self._kinds[node["target"]["id"]] = made[0]
                self._body.append({**node, "value": made[1]})
                return True
            sort = "sized" if self._is_sized(node["value"]) else self.sort(node["value"])
            again = sort == "sized" and node["value"]["kind"] == "Name"  # of one container
            if sort in (None, "turn") or again or node["value"]["kind"] == "generator":
                return False
            self._kinds[node["target"]["id"]] = sort
            if sort == "sized":
                return True
        else:
            return False
        self._body.append(whole(node, self._every))
        return True

    def _takes_public(self, node: Node) -> bool:
        """Take up a public statement; return whether it sets, validates or prints what is known."""
        match node:
            case {"kind": "Assign", "target": {"kind": "Name", "id": name}, "value": value}:
                if not self._holds(value, self._held):
                    return False
                self._kinds.pop(name, None)
                plain = self._held_generators(value)
                if plain is not None:
                    self._holding[name] = frozenset() if name in self._held else plain
                self._scalars -= {name}
                self._scalars |= {name} if self._is_scalar(value) else set()
                self._held[name] = None if name in self._held else value
            case {"kind": "Branch", "test": test, "yes": yes, "no": []}:
                raises = all(each["kind"] == "Raise" for each in yes)
                return raises and self._holds(test, self._held)
            case {"kind": "Evaluate", "value": {"function": "method.append", "arguments": given}}:
                return given[0].get("id") == EMITTED and self._holds(given[1], self._held)
            case _:
                return bool(node["kind"] == "Evaluate" and node["value"]["kind"] == "Constant")
        return True

    def _inlined(self, call: Node) -> bool:
        """Read a function that is called last, and is given the records, in its call's place."""
        entered = self._entered(call)
        if entered is None:
            return False
        function, values, inner = entered
        names, place = list(values), call["place"]
        if names:
            to = [variable(name, place) for name in names]
            both = ({"kind": "tuple", "place": place, "items": items}
                    for items in (to, list(values.values())))  # fmt: skip
            self._body.append(assigned(*both))
        self._held, self._scalars = inner._held, inner._scalars
        self._kinds, self._generators = inner._kinds, inner._generators
        self._holding = inner._holding
        self._begin_public()
        self._statements(function["body"])
        return True

    def _by_function(self, call: Node) -> tuple[str, Node] | None:
        """Return what a function makes of the records, and its call; None where that is not seen.

        All that it does is public, or goes record by record.
        """
        entered = self._entered(call)
        if entered is None:
            return None
        function, _, inner = entered
        *before, last = function["body"] or [{"kind": "Leave"}]
        try:
            known = all(map(inner._is_first, before)) and last["kind"] == "Return"
            sort = inner.sort(last["value"]) if known else None
        except OtherError:
            return None
        if sort not in _MADE or last["value"]["kind"] == "generator":
            return None
        self._adds = inner._adds
        return sort, {**call, "function": {**function, "body": [*inner._body, last]}}

    def _entered(self, call: Node) -> tuple[Node, dict[str, Node], _Reader] | None:
        """Return a function that is called, what it is given, and what is known in it."""
        if call["kind"] != "Call" or not isinstance(call["function"], dict):
            return None
        function = whole(call["function"], self._every)
        names, given = function["parameters"], dict(call["keywords"])
        given |= dict(zip(names, call["arguments"], strict=False))
        known = len(call["arguments"]) <= len(names) and set(given) <= set(names)
        known = known and all(each["kind"] != "Starred" for each in call["arguments"])
        values = {name: given.get(name, function["defaults"].get(name)) for name in names}
        if function["starred"] is not None or not known or None in values.values():
            return None
        values = {name: whole(value, self._every) for name, value in values.items()}
        inner = copy.copy(self)
        inner._kinds, inner._generators, inner._body = {}, set(), []
        for name, value in values.items():
            if self.is_private(value):
                inner._generators.add(name)
            elif not self._is_public(value):
                sort = self.sort(value)
                if sort not in (*_COLUMNS, "size"):
                    return None
                inner._kinds[name] = sort
        found = {name: self._held_generators(value) for name, value in values.items()}
        inner._holding = {name: plain for name, plain in found.items() if plain is not None}
        inner._scalars = {name for name in names if self._is_scalar(values[name])}
        holding = {name for name in names if self._holds(values[name], self._held)}
        inner._held = {name: _NUMBER if name in holding else None for name in names}
        inner._begin_public()
        return function, values, inner

    def _loop(self, node: Node) -> bool:
        """Take up a loop over records; return whether it is one."""
        turn = self._turn(node["target"], node["iterable"], node["body"])
        if turn is None or node["otherwise"]:
            return False
        body = turn.body(node["body"])
        turn.finish()
        self._adds = self._adds or any(how.startswith("add") for how in turn.kept.values())
        for name, how in turn.kept.items():
            self._start(name, node["place"], grows=how in GROWS)
        self._body.append({**whole(node, self._every), "body": body})
        for name in turn.own:
            if self._kinds.get(name, "turn") != "turn":
                raise OtherError
            self._kinds[name] = "turn"
        return True

    def _start(self, name: str, place: str, *, grows: bool) -> None:
        """Begin a list of answers, in the place of what was made for them and is not used yet."""
        listed = False
        if self._kinds.get(name) != "sized":
            uses = [n for n in self._body for each in inside(n, []) if each.get("id") == name]
            if name in self._kinds or len(uses) != 1 or not _is_start(uses[0], name):
                raise OtherError
            listed = grows and uses[0]["value"].get("items") == []
        empty = {"kind": "list", "place": place, "items": []}
        self._body.append(assigned(variable(name, place), empty))
        self._kinds[name] = "some" if listed else "kept"

    def _release(self, statements: list[Node]) -> None:
        """Release what statements read that was made record by record."""
        first, *others = whole(statements, self._every)
        if first["kind"] in ("Assign", "Return", "Evaluate"):
            first = {**first, "value": self._released(first["value"])}
        if self._answers:  # they may hold what public statements made
            self._begin_public()
        if any(map(_asks_identity, inside([first, *others], []))):
            raise OtherError
        if hands_on_generator(
            [first, *others], self._holding | dict.fromkeys(self._generators, frozenset())
        ):
            raise OtherError
        after = [*whole(self._since, self._every), first, *others]
        changes = changes_others(after, self._earlier | self._kinds.keys())
        told = self._adds or prints(self._program)
        if changes or told or not self._hands_on([first, *others]):
            self.read = changes
        if any(self._kinds.get(name) == "turn" for name in _read([first, *others], set())):
            raise OtherError
        for name in dict.fromkeys(self._mentioned([first, *others])):
            if self._kinds[name] == "sized":
                raise OtherError
            if self._kinds[name] in _MADE:
                self._answers.append(variable(name, first["place"]))

    def _held_generators(self, value: Node) -> frozenset[str] | None:
        """Return the attributes of a value that hold no generator, None where nothing does."""
        holders = self._holding | dict.fromkeys(self._generators, frozenset())
        if value["kind"] == "Name":
            return holders.get(value["id"])
        whole_value = whole(value, self._every)
        makes = any(part["kind"] == "Generator" for part in inside(whole_value, []))
        if makes or hands_on_generator(whole_value, holders):
            return plain_attributes(whole_value, holders)
        return None

    def _hands_on(self, statements: list[Node]) -> bool:
        """Return whether statements do the same with numbers of NumPy's and of Python's types.

        Methods, texts, rounding, ``sum`` and quotients do not, ``list.count`` does.
        """
        several = {name for name, sort in self._kinds.items() if sort in _SEVERAL}
        several -= changed(statements)
        told: set[str] = set()
        tallies: set[str] = set()
        for at, node in enumerate(statements):
            left = _without_counts(node, several, tallies)
            free = self._is_free if at or not self._answers else _is_not  # or released in part

            def hands_on(value: Node, free: Any = free) -> bool:
                return free(value, told) or _is_handed_on(value, several, hands_on)

            if free(left, told):
                continue
            plain = node["kind"] in ("Assign", "Return")
            plain = plain and node.get("target", {"kind": "Name"})["kind"] == "Name"
            if not plain or not hands_on(left["value"]):
                return False
            told.update(changed(node))
            tallies.update(changed(node) if node["value"].get("function") == _TALLY else ())
        return True

    def _is_free(self, node: Node, told: set[str]) -> bool:
        """Return whether code reads nothing that was made of the records, or made of that."""
        return not any(self._mentioned(node)) and not _names(node) & told

    def _mentioned(self, node: Any) -> Iterator[str]:
        """Yield names of what is made of the records, but where it is the number of them."""
        if isinstance(node, list):
            for each in node:
                yield from self._mentioned(each)
        elif isinstance(node, dict) and not self._is_size(node):
            if node.get("kind") == "Again":
                node = whole(node, self._every)
            if node.get("kind") == "Name" and node["id"] in self._kinds:
                yield node["id"]
            for each in node.values():
                yield from self._mentioned(each)

    def _released(self, value: Node, *, at_once: bool = False) -> Node:
        """Release the parts of an expression that are made record by record.

        Parameters
        ----------
        value : dict
        at_once : bool
            Whether a generator is gone through where it is made.
        """
        if value["kind"] == "generator" and not (at_once and self.sort(value)):
            raise OtherError
        if value["kind"] == "Name":
            return value
        if self.sort(value) in _MADE:
            kind = "list" if "clauses" in value else value["kind"]
            self._answers.append({**whole(value, self._every), "kind": kind})
            return {"kind": "Constant", "place": value["place"], "value": None}
        if value["kind"] == "Call":
            once = isinstance(value["function"], str) and value["function"] in _CONSUMING
            arguments = [self._released(each, at_once=once) for each in value["arguments"]]
            keywords = [[word, self._released(each)] for word, each in value["keywords"]]
            return {**value, "arguments": arguments, "keywords": keywords}
        if value["kind"] in ("tuple", "list") and "items" in value:
            return {**value, "items": [self._released(each) for each in value["items"]]}
        return value

    # --- expressions

    def _is_public(self, node: Any) -> bool:
        """Return whether something reads no record and draws nothing, with the functions in it.

        It may make an object that holds a generator, of which nobody knows the draws.
        """
        hidden = self._kinds.keys() | self._generators
        return not any(
            each["kind"] in ("Draw", "Closure", "Define")
            or (each["kind"] == "Generator" and not self.is_private(each))
            or each.get("id") in hidden
            for each in inside(node, self._every)
        )

    def sort(self, node: Node) -> str | None:
        """Return what an expression makes of the records, None where that is not seen."""
        if node["kind"] == "Name":
            return self._kinds.get(node["id"])
        if self._is_size(node):
            return "size"
        if node["kind"] in ("list", "generator") and "clauses" in node:
            return self._comprehension(node)
        if node["kind"] == "Draw":
            return "array" if self._is_drawn(node) else None
        held, node = node, self._of_type(node)
        arrays = ("array",) if held is node else ("array", "numbers")
        if node["kind"] != "Call" or not isinstance(node["function"], str):
            return None
        if node["function"] == "method.random" and self.is_private(node["arguments"][0]):
            sizes = [*node["arguments"][1:], *(each for _, each in node["keywords"])]
            return "array" if len(sizes) == 1 and self._is_length(sizes[0]) else None
        if node["keywords"]:
            return None
        name, given = node["function"], node["arguments"]
        sorts = [self.sort(each) for each in given]
        if len(given) == 1 and sorts[0] in _COLUMNS:
            if name in _ARRAYS:
                return None if sorts[0] == "list" else "array"
            if name in _LISTS:
                return "list" if sorts[0] == "list" else "numbers"
            if name == "method.copy":
                return sorts[0]
        if name == "method.astype" and len(given) == 2 and sorts[0] in arrays:
            wanted = given[1].get("value")  # objects have types of their own
            number = isinstance(wanted, dict) and wanted.get("callable") in TYPES
            return "array" if number else None
        by_entry = name in _ENTRIES or _is_by_entry(name)
        by_entry = by_entry and len(given) <= first_output(name, method=False)
        if name in ("numpy.where", "numpy.clip"):
            by_entry = len(given) == 3
        together = zip(sorts, given, strict=True)
        entries = all(sort == "array" or self._is_scalar(each) for sort, each in together)
        return "array" if by_entry and entries and "array" in sorts else None

    def _of_type(self, node: Node) -> Node:
        """Return ``asarray(x, dtype=t)`` as ``x.astype(t)``, which has the same entries."""
        if node["kind"] != "Call" or str(node["function"]) not in _ARRAYS:
            return node
        given = [*node["arguments"], *(each for word, each in node["keywords"] if word == "dtype")]
        if len(given) != 2 or len(node["arguments"]) + len(node["keywords"]) != 2:
            return node
        return called("method.astype", given, node["place"])

    def _is_scalar(self, node: Node) -> bool:
        """Return whether something is one public number, whatever it is."""
        if node["kind"] == "Constant":
            return isinstance(node["value"], bool | dict) and not {"int", "float"}.isdisjoint(
                node["value"] if isinstance(node["value"], dict) else ("int",)
            )
        if node["kind"] == "Name":
            return node["id"] in self._scalars and self._is_public(node)
        if node["kind"] != "Call" or not isinstance(node["function"], str) or node["keywords"]:
            return False
        computes = node["function"] in _ENTRIES or node["function"].startswith("math.")
        computes = computes or _is_by_entry(node["function"])
        return computes and all(map(self._is_scalar, node["arguments"]))

    def _is_size(self, node: Node) -> bool:
        """Return whether something is the number of records."""
        kind = node.get("kind")
        if kind == "Name":
            return self._kinds.get(node["id"]) == "size"
        if kind == "Call" and node["function"] == "builtins.len" and len(node["arguments"]) == 1:
            return self.is_column(node["arguments"][0])
        if kind == "Attribute" and node["name"] == "size":
            return self.sort(node["value"]) == "array"
        if kind == "Subscript" and node["value"]["kind"] == "Attribute":
            shape, at = node["value"], node["index"]
            first = at["kind"] == "Constant" and at["value"] == {"int": "0"}
            return first and shape["name"] == "shape" and self.is_column(shape["value"])
        return False

    def is_column(self, node: Node) -> bool:
        """Return whether something is a variable with an entry for each record."""
        return node["kind"] == "Name" and self._kinds.get(node["id"]) in _COLUMNS

    def _is_drawn(self, node: Node) -> bool:
        """Return whether a draw is one for each record."""
        if node["family"] not in _DRAWN or not self.is_private(node["generator"]):
            return False
        given = dict(node["arguments"])
        size = given.pop("size", None)
        sorts = ["scalar" if self._is_scalar(each) else self.sort(each) for each in given.values()]
        sized = "array" in sorts if size is None else self._is_length(size)
        return sized and {*sorts} <= {"scalar", "array"}

    def _is_length(self, size: Node) -> bool:
        """Return whether a size of an array gives it an entry for each record."""
        shape = size["kind"] == "Attribute" and size["name"] == "shape"
        return self._is_size(size) or (shape and self.sort(size["value"]) == "array")

    def is_fixed(self, name: str) -> bool:
        """Return whether a public variable holds what no turn can change by reading it."""
        value = self._held.get(name)
        return value is not None and self._holds(value, self._held)

    def _holds(self, value: Node, held: Mapping[str, Node | None]) -> bool:
        """Return whether an expression gives numbers, or containers of what it names."""
        given: list[Node]
        match value["kind"]:
            case "Constant":
                return True
            case "Generator":
                return self.is_private(value)
            case "Name":
                found = held.get(value["id"])
                return found is not None and self._holds(found, held)
            case "list" | "set" if "clauses" in value:
                inner = {**held}
                for target, iterable, _ in value["clauses"]:
                    if not self._holds(iterable, inner):
                        return False
                    inner |= dict.fromkeys(targets(target), _NUMBER)
                return self._holds(value["element"], inner)
            case "Call" if isinstance(value["function"], dict):
                function = whole(value["function"], self._every)
                given = [*value["arguments"], *(each for _, each in value["keywords"])]
                inner = dict.fromkeys(function["parameters"], _NUMBER)
                if not self._returns(function, inner):
                    return False
            case "Call":
                computes = value["function"] in _HOLDING or value["function"] in _ENTRIES
                computes = computes or _is_by_entry(value["function"])
                if not computes and not value["function"].startswith("math."):
                    return False
                given = [*value["arguments"], *(each for _, each in value["keywords"])]
            case "list" | "tuple" | "set":
                given = value["items"]
            case "Mapping":
                given = [each for pair in value["items"] for each in pair]
            case "Choice":
                given = [value["test"], value["yes"], value["no"]]
            case "Logic":
                given = value["operands"]
            case "Subscript":
                given = [value["value"], value["index"]]
            case _:
                return False
        return all(self._holds(each, held) for each in given)

    def _returns(self, function: Node, held: dict[str, Node | None]) -> bool:
        """Return whether a function sets and returns nothing but what holds."""
        return all(self._sets(node, held) for node in function["body"])

    def _sets(self, node: Node, held: dict[str, Node | None]) -> bool:
        match node:
            case {"kind": "Assign", "target": {"kind": "Name", "id": name}, "value": value}:
                new = name not in held and self._holds(value, held)
                held[name] = value
                return new
            case {"kind": "Assign", "target": {"kind": "Subscript"} as target, "value": value}:
                return all(self._holds(n, held) for n in (target["value"], target["index"], value))
            case {"kind": "Branch", "test": test, "yes": yes, "no": no}:
                return self._holds(test, held) and all(self._sets(n, held) for n in (*yes, *no))
            case {"kind": "Raise"}:
                return True
            case {"kind": "Return", "value": value}:
                return self._holds(value, held)
        return False

    def is_private(self, generator: Node) -> bool:
        """Return whether nobody knows the draws of a generator."""
        if generator["kind"] == "Name":
            return generator["id"] in self._generators
        return generator["kind"] == "Generator" and generator["origin"] in PRIVATE

    def _is_sized(self, node: Node) -> bool:
        """Return whether an expression is a new container with a place for each record."""
        of_library = node["kind"] == "Call" and isinstance(node["function"], str)
        if not of_library or not node["arguments"]:
            return False
        first, *others = node["arguments"]
        if not self._is_public([others, [value for _, value in node["keywords"]]]):
            starts = node["function"] == "operator.mul" and self._is_public(first)
            return starts and _is_list(first) and self._is_size(*others)
        if node["function"] in _LIKE:
            return self.is_column(first)
        parts = first.get("items", [first])
        return node["function"] in _SIZED and all(
            self._is_size(part) or self._is_public(part) for part in parts
        )

    def _comprehension(self, node: Node) -> str | None:
        if len(node["clauses"]) != 1:
            return None
        target, iterable, conditions = node["clauses"][0]
        turn = self._turn(target, iterable, [])
        try:
            if turn is None:
                return None
            turn.values([*conditions, node["element"]])
        except OtherError:
            return None
        if conditions or self.sort(iterable) == "some":
            return "some"
        numbers = targets(target) if self.sort(iterable) in ("array", "numbers") else set()
        return "numbers" if _type(node["element"], numbers) is not None else "list"

    def _turn(self, target: Node, iterable: Node, body: list[Node]) -> Turn | None:
        """Return the turn of a record, None where a loop does not go through the records."""
        names = plain_names(target)
        if (names | changed(body)) & self._generators:
            return None
        turn = Turn(self, self._every, set(self._kinds), names, names | changed(body))
        if self.sort(iterable) in _SEVERAL:
            return turn
        if iterable["kind"] != "Call" or iterable["keywords"]:
            return None
        name, given = iterable["function"], iterable["arguments"]
        columns = all(self.sort(each) in _COLUMNS and each["kind"] != "generator" for each in given)
        if name == "builtins.zip" and columns:
            return turn
        if name == "builtins.enumerate" and len(given) == 1 and columns and "items" in target:
            turn.places |= plain_names(target["items"][0])
            return turn
        if name == "builtins.range" and len(given) == 1 and self._is_size(given[0]):
            turn.places |= names
            return turn
        return None


def _beside_prints(value: Node) -> Node:
    """Return what is returned, without the list of prints beside it."""
    if value["kind"] == "tuple" and [n.get("id") for n in value.get("items", [])[1:]] == [EMITTED]:
        return dict(value["items"][0])
    return value


def _is_start(node: Node, name: str) -> bool:
    """Return whether a statement makes a number, or a new list, array or dict."""
    if node["kind"] != "Assign" or node["target"].get("id") != name:
        return False
    return is_alone(node["value"])


def _is_list(node: Node) -> bool:
    return node["kind"] == "list" and "items" in node and len(node["items"]) == 1


def _type(node: Node, numbers: set[str]) -> str | None:
    """Return the type of an expression that has one, whatever the record; None for others.

    It is that of a record, or ``bool``, ``int`` or ``float``.
    """
    match node["kind"]:
        case "Constant":
            value = node["value"]
            if isinstance(value, dict) and "int" in value:
                return "int" if abs(int(value["int"])) < _LARGE else None
            return "bool" if isinstance(value, bool) else "float" if "float" in value else None
        case "Name":
            return "record" if node["id"] in numbers else None
        case "Choice":
            one, other = (_type(node[way], numbers) for way in ("yes", "no"))
            return one if one == other else None
        case "Call" if isinstance(node["function"], str) and not node["keywords"]:
            name = node["function"].rpartition(".")[2]
            types = [_type(each, numbers) for each in node["arguments"]]
            if None in types:
                return None
            if name in ORDERS or (name in ("bool", "float") and len(types) == 1):
                return "float" if name == "float" else "bool"
            return "int" if name == "int" and types in (["bool"], ["int"]) else None
    return None


def _is_by_entry(name: str) -> bool:
    """Return whether a universal function gives one entry for each."""
    ufunc: Any = getattr(np, name.removeprefix("numpy."), None)
    return is_ufunc(name, methods=False) and ufunc.signature is None and ufunc.nout == 1


def _read(node: Any, known: set[str]) -> Iterator[str]:
    """Yield the variables that are read before they are set there."""
    if isinstance(node, list):
        for each in node:
            yield from _read(each, known)
            if isinstance(each, dict) and each.get("kind") == "Assign":
                known = known | target_names(each["target"])
        return
    if not isinstance(node, dict):
        return
    kind, parts = node.get("kind"), dict(node)
    if kind == "Name" and node["id"] not in known:
        yield node["id"]
    if kind in ("Assign", "For"):
        yield from _read(_stores(parts.pop("target")), known)
    if kind == "For":
        yield from _read([parts.pop("iterable"), parts.pop("otherwise")], known)
        yield from _read(parts.pop("body"), known | target_names(node["target"]))
    if "clauses" in node:
        for target, iterable, conditions in parts.pop("clauses"):
            yield from _read([iterable, _stores(target)], known)
            known = known | target_names(target)
            yield from _read(conditions, known)
    if kind == "Function":
        known = known | set(node["parameters"])
    for each in parts.values():
        yield from _read(each, known)


def _stores(target: Node) -> list[Node]:
    """Return the parts of a target that are no variables."""
    return [part for part in target_parts(target) if part["kind"] != "Name"]


def _asks_identity(node: Node) -> bool:
    """Return whether something asks if two objects are one, but for None and truth values."""
    if node["kind"] == "Constant":
        value = node["value"]
        named = value.get("callable") if isinstance(value, dict) else None
        return str(named).removeprefix("_") in _IDENTITY
    if node["kind"] != "Call" or node["function"] not in _IDENTITY:
        return False
    known = (each["value"] for each in node["arguments"] if each["kind"] == "Constant")
    return not any(value is None or isinstance(value, bool) for value in known)


def _is_not(*_: Any) -> bool:
    return False


def _without_counts(node: Any, several: set[str], tallies: set[str]) -> Any:
    """Return code without numbers of answers that are equal to something: no type tells these.

    They are ``answers.count(v)``, and ``tally[v]`` and ``tally.get(v, 0)`` of a `Counter`.
    """
    if isinstance(node, list):
        return [_without_counts(each, several, tallies) for each in node]
    if not isinstance(node, dict):
        return node
    match node:
        case {"kind": "Call", "function": "method.count", "arguments": [of, wanted]} if (
            of.get("id") in several and not node["keywords"]
        ):
            return _without_counts(wanted, several, tallies)
        case {"kind": "Subscript", "value": of, "index": wanted} if of.get("id") in tallies:
            return _without_counts(wanted, several, tallies)
        case {"kind": "Call", "function": "method.get", "arguments": [of, wanted, zero]} if of.get(
            "id"
        ) in tallies and zero.get("value") == {"int": "0"}:
            return _without_counts(wanted, several, tallies)
    return {name: _without_counts(each, several, tallies) for name, each in node.items()}


def _names(node: Any) -> set[str]:
    """Return all variables in code."""
    return {each["id"] for each in inside(node, []) if each["kind"] == "Name"}


def _is_handed_on(value: Node, several: set[str], inside: Callable[[Node], bool]) -> bool:
    """Return whether an expression does the same with numbers of either type.

    Parameters
    ----------
    value : dict
    several : set of str
        Variables that hold many numbers: of one an error would name the type.
    inside : callable
        Asks the same of a part.
    """
    if value["kind"] in ("Name", "Constant"):
        return True
    if value["kind"] in ("tuple", "list") and "items" in value:
        return all(map(inside, value["items"]))
    if value["kind"] == "Mapping":
        return all(key["kind"] == "Constant" and inside(each) for key, each in value["items"])
    if value["kind"] != "Call" or not isinstance(value["function"], str) or value["keywords"]:
        return False
    if value["function"] in _LINEAR:  # a number of one type: truth values have no difference
        return all(
            isinstance(each.get("value"), dict) and each["value"].keys() < {"int", "float"}
            if each["kind"] == "Constant"
            else each.get("function") in _LINEAR | _NUMBERED and inside(each)
            for each in value["arguments"]
        )
    if len(value["arguments"]) != 1:
        return False
    (given,) = value["arguments"]
    if value["function"] in _HANDING:
        return given["kind"] == "Constant" or given.get("id") in several
    return value["function"] in _SETTLING and inside(given)
