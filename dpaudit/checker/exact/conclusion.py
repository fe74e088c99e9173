"""What the exact distributions of a program say of a claim."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from fractions import Fraction
from itertools import product
from typing import Any

from dpaudit.checker.cost.claim_check import written
from dpaudit.checker.exact.densities import largest_ratio as largest_ratio_of_densities
from dpaudit.checker.exact.domain import Domain, domain_of
from dpaudit.checker.exact.each_record import of_one
from dpaudit.checker.exact.exponential_fractions import Multiple
from dpaudit.checker.exact.fixed import Chosen, agree
from dpaudit.checker.exact.for_all import allowed_by, inequalities
from dpaudit.checker.exact.independent import Mixture
from dpaudit.checker.exact.keys import FIXED
from dpaudit.checker.exact.laws import Law, densities, finite, laws_of
from dpaudit.checker.exact.mechanism import Mechanism
from dpaudit.checker.exact.numbers import Number
from dpaudit.checker.exact.spending import (
    Chances,
    Spent,
    alike_where_equal,
    largest_ratio,
    logarithm,
    spent_on,
    without_types,
)
from dpaudit.checker.file import FAULTS, BrokenError, NotCheckedError, RejectedError, Work
from dpaudit.claims import ApproxDP, PureDP
from dpaudit.claims.symbolic import SymbolicClaim
from dpaudit.neighbors import dataset_to_source

_APART = 64  # outputs, of which more are compared by their independent parts


@dataclass(frozen=True, slots=True)
class Excess:
    """What is spent on a pair beyond what the claim allows.

    Attributes
    ----------
    left, right : Chances
        Distributions of the outputs, equal numbers of different types taken as one.
    spent : Spent
    """

    left: Chances
    right: Chances
    spent: Spent


@dataclass(frozen=True, slots=True)
class Conclusion:
    """That every pair of datasets keeps the claim.

    Attributes
    ----------
    datasets, pairs : int
        How many were gone through: of one record where the program answers each by itself.
    spent, allowed : str
        What the claim bounds, at most over all pairs, and its bound: a ratio of probabilities, a
        delta, or a moment of the ratio.
    loss : str
        The largest privacy loss (nats) of the pair on which most is spent.
    attained_by : list of str
        That pair, the likelier dataset first.
    inequalities : list
        For all values of a parameter ε: (r, coefficients from the lowest) of polynomials in
        x = e^(r ε) that are positive for all x > 1. On every pair and for every output, what the
        claim allows less what is spent is one of them times a positive number, or 0.
    ran : list of str
        Functions of which the values were computed on floats.
    at_ends : bool
        Whether floats do the same on all ways, and within 2^-30 of both ends of what each way says
        of each draw.
    """

    datasets: int
    pairs: int
    spent: str = ""
    allowed: str = ""
    loss: str = ""
    attained_by: list[str] = field(default_factory=list)
    inequalities: list[Any] = field(default_factory=list)
    ran: list[str] = field(default_factory=list)
    at_ends: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Return the conclusion as JSON-able values."""
        return asdict(self)


def conclude(program: dict[str, Any], claim: Any, neighbors: Any, work: Work) -> Conclusion:
    """Run a program on every dataset, along every way that its draws can fall.

    Parameters
    ----------
    program : dict
        As certificates hold it.
    claim : Claim or SymbolicClaim
    neighbors : Neighbors
        Of finitely many datasets, or of any two records of a range.
    work : Work

    Returns
    -------
    Conclusion

    Raises
    ------
    BrokenError
        Where the claim fails.
    RejectedError, NotCheckedError
        Where neither is shown.
    """
    if isinstance(claim, SymbolicClaim):
        return _for_all(program, claim, neighbors, work)
    alone = of_one(program, neighbors)
    if alone is not None:
        try:
            one = Mechanism(alone[0], work, read=alone[2])
            found = _concluded(one, claim, alone[1], work)
            if not one.replay.missing:
                return found
        except (BrokenError, NotCheckedError, *FAULTS):
            pass  # the answers of one record may say more than what is made of all
    return _concluded(Mechanism(program, work), claim, neighbors, work)


