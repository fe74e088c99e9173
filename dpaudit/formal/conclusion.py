"""Proofs that are conclusions of the checker's evaluators, written out."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from dpaudit.checker.cost.statement import neighbors_of
from dpaudit.checker.exact.numbers import precisely
from dpaudit.checker.file import (
    FAULTS,
    NOT_CHECKED,
    BrokenError,
    NotCheckedError,
    OutOfScopeError,
    RejectedError,
    Work,
)
from dpaudit.checker.limits import LOOK
from dpaudit.checker.program import validated
from dpaudit.claims import Claim
from dpaudit.formal.clock import SECOND, charge, now
from dpaudit.formal.description import around
from dpaudit.formal.hashing import to_dict
from dpaudit.formal.program import Place, Program
from dpaudit.formal.unsupported import OutOfScope, Unsupported
from dpaudit.neighbors import Neighbors

LONGEST = 60.0  # seconds on the clock of steps, as for a check


class Conclusion(Protocol):
    """What an evaluator of the checker concludes."""

    def to_dict(self) -> dict[str, Any]:
        """Return it as a certificate holds it."""


_Conclusion = TypeVar("_Conclusion", bound=Conclusion)


@dataclass(frozen=True, slots=True)
class ConcludedProof(Generic[_Conclusion]):
    """That a claim holds, as an evaluator of the checker concludes it.

    Attributes
    ----------
    claim : Claim
    conclusion : Conclusion
    assumptions : tuple of str
    """

    kind: ClassVar[str]
    claim: Claim
    conclusion: _Conclusion
    assumptions: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the proof as JSON-able values."""
        return {
            "kind": self.kind,
            "claim": self.claim.to_dict(),
            **self.conclusion.to_dict(),
            "assumptions": list(self.assumptions),
        }


class _Charged(Work):
    """Work that is done on the clock of a proof."""

    def left(self, looks: int = 1) -> float:
        """Count some steps, and return the seconds that are left."""
        charge(int(looks * LOOK * SECOND))
        return Work.left(self, looks)


def concluded(
    conclude: Callable[[dict[str, Any], Any, Any, Work], _Conclusion],
    program: Program,
    claim: Claim,
    neighbors: Neighbors,
    deadline: float,
    *,
    not_checked: type[Unsupported] = Unsupported,
    iterators: bool = False,
) -> _Conclusion:
    """Return what an evaluator of the checker concludes.

    Parameters
    ----------
    conclude : callable
    program : Program
    claim : Claim
    neighbors : Neighbors
    deadline : float
        In terms of `dpaudit.formal.clock.now`.
    not_checked : type
        What is raised where the evaluator does not understand the program.
    iterators : bool
        Whether the evaluator follows iterators that are kept.

    Raises
    ------
    BrokenError
        Where the evaluator found two datasets on which the claim fails.
    Unsupported
        Where the claim is not proved, with the line that stopped it; it may hold all the same.
    """
    work, entry = working(deadline), program.entry
    try:
        written, described = stated(program, neighbors, work, iterators=iterators)
        with precisely():
            return conclude(written, claim, described, work)
    except BrokenError:
        raise
    except OutOfScopeError as stopped:
        raise unsupported(stopped, entry.place, OutOfScope) from None
    except NotCheckedError as stopped:
        raise unsupported(stopped, entry.place, not_checked) from None
    except RejectedError as stopped:
        raise unsupported(stopped, entry.place) from None
    except FAULTS as error:  # what fails proves nothing
        raise not_checked("the program cannot be followed", entry.place) from error


def working(deadline: float) -> Work:
    """Return the work of a proof that ends at a deadline on the clock of steps."""
    return _Charged(float("inf"), steps=max(0.0, min(deadline - now(), LONGEST)))


def stated(
    program: Program, neighbors: Neighbors, work: Work, *, iterators: bool = False
) -> tuple[dict[str, Any], Any]:
    """Return a program and its neighbors as a certificate states them.

    Parameters
    ----------
    program : Program
    neighbors : Neighbors
    work : Work
    iterators : bool
        Whether iterators may be kept.
    """
    written = written_program(program, iterators=iterators)
    described = neighbors_of({"neighbors": str(neighbors), **around(neighbors)}, work)
    return written, described


def written_program(program: Program, *, iterators: bool = False) -> dict[str, Any]:
    """Return a program as certificates hold it.

    Parameters
    ----------
    program : Program
    iterators : bool
        Whether iterators may be kept.
    """
    written: dict[str, Any] = json.loads(json.dumps(to_dict(program)))
    return validated(written, written["sources"], repeated=True, iterators=iterators)


def unsupported(
    stopped: RejectedError, entry: Place, kind: type[Unsupported] = Unsupported
) -> Unsupported:
    """Return what stopped an evaluator of the checker as a reason of a prover.

    Parameters
    ----------
    stopped : RejectedError
    entry : Place
        Of the mechanism, where the error names no line.
    kind : type
    """
    where = _place(stopped.place) or entry
    what = stopped.what.removeprefix(NOT_CHECKED)
    if what != stopped.what and not stopped.violation:
        what = f"not understood: {what}"
    raised = kind(what, where)
    lines = (_place(place) for place in stopped.releases)
    raised.understood = tuple(sorted({place.line for place in lines if place is not None}))
    raised.violation = stopped.violation
    return raised


def _place(text: str) -> Place | None:
    file, _, line = text.rpartition(":")
    return Place(file, int(line)) if file and line.isdigit() else None
