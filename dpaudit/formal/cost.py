"""Proves a claim by what every release costs, or refutes it with a certified counterexample."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import sympy

from dpaudit.claims import Claim
from dpaudit.formal import program as ir
from dpaudit.formal.counterexample import CostRefutation, refute
from dpaudit.formal.domain import (
    Array,
    DictValue,
    Known,
    ListValue,
    Number,
    Rows,
    Tuple,
    Value,
    is_public,
)
from dpaudit.formal.findings import Unpaid
from dpaudit.formal.noise import Released
from dpaudit.formal.price.against import Comparison, Fit, against
from dpaudit.formal.price.notions import (
    FREE,
    Apart,
    Either,
    Price,
    Sampled,
    price_to_dict,
    together,
)
from dpaudit.formal.program import Place, Program
from dpaudit.formal.relations import datasets
from dpaudit.formal.releases import Ledger, Release
from dpaudit.formal.unsupported import Unsupported
from dpaudit.formal.walk import Path, Step, explore
from dpaudit.neighbors import Neighbors, Pairs
from dpaudit.subject import Subject


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


SECOND_LOOK = 1.0  # seconds
ASSUMPTIONS = (
    "draws are independent and have exactly their stated laws over the real numbers",
    "arithmetic is that of real numbers",
)


def prove_by_cost(
    program: Program,
    claim: Claim,
    neighbors: Neighbors,
    *,
    deadline: float,
    mechanism: Callable[..., Any] | Subject | None = None,
) -> CostProof | CostRefutation:
    """Prove or refute a claim by the cost of the releases.

    Parameters
    ----------
    program : Program
    claim : Claim
    neighbors : Neighbors
    deadline : float
        In terms of `time.monotonic`.
    mechanism : callable or Subject, optional
        The code that was lifted; without it nothing is refuted.

    Returns
    -------
    CostProof or CostRefutation

    Raises
    ------
    Unsupported
        Where neither succeeds; the reason names the line that stopped the proof.
    """
    try:
        proof = _proved(program, claim, neighbors, deadline)
    except Unsupported as error:
        reason = error
    else:
        return proof if mechanism is None else _unless_contradicted(proof, program, mechanism,
                                                                     neighbors)  # fmt: skip
    if mechanism is None or time.monotonic() > deadline:
        raise reason
    try:
        return refute(program, claim, neighbors, mechanism, deadline=deadline)
    except Unsupported as error:
        what = f"{reason.what}; no counterexample: {error.what}"
        raise Unsupported(what, reason.place) from None


def _unless_contradicted(
    proof: CostProof,
    program: Program,
    mechanism: Callable[..., Any] | Subject,
    neighbors: Neighbors,
) -> CostProof | CostRefutation:
    """Return the proof, or the runnable witness against it: a witness beats a proof."""
    until = time.monotonic() + SECOND_LOOK
    try:
        return refute(program, proof.claim, neighbors, mechanism, deadline=until, pairs=8)
    except Unsupported:
        return proof


def _proved(
    program: Program, claim: Claim, neighbors: Neighbors, deadline: float = float("inf")
) -> CostProof:
    """Price every path of every case of the relation, and compare the worst with the claim."""
    paths = _paths(program, neighbors, deadline)
    prices = [priced(path.hooks.releases) for path in paths if isinstance(path.hooks, Ledger)]
    price = _worst(prices)
    conditions = tuple(dict.fromkeys(c for path in paths for c, _ in path.conditions))
    own = tuple(c for c in conditions if _of_parameters(c, program))
    _check_conditions(paths, own)
    comparison = against(price, claim, own)
    place = program.entry.place
    if comparison.fit is Fit.ROUNDING:
        raise Unsupported(f"the cost {comparison.spent} exceeds the claim by rounding alone", place)
    if comparison.fit is not Fit.WITHIN:
        raise Unsupported(_over(comparison), _costliest(paths) or place)
    releases = {(r.noise, str(r.price)): r for p in paths for r in p.hooks.releases}  # type: ignore[attr-defined]
    steps = {(s.rule, s.place, s.says): s for path in paths for s in path.steps}
    return CostProof(
        claim, price, comparison, tuple(releases.values()), tuple(steps.values()),
        tuple(map(str, own)), (*neighbors.assumptions(), *ASSUMPTIONS),
    )  # fmt: skip


def _paths(program: Program, neighbors: Neighbors, deadline: float) -> list[Path]:
    """Walk every path, and pay for its output.

    Raises
    ------
    Unsupported
        Also where the algebra of the bounds breaks down: what fails proves nothing.
    """
    paths: list[Path] = []
    if isinstance(neighbors, Pairs):
        _check_displays(program)
    try:
        for data in datasets(neighbors):
            for path in explore(program, data, Ledger):
                _finished(path)
                paths.append(path)
                if time.monotonic() > deadline:
                    raise Unsupported("more paths than the time allows", path.place)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        what = f"bounds that cannot be computed ({type(error).__name__}: {error})"
        raise Unsupported(what, program.entry.place) from error
    return paths


def _check_displays(program: Program) -> None:
    """Refuse lists of values of listed datasets: a call on one sees the left dataset alone."""
    shown: set[int] = set()
    for node in ir.walk(program.entry):
        if isinstance(node, ir.Return):
            shown.add(id(node.value))
        elif isinstance(node, ir.Subscript):
            shown.add(id(node.index))
        elif isinstance(node, ir.Draw):
            shown.update(id(value) for _, value in node.arguments)
    for node in ir.walk(program.entry):
        grows = isinstance(node, ir.Call) and node.function == "method.append"
        display = isinstance(node, ir.Sequence | ir.Mapping) and id(node) not in shown
        if grows or display or isinstance(node, ir.Comprehension):
            raise Unsupported("lists that hold parts of datasets listed one by one", node.place)


def _check_conditions(paths: Sequence[Path], own: tuple[Any, ...]) -> None:
    """Refuse bounds that rest on a condition on something that is no parameter."""
    from dpaudit.formal.decide import Truth, decide

    for path in paths:
        for condition, place in path.conditions:
            if condition in own or decide(condition, own).truth is Truth.PROVED:
                continue
            raise Unsupported(f"a bound that holds only where {condition}", place)


def _of_parameters(condition: Any, program: Program) -> bool:
    symbols: set[Any] = getattr(condition, "free_symbols", set())
    return bool(symbols) and {s.name for s in symbols} <= set(program.symbolic)


def _over(comparison: Comparison) -> str:
    if comparison.fit is Fit.UNKNOWN:
        return f"the cost {comparison.spent} was not compared with the claim: {comparison.rule}"
    return f"the releases may cost {comparison.spent}, and the claim allows {comparison.allowed}"


def _costliest(paths: Sequence[Path]) -> Place | None:
    for path in paths:
        releases: list[Release] = path.hooks.releases  # type: ignore[attr-defined]
        if releases:
            return releases[0].place
    return None


def _worst(prices: Sequence[Price]) -> Price:
    different = tuple(dict.fromkeys(prices))
    if not different:
        return FREE
    return different[0] if len(different) == 1 else Either(different)


def _finished(path: Path) -> None:
    """Pay for what is returned, and refuse a path that returns something private.

    Raises
    ------
    Unsupported
        Where the output is private, or an exception depends on the data.
    """
    ledger = path.hooks
    assert isinstance(ledger, Ledger)
    if path.hazards:
        hazard = path.hazards[0]
        raise Unpaid("DPA108", hazard.what, hazard.place)
    if path.raised:
        return
    if ledger.walk is not None and ledger.walk.private:
        raise Unsupported("an output within a test on private data", path.place)
    value = path.value if ledger.walk is None else ledger.opened(
        path.value, path.place, ledger.walk
    )  # fmt: skip
    private = _private_part(value)
    if private is not None:
        why = getattr(private, "why", "") or "a private value"
        raise Unpaid("DPA101", f"{why} leaves without noise", path.place)


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


# --- composition


def priced(releases: Sequence[Release]) -> Price:
    """Return the price of all releases of one path.

    Parameters
    ----------
    releases : sequence of Release

    Returns
    -------
    Price
        Releases about disjoint parts of the same records cost what the parts that a neighbor
        changes cost together; releases about a Poisson sample are amplified together.
    """
    return _combined([(release, _chain(release.source)) for release in releases])


def _chain(source: Rows | None) -> tuple[Rows, ...]:
    """Return the sets of rows from below the whole data down to the source."""
    chain: list[Rows] = []
    while source is not None and source.parent is not None:
        chain.append(source)
        source = source.parent
    return tuple(reversed(chain))


def _combined(items: list[tuple[Release, tuple[Rows, ...]]]) -> Price:
    direct = [release.price for release, chain in items if not chain]
    below: dict[Any, list[tuple[Release, tuple[Rows, ...]]]] = {}
    for release, chain in items:
        if chain:
            below.setdefault(_family(chain[0]), []).append((release, chain))
    return together(*direct, *(_of_family(family, group) for family, group in below.items()))


def _family(rows: Rows) -> Any:
    """Return what rows share with the other parts of their partition."""
    parent, cell = rows.parent, rows.cell
    assert parent is not None
    if isinstance(cell, tuple) and len(cell) == 3 and cell[0] == "cell" and _is_value(cell[2]):
        return ("cell", parent.id, cell[1])
    return ("rows", rows.id)


def _is_value(term: Any) -> bool:
    """Whether a term is a constant number or text, which differ where their terms do."""
    if not isinstance(term, tuple):
        return False
    if len(term) == 2 and term[0] == "public":
        return bool(getattr(term[1], "is_number", False))
    return len(term) == 3 and term[0] == "known" and term[1] == "str"


def _of_family(family: Any, group: list[tuple[Release, tuple[Rows, ...]]]) -> Price:
    rows = group[0][1][0]
    parent = rows.parent
    assert parent is not None
    if family[0] == "cell":
        parts: dict[Any, list[tuple[Release, tuple[Rows, ...]]]] = {}
        for release, chain in group:
            parts.setdefault(chain[0].cell[2], []).append((release, chain[1:]))  # type: ignore[index]
        kinds = {term[0] for term in parts}
        prices = tuple(map(_combined, parts.values()))
        touched = _touched(parent)
        if len(kinds) > 1 or touched is None or len(prices) <= touched:
            return together(*prices)
        return Apart(prices, touched)
    inner = _combined([(release, chain[1:]) for release, chain in group])
    return _amplified(inner, rows, group)


def _touched(parent: Rows) -> int | None:
    """Return how many parts of these rows a neighbor may change."""
    count = sympy.sympify(parent.count)
    if not count.is_Integer:
        return None
    return int(count) * (1 if parent.relation == "inserted" else 2)


def _amplified(inner: Price, rows: Rows, group: list[tuple[Release, tuple[Rows, ...]]]) -> Price:
    coins = group[0][0].sample
    parent = rows.parent
    is_sample = isinstance(rows.cell, tuple) and rows.cell[0] == "sample"
    if not is_sample or coins is None or parent is None:
        return inner
    rate = coins.rate
    alone = parent.relation == "inserted" and parent.count == 1 and parent.parent is None
    if not alone or not rate.is_number or not (rate > 0 and rate < 1):
        return inner
    return Sampled(inner, rate)
