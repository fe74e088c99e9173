"""Coins whose chances the data sets: what one path of them costs."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from dpaudit.trace.compare import answer_with, candidates_of, differences
from dpaudit.trace.demands import interval
from dpaudit.trace.draws import place_of_line
from dpaudit.trace.laws import law_of
from dpaudit.trace.lines import changed_alike, compared_at, returned_at, source_of
from dpaudit.trace.seen import close
from dpaudit.trace.suspicion import Suspicion, number_text, related

if TYPE_CHECKING:
    from dpaudit.trace.causes import Case
    from dpaudit.trace.coupling import Cell
    from dpaudit.trace.draws import Draw, Place
    from dpaudit.trace.tape import Line

MOST_FLIPS = 400  # coins that are turned, one by one
_EXPONENTIAL = re.compile(r"\bexp\(|\bpow(?:er)?\(|\*\*|\bsoftmax\(")
_COINS = ("random", "random_sample", "uniform", "rand")
AFTER = 200  # runs after a coin was turned, where other noise follows it


def coins_suspicion(case: Case) -> Suspicion | None:
    """Return that the coins of a run fell far likelier on one dataset than on its neighbor.

    Parameters
    ----------
    case : Case

    Notes
    -----
    Where a run does nothing but toss coins whose chances differ, the ratio of their chances is that
    of the two likelihoods of its path. DPA106 is one coin too many; several that are within the
    claim are bits of one answer (DPA105), or answers (DPA107) where they are tossed a row for each.
    So are several choices of one call.
    """
    comparison = case.trial.comparison
    if comparison.parts or not comparison.alike or comparison.coupling.moves:
        return None
    tossed = {id(draw) for draw, _, _ in comparison.chances}
    if len(tossed) != len(comparison.left.noise):
        return None  # other noise may hide what these coins show
    logs = [_log(p) - _log(q) for _, p, q in comparison.chances]
    cost = abs(sum(logs))
    if not case.allowance.pure * (1 + 1e-6) < cost < math.inf:
        return None
    draw, p, q = max(comparison.chances, key=lambda each: abs(_log(each[1]) - _log(each[2])))
    shown = (
        f"what a coin shows has probability {number_text(p)} on one dataset and {number_text(q)} "
        f"on its neighbor; {len(logs)} such coins make {cost:.3g} nats"
    )
    if _named(case, cost):
        what = f"{shown}, which only shuffling would pay for"
        seen = related(case.trial, draw)
        return Suspicion("DPA115", what, math.inf, draw.place, seen, ("DPA105",))
    picks = 1 if candidates_of(draw) is None else int(np.size(draw.value))
    if picks > 1 and cost <= picks * case.allowance.pure:
        shown = f"{shown}; one call chooses {picks} times, and each choice is charged alone"
        kind, also = "DPA107", ("DPA106", "DPA105")
    elif max(map(abs, logs)) > case.allowance.pure * (1 + 1e-6):
        kind, also = "DPA106", ("DPA105", "DPA107")
    elif np.ndim(draw.value) > 1 or len(tossed) > 1:
        kind, also = "DPA107", ("DPA105", "DPA106")
    else:
        kind, also = "DPA105", ("DPA106", "DPA107")
    share = cost / case.allowance.pure
    place = _weights_line(case, draw) or _tossed_line(case, draw) or draw.place
    return Suspicion(kind, shown, share, place, related(case.trial, draw), also)


def _weights_line(case: Case, draw: Draw) -> Place | None:
    """Return the line whose exponentials are the chances of a choice, but for their sum."""
    weighted = candidates_of(draw)
    if weighted is None:
        return None
    _, chances = weighted
    for step in case.histories[0].steps:
        if step.given or not _EXPONENTIAL.search(source_of(step.place)):
            continue
        for held in step.changed.values():
            if held.numbers is None or held.numbers.size != chances.size:
                continue
            total = float(held.numbers.sum())
            if 0 < total < math.inf and close(held.numbers / total, chances):
                return _exponent_line(case, step.place)
    return None


def weights_of_data(case: Case) -> Place | None:
    """Return the last line that forms exponentials before any noise, if they differ by dataset.

    Parameters
    ----------
    case : Case
    """
    left, right = (history.before_noise() for history in case.histories)
    differing = [
        place
        for place, _, one, two in changed_alike(left, right)
        if _EXPONENTIAL.search(source_of(place)) and not one.same_as(two)
    ]
    return _exponent_line(case, differing[-1]) if differing else None


def _exponent_line(case: Case, place: Place) -> Place:
    """Return the line that first forms what a line takes the exponential of, where it has a name.

    What follows may only shift it, against overflow.
    """
    names = set(re.findall(r"\bexp\(([^()]*)\)", source_of(place)))
    for step in case.histories[0].steps if len(names) == 1 else ():
        same = (step.place.file, step.place.function) == (place.file, place.function)
        if same and not step.given and names <= set(step.changed):
            return step.place
    return place


def flipped_suspicion(case: Case) -> Suspicion | None:
    """Return that outputs are alike where one coin falls the other way, which is too unlikely.

    Parameters
    ----------
    case : Case

    Notes
    -----
    So it is where coins of public chances are laid over private values. What the other side of the
    coin costs is the logarithm of the ratio of both chances; that of one answer out of several that
    are drawn then is less likely yet. Where records or reports are drawn or
    shuffled, one path does not tell what that pays for.
    """
    comparison = case.trial.comparison
    differing = case.trial.differences
    if comparison.parts or not comparison.alike or comparison.coupling.moves or not differing:
        return None
    others = [draw for draw in comparison.left.noise if draw.kind not in _COINS]
    fixed = all(law_of(draw).family == "fixed" for draw in others)
    if others and not (fixed and all(map(_is_one, case.trial.datasets))):
        return None  # what other noise does to it is not known
    tossed = list(islice(_coins(case), MOST_FLIPS))
    alone = len(comparison.left.noise) == len(tossed) == 1
    for turned in [[coin] for coin in tossed] if alone else [_turned(case, tossed)]:
        answer = answer_with(comparison.left, dict(map(partial(_move, case), turned)))
        often = _alike_after(case, answer) if turned else 0.0
        chances = math.prod(coin.kept for coin in turned), math.prod(coin.flip for coin in turned)
        cost = abs(_log(chances[0]) - _log(chances[1] * often))
        if not case.allowance.pure * (1 + 1e-6) < cost < math.inf:
            continue
        then = f", and other draws give it, in at most {number_text(often)} of runs"
        what = (
            f"output{differing[0].path} is {differing[0].left} on one dataset and "
            f"{differing[0].right} on its neighbor, unless {_counted(len(turned))} the other way"
            f"{then if often < 1 else ''}. That has probability {number_text(chances[1] * often)} "
            f"instead of {number_text(chances[0])}: {cost:.3g} nats"
        )
        named = _named(case, cost)
        also: tuple[str, ...] = ("DPA105",)
        kind = "DPA115" if named else "DPA106"
        if named:
            what = f"{what}, which only shuffling would pay for"
        if len(turned) > 1 and not named:
            also = ("DPA105", "DPA107")
        draw = comparison.left.draws[turned[0].cell[0]]
        at = _chance_line(case, place_of_line(turned[0].line), turned[0].thresholds) or draw.place
        place = returned_at(case.histories[0]) or at if named else at
        share = cost / case.allowance.pure if case.allowance.pure else math.inf
        return Suspicion(kind, what, share, place, related(case.trial, draw), also)
    return None


def _is_one(data: Any) -> bool:
    """Whether a dataset is one record: what is drawn then is no sample of several."""
    return not hasattr(data, "__len__") or isinstance(data, (str, dict)) or len(data) == 1


def _counted(coins: int) -> str:
    return "a coin falls" if coins == 1 else f"{coins} coins fall"


def _move(case: Case, coin: _Coin) -> tuple[Cell, float]:
    """Return the move of a draw that lets its coin fall the other way."""
    tape = case.trial.comparison.left.tape
    drawn = tape.draws[coin.cell[0]].first + coin.cell[1]
    return coin.cell, coin.other - float(tape.raw[drawn])


def _turned(case: Case, tossed: list[_Coin]) -> list[_Coin]:
    """Return the coins of public chances each of which makes the outputs less different."""
    if any(coin.thresholds[0] != coin.thresholds[1] for coin in tossed):
        return []
    left, right = case.trial.comparison.left, case.trial.datasets[1]

    def differing(*turned: _Coin) -> int:
        answer = answer_with(left, dict(map(partial(_move, case), turned)))
        again = case.bench.run(right, case.key, traced=False, answer=answer)
        return len(differences(left.output, again.output))

    most = len(case.trial.differences)
    found = [coin for coin in tossed if differing(coin) < most]
    return found if found and not differing(*found) else []


def _alike_after(case: Case, answer: Any) -> float:
    """Return how often, at most, the other dataset has the same output after a coin was turned.

    It is 1 or 0 where no noise follows the coin, and else an upper bound from some runs.
    """
    left, right = case.trial.comparison.left, case.trial.datasets[1]
    again = case.bench.run(right, case.key, traced=False, answer=answer)
    if len(again.noise) == len(left.noise):
        return float(not differences(left.output, again.output))
    runs = (
        case.bench.run(right, (*case.key, 8, i), traced=False, answer=answer) for i in range(AFTER)
    )
    hits = sum(not differences(left.output, run.output) for run in runs)
    return min(1.0, (hits + 3 * math.sqrt(hits) + 3) / AFTER) if hits else 0.0


def _tossed_line(case: Case, draw: Draw) -> Place | None:
    """Return the line that forms the chance of a draw that is compared with a number."""
    draws = case.trial.comparison.left.tape.draws
    for coin in _coins(case):
        if draws[coin.cell[0]] is draw:
            return _chance_line(case, place_of_line(coin.line), coin.thresholds)
    return None


def chance_place(case: Case) -> Place | None:
    """Return the line that forms the chance of the first coin, or the weights of the first choice.

    Parameters
    ----------
    case : Case
    """
    tape = case.runs[0].tape
    coins: dict[int, _Coin] = {}
    for coin in _coins(case):
        coins.setdefault(coin.cell[0], coin)
    for number, draw in enumerate(tape.draws):
        if number in coins:
            coin = coins[number]
            return _chance_line(case, place_of_line(coin.line), coin.thresholds)
        weights = _weights_line(case, draw)
        if weights is not None:
            return weights
    return None


def _chance_line(case: Case, tossed: Place | None, thresholds: tuple[float, float]) -> Place | None:
    """Return the line that forms the chance of a coin, or else the one that tosses it."""
    if thresholds[0] != thresholds[1]:
        return case.line_of(thresholds, tossed)
    named = None if tossed is None else compared_at(case.histories[0], thresholds[0], tossed)
    return named or tossed


@dataclass(frozen=True, slots=True)
class _Coin:
    """A draw that is compared with a number.

    Attributes
    ----------
    cell : Cell
        The draw.
    other : float
        A number that lets it fall the other way.
    kept, flip : float
        The chances of the way that it fell on the left dataset, and of the other way on the right
        one.
    line : tuple of (code, int) or None
        That tosses it.
    thresholds : (float, float)
        What it is compared with on both datasets.
    """

    cell: Cell
    other: float
    kept: float
    flip: float
    line: Line | None
    thresholds: tuple[float, float]


def _coins(case: Case) -> Iterator[_Coin]:
    """Yield the coins of a pair."""
    comparison = case.trial.comparison
    tape = comparison.left.tape
    for one, two in comparison.sinks:
        if one.kind != "order" or one.above is None:
            continue
        thresholds = [tape.base(one), comparison.right.tape.base(two)]
        for i, cell in enumerate(one.cells.tolist()):
            terms = tape.terms(cell, float(one.coefficients[i]))
            if len(terms) != 1:
                continue
            ((drawn, factor),) = terms.items()
            number = tape.draw_of(drawn)
            draw = tape.draws[number]
            low, high = interval(draw)
            mine, other = (min(max(-float(t[i]) / factor, low), high) for t in thresholds)
            if not low < other < high:
                continue
            over = bool(one.above[i]) == (factor > 0)
            kept = (high - mine if over else mine - low) / (high - low)
            flip = (other - low if over else high - other) / (high - low)
            u = (low + other) / 2 if over else (other + high) / 2
            both = float(-thresholds[0][i] / factor), float(-thresholds[1][i] / factor)
            yield _Coin((number, drawn - draw.first), u, kept, flip, one.line, both)


def _log(p: float) -> float:
    return math.log(p) if p > 0 else -math.inf


def _named(case: Case, cost: float) -> bool:
    """Whether the code speaks of the cost as a local one."""
    return any(
        "local" in name.lower()
        and held.numbers is not None
        and held.numbers.size == 1
        and math.isclose(float(held.numbers[0]), cost, rel_tol=1e-6)
        for name, held in case.histories[0].named()
    )
