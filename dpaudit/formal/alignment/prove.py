"""The entry: prove a mechanism by randomness alignment."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import cvc5

from dpaudit.checker.alignment import followed
from dpaudit.checker.alignment.content import IDEAL, Content, Part, relations_of
from dpaudit.checker.alignment.ratios import Ratio, parsed
from dpaudit.checker.alignment.runs import Obligation as Discharged
from dpaudit.checker.alignment.runs import TwoRuns
from dpaudit.checker.alignment.terms import Terms, unknowns
from dpaudit.checker.file import RejectedError
from dpaudit.checker.program import validated
from dpaudit.claims import ApproxDP, Claim, PureDP
from dpaudit.formal.alignment.forms import shown
from dpaudit.formal.alignment.invariant import Prover
from dpaudit.formal.alignment.price_templates import Prices
from dpaudit.formal.alignment.proof import (
    AlignedDraw,
    AlignmentProof,
    Obligation,
    RelationProof,
)
from dpaudit.formal.alignment.search import Search
from dpaudit.formal.alignment.shifts import Alignment
from dpaudit.formal.alignment.system import System
from dpaudit.formal.alignment.units import named, unit_of
from dpaudit.formal.clock import now
from dpaudit.formal.conclusion import unsupported, working
from dpaudit.formal.hashing import to_dict
from dpaudit.formal.program import Place, Program
from dpaudit.formal.unsupported import OutOfScope, Unsupported
from dpaudit.neighbors import Neighbors, QueryAnswers

_SECONDS = 30.0


def prove_by_alignment(
    program: Program,
    claim: Claim | str,
    neighbors: Neighbors,
    *,
    deadline: float | None = None,
) -> AlignmentProof:
    """Prove a claim for data of every length.

    Parameters
    ----------
    program : Program
    claim : PureDP, ApproxDP or str
        A text is an epsilon in the program's symbolic parameters: ``"2*epsilon"``.
    neighbors : QueryAnswers
    deadline : float, optional
        When to give up, on the clock of `dpaudit.formal.clock.now`.

    Raises
    ------
    Unsupported
        Where the program is not understood, or no proof was found.
    """
    began = now()
    deadline = began + _SECONDS if deadline is None else deadline
    attempt = _Attempt.of(program, claim, neighbors, deadline)
    proof = attempt.proved(str(claim))
    if proof is None:
        raise Unsupported("no alignment was found", program.entry.place)
    return replace(proof, seconds=now() - began)


@dataclass(slots=True)
class _Attempt:
    """One mechanism, ready to be proved."""

    system: System
    content: Content
    place: Place
    deadline: float

    @staticmethod
    def of(program: Program, claim: Claim | str, neighbors: Neighbors, deadline: float) -> _Attempt:
        if not isinstance(neighbors, QueryAnswers):
            raise OutOfScope("an alignment was not searched: it needs `QueryAnswers`", None)
        with _stopped(program.entry.place):
            budget = _budget(claim, program)
            written = json.loads(json.dumps(to_dict(program)))
            validated(written, written["sources"])
            work = working(deadline)
            names = frozenset(program.symbolic)
            # A number of hits that is no integer would be reached only when it is passed.
            whole = frozenset(names and _whole(followed(written, names, neighbors.container, work)))
            system = System(followed(written, whole, neighbors.container, work))
            draws = [draw for path in system.paths for draw in path.stretch.draws]
            scaled = frozenset(name for draw in draws for name in draw.scale.names())
            unit = unit_of([budget, *(Ratio.of(1) / draw.scale for draw in draws)], names)
            positive = frozenset(scaled | whole)
            parts = tuple(Part(r, {}, {}, {}) for r in relations_of(neighbors))
            content = Content(budget, unit, whole, positive, neighbors.container, parts, ())
        return _Attempt(system, content, program.entry.place, deadline)

    def proved(self, claim: str) -> AlignmentProof | None:
        """Return the proof, None where a relation has none."""
        parts = []
        with _stopped(self.place):
            for part in self.content.parts:
                found = self._related(part)
                if found is None:
                    return None
                parts.append(found)
        names = self.system.execution.parameters
        whole, positive = self.content.whole, self.content.positive
        return AlignmentProof(
            claim=claim,
            epsilon=str(self.content.budget),
            unit=str(self.content.unit),
            parameters=tuple((name, name in whole, name in positive) for name in names),
            relations=tuple(parts),
            assumptions=(*IDEAL, *self._assumptions()),
            solver=f"cvc5 {cvc5.__version__}",
            seconds=0.0,
        )

    def _related(self, part: Part) -> RelationProof | None:
        runs = TwoRuns(self.system.execution, self.content, replace(part, heads={}))
        prices = Prices(self.content.unit, self.content.budget)
        prover = Prover(self.system, runs, prices, self.deadline)
        runs.part = prover.part(Alignment())
        runs.validate()
        found = Search(prover).run()
        return None if found is None else _written(self.system, *found)

    def _assumptions(self) -> Iterator[str]:
        for name in sorted(self.content.positive):
            kind = "a positive whole number" if name in self.content.whole else "positive"
            yield f"the parameter {name} is {kind}"


@contextmanager
def _stopped(place: Place) -> Iterator[None]:
    """Tell what stops the checker's follower as what stops a prover."""
    try:
        yield
    except RejectedError as stopped:
        raise unsupported(stopped, place) from None
    except TimeoutError:
        raise Unsupported("the steps ran out", place) from None


