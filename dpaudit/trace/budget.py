"""Moves that cost more than the claim: too little noise, or too large a change, or too many."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from dpaudit.trace.comparison import Part
from dpaudit.trace.draws import Place, place_of_line
from dpaudit.trace.entered import added_at, given_at, hidden_at, limited_at
from dpaudit.trace.forms import counts
from dpaudit.trace.laws import law_of, scale_of
from dpaudit.trace.lines import first_where, part_formed_at, sliced_at, source_of, won_at
from dpaudit.trace.relations import end_of_data, inferred, shifted_at, unstable
from dpaudit.trace.samples import same_for_all_samples, sampled_records
from dpaudit.trace.settings import table_from_data
from dpaudit.trace.several import (
    answers_of,
    averaged,
    compared,
    exchanged,
    holds,
    overdrawn,
    shortened,
    won_and_told,
)
from dpaudit.trace.stated import (
    amplified_rate,
    foreseen,
    speaks_of_sampling,
    stated_sensitivity,
)
from dpaudit.trace.suspicion import Suspicion, number_text, related
from dpaudit.trace.switch import plain
from dpaudit.trace.tape import Sink, Tape
from dpaudit.trace.unlocated import REDRAWN, REDRAWN_ALSO, redrawn_at

if TYPE_CHECKING:
    from dpaudit.trace.causes import Case


def budget_suspicion(case: Case) -> Suspicion | None:
    """Return what makes the moves of a case cost more than its claim.

    Parameters
    ----------
    case : Case
    """
    comparison = case.trial.comparison
    if comparison.coupling.bounded:
        return _bounded(case)
    if comparison.coupling.unpaid or not comparison.parts or comparison.chances:
        return None
    shares = [_share(case, part) for part in comparison.parts]
    near = max(shares) * (1 - 1e-9)
    largest = next(p for p, share in zip(comparison.parts, shares, strict=True) if share >= near)
    several = _share(case, largest) <= 1 + 1e-6
    amplified, sampled = amplified_rate(case), sampled_records(case)
    vain = sampled and same_for_all_samples(case, largest)
    used = sampled and not vain
    if used and (amplified is not None or comparison.mu or not math.isfinite(case.trial.share)):
        return None  # it is paid for, or nobody can say from one path that it is not
    values, place = _argument(case, largest)
    moved = _told(largest, values)
    shown = f"{moved}; to match the outputs costs {_cost_text(case)} what the claim allows"
    if vain:
        what = f"{shown}; a sample is drawn, and the noise hides the same number whatever it is"
        return _made(case, "DPA115", what, place, largest, ("DPA105", "DPA106"))
    if amplified is not None:
        what = f"{shown}, which only sampling at rate {amplified:.3g} would pay for"
        place = sliced_at(*case.histories) or place
        return _made(case, "DPA115", what, place, largest)
    sizes = tuple(len(data) if hasattr(data, "__len__") else 0 for data in case.trial.datasets)
    left, right = (history.before_noise() for history in case.histories)
    split = first_where(left, right, lambda a, b: unstable(a, b, case.group, (sizes[0], sizes[1])))
    split = split or shifted_at(left, right, case.trial.datasets, case.group)
    if split is not None:
        what = f"one record moves others between the parts of `{split[1]}`; {shown}"
        return _made(case, "DPA112", what, split[0], largest, ("DPA105",))
    if sampled and speaks_of_sampling(case):
        what = f"one record moves what is drawn by more than sampling would pay for; {shown}"
        return _made(case, "DPA115", what, place, largest, ("DPA105", "DPA107"))
    if won_and_told(case, largest):
        what = f"which number is the largest leaves, and so does that number; {shown}"
        told = [s.values for s, _ in comparison.sinks if s.leaves and s.kind == "equal"]
        won = np.concatenate([*told, np.zeros(0)])
        place = won_at(case.histories[0], won) or place
        return _made(case, "DPA107", what, place, largest, ("DPA105", "DPA106"))
    redrawn = redrawn_at(comparison.left)
    if several and redrawn is not None:
        return _made(case, "DPA106", f"{REDRAWN}; {shown}", redrawn, largest, REDRAWN_ALSO)
    alone = compared(case, largest)
    if alone > 1:
        what = f"{alone} comparisons with one noise call, each charged to the budget alone; {shown}"
        return _made(case, "DPA107", what, largest.left.place, largest, ("DPA106",))
    together = answers_of(case, largest)
    if together > 1:
        what = f"one noise call gives {together} answers, each charged to the budget alone; {shown}"
        return _made(case, "DPA107", what, place, largest, ("DPA105",))
    mean = averaged(case)
    if mean > 1:
        what = f"{mean} noisy answers are averaged, each charged to the budget alone; {shown}"
        return _made(case, "DPA107", what, place, largest, ("DPA105",))
    beyond = overdrawn(case) if several else None
    if beyond is not None:
        values, place = _argument(case, beyond)
        moved = f"{_told(beyond, values)}; the noise is made for a smaller change"
        what = f"{moved}; to match the outputs costs {_cost_text(case)} what the claim allows"
        return _made(case, "DPA105", what, place, beyond, ("DPA106", "DPA107"))
    if several and len(comparison.parts) > 1 and shortened(case):
        what = f"{moved}; a vector is bounded here in the L2 norm and not in the L1 norm"
        what = f"{what}; to match the outputs costs {_cost_text(case)} what the claim allows"
        return _made(case, "DPA105", what, place, largest, ("DPA106", "DPA107"))
    if several and exchanged(case):
        what = f"a record leaves one count and enters another; {shown}"
        return _made(case, "DPA105", what, place, largest, ("DPA107", "DPA106"))
    if several:
        count = len(comparison.parts)
        beyond = _overspending(case)
        values, place = _argument(case, beyond)
        cost = f"together cost {_cost_text(case)} what the claim allows, none alone more"
        adds = place_of_line(comparison.left.tape.hiding.get(beyond.number))
        adds = adds or added_at(case, beyond.number)
        if adds is not None:
            place = hidden_at(*case.histories, adds, values, beyond.number)
        which = comparison.parts.index(beyond) + 1
        what = f"{count} noise calls {cost}; in call {which} {_told(beyond, values)}"
        return _made(case, "DPA107", what, place, beyond, ("DPA105",))
    bins = first_where(*case.histories, inferred)
    if bins is not None:
        what = f"`{bins[1]}` comes from the data; {shown}"
        return _made(case, "DPA109", what, bins[0], largest, ("DPA105",))
    end = end_of_data(*case.histories, values, added_at(case, largest.number))
    if end is not None:
        line, name = end
        what = f"`{name}`, an end of the data, comes from them without noise; {shown}"
        return _made(case, "DPA109", what, line, largest, ("DPA105",))
    table = table_from_data(*case.histories)
    if table is not None:
        line, name, *both = table
        place = case.line_of((both[0].numbers, both[1].numbers), line)
        what = f"`{name}`, for which there is a public default, comes from the data; {shown}"
        return _made(case, "DPA109", what, place, largest, ("DPA105",))
    if largest.squared and not case.allowance.mu:
        what = f"{shown}; Gaussian noise keeps no claim of pure DP, whatever its scale"
        return _made(case, "DPA106", what, largest.left.place, largest, ("DPA105",))
    if not np.any(_scale(largest)):
        what = f"{moved}; that noise hides nothing"
        where = added_at(case, largest.number) or largest.left.place
        return _made(case, "DPA106", what, where, largest, ("DPA101", "DPA102"))
    if case.unbounded():
        place = None if place is None else limited_at(case.histories[0], place)
        return _made(case, "DPA104", f"{shown}, and nothing bounds it", place, largest, ("DPA105",))
    stated = stated_sensitivity(case, values)
    paid = stated is not None and _moved(largest, values) <= stated * (1 + 1e-9)
    # Nobody takes the sensitivity of a count for less than one.
    counted = (
        place is not None
        and counts(source_of(place))
        and math.isclose(_moved(largest, values), 1, rel_tol=1e-9)
    )
    if paid or (stated is None and (counted or not foreseen(case, largest))):
        return _made(case, "DPA106", shown, largest.left.place, largest, ("DPA105",))
    return _made(case, "DPA105", shown, place, largest, ("DPA106", "DPA107"))


def _overspending(case: Case) -> Part:
    """Return the noise call with which the cost of all so far first exceeds the claim."""
    parts, allowed = case.trial.comparison.parts, case.allowance
    pure = squared = 0.0
    for part in parts:
        pure, squared = pure + part.pure, squared + part.squared
        mu = math.sqrt(squared)
        share = (pure / allowed.pure if pure else 0.0) + (mu / allowed.mu if mu else 0.0)
        if share > 1 + 1e-9:
            return part
    return parts[-1]


def _told(part: Part, values: tuple[Any, Any]) -> str:
    """Return both values that reach a noise call, as far as they are known, and its scale."""
    scale = scale_of(part.left)
    sized = f" of {scale[0]} {number_text(scale[1])}" if scale else ""
    noise = f"the {part.left.kind} noise{sized}"
    if np.asarray(values[0]).dtype.kind == "f" and np.isnan(values[0]).all():
        return f"what is compared with {noise} moves"
    numbers = f"{number_text(values[0])} on one dataset and {number_text(values[1])} on the other"
    return f"the value before {noise} is {numbers}"


def unnoised_order(case: Case) -> Suspicion | None:
    """Find comparisons with one noise that no move of it makes come out alike.

    Parameters
    ----------
    case : Case
    """
    comparison = case.trial.comparison
    if not comparison.coupling.unpaid:
        return None
    sinks = [comparison.sinks[i][0] for i in comparison.coupling.unpaid]
    noise = {cell for sink in sinks for cell in sink.cells.tolist()}
    if not comparison.alike or len(noise) != 1 or any(sink.kind != "order" for sink in sinks):
        return None
    draw = comparison.left.draws[comparison.left.tape.draw_of(noise.pop())]
    if law_of(draw).family not in ("pure", "gaussian"):
        return None
    place = place_of_line(sinks[0].line)
    if all(_public(case, at) for at in comparison.coupling.unpaid):
        what = f"the {draw.kind} noise is cut, and one record moves the answer beyond its end"
        return Suspicion("DPA106", what, math.inf, place, related(case.trial, draw), ("DPA102",))
    what = f"comparisons with one {draw.kind} draw come out as they never do on its neighbor"
    return Suspicion("DPA108", what, math.inf, place, related(case.trial, draw), ("DPA101",))


def _public(case: Case, at: int) -> bool:
    """Whether what noise is compared with is the same on both datasets."""
    comparison = case.trial.comparison
    one, two = comparison.sinks[at]
    bases = comparison.left.tape.base(one), comparison.right.tape.base(two)
    return bool(np.array_equal(*bases, equal_nan=True))


def _made(
    case: Case,
    id: str,
    what: str,
    place: Place | None,
    part: Part,
    also: tuple[str, ...] = (),
) -> Suspicion:
    where = place or part.left.place
    return Suspicion(id, what, case.trial.share, where, related(case.trial, part.left), also)


def _scale(part: Part) -> Any:
    scale = scale_of(part.left)
    return 1.0 if scale is None or scale[0] not in ("scale", "sigma") else scale[1]


def _share(case: Case, part: Part) -> float:
    allowed = case.allowance
    pure = part.pure / allowed.pure if part.pure else 0.0
    mu = math.sqrt(part.squared)
    return pure + (mu / allowed.mu if allowed.mu else math.inf if mu else 0.0)


def _cost_text(case: Case) -> str:
    share = case.trial.share
    return f"{share:.3g} times" if math.isfinite(share) else "more than any multiple of"


def _bounded(case: Case) -> Suspicion | None:
    """Noise of a bounded support, or with a least value, cannot hide a move out of it."""
    comparison = case.trial.comparison
    number, _ = comparison.coupling.bounded[0]
    draw = comparison.left.draws[number]
    if draw.kind in ("random", "random_sample", "integers", "rand", "choice", "binomial"):
        return None
    what = f"the {draw.kind} noise ends somewhere, and one record moves the answer beyond"
    return Suspicion("DPA106", what, math.inf, draw.place, related(case.trial, draw))


def _argument(case: Case, part: Part) -> tuple[tuple[Any, Any], Place | None]:
    """Return the values that reach a noise call on both sides, and the line that forms them."""
    comparison = case.trial.comparison
    if part.left.request.price is not None:
        priced = [plain(draw.request.arguments.get("value")) for draw in (part.left, part.right)]
        place = part.left.place
        if all(np.asarray(each).dtype.kind in "biuf" for each in priced):
            place = case.line_of((priced[0], priced[1]), place)
        return (priced[0], priced[1]), place
    for kind in ("equal", "choice"):
        for one, two in comparison.sinks:
            if one.kind != kind or not holds(comparison.left.tape, one, part.number):
                continue
            bases = comparison.left.tape.base(one), comparison.right.tape.base(two)
            if np.array_equal(bases[0], bases[1]):
                continue
            place = _line_of(case, bases, part)
            if place is None:
                bases = _unscaled(comparison.left.tape, (one, two), bases)
                place = _line_of(case, bases, part)
            different = ~np.isclose(bases[0], bases[1], rtol=1e-9, atol=0)
            shown = [b[different] if different.any() else b for b in bases]
            place = place or given_at(*case.histories, bases, part.number)
            if np.size(bases[0]) == np.size(bases[1]) == 1:
                both = float(np.ravel(bases[0])[0]), float(np.ravel(bases[1])[0])
                line = None if place is not None else place_of_line(one.line)
                place = place or part_formed_at(*case.histories, both, line)
            place = place or added_at(case, part.number)
            return (shown[0], shown[1]), place or place_of_line(one.line)
    return (math.nan, math.nan), part.left.place


def _unscaled(tape: Tape, sinks: tuple[Sink, Sink], bases: tuple[Any, Any]) -> tuple[Any, Any]:
    """Return the values that single draws were added to, before both were scaled alike."""
    one, two = (sink.coefficients for sink in sinks)
    drawn = [cell >= 0 and tape.draw_of(cell) >= 0 for cell in sinks[0].cells.tolist()]
    if not (all(drawn) and np.all(one != 0) and np.allclose(one, two, rtol=1e-9, atol=0)):
        return bases
    return bases[0] / one, bases[1] / one


def _line_of(case: Case, bases: tuple[Any, Any], part: Part) -> Place | None:
    """Look for all numbers, or the first that differs where together they are in no variable."""
    place = case.line_of(bases, None, part.number)
    different = np.flatnonzero(~np.isclose(bases[0], bases[1], rtol=1e-9, atol=0))
    if place is not None or not different.size:
        return place
    first = int(different[0])
    return case.line_of((bases[0][first], bases[1][first]), None, part.number)


def _moved(part: Part, values: tuple[Any, Any]) -> float:
    """Return the size of a move in the norm that its noise pays for.

    It is that of the value before the noise where it is known: where the noise is averaged, each
    draw of it moves further.
    """
    moved = part.shift_l2 if part.squared else part.shift_l1
    if np.shape(values[0]) != np.shape(values[1]):
        return moved
    change = np.abs(np.subtract(*values))
    known = float(np.sqrt(np.sum(change**2)) if part.squared else np.sum(change))
    return min(moved, known) if math.isfinite(known) else moved
