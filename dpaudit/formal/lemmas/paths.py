"""Reads a program of one private number on each of its ways: coins, and cuts of uniform numbers.

A uniform number U of [0, 1) is known to lie in a part of it, [a, b), on each way: a test U < v
cuts that at v, which may move with the private number as long as it stays inside. The test is
passed with probability (v − a)/(b − a).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import sympy

from dpaudit.formal import program as ir
from dpaudit.formal import rounding
from dpaudit.formal.enumeration.numbers import sign
from dpaudit.formal.lemmas.facts import Facts
from dpaudit.formal.lemmas.forms import Form, Less, bounded, clipped, plus, power_of_e, times
from dpaudit.formal.lemmas.reading import Names, Reading
from dpaudit.formal.lemmas.synonyms import SYNONYMS
from dpaudit.formal.lemmas.values import Known, Number, Value, is_private
from dpaudit.formal.program import Place, Program
from dpaudit.formal.unsupported import Unsupported

MOST_PATHS = 64
_ONE = Form(Fraction(1))
_EXTREMES = frozenset({
    "builtins.max", "builtins.min", "numpy.maximum", "numpy.minimum", "numpy.fmax", "numpy.fmin",
})  # fmt: skip
_SIGNS = {"lt": 1, "le": 1, "gt": -1, "ge": -1}


@dataclass(frozen=True, slots=True, eq=False)
class Path:
    """What comes out on one way through the program.

    Attributes
    ----------
    output : Form
    units : dict of int to (Form, Form)
        Between what each uniform number lies.
    chances : dict of int to Fraction or Exact
        Of each geometric draw.
    place : Place
        Of the last draw.
    """

    output: Form
    units: dict[int, tuple[Form, Form]]
    chances: dict[int, Any]
    place: Place


@dataclass(slots=True, eq=False)
class Way(Reading):
    """The reading of one way: the outcomes of its first tests are given, others are passed."""

    outcomes: tuple[bool, ...] = ()
    taken: list[bool] = field(default_factory=list)
    units: dict[int, tuple[Form, Form]] = field(default_factory=dict)
    chances: dict[int, Any] = field(default_factory=dict)
    last: Place | None = None

    def truth(self, node: ir.Expression) -> bool:
        """Return the outcome of a test."""
        value = self.evaluate(node)
        if isinstance(value, Known) and isinstance(value.value, bool):
            return value.value
        if not isinstance(value, Less):
            raise Unsupported("a test on what the data is", node.place)
        return self._cut(value.form, node.place)

    def _cut(self, form: Form, place: Place) -> bool:
        """Return whether c·U + d is below 0, where U is cut at −d/c."""
        (draw,) = form.noise
        c = form.noise[draw]
        rest = times(Form(form.public, form.slope, form.of), -1 / c)
        low, high = self.units[draw]
        if rest is None or not _inside(low, rest, high):
            raise Unsupported("a uniform number against what may be on either side of it", place)
        if rest.known and not rounding.tosses(rest.public):
            raise Unsupported("a coin that floats do not toss", place)
        step = len(self.taken)
        passed = self.outcomes[step] if step < len(self.outcomes) else True
        self.taken.append(passed)
        below = passed is (sign(c) > 0)
        self.units[draw] = (low, rest) if below else (rest, high)
        return passed

    def drawn(self, node: ir.Draw) -> Value:
        """Return a draw."""
        source = self.evaluate(node.generator)
        if not is_private(source):
            raise Unsupported("noise from a generator that others know", node.place)
        given = {name: _form(self.evaluate(value)) for name, value in node.arguments}
        self.draws += 1
        self.last = node.place
        draw = Form(Fraction(0), noise={self.draws: Fraction(1)})
        match node.family, given:
            case "random", {}:
                found: Form | None = draw
            case "uniform", {"low": Form() as low, "high": Form() as high} if len(given) == 2:
                width = plus(high, low, -1)
                scaled = times(draw, width.public) if width and width.known else None
                found = plus(low, scaled) if scaled else None
            case "geometric", {"p": Form(known=True, public=chance)} if len(given) == 1:
                if not rounding.keeps_chance(chance):
                    raise Unsupported("a geometric draw whose chance floats lose", node.place)
                self.chances[self.draws] = chance
                return draw
            case _:
                found = None
        if found is None:
            raise Unsupported(f"{node.family} noise with these arguments", node.place)
        self.units[self.draws] = (Form(Fraction(0)), _ONE)
        return found

    def called(self, name: str, args: list[Value], keywords: dict[str, Value], place: Place) -> Any:
        """Return what a function of Python's or NumPy's returns."""
        name = SYNONYMS.get(name, name)
        forms = [_form(value) for value in args]
        if name in ("operator.is_", "operator.is_not") and len(args) == 2:
            return _is(name, args, place)
        found = None
        if not keywords and all(form is not None for form in forms):
            found = _function(self, name, forms)  # type: ignore[arg-type]
        if found is None:
            raise Unsupported(f"{name} of these, of which no lemma speaks", place)
        return found


def _inside(low: Form, at: Form, high: Form) -> bool:
    """Whether a cut lies in a part of [0, 1) for every value of the private number."""
    gaps = (plus(at, low, -1), plus(high, at, -1))
    return all(gap is not None and bounded(gap) and all(sign(end) >= 0 for end in gap.ends())
               for gap in gaps)  # fmt: skip


def _form(value: Any) -> Form | None:
    if isinstance(value, Form):
        return value
    if isinstance(value, Number) and isinstance(value.expr, sympy.Rational):
        return Form(Fraction(int(value.expr.p), int(value.expr.q)))
    return None


def _is(name: str, args: list[Value], place: Place) -> Known:
    """Return the outcome of ``a is None``."""
    one, other = args
    if not isinstance(other, Known) or other.value is not None:
        raise Unsupported("an identity of values", place)
    same = isinstance(one, Known) and one.value is None
    return Known(same is (name == "operator.is_"))


def _function(way: Way, name: str, forms: list[Form]) -> Any:
    word = name.removeprefix("operator.")
    match word, forms:
        case "add" | "sub", [one, other]:
            return plus(one, other, 1 if word == "add" else -1)
        case "neg", [one]:
            return times(one, Fraction(-1))
        case "mul", [one, other]:
            if other.known:
                return times(one, other.public)
            return times(other, one.public) if one.known else None
        case "truediv", [one, Form(known=True, public=divisor)]:
            return times(one, 1 / divisor) if sign(divisor) else None
        case "lt" | "le" | "gt" | "ge", [one, other]:
            return _less(way, plus(one, other, -1), _SIGNS[word])
        case "builtins.float", [one]:
            return one
        case "math.exp" | "numpy.exp", [one]:
            return power_of_e(one)
    return clipped(name, *forms) if name in _EXTREMES and len(forms) == 2 else None


def _less(way: Way, difference: Form | None, side: int) -> Any:
    """Return a test of one uniform number."""
    signed = None if difference is None else times(difference, Fraction(side))
    if signed is None or set(signed.noise) - set(way.units) or len(signed.noise) != 1:
        return None
    return Less(signed)


def paths(program: Program, data: Form, deadline: float) -> Iterator[Path]:
    """Yield what comes out on every way through a program.

    Raises
    ------
    Unsupported
        Where it is not understood, or there are too many.
    """
    todo: list[tuple[bool, ...]] = [()]
    for _ in range(MOST_PATHS):
        if not todo:
            return
        outcomes = todo.pop()
        way = Way(program, Facts(deadline), Names(), True, outcomes=outcomes)
        value, place = way.start(data)
        form = _form(value)
        if form is None or way.last is None:
            raise Unsupported("an output of which no lemma speaks", place)
        yield Path(form, way.units, way.chances, way.last)
        steps = range(len(outcomes), len(way.taken))
        todo += [(*way.taken[:step], False) for step in steps]
    if todo:
        raise Unsupported("more paths than are followed", program.entry.place)
