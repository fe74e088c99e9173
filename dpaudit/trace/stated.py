"""What the source says of its noise: a sensitivity, a rate, a change that the scale pays for."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from dpaudit.claims import Claim
from dpaudit.trace.comparison import Part
from dpaudit.trace.laws import law_of, scale_of
from dpaudit.trace.lines import GLOBAL
from dpaudit.trace.seen import Seen

if TYPE_CHECKING:
    from dpaudit.trace.causes import Case

_STATED = ("sensitivity", "delta_f")
_WIDTHS = ("scale", "sigma", "epsilon")
_RATED = ("scale", "lambd", "p")
_OF_NOISE = ("scale", "sigma", "noise")
_FEW = 8  # numbers of a container that are looked at one by one
_PLAIN = 50  # the largest denominator of a rate that somebody would choose
_SAMPLING = ("rate", "fraction", "sampl", "probab")


def speaks_of_sampling(case: Case) -> bool:
    """Whether the code has a name for a sample or its rate.

    Parameters
    ----------
    case : Case
    """
    names = {name.lower() for name, _ in case.histories[0].named()}
    return any(word in name for name in names for word in _SAMPLING)


def stated_sensitivity(case: Case, values: tuple[Any, Any]) -> float | None:
    """Return the change that is foreseen: by a name in the code, or by the neighboring relation.

    Where the mechanism gets the answers themselves, the relation says how far they move.

    Parameters
    ----------
    case : Case
    values : (array_like, array_like)
        What reaches the noise on both sides.
    """
    named = named_sensitivity(case)
    if named is not None:
        return named
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


def named_sensitivity(case: Case) -> float | None:
    """Return the number that the code calls a sensitivity.

    Parameters
    ----------
    case : Case
    """
    for history in case.histories:
        for name, held in history.named():
            if any(word in name.lower() for word in _STATED) and _single(held):
                return float(held.numbers[0])  # type: ignore[index]
    return None


def is_scale(name: str) -> bool:
    """Whether a variable is called what sets how wide noise is."""
    return any(word in name.lower() for word in (*_STATED, *_WIDTHS))


def _single(held: Seen) -> bool:
    return held.numbers is not None and held.numbers.size == 1


def foreseen(case: Case, part: Part) -> bool:
    """Whether the scale of the noise pays for a change that the code speaks of.

    It is not where the value moves by just what the code speaks of, or by that over the number of
    records, and the noise pays for something else.

    So it is where ``scale·ε`` is 1, a number that the code has a name for, the difference of two
    of them, or such a number over another one and the number of records, as of a mean or of a
    minimizer: then the scale is right for that change, and the change is wrong. So it is too where
    an equal share of ε among all noise calls pays for a number of 1 or more that the code writes.
    Gaussian noise is right for a change that the code does not speak of, as the formulas are many,
    and where the exact formula or the classical one gives its scale for a number that it speaks of.

    Parameters
    ----------
    case : Case
    part : Part
    """
    paid = _paid(case, part)
    if not paid:
        return True
    if _astray(case, part, paid):
        return False
    if part.squared:
        spoken = named_numbers(case) | (case.histories[0].constants - {2.0})  # of all formulas
        if not any(_same(part.shift_l2, number) for number in spoken):
            return True
        return any(_same(each, number) for each in paid for number in _known(case))
    shared = paid[0] / max(1, len(case.trial.comparison.parts))
    written = [c for c in case.histories[0].constants if c >= 1 and _same(shared, c)]
    return bool(written) or any(_same(paid[0], number) for number in _known(case))


def _paid(case: Case, part: Part) -> list[float]:
    """Return the changes that the noise may be made for; none where its scale is no one number."""
    if part.squared:
        return _gaussian(case, part)
    epsilon, scale = _epsilon(case.claim), scale_of(part.left)
    if epsilon is None or scale is None or scale[0] not in _RATED or np.ndim(scale[1]):
        return []
    width = 1 / float(law_of(part.left).rate[0])  # of geometric noise too
    for name, held in case.histories[0].named():
        if name.rpartition(".")[2] == "epsilon" and _single(held):
            epsilon = float(held.numbers[0])  # type: ignore[index]
    return [width * epsilon]


def _astray(case: Case, part: Part, paid: list[float]) -> bool:
    """Whether the value moves by what the code speaks of, and the noise pays for nothing such."""
    named = {1.0} | {abs(c) for c in case.histories[0].constants} | named_numbers(case)
    few = sorted(named - {0.0})[:40]
    wide = {*few, *(abs(a - b) for a in few for b in few if a != b)}
    sizes = {len(data) for data in case.trial.datasets if hasattr(data, "__len__")}
    public = sizes - {0} if len(sizes) == 1 else set()
    simple = wide | {f * a / n for a in wide for n in public for f in (1, 2)}
    moved = part.shift_l2 if part.squared else part.shift_l1
    if not any(_same(moved, each) for each in simple):
        return False
    return not any(_same(each, known) for each in paid for known in simple)


def _known(case: Case) -> list[float]:
    """Return the changes that the code speaks of, as a sum or a mean moves by them."""
    few = sorted({1.0} | named_numbers(case))[:40]
    parts = [*few, *(a - b for a in few for b in few)]
    known = [*parts, *(a / (b + more) for a in parts for b in few for more in (0, 1) if b + more)]
    sizes = {len(data) for data in case.trial.datasets if hasattr(data, "__len__")} - {0}
    return known + [a / (b * n) for a in (*parts, 2.0) for b in few if b for n in sizes]


def _gaussian(case: Case, part: Part) -> list[float]:
    """Return the changes for which formulas give the standard deviation of a noise call."""
    scale, claim = scale_of(part.left), case.claim
    if scale is None or np.ndim(scale[1]):
        return []
    sizes = [float(scale[1]) * case.allowance.mu]
    epsilon, delta = _epsilon(claim), getattr(claim, "declared_delta", None)
    if epsilon is not None and delta:
        sizes.append(float(scale[1]) * epsilon / math.sqrt(2 * math.log(1.25 / delta)))
    return [size / math.sqrt(n) for size in sizes for n in {1, len(case.trial.comparison.parts)}]


def _same(one: float, two: float) -> bool:
    return math.isclose(one, abs(two), rel_tol=1e-9)


def named_numbers(case: Case, side: int = 0) -> set[float]:
    """Return the numbers that the code has names for; epsilon and what is a scale are none.

    Parameters
    ----------
    case : Case
    side : int
        The run that has them.
    """
    return {
        number
        for name, held in case.histories[side].named()
        for word, number in _by_name(name, held)
        if word != "epsilon" and not any(w in word.lower() for w in _OF_NOISE)
    }


def _by_name(name: str, held: Seen) -> Iterator[tuple[str, float]]:
    """Yield the numbers of a variable with their names, those of a small table by their keys."""
    if held.numbers is None or held.numbers.size > _FEW:
        return
    if _single(held):
        yield (name if "epsilon" not in name else name.rpartition(".")[2]), float(held.numbers[0])
    elif name.startswith(GLOBAL):
        keys = held.structure[2] if len(held.structure) > 2 else ()
        words = map(str, keys) if len(keys) == held.numbers.size else itertools.repeat(name)
        yield from ((w.strip("'"), float(x)) for w, x in zip(words, held.numbers, strict=False))


def amplified_rate(case: Case) -> float | None:
    """Return the sampling rate that would bring the cost down to the claim.

    It is one that the code names, or a plain fraction: that happens to nobody who does not count
    on sampling.

    Parameters
    ----------
    case : Case
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
