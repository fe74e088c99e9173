"""The cheapest way to move the noise of one run so that its neighbor's goes the same way.

Each equality of two runs asks that ``base + Σ c·z`` be the same on both datasets, each order that a
comparison come out alike. Moving every z by a constant keeps the density up to a known factor (a
randomness alignment), so the sum of what the moves cost bounds the privacy loss along this path.

References
----------
Wang, Ding, Kifer & Zhang, CheckDP: An Automated and Integrated Approach for Proving Differential
Privacy or Finding Precise Counterexamples, CCS 2020 (alignments, found there by a solver).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from dpaudit.trace.laws import Law

Cell = tuple[int, int]  # number of the draw, place within it
SAME = 1e-9  # of two numbers, relative to what they are made of
MOST_VARIABLES = 400  # of the linear programme; a larger one is not solved
_INFINITE = float("inf")


@dataclass(frozen=True, slots=True, eq=False)
class Row:
    """One demand on the moves of the noise.

    Attributes
    ----------
    kind : {"equal", "above", "below"}
        Whether ``Σ c·move`` must equal `needed`, be at least it, or at most it.
    terms : mapping of Cell to float
        Noise that is multiplied by nought is none of them.
    needed : float
    size : float
        Magnitude of the numbers behind `needed`, for rounding.
    sink : int
        Number of the sink that asks it.
    """

    kind: str
    terms: Mapping[Cell, float]
    needed: float
    size: float
    sink: int

    def __post_init__(self) -> None:
        weighed = {cell: factor for cell, factor in self.terms.items() if factor != 0}
        object.__setattr__(self, "terms", weighed)

    @property
    def free(self) -> bool:
        """Whether nothing needs to move."""
        slack = SAME * self.size
        if self.kind == "equal":
            return abs(self.needed) <= slack
        return self.needed <= slack if self.kind == "above" else self.needed >= -slack


@dataclass(slots=True, eq=False)
class Coupling:
    """Moves of the noise, and what stands in their way.

    Attributes
    ----------
    moves : dict of Cell to float
    pure : float
        Cost of all moves of "pure" laws (nats).
    squared : float
        Sum of μ² of all Gaussian moves.
    conflicts : list of (Cell, int, int)
        One noise that two sinks want to move by different amounts.
    bounded : list of Cell
        Noise that would have to leave its interval.
    unpaid : list of int
        Sinks that no noise can make alike.
    solved : bool
        Whether the moves meet all demands.
    """

    moves: dict[Cell, float] = field(default_factory=dict)
    pure: float = 0.0
    squared: float = 0.0
    conflicts: list[tuple[Cell, int, int]] = field(default_factory=list)
    bounded: list[Cell] = field(default_factory=list)
    unpaid: list[int] = field(default_factory=list)
    solved: bool = True


def couple(rows: Sequence[Row], laws: Mapping[int, Law]) -> Coupling:
    """Return the cheapest moves that meet all demands.

    Parameters
    ----------
    rows : sequence of Row
    laws : mapping of int to Law
        By number of the draw.
    """
    found = Coupling()
    simple = [row for row in rows if row.kind == "equal" and len(row.terms) == 1]
    asked: dict[Cell, tuple[float, int]] = {}
    for row in simple:
        ((cell, coefficient),) = row.terms.items()
        move = 0.0 if row.free else row.needed / coefficient
        known = asked.setdefault(cell, (move, row.sink))
        slack = SAME * row.size / abs(coefficient)
        if not abs(known[0] - move) <= slack + SAME * abs(move):
            found.conflicts.append((cell, known[1], row.sink))
    found.moves = {cell: move for cell, (move, _) in asked.items()}
    several = [row for row in rows if not (row.kind == "equal" and len(row.terms) == 1)]
    found.conflicts += _contradictions(several)
    others = _reduced(several, found)
    if others and not all(row.free for row in others):
        _solve(others, laws, found)
    _price(found, laws)
    return found


def _contradictions(rows: Sequence[Row]) -> Iterator[tuple[Cell, int, int]]:
    """Yield the last noise of sums of the same noise that must move by different amounts."""
    asked: dict[tuple[tuple[Cell, float], ...], Row] = {}
    for row in rows:
        if row.kind != "equal" or len(row.terms) < 2:
            continue
        known = asked.setdefault(_normal(row.terms), row)
        last = max(row.terms)
        moves = [each.needed / each.terms[last] for each in (known, row)]
        slack = SAME * sum(each.size / abs(each.terms[last]) for each in (known, row))
        if not abs(moves[0] - moves[1]) <= slack + SAME * abs(moves[0]):
            yield last, known.sink, row.sink


def _normal(terms: Mapping[Cell, float]) -> tuple[tuple[Cell, float], ...]:
    """Return a sum of noise up to its factor and rounding."""
    unit = terms[max(terms)]
    return tuple((cell, float(f"{terms[cell] / unit:.9g}")) for cell in sorted(terms))


def _reduced(rows: Sequence[Row], found: Coupling) -> list[Row]:
    """Put in the moves that are known."""
    left = []
    for row in rows:
        known = sum(c * found.moves[cell] for cell, c in row.terms.items() if cell in found.moves)
        terms = {cell: c for cell, c in row.terms.items() if cell not in found.moves}
        reduced = Row(row.kind, terms, row.needed - known, row.size + abs(known), row.sink)
        if terms:
            left.append(reduced)
        elif not reduced.free:
            found.unpaid.append(row.sink)
            found.solved = False
    return left


def _solve(rows: list[Row], laws: Mapping[int, Law], found: Coupling) -> None:
    cells = sorted({cell for row in rows for cell in row.terms})
    if len(cells) > MOST_VARIABLES or not all(np.isfinite(row.needed) for row in rows):
        found.solved = False
        found.unpaid += [row.sink for row in rows]
        return
    matrix = np.zeros((len(rows), len(cells)))
    number = {cell: j for j, cell in enumerate(cells)}
    for i, row in enumerate(rows):
        for cell, coefficient in row.terms.items():
            matrix[i, number[cell]] = coefficient
    needed = np.array([row.needed for row in rows])
    kinds = [row.kind for row in rows]
    gaussian = all(laws[draw].family == "gaussian" for draw, _ in cells)
    if gaussian and all(kind == "equal" for kind in kinds):
        moves = _shortest(matrix, needed, cells, laws)
    else:
        moves = _cheapest(matrix, needed, kinds, cells, laws)
    if moves is None:
        found.solved = False
        found.unpaid += [row.sink for row in rows if not row.free]
        return
    found.moves.update(zip(cells, moves.tolist(), strict=True))


def _rate(cell: Cell, laws: Mapping[int, Law]) -> float:
    rates = laws[cell[0]].rate
    return float(rates[cell[1]]) if cell[1] < len(rates) else _INFINITE


def _shortest(
    matrix: np.ndarray, needed: np.ndarray, cells: list[Cell], laws: Mapping[int, Law]
) -> np.ndarray | None:
    """Return Gaussian moves of least length, each in units of its deviation."""
    scales = np.array([1 / max(_rate(cell, laws), 1e-300) for cell in cells])
    units, *_ = np.linalg.lstsq(matrix * scales, needed, rcond=None)
    moves = units * scales
    close = np.abs(matrix @ moves - needed) <= 1e-7 * (1 + np.abs(needed).max())
    return moves if np.all(close) else None


def _cheapest(
    matrix: np.ndarray,
    needed: np.ndarray,
    kinds: list[str],
    cells: list[Cell],
    laws: Mapping[int, Law],
) -> np.ndarray | None:
    """Return moves of least total cost, by a linear programme."""
    from scipy.optimize import linprog

    rates = np.array([min(_rate(cell, laws), 1e12) for cell in cells])
    movable = np.array([laws[draw].family in ("pure", "gaussian") for draw, _ in cells])
    upwards = np.array([laws[draw].upwards for draw, _ in cells])
    up = [(0, None if m else 0) for m in movable]
    down = [(0, None if m and not u else 0) for m, u in zip(movable, upwards, strict=True)]
    both = np.hstack([matrix, -matrix])
    equal = np.array([kind == "equal" for kind in kinds])
    signs = np.array([-1.0 if kind == "above" else 1.0 for kind in kinds])[:, None]
    result = linprog(
        np.concatenate([rates, rates]),
        A_ub=(both * signs)[~equal] if not equal.all() else None,
        b_ub=(needed * signs[:, 0])[~equal] if not equal.all() else None,
        A_eq=both[equal] if equal.any() else None,
        b_eq=needed[equal] if equal.any() else None,
        bounds=up + down,
        method="highs",
    )
    if result.status != 0:
        return None
    return np.asarray(result.x[: len(cells)] - result.x[len(cells) :])


def _price(found: Coupling, laws: Mapping[int, Law]) -> None:
    """Sum up what the moves cost."""
    pure: dict[int, float] = defaultdict(float)
    for cell, move in found.moves.items():
        law = laws[cell[0]]
        if move == 0 or (law.family in ("pure", "gaussian") and _rate(cell, laws) == 0):
            continue
        if law.family == "gaussian":
            found.squared += (move * _rate(cell, laws)) ** 2
        elif law.family == "pure" and not (law.upwards and move < 0):
            pure[cell[0]] += abs(move) * _rate(cell, laws)
        else:
            found.bounded.append(cell)
    found.pure = sum(pure.values())
    if found.bounded or found.conflicts or not found.solved or np.isnan(found.pure):
        found.pure = _INFINITE
