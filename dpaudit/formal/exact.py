"""Finite discrete mechanisms: the exact distribution of the output on every dataset.

Draws are independent and ideal; numbers are real, floats the rationals that they are. Every
path of the program is followed, and what is compared are exact numbers: rationals, and fractions
of sums of c·e^q (`dpaudit.formal.enumeration.numbers`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from dpaudit.claims import Claim, PureDP
from dpaudit.formal.enumeration.against import exceeds, spent_on
from dpaudit.formal.enumeration.continuum import extreme_laws
from dpaudit.formal.enumeration.divergence import larger, largest_ratio, loss_text
from dpaudit.formal.enumeration.domains import Domain, domain_of, sample
from dpaudit.formal.enumeration.measures import (
    Distribution,
    distribution,
    distributions,
    law_text,
    without_kinds,
)
from dpaudit.formal.enumeration.noise import NotFiniteError
from dpaudit.formal.enumeration.numbers import UndecidedError, compare, number_text
from dpaudit.formal.enumeration.paths import OutOfTimeError, check_time, until
from dpaudit.formal.enumeration.published import consistent
from dpaudit.formal.enumeration.showing import Shown, shown
from dpaudit.formal.lift import assumptions
from dpaudit.formal.program import Program
from dpaudit.formal.unsupported import Unsupported
from dpaudit.neighbors import AnyPair

_SAMPLED = 40
_Told = tuple[Distribution, str]
ASSUMPTIONS = (
    "draws are independent and follow their distributions exactly",
    "numbers are real: floats of the program stand for the rationals that they are",
)


@dataclass(frozen=True, slots=True, eq=False)
class ExactProof:
    """The claim holds on every pair, by exact distributions.

    Attributes
    ----------
    claim : Claim
    loss : str
        The largest privacy loss of all pairs and outputs: exact, or a ball.
    attained_by : (Any, Any)
        Datasets that reach it, the likelier one first.
    datasets, pairs : int
        How many were gone through.
    ran : tuple of str
        Functions whose values were computed by running the code.
    spent : str
        What the claim bounds, in full.
    assumptions : tuple of str
        What the proof takes for granted.
    """

    claim: Claim
    loss: str
    attained_by: tuple[Any, Any]
    datasets: int
    pairs: int
    ran: tuple[str, ...]
    spent: str
    assumptions: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the proof as JSON-able values."""
        return {
            "kind": "exact",
            "claim": self.claim.to_dict(),
            "loss": self.loss,
            "attained_by": [_dataset_text(side) for side in self.attained_by],
            "datasets": self.datasets,
            "pairs": self.pairs,
            "spent": self.spent,
            "assumptions": list(self.assumptions),
        }


@dataclass(frozen=True, slots=True, eq=False)
class Refutation:
    """The claim fails on a pair, by exact distributions.

    Attributes
    ----------
    claim : Claim
    left, right : Any
        The datasets; the event is too likely on the left.
    event : str
        The outputs that tell.
    loss : str
        The largest privacy loss of the pair; ``"inf"`` where an output is impossible on the right.
    mass : str
        Probability of the event on the left.
    spent, allowed : str
        What the claim bounds, and its bound.
    ran : tuple of str
        Functions whose values were computed by running the code.
    shown : Shown
        Outputs that tell the two datasets apart, to be run, and the epsilon that they show.
    """

    claim: Claim
    left: Any
    right: Any
    event: str
    loss: str
    mass: str
    spent: str
    allowed: str
    ran: tuple[str, ...]
    shown: Shown

    def to_dict(self) -> dict[str, Any]:
        """Return the counterexample as JSON-able values."""
        return {
            "kind": "exact",
            "claim": self.claim.to_dict(),
            "left": _dataset_text(self.left),
            "right": _dataset_text(self.right),
            "event": self.event,
            "loss": self.loss,
            "mass": self.mass,
            "spent": self.spent,
            "allowed": self.allowed,
            "certified_by": "exact distributions on both datasets",
            "assumptions": [*ASSUMPTIONS, *_run_sentences(self.ran)],
        }


def prove_exact(
    program: Program, claim: Claim, neighbors: Any, *, deadline: float
) -> ExactProof | Refutation:
    """Prove or refute a claim by the exact distribution on every dataset.

    Parameters
    ----------
    program : Program
    claim : Claim
    neighbors : Neighbors
        Where there are too many datasets, some pairs are tried, which can refute only.
    deadline : float
        Of `dpaudit.formal.clock.now`.

    Raises
    ------
    Unsupported
        Where neither is reached.
    """
    try:
        with until(deadline):
            return _decided(program, claim, neighbors)
    except OutOfTimeError:
        raise Unsupported("not all datasets were gone through in time") from None
    except (ArithmeticError, NotFiniteError) as error:
        raise Unsupported(str(error), program.entry.place) from None


def _decided(program: Program, claim: Claim, neighbors: Any) -> ExactProof | Refutation:
    try:
        domain = domain_of(neighbors)
    except Unsupported:
        refuted = _try(program, claim, neighbors)
        if refuted is not None:
            return refuted
        if isinstance(claim, PureDP) and type(neighbors) is AnyPair:
            return _on_a_range(program, claim, neighbors)
        raise
    return _all(program, claim, neighbors, domain)


def _taken_for_granted(program: Program, neighbors: Any, ran: tuple[str, ...]) -> tuple[str, ...]:
    own = (*ASSUMPTIONS, *assumptions(program), *neighbors.assumptions())
    return (*own, *_run_sentences(ran))


