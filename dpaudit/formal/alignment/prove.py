"""The entry: prove a mechanism by randomness alignment, or refute it by exact integration."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction
from typing import Any

import z3

from dpaudit.claims import ApproxDP, Claim, PureDP
from dpaudit.formal.alignment import exact_form
from dpaudit.formal.alignment.invariant import Prover
from dpaudit.formal.alignment.poly import Symbol
from dpaudit.formal.alignment.proof import (
    AlignedDraw,
    AlignmentProof,
    AlignmentRefutation,
    RelationProof,
)
from dpaudit.formal.alignment.relation import (
    Relation,
    relations_of,
    validate_no_blocks,
    validate_one_pass,
)
from dpaudit.formal.alignment.search import Found, Search
from dpaudit.formal.alignment.segments import LENGTH, System, system_of
from dpaudit.formal.alignment.trace import Drawn
from dpaudit.formal.alignment.units import Prices, prices
from dpaudit.formal.clock import now
from dpaudit.formal.program import Place, Program
from dpaudit.formal.solver import own_context
from dpaudit.formal.unsupported import OutOfScope, Unsupported
from dpaudit.neighbors import Neighbors

_SECONDS = 30.0
RESERVED = frozenset({"n", "cost", "changes", "returned"})


def prove_by_alignment(
    program: Program,
    claim: Claim | str,
    neighbors: Neighbors,
    *,
    deadline: float | None = None,
    refuting: bool = True,
) -> AlignmentProof | AlignmentRefutation:
    """Prove a claim for data of every length, or refute it.

    Parameters
    ----------
    program : Program
    claim : PureDP, ApproxDP or str
        A text is an epsilon in the program's symbolic parameters: ``"2*epsilon"``.
    neighbors : QueryAnswers
    deadline : float, optional
        When to give up, on the clock of `dpaudit.formal.clock.now`.
    refuting : bool
        Whether a counterexample is searched where the first attempt at a proof fails, and a
        second, wider one made after that.

    Returns
    -------
    AlignmentProof or AlignmentRefutation

    Raises
    ------
    Unsupported
        Where the program is not understood, or neither proof nor counterexample was found.
    """
    began = now()
    deadline = began + _SECONDS if deadline is None else deadline
    budget = budget_of(claim)
    trouble: Unsupported | None = None
    try:
        relations = relations_of(neighbors)
        attempt = _Attempt.of(program, budget, relations, deadline)
        proof = attempt.proved(str(claim), wide=1)
        if proof is not None:
            return replace(proof, seconds=now() - began)
    except Unsupported as error:
        attempt, trouble = None, error
    except TimeoutError:
        attempt, trouble = None, Unsupported("the steps ran out", program.entry.place)
    if not refuting:
        raise trouble or Unsupported("no alignment", program.entry.place)
    refuted = _refuted(program, claim, neighbors, deadline)
    if refuted is not None:
        return replace(refuted, seconds=now() - began)
    if trouble is not None:
        raise trouble
    try:
        proof = None if attempt is None else attempt.proved(str(claim), wide=4)
    except TimeoutError:
        raise Unsupported("the steps ran out", program.entry.place) from None
    if proof is None:
        raise Unsupported("neither an alignment nor a counterexample", program.entry.place)
    return replace(proof, seconds=now() - began)


def budget_of(claim: Claim | str) -> Fraction | str:
    """Return the epsilon that suffices for a claim."""
    if isinstance(claim, str):
        return claim
    if isinstance(claim, PureDP | ApproxDP):
        return Fraction(claim.epsilon)
    raise OutOfScope(f"alignment for the claim {claim}: it proves pure and approximate DP", None)


def _refuted(
    program: Program, claim: Claim | str, neighbors: Neighbors, deadline: float
) -> AlignmentRefutation | None:
    from dpaudit.formal.alignment.refute import refute

    try:
        return refute(program, claim, neighbors, deadline=deadline)
    except (Unsupported, TimeoutError):
        return None


class _Attempt:
    """One mechanism, ready to be proved."""

    def __init__(
        self,
        system: System,
        relations: tuple[Relation, ...],
        priced: Prices,
        parameters: tuple[Symbol, ...],
        assumed: tuple[Symbol, ...],
        place: Place,
        deadline: float,
    ) -> None:
        self.system = system
        self.relations = relations
        self.prices = priced
        self.parameters = parameters
        self.assumed = assumed
        self.place = place
        self.deadline = deadline

    @staticmethod
    def of(
        program: Program,
        budget: Fraction | str,
        relations: tuple[Relation, ...],
        deadline: float,
    ) -> _Attempt:
        _validate_names(program)
        integers = whole_parameters(program)
        system = system_of(program, integers)
        draws = [d for g in system.segments for d in g.draws]
        parameters = [Symbol(name, "parameter", name in integers) for name in program.symbolic]
        if any(relation.total for relation in relations):
            validate_one_pass(system)
        else:
            validate_no_blocks(system)
        scales = " ".join(str(d.scale) for d in draws)
        assumed = tuple(p for p in parameters if p.name in scales or p.integer)
        priced = prices(draws, budget, parameters)
        place = program.entry.place
        return _Attempt(system, relations, priced, tuple(parameters), assumed, place, deadline)

    def proved(self, claim: str, *, wide: int) -> AlignmentProof | None:
        """Return the proof, None where a relation has none."""
        parts = []
        for relation in self.relations:
            with own_context():
                part = self._related(relation, wide)
            if part is None:
                return None
            parts.append(part)
        return AlignmentProof(
            claim=claim,
            epsilon=f"({self.prices.claim}) * ({self.prices.unit})",
            unit=self.prices.unit,
            parameters=tuple((p.name, p.integer, p in self.assumed) for p in self.parameters),
            relations=tuple(parts),
            assumptions=self._assumptions(),
            solver=f"z3 {z3.get_version_string()}",
            seconds=0.0,
        )

    def _related(self, relation: Relation, wide: int) -> RelationProof | None:
        prover = Prover(self.system, relation, self.prices, self.assumed, self.deadline)
        found = Search(prover, wide).run()
        return None if found is None else _written(self.system, relation, found)

    def _assumptions(self) -> tuple[str, ...]:
        sentences = [
            "numbers are real: rounding and overflow are left out",
            "noise is drawn exactly from its distribution, independently",
            "answers are finite numbers",
        ]
        for symbol in self.assumed:
            kind = "a positive whole number" if symbol.integer else "positive"
            sentences.append(f"the parameter {symbol} is {kind}")
        return tuple(sentences)


def _validate_names(program: Program) -> None:
    """Refuse parameters with names that the proof itself uses."""
    if taken := RESERVED & set(program.symbolic):
        raise Unsupported(f"a symbolic parameter named {min(taken)}", program.entry.place)


def whole_parameters(program: Program) -> frozenset[str]:
    """Return symbolic parameters that are only ever compared with whole numbers.

    A number of hits that is no integer would be reached only when it is passed.
    """
    guess = frozenset(program.symbolic)
    if not guess:
        return guess
    system = system_of(program, guess)
    compared: dict[str, bool] = {}
    for segment in system.segments:
        for decision in segment.decisions:
            symbols = decision.atom.number.symbols()
            whole = all(s.integer and s.kind != "input" for s in symbols)
            for symbol in symbols:
                if symbol.kind == "parameter" and symbol != LENGTH:
                    compared[symbol.name] = compared.get(symbol.name, True) and whole
                if symbol.kind == "shared":
                    inside = set(re.findall(r"\w+", symbol.name)) & guess
                    compared.update({name: compared.get(name, True) for name in inside})
    return frozenset(name for name, whole in compared.items() if whole and name in guess)


def _written(system: System, relation: Relation, found: Found) -> RelationProof:
    alignment, kept, obligations = found
    draws: list[AlignedDraw] = []
    if alignment.winner is None:
        for segment in system.segments:
            where = f"{segment.start}: " + "; ".join(map(str, segment.decisions))
            shifts = alignment.shifts[segment]
            draws += [_aligned(drawn, where, shifts[drawn.symbol]) for drawn in segment.draws]
    else:
        all_drawn = {d.symbol: d for g in system.segments for d in g.draws}
        for symbol, (own, other) in alignment.winner.items():
            draws.append(_aligned(all_drawn[symbol], "the index that is returned", own))
            draws.append(_aligned(all_drawn[symbol], "every other index", other))
    return RelationProof(
        str(relation),
        "path" if alignment.winner is None else "returned index",
        tuple(draws),
        {loop: tuple(p.text for p in held) for loop, held in kept.items()},
        tuple(obligations),
        exact_form.heads(system, kept),
        exact_form.paths(system, alignment),
        exact_form.winner(system, alignment),
    )


def _aligned(drawn: Drawn, where: str, shift: Any) -> AlignedDraw:
    place = drawn.place
    return AlignedDraw(drawn.family, str(drawn.scale), place.file, place.line, where, str(shift))
