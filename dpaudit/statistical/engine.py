"""The statistical engine: run the mechanism many times and bet against its claim."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice

import numpy as np

from dpaudit.claims import Claim
from dpaudit.evidence import Budget, Evidence, Finding, Progress, Suspect
from dpaudit.neighbors import Neighbors, Pair
from dpaudit.statistical.bandit import EVEN_FROM, Focus, Outlook, next_arm
from dpaudit.statistical.book import Stakes
from dpaudit.statistical.conclude import cut_short, failed, inconclusive, refuted_by_state, verdict
from dpaudit.statistical.contender import WARM_UP, Contender, Mode
from dpaudit.statistical.held import Held
from dpaudit.statistical.nightly import Memory, take_up
from dpaudit.statistical.race import Entry, Race
from dpaudit.statistical.scout import FIRST_DRAWS, scouted
from dpaudit.statistical.state import STATE_SHARE, keeps_state, remembers_behind_noise
from dpaudit.subject import Subject
from dpaudit.tiers import ends
from dpaudit.worker import Runner, Unwatched, WorkerError

NO_TIME = (
    "the mechanism's calls are so long that not even the first batch fits into the time; allow "
    "more time, or make the calls shorter"
)
_SHORT = "the time sufficed for tier {0} of calls ({1} in all) and not for the next one. {2}"
_CUT = (
    "the time ended within tier {0} of calls; its {1} calls found no violation, and are left out. "
    "This is the result of tier {2} ({3} calls in all). {4}"
)
_REPEATED = "Use tier={} to repeat {} on any machine, or a larger max_seconds to continue"
_UNREPEATED = (
    "Time has ended work before the sampling too, so that tier={} may give another result. Use a "
    "larger max_seconds to continue"
)
_NONE_COMPLETE = (
    "the time ended within the first tier of calls, after {} of {}, so there is no complete tier "
    "to report. Allow more time, or make the calls shorter"
)
_NONE_WHOLE = (
    "the time left was too short for a batch of the first tier of calls, which was made smaller. "
    "The tier made its {} calls, but no other run repeats them, so there is no complete tier to "
    "report. Allow more time, or make the calls shorter"
)
_WHOLE = (
    "the time left was too short for a batch of tier {0} of calls, which was made smaller. Its {1} "
    "calls found no violation and no other run repeats them, so they are left out. This is the "
    "result of tier {2} ({3} calls in all). {4}"
)
_NIGHT_CUT = "the time ended this run after {} of its {} calls; the next run continues"
SHRINK_SHARE = 0.05  # of α, for smaller witnesses
LATE_SHARE = 0.2  # of α, for pairs found on the way
CALLS_A_PAIR = 12_500  # a smaller budget tries fewer pairs; for epsilon up to 1
EARLY = 5  # times as many pairs in early tiers, in which more is to be seen of fewer events
FIRST_PAIRS = (3, 16)  # at least and at most, unless they are listed
LATE_PAIRS = 8
SCOUTED = (256, 0.01)  # candidates for them: at most, and their first draws' part of the calls
LATE_BUDGET = 50  # times the calls of a pair; a smaller one is spent on the first pairs
LATE_FROM = 0.2  # of the calls are made before late pairs join
LAST_STEP = (256, 0.01)  # calls, of all; a larger step takes no more than what is left for each
SILENT = 200  # calls on a pair that all raised, after which it is drawn from no more
SUSPECTED = 0.5  # of the calls are for pairs that another engine suspects, at first
NO_EVIDENCE = 0.5  # nats; less is no sign that its exceptions differ
SHRINKS = 12  # smaller pairs tried for a witness
SHRINK_CALLS = (20_000, 0.5)  # spent on them: so many, or this part of what the refutation took


@dataclass(frozen=True, slots=True)
class StatisticalEngine:
    """Bets against the claim on draws from both datasets.

    Parameters
    ----------
    coupled : bool
        Whether draws with a common seed are used too. Published comparisons draw independently.
    memory : Memory, optional
        Where earlier nights of the same audit left what they knew; this run goes on from there.
    held : Held, optional
        Where the race stands between the parts of an audit that is one row of a family.
    """

    coupled: bool = True
    memory: Memory | None = None
    held: Held | None = None

    @property
    def name(self) -> str:
        """What ``engines=`` takes."""
        return "statistical"

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
        """Return the verdict, the bounds and the witness that sampling gives.

        See `dpaudit.evidence.Engine`. A worker that fails leaves a verdict of None and
        ``completed=False``, never a pass.
        """
        race = None if self.held is None else self.held.taken_up(budget, runner, progress)
        if race is None:
            race = Race(subject, claim, neighbors, budget, runner, (), progress)
            race.modes = self._modes(race.stakes)
        if self.held is not None:
            self.held.hold(race)
        try:
            if race.entries:
                race.queue.welcome(suspects)
                return _gone_on(race)
            stopped = self.memory and take_up(race, self.memory, suspects)
            if stopped:
                return inconclusive(race, stopped)
            race.queue = _Queue.of(race, suspects)
            most = race.budget.max_calls
            race.tiers = list(ends(most)) if race.diary is None else [most]
            race.allowance = race.tiers[0]
            race.queue.enter(race)
            if race.settled:
                return verdict(race, _smaller)
            if not race.entries[0].contender.total_calls:
                race.draw(race.entries[0], race.modes[0], race.left)
            if race.late:
                return inconclusive(race, race.stopped or NO_TIME)
            remembers = keeps_state(race)
            if isinstance(remembers, Finding):
                return refuted_by_state(race, remembers)
            if remembers is not None:
                return inconclusive(race, remembers)
            return _climbed(race)
        except Unwatched:
            if self.held is not None:
                self.held.race = None
            raise
        except WorkerError as error:
            if error.kind == "late":
                race.gave_up(error)
                cut = race.complete is not None and not race.settled
                return _cut(race) if cut else inconclusive(race, str(error))
            if race.diary is not None:
                race.diary.fail(race)
            return failed(race, str(error))
        except ArithmeticError as error:
            return failed(race, f"the evidence could not be computed: {error}")

    def _modes(self, stakes: Stakes) -> tuple[Mode, ...]:
        """Return the streams to bet on; labels decide pure claims alone."""
        pure = stakes.epsilon is not None
        if not self.coupled:
            return ("label",) if pure else ("independent",)
        return ("label", "coupled") if pure else ("coupled", "independent")


@dataclass(slots=True)
class _Queue:
    """Suspects and proposals, which join as there are calls for them; their shares of α are equal.

    Attributes
    ----------
    pairs : iterator of Pair
    most : int
        Pairs that join if all calls are made.
    share : float
        Of α, for each.
    suspected : dict of int to Finding
        Causes, by identity of the pair.
    """

    pairs: Iterator[Pair]
    most: int
    share: float
    suspected: dict[int, Finding]
    known: list[Pair]  # of suspects, those of earlier tiers included
    new: int = 0  # of them that are still to join

    @staticmethod
    def of(race: Race, suspects: Sequence[Suspect]) -> _Queue:
        listed = race.neighbors.fixed_count
        most = listed or _affordable(race, race.budget.max_calls)
        # Listed pairs are entered all the same, and a suspect must not take the place of one.
        first = [] if listed else [suspect.pair for suspect in suspects][: max(FIRST_PAIRS)]
        most = max(most, len(first))
        spare = 2 * STATE_SHARE + (0.0 if listed else SHRINK_SHARE + LATE_SHARE)
        causes = {id(s.pair): s.finding for s in suspects if s.finding is not None}
        known = [suspect.pair for suspect in suspects]
        return _Queue(chain(first, race.proposals), most, (1 - spare) / most, causes, known)

    def welcome(self, suspects: Sequence[Suspect]) -> None:
        """Put pairs that are suspected since before those that are still to join."""
        new = [s for s in suspects if not any(s.pair is pair for pair in self.known)]
        self.known += [s.pair for s in new]
        self.suspected |= {id(s.pair): s.finding for s in new if s.finding is not None}
        self.pairs = chain([s.pair for s in new], self.pairs)
        self.new += len(new)

    def enter(self, race: Race) -> None:
        """Let so many join as the calls of this tier suffice for; all that are listed."""
        if race.entries and race.diary is not None:  # as of an earlier night
            return
        wanted = race.neighbors.fixed_count or min(
            self.most, _affordable(race, EARLY * race.allowance)
        )
        present = sum(entry.kind == "first" for entry in race.entries)
        if race.neighbors.fixed_count is None:
            wanted, self.new = max(wanted, min(self.most, present + self.new)), 0
        for pair in islice(self.pairs, max(wanted - present, 0)):
            entry = race.enter(pair, self.share)
            if id(pair) in self.suspected:
                race.suspected[entry.contender.index] = self.suspected[id(pair)]
        if not race.entries:
            raise ValueError(
                f"{race.neighbors} has no pair of neighboring datasets; widen its domain"
            )


def _affordable(race: Race, calls: int) -> int:
    return int(np.clip(calls / _calls_a_pair(race), *FIRST_PAIRS))


def _gone_on(race: Race) -> Evidence:
    """Go on with the next tier; the calls so far may suffice for what is needed now.

    After the last tier, calls beyond it are a tier for the pairs that joined.
    """
    if race.settled:
        del race.tiers[race.tier :]
        race.tiers.append(race.calls)
    else:
        made, most = race.tier, race.budget.max_calls
        later = [end for end in race.tiers[made:-1] if end < most]
        race.tiers[made:] = [*later, most]
    return _climbed(race)


def _climbed(race: Race) -> Evidence:
    """Run the tiers that are left, until one settles the audit or the next is too long.

    Where time ends a tier that refutes nothing, the evidence is that of the tier before.
    """
    for number, end in enumerate(race.tiers[race.tier :], race.tier + 1):
        if race.tier and not race.settled and not race.fits(end):
            _fall_short(race)
            break
        timed = race.budget.max_seconds is not None
        if race.complete is None or race.complete.tier != race.tier:
            race.complete = race.copy() if race.tier and timed else None
        race.allowance = end
        remembers = remembers_behind_noise(race)
        if remembers is None:
            race.queue.enter(race)
            _run(race)
            if race.settled:
                remembers = remembers_behind_noise(race)
        if remembers is not None:
            return refuted_by_state(race, remembers)
        if race.settled:
            break
        if race.late or race.hurried or (race.left >= 2 and (not race.in_time or race.room < 2)):
            race.short = True
            return _cut(race)
        race.tier = number
        if number == race.budget.tier:
            beside, later = race.budget.beside, race.tiers[number:]
            if beside is not None and later and not race.fits(later[0], beside):
                _fall_short(race)
            break
    race.allowance = race.budget.max_calls  # what is left is for a smaller witness
    return verdict(race, _smaller)


def _fall_short(race: Race) -> None:
    """Note that there is no time for the next tier."""
    race.short = True
    calls = f"{race.tiers[race.tier - 1]:,}"
    race.notes.append(_SHORT.format(race.tier, calls, _again(race, "the run")))


def _cut(race: Race) -> Evidence:
    """Return the evidence where time ended a tier, on which no verdict may hang."""
    if race.stopped:
        return inconclusive(race, race.stopped)
    if race.diary is not None:
        calls = race.calls - race.earlier, race.budget.max_calls - race.earlier
        race.notes.append(_NIGHT_CUT.format(*(f"{count:,}" for count in calls)))
        return verdict(race, _smaller)
    complete, made = race.complete, f"{race.calls:,}"
    whole = race.left < 2  # all calls were made, in batches that the time had made smaller
    if complete is None:
        said = _NONE_WHOLE if whole else _NONE_COMPLETE
        return cut_short(race, said.format(made, f"{race.tiers[0]:,}"))
    race.left_out, complete.short = race.calls - complete.calls, True
    out, kept = f"{race.left_out:,}", f"{complete.calls:,}"
    said = _WHOLE if whole else _CUT
    again = _again(race, "it")
    complete.notes.append(said.format(race.tier + 1, out, race.tier, kept, again))
    found = verdict(complete, _smaller)
    race.set_aside |= complete.set_aside
    return found


def _again(race: Race, what: str) -> str:
    """Return how to have the same result again, or a further one."""
    text = _REPEATED if race.budget.repeatable else _UNREPEATED
    return text.format(race.tier, what)


def _run(race: Race) -> None:
    """Draw until a pair refutes, or all of them together, or the budget is spent.

    Only the last batches before time ends a tier are smaller than they would be without a limit,
    and such a tier does not count as complete.
    """
    enough = race.allowance >= LATE_BUDGET * _calls_a_pair(race)
    late = enough and race.neighbors.fixed_count is None
    late = late and all(entry.kind != "late" for entry in race.entries)
    least, part = LAST_STEP
    last_step = max(least, int(part * race.allowance))
    focus, outlook = Focus(race.focused), Outlook(race.stakes, race.target)
    while race.room >= 2 and race.in_time:
        contenders = _answering(race)
        if not contenders:
            return
        outlook.spent = race.calls / race.allowance
        focused = focus.next_arm(contenders, race.stakes, race.allowance, outlook)
        first = _first(race, contenders)
        arm = focused or next_arm(first, race.earned, race.target, outlook, outlook.promised)
        entry, before = race.entries[arm.contender.index], race.calls
        most = arm.step if focused else max(last_step, race.left // len(race.entries))
        wanted, room = min(race.left, most), race.room
        race.hurried |= room < wanted and race.diary is None
        pooled = race.draw(entry, arm.mode, min(room, wanted))
        focus.given = race.focused = focus.given + (race.calls - before if focused else 0)
        if race.rejects(entry) or pooled >= race.target or entry.drifts:
            return
        if late and race.calls >= LATE_FROM * race.allowance:
            _enter_late(race)
            late = False


def _answering(race: Race) -> list[Contender]:
    """Return the pairs worth drawing from: what raises again and again tells nothing more.

    Its calls and its share of α stay spent. Exceptions that differ are evidence like any output:
    no pair is left only if all calls on all pairs raised one exception with one text.
    """
    every = [entry.contender for entry in race.entries]
    silent = [
        c.all_raised and c.total_calls >= SILENT and race.log_wealth(c) <= NO_EVIDENCE
        for c in every
    ]
    answering = [c for c, s in zip(every, silent, strict=True) if not s]
    first = every[0].only_complaint
    alike = first is not None and all(c.only_complaint == first for c in every)
    return answering if answering or alike else every


def _first(race: Race, contenders: Sequence[Contender]) -> Sequence[Contender]:
    """Return the pairs of suspects where they are behind their share of the calls, else all.

    The share falls to nothing, so that a spent budget ends with even calls.
    """
    suspects = [c for c in contenders if c.index in race.suspected]
    spent = race.calls / race.budget.max_calls
    share = float(np.interp(spent, (0.0, EVEN_FROM), (SUSPECTED, 0.0)))
    made = sum(c.total_calls for c in suspects)
    return suspects if suspects and made < share * race.calls else contenders


def _calls_a_pair(race: Race) -> float:
    """Return what a pair needs: an output that one side alone can produce pays ln(1 + e^(−ε))."""
    stakes = race.stakes
    epsilon = stakes.epsilon if stakes.epsilon is not None else float(stakes.slopes.min())
    return CALLS_A_PAIR * float(np.exp(np.clip(epsilon - 1, 0, 20)))


def _enter_late(race: Race) -> None:
    """Enter mutations of the best pairs and scouted ones, once the first have been tried."""
    best = sorted(race.entries, key=lambda e: -race.log_wealth(e.contender))[:2]
    mutated = [race.neighbors.mutate(e.contender.pair, race.rng) for e in best for _ in range(2)]
    most, part = SCOUTED
    affordable = int(min(most, part * race.allowance / (2 * FIRST_DRAWS)))
    wanted = LATE_PAIRS - len(mutated)
    proposed = list(islice(race.proposals, max(wanted, affordable)))
    for pair in [*mutated, *scouted(race, proposed, wanted)]:
        race.enter(pair, LATE_SHARE / LATE_PAIRS, "late")


def _smaller(race: Race, entry: Entry) -> Entry:
    """Return the smallest pair found that refutes by itself, with a share of α of its own."""
    tried = [each for each in race.entries if each.kind == "smaller"]
    if tried:  # on an earlier night: their shares are spent
        return next((each for each in reversed(tried) if race.rejects(each)), entry)
    tries, found = 0, True
    allowed = max(4 * WARM_UP, 3 * entry.contender.total_calls)
    least, part = SHRINK_CALLS
    end = race.calls + max(least, int(part * race.calls))
    while found and tries < SHRINKS:
        found = False
        for pair in islice(race.neighbors.shrink(entry.contender.pair), SHRINKS - tries):
            left = min(allowed, end - race.calls)
            if left < 2 * WARM_UP:
                return entry
            tries += 1
            smaller = race.enter(pair, SHRINK_SHARE / SHRINKS, "smaller")
            if entry.contender.index in race.suspected:
                cause = race.suspected[entry.contender.index]
                race.suspected[smaller.contender.index] = cause
            _run_alone(race, smaller, left)
            if race.rejects(smaller):
                entry, found = smaller, True
                break
    return entry


def _run_alone(race: Race, entry: Entry, allowed: int) -> None:
    """Draw on one pair until it refutes, or its allowance is spent."""
    while race.in_time and not race.rejects(entry):
        room = min(race.room, allowed - entry.contender.total_calls)
        if room < 2:
            return
        arm = next_arm([entry.contender], race.earned, race.target)
        race.draw(entry, arm.mode, room)
