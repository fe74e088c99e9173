"""Which kind of violation the outputs alone show; DPA201 where they do not tell."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from dpaudit.outputs import Columns
from dpaudit.statistical.numerics import Floats
from dpaudit.statistical.rows import numbers, row_hashes
from dpaudit.statistical.telling import Told
from dpaudit.violations import NOT_LOCATED, UNLOCATED

NO_NUMBERS = ("nan", "inf", "-inf")
ALWAYS = 12  # sightings on each side before "always the same" is said
SEEN = 12  # sightings before an output that the neighbor never showed is said to be impossible
_VALUE = re.compile(r"\[1\]\[\d+\]\[(?!0\]|1\])\d+\]$")  # of an emitted text
RARE = (0.1, 0.5)  # probability of a catastrophe, at most: in general, among continuous outputs


@dataclass(frozen=True, slots=True)
class Cause:
    """An id of the taxonomy with what the outputs show, and other ids that fit."""

    id: str
    what: str
    also: tuple[str, ...] = ()


def attribute(told: Told, likely: Columns, unlikely: Columns, *, emits: bool = False) -> Cause:
    """Return the most specific kind that the outputs support.

    Parameters
    ----------
    told : Told
        The telling event.
    likely, unlikely : Columns
        Kept outputs of the dataset under which the event is too likely, and of the other.
    emits : bool
        Whether the second part of an output is the texts that were emitted.
    """
    if told.what == "lattice":
        return Cause(
            "DPA111", "low-order bits of the output, or the sign of a zero, tell the datasets apart"
        )
    if told.what == "exception" or (":type" in told.paths and _apart(likely, unlikely, "raises ")):
        return Cause("DPA108", "an exception tells the two datasets apart")
    if ":type" in told.paths and any(_apart(likely, unlikely, word) for word in NO_NUMBERS):
        what = "NaN or infinity comes out on one dataset and not on the other"
        return Cause("DPA104", what)
    texts = emits and all(path.startswith("[1]") for path in told.paths)
    if texts and _settled(told):
        what = (
            "what is printed, logged, warned of or written is certain on one dataset and does not "
            "occur on the other"
        )
        # A number in a text is released itself; whether there is a text, a branch may decide.
        number = all(_VALUE.match(path) for path in told.paths)
        return Cause("DPA101", what, also=() if number else ("DPA108", "DPA109"))
    if told.what == "structure" and _settled(told):
        return Cause("DPA109", "the type, shape, length or keys of the output depend on the data")
    if _constant(likely) and _constant(unlikely):
        what = "the output is the same in every call, and differs between the two datasets"
        return Cause("DPA101", what, also=("DPA109", "DPA110"))
    if told.what == "atom" and told.counts.right == 0 and told.counts.left >= SEEN:
        rate = told.counts.left / max(1, told.counts.left_calls)
        if rate < RARE[any(_continuous(numbers(likely, path)) for path in told.paths)]:
            what = (
                f"with probability about {rate:.2g} the output is one that the neighbor was never "
                "seen to produce; consistent with a catastrophe"
            )
            # A release now and then, or a branch that one dataset alone takes.
            return Cause("DPA102", what, also=("DPA106", "DPA108"))
    # Several entries may be formed from each other; a ratio of noisy numbers widens by itself.
    for path in told.paths if len(likely.numbers) == 1 else ():
        ratio = _scale_ratio(numbers(likely, path), numbers(unlikely, path))
        if ratio is not None:
            what = f"the noise is {ratio:.2f} times as wide on one dataset as on its neighbor"
            return Cause("DPA103", what)
    return Cause(UNLOCATED, NOT_LOCATED)


def _settled(told: Told) -> bool:
    """Return whether a structure belongs to one dataset: noise that makes it vary is no leak."""
    counts = told.counts
    return counts.right == 0 and counts.left >= 0.98 * counts.left_calls


def _apart(likely: Columns, unlikely: Columns, beginning: str) -> bool:
    """Return whether a type of output is common on one dataset and unseen on the other."""
    rates = []
    for outputs in (likely, unlikely):
        codes, words = outputs.labels.get(":type", (np.zeros(0, np.int32), ()))
        wanted = [i for i, word in enumerate(words) if word.startswith(beginning)]
        rates.append(float(np.isin(codes, wanted).sum()) / max(1, outputs.size))
    return min(rates) == 0 and max(rates) > 0.01


def _constant(outputs: Columns) -> bool:
    return outputs.size >= ALWAYS and len(np.unique(row_hashes(outputs))) == 1


def _continuous(values: Floats) -> bool:
    """Return whether most values are seen once."""
    finite = values[~np.isnan(values)]
    _, counts = np.unique(finite, return_counts=True)
    return len(finite) > 0 and (counts == 1).sum() >= 0.5 * len(finite)


def _scale_ratio(one: Floats, two: Floats) -> float | None:
    """Return the ratio of scales where two samples are one density, scaled; else None.

    Centered at their medians the samples must differ beyond doubt, and no longer once their
    quartile ranges are made equal: a wider mixture or a maximum changes its shape as well.
    """
    one, two = one[~np.isnan(one)], two[~np.isnan(two)]
    if min(len(one), len(two)) < 40 or len(np.unique(one)) < 0.9 * len(one):
        return None
    one, two = one - np.median(one), two - np.median(two)
    ranges = [float(np.subtract(*np.quantile(x, [0.75, 0.25]))) for x in (one, two)]
    if min(ranges) <= 0:
        return None
    ratio = max(ranges) / min(ranges)
    different = _kolmogorov(one, two) > 2.2  # p < 1.3e-4
    alike = _kolmogorov(one / ranges[0], two / ranges[1]) < 1.0  # p > .27
    return ratio if ratio > 1.15 and different and alike else None


def _kolmogorov(one: Floats, two: Floats) -> float:
    """Return the scaled two-sample statistic √(nm/(n+m))·D."""
    values = np.sort(np.concatenate([one, two]))
    first = np.searchsorted(np.sort(one), values, side="right") / len(one)
    second = np.searchsorted(np.sort(two), values, side="right") / len(two)
    size = len(one) * len(two) / (len(one) + len(two))
    return float(np.sqrt(size) * np.max(np.abs(first - second)))