def _budget(claim: Claim | str, program: Program) -> Ratio:
    """Return the epsilon that suffices for a claim."""
    if isinstance(claim, str):
        if missing := sorted(named(claim) - set(program.symbolic)):
            raise Unsupported(f"the claim {claim} names {missing[0]}, which is not symbolic", None)
        try:
            return parsed(claim, program.symbolic, "the claim")
        except RejectedError:
            what = f"{claim} is no fraction of polynomials of the parameters"
            raise Unsupported(what, None) from None
    if isinstance(claim, PureDP | ApproxDP):
        return Ratio.of(Fraction(claim.epsilon))
    raise OutOfScope(f"alignment for the claim {claim}: it proves pure and approximate DP", None)


def _whole(execution: Any) -> set[str]:
    """Return parameters that are only ever compared with whole numbers."""
    compared: dict[str, bool] = {}
    for truth in (t for stretch in execution.stretches for t in stretch.truths):
        found = unknowns([truth])
        whole = all(term.getSort() == execution.terms.int for term in found.values())
        for name in set(found) & set(execution.parameters):
            compared[name] = compared.get(name, True) and whole
    return {name for name, whole in compared.items() if whole}


def _written(
    system: System, alignment: Alignment, part: Part, obligations: list[Discharged]
) -> RelationProof:
    draws: list[AlignedDraw] = []
    paths: list[dict[str, Any]] = []
    scales = {(d.place, d.family): d.scale for p in system.paths for d in p.stretch.draws}

    def told(place: str, family: str, where: str, shift: str) -> AlignedDraw:
        file, _, line = place.rpartition(":")
        scale = str(scales[place, family])
        return AlignedDraw(family, scale, file, int(line), where, shift)

    for path in alignment.shifts:
        g = path.stretch
        where = f"{g.start}: {'; '.join(map(str, path.tests))}".replace(f"@{g.start}", "")
        shifts = part.paths[g.start, g.tests]
        moved: list[dict[str, Any]] = [
            {"place": place, "family": family, "shift": form}
            for (place, family), form in zip(shifts.draws, shifts.forms, strict=True)
        ]
        paths.append({"start": g.start, "tests": [list(test) for test in g.tests], "shifts": moved})
        draws += [told(m["place"], m["family"], where, shown(m["shift"])) for m in moved]
    return RelationProof(
        str(part.relation),
        tuple(draws),
        {loop: tuple(map(shown, held)) for loop, (_, held) in part.heads.items()},
        tuple(_as_text(made, system.terms) for made in obligations),
        {loop: {"place": place, "holds": held} for loop, (place, held) in part.heads.items()},
        paths,
    )


def _as_text(made: Discharged, terms: Terms) -> Obligation:
    """Write an obligation for any solver."""
    denied = [*made.given, terms.negation(terms.both(goal for _, goal in made.goals))]
    lines = ["(set-logic ALL)"]
    lines += [f"(declare-const {x} {x.getSort()})" for x in unknowns(denied).values()]
    lines += [f"(assert {term})" for term in denied]
    names = ", ".join(dict.fromkeys(name for name, _ in made.goals))
    smtlib = "\n".join([*lines, "(check-sat)", ""])
    return Obligation(f"{names}: {made.title}", smtlib, "unsat")
