"""Checks certificates by cost: follows both runs anew, for every way in which records may change.

The prover bounds how far queries move by rules about norms. Here no such rule is used. For each
pair of neighboring datasets the program is followed on both at once: the records that changed are
known but for the outcomes of tests on them, which are gone through one by one, and of all others
only what any record may be. What a sum moves by is what those records add to it. So the bounds are
those of single pairs, their costs add up along a path, and the largest is compared with the claim.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dpaudit.checker.around import given
from dpaudit.checker.cost import for_all, seldom, told
from dpaudit.checker.cost.against import Cost, validate_approximate, validate_within
from dpaudit.checker.cost.execute import Machine, functions_of
from dpaudit.checker.cost.ledger import Item
from dpaudit.checker.cost.output import PrivateOutputError, validate_output
from dpaudit.checker.cost.relations import cases
from dpaudit.checker.cost.run import Run, carefully, paths
from dpaudit.checker.cost.statement import nouns, program_of
from dpaudit.checker.exact.numbers import Number
from dpaudit.checker.file import Document, RejectedError, Work, fields
from dpaudit.claims import ApproxDP
from dpaudit.claims.symbolic import SymbolicClaim

__all__ = ["check", "within"]

_PROOF = {
    "kind": str,
    "claim": dict,
    "price": dict,
    "spent": str,
    "allowed": str,
    "rule": str,
    "obligation": str | None,
    "releases": list,
    "steps": list,
    "conditions": list,
    "assumptions": list,
}


@carefully
def check(document: Document, work: Work) -> tuple[str, ...]:
    """Check a certificate of the kind ``cost``; return what was taken on trust.

    Parameters
    ----------
    document : Document
    work : Work

    Raises
    ------
    RejectedError
        Where it proves nothing.
    NotCheckedError
        Where it could not be checked; the message names the line.
    """
    fields(document.proof, _PROOF, "`proof`")
    if document.proof["kind"] != "cost":
        raise RejectedError(f"`proof.kind` is {document.proof['kind']!r:.40}, not 'cost'")
    claim, neighbors = nouns(document, work)
    program, trusted = program_of(document, document.subject["mechanism"], claim)
    ledgers, coins = within(program, claim, neighbors, work)
    proof = document.proof
    if isinstance(claim, SymbolicClaim):  # what is told is compared where the parameter is 1
        proof, program, claim = for_all.at_one(proof, program, claim)
        ledgers, coins = within(program, claim, neighbors, work)
    told.validate(proof, claim, ledgers, coins, places_of(program["entry"]))
    return (
        *trusted,
        *given(neighbors, work),
        "the balls of flint, and that two numbers which agree in 400 bits and at a random point "
        "of a field are the same",
    )


def within(
    program: dict[str, Any], claim: Any, neighbors: Any, work: Work
) -> tuple[list[list[Item]], Number]:
    """Return the releases of every path, whose cost stays within the claim.

    Parameters
    ----------
    program : dict
    claim : Claim
    neighbors : Neighbors
    work : Work

    Returns
    -------
    (list of list of Item, Number)
        With them the most with which coins fall so that something is revealed.

    Raises
    ------
    RejectedError, NotCheckedError
        Where the claim is not shown to hold.
    """
    ledgers: list[list[Item]] = []
    costs: list[Cost] = []
    ways: list[seldom.Way] = []
    chosen = False
    for run, reveals in followed(program, neighbors, work, seldom_too=isinstance(claim, ApproxDP)):
        items = run.ledger.items
        validate_within(items, claim)
        ledgers.append(items)
        costs.append(Cost.of(items))
        chosen = chosen or run.public
        if reveals:
            ways.append(seldom.way(run))
    coins = seldom.chance_of(ways)
    if isinstance(claim, ApproxDP):
        validate_approximate(costs, claim, together=chosen, coins=coins)
    return ledgers, coins


def followed(
    program: dict[str, Any], neighbors: Any, work: Work, *, seldom_too: bool
) -> Iterator[tuple[Run, bool]]:
    """Yield every path, and whether it reveals what nothing hides, which its coins make seldom."""
    functions = functions_of(program["entry"])
    for case in cases(neighbors):

        def follow(run: Run, case: Any = case) -> bool:
            machine = Machine(run, functions)
            how, value = machine.start(program, case(run))
            if how != "return":
                return False
            try:
                validate_output(run, value)
            except PrivateOutputError:
                if not (seldom_too and run.fallen):
                    raise
                return True
            return False

        yield from paths(work, follow)


def places_of(entry: dict[str, Any]) -> dict[str, set[str]]:
    """Return the places of a program's nodes, all and those of draws and of loops that may draw."""
    found: dict[str, set[str]] = {"": set(), "Draw": set()}

    def visit(value: Any) -> None:
        if isinstance(value, list):
            for item in value:
                visit(item)
        elif isinstance(value, dict):
            place = value.get("place")
            if isinstance(place, str):
                found[""].add(place)
                if value.get("kind") in ("Draw", "While"):
                    found["Draw"].add(place)
            if value.get("kind") != "Constant":
                for item in value.values():
                    visit(item)

    visit(entry)
    return found
