"""What the outputs on both datasets of a pair look like under fresh noise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dpaudit.outputs import Columns, Raised, encode
from dpaudit.trace.compare import Difference
from dpaudit.trace.record import Bench, Run

LOOKS = 8  # runs on each dataset
STRUCTURE = (":type", ".length", ".shape", ".keys", ".index")  # how paths end


@dataclass(frozen=True, slots=True, eq=False)
class Habits:
    """Outputs of a few runs on each of two datasets.

    Attributes
    ----------
    left, right : tuple of Run
        With independent noise, not traced.
    columns : (Columns, Columns)
        Their encoded outputs.
    """

    left: tuple[Run, ...]
    right: tuple[Run, ...]
    columns: tuple[Columns, Columns]

    @staticmethod
    def of(
        bench: Bench, datasets: tuple[Any, Any], key: tuple[int, ...], looks: int = LOOKS
    ) -> Habits:
        """Run a mechanism a few times on both datasets."""
        runs = [
            tuple(bench.run(data, (*key, side, i), traced=False) for i in range(looks))
            for side, data in enumerate(datasets)
        ]
        columns = [encode([run.output for run in some]) for some in runs]
        return Habits(runs[0], runs[1], (columns[0], columns[1]))

    @property
    def raised(self) -> tuple[float, float]:
        """Which share of the runs raised, on each dataset."""
        shares = [
            sum(isinstance(run.output, Raised) for run in runs) / len(runs)
            for runs in (self.left, self.right)
        ]
        return shares[0], shares[1]

    @property
    def draws(self) -> int:
        """The most noise calls of a run."""
        return max(len(run.noise) for run in (*self.left, *self.right))

    @property
    def varies(self) -> bool:
        """Whether outputs on one dataset differ from run to run."""
        return any(
            not columns.take(np.arange(i, i + 1)).same_as(columns.take(np.arange(1)))
            for columns in self.columns
            for i in range(1, columns.size)
        )

    @property
    def constant(self) -> frozenset[str]:
        """Places in the output that never vary, on either dataset."""
        settled = [_settled(columns) for columns in self.columns]
        return frozenset(settled[0] & settled[1])

    def shows(self, difference: Difference) -> bool:
        """Whether a place in the output never varies, and shows a difference of two other runs.

        A likely answer may hide that there is noise, which these two runs have seen.
        """
        if difference.path not in self.constant:
            return False
        shown = difference.left, difference.right
        if not difference.numeric:
            words = (str(_only_word(columns, difference.path)) for columns in self.columns)
            return shown == tuple(words)
        settled = [columns.numbers[difference.path][0] for columns in self.columns]
        return np.allclose(settled, np.array(shown, dtype=np.float64), rtol=1e-6, equal_nan=True)

    @property
    def settled_on_one(self) -> tuple[str, str] | None:
        """A number of the output that varies on one dataset alone, and its value on the other."""
        settled = [_settled(columns) for columns in self.columns]
        for side, columns in enumerate(self.columns):
            for path in columns.numbers:
                varies = path in self.columns[1 - side].numbers and path not in settled[1 - side]
                if path in settled[side] and varies:
                    return path, f"{columns.numbers[path][0]:.6g}"
        return None

    @property
    def telling_words(self) -> dict[str, tuple[str | None, str | None]]:
        """Types, shapes and keys that each dataset always has, and that differ between them."""
        left, right = self.columns
        found = {}
        for path in dict.fromkeys([*left.labels, *right.labels]):
            if not path.endswith(STRUCTURE):
                continue
            words = _only_word(left, path), _only_word(right, path)
            if words[0] != words[1] and False not in words:
                found[path] = (words[0] or None, words[1] or None)
        return found  # type: ignore[return-value]


def _settled(columns: Columns) -> set[str]:
    found = set()
    for path, values in columns.numbers.items():
        if np.array_equal(values, np.full(columns.size, values[0]), equal_nan=True):
            found.add(path)
    for path, (codes, _) in columns.labels.items():
        if np.all(codes == codes[0]):
            found.add(path)
    return found


def _only_word(columns: Columns, path: str) -> str | bool | None:
    """Return the one word of a column; None where it is absent, False where there are several."""
    if path not in columns.labels:
        return None
    codes, words = columns.labels[path]
    if np.any(codes != codes[0]):
        return False
    return words[codes[0]] if codes[0] >= 0 else None
