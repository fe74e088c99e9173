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
MANY = 1_000  # of each dataset of the first pair where the noise is not the same; fewer of others
LEVEL = 1e-9  # probability that equal distributions of one column are told apart
CLOSE = 1e-6  # relative: sums in another order differ by rounding
FEW = 20  # numbers, of which nothing is said
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
    Numbers that vary from draw to draw and are the same in both, or equally far apart in all draws,
    show that both draw the same noise. Then every difference counts; else outputs are compared in
    distribution, which sees only what stands out from the noise.
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
    coupled = False
    unlike: list[Task] = []
    try:
        for place in PLACES:
            if place >= len(proposed):
                break
            pair = proposed[place]
            task = Task(pair.left, pair.right, "coupled", DRAWS, (seed, KEY, place))
            leaves = both.leaves(task)
            same = all(_same(one, two) for one, two in leaves)
            coupled |= any(_is_coupled(one, two, same=same) for one, two in leaves)
            if not same:
                unlike.append(replace(task, mode="independent", size=MANY // (1 + len(unlike))))
        for task in unlike:
            if coupled or not all(starmap(_equally_distributed, both.leaves(task))):
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

    def leaves(self, task: Task) -> list[tuple[dict[str, _Leaf], dict[str, _Leaf]]]:
        """Return what both return, on the left dataset and on the right one."""
        [one], [two] = self.code.run([task]), self.program.run([task])
        return [
            (_leaves(a, self.returned), _leaves(b, self.read))
            for a, b in ((one.left, two.left), (one.right, two.right))
        ]


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


def _is_coupled(one: dict[str, _Leaf], two: dict[str, _Leaf], *, same: bool) -> bool:
    """Whether some number shows the same noise in both: it varies, and they are equally far apart.

    Then a difference anywhere is no other noise. Whole numbers may agree by chance.
    """
    for a, b in _paired(one, two):
        if a is None or b is None or a.numbers is None or b.numbers is None:
            continue
        varies = len(np.unique(a.numbers)) == len(a.numbers) and not np.isnan(a.numbers).any()
        if varies and (a.numbers != np.rint(a.numbers)).all():
            gaps = a.numbers - b.numbers
            if same or np.allclose(gaps, gaps[0], rtol=CLOSE, atol=CLOSE * np.ptp(a.numbers)):
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
