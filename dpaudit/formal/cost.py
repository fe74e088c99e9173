"""Proves a claim by what every release costs."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from dpaudit.claims import Claim
from dpaudit.formal import opening
from dpaudit.formal.clock import now
from dpaudit.formal.composition import priced
from dpaudit.formal.dependence import is_public
from dpaudit.formal.domain import Array, DictValue, Known, ListValue, Number, Tuple, Value
from dpaudit.formal.explore import explore
from dpaudit.formal.findings import Unpaid
from dpaudit.formal.noise import Released
from dpaudit.formal.price.against import Comparison, Fit, against
from dpaudit.formal.price.notions import (
    FREE,
    Either,
    Price,
    price_to_dict,
    together,
)
from dpaudit.formal.price.symbolic import known
from dpaudit.formal.program import Call, Place, Program, walk
from dpaudit.formal.relations import datasets, one_by_one
from dpaudit.formal.releases import SELECTIONS, Ledger, Release
from dpaudit.formal.revealing import Seldom, price_of_ways, seldom, told
from dpaudit.formal.trail import Path, Step
from dpaudit.formal.unsupported import Unsupported
from dpaudit.formal.words import condition_in_words
from dpaudit.neighbors import Neighbors


@dataclass(frozen=True, slots=True)
class CostProof:
    """That the cost of all releases stays within the claim, on every path.

    Attributes
    ----------
    claim : Claim
    price : Price
        Of the worst path.
    comparison : Comparison
    releases : tuple of Release
        Of all paths, each noise call once.
    steps : tuple of Step
        Rules of sensitivity that were applied.
    conditions : tuple of str
        What must hold of symbolic parameters.
    assumptions : tuple of str
    """

    claim: Claim
    price: Price
    comparison: Comparison
    releases: tuple[Release, ...]
    steps: tuple[Step, ...]
    conditions: tuple[str, ...]
    assumptions: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the proof as JSON-able values."""
        return {
            "kind": "cost",
            "claim": self.claim.to_dict(),
            "price": price_to_dict(self.price),
            "spent": self.comparison.spent,
            "allowed": self.comparison.allowed,
            "rule": self.comparison.rule,
            "obligation": self.comparison.obligation,
            "releases": [
                {
                    "price": price_to_dict(r.price),
                    "rule": r.rule,
                    "place": str(r.place),
                    "noise": str(r.noise),
                }
                for r in self.releases
            ],
            "steps": [{"rule": s.rule, "place": str(s.place), "says": s.says} for s in self.steps],
            "conditions": list(self.conditions),
            "assumptions": list(self.assumptions),
        }


MOST_PARTS = 4  # of a cost that are listed
Cases = tuple[Callable[[], Value], ...]
ASSUMPTIONS = (
    "draws are independent and have exactly their stated laws over the real numbers",
    "arithmetic is that of real numbers",
)


def prove_by_cost(
    program: Program, claim: Claim, neighbors: Neighbors, *, deadline: float = float("inf")
) -> CostProof:
    """Price every path of every case of the relation, and compare the worst with the claim.

    Parameters
    ----------
    program : Program
    claim : Claim
    neighbors : Neighbors
    deadline : float
        In terms of `dpaudit.formal.clock.now`.

    Raises
    ------
    Unsupported
        Where the claim is not proved, with the line that stopped it; it may hold all the same.
    """
    if any(isinstance(n, Call) and n.function in SELECTIONS for n in walk(program.entry)):
        try:
            return _proved(program, claim, neighbors, datasets(neighbors), deadline)
        except Unsupported:
            pass  # each of the noisy values may be paid for, and cost less or hide more
    ledger = functools.partial(Ledger, selects=False)
    try:
        return _proved(program, claim, neighbors, datasets(neighbors), deadline, ledger)
    except Unsupported:
        cases = one_by_one(neighbors)
        if not cases:
            raise
        return _proved(program, claim, neighbors, cases, deadline, ledger)


def _proved(
    program: Program,
    claim: Claim,
    neighbors: Neighbors,
    cases: Cases,
    deadline: float,
    ledger: Callable[[], Ledger] = Ledger,
) -> CostProof:
    paths, revealed = _paths(program, claim, cases, deadline, ledger)
    prices = [
        together(priced(path.hooks.releases), each.price if each is not None else FREE)
        for path, each in zip(paths, revealed, strict=True) if isinstance(path.hooks, Ledger)
    ]  # fmt: skip
    by_delta = [each for each in revealed if each is not None]
    price = together(_worst(prices), price_of_ways(by_delta))
    conditions = tuple(dict.fromkeys(c for path in paths for c, _ in path.conditions))
    own = tuple(c for c in conditions if _of_parameters(c, program))
    place = program.entry.place
    given = known(claim, own, place)
    _check_conditions(paths, given)
    comparison = against(price, claim, given)
    if comparison.fit is Fit.ROUNDING:
        raise Unsupported(f"the cost {comparison.spent} exceeds the claim by rounding alone", place)
    if comparison.fit is not Fit.WITHIN:
        costly = max(paths, key=lambda path: len(path.hooks.releases))  # type: ignore[attr-defined]
        releases = costly.hooks.releases  # type: ignore[attr-defined]
        each = [(r.noise, against(r.price, claim, given)) for r in releases]
        raise Unsupported(_over(comparison, each), releases[0].place if releases else place)
    releases = {(r.noise, str(r.price)): r for p in paths for r in _by_call(p.hooks.releases)}  # type: ignore[attr-defined]
    every = [*(s for path in paths for s in path.steps), *map(told, by_delta)]
    steps = {(s.rule, s.place, s.says): s for s in every}
    return CostProof(
        claim, price, comparison, tuple(releases.values()), tuple(steps.values()),
        tuple(map(str, own)), (*neighbors.assumptions(), *ASSUMPTIONS),
    )  # fmt: skip


