"""Agreement of a lifted program with the code that it was read from, found by running both.

A proof speaks of the program. Whatever was misread on the way there shows when both run on the same
datasets: with the same generator they return the same, but for rounding. Where the program draws
other noise than the code (one draw of a law stands for the code's sampler, or the code's generator
takes no seed), their outputs are compared in distribution.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import starmap
from typing import TYPE_CHECKING, Any

import numpy as np

from dpaudit.formal import concrete
from dpaudit.outputs.observed import EVERYTHING
from dpaudit.worker import InPlace, WorkerError
from dpaudit.worker.tasks import Task

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from dpaudit.formal.program import Program
    from dpaudit.neighbors import Neighbors
    from dpaudit.outputs import Columns
    from dpaudit.subject import Subject
    from dpaudit.worker import Runner

PLACES = (0, 1, 3, 7, 15, 31)  # of the pairs that the relation proposes, extreme ones first
DRAWS = 3  # of each dataset, from the same seeds
MANY = 1_000  # of each dataset of the first pair that is unlike, with seeds of their own
COMMON = 250  # from the same seeds: what fails one time in ten holds in all by chance 4e-12
LEVEL = 1e-9  # probability that equal distributions of one column are told apart
CLOSE = 1e-6  # relative: sums in another order differ by rounding
EXACT = 1e-4  # of the largest difference: by so little a line through all of them may be off
FEW = 20  # numbers, or different ones, of which nothing is said
_FIELD = re.compile(r"\['(\w+)'\]")
_NUMBER = re.compile(r"\bnp\.\w+\(([^()]*)\)")
_DESCRIBES = re.compile(r":type|\.(?:keys|shape|index|length|truncated)$")
KEY = 0xA64E  # apart from the seeds of other engines


def disagreement(
    subject: Subject, program: Program, neighbors: Neighbors, runner: Runner | None, seed: int
) -> str:
    """Return on which datasets a program does something else than its code, empty for none.

    Parameters
    ----------
    subject : Subject
    program : Program
        Lifted from the subject, without symbolic parameters.
    neighbors : Neighbors
        Some of whose first pairs are run.
    runner : Runner, optional
        Where the code runs; in this process unless given.
    seed : int

    Returns
    -------
    str
        Also empty where either cannot be run.

    Notes
    -----
    Whether both draw the same noise is seen where they give the same numbers, many different ones,
    in many draws. Then every difference on another dataset counts, if the code itself gives the
    same again from the same seeds. Else outputs that are not the same are compared in distribution,
    drawn apart, which sees what stands out from noise: the code may draw from the system, or a
    sampler may be replaced by its law.
    A number of the program that is a + b·x in every draw for the number x of the code, from the
    same seeds, has another distribution unless it is x, or mirrored (|b| = 1): that needs no test
    and sees the smallest difference.
    """
    try:
        read = InPlace(_subject_of(subject, program))
    except concrete.NotRunError:
        return ""
    both = _Both(
        InPlace(subject) if runner is None else runner,
        read,
        "[0]" if subject.emits else "",
        "[0]" if program.prints else "",
    )
    rng = np.random.default_rng([seed, KEY])
    proposed = list(itertools.islice(neighbors.pairs(rng), PLACES[-1] + 1))
    try:
        like: list[Task] = []
        unlike: list[Task] = []
        for place, pair in enumerate(proposed):
            if place in PLACES:
                task = Task(pair.left, pair.right, "coupled", DRAWS, (seed, KEY, place))
                alike = all(starmap(_same, both.leaves(task)))
                (like if alike else unlike).append(task)
        coupled = bool(unlike) and any(
            any(starmap(_is_common, both.leaves(replace(task, size=COMMON)))) for task in like[-1:]
        )
        for turn, task in enumerate(unlike):
            common = replace(task, size=COMMON // (1 + turn))
            many = replace(task, mode="independent", size=MANY // (1 + turn))
            if (
                (coupled and both.repeats(common))
                or any(starmap(_is_line, both.leaves(common)))
                or not all(starmap(_equally_distributed, both.leaves(many, apart=True)))
            ):
                return f"{task.left!r:.200} and {task.right!r:.200}"
    except (WorkerError, concrete.NotRunError):
        return ""
    return ""


@dataclass(frozen=True, slots=True)
class _Both:
    """The code and the program, and where in their outputs what they return stands."""

    code: Runner
    program: Runner
    returned: str
    read: str

    def leaves(
        self, task: Task, *, apart: bool = False
    ) -> list[tuple[dict[str, _Leaf], dict[str, _Leaf]]]:
        """Return what both return, on the left dataset and on the right one.

        Where they are drawn apart, the program has other seeds than the code: tests for equal
        distributions want samples that do not depend on one another.
        """
        other = replace(task, key=(*task.key, 1)) if apart else task
        [one], [two] = self.code.run([task]), self.program.run([other])
        return [
            (_leaves(a, self.returned), _leaves(b, self.read))
            for a, b in ((one.left, two.left), (one.right, two.right))
        ]

    def repeats(self, task: Task) -> bool:
        """Return whether the code gives the same again from the same seeds."""
        [one], [two] = self.code.run([task]), self.code.run([task])
        sides = ((one.left, two.left), (one.right, two.right))
        return all(_same(*(_leaves(each, self.returned) for each in side)) for side in sides)


def _subject_of(subject: Subject, program: Program) -> Subject:
    return replace(
        subject,
        function=concrete.Concrete(program).run,
        takes_rng=True,
        vectorized=False,
        touches=frozenset(),
        observes=EVERYTHING,
        source=None,
    )


# --- what two runs returned


@dataclass(frozen=True, slots=True)
class _Leaf:
    """One place in the outputs: numbers, NaN where there is none, or words, None where there is."""

    path: str
    numbers: NDArray[np.float64] | None
    words: NDArray[np.object_] | None


def _leaves(columns: Columns | None, place: str) -> dict[str, _Leaf]:
    """Return the numbers and the texts of outputs by their place.

    How they are wrapped is left out: objects are lowered to dicts, arrays to lists, and a choice
    of Python's is drawn with NumPy.
    """
    assert columns is not None
    found: dict[str, _Leaf] = {}
    for path, values in columns.numbers.items():
        if path.startswith(place) and not path.endswith(".length"):
            before = found.get(_plain(path))  # the same number as a key, of another type
            if before is not None and before.numbers is not None:
                values = np.where(np.isnan(values), before.numbers, values)
            found[_plain(path)] = _Leaf(path, values, None)
    for path, (codes, words) in columns.labels.items():
        if path.startswith(place) and not _DESCRIBES.search(path):
            said = np.array([*words, None], dtype=object)[codes]
            found[f"{_plain(path)} as text"] = _Leaf(path, None, said)
    return found


def _plain(path: str) -> str:
    return _NUMBER.sub(r"\1", _FIELD.sub(r".\1", path.replace(".iloc[", "[")))


def _paired(
    one: dict[str, _Leaf], two: dict[str, _Leaf]
) -> Iterator[tuple[_Leaf | None, _Leaf | None]]:
    """Yield the leaves of the same place; in their order where the places have other names.

    A text that one of them has alone is left out: an exception that is an answer is lowered to what
    it says.
    """
    alone = one.keys() ^ two.keys()
    one, two = (
        {path: leaf for path, leaf in of.items() if leaf.words is None or path not in alone}
        for of in (one, two)
    )
    if one.keys() != two.keys() and len(one) == len(two):
        yield from zip(one.values(), two.values(), strict=True)
        return
    for path in dict.fromkeys((*one, *two)):
        yield one.get(path), two.get(path)


def _same(one: dict[str, _Leaf], two: dict[str, _Leaf]) -> bool:
    """Whether outputs are the same row by row, but for rounding."""
    for a, b in _paired(one, two):
        if a is None or b is None:
            return False
        if a.numbers is not None and b.numbers is not None:
            if not np.allclose(a.numbers, b.numbers, rtol=CLOSE, atol=0.0, equal_nan=True):
                return False
        elif not np.array_equal(a.words, b.words):  # type: ignore[arg-type]
            return False
    return True


def _is_common(one: dict[str, _Leaf], two: dict[str, _Leaf]) -> bool:
    """Whether both show the same noise: the same numbers, many different ones, in all draws."""
    varying = (leaf.numbers for leaf in one.values() if leaf.numbers is not None)
    return _same(one, two) and any(len(np.unique(x)) >= FEW for x in varying)


def _is_line(one: dict[str, _Leaf], two: dict[str, _Leaf]) -> bool:
    """Whether some number is a line in that of the other, and so has another distribution.

    Of few values a line is nothing: one coin is a line in another that fell one way alone.
    """
    for a, b in _paired(one, two):
        if a is None or b is None or a.numbers is None or b.numbers is None:
            continue
        x, gaps = a.numbers, b.numbers - a.numbers
        most = np.abs(gaps).max()
        if len(np.unique(x)) < FEW or not np.isfinite(most):
            continue
        if most <= CLOSE * max(np.abs(x).max(), np.ptp(x)):  # rounding
            continue
        low, high = x.argmin(), x.argmax()
        slope = (gaps[high] - gaps[low]) / (x[high] - x[low])
        off = np.abs(gaps - gaps[low] - slope * (x - x[low])).max()
        if off <= EXACT * most and abs(slope + 2) > EXACT:
            return True
    return False


def _equally_distributed(one: dict[str, _Leaf], two: dict[str, _Leaf]) -> bool:
    """Whether no column tells the outputs of one from those of the other, at `LEVEL`."""
    return all(_is_likely(a, b) for a, b in _paired(one, two))


def _is_likely(one: _Leaf | None, two: _Leaf | None) -> bool:
    given = one or two
    assert given is not None
    if given.numbers is None:
        a, b = (_texts(leaf, given) for leaf in (one, two))
        if concrete.UNSAID in b:  # the code's sampler raises it too, in other words
            a, b = (np.array([each and concrete.UNSAID for each in said]) for said in (a, b))
        return all(_same_share(a == word, b == word) for word in {*a, *b})
    x, y = (_numbers(leaf, given) for leaf in (one, two))
    if not _same_share(np.isnan(x), np.isnan(y)):
        return False
    x, y = x[~np.isnan(x)], y[~np.isnan(y)]
    if min(len(x), len(y)) < FEW:
        return True
    from scipy.stats import ks_2samp

    return bool(ks_2samp(x, y, method="asymp").pvalue >= LEVEL)


def _numbers(leaf: _Leaf | None, given: _Leaf) -> NDArray[np.float64]:
    assert given.numbers is not None
    absent = np.full(len(given.numbers), np.nan)
    return absent if leaf is None or leaf.numbers is None else leaf.numbers


def _texts(leaf: _Leaf | None, given: _Leaf) -> NDArray[np.object_]:
    assert given.words is not None
    absent = np.full(len(given.words), None, dtype=object)
    return absent if leaf is None or leaf.words is None else leaf.words


def _same_share(one: Any, two: Any) -> bool:
    from scipy.stats import fisher_exact

    a, b = int(np.sum(one)), int(np.sum(two))
    return bool(fisher_exact([[a, len(one) - a], [b, len(two) - b]]).pvalue >= LEVEL)