def _concluded(mechanism: Mechanism, claim: Any, neighbors: Any, work: Work) -> Conclusion:
    """Return what the distributions of a program say."""
    from dpaudit.checker.exact.continuum import ends_of, is_continuum

    if is_continuum(neighbors):
        found = _between(*ends_of(mechanism, claim, neighbors, work), claim, work)
        return replace(found, ran=mechanism.ran)
    domain = domain_of(neighbors)
    most = {} if type(claim) is ApproxDP else {"most": _APART}
    given = _given(mechanism, domain.datasets, work)
    if any(law.pieces for each in given for _, law in each):
        found = _dense(domain.datasets, given, claim, work)
        return replace(found, ran=mechanism.ran)
    laws = _finite(given, **most)
    i, j, worst = _worst(_spending(laws, claim, domain, work))
    ratios = [largest_ratio(one, other) for one, other in between(laws, i, j)]
    texts = [dataset_to_source(domain.datasets[at]) for at in (i, j)]
    found = _told(len(domain.datasets), len(domain.pairs), worst, ratios, texts)
    return replace(found, ran=mechanism.ran, at_ends=mechanism.replay.at_ends)


def run_on_floats(names: list[str]) -> tuple[str, ...]:
    """Return what a proof rests on where functions were run on floats."""
    return tuple(f"the value of {name} was computed by running the code" for name in names)


def refuting(
    program: dict[str, Any], claim: Any, pairs: Iterator[tuple[Any, Any]], work: Work
) -> None:
    """Raise where one of some pairs breaks the claim.

    Parameters
    ----------
    program : dict
    claim : Claim
    pairs : iterator of (dataset, dataset)
    work : Work

    Raises
    ------
    BrokenError
    """
    mechanism = Mechanism(program, work)
    for pair in pairs:
        laws = _laws(mechanism, list(pair), work)
        for _ in _spending(laws, claim, Domain(list(pair), [(0, 1)]), work):
            pass


Laws = list[list[tuple[Chosen, Chances]]]  # on each dataset, with remainders that are given


def _laws(mechanism: Mechanism, datasets: list[Any], work: Work) -> Laws:
    """Return the distributions on datasets."""
    return _finite(_given(mechanism, datasets, work))


def _given(mechanism: Mechanism, datasets: list[Any], work: Work) -> list[list[tuple[Chosen, Law]]]:
    """Return the laws on datasets, each with the remainders that are given."""
    found: list[list[tuple[Chosen, Law]]] = []
    for data in datasets:
        found.append(laws_of(mechanism.runner(data), work))
        mechanism.validate_unchanged()
    return found


def _finite(found: list[list[tuple[Chosen, Law]]], **most: int) -> Laws:
    """Return laws as distributions; independent parts of outputs stay so if many."""
    every = iter(finite((law for laws in found for _, law in laws), **most))
    return [[(chosen, next(every)) for chosen, _ in laws] for laws in found]


def _dense(
    datasets: list[Any], found: list[list[tuple[Chosen, Law]]], claim: Any, work: Work
) -> Conclusion:
    """Conclude from densities, and from the atoms beside them, whichever two datasets."""
    if type(claim) not in (PureDP, ApproxDP) or any(len(each) != 1 for each in found):
        raise NotCheckedError("not checked: a continuous output, for this claim")
    laws = [law for [(_, law)] in found]
    ratio = largest_ratio_of_densities([densities(law) for law in laws])
    return _between(datasets, finite(laws), len(laws), [ratio, ratio], claim, work)


def between(laws: Laws, i: int, j: int) -> Iterator[tuple[Chances, Chances]]:
    """Yield what is compared of two datasets: both are given the same."""
    for chosen, one in laws[i]:
        for others, other in laws[j]:
            if agree(chosen, others):
                yield one, other


def _spending(
    laws: Laws, claim: Any, domain: Domain, work: Work
) -> Iterator[tuple[int, int, Spent]]:
    """Yield what is spent on every ordered pair; raise where that is too much."""
    alike = {id(law): alike_where_equal(law) for given in laws for _, law in given}
    known: set[Any] = set()
    for i, j in (both for pair in domain.pairs for both in (pair, pair[::-1])):
        for one, other in between(laws, i, j):
            at = (alike[id(one)], alike[id(other)])
            if at in known:
                continue
            known.add(at)
            work.left()
            spent = spent_on(one, other, claim)
            if not spent.kept():
                given = len(laws[i]) > 1 or len(laws[j]) > 1
                _refuse(domain.datasets[i], domain.datasets[j], (one, other), spent, claim, given)
            yield i, j, spent


