"""Moves that cost more than the claim: too little noise, or too large a change, or too many."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from dpaudit.claims import Claim
from dpaudit.trace.comparison import Part
from dpaudit.trace.draws import Place, place_of_line
from dpaudit.trace.laws import law_of, scale_of
from dpaudit.trace.lines import GLOBAL, first_where, held_at, source_of
from dpaudit.trace.relations import inferred, unstable
from dpaudit.trace.seen import Seen
from dpaudit.trace.suspicion import Suspicion, number_text, related
from dpaudit.trace.switch import plain
from dpaudit.trace.tape import Sink, Tape

if TYPE_CHECKING:
    from dpaudit.trace.causes import Case

_STATED = ("sensitivity", "delta_f")
_FEW = 8  # numbers of a container that are looked at one by one
_PLAIN = 50  # the largest denominator of a rate that somebody would choose
_DRAWING = ("permutation", "permuted", "choice", "shuffle", "sample", "integers")
_SAMPLING = ("rate", "fraction", "sampl", "probab")


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
    largest = max(comparison.parts, key=lambda part: _share(case, part))
    several = _share(case, largest) <= 1 + 1e-6
    amplified, sampled = _amplified_rate(case), _sampled(case)
    if sampled and (amplified is not None or comparison.mu or not math.isfinite(case.trial.share)):
        return None  # it is paid for, or nobody can say from one path that it is not
    told = comparison.parts[0] if several else largest
    values, place = _argument(case, told)
    scale = scale_of(told.left)
    moved = (
        f"{number_text(values[0])} becomes {number_text(values[1])} before the "
        f"{told.left.kind} noise" + (f" of {scale[0]} {number_text(scale[1])}" if scale else "")
    )
    shown = f"{moved}; this pair costs {_cost_text(case)} of what the claim allows"
    if amplified is not None:
        what = f"{shown}, which only sampling at rate {amplified:.3g} would pay for"
        return _made(case, "DPA115", what, place, largest)
    sizes = tuple(len(data) if hasattr(data, "__len__") else 0 for data in case.trial.datasets)
    split = first_where(
        *case.histories, lambda a, b: unstable(a, b, case.group, (sizes[0], sizes[1]))
    )
    if split is not None:
        what = f"one record moves others between the parts of `{split[1]}`; {shown}"
        return _made(case, "DPA112", what, split[0], largest, ("DPA105",))
    if sampled and _spoken_of(case):
        what = f"one record moves what is drawn by more than sampling would pay for; {shown}"
        return _made(case, "DPA115", what, place, largest, ("DPA105", "DPA107"))
    if _won_and_told(case, largest):
        what = f"which number is the largest leaves, and so does that number; {shown}"
        return _made(case, "DPA107", what, place, largest, ("DPA106",))
    together = _answers(case, largest)
    if together > 1:
        what = f"one noise call gives {together} answers, each of which is paid for alone; {shown}"
        return _made(case, "DPA107", what, place, largest, ("DPA105",))
    if several:
        count = len(comparison.parts)
        cost = f"together cost {_cost_text(case)} of the claim, none alone more"
        what = f"{count} noise calls {cost}; at the first {moved}"
        return _made(case, "DPA107", what, place, largest, ("DPA105",))
    bins = first_where(*case.histories, inferred)
    if bins is not None:
        what = f"`{bins[1]}` comes from the data; {shown}"
        return _made(case, "DPA109", what, bins[0], largest, ("DPA105",))
    if case.unbounded():
        return _made(case, "DPA104", f"{shown}, and nothing bounds it", place, largest, ("DPA105",))
    stated = _stated_sensitivity(case, values)
    paid = stated is not None and _moved(largest, values) <= stated * (1 + 1e-9)
    if paid or (stated is None and not _foreseen(case, largest)):
        where = _scale_line(case, largest) or largest.left.place
        return _made(case, "DPA106", shown, where, largest, ("DPA105",))
    return _made(case, "DPA105", shown, place, largest, ("DPA106", "DPA107"))


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
    what = f"comparisons with one {draw.kind} draw come out as they never do on its neighbor"
    place = place_of_line(sinks[0].line)
    return Suspicion("DPA108", what, math.inf, place, related(case.trial, draw), ("DPA101",))


def _sampled(case: Case) -> bool:
    """Whether records are drawn: a number for each of them, or some of them, or their order."""
    comparison = case.trial.comparison
    pairs = zip(comparison.left.draws, comparison.right.draws, strict=False)
    return any(
        one.kind in _DRAWING or np.shape(one.value) != np.shape(two.value)
        for one, two in list(pairs)[: comparison.aligned]
        if law_of(one).family not in ("pure", "gaussian")
    )


def _spoken_of(case: Case) -> bool:
    """Whether the code has a name for a sample or its rate."""
    names = {name.lower() for name, _ in case.histories[0].named()}
    return any(word in name for name in names for word in _SAMPLING)


def _won_and_told(case: Case, part: Part) -> bool:
    """Whether the largest of several noisy numbers is chosen, and leaves itself."""
    comparison = case.trial.comparison
    kinds = {s.kind for s, _ in comparison.sinks if _holds(comparison.left.tape, s, part.number)}
    return {"choice", "equal"} <= kinds


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


def _answers(case: Case, part: Part) -> int:
    """Return how many answers a noise call gives that move alike, each within the claim.

    They are answers of their own where one record or entry of the input moves several.
    """
    moves = case.trial.comparison.coupling.moves
    moved = [move for (draw, _), move in moves.items() if draw == part.number and move]
    costs = [part.pure * abs(move) / part.shift_l1 for move in moved]
    if part.squared or len({move > 0 for move in moved}) != 1 or len(moved) <= _changed(case):
        return 1
    return len(moved) if max(costs) <= case.allowance.pure * (1 + 1e-6) else 1


def _changed(case: Case) -> int:
    """Return in how many places two datasets differ."""
    one, two = (np.asarray(data) for data in case.trial.datasets)
    if one.shape == two.shape and one.ndim == 1 and one.dtype.kind in "fiub":
        return int(np.count_nonzero(one != two))
    return case.group


def _scale_line(case: Case, part: Part) -> Place | None:
    """Return the line that forms the scale of a noise call, where that has a name."""
    scale, place = scale_of(part.left), part.left.place
    if scale is None or place is None or np.ndim(scale[1]):
        return None
    return held_at(case.histories[0], float(scale[1]), source_of(place))


def _share(case: Case, part: Part) -> float:
    allowed = case.allowance
    pure = part.pure / allowed.pure if part.pure else 0.0
    mu = math.sqrt(part.squared)
    return pure + (mu / allowed.mu if allowed.mu else math.inf if mu else 0.0)


def _cost_text(case: Case) -> str:
    share = case.trial.share
    return f"{share:.3g} times" if math.isfinite(share) else "more than any multiple"


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
            if one.kind != kind or not _holds(comparison.left.tape, one, part.number):
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


def _holds(tape: Any, sink: Sink, number: int) -> bool:
    return any(
        tape.draw_of(each) == number
        for cell in sink.cells.tolist()
        if cell >= 0
        for each in tape.terms(cell)
    )


def _stated_sensitivity(case: Case, values: tuple[Any, Any]) -> float | None:
    """Return the change that is foreseen: by a name in the code, or by the neighboring relation.

    Where the mechanism gets the answers themselves, the relation says how far they move.
    """
    for history in case.histories:
        for name, held in history.named():
            if any(word in name.lower() for word in _STATED) and _single(held):
                return float(held.numbers[0])  # type: ignore[index]
    distance = getattr(case.neighbors, "distance", None)
    if distance is None:
        domain = getattr(case.neighbors, "records", None)
        low, high = getattr(domain, "low", None), getattr(domain, "high", None)
        distance = None if low is None or high is None else high - low
    given = [np.ravel(data) for data in case.trial.datasets if np.ndim(data) < 2]
    if distance is None or len(given) < 2 or given[0].dtype.kind not in "fiub":
        return None
    if not all(np.isin(v, data).all() for v, data in zip(values, given, strict=True)):
        return None
    return float(distance)


def _single(held: Seen) -> bool:
    return held.numbers is not None and held.numbers.size == 1


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


def _foreseen(case: Case, part: Part) -> bool:
    """Whether the scale of the noise pays for a change that the code speaks of.

    So it is where ``scale·ε`` is 1, a number that the code has a name for, or the difference of
    two of them: then the scale is right for that change, and the change is wrong.
    """
    epsilon, scale = _epsilon(case.claim), scale_of(part.left)
    if epsilon is None or scale is None or scale[0] != "scale" or np.ndim(scale[1]):
        return True
    numbers = {1.0}
    for name, held in case.histories[0].named():
        if name == "epsilon" and _single(held):
            epsilon = float(held.numbers[0])  # type: ignore[index]
        elif _single(held):
            numbers.add(float(held.numbers[0]))  # type: ignore[index]
        elif name.startswith(GLOBAL) and held.numbers is not None and held.numbers.size <= _FEW:
            numbers.update(held.numbers.tolist())
    paid = float(scale[1]) * epsilon
    few = sorted(numbers)[:40]
    parts = [*few, *(a - b for a in few for b in few)]
    known = [*parts, *(a / (b + more) for a in parts for b in few for more in (0, 1) if b + more)]
    return any(math.isclose(paid, abs(number), rel_tol=1e-9) for number in known)


def _amplified_rate(case: Case) -> float | None:
    """Return the sampling rate that would bring the cost down to the claim.

    It is one that the code names, or a plain fraction: that happens to nobody who does not count
    on sampling.
    """
    epsilon, cost = _epsilon(case.claim), case.trial.comparison.pure
    if epsilon is None or not 0 < epsilon < cost < 50:
        return None
    rate = math.expm1(epsilon) / math.expm1(cost)
    for name, held in case.histories[0].named():
        if (
            any(word in name.lower() for word in _SAMPLING)
            and held.numbers is not None
            and held.numbers.size == 1
            and math.isclose(float(held.numbers[0]), rate, rel_tol=1e-6)
        ):
            return rate
    plain = Fraction(rate).limit_denominator(_PLAIN)
    return rate if math.isclose(float(plain), rate, rel_tol=1e-9) else None


def _epsilon(claim: Claim) -> float | None:
    own = claim.parameter
    return own[1] if own is not None and own[0] == "epsilon" else None
