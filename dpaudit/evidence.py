"""What an engine hands over: findings, a witness, bounds, and a verdict of its own."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from functools import total_ordering
from typing import TYPE_CHECKING, Any, Literal, Protocol, runtime_checkable

from dpaudit.sightings import Sightings, Trail
from dpaudit.tiers import grown

if TYPE_CHECKING:
    from dpaudit.claims import Claim
    from dpaudit.neighbors import Neighbors, Pair
    from dpaudit.subject import Subject
    from dpaudit.worker import Runner

DEFECT = "This is a fault of dpaudit; please report it with the mechanism's source"
NO_OUTPUT = "the mechanism gave no output in any call"
_ITS_REMEDY = "correct it, or give neighbors whose records and container it accepts"
_BY_NAME = "IndexError: only integers"  # what NumPy says of frame[["a", "b"]]
_USUAL = {"np": "import numpy as np", "pd": "import pandas as pd", "pl": "import polars as pl"}
NOT_COUPLED = (
    "draws on the two datasets are not coupled: the same seed gives different outputs, as with "
    "noise that takes no seed. The evidence is stored instead"
)
NOT_FOLLOWED = (
    "the trace does not follow the noise, as of compiled code that draws by a key. It repeats the "
    "noise and has no price for it; draws show what it hides"
)
SOURCE = "static"  # the engine whose findings are no refutations


def no_output(complaint: str) -> str:
    """Return the reason of a mechanism that raised in every call, with the remedy.

    Parameters
    ----------
    complaint : str
        What it raised, and where.
    """
    remedy = _ITS_REMEDY
    missing = re.search(r"NameError: name '(\w+)' is not defined", complaint)
    if missing is not None:
        name = missing[1]
        known = _USUAL.get(name, f"import {name}" if name in sys.stdlib_module_names else "")
        remedy = f"{f'add `{known}`' if known else f'define or import {name}'} in its module"
    elif "'numpy.ndarray' object has no attribute" in complaint or _BY_NAME in complaint:
        remedy = (
            "datasets come as NumPy arrays; if it takes a frame, give the neighbors "
            'container="pandas" (or "polars", or "list")'
        )
    return f"{NO_OUTPUT} ({complaint}); {remedy}"


@total_ordering
class Verdict(Enum):
    """The answer of an engine or an audit, ordered from worst to best.

    The fold over several audits is their minimum; within one audit a refutation wins, and
    otherwise the best answer that an engine reached.
    """

    REFUTED = 0
    INCONCLUSIVE = 1
    NOT_REFUTED = 2
    VERIFIED = 3

    def __lt__(self, other: object) -> bool:
        if not isinstance(other, Verdict):
            return NotImplemented
        return bool(self.value < other.value)

    def __str__(self) -> str:
        return self.name.replace("_", " ")


@dataclass(frozen=True, slots=True)
class Event:
    """A set of outputs, in words and as a Python predicate over ``output``.

    Attributes
    ----------
    words : str
        For people: ``"output ≤ 3.2"``.
    source : str
        A Python expression in the name ``output`` that is true exactly on the event; it may use
        ``math`` and ``np``.
    """

    words: str
    source: str

    def __str__(self) -> str:
        return self.words


@dataclass(frozen=True, slots=True)
class Counts:
    """How often an event was seen on each of the two datasets.

    Attributes
    ----------
    left, right : int
        Sightings on the left and the right dataset.
    left_calls, right_calls : int
        Calls made on each.
    """

    left: int
    left_calls: int
    right: int
    right_calls: int

    def __str__(self) -> str:
        return f"{self.left:,}/{self.left_calls:,} against {self.right:,}/{self.right_calls:,}"


@dataclass(frozen=True, slots=True)
class Witness:
    """A pair of neighboring datasets and an event that no mechanism keeping its claim shows.

    Attributes
    ----------
    left, right : Any
        The two datasets, as the mechanism receives them. ``left`` is the one under which the
        event is too likely.
    event : Event
        The telling set of outputs.
    counts : Counts or None
        Sightings of the event in draws that did not choose it; None where a proof stands instead.
    how : str
        How the two datasets differ.
    mechanism : str
        ``module:qualname`` of the mechanism, or its file.
    claim : Claim
        The claim that the pair refutes.
    epsilon : float
        Lower bound on epsilon that the whole evidence on this pair supports (nats).
    confidence : float
        Confidence of that bound.
    reproducible : bool
        Whether the randomness can be seeded.
    takes_rng, vectorized : bool
        How the mechanism is called.
    source : str
        Source text of the mechanism, where it could be read.
    own_generators : bool
        Whether each call needs a generator of its own, since the mechanism copies its generator.
    observed : bool
        Whether the output is a pair: what is returned, and the texts that are emitted.
    observes : frozenset of str
        What is looked at then; see `dpaudit.audit`.
    first_calls : bool
        Whether each call is the first of a new process.
    probabilities : (float, float) or None
        Of the event on the left, at least, and on the right, at most, where the audit computed or
        estimated them.
    """

    left: Any
    right: Any
    event: Event
    counts: Counts | None
    how: str
    mechanism: str
    claim: Claim
    epsilon: float
    confidence: float
    reproducible: bool = True
    takes_rng: bool = True
    vectorized: bool = False
    source: str = ""
    file: str | None = None
    own_generators: bool = False
    observed: bool = False
    observes: frozenset[str] = frozenset()
    first_calls: bool = False
    probabilities: tuple[float, float] | None = None

    def script(self) -> str:
        """Return a standalone Python file that replays the counterexample and prints counts."""
        from dpaudit.report.script import witness_script

        return witness_script(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the witness as JSON-able values."""
        from dpaudit.report.json import witness_to_dict

        return witness_to_dict(self)


