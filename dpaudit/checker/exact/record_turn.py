"""The turn of a loop that belongs to one record: what outlives it is answers, in their order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from dpaudit.checker.operators import MEANING
from dpaudit.checker.program import Node, changed, targets
from dpaudit.checker.pure import is_ufunc, marks
from dpaudit.checker.writing import IN_PLACE, READS, first_output

_DRAWN_WORDS = """
binomial choice exponential geometric gumbel integers laplace normal random standard_exponential
standard_normal uniform
"""
DRAWS = frozenset(f"method.{name}" for name in _DRAWN_WORDS.split())  # of a generator
_ARRAY_WORDS = "arange empty eye full"
_ARRAYS = frozenset(f"numpy.{name}" for name in _ARRAY_WORDS.split())
_MADE_WORDS = "bool dict float int list"
_MADE = frozenset(f"builtins.{name}" for name in _MADE_WORDS.split()) | {"method.copy"}
TYPES = frozenset(
    {"builtins.bool", "builtins.float", "builtins.int", "numpy.float64", "numpy.int64"}
)
_FAMILIES = frozenset(_DRAWN_WORDS.split())
GROWS = frozenset({"method.append", "method.extend"})
_COMPUTED = frozenset({"computed", "repeatable"})
_SHARED = _COMPUTED | {"shared"}
EACH = "added_value_of_a_turn"
_DEEP_COPY = "copy.deepcopy"  # of which exact runs refuse a generator
_READ = ("size", "shape", "ndim", "dtype", "T")
_OWN, _ARRAY, _GENERATOR = "own", "array", "generator"  # how something was made


class OtherError(Exception):
    """The program does more than answer each record by itself."""


class Columns(Protocol):
    """What tells which variables have an entry for each record."""

    def is_column(self, node: Node) -> bool:
        """Return whether something is such a variable."""

    def is_private(self, generator: Node) -> bool:
        """Return whether nobody knows the draws of a generator."""

    def is_fixed(self, name: str) -> bool:
        """Return whether a public variable holds what no turn can change by reading it."""


@dataclass(slots=True)
class Turn:
    """What is known in the turn of a record, or in a function that it calls.

    Attributes
    ----------
    columns : Columns
    every : list of Node
        All functions of the program, by their numbers.
    hidden : set of str
        Variables from before that were made of the records.
    known : set of str
        Variables that this turn has set.
    own : set of str
        All that it sets at any time.
    alone : set of str
        Known ones of which the object, if that can change, was made in this turn.
    arrays : set of str
        Those of them that are arrays of numbers.
    generators : set of str
        Known ones that are generators which the system seeded.
    read : set of str
        Variables that are read.
    places : set of str
        Numbers of the record.
    kept : dict of str to str
        What outlives the turn, and the one way in which it changes.
    called : bool
        Whether this is a function, which keeps nothing and returns.
    returned : list of str
        How what it returns was made, as `_value` tells it.
    """

    columns: Columns
    every: list[Node]
    hidden: set[str]
    known: set[str]
    own: set[str]
    alone: set[str] = field(default_factory=set)
    arrays: set[str] = field(default_factory=set)
    generators: set[str] = field(default_factory=set)
    read: set[str] = field(default_factory=set)
    places: set[str] = field(default_factory=set)
    kept: dict[str, str] = field(default_factory=dict)
    called: bool = False
    returned: list[str] = field(default_factory=list)
    _inner: int = 0

    def body(self, statements: list[Node]) -> list[Node]:
        """Return what statements become: what outlives the turn is listed.

        Raises
        ------
        OtherError
        """
        return [self._statement(whole(node, self.every)) for node in statements]

    def finish(self) -> None:
        """Refuse a turn that reads what others left.

        Raises
        ------
        OtherError
        """
        if self.read & self.kept.keys():
            raise OtherError

    def _statement(self, node: Node) -> Node:
        match node["kind"]:
            case "Assign":
                return self._assigned(node)
            case "Update":
                return self._updated(node)
            case "Evaluate":
                return self._evaluated(node)
            case "Branch":
                return self._branch(node)
            case "For" | "While" if not node["otherwise"]:
                self.values([node["iterable" if node["kind"] == "For" else "test"]])
                names = plain_names(node["target"]) if node["kind"] == "For" else set()
                if names & self.places:
                    raise OtherError
                bound = names | _bound(node)
                known, *made = self._sets()
                made = [each - bound for each in made]
                self._set(known | names, *made)
                self._inner += 1
                body = self.body(node["body"])
                self._inner -= 1
                self._set(known, *made)
                return {**node, "body": body}
            case "Leave" if self._inner or (node["how"] == "continue" and not self.called):
                return node
            case "Return" if self.called:
                self.returned.append(self._value(node["value"]))
                return node
            case "Raise":
                self.values([node["value"]] if node["value"] else [])
                return node
        raise OtherError

    def _branch(self, node: Node) -> Node:
        self.values([node["test"]])
        before = self._sets()
        yes = self.body(node["yes"])
        first = self._sets()
        self._set(*before)
        no = self.body(node["no"])
        if _ends(node["no"]):
            self._set(*first)
        elif not _ends(node["yes"]):
            self._set(*(one & other for one, other in zip(first, self._sets(), strict=True)))
        return {**node, "yes": yes, "no": no}

    def _sets(self) -> list[set[str]]:
        """Return what is known of variables."""
        return [set(each) for each in (self.known, self.alone, self.arrays, self.generators)]

    def _set(self, *sets: set[str]) -> None:
        """Know this of variables, and nothing else."""
        self.known, self.alone, self.arrays, self.generators = map(set, sets)

    def _assigned(self, node: Node) -> Node:
        made = self._value(node["value"])
        if node["target"]["kind"] == "Subscript":
            return self._entry(node, "store")
        names = plain_names(node["target"])
        if names & self.places:
            raise OtherError
        self._note(names, made if node["target"]["kind"] == "Name" else "")
        return node

    def _note(self, names: set[str], made: str) -> None:
        """Note that variables are set, and how what they hold was made."""
        self.known |= names
        for own, kinds in (
            (self.alone, (_OWN, _ARRAY)),
            (self.arrays, (_ARRAY,)),
            (self.generators, (_GENERATOR,)),
        ):
            own -= names
            own |= names if made in kinds else set()

    def _updated(self, node: Node) -> Node:
        self.values([node["value"]])
        how = "add" if node["function"] == "operator.iadd" else ""
        if node["target"]["kind"] == "Subscript":
            return self._entry(node, how)
        name = node["target"].get("id")
        if name in self.alone:
            return node
        if name is None or name in self.known or not how:
            raise OtherError
        self._keep(name, how)
        return _added(name, [], node["value"])

    def _entry(self, node: Node, how: str) -> Node:
        """Return what a change of an entry becomes."""
        name, index = node["target"]["value"].get("id"), node["target"]["index"]
        parts = index.get("items", [index])
        if name in self.arrays or (name in self.alone and how == "store"):
            self.values(parts)
            return node
        if name is None or not how:
            raise OtherError
        self._keep(name, f"{how} entry")
        self.values(part for part in parts if part.get("id") not in self.places)
        if how == "add":
            return _added(name, [index], node["value"])
        both = {"kind": "tuple", "place": node["place"], "items": [index, node["value"]]}
        return _listed(name, both, node["place"])

    def _evaluated(self, node: Node) -> Node:
        value = node["value"]
        grows = value["kind"] == "Call" and str(value["function"]) in GROWS
        if grows and not value["keywords"]:
            to, *others = value["arguments"]
            self.values(others)
            if to.get("id") not in self.alone:
                self._keep(to.get("id"), value["function"])
            return node
        self.values([value])
        return node

    def _keep(self, name: str | None, how: str) -> None:
        """Note that something outlives the turn; refuse it where it changes in several ways."""
        own = name is None or name in self.known or name in self.places
        if own or self.called or self.kept.setdefault(str(name), how) != how:
            raise OtherError
        self.own.discard(str(name))

    def values(self, values: Iterable[Any]) -> None:
        """Refuse expressions that read what another turn left, or change anything.

        Raises
        ------
        OtherError
        """
        for node in values:
            if isinstance(node, list):
                self.values(node)
            elif isinstance(node, dict):
                self._value(node)

    def _value(self, node: Node) -> str:
        """Refuse an expression as `values` does; return how what it gives was made.

        In this turn, as an array of numbers or as anything else; as a generator; or anywhere.
        """
        if node["kind"] == "Call" and isinstance(node["function"], dict):
            return self._call_of_function(node)
        if node["kind"] == "Generator" and self.is_private(node):
            return _GENERATOR
        self._validate(node)
        if node["kind"] == "Name":
            name = node["id"]
            return _ARRAY if name in self.arrays else _OWN if name in self.alone else ""
        return _ARRAY if is_array(node) else _OWN if is_alone(node) else ""

    def _validate(self, node: Node) -> None:
        match node["kind"]:
            case "Constant":
                return
            case "Name":
                name = node["id"]
                self.read.add(name)
                if name in self.places or (name not in self.known and self._is_open(name)):
                    raise OtherError
            case "Subscript" if self.columns.is_column(node["value"]) and (
                node["value"]["id"] not in self.known and node["index"].get("id") in self.places
            ):
                return
            case "Draw":
                self._generator(node["generator"])
                self.values(value for _, value in node["arguments"])
            case "Call":
                self._call(node)
            case _ if "clauses" in node:
                turn = replace(self)
                turn._set(*self._sets())
                for target, iterable, conditions in node["clauses"]:
                    turn.values([iterable])
                    names = plain_names(target)
                    if names & self.places:
                        raise OtherError
                    turn._note(names, "")
                    turn.values(conditions)
                turn.values([node["element"]])
            case "Choice" | "Logic" | "Mapping" | "tuple" | "list" | "set" | "Subscript" | "Slice":
                self.values(inner for name, inner in node.items() if name != "operator")
            case "Attribute" if node["name"] in _READ:
                self.values([node["value"]])
            case _:
                raise OtherError

    def _is_open(self, name: str) -> bool:
        """Return whether a variable from before the turn may hold other things in other turns."""
        kept = name in self.own or name in self.kept or name in self.hidden
        return kept or not self.columns.is_fixed(name)

    def is_private(self, generator: Node) -> bool:
        """Return whether nobody knows the draws of a generator."""
        return generator.get("id") in self.generators or self.columns.is_private(generator)

    def _generator(self, node: Node) -> None:
        """Refuse a generator that another turn may have left; draws tell if it is none."""
        if not self.is_private(node):
            if node["kind"] != "Subscript":
                raise OtherError
            self.values([node])

    def _call(self, node: Node) -> None:
        function, given = node["function"], node["arguments"]
        others = [*given, *(value for _, value in node["keywords"])]
        if function in DRAWS:
            if not given:
                raise OtherError
            self._generator(given[0])
            self.values(others[1:])
            return
        self.values(others)
        copies = function.startswith("copy.") and function != _DEEP_COPY  # a generator, perhaps
        if copies or not _only_reads(node, _COMPUTED):
            raise OtherError

    def _call_of_function(self, node: Node) -> str:
        """Refuse a call that changes what outlives the turn; return how its result was made."""
        function = whole(node["function"], self.every)
        if function["starred"] is not None:
            raise OtherError
        given, set_there = set(function["parameters"]), changed(function["body"])
        columns = _Given(self.columns, given - set_there)
        turn = Turn(columns, self.every, set(), given, given | set_there, called=True)
        turn.values(function["defaults"].values())
        if len(node["arguments"]) > len(function["parameters"]):
            raise OtherError
        by_place = zip(function["parameters"], node["arguments"], strict=False)
        for name, value in [*by_place, *node["keywords"]]:
            turn._note({name}, _GENERATOR if self.is_private(value) else self._value(value))
        turn.body(function["body"])
        return turn.returned[0] if len(set(turn.returned)) == 1 else ""


@dataclass(frozen=True, slots=True)
class _Given:
    """The columns of a function, which has none, and whose generators are given to it."""

    columns: Columns
    names: set[str]

    def is_column(self, node: Node) -> bool:
        """Return False."""
        return False

    def is_private(self, generator: Node) -> bool:
        """Return whether nobody knows the draws of a generator."""
        return generator.get("id") in self.names or self.columns.is_private(generator)

    def is_fixed(self, name: str) -> bool:
        """Return False: a function of a program reads what it is given."""
        return False


def is_alone(value: Node) -> bool:
    """Return whether nothing else holds the object that an expression gives, if it can change."""
    if value["kind"] == "Constant":
        return isinstance(value["value"], bool | dict) and not _is_object(value["value"])
    if value["kind"] in ("list", "set", "Mapping"):
        return True
    if value["kind"] != "Call" or not isinstance(value["function"], str):
        return False
    name = value["function"]
    return name in _MADE or name.removeprefix("operator.") in MEANING or is_array(value)


def _is_object(value: Any) -> bool:
    return isinstance(value, dict) and value.keys() not in ({"int"}, {"float"})


def is_array(value: Node) -> bool:
    """Return whether an expression gives a new array of numbers."""
    if value["kind"] != "Call" or value["function"] not in _ARRAYS:
        return False
    others = [*value["arguments"][1:], *(each for _, each in value["keywords"])]
    if value["function"] == "numpy.full" and others and _is_filling(others[0].get("value")):
        del others[0]
    words = [word for word, _ in value["keywords"]]
    types = [each.get("value") for each in others]
    return len(value["arguments"]) <= 2 and set(words) <= {"dtype"} and (
        all(isinstance(t, dict) and t.get("callable") in TYPES for t in types)
    )  # fmt: skip


def _is_filling(value: Any) -> bool:
    return isinstance(value, dict) and ("float" in value or value.get("int") in ("0", "1"))


def plain_names(target: Node) -> set[str]:
    """Return the variables that a target sets; refuse one that stores into anything.

    Raises
    ------
    OtherError
    """
    if any(each["kind"] not in ("Name", "tuple", "list") for each in inside(target, [])):
        raise OtherError
    return targets(target)


def may_change(node: Node) -> bool:
    """Return whether something may change an object in place."""
    kind, function = node["kind"], node.get("function")
    if kind == "Update" or (kind in ("Assign", "For") and "Subscript" in str(node["target"])):
        return True
    if "clauses" in node and "Subscript" in str([target for target, *_ in node["clauses"]]):
        return True
    if kind == "Call" and isinstance(function, dict):
        return function["kind"] not in ("Function", "Again")
    if kind in ("Draw", "Attribute") or kind != "Call" or not isinstance(function, str):
        return kind == "Draw" and node["family"] not in _FAMILIES
    if function in DRAWS:
        return False
    return function in ("builtins.map", "builtins.filter") or not _only_reads(node, _SHARED)


def _only_reads(node: Node, known: frozenset[str]) -> bool:
    """Return whether a function of a library that is called changes nothing that it is given.

    Parameters
    ----------
    node : dict
        The call.
    known : frozenset of str
        Marks of pure functions, of which one is enough.
    """
    function, given = node["function"], node["arguments"]
    method = function.startswith("method.")
    words = {word for word, _ in node["keywords"]}
    if "out" in words or function in IN_PLACE or len(given) > first_output(function, method=method):
        return False
    if method:
        return function.removeprefix("method.") in READS
    its = marks(function)
    computes = not its.isdisjoint(known) and "unshared" not in its
    return computes or is_ufunc(function) or function.startswith("math.")


def inside(node: Any, every: list[Node]) -> Iterator[Node]:
    """Yield all nodes in a node, those of functions that it calls again too."""
    todo, seen = [node], set()
    while todo:
        each = todo.pop()
        if isinstance(each, list):
            todo += each
        elif isinstance(each, dict):
            if each.get("kind") == "Again" and each["number"] not in seen:
                seen.add(each["number"])
                todo.append(every[each["number"]])
            if "kind" in each:
                yield each
            todo += each.values()


def whole(node: Any, every: list[Node]) -> Any:
    """Return a node in which each function stands whole wherever it is called."""
    if isinstance(node, list):
        return [whole(each, every) for each in node]
    if not isinstance(node, dict):
        return node
    if node.get("kind") == "Again":
        return whole(every[node["number"]], every)
    return {name: whole(each, every) for name, each in node.items()}


def _bound(node: Node) -> set[str]:
    """Return the variables that a loop sets, to whatever."""
    bound: set[str] = set()
    for each in inside(node["body"], []):
        if each["kind"] in ("Assign", "For") and each["target"]["kind"] != "Subscript":
            bound |= targets(each["target"])
    return bound


def _ends(statements: list[Node]) -> bool:
    return bool(statements) and statements[-1]["kind"] in ("Leave", "Return", "Raise")


def _listed(name: str, value: Node, place: str) -> Node:
    """Return the statement that adds an answer to a list."""
    call = called("method.append", [variable(name, place), value], place)
    return {"kind": "Evaluate", "place": place, "value": call}


def _added(name: str, index: list[Node], value: Node) -> Node:
    """Return the loop, of one turn, that adds to a list what is added to something else.

    That is the value itself, whose type and sign of zero may tell in a sum, and the number less 0,
    or an array of its own: no other object has that.
    """
    place = value["place"]
    zero = {"kind": "Constant", "place": place, "value": {"int": "0"}}
    each = variable(EACH, place)
    items = [*index, called("operator.sub", [each, zero], place), each]
    body = [_listed(name, {"kind": "tuple", "place": place, "items": items}, place)]
    once = {"kind": "list", "place": place, "items": [value]}
    return {"kind": "For", "place": place, "target": each, "iterable": once, "body": body,
            "otherwise": []}  # fmt: skip


def variable(name: str, place: str) -> Node:
    """Return a variable as programs write it."""
    return {"kind": "Name", "place": place, "id": name}


def called(function: str, arguments: list[Node], place: str) -> Node:
    """Return a call of a function of a library."""
    return {"kind": "Call", "place": place, "function": function, "arguments": arguments,
            "keywords": []}  # fmt: skip


def assigned(target: Node, value: Node) -> Node:
    """Return the statement that sets a variable, or several."""
    return {"kind": "Assign", "place": target["place"], "target": target, "value": value}
