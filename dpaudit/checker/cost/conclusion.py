"""What follows for a program: what each of its releases costs, all together, and the claim."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from dpaudit.checker.cost import delta_events, spent, thresholds, weights
from dpaudit.checker.cost.claim_check import (
    Cost,
    TooMuchError,
    Total,
    within,
    within_approximate,
    written,
)
from dpaudit.checker.cost.ends import most
from dpaudit.checker.cost.execute import Machine
from dpaudit.checker.cost.ledger import REVEALED, Item
from dpaudit.checker.cost.output import PrivateOutputError, validate_output
from dpaudit.checker.cost.relations import cases
from dpaudit.checker.cost.run import Run, paths
from dpaudit.checker.exact.numbers import Number
from dpaudit.checker.file import FAULTS, NotCheckedError, RejectedError, Work
from dpaudit.checker.program import functions_of
from dpaudit.claims import ApproxDP
from dpaudit.claims.symbolic import SymbolicClaim

_MECHANISMS = {
    "laplace": "Laplace mechanism",
    "normal": "Gaussian mechanism",
    "geometric": "geometric mechanism",
    "discrete normal": "discrete Gaussian mechanism",
    "pure": "a choice whose loss is bounded as a whole",
    REVEALED: "a sample that leaves as it is",
}
_MOST_LISTED = 4  # releases whose cost is told where all together cost too much
_UNITS = {"normal": "squared_mu", "discrete normal": "twice_rho", REVEALED: "delta"}


@dataclass(frozen=True, slots=True)
class Conclusion:
    """That the releases of every path stay within the claim.

    Attributes
    ----------
    spent, allowed : str
        Of the costliest path, and by the claim; in the notion of the claim.
    rule : str
        By which theorem the costs add up.
    releases : list of dict
        For each place that draws noise, and each mechanism there: ``place``, ``mechanism``,
        ``calls`` (the most on any path), and the most that one call costs: ``epsilon`` (nats),
        ``squared_mu``, ``twice_rho`` or ``delta``.
    """

    spent: str
    allowed: str
    rule: str
    releases: list[dict[str, Any]]

    def to_dict(self) -> dict[str, Any]:
        """Return the conclusion as JSON-able values."""
        return asdict(self)


def conclude(program: dict[str, Any], claim: Any, neighbors: Any, work: Work) -> Conclusion:
    """Follow a program on every pair of neighbors, and add up what it releases.

    Parameters
    ----------
    program : dict
        As certificates hold it.
    claim : Claim
    neighbors : Neighbors
    work : Work

    Returns
    -------
    Conclusion

    Raises
    ------
    RejectedError, NotCheckedError
        Where the claim is not shown to hold; with the place, and the releases up to there.
    """
    _validate_parameters(program, claim)
    ledgers: list[list[Item]] = []
    costs: list[Cost] = []
    totals: list[Total] = []
    ways: list[delta_events.Way] = []
    chosen = False
    approximate = isinstance(claim, ApproxDP)

    def looks(run: Run, value: Any) -> bool:
        return _reveals(run, value, approximate)

    def judged(items: list[Item], *others: list[Item]) -> list[Total]:
        try:
            total = within(items, claim, others)
        except RejectedError as stopped:
            raise _located(stopped, items) from None
        return [total] if total is not None else []

    for run, reveals in followed(program, neighbors, work, looks):
        items = thresholds.settled(run, claim)
        totals += judged(items)
        try:
            cost = Cost.of(items)
        except RejectedError as stopped:
            raise _located(stopped, items) from None
        ledgers.append(items)
        costs.append(cost)
        chosen = chosen or run.public
        if reveals:
            ways.append(delta_events.way(run))
    if approximate:
        coins = delta_events.chance_of(ways)
        try:
            worst = within_approximate(costs, claim, together=chosen, coins=coins)
        except RejectedError as stopped:
            raise _located(stopped, max(ledgers, key=len)) from None
    elif not totals:
        raise NotCheckedError("not checked: a relation without a pair of neighbors")
    else:
        totals += judged(*ledgers) if chosen else []
        worst = totals[0]
        for total in totals[1:]:
            worst = total if _is_more(total, worst) else worst
    return Conclusion(worst.spent, worst.allowed, worst.rule, _releases(ledgers))


def _is_more(total: Total, worst: Total) -> bool:
    """Return whether a path costs more than another; of those too close to tell, either stands."""
    try:
        return bool((total.amount - worst.amount).sign() > 0)
    except NotCheckedError:
        return False


def _validate_parameters(program: dict[str, Any], claim: Any) -> None:
    """Refuse parameters without a value, other than the one that the claim is about."""
    free = list(program["symbolic"])
    if isinstance(claim, SymbolicClaim):
        if claim.notion != "PureDP" or len(claim.symbols) != 1:
            raise NotCheckedError(f"not checked: the claim {claim!s:.60} for all its parameters")
        free = [name for name in free if name not in claim.symbols]
    if free:
        raise NotCheckedError(f"not checked: a proof for all values of {min(free):.40}")


def _reveals(run: Run, value: Any, seldom_too: bool) -> bool:
    """Pay for an output; return whether it reveals what its coins make seldom."""
    try:
        validate_output(run, value)
    except PrivateOutputError:
        if seldom_too and run.fallen:
            return True
        raise
    return False


def followed(
    program: dict[str, Any], neighbors: Any, work: Work, looks: Callable[[Run, Any], Any]
) -> Iterator[tuple[Run, Any]]:
    """Yield every path of every case of neighbors, with what a look at its output gave.

    Parameters
    ----------
    program : dict
    neighbors : Neighbors
    work : Work
    looks : callable
        At a path and what it returns; not asked where the path ends in an exception.

    Raises
    ------
    RejectedError, NotCheckedError
        With the place, and the releases up to there.
    """
    functions = functions_of(program["entry"])
    for case in cases(neighbors):

        def follow(run: Run, case: Any = case) -> Any:
            try:
                how, value = Machine(run, functions).start(program, case(run))
                weights.validate_powers(run)
                return looks(run, value) if how == "return" else None
            except RejectedError as stopped:
                raise stopped.located(run.place, _lines(run.ledger.items)) from None
            except FAULTS as error:  # a form that the evaluator does not expect proves nothing
                refused = run.refused("this operation on these values")
                raise refused.located(run.place, _lines(run.ledger.items)) from error

        yield from paths(work, follow)


def _lines(items: Sequence[Item]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(item.place for item in items))


def _calls(items: Sequence[Item]) -> dict[tuple[str, str], dict[int, list[Item]]]:
    """Return the items of each place and law, by the call that drew their noise."""
    found: dict[tuple[str, str], dict[int, list[Item]]] = {}
    for item in items:
        found.setdefault((item.place, item.law), {}).setdefault(item.call, []).append(item)
    return found


def _cost_of(law: str, items: Sequence[Item]) -> Number:
    """Return what one call costs, in the unit of its law."""
    if law == "normal":
        return spent.squared_mu(items)
    if law == "discrete normal":
        return spent.discrete_squared(items)
    return delta_events.delta_of(items) if law == REVEALED else spent.pure(items)


def _releases(ledgers: Sequence[Sequence[Item]]) -> list[dict[str, Any]]:
    """Return what each place releases at most on any path."""
    calls: dict[tuple[str, str], int] = {}
    costs: dict[tuple[str, str], list[Number]] = {}
    for items in ledgers:
        for key, by_call in _calls(items).items():
            calls[key] = max(calls.get(key, 0), len(by_call))
            costs.setdefault(key, []).extend(_cost_of(key[1], own) for own in by_call.values())
    return [
        {
            "place": place,
            "mechanism": _MECHANISMS[law],
            "calls": calls[place, law],
            _UNITS.get(law, "epsilon"): written(most(found)),
        }
        for (place, law), found in costs.items()
    ]


def _located(stopped: RejectedError, items: Sequence[Item]) -> RejectedError:
    """Return an error about the releases of a path, and what each costs where all cost too much."""
    places = _lines(items)
    if isinstance(stopped, TooMuchError) and len(items) > 1:
        each = "added because they may concern the same records"
        stopped.add(f"({', '.join(_listed(items))}, {each})")
    return stopped.located(places[0] if places else "", places)


def _listed(items: Sequence[Item]) -> list[str]:
    """Return what the noise of each line costs, of the first few."""
    parts = []
    for (place, law), by_call in _calls(items).items():
        cost = most(_cost_of(law, own) for own in by_call.values())
        times = f"{len(by_call)} times " if len(by_call) > 1 else ""
        unit = " of squared mu" if law == "normal" else ""
        line = place.rpartition(":")[2]
        parts.append(f"{times}{cost.in_words or cost.shown}{unit} by the noise of line {line}")
    if len(parts) > _MOST_LISTED:
        parts[_MOST_LISTED:] = [f"{len(parts) - _MOST_LISTED} more"]
    return parts
