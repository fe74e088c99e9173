"""Sampling loops: ``while True`` with draws of whole numbers, until a round returns.

A round that reads nothing of the rounds before it is the same each time, so that what is returned
has the law of a round's value given that the round returns. A number below some m has its weights
in a table of logarithms; a number from 0 on, or of either sign, has the weights e^(-(a x + b x²)),
x its size. A coin of chance e^-p that must be True adds p to what is in the exponent.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from typing import Any, NoReturn

from dpaudit.checker.cost.coins import coin_of
from dpaudit.checker.file import NotCheckedError

Node = dict[str, Any]
Poly = dict[tuple[int, ...], int]  # coefficients by the numbers that are multiplied
_MOST = 2**32
_TABLE = 4096


@dataclass(frozen=True, slots=True)
class Table:
    """Weights e^-c(x) of x = 0, 1, ..., by their c."""

    costs: tuple[Fraction, ...]


@dataclass(frozen=True, slots=True)
class Tail:
    """Weights e^(-(a x + b x²)) by the size x, of numbers from 0 on or of either sign."""

    a: Fraction
    b: Fraction = Fraction(0)
    both: bool = False


@dataclass(frozen=True, slots=True)
class Held:
    """What a variable of the loop holds.

    Attributes
    ----------
    kind : {"whole", "drawn", "fair", "signed", "swung", "coin"}
        A polynomial in sizes; a number as NumPy drew it; a fair truth value; a number of either
        sign; a number with the sign of a fair truth value; a coin.
    """

    kind: str
    poly: Any = None
    number: int = 0
    fair: int = 0
    below: int = 1


@dataclass(slots=True, eq=False)
class Loop:
    """A round of a sampling loop.

    Attributes
    ----------
    own : frozenset of str
        What the loop assigns.
    known : callable
        Returns the whole number that an outer variable is.
    sampler : callable
        Returns the law of another sampler that is called.
    generator : callable
        Refuses what is no generator.
    function : callable
        Returns the function that a call is of.
    """

    own: frozenset[str]
    known: Callable[[Node], int]
    sampler: Callable[[Node], Tail]
    generator: Callable[[Node], None]
    function: Callable[[Node], Node | None]
    held: dict[str, Held] = field(default_factory=dict)
    laws: dict[int, Table | Tail] = field(default_factory=dict)
    kept: Any = None
    place: str = ""
    count: int = 0

    def last(self, body: list[Node]) -> Node:
        """Go through a round; return the expression that it returns."""
        at = 0
        while at < len(body):
            node, rest = body[at], body[at + 1 :]
            self.place = node["place"]
            at += 1
            if node["kind"] == "Return" and not rest:
                return dict(node["value"])
            if node["kind"] == "Branch" and not node["no"] and len(node["yes"]) == 1:
                (inside,) = node["yes"]
                if inside["kind"] == "Return" and not rest:
                    self._must(node["test"], True)
                    return dict(inside["value"])
                if inside["kind"] == "Leave" and inside["how"] == "continue":
                    self._must(node["test"], False)
                    continue
            if node["kind"] == "Assign" and node["target"]["kind"] == "Name":
                counted = bool(rest) and rest[0]["kind"] == "While"
                made = self._count(node, rest[0]) if counted else self.value(node["value"])
                self.held[node["target"]["id"]] = made
                at += counted
                continue
            self._refuse("a statement")
        self._refuse("an end")

    def tail(self, value: Held) -> Tail:
        """Return the law of a number of either sign that is returned."""
        if value.kind == "signed":
            law = self._law(value.number)
            if isinstance(law, Tail) and law.both:
                return law
        if value.kind == "swung" and self.kept is not None:
            number, fair, outcomes = self.kept
            law = self._law(value.number)
            zeros = [o for o in outcomes if o[0]]
            whole = len(outcomes) == 3 and len(zeros) == 1
            if whole and (number, fair) == (value.number, value.fair) and isinstance(law, Tail):
                return Tail(law.a, law.b, True)
        self._refuse("what is returned")

    # --- laws

    def _refuse(self, what: str) -> NoReturn:
        raise NotCheckedError(f"not checked: {what} of a sampling loop", self.place)

    def _new(self, law: Table | Tail) -> int:
        self.count += 1
        self.laws[self.count] = law
        return self.count

    def _law(self, number: int) -> Table | Tail:
        if number not in self.laws:
            self._refuse("a number that is used twice")
        return self.laws[number]

    def _count(self, start: Node, loop: Node) -> Held:
        """Return how often a coin is True before it is False."""
        plain = start["value"]["kind"] == "Constant" and start["value"]["value"] == {"int": "0"}
        body = loop["body"]
        if not plain or loop["otherwise"] or len(body) != 1 or body[0]["kind"] != "Update":
            self._refuse("a loop")
        one, test = body[0], loop["test"]
        adds = one["function"] == "operator.iadd" and one["value"].get("value") == {"int": "1"}
        if not adds or one["target"].get("id") != start["target"]["id"] or test["kind"] != "Call":
            self._refuse("a loop")
        coin = self.value(test)
        rate = _constant(coin.poly) if coin.kind == "coin" else None
        if rate is None or rate < 1:
            self._refuse("a loop")
        return _whole({(self._new(Tail(Fraction(rate, coin.below))),): 1})

    def _must(self, test: Node, wanted: bool) -> None:
        """Keep the outcomes of a round on which a test comes out as wanted."""
        while test["kind"] == "Call" and test["function"] == "operator.not_":
            (test,), wanted = test["arguments"], not wanted
        if test["kind"] == "Call" and not isinstance(test["function"], str):
            coin = self.value(test)
            if coin.kind != "coin" or not wanted:
                self._refuse("a test")
            self._accept(coin)
            return
        if self.kept is not None:
            self._refuse("a second test")
        seen: set[tuple[str, int]] = set()
        every = [(zero, fair) for zero in (True, False) for fair in (True, False)]
        kept = [o for o in every if self._true(test, o, seen) is wanted]
        sizes = [n for kind, n in seen if kind == "size"]
        fairs = [n for kind, n in seen if kind == "fair"]
        if len(sizes) != 1 or len(fairs) != 1:
            self._refuse("a test")
        self.kept = sizes[0], fairs[0], kept

    def _true(self, node: Node, outcome: tuple[bool, bool], seen: set[tuple[str, int]]) -> bool:
        match node["kind"]:
            case "Logic":
                parts = [self._true(o, outcome, seen) for o in node["operands"]]
                return all(parts) if node["operator"] == "and" else any(parts)
            case "Call" if node["function"] == "operator.not_":
                return not self._true(node["arguments"][0], outcome, seen)
            case "Call" if node["function"] in ("operator.eq", "operator.ne", "operator.gt"):
                left, right = node["arguments"]
                if right["kind"] == "Constant" and right["value"] == {"int": "0"}:
                    return self._true(left, outcome, seen) is (node["function"] != "operator.eq")
            case "Name":
                value = self.value(node)
                size = _single(value.poly) if value.kind == "whole" else None
                if value.kind == "fair":
                    seen.add(("fair", value.fair))
                    return outcome[1]
                law = None if size is None else self._law(size)
                if size is not None and isinstance(law, Tail) and not law.both:
                    seen.add(("size", size))
                    return not outcome[0]
        self._refuse("a test")

    def _accept(self, coin: Held) -> None:
        fixed = _constant(coin.poly)
        if fixed is not None and fixed >= 0:
            return
        numbers = {n for key in coin.poly for n in key}
        if len(numbers) != 1 or max(map(len, coin.poly)) > 2:
            self._refuse("a coin")
        (one,) = numbers
        law = self._law(one)
        c, a, b = (coin.poly.get(key, 0) for key in ((), (one,), (one, one)))
        if isinstance(law, Table):
            chances = [Fraction(c + a * x + b * x * x, coin.below) for x in range(len(law.costs))]
            if min(chances) < 0:
                self._refuse("a coin of chance above 1")
            costs = tuple(x + y for x, y in zip(law.costs, chances, strict=True))
            self.laws[one] = Table(costs)
            return
        # c + ax + bx² is not negative for x >= 0 where a and b are not, or without a real root.
        if not (min(a, b, c) >= 0 or (b > 0 and a * a <= 4 * b * c)):
            self._refuse("a coin of chance above 1")
        more = Fraction(a, coin.below), Fraction(b, coin.below)
        self.laws[one] = Tail(law.a + more[0], law.b + more[1], law.both)

    # --- expressions

    def value(self, node: Node) -> Held:
        """Return what an expression of the loop holds."""
        match node["kind"]:
            case "Constant" if isinstance(node["value"], dict) and set(node["value"]) == {"int"}:
                return _whole({(): int(node["value"]["int"])})
            case "Name" if node["id"] in self.held:
                return self.held[node["id"]]
            case "Name" if node["id"] not in self.own:
                return _whole({(): self.known(node)})
            case "Draw" if node["family"] == "integers" and len(node["arguments"]) == 1:
                return self._drawn(node)
            case "Choice":
                return self._swung(node)
            case "Call" if not node["keywords"]:
                function = self.function(node)
                if function is not None:
                    return self._called(node, function)
                values = [self.value(argument) for argument in node["arguments"]]
                found = self._computed(node["function"], values)
                if found is not None:
                    return found
        self._refuse("an expression")

    def _drawn(self, node: Node) -> Held:
        self.generator(node["generator"])
        ((name, inside),) = node["arguments"]
        among = self.value(inside)
        many = _constant(among.poly) if among.kind == "whole" else None
        if name != "low" or many is None or not 1 <= many <= _TABLE:
            self._refuse("a draw")
        return Held("drawn", number=self._new(Table((Fraction(0),) * many)))

    def _called(self, node: Node, function: Node) -> Held:
        coin = coin_of(function)
        if coin is None:
            return Held("signed", number=self._new(self.sampler(node)))
        given = dict(zip(function["parameters"], node["arguments"], strict=True))
        self.generator(given[coin.generator])
        above, below = self.value(given[coin.above]), self.value(given[coin.below])
        under = _constant(below.poly) if below.kind == "whole" else None
        if above.kind != "whole" or under is None or not 1 <= under <= _MOST:
            self._refuse("a coin")
        return Held("coin", poly=above.poly, below=under)

    def _swung(self, node: Node) -> Held:
        sign, yes, no = (self.value(node[part]) for part in ("test", "yes", "no"))
        if sign.kind == "fair" and yes.kind == no.kind == "whole":
            for plain, other in ((no, yes), (yes, no)):
                one = _single(plain.poly)
                if one is not None and other.poly == {(one,): -1}:
                    return Held("swung", number=one, fair=sign.fair)
        self._refuse("a choice")

    def _computed(self, name: Any, values: list[Held]) -> Held | None:
        kinds = tuple(value.kind for value in values)
        first = values[0]
        if name == "builtins.int" and kinds == ("drawn",):
            self._law(first.number)
            return _whole({(first.number,): 1})
        if name == "builtins.int" and kinds == ("whole",):
            return first
        two = Table((Fraction(0), Fraction(0)))
        if name == "builtins.bool" and kinds == ("drawn",) and self._law(first.number) == two:
            del self.laws[first.number]  # from now on it is a truth value
            return Held("fair", fair=first.number)
        if name == "builtins.abs" and kinds == ("signed",):
            return _whole({(first.number,): 1})
        if name == "operator.neg" and kinds == ("whole",):
            return _whole({key: -c for key, c in first.poly.items()})
        if kinds != ("whole", "whole"):
            return None
        a, b = values[0].poly, values[1].poly
        whole = _constant(b)
        if name in ("operator.add", "operator.sub"):
            return _whole(_sum(a, b, 1 if name == "operator.add" else -1))
        if name == "operator.mul" or (name == "operator.pow" and whole == 2):
            return _whole(_product(a, b if name == "operator.mul" else a))
        if name == "operator.floordiv" and whole is not None and whole >= 1:
            return self._quotient(a, whole)
        return None

    def _quotient(self, a: Poly, by: int) -> Held:
        """Return (u + mv) // by, of weights e^(-r by x) where those of u + mv = x are e^(-r x)."""
        numbers = [key[0] for key in a if len(key) == 1]
        if len(numbers) != len(a) or len(a) not in (1, 2):
            self._refuse("a quotient")
        laws = {n: self._law(n) for n in numbers}
        rate = None
        for n, law in laws.items():
            if not isinstance(law, Tail) or law.both or law.b:
                continue
            if len(a) == 1:
                rate = law.a if a[(n,)] == 1 else None
                continue
            ((u, table),) = [(k, t) for k, t in laws.items() if k != n]
            costs = table.costs if isinstance(table, Table) and a[(u,)] == 1 else ()
            each = law.a / a[(n,)]
            if len(costs) == a[(n,)] and all(y - x == each for x, y in pairwise(costs)):
                rate = each
        if rate is None:
            self._refuse("a quotient")
        for n in numbers:
            del self.laws[n]
        return _whole({(self._new(Tail(rate * by)),): 1})


def _whole(poly: Poly) -> Held:
    return Held("whole", poly={key: value for key, value in poly.items() if value})


def _constant(poly: Poly) -> int | None:
    return poly.get((), 0) if set(poly) <= {()} else None


def _single(poly: Poly) -> int | None:
    return next((key[0] for key in poly), None) if _is_single(poly) else None


def _is_single(poly: Poly) -> bool:
    return len(poly) == 1 and all(len(k) == 1 and v == 1 for k, v in poly.items())


def _sum(a: Poly, b: Poly, sign: int) -> Poly:
    return {key: a.get(key, 0) + sign * b.get(key, 0) for key in {*a, *b}}


def _product(a: Poly, b: Poly) -> Poly:
    found: Poly = {}
    for one, x in a.items():
        for other, y in b.items():
            key = tuple(sorted(one + other))
            found[key] = found.get(key, 0) + x * y
    return found