@dataclass(frozen=True, slots=True, eq=False)
class StepWitness:
    """Numbers, or two datasets, that make a step of a derivation false.

    Attributes
    ----------
    values : mapping of str to Fraction
        A value for every variable; all conditions of the derivation hold there. Empty where
        datasets stand instead.
    left, right : Any
        Both sides of the step at these values: a Fraction, or text ``middle ± radius``; or the
        two neighboring datasets.
    event : Event
        What is false.
    how : str
        In a sentence.
    step : int
        Its index.
    datasets : bool
        Whether `left` and `right` are datasets.
    """

    values: Mapping[str, Fraction]
    left: Any
    right: Any
    event: Event
    how: str
    step: int
    datasets: bool = False

    def __getitem__(self, name: str) -> Fraction:
        return self.values[name]

    def script(self) -> str:
        """Return Python that holds the numbers."""
        from dpaudit.report.step import step_script

        return step_script(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the witness as JSON-able values, rational numbers as ``"p/q"``."""
        from dpaudit.report.step import step_to_dict

        return step_to_dict(self)


@dataclass(frozen=True, slots=True)
class Finding:
    """One violation: what it is, where it is formed, which engine saw it.

    Attributes
    ----------
    id : str
        ``DPA…`` id of the taxonomy (`dpaudit.violations`), or its ``INVALID_IGNORE``
        or ``UNUSED_IGNORE``.
    level : {"error", "warning", "note"}
        An error belongs to a refutation; a warning goes with any verdict; a note is a suspicion
        that nothing confirmed.
    message : str
        One sentence a reviewer can paste into a ticket.
    also : tuple of str
        Other ids that fit.
    file, line : str or None, int or None
        The cause, in the user's code.
    related : tuple of (file, line, what)
        The noise call and the output.
    engine : str
        Which engine found it.
    pair : tuple or None
        ``(left, right)``.
    """

    id: str
    level: Literal["error", "warning", "note"]
    message: str
    also: tuple[str, ...] = ()
    file: str | None = None
    line: int | None = None
    related: tuple[tuple[str, int, str], ...] = ()
    engine: str = "statistical"
    pair: tuple[Any, Any] | None = None

    @property
    def elsewhere(self) -> list[tuple[str, int, str]]:
        """What is related, without the line of the cause; each other line once."""
        at: dict[tuple[str, int], list[str]] = {}
        for file, line, what in self.related:
            if (file, line) != (self.file, self.line):
                at.setdefault((file, line), []).append(what)
        return [(*place, " and ".join(dict.fromkeys(each))) for place, each in at.items()]


@dataclass(frozen=True, slots=True)
class Suspect:
    """A pair, and perhaps an event on it, that an engine found telling.

    Attributes
    ----------
    pair : Pair
        Two neighboring datasets.
    event : Event or None
        A telling set of outputs, where known.
    why : str
        What raised the suspicion.
    finding : Finding or None
        The violation that is suspected, with its line. It stands once the pair refutes.
    """

    pair: Pair
    event: Event | None = None
    why: str = ""
    finding: Finding | None = None


@dataclass(frozen=True, slots=True)
class PairEvidence:
    """What was bet on one pair: enough to be stored, and added to, later.

    Attributes
    ----------
    how : str
        How the two datasets differ.
    weight : float
        Prior weight of the pair; the pair alone refutes when ``weight * exp(log_e_value)``
        reaches one over the level.
    log_e_value : float
        Evidence against the claim in nats.
    calls : int
        Mechanism calls, both datasets.
    """

    how: str
    weight: float
    log_e_value: float
    calls: int


@dataclass(frozen=True, slots=True)
class Nights:
    """Over how many runs evidence has accumulated; see ``dpaudit run --accumulate``.

    Attributes
    ----------
    number : int
        Runs, this one included.
    calls : int
        Mechanism calls of this one; the calls of the evidence are those of all.
    """

    number: int
    calls: int


@dataclass(frozen=True, slots=True)
class Repair:
    """A change of the source with which the claim verifies.

    Attributes
    ----------
    file : str
    lines : tuple of int
        Lines of the file that it is about.
    what : str
        What changes, as one sentence.
    noise : float or None
        The utility that it costs: how many times as large the noise of these lines is; None where
        it is no multiple of what it was.
    scope : str
        Where it was proved: at the values that the mechanism runs with, and at which others.
    diff : str
        Unified, for ``patch -p1`` or ``git apply``.
    content : str
        The file as it would be.
    """

    file: str
    lines: tuple[int, ...]
    what: str
    noise: float | None
    scope: str
    diff: str
    content: str


@dataclass(frozen=True, slots=True)
class ProofCheck:
    """What the checker said of a proof, in the run that found the proof.

    Attributes
    ----------
    accepted : bool
        Whether it accepted the certificate.
    reason : str
        Why it did not; empty where it did.
    trusted : tuple of str
        What it took on trust.
    """

    accepted: bool
    reason: str = ""
    trusted: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Detectable:
    """The smallest epsilons that a run would have caught with probability 0.9.

    Each is reached on one searched event, in outputs that are otherwise
    identical; None where no epsilon would have been caught.

    Attributes
    ----------
    probability : float
        Of the event, under the dataset that it favors.
    coupled, independent : float or None
        On the least searched pair: where draws with a common seed fall into the event together as
        far as their probabilities allow, and where they do so independently.
    most_coupled, most_independent : float or None
        The same on the most searched pair.
    """

    probability: float
    coupled: float | None
    independent: float | None
    most_coupled: float | None
    most_independent: float | None


@dataclass(frozen=True, slots=True)
class Evidence:
    """What one engine found.

    Attributes
    ----------
    engine : str
        Name of the engine.
    verdict : Verdict or None
        None where the engine cannot answer; `reason` says why. Never a pass.
    reason : str
        Why there is no verdict, or what it rests on.
    findings : tuple of Finding
    witness : Witness, StepWitness or None
    log_e_value : float
        Natural logarithm of the combined e-value against the claim.
    epsilon : float
        Lower bound on epsilon at the claim's delta (nats, rounded down).
    parameter_bound : float or None
        Lower bound on the claim's own parameter; None where the claim has none.
    confidence : float
        Confidence of both bounds.
    detectable_epsilon : float
        See `dpaudit.Report`.
    detectable : tuple of Detectable
        What would have been caught, by the probability of the event; empty where nothing is.
    pairs_sampled : int
        Pairs that gave outputs, of which `detectable_epsilon` and `detectable` are.
    calls, pairs_tried : int
    seconds, alpha_spent : float
    steps, steps_budget : int or None
        Steps of work that a proof took and that it may take; the same on every machine. None for
        engines that do not count them.
    pairs : tuple of PairEvidence
    claim : str
    source_hash : str
    seed : int
    notes : tuple of str
        Sentences that the report prints.
    suspects : tuple of Suspect
        Pairs that later engines should try first.
    certificate : Any
        What the checker accepts; None for engines that prove nothing.
    assumptions : tuple of str
        What a proof rests on.
    cut_short : bool
        Whether a limit of time ended work of the engine: a run of other speed may find more.
    unfinished : bool
        Whether the tier ended work of the engine: the next one may find more.
    completed : bool
        False where the engine was stopped by a failure of the mechanism's worker.
    trail : tuple of (int, float)
        Calls made and the evidence of all pairs together, from time to time. Like `sightings` it
        is for pictures: at most some hundred numbers, of which JSON keeps a few dozen.
    sightings : Sightings or None
        Outputs of the witness's pair, or of the most suspicious one.
    repair : Repair or None
        A change of the source with which the claim is proved; only where it was asked for.
    nights : Nights or None
        Where the evidence is that of several runs; calls, pairs and bounds are those of all.
    checked : ProofCheck or None
        Whether the checker accepted the certificate; None where nothing is proved.
    replay : {"", "replayed", "sampled", "consistent only"}
        How the code confirmed a refutation from its source: it was run with the counterexample's
        noise; it was drawn from often enough to see the event; or the event is too rare to be
        seen, and nothing contradicts it. Empty for everything else.
    """

    engine: str
    verdict: Verdict | None
    reason: str = ""
    findings: tuple[Finding, ...] = ()
    witness: Witness | StepWitness | None = None
    log_e_value: float = 0.0
    epsilon: float = 0.0
    parameter_bound: float | None = None
    confidence: float = 0.0
    detectable_epsilon: float = float("inf")
    detectable_probability: float = 0.01
    calls: int = 0
    pairs_tried: int = 0
    seconds: float = 0.0
    alpha_spent: float = 0.0
    steps: int | None = None
    steps_budget: int | None = None
    pairs: tuple[PairEvidence, ...] = ()
    claim: str = ""
    source_hash: str = ""
    seed: int = 0
    notes: tuple[str, ...] = ()
    suspects: tuple[Suspect, ...] = ()
    certificate: Any = None
    assumptions: tuple[str, ...] = ()
    completed: bool = True
    trail: Trail = ()
    sightings: Sightings | None = None
    repair: Repair | None = None
    nights: Nights | None = None
    checked: ProofCheck | None = None
    replay: str = ""
    detectable: tuple[Detectable, ...] = ()
    pairs_sampled: int = 0
    cut_short: bool = False
    unfinished: bool = False

    @property
    def is_open(self) -> bool:
        """Whether the next tier may find more. Where time has ended work, there is none left."""
        return self.unfinished and not self.cut_short


@dataclass(frozen=True, slots=True)
class Budget:
    """What an engine may spend, and with which error probability.

    Attributes
    ----------
    alpha : float
        Probability of a false refutation, over everything that the audit tries.
    max_calls : int
        Mechanism calls, both datasets together.
    max_seconds : float or None
    seed : int
    arithmetic : {"real", "float"}
        ``"float"`` also looks at equality and low-order bits of continuous floats.
    tier : int or None
        The last tier that is begun (`dpaudit.tiers`), from 1. What an engine is given names the
        tier under way.
    tiers : int
        How many tiers there are; the last one allows all that an engine ever takes.
    beside : float or None
        Seconds that the engines before sampling take in the next tier; None where none follows.
    until : float or None
        Time of `time.monotonic` from which on no call begins. Engines are stopped by it, and plan
        nothing by it: what they do before is as without it.
    repeatable : bool
        Whether time has ended no work of the engines before.
    """

    alpha: float = 1e-6
    max_calls: int = 1_000_000
    max_seconds: float | None = None
    seed: int = 0
    arithmetic: Literal["real", "float"] = "real"
    tier: int | None = None
    tiers: int = 1
    beside: float | None = None
    until: float | None = None
    repeatable: bool = True

    @property
    def is_first(self) -> bool:
        """Whether no engine has examined the mechanism in an earlier tier."""
        return self.tier == 1 or self.tiers == 1

    @property
    def is_last(self) -> bool:
        """Whether no tier follows."""
        return self.tier is None or self.tier >= self.tiers

    def allowed(self, first: float, whole: float) -> float:
        """Return how much of something the tier allows.

        Parameters
        ----------
        first, whole : float
            What the first tier allows, and what the last one does.
        """
        if self.is_last or self.tier is None:
            return whole
        return min(whole, grown(first, self.tier))


@dataclass(frozen=True, slots=True)
class Progress:
    """A moment of a running audit, for whoever draws the progress bar.

    Attributes
    ----------
    calls, max_calls : int
        Made so far, and at most.
    log_e_value, target : float
        Evidence against the claim, and how much refutes it (nats).
    seconds : float
        Since the engine began.
    pair : int
        Number of the pair of datasets that was drawn from, from 1 on.
    detectable_epsilon : float
        Violations of this size would have been caught by now (nats); told anew every ten seconds,
        infinite where none would.
    max_seconds : float or None
        After which the engine begins no further batch.
    """

    calls: int
    max_calls: int
    log_e_value: float
    target: float
    seconds: float
    pair: int = 1
    detectable_epsilon: float = float("inf")
    max_seconds: float | None = None

    @property
    def seconds_left(self) -> float:
        """Until all calls are made, if they go on as they went, or until time ends them."""
        left = self.seconds * (self.max_calls - self.calls) / max(self.calls, 1)
        return (
            left
            if self.max_seconds is None
            else min(left, max(self.max_seconds - self.seconds, 0.0))
        )


def interrupted_after(last: Progress) -> str:
    """Say how far an audit was when it was interrupted.

    Parameters
    ----------
    last : Progress
        That it told last.
    """
    return f"interrupted after {last.calls:,} of {last.max_calls:,} calls"


@runtime_checkable
class Engine(Protocol):
    """One way to examine a mechanism; `name` is what ``engines=`` takes."""

    @property
    def name(self) -> str:
        """What ``engines=`` takes."""

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
        """Return what this engine finds; a verdict of None where it cannot answer."""
        ...
