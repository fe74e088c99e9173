"""Loops that draw until a coin lets the draw pass: the law of what they return.

Statement. Let `while True` run a body that reads nothing which an earlier round of it assigned, and
in which every way through either returns or begins the next round. What it returns has the law of
one round's value, given that the round returns (J. von Neumann 1951).

So one round is gone through with drawn numbers as symbols, each with its law (`laws.Law`), and a
test by which the round is given up is a condition on these laws: that a coin of chance e^(-p) is
True multiplies the weights by e^(-p). Drawn numbers are independent, and one that another is made
of is not used again. The law of what is returned is that of discrete Laplace noise, e^(-r|x|), or
of discrete Gaussian noise, e^(-x²/2v), or the loop is not understood.

References
----------
C. Canonne, G. Kamath, T. Steinke 2020, Algorithms 2 and 3 with the proofs of their laws.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import permutations
from typing import TYPE_CHECKING, NoReturn

from dpaudit.formal import program as ir
from dpaudit.formal.domain import Known, Number
from dpaudit.formal.program import Place
from dpaudit.formal.sampling import laws
from dpaudit.formal.sampling.coins import coin_of
from dpaudit.formal.sampling.laws import Law
from dpaudit.formal.sampling.values import (
    Chance,
    Drawn,
    Fair,
    Held,
    Signed,
    Swung,
    Whole,
    known,
    plus,
    times,
    variable,
)
from dpaudit.formal.unsupported import Unsupported

if TYPE_CHECKING:
    from dpaudit.formal.walk import Walk

MOST = 2**32  # of what a draw is taken among: far below what 64 bits hold
Outcome = tuple[bool, bool]  # whether a size is 0, whether a fair truth value is True


@dataclass(slots=True, eq=False)
class Round:
    """One round of a loop, as far as it was gone through.

    Attributes
    ----------
    walk : Walk
        What the loop does not assign is read there.
    own : frozenset of str
        The variables that the body assigns.
    sampled : callable
        Returns the law of what another sampler returns that is called.
    held : dict of str to Held
        What they hold so far in this round.
    laws : dict of int to Law
        Of drawn numbers that nothing else was made of.
    fairs : set of int
        Draws that are truth values of chance 1/2.
    kept : tuple of (int, int, frozenset of Outcome), or None
        A number, a fair truth value, and the outcomes of both with which the round goes on.
    """

    walk: Walk
    own: frozenset[str]
    sampled: Callable[[ir.Call], Law]
    held: dict[str, Held] = field(default_factory=dict)
    laws: dict[int, Law] = field(default_factory=dict)
    fairs: set[int] = field(default_factory=set)
    kept: tuple[int, int, frozenset[Outcome]] | None = None
    count: int = 0

    def value_returned(self, body: tuple[ir.Statement, ...]) -> ir.Return:
        """Go through a round, and return the statement by which it ends the loop."""
        index = 0
        while index < len(body):
            node = body[index]
            after = body[index + 1] if index + 1 < len(body) else None
            match node:
                case ir.Return() if after is None:
                    return node
                case ir.Branch(yes=(ir.Return() as last,), no=()) if after is None:
                    self._given(node.test, wanted=True)
                    return last
                case ir.Branch(yes=(ir.Leave(how="continue"),), no=()):
                    self._given(node.test, wanted=False)
                case ir.Assign(target=ir.Name(id=name)) if isinstance(after, ir.While):
                    self.held[name] = self._counted(node, after)
                    index += 1
                case ir.Assign(target=ir.Name(id=name), value=value):
                    self.held[name] = self._value(value)
                case _:
                    _refuse("a statement of a sampling loop that is not understood", node.place)
            index += 1
        _refuse("a sampling loop without an end", body[-1].place)

    # --- laws

    def _new(self, law: Law) -> int:
        self.count += 1
        self.laws[self.count] = law
        return self.count

    def _law(self, number: int, place: Place) -> Law:
        law = self.laws.get(number)
        if law is None:
            _refuse("a drawn number that is used twice", place)
        return law

    def law_of(self, value: Held, place: Place) -> Law:
        """Return the law of what is returned, a whole number of either sign."""
        law = None
        if isinstance(value, Signed):
            law = self._law(value.number, place)
        elif isinstance(value, Swung) and self.kept is not None:
            number, fair, outcomes = self.kept
            zeros = {(True, True), (True, False)} & outcomes
            others = {(False, True), (False, False)} <= outcomes
            if (number, fair) == (value.number, value.fair) and others and len(zeros) == 1:
                law = laws.signed(self._law(number, place))
        if law is None:
            _refuse("what a sampling loop returns", place)
        return law

    # --- statements

    def _counted(self, start: ir.Assign, loop: ir.While) -> Held:
        """Return ``v`` after ``v = 0`` and ``while coin: v += 1``."""
        name = start.target.id if isinstance(start.target, ir.Name) else ""
        match start.value, loop.body:
            case (
                ir.Constant(value=zero),
                (
                    ir.Update(
                        target=ir.Name(id=counter),
                        function="operator.iadd",
                        value=ir.Constant(value=one),
                    ),
                ),
            ) if counter == name and not loop.otherwise:
                chance = self._value(loop.test) if isinstance(loop.test, ir.Call) else None
                whole = type(zero) is type(one) is int and (zero, one) == (0, 1)
                rate = chance.above.constant if isinstance(chance, Chance) else None
                if whole and rate is not None and rate > 0 and isinstance(chance, Chance):
                    law = laws.geometric(Fraction(rate, chance.below))
                    return variable(self._new(law))
        _refuse("a loop inside of a sampling loop that is not understood", loop.place)

    def _given(self, test: ir.Expression, *, wanted: bool) -> None:
        """Go on where a test comes out as it is wanted."""
        match test:
            case ir.Call(function="operator.not_", arguments=(inner,), keywords=()):
                self._given(inner, wanted=not wanted)
                return
            case ir.Call(function=ir.Function()):
                chance = self._value(test)
                if not isinstance(chance, Chance) or not wanted:
                    _refuse("a test of a sampling loop that is not understood", test.place)
                self._pass(chance, test.place)
                return
        outcomes: set[Outcome] = set()
        names: set[tuple[int, int]] = set()
        for zero in (True, False):
            for fair in (True, False):
                found = _Test(self, zero, fair)
                if found.true(test) is wanted:
                    outcomes.add((zero, fair))
                names |= {(a, b) for a in found.sizes for b in found.fairs}
        if len(names) != 1 or self.kept is not None:
            _refuse("a test of a sampling loop that is not understood", test.place)
        ((number, sign),) = names
        self._law(number, test.place)
        self.kept = number, sign, frozenset(outcomes)

    def _pass(self, chance: Chance, place: Place) -> None:
        if chance.above.constant is not None and chance.above.constant >= 0:
            return  # the same chance whatever was drawn
        found = chance.above.of_one()
        law = None if found is None else laws.passed(
            self._law(found[0], place), found[1], chance.below
        )  # fmt: skip
        if found is None or law is None:
            _refuse("a coin whose chance is not understood", place)
        self.laws[found[0]] = law

    # --- expressions

    def value(self, node: ir.Expression) -> Held:
        """Return what an expression holds."""
        return self._value(node)

    def _value(self, node: ir.Expression) -> Held:
        match node:
            case ir.Constant(value=value) if type(value) is int:
                return known(value)
            case ir.Name(id=name) if name in self.held:
                return self.held[name]
            case ir.Name(id=name) if name not in self.own:
                return known(self._outer(node))
            case ir.Draw():
                return self._drawn(node)
            case ir.Choice():
                return self._swung(node)
            case ir.Call(function=ir.Function() as function, keywords=()):
                return self._called(function, node)
            case ir.Call(function=str(name), arguments=arguments, keywords=()):
                return self._computed(name, [self._value(a) for a in arguments], node.place)
        _refuse("an expression of a sampling loop that is not understood", node.place)

    def _outer(self, node: ir.Name) -> int:
        found = self.walk.evaluate(node)
        if isinstance(found, Number) and found.public and type(found.value) is int:
            return found.value
        _refuse(f"`{node.id}` in a sampling loop, which is no known whole number", node.place)

    def _drawn(self, node: ir.Draw) -> Held:
        self._check_generator(node.generator)
        names = [name for name, _ in node.arguments]
        if node.family != "integers" or names != ["low"]:
            _refuse(f"draws of {node.family} noise in a sampling loop", node.place)
        among = self._value(node.arguments[0][1])
        number = among.constant if isinstance(among, Whole) else None
        if number is None or not 1 <= number <= MOST:
            _refuse("a draw among so many numbers", node.place)
        return Drawn(self._new(Law("below", count=number)))

    def _called(self, function: ir.Function, node: ir.Call) -> Held:
        coin = coin_of(function)
        if coin is None:
            return Signed(self._new(self.sampled(node)))
        given = dict(zip(function.parameters, node.arguments, strict=False))
        if len(node.arguments) != len(function.parameters) or any(
            isinstance(a, ir.Starred) for a in node.arguments
        ):
            _refuse("the arguments of a coin", node.place)
        self._check_generator(given[coin.generator])
        above, below = self._value(given[coin.numerator]), self._value(given[coin.denominator])
        under = below.constant if isinstance(below, Whole) else None
        if not isinstance(above, Whole) or under is None or not 1 <= under <= MOST:
            _refuse("a coin whose chance is not understood", node.place)
        return Chance(above, under)

    def _check_generator(self, node: ir.Expression) -> None:
        made = self.walk.evaluate(node)
        if not isinstance(made, Known) or not isinstance(made.value, ir.Generator):
            _refuse("a sampling loop with a generator that is not understood", node.place)

    def _computed(self, name: str, values: list[Held], place: Place) -> Held:
        match name, values:
            case "builtins.int", [Drawn(number=number)]:
                return variable(number)
            case "builtins.int", [Whole() as a]:
                return a
            case "builtins.bool", [Drawn(number=number)]:
                law = self._law(number, place)
                if law.uniform and law.count == 2:
                    del self.laws[number]
                    self.fairs.add(number)
                    return Fair(number)
            case "builtins.abs", [Signed(number=number)]:
                return variable(number)
            case "operator.add", [Whole() as a, Whole() as b]:
                return plus(a, b)
            case "operator.sub", [Whole() as a, Whole() as b]:
                return plus(a, b, -1)
            case "operator.neg", [Whole() as a]:
                return plus(known(0), a, -1)
            case "operator.mul", [Whole() as a, Whole() as b]:
                return times(a, b)
            case "operator.pow", [Whole() as a, Whole() as b] if b.constant == 2:
                return times(a, a)
            case "operator.floordiv", [Whole() as a, Whole() as b] if b.constant is not None:
                return self._floored(a, b.constant, place)
        _refuse(f"{name} in a sampling loop", place)

    def _floored(self, a: Whole, by: int, place: Place) -> Held:
        law = None
        one = a.alone
        if one is not None:
            law = laws.floored(self._law(one, place), by)
        elif len(a.terms) == 2 and all(len(key) == 1 for key in a.terms):
            for (low, factor), (high, other) in permutations(a.terms.items()):
                parts = self._law(low[0], place), self._law(high[0], place)
                whole = laws.joined(*parts, other) if factor == 1 else None
                law = law if whole is None else laws.floored(whole, by)
        if law is None:
            _refuse("a quotient in a sampling loop", place)
        for key in a.terms:
            del self.laws[key[0]]
        return variable(self._new(law))

    def _swung(self, node: ir.Choice) -> Held:
        """Return ``-m if negative else m``."""
        sign = self._value(node.test)
        yes, no = self._value(node.yes), self._value(node.no)
        if isinstance(sign, Fair) and isinstance(yes, Whole) and isinstance(no, Whole):
            number = no.alone if no.alone is not None else yes.alone
            if number is not None and plus(yes, no).constant == 0:
                return Swung(number, sign.number)
        _refuse("a choice in a sampling loop that is not understood", node.place)


@dataclass(slots=True, eq=False)
class _Test:
    """A test on whether a size is 0 and on a fair truth value, for one outcome of both."""

    round: Round
    zero: bool
    fair: bool
    sizes: set[int] = field(default_factory=set)
    fairs: set[int] = field(default_factory=set)

    def true(self, node: ir.Expression) -> bool:
        """Return what the test comes out as; all its parts are looked at."""
        match node:
            case ir.Logic(operator=how, operands=operands):
                found = [self.true(operand) for operand in operands]
                return any(found) if how == "or" else all(found)
            case ir.Call(function="operator.not_", arguments=(inner,), keywords=()):
                return not self.true(inner)
            case ir.Call(
                function="operator.eq" | "operator.ne" | "operator.gt" as name,
                arguments=(ir.Name() as side, ir.Constant(value=value)),
                keywords=(),
            ) if type(value) is int and value == 0:
                holds = self.true(side)
                return not holds if name == "operator.eq" else holds
            case ir.Name():
                return self._of(self.round.value(node), node.place)
        _refuse("a test of a sampling loop that is not understood", node.place)

    def _of(self, value: Held, place: Place) -> bool:
        number = value.alone if isinstance(value, Whole) else None
        if number is not None and self.round.laws.get(number, Law("below")).support == "naturals":
            self.sizes.add(number)
            return not self.zero
        if isinstance(value, Fair):
            self.fairs.add(value.number)
            return self.fair
        _refuse("a test of a sampling loop that is not understood", place)


def assigned(body: tuple[ir.Statement, ...]) -> frozenset[str]:
    """Return the variables that statements assign, those of functions that they call left out."""
    return frozenset(_assigned(body))


def _assigned(body: tuple[ir.Node, ...]) -> Iterator[str]:
    for node in body:
        if isinstance(node, ir.Assign | ir.Update | ir.For | ir.Named):
            yield from (n.id for n in _own(node.target) if isinstance(n, ir.Name))
        if isinstance(node, ir.Define):
            yield node.name
        if not isinstance(node, ir.Function):
            yield from _assigned(tuple(ir.children(node)))


def _own(node: ir.Node) -> Iterator[ir.Node]:
    yield node
    for child in ir.children(node):
        if not isinstance(child, ir.Function):
            yield from _own(child)


def _refuse(what: str, place: Place) -> NoReturn:
    raise Unsupported(what, place)