def _paths(
    program: Program, claim: Claim, cases: Cases, deadline: float, ledger: Callable[[], Ledger]
) -> tuple[list[Path], list[Seldom | None]]:
    """Walk every path, and pay for its output; return with each what delta pays for.

    Raises
    ------
    Unsupported
        Also where the algebra of the bounds breaks down: what fails proves nothing.
    """
    paths: list[Path] = []
    revealed: list[Seldom | None] = []
    ledgers: list[Ledger] = []

    def opened_ledger() -> Ledger:
        ledgers.append(ledger())
        return ledgers[-1]

    try:
        for data in cases:
            for path in explore(program, data, opened_ledger):
                revealed.append(_finished(path, claim))
                paths.append(path)
                if now() > deadline:
                    raise Unsupported("more paths than the steps allow", path.place)
    except Unsupported as stopped:
        stopped.understood = _lines(ledgers[-1].releases)
        raise
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        what = "how far one record moves a value that is released cannot be computed"
        raise Unsupported(what, program.entry.place) from error
    return paths, revealed


def _check_conditions(paths: Sequence[Path], own: tuple[Any, ...]) -> None:
    """Refuse bounds that rest on a condition on something that is no parameter."""
    from dpaudit.formal.decide import Truth, decide

    for path in paths:
        for condition, place in path.conditions:
            if condition in own or decide(condition, own).truth is Truth.PROVED:
                continue
            where = condition_in_words(condition)
            raise Unsupported(f"the bound is known only where {where}", place)


def _of_parameters(condition: Any, program: Program) -> bool:
    symbols: set[Any] = getattr(condition, "free_symbols", set())
    return bool(symbols) and {s.name for s in symbols} <= set(program.symbolic)


def _over(comparison: Comparison, each: Sequence[tuple[Place, Comparison]]) -> str:
    """Return that the releases of a path cost too much, and what each of them costs."""
    if comparison.fit is Fit.UNKNOWN:
        return f"the cost {comparison.spent} was not compared with the claim: {comparison.rule}"
    said = f"the releases may cost {comparison.spent}, and the claim allows {comparison.allowed}"
    if len(each) < 2 or any(one.fit is Fit.UNKNOWN for _, one in each):
        return said
    counted = Counter((place.line, one.spent) for place, one in each)
    parts = [
        f"{times} of {cost} by the noise of line {line}" if times > 1 else
        f"{cost} by the noise of line {line}" for (line, cost), times in counted.items()
    ]  # fmt: skip
    if len(parts) > MOST_PARTS:
        parts[MOST_PARTS:] = [f"{len(parts) - MOST_PARTS} more"]
    return f"{said} ({', '.join(parts)}, added as they were not seen to be about different records)"


def _lines(releases: Sequence[Release]) -> tuple[int, ...]:
    return tuple(sorted({release.noise.line for release in releases}))


def _by_call(releases: Sequence[Release]) -> Iterator[Release]:
    """Yield releases, those behind entries of one vector of noise as one."""
    of_vectors: dict[tuple[int, ...], list[Release]] = {}
    for release in releases:
        if release.vector:
            of_vectors.setdefault(release.vector, []).append(release)
        else:
            yield release
    for several in of_vectors.values():
        yield replace(several[0], price=together(*(release.price for release in several)))


def _worst(prices: Sequence[Price]) -> Price:
    different = tuple(dict.fromkeys(prices))
    if not different:
        return FREE
    return different[0] if len(different) == 1 else Either(different)


def _finished(path: Path, claim: Claim) -> Seldom | None:
    """Pay for what is returned; return what delta pays for.

    Raises
    ------
    Unsupported
        Where the output is private, or an exception depends on the data.
    """
    ledger = path.hooks
    assert isinstance(ledger, Ledger)
    if path.hazards:
        hazard = path.hazards[0]
        found = seldom(path, ledger, None, claim)
        if found is None:
            raise Unpaid("DPA108", hazard.what, hazard.place)
        return found
    if path.raised:
        return None
    if ledger.walk is not None and ledger.walk.private:
        raise Unsupported("an output within a test on private data", path.place)
    value = path.value if ledger.walk is None else opening.opened(
        ledger, path.value, path.place, ledger.walk
    )  # fmt: skip
    private = _private_part(value)
    if private is None:
        return None
    found = seldom(path, ledger, value, claim)
    if found is None:
        why = getattr(private, "why", "") or "a private value"
        raise Unpaid("DPA101", f"{why} leaves without noise", path.place)
    return found


def _private_part(value: Value) -> Value | None:
    """Return a part of an output that is not known to be public."""
    match value:
        case Released():
            return None
        case Tuple(items=items) | ListValue(items=items):
            return next((p for p in map(_private_part, items) if p is not None), None)
        case DictValue(items=items):
            return next((p for p in map(_private_part, items.values()) if p is not None), None)
        case Number() | Array() | Known():
            return None if is_public(value) else value
    return value
