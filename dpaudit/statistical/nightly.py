"""What an audit remembers from one night to the next, and how the next goes on.

Wealth is a product over draws, so it goes on with fresh draws as it went on with the last ones:
cells, scores, weights and counts are taken up as they were left. A batch is booked before it is
drawn, and kept after it was counted. One that was booked and not kept is drawn again, with its own
seeds and as the mechanism was called then, before anything else: no draw can be dropped for what it
showed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from dpaudit.evidence import Suspect
from dpaudit.neighbors import Pair, dataset_to_source
from dpaudit.randomness import GlobalStates
from dpaudit.statistical.contender import Contender
from dpaudit.statistical.packing import PackingError, attributes, pack, unpack
from dpaudit.statistical.race import NULL_SHARE, Entry, Race
from dpaudit.worker import UNCOUPLED, Task, Traits

APART = ("pair", "index", "modes", "_key", "pool", "one_sided")  # written elsewhere, or made anew
FEW = 4_096  # rows; more are written when they have grown by a quarter
GROWN = 1.25
FAILED = "failed"  # the part that says that a call failed in a batch that was booked
UNREPEATABLE = (
    "a call failed in a batch on an earlier night, and its draws cannot be made again, as the "
    "mechanism takes no seed. Batches that fail for what was drawn would be left out. Mend what "
    "failed; then the evidence starts anew"
)


class Memory(Protocol):
    """Where what is known stands while no audit runs."""

    @property
    def night(self) -> int:
        """Number of this night, from 1."""

    def parts(self) -> Mapping[str, bytes]:
        """Return what was written last under each name, in all nights."""

    def write(self, parts: Mapping[str, bytes], calls: int, log_e_value: float) -> None:
        """Commit some parts, all or none of them, with all calls and the evidence so far."""


@dataclass(slots=True)
class Nightly:
    """Writes a race down as it goes; see `dpaudit.statistical.race.Diary`."""

    memory: Memory
    _paired: int = 0  # pairs that are written
    _rows: dict[int, int] = field(default_factory=dict)  # outputs that are written, by pair
    _open: bool = False  # whether a batch is booked and not kept

    @property
    def night(self) -> int:
        """Number of the night."""
        return self.memory.night

    def book(self, race: Race, tasks: Sequence[Task], entry: Entry) -> None:
        """Keep what is to be drawn, and pairs that have joined."""
        planned = [(task.mode, task.size, task.key) for task in tasks]
        traits = _packed_traits(race.runner.known.traits)
        parts = {"race": pack(_state(race, (entry.contender.index, planned, traits)))}
        for each in race.entries[self._paired :]:
            parts[f"pair {each.contender.index}"] = _packed_pair(each.contender.pair)
        self.memory.write(parts, race.calls, race.pooled)
        self._paired, self._open = len(race.entries), True

    def keep(self, race: Race, entry: Entry) -> None:
        """Keep what the draws of a pair have led to."""
        contender = entry.contender
        index, apart = contender.index, {"one_sided": contender.one_sided}
        held = {k: v for k, v in attributes(contender).items() if k not in APART}
        parts = {
            "race": pack(_state(race, None)),
            f"counts {index}": pack([held, contender.pool.seen], apart),
        }
        rows = contender.pool.side(0).size + contender.pool.side(1).size
        if rows <= FEW or rows >= GROWN * self._rows.get(index, 0):
            parts[f"outputs {index}"] = pack([contender.pool, contender.one_sided])
            self._rows[index] = rows
        self.memory.write(parts, race.calls, race.pooled)
        self._open = False

    def fail(self, race: Race) -> None:
        """Keep that a call failed, if a batch was being drawn."""
        if self._open:
            self.memory.write({FAILED: pack(True)}, race.calls, race.pooled)


def take_up(race: Race, memory: Memory, suspects: Sequence[Suspect]) -> str | None:
    """Go on where the last night ended; on the first, only begin to keep what happens.

    Parameters
    ----------
    race : Race
        A new one, with tonight's seed and budget. The calls of earlier nights are added to both.
    memory : Memory
    suspects : sequence of Suspect
        The causes of those that are pairs of this audit stand once these refute.

    Returns
    -------
    str or None
        Why it cannot go on.

    Raises
    ------
    PackingError
        Where what was left is not as it was written.
    WorkerError
        Where the batch that was booked last cannot be drawn.
    """
    race.diary = diary = Nightly(memory)
    parts = memory.parts()
    if "race" not in parts:
        return None
    try:
        planned = _restore(race, parts)
    except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
        raise PackingError(f"it is not as it was written ({type(error).__name__})") from error
    diary._paired = len(race.entries)
    race.earlier = race.calls
    race.budget = replace(race.budget, max_calls=race.budget.max_calls + race.earlier)
    race.allowance = race.budget.max_calls
    known = {_written(e.contender.pair): e.contender.index for e in race.entries}
    race.proposals = (pair for pair in race.proposals if _written(pair) not in known)
    for suspect in suspects:
        index = known.get(_written(suspect.pair))
        if index is not None and suspect.finding is not None:
            race.suspected[index] = suspect.finding
    if planned is not None:
        index, batch, traits = planned
        race.runner.known.traits = traits
        pair = race.entries[index].contender.pair
        tasks = [Task(pair.left, pair.right, mode, size, key) for mode, size, key in batch]
        race.carry_out(race.entries[index], tasks)
    unseeded = any("unseeded" in entry.contender.flags for entry in race.entries)
    return UNREPEATABLE if FAILED in parts and unseeded else None


def _state(race: Race, planned: Any) -> dict[str, Any]:
    """Return what is known of no pair alone."""
    return {
        "entries": [(e.share / (1 - NULL_SHARE), e.kind) for e in race.entries],
        "earned": race.earned,
        "other_calls": race.other_calls,
        "focused": race.focused,
        "trail": race.trail,
        "planned": planned,
    }


def _restore(race: Race, parts: Mapping[str, bytes]) -> Any:
    """Let the pairs join again with what they knew; return the batch that was booked, or None."""
    state = unpack(parts["race"])
    for index, (share, kind) in enumerate(state["entries"]):
        entry = race.enter(Pair(*unpack(parts[f"pair {index}"])), share, kind)
        if f"counts {index}" in parts:
            _fill(entry.contender, parts[f"counts {index}"], parts[f"outputs {index}"])
    for name in ("earned", "other_calls", "focused", "trail"):
        setattr(race, name, state[name])
    # What one pair has shown of the mechanism was kept with that pair alone.
    race.discard_coupled(frozenset().union(*(e.contender.flags for e in race.entries)) & UNCOUPLED)
    if state["planned"] is None:
        return None
    index, batch, traits = state["planned"]
    return index, batch, _unpacked_traits(traits)


def _fill(contender: Contender, counts: bytes, outputs: bytes) -> None:
    """Give a new contender what an earlier one knew."""
    pool, one_sided = unpack(outputs)
    held, seen = unpack(counts, {"one_sided": one_sided})
    expected = {name for name in attributes(contender) if name not in APART}
    if set(held) != expected:
        raise PackingError(f"it has {sorted(set(held) ^ expected)} or lacks it")
    for name, value in held.items():
        setattr(contender, name, value)
    # Outputs may be those of some batches before; how many there were is as of the last one.
    pool.seen = seen
    contender.pool, contender.one_sided = pool, one_sided


def _packed_pair(pair: Pair) -> bytes:
    """Return a pair as bytes from which it comes back as it was."""
    content = pack([pair.left, pair.right, pair.how])
    if _written(Pair(*unpack(content))) != _written(pair):
        raise PackingError(
            f"datasets of type {type(pair.left).__name__} do not come back as they were"
        )
    return content


def _packed_traits(traits: Traits | None) -> dict[str, Any] | None:
    """Return how the mechanism is called; before the first batch that is not known yet."""
    if traits is None:
        return None
    states = (traits.states.numpy, traits.states.python)
    return {**attributes(traits), "states": states}


def _unpacked_traits(held: Mapping[str, Any] | None) -> Traits | None:
    return None if held is None else Traits(**{**held, "states": GlobalStates(*held["states"])})


def _written(pair: Pair) -> tuple[str, str]:
    return dataset_to_source(pair.left), dataset_to_source(pair.right)
