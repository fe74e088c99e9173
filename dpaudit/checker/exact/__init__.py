"""Checks proofs by exact distributions: runs the code itself, on draws that fork."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import flint

from dpaudit.checker.exact.continuum import is_continuum, validate_continuum
from dpaudit.checker.exact.domain import Domain, domain_of
from dpaudit.checker.exact.fixed import Chosen, agree
from dpaudit.checker.exact.for_all import FOR_ALL, stated_claim, validate_inequalities
from dpaudit.checker.exact.growing import Multiple
from dpaudit.checker.exact.laws import finite, laws_of
from dpaudit.checker.exact.mechanism import Mechanism, mechanism_of
from dpaudit.checker.exact.numbers import PRECISION
from dpaudit.checker.exact.spending import (
    Chances,
    Spent,
    alike_where_equal,
    largest_ratio,
    spent_on,
)
from dpaudit.checker.exact.statement import validate_numbers
from dpaudit.checker.exact.twin import Twins
from dpaudit.checker.file import (
    IDEALIZED,
    MECHANISM,
    SAME_CODE,
    Document,
    NotCheckedError,
    RejectedError,
    Work,
    fields,
)
from dpaudit.checker.named import validate_name
from dpaudit.claims import ApproxDP
from dpaudit.neighbors import dataset_to_source

_APART = 64  # outputs, of which more are compared by their independent parts
_PROOF = {
    "kind": str,
    "claim": dict,
    "loss": str,
    "attained_by": list,
    "datasets": int,
    "pairs": int,
    "spent": str,
    "assumptions": list,
}
_TRUSTED = (
    "the lifted program, of which only the parameters were compared: the code itself was run",
    "Python and NumPy, which ran it, and the balls of flint",
    "two numbers that agree in 400 bits and at a random point of a field are the same",
)


def check(document: Document, work: Work) -> tuple[str, ...]:
    """Check the certificate of a proof by exact distributions.

    Parameters
    ----------
    document : Document
    work : Work

    Returns
    -------
    tuple of str
        What was taken on trust.

    Raises
    ------
    RejectedError
        Naming the field, or the pair of datasets.
    """
    fields(document.subject, MECHANISM, "`subject`")
    if "inequalities" in document.proof:
        return _check_for_all(document, work)
    fields(document.proof, _PROOF, "`proof`")
    claim, neighbors = _nouns(document)
    _validate_named(document, work)
    with flint.ctx.workprec(PRECISION):
        twins = _validated(document, claim, neighbors, work)
    _validate_sources(document.sources, twins)
    _validate_assumptions(document, neighbors)
    return (*_TRUSTED, *twins.ran)


def _validate_named(document: Document, work: Work) -> None:
    validate_name(document.subject["mechanism"])
    if work.mechanism is None:
        raise NotCheckedError(
            "not checked: a proof by exact distributions is checked by running the code; name what "
            "may be run by --mechanism module:function, or its file by --source FILE"
        )


def _check_for_all(document: Document, work: Work) -> tuple[str, ...]:
    """Check a proof for all values of a parameter."""
    fields(document.proof, FOR_ALL, "`proof`")
    name, allowed = stated_claim(document)
    neighbors = _neighbors(document)
    _validate_named(document, work)
    domain = domain_of(neighbors)
    mechanism = mechanism_of(document, work, {name: Multiple(Fraction(1))})
    twins = Twins()
    laws = _Laws.of(mechanism, domain, twins, work).alone()
    validate_inequalities(document.proof, domain, laws, allowed, work)
    _validate_sources(document.sources, twins)
    _validate_assumptions(document, neighbors)
    return (*_TRUSTED[:2], *twins.ran)


def _validated(document: Document, claim: Any, neighbors: Any, work: Work) -> Twins:
    """Refuse a claim that some pair breaks; return what was run."""
    if is_continuum(neighbors):
        return validate_continuum(
            document.proof, claim, neighbors, mechanism_of(document, work), work
        )
    domain = domain_of(neighbors)
    mechanism = mechanism_of(document, work)
    twins = Twins()
    most = {} if type(claim) is ApproxDP else {"most": _APART}
    laws = _Laws.of(mechanism, domain, twins, work, **most)
    _validate_spending(document.proof, claim, domain, laws, work)
    return twins


@dataclass(frozen=True, slots=True)
class _Laws:
    """The distributions on each dataset, with the remainders of fixed draws that are given."""

    given: list[list[tuple[Chosen, Chances]]]

    @classmethod
    def of(
        cls, mechanism: Mechanism, domain: Domain, twins: Twins, work: Work, **most: int
    ) -> _Laws:
        """Run the mechanism on every dataset; independent parts of outputs stay so if many."""
        found = []
        for data in domain.datasets:
            found.append(laws_of(mechanism.runner(twins, data), work))
            twins.validate_unchanged()
        every = iter(finite((law for laws in found for _, law in laws), **most))
        return cls([[(chosen, next(every)) for chosen, _ in laws] for laws in found])

    def alone(self) -> list[Chances]:
        """Return one distribution for each dataset, where none is given anything."""
        if any(len(laws) != 1 for laws in self.given):
            raise NotCheckedError("not checked: very many integers, for all values of a parameter")
        return [law for [(_, law)] in self.given]

    def between(self, i: int, j: int) -> Iterator[tuple[Chances, Chances]]:
        """Yield what is compared of two datasets: both are given the same."""
        for chosen, one in self.given[i]:
            for others, other in self.given[j]:
                if agree(chosen, others):
                    yield one, other


def _validate_spending(
    proof: Mapping[str, Any], claim: Any, domain: Domain, laws: _Laws, work: Work
) -> None:
    """Refuse a proof of a claim that some pair breaks, or that states wrong numbers."""
    alike = {id(law): alike_where_equal(law) for given in laws.given for _, law in given}
    known: dict[Any, Spent] = {}

    def spent_here(i: int, j: int) -> Spent:
        worst: Spent | None = None
        for one, other in laws.between(i, j):
            at = (alike[id(one)], alike[id(other)])
            if at not in known:
                work.left()
                known[at] = spent_on(one, other, claim)
                _validate_kept(known[at], domain, i, j)
            if worst is None or _more(known[at], worst):
                worst = known[at]
        assert worst is not None
        return worst

    worst: Spent | None = None
    for pair in domain.pairs:
        for i, j in (pair, pair[::-1]):
            spent = spent_here(i, j)
            if worst is None or _more(spent, worst):
                worst = spent
    if worst is None:
        raise RejectedError("there are no two neighboring datasets")
    i, j = _attained(proof, domain)
    ratios = [largest_ratio(one, other) for one, other in laws.between(i, j)]
    ratio = None if None in ratios else max(ratios)  # type: ignore[type-var]
    validate_numbers(proof, worst, spent_here(i, j), ratio)


def _nouns(document: Document) -> tuple[Any, Any]:
    """Return the claim and the neighbors that the certificate is about."""
    from dpaudit.notation import NotationError, parse_claim

    texts = document.subject
    try:
        claim = parse_claim(texts["claim"])
    except NotationError as error:
        raise RejectedError(f"`claim` cannot be read: {error}") from None
    if str(claim) != texts["claim"] or claim.to_dict() != document.proof["claim"]:
        raise RejectedError("`claim` of the proof is not that of the subject")
    return claim, _neighbors(document)


def _neighbors(document: Document) -> Any:
    """Return the neighbors that the certificate is about."""
    from dpaudit.notation import NotationError, parse_neighbors

    texts = document.subject
    if document.proof["kind"] != "exact":
        raise RejectedError(f"`kind` of the proof is {document.proof['kind']!r:.40}")
    try:
        neighbors = parse_neighbors(texts["neighbors"])
    except NotationError:
        text = f"{texts['neighbors']:.80}"
        raise NotCheckedError(f"not checked: `neighbors` cannot be read: {text}") from None
    if str(neighbors) != texts["neighbors"]:
        raise RejectedError("`neighbors` is not written as its relation writes itself")
    return neighbors


def _more(one: Spent, other: Spent) -> bool:
    assert one.amount is not None
    assert other.amount is not None
    return bool(one.amount > other.amount)


def _validate_kept(spent: Spent, domain: Domain, i: int, j: int) -> None:
    if spent.kept():
        return
    sides = " against ".join(dataset_to_source(domain.datasets[k]) for k in (i, j))
    if spent.nearly():
        raise NotCheckedError(f"not checked: the claim is exceeded by rounding alone on {sides}")
    amount = "infinity" if spent.amount is None else spent.amount.shown
    raise RejectedError(f"the claim is exceeded on {sides}: {amount} > {spent.allowed.shown}")


def _attained(proof: Mapping[str, Any], domain: Domain) -> tuple[int, int]:
    """Return the pair that the proof says is the worst."""
    wanted = proof["attained_by"]
    texts = [dataset_to_source(data) for data in domain.datasets]
    for i, j in domain.pairs:
        for one, other in ((i, j), (j, i)):
            if [texts[one], texts[other]] == wanted:
                counts = (proof["datasets"], proof["pairs"])
                if counts != (len(domain.datasets), len(domain.pairs)):
                    raise RejectedError("`datasets` or `pairs` is not the number that there are")
                return one, other
    raise RejectedError("`attained_by` is no pair of neighboring datasets")


def _validate_sources(sources: Mapping[str, str], twins: Twins) -> None:
    """Refuse sources that lack what ran."""
    held = {(place.rpartition(":")[2], content) for place, content in sources.items()}
    ran = {(place.rpartition(":")[2], content) for place, content in twins.read.items()}
    for name, content in sorted(ran - held):
        raise RejectedError(f"`sources` lacks {name}, of SHA-256 {content}, which runs")


def _validate_assumptions(document: Document, neighbors: Any) -> None:
    """Refuse a certificate that leaves out what it rests on, or adds to it."""
    listed, stated = document.assumptions, document.proof["assumptions"]
    for sentence in (IDEALIZED, SAME_CODE, *stated, *neighbors.assumptions()):
        if sentence not in listed:
            raise RejectedError(f"`assumptions` lacks {sentence!r:.120}")
    for sentence in listed:
        # the range of a parameter is taken on trust, with the float obligations
        if sentence.startswith("proved for ") and (document.program or {}).get("symbolic"):
            continue
        if sentence not in (IDEALIZED, SAME_CODE, *stated):
            raise RejectedError(f"`assumptions` has {sentence!r:.120}, which the proof has not")