def _on_a_range(program: Program, claim: Claim, neighbors: Any) -> ExactProof:
    """Prove a claim for any two records of a range of numbers."""
    found = extreme_laws(program, neighbors)
    laws = {law_text(law): (record, law) for record, law in found}
    best: tuple[Any, Any, Any] | None = None
    for record, law in laws.values():
        for other, other_law in laws.values():
            worst = largest_ratio(law, other_law)
            if exceeds(spent_on(law, other_law, claim), claim):
                raise Unsupported("the claim may fail between records that were not tried")
            if best is None or compare(worst.ratio, best[0].ratio) == 1:
                best = (worst, record, other)
    assert best is not None
    ran = tuple(dict.fromkeys(name for _, law in found for name in law.ran))
    spent = number_text(best[0].ratio)
    attained = (_record(best[1]), _record(best[2]))
    count, loss = len(laws), loss_text(best[0])
    granted = _taken_for_granted(program, neighbors, ran)
    return ExactProof(claim, loss, attained, count, count**2, ran, spent, granted)


def _record(value: Any) -> Any:
    return value if value is None else float(value)


def _all(program: Program, claim: Claim, neighbors: Any, domain: Domain) -> ExactProof | Refutation:
    laws = _Laws(program, domain)
    seen: set[tuple[str, str]] = set()
    best: tuple[Any, int, int] | None = None
    for i, j, (one, text), (other, other_text) in laws.pairs():
        if (text, other_text) in seen:
            continue
        seen.add((text, other_text))
        check_time()
        side = spent_on(one, other, claim)
        if exceeds(side, claim):
            left, right = domain.datasets[i], domain.datasets[j]
            return _refuted(one, other, claim, left, right)
        if best is None or _is_larger(side.spent, best[0]):
            best = (side.spent, i, j)
    if best is None:
        raise Unsupported("there are no two datasets")
    spent, i, j = best
    worst = larger(largest_ratio(one, other) for (one, _), (other, _) in laws.between(i, j))
    attained = (domain.datasets[i], domain.datasets[j])
    count = len(domain.datasets)
    ran = laws.ran()
    granted = _taken_for_granted(program, neighbors, ran)
    loss, whole, pairs = loss_text(worst), number_text(spent), len(domain.pairs)
    return ExactProof(claim, loss, attained, count, pairs, ran, whole, granted)


class _Laws:
    """The distributions on each dataset, given what is published."""

    def __init__(self, program: Program, domain: Domain) -> None:
        self._program, self._domain = program, domain
        self._known: dict[int, list[tuple[dict[str, int], Distribution, str]]] = {}

    def of(self, place: int) -> list[tuple[dict[str, int], Distribution, str]]:
        """Return those on one dataset, with their texts."""
        if place not in self._known:
            given = distributions(self._program, self._domain.datasets[place])
            self._known[place] = [(constants, law, law_text(law)) for constants, law in given]
        return self._known[place]

    def pairs(self) -> Iterator[tuple[int, int, _Told, _Told]]:
        """Yield what is compared: both distributions are given the same published draws."""
        for i, j in _both_ways(self._domain.pairs):
            for one, other in self.between(i, j):
                yield i, j, one, other

    def between(self, i: int, j: int) -> Iterator[tuple[_Told, _Told]]:
        """Yield what is compared of two datasets."""
        for constants, one, text in self.of(i):
            for others, other, other_text in self.of(j):
                if consistent(constants, others):
                    yield (one, text), (other, other_text)

    def ran(self) -> tuple[str, ...]:
        """Return the functions that were run for real."""
        every = [law for place in range(len(self._domain.datasets)) for _, law, _ in self.of(place)]
        return tuple(dict.fromkeys(name for law in every for name in law.ran))


def _is_larger(new: Any, best: Any) -> bool:
    """Return whether a number is larger, False where the two cannot be told apart."""
    try:
        return compare(new, best) == 1
    except UndecidedError:
        return False


def _try(program: Program, claim: Claim, neighbors: Any) -> Refutation | None:
    """Look for a pair that refutes, among a few."""
    try:
        for left, right in sample(neighbors, _SAMPLED):
            laws = distribution(program, left), distribution(program, right)
            for (one, a), (other, b) in (
                ((laws[0], left), (laws[1], right)),
                ((laws[1], right), (laws[0], left)),
            ):
                if exceeds(spent_on(one, other, claim), claim):
                    return _refuted(one, other, claim, a, b)
    except (OutOfTimeError, UndecidedError, NotFiniteError, Unsupported):
        return None
    return None


def _both_ways(pairs: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    for i, j in pairs:
        yield i, j
        yield j, i


def _refuted(
    one: Distribution, other: Distribution, claim: Claim, left: Any, right: Any
) -> Refutation:
    """Return the counterexample; outputs are told apart as numbers, not by their types."""
    one, other = without_kinds(one), without_kinds(other)
    side = spent_on(one, other, claim)
    if one.published or other.published:
        raise Unsupported("a claim that fails where all draws from very many integers are known")
    if not exceeds(side, claim):
        raise Unsupported("only the type of the output tells the datasets apart")
    worst = largest_ratio(one, other)
    return Refutation(
        claim=claim,
        left=left,
        right=right,
        event=side.event,
        loss=loss_text(worst),
        mass=number_text(side.mass),
        spent="inf" if side.spent is None else number_text(side.spent),
        allowed=number_text(side.allowed),
        ran=tuple(dict.fromkeys((*one.ran, *other.ran))),
        shown=shown(one, other, claim),
    )


def _run_sentences(ran: tuple[str, ...]) -> list[str]:
    return [f"the value of {name} was computed by running the code" for name in ran]


def _dataset_text(data: Any) -> str:
    from dpaudit.neighbors.source import dataset_to_source

    return dataset_to_source(data)