def _refuse(
    left: Any, right: Any, laws: tuple[Chances, Chances], spent: Spent, claim: Any, given: bool
) -> None:
    """Raise what shows that a claim fails: as numbers, not by types, outputs are told apart."""
    sides = " against ".join(map(dataset_to_source, (left, right)))
    if spent.nearly():
        raise NotCheckedError(f"not checked: the claim is exceeded by rounding alone on {sides}")
    if given or any(map(_is_fixed, laws)):
        raise NotCheckedError(
            "not checked: a claim that fails where all draws from very many integers are known"
        )
    plain = without_types(laws[0]), without_types(laws[1])
    found = spent_on(*plain, claim)
    if found.kept() or found.nearly():
        raise NotCheckedError("not checked: only the type of the output tells the datasets apart")
    amount = "infinity" if found.amount is None else found.amount.shown
    raise BrokenError(
        f"the claim is exceeded on {sides}: {amount} > {found.allowed.shown}",
        left, right, Excess(*plain, found),
    )  # fmt: skip


def _is_fixed(law: Chances) -> bool:
    return not isinstance(law, Mixture) and any(map(_holds_fixed, law))


def _holds_fixed(key: Any) -> bool:
    return isinstance(key, tuple) and (key[:1] == (FIXED,) or any(map(_holds_fixed, key)))


def _between(
    ends: list[Any], chances: list[Chances], sure: int, ratios: list[Number | None], claim: Any,
    work: Work,
) -> Conclusion:  # fmt: skip
    """Conclude from the distributions of which those of all records of a range are mixtures.

    With how many come first that rounding decides nothing of, and bounds on the ratios of the
    densities beside these and beside all, None where there are none. What rounding decides may
    exceed a claim by so little as rounding may change a probability.
    """
    allowed = Number(Fraction(claim.epsilon)).exp()
    dense, all_dense = (None if ratio is None else Spent(ratio, allowed) for ratio in ratios)
    if dense is not None and not (dense.kept() and all_dense is not None and all_dense.nearly()):
        raise NotCheckedError("not checked: densities of which one may be too large a multiple")

    def spending() -> Iterator[tuple[int, int, Spent]]:
        for i, j in product(range(len(chances)), repeat=2):
            work.left()
            spent = spent_on(chances[i], chances[j], claim)
            known = max(i, j) < sure
            if not (spent.kept() if known else spent.nearly()):
                raise NotCheckedError(
                    "not checked: the claim may fail between records of the range"
                )
            if known or spent.kept():
                yield i, j, spent

    i, j, worst = _worst(spending())
    if dense is not None and type(claim) is PureDP and _more(dense, worst):
        worst = dense
    count = len(set(map(alike_where_equal, chances)))
    texts = [dataset_to_source(ends[at]) for at in (i, j)]
    beside = [ratio for ratio in ratios[:1] if ratio is not None]
    found = [largest_ratio(chances[i], chances[j]), *beside]
    return _told(count, count**2, worst, found, texts)


def _worst(spending: Iterator[tuple[int, int, Spent]]) -> tuple[int, int, Spent]:
    """Return the ordered pair on which most is spent."""
    best: tuple[int, int, Spent] | None = None
    for i, j, spent in spending:
        if best is None or _more(spent, best[2]):
            best = i, j, spent
    if best is None:
        raise RejectedError("there are no two neighboring datasets")
    return best


def _more(one: Spent, other: Spent) -> bool:
    """Return whether more is spent, False where the two cannot be told apart."""
    assert one.amount is not None
    assert other.amount is not None
    try:
        return bool(one.amount > other.amount)
    except NotCheckedError:
        return False


def _told(
    datasets: int, pairs: int, worst: Spent, ratios: list[Number | None], texts: list[str]
) -> Conclusion:
    assert worst.amount is not None
    known = [ratio for ratio in ratios if ratio is not None]
    loss = "inf" if len(known) < len(ratios) else written(logarithm(max(known)))
    spent, allowed = written(worst.amount), written(worst.allowed)
    return Conclusion(datasets, pairs, spent, allowed, loss, texts)


def _for_all(
    program: dict[str, Any], claim: SymbolicClaim, neighbors: Any, work: Work
) -> Conclusion:
    """Conclude for all positive values of the one parameter that a pure claim names."""
    if claim.notion != "PureDP" or len(claim.symbols) != 1:
        raise NotCheckedError("not checked: exact distributions for all values of this claim")
    domain = domain_of(neighbors)
    mechanism = Mechanism(program, work, {claim.symbols[0]: Multiple(Fraction(1))})
    laws = _laws(mechanism, domain.datasets, work)
    if any(len(given) != 1 for given in laws):
        raise NotCheckedError("not checked: very many integers, for all values of a parameter")
    alone = [law for [(_, law)] in laws]
    found = inequalities(domain, alone, allowed_by(claim).exp(), work)
    count, pairs = len(domain.datasets), len(domain.pairs)
    return Conclusion(count, pairs, inequalities=found, ran=mechanism.ran)
