"""How the data of the two runs differ."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from dpaudit.formal.alignment.blocks import block_of
from dpaudit.formal.alignment.segments import System
from dpaudit.formal.unsupported import OutOfScope, Unsupported
from dpaudit.neighbors import Neighbors, QueryAnswers


@dataclass(frozen=True, slots=True)
class Relation:
    """One way for two vectors of answers to be neighbors.

    Attributes
    ----------
    distance : Fraction
        Most that an answer changes; most that all change together where `total`.
    total : bool
        Whether the changes of all answers add up to at most the distance (L1, and one entry).
    sign : int
        1 where no answer falls, -1 where none rises, 0 where each does as it likes.
    """

    distance: Fraction
    total: bool = False
    sign: int = 0

    def __str__(self) -> str:
        what = "the changes add up to" if self.total else "each answer changes by"
        way = {1: ", none falls", -1: ", none rises", 0: ""}[self.sign]
        return f"{what} at most {self.distance}{way}"


def relations_of(neighbors: Neighbors) -> tuple[Relation, ...]:
    """Return relations which together hold every neighboring pair, in either order.

    Raises
    ------
    OutOfScope
        For neighbors that are no query answers.
    """
    if not isinstance(neighbors, QueryAnswers):
        kind = type(neighbors).__name__
        raise OutOfScope(f"alignment under {kind}: it takes query answers", None)
    distance = Fraction(neighbors.distance)
    total = neighbors.norm in ("l0", "l1")
    # Within an L2 distance each entry moves by at most that distance.
    signs = (1, -1) if neighbors.monotone else (0,)
    return tuple(Relation(distance, total, sign) for sign in signs)


def validate_one_pass(system: System) -> None:
    """Refuse programs that may meet an entry of the data twice.

    Where the changes of all entries add up to a distance, what was met so far adds up to at most
    that only if no entry was met before.
    """
    owners = set()
    kinds = set()
    for segment in system.segments:
        for symbol in {s for p in segment.polys() for s in p.symbols() if s.kind == "input"}:
            index = symbol.name.partition("[")[2].removesuffix("]").removesuffix(":+")
            plain = index.startswith("%i") and index.endswith(f"@{segment.start}")
            if not plain or not index.replace("%", "").replace("@", "").isalnum():
                raise Unsupported(f"the entry {symbol.name}, which may be met twice", None)
            owners.add(segment.start)
            kinds.add(block_of(symbol) is None)
    if len(kinds) > 1:
        raise Unsupported("entries of the data that are met alone and in a stretch", None)
    if len(owners) > 1:
        raise Unsupported("data that several loops go through", None)
    for owner in owners:
        after = {s.to for s in system.segments if s.start == owner} - {owner, None}
        while True:
            more = {s.to for s in system.segments if s.start in after} - after - {None}
            if owner in after | more:
                raise Unsupported("data that a loop goes through again and again", None)
            if not more:
                break
            after |= more


def validate_no_blocks(system: System) -> None:
    """Refuse stretches of the data where each of their entries may change by the distance."""
    for segment in system.segments:
        if any(block_of(s) for p in segment.polys() for s in p.symbols() if s.kind == "input"):
            raise Unsupported("stretches of the data where every entry may change", None)
