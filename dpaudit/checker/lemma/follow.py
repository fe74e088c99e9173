"""Follows a program on one of the two datasets, statement by statement."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from dpaudit.checker.cost.constants import constant
from dpaudit.checker.exact.numbers import Number
from dpaudit.checker.file import PRIVATE, NotCheckedError, RejectedError
from dpaudit.checker.lemma import segments
from dpaudit.checker.lemma.arithmetic import CLIPS
from dpaudit.checker.lemma.smt_context import Scene
from dpaudit.checker.lemma.values import (
    Column,
    HowMany,
    Items,
    Largest,
    ManyDraws,
    Mixed,
    Noise,
    Num,
    Trial,
    public,
)
from dpaudit.checker.operators import UFUNCS
from dpaudit.checker.program import begun, bound, identifier
from dpaudit.checker.wording import construct

Node = dict[str, Any]
_DEEPEST = 15
_SYNONYMS = {name: f"operator.{word}" for name, word in UFUNCS.items()}
_SYNONYMS["numpy.absolute"] = "builtins.abs"


class Rng:
    """The source of randomness."""


@dataclass(slots=True)
class Follower:
    """The state of one following.

    Attributes
    ----------
    scene : Scene
    functions : list of Node
        Of the program, in the order in which they are written.
    side : {"x", "y"}
        Which dataset.
    passed : bool
        How the trial of noise comes out.
    """

    scene: Scene
    functions: list[Node]
    side: str
    passed: bool
    trial: Trial | None = None
    draws: int = 0
    frames: list[dict[str, Any]] = field(default_factory=list)
    place: str = ""

    @property
    def size(self) -> Num:
        """The number of records."""
        alike = self.side == "x" or self.scene.replaced
        return Num(None, "n" if alike else "(+ n 1)", True)

    def start(self, program: Node, data: Column) -> Any:
        """Return what the program returns."""
        given = begun(program, data, Rng(), self.constant)
        try:
            return self.enter(program["entry"], [], given)
        except RejectedError as stopped:
            raise stopped.located(self.place, ()) from None

    def refused(self, what: str) -> NotCheckedError:
        """Return the error that something is not understood here."""
        return NotCheckedError(f"not checked: {what}", self.place)

    def constant(self, node: Node) -> Any:
        """Return a constant; a float is the rational that it is."""
        return self._made(constant(node))

    def _made(self, value: Any) -> Any:
        if isinstance(value, Number):
            assert value.fraction is not None
            if value.double == 0 and math.copysign(1, value.double) < 0:
                raise self.refused("the number -0.0, which arrays tell apart from 0.0")
            return public(value.fraction)
        if isinstance(value, int) and not isinstance(value, bool):
            return public(value, whole=True)
        if isinstance(value, float) and not math.isfinite(value):
            return value
        if type(value) is tuple:
            return Items(tuple(map(self._made, value)))
        return value

    def enter(self, function: Node, args: list[Any], named: dict[str, Any]) -> Any:
        """Return what a function returns."""
        self.scene.work.left()
        if len(self.frames) >= _DEEPEST:
            raise self.refused("a recursion")
        self.frames.append(bound(function, args, named, self.constant, self.refused))
        found = self.block(function["body"])
        self.frames.pop()
        return None if found is None else found[0]

    def block(self, body: list[Node]) -> tuple[Any] | None:
        """Return what a block returns, in a tuple; None where it does not return."""
        for node in body:
            self.place = node["place"]
            kind = node["kind"]
            if kind == "Return":
                return (self.value(node["value"]),)
            if kind == "Assign":
                self._assign(node["target"], self.value(node["value"]))
            elif kind == "Branch":
                found = self.block(node["yes"] if self.truth(node["test"]) else node["no"])
                if found is not None:
                    return found
            elif kind == "Evaluate" and node["value"].get("function") == "method.sort":
                self._sort(node["value"])
            else:
                raise self.refused(f"{construct(kind)}, of which no lemma speaks")
        return None

    def _assign(self, target: Node, value: Any) -> None:
        if target["kind"] == "Name":
            self.frames[-1][identifier(target["id"])] = value
            return
        parts = target.get("items") if target["kind"] in ("tuple", "list") else None
        if not isinstance(value, Items) or parts is None or len(parts) != len(value.items):
            raise self.refused("a value that is changed in place")
        for part, each in zip(parts, value.items, strict=True):
            self._assign(part, each)

    def _sort(self, call: Node) -> None:
        """Sort in place what one name alone holds."""
        from dpaudit.checker.lemma.library import called

        names = call["arguments"]
        if len(names) != 1 or names[0]["kind"] != "Name" or call["keywords"]:
            raise self.refused("sorting of this")
        value = self.value(names[0])
        own = isinstance(value, Mixed) or (isinstance(value, Column) and value.key[0] in CLIPS)
        if not own or self.held(value) != 1:
            raise self.refused("sorting of what has two names")
        self.frames[-1][names[0]["id"]] = called(self, "numpy.sort", [value], {})

    def held(self, value: Any) -> int:
        """Return how many variables, or entries of theirs, are a value."""
        return sum(_held(each, value) for frame in self.frames for each in frame.values())

    def truth(self, node: Node) -> bool:
        """Return the outcome of a test."""
        value = self.value(node)
        if isinstance(value, bool):
            return value
        if not isinstance(value, Trial) or self.trial is not None:
            raise self.refused("a test on private data, or a second one on noise")
        self.trial = value
        return self.passed

    def value(self, node: Node) -> Any:
        """Return the value of an expression."""
        kind = node["kind"]
        match kind:
            case "Constant":
                return self.constant(node)
            case "Name":
                if node["id"] not in self.frames[-1]:
                    raise self.refused(f"the variable {node['id']!r:.40}")
                return self.frames[-1][node["id"]]
            case "Generator":
                if node["origin"] not in PRIVATE or node["seed"] is not None:
                    raise self.refused("noise that other code may know")
                return Rng()
            case "tuple" | "list" if "items" in node:
                return Items(tuple(self.value(item) for item in node["items"]))
            case "Choice":
                return self.value(node["yes"] if self.truth(node["test"]) else node["no"])
            case "Draw":
                return self._draw(node)
            case "Subscript":
                return self.entry(self.value(node["value"]), self.value(node["index"]))
            case "Attribute" if node["name"] in ("shape", "size"):
                length = self.library("builtins.len", [self.value(node["value"])], {})
                return length if node["name"] == "size" else Items((length,))
            case "Call":
                return self._call(node)
        raise self.refused(f"{construct(kind)}, of which no lemma speaks")

    def _call(self, node: Node) -> Any:
        function = node["function"]
        if isinstance(function, dict) and function["kind"] == "Again":
            number = function["number"]
            if isinstance(number, bool) or not 0 <= number < len(self.functions):
                raise self.refused("a function that is not there")
            function = self.functions[number]
        args = [self.value(argument) for argument in node["arguments"]]
        named = {name: self.value(value) for name, value in node["keywords"]}
        place, self.place = self.place, node["place"]
        if isinstance(function, str):
            found = self.library(_SYNONYMS.get(function, function), args, named)
        elif isinstance(function, dict) and function["kind"] == "Function":
            found = self.enter(function, args, named)
        else:
            raise self.refused("a call of what the certificate does not hold")
        self.place = place
        return found

    def entry(self, value: Any, index: Any) -> Any:
        """Return an entry."""
        from dpaudit.checker.lemma.library import entry

        return entry(self, value, index)

    def library(self, name: str, args: list[Any], named: dict[str, Any]) -> Any:
        """Return what a library's function returns."""
        from dpaudit.checker.lemma.library import called

        return called(self, name, args, named)

    def _draw(self, node: Node) -> Any:
        self.place = self.scene.place = node["place"]
        if not isinstance(self.value(node["generator"]), Rng):
            raise self.refused("noise of a generator that is not known")
        return self.drawn(node, {name: self.value(value) for name, value in node["arguments"]})

    def drawn(self, node: Node, given: dict[str, Any]) -> Any:
        """Return a draw with these arguments."""
        law = node["family"]
        if law in ("random", "uniform", "choice"):
            return self._of_segments(law, given)
        scale = given.pop("scale", public(1)) if law in ("laplace", "gumbel") else public(1)
        many = given.pop("size", None)
        if law not in ("laplace", "standard_cauchy", "gumbel") or given:
            raise self.refused(f"{law!r:.30} noise with these arguments")
        self.draws += 1
        known = scale.closed if isinstance(scale, Num) else scale
        if known is None or not (isinstance(known, Largest) or known.sign() > 0):
            raise self.refused("a scale that is not public and positive")
        if many is None and law != "gumbel":
            return Noise(self.draws, law, node["place"], known, public(0))
        if isinstance(known, Largest) or not isinstance(many, Num if law == "gumbel" else HowMany):
            raise self.refused("noise of this size")
        number = many.column if isinstance(many, HowMany) else many
        return ManyDraws(self.draws, law, node["place"], known, number)

    def _of_segments(self, law: str, given: dict[str, Any]) -> Any:
        choice = law == "choice"
        found = segments.chosen(self, given) if choice else segments.inside(self, law, given)
        if found is None:
            raise self.refused(f"{law!r:.30} noise with these arguments")
        return found


def _held(value: Any, part: Any) -> int:
    if isinstance(value, Items):
        return sum(_held(item, part) for item in value.items)
    return int(value is part)
