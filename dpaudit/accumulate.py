"""One night of an audit whose evidence accumulates: ``dpaudit run --accumulate``."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from dpaudit.auditor import ENGINES, audit, named_engine
from dpaudit.collect import CollectedAudit
from dpaudit.evidence import Budget, Engine, Evidence, Progress, Suspect
from dpaudit.neighbors import Pair, dataset_to_source
from dpaudit.nights import Night, NightsError
from dpaudit.reference import reference
from dpaudit.statistical import StatisticalEngine
from dpaudit.statistical.packing import PackingError
from dpaudit.store import Store
from dpaudit.subject import Subject

if TYPE_CHECKING:
    from dpaudit.claims import Claim
    from dpaudit.neighbors import Neighbors
    from dpaudit.verdict import Report
    from dpaudit.worker import Runner

ALPHA = 1e-6  # unless one is given
OTHERS_SHARE = 0.1  # of α, where engines sample whose evidence does not accumulate
WITHOUT_ALPHA = ("static", "formal")  # engines that never spend any
PAIRS = 16  # that stand for all of neighbors
_SAMPLING = "statistical"


@dataclass(frozen=True, slots=True)
class Accumulation:
    """What the nights of one run of ``dpaudit run`` have in common.

    Attributes
    ----------
    root : Path
        The project's folder.
    store : Store
        Where plain runs are; their seeds are no new ones.
    run : int
        Number of this run.
    code : str
        Of `dpaudit.store.code_hash`.
    seed : int or None
        Given for tonight.
    """

    root: Path
    store: Store
    run: int
    code: str
    seed: int | None = None

    def options(self, collected: CollectedAudit) -> dict[str, Any]:
        """Return what `dpaudit.declare.Audit.run` needs for one audit."""
        used = frozenset[int]() if self.seed is None else self.store.seeds(collected.name)
        night = Tonight(self.root, collected.name, self.run, self.code, self.seed, used)
        return {"accumulate": night}


@dataclass(frozen=True, slots=True)
class Tonight:
    """One audit's night, to be opened where the audit runs.

    Attributes
    ----------
    root, name, run, code, seed
        As in `Accumulation`, and the audit's name.
    used : frozenset of int
        Seeds of plain runs.
    """

    root: Path
    name: str
    run: int
    code: str
    seed: int | None
    used: frozenset[int]

    def audit(self, mechanism: Any, claim: Claim, neighbors: Neighbors, **options: Any) -> Report:
        """Run an audit as `dpaudit.audit` does, from where the last night ended.

        Notes
        -----
        A seed that is declared is not used: it is the same every night.

        Raises
        ------
        NightsError
            Where the night cannot begin, or what earlier ones left cannot be read.
        """
        engines = list(options.get("engines") or ENGINES)
        if _SAMPLING not in engines:
            chosen = {} if self.seed is None else {"seed": self.seed}
            return audit(mechanism, claim, neighbors, **{**options, **chosen})
        alpha = float(options.get("alpha") or ALPHA)
        arithmetic = str(options.get("arithmetic", "real"))
        stated = {
            "code": self.code,
            "dpaudit": dpaudit_hash(),
            "mechanism": f"{reference(mechanism)} {Subject.of(mechanism).source_hash}",
            "claim": f"{claim} {claim.to_dict()}",
            "neighbors": f"{neighbors} {_pairs_hash(neighbors)}",
            "options": f"alpha={alpha!r} arithmetic={arithmetic} engines={_named(engines)}",
        }
        if options.get("observes") is not None:
            stated["options"] += f" observes={sorted(options['observes'])}"
        with Night(
            self.root, self.name, stated, self.run, self.seed, self.used.__contains__
        ) as night:
            asked = _engines(engines, alpha, night)
            given = {**options, "engines": asked, "seed": night.seed}
            try:
                report = audit(mechanism, claim, neighbors, **given)
            except PackingError as error:
                raise NightsError(
                    f"the evidence of {self.name} cannot go from night to night: {error}; "
                    "run it without --accumulate, or move its file below .dpaudit/nights/ away"
                ) from error
        return _told(report, night)


@dataclass(frozen=True, slots=True)
class _Allowed:
    """An engine with an error probability of its own, the same or less every night."""

    engine: Engine
    alpha: float

    @property
    def name(self) -> str:
        """What ``engines=`` takes."""
        return self.engine.name

    def examine(
        self,
        subject: Subject,
        claim: Claim,
        neighbors: Neighbors,
        budget: Budget,
        suspects: Sequence[Suspect] = (),
        *,
        runner: Runner,
        progress: Callable[[Progress], None] | None = None,
    ) -> Evidence:
        """Return what the engine finds with it."""
        budget = replace(budget, alpha=self.alpha)
        return self.engine.examine(
            subject, claim, neighbors, budget, suspects, runner=runner, progress=progress
        )


def _engines(engines: Sequence[str | Engine], alpha: float, night: Night) -> list[str | Engine]:
    """Return the engines of a night, the statistical one last, with what each may spend of α.

    Engines that sample anew every night have 1/2, 1/6, 1/12, … of their part, which sum to 1.
    """
    others = [each for each in engines if each != _SAMPLING]
    part = OTHERS_SHARE if any(each not in WITHOUT_ALPHA for each in others) else 0.0
    tonight = alpha * part / (night.night * (night.night + 1))
    asked: list[str | Engine] = [
        each
        if each in WITHOUT_ALPHA
        else _Allowed(named_engine(each, last=False) if isinstance(each, str) else each, tonight)
        for each in others
    ]
    return [*asked, _Allowed(StatisticalEngine(memory=night), alpha * (1 - part))]


def _named(engines: Sequence[str | Engine]) -> str:
    return ",".join(each if isinstance(each, str) else each.name for each in engines)


def _told(report: Report, night: Night) -> Report:
    """Note on the first night of a new test that earlier nights do not count."""
    if not night.anew:
        return report
    what = " and ".join(night.anew)
    said = (
        f"the {what} changed since the last night: evidence starts anew, in a new test with an "
        "error probability of its own"
    )
    evidence = tuple(
        e if e.nights is None else replace(e, notes=(*e.notes, said)) for e in report.evidence
    )
    return replace(report, evidence=evidence)


def _pairs_hash(neighbors: Neighbors) -> str:
    """Return a hash of the first pairs, or all that are listed.

    Raises
    ------
    NightsError
        Where the same seed does not give the same pairs.
    """
    first, again = (_digest(_first_pairs(neighbors)) for _ in range(2))
    if first != again:
        raise NightsError(
            f"{neighbors} gives other pairs for the same seed: it cannot be seen whether they "
            "changed since the last night; list them with Pairs([…])"
        )
    return first


def _first_pairs(neighbors: Neighbors) -> list[Pair]:
    count = max(PAIRS, neighbors.fixed_count or 0)
    return list(islice(neighbors.pairs(np.random.default_rng(0)), count))


def _digest(pairs: Sequence[Pair]) -> str:
    texts = [(dataset_to_source(pair.left), dataset_to_source(pair.right)) for pair in pairs]
    return hashlib.sha256(repr(texts).encode()).hexdigest()


@cache
def dpaudit_hash() -> str:
    """Return dpaudit's version and a hash of its source: another one may bet otherwise."""
    import dpaudit

    folder, total = Path(dpaudit.__file__).parent, hashlib.sha256()
    for file in sorted(folder.rglob("*.py")):
        total.update(file.relative_to(folder).as_posix().encode() + b"\0")
        total.update(hashlib.sha256(file.read_bytes()).digest())
    return f"{dpaudit.__version__} {total.hexdigest()}"
