"""What the search for a proof reads off the stretches of the checker's follower."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from cvc5 import Kind

from dpaudit.checker.alignment.content import Form
from dpaudit.checker.alignment.execute import Execution
from dpaudit.checker.alignment.heads import unknowns_of
from dpaudit.checker.alignment.kinds import number_at
from dpaudit.checker.alignment.ratios import Ratio
from dpaudit.checker.alignment.state import Stretch
from dpaudit.checker.alignment.terms import LENGTH, Terms, polynomial, unknowns
from dpaudit.checker.alignment.values import Listing, is_term, terms_in


@dataclass(frozen=True, slots=True)
class Test:
    """How ``number >= 0``, or ``number = 0``, came out on a path."""

    number: Ratio
    equal: bool
    truth: bool

    def __str__(self) -> str:
        test = f"{self.number} {'=' if self.equal else '>='} 0"
        return test if self.truth else f"not ({test})"


@dataclass(slots=True, eq=False)
class Path:
    """One stretch, in polynomials.

    Attributes
    ----------
    stretch : Stretch
    tests : list of Test
    numbers : dict of str to Ratio
        What the variables of the next head become.
    shown : list of Ratio
        What is put into lists, or returned.
    forms : dict of str to Form
        What a certificate calls the unknowns that differ between the runs, and by how much they do,
        which is named with Δ.
    parameters : frozenset of str
        The unknowns that are one in both runs wherever they occur.
    """

    stretch: Stretch
    tests: list[Test]
    numbers: dict[str, Ratio]
    shown: list[Ratio]
    forms: dict[str, Form]
    parameters: frozenset[str]

    def second(self, number: Ratio) -> Ratio | None:
        """Return what a number is in the second run, None where that is no polynomial."""
        moving = [name.removeprefix("Δ") for name in self.forms if name.startswith("Δ")]
        if any(n not in self.forms and any(m in n for m in moving) for n in number.names()):
            return None  # it is part of what is no arithmetic
        return number.replaced({n: Ratio.name(n) + Ratio.name(f"Δ{n}") for n in moving})


@dataclass(eq=False)
class System:
    """All paths of a mechanism.

    Attributes
    ----------
    execution : Execution
    paths : list of Path
    """

    execution: Execution
    paths: list[Path] = field(init=False)

    def __post_init__(self) -> None:
        self.paths = [self._path(g) for g in self.execution.stretches]

    @property
    def terms(self) -> Terms:
        """The solver's terms."""
        return self.execution.terms

    def states(self, loop: str) -> list[tuple[str, bool, bool]]:
        """Return the variables at a head that matter, whether whole, and the same in both runs."""
        found = []
        for unknown, public in unknowns_of(self.terms, self.execution.heads[loop]):
            name = str(unknown.getSymbol())
            if name in self.relevant:
                whole = unknown.getSort() != self.terms.real
                found.append((name.removesuffix(f"@{loop}"), whole, public))
        return found

    def lists(self, loop: str) -> list[str]:
        """Return the lists at a head."""
        kinds = self.execution.heads[loop].kinds
        return [name for name, kind in kinds.items() if kind.name in ("list", "filled")]

    def first_values(self, loop: str, variable: str) -> list[Ratio]:
        """Return what a variable may be when the loop is reached, where that is public."""
        name = f"{variable}@{loop}"
        values = [
            p.numbers[name]
            for p in self.paths
            if p.stretch.to == loop and p.stretch.start != loop and name in p.numbers
        ]
        return _different(value for value in values if value.names() <= self.parameters)

    @property
    def parameters(self) -> frozenset[str]:
        """The parameters, and the number of entries."""
        return frozenset({*self.execution.parameters, LENGTH})

    @cached_property
    def relevant(self) -> frozenset[str]:
        """The unknowns that a test, an output or another such unknown depends on."""
        found = {n for p in self.paths for t in p.tests for n in t.number.names()}
        found |= {n for p in self.paths for number in p.shown for n in number.names()}
        found |= {n for p in self.paths for r in p.stretch.reads for n in unknowns([r.index])}
        while True:
            more = {
                n
                for p in self.paths
                for target, value in p.numbers.items()
                if target in found
                for n in value.names()
            }
            if more <= found:
                return frozenset(found)
            found |= more

    def _path(self, g: Stretch) -> Path:
        numbers, shown = {}, list(_shown(g.output))
        if g.to is not None:
            for unknown, _ in unknowns_of(self.terms, self.execution.heads[g.to]):
                name = str(unknown.getSymbol())
                value = number_at(g.after, name.removesuffix(f"@{g.to}"), self.terms)
                if value is not None:
                    numbers[name] = polynomial(value)
            for value in g.after.values():
                shown += _shown(value.items) if isinstance(value, Listing) else ()
        tests = [test for truth in g.truths if (test := _test(truth)) is not None]
        return Path(g, tests, numbers, shown, dict(self._forms(g)), self.parameters)

    def _forms(self, g: Stretch) -> Iterator[tuple[str, Form]]:
        for unknown, public in unknowns_of(self.terms, self.execution.heads.get(g.start)):
            name = str(unknown.getSymbol())
            variable = name.removesuffix(f"@{g.start}")
            yield name, ["state", variable]
            if not public:
                yield f"Δ{name}", ["change", variable]
        for read in g.reads:
            name, told = str(read.answer.getSymbol()), read.named(self.execution.data)
            yield name, ["input", told]
            yield f"Δ{name}", ["input change", told]
        for at, draw in enumerate(g.draws):
            yield str(draw.noise.getSymbol()), ["draw", at]
            yield f"Δ{draw.noise.getSymbol()}", ["shift", at]


def _shown(value: Any) -> Iterator[Ratio]:
    """Yield the numbers in what both runs must show alike."""
    parts = value.items if isinstance(value, Listing) else value
    if isinstance(parts, tuple):
        for part in parts:
            yield from _shown(part)
    elif is_term(value):
        yield from (polynomial(term) for term in terms_in(value) if not term.getSort().isBoolean())


def _test(truth: Any) -> Test | None:
    denied = truth.getKind() == Kind.NOT
    test = truth[0] if denied else truth
    if test.getKind() not in (Kind.GEQ, Kind.EQUAL) or test[0].getSort().isBoolean():
        return None
    number = polynomial(test[0]) - polynomial(test[1])
    return Test(number, test.getKind() == Kind.EQUAL, not denied)


def _different(values: Iterable[Ratio]) -> list[Ratio]:
    """Return each value once, in the order of their texts."""
    return [value for _, value in sorted({str(value): value for value in values}.items())]
