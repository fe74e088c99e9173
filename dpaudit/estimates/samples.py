"""Reads what estimates are made from: outputs that were drawn, or a callable that draws them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpaudit.estimates.checks import check_seed, whole
from dpaudit.outputs import Columns, encode

Sample = Sequence[Any] | NDArray[Any] | Callable[[np.random.Generator], Any]

DRAWS = 100_000  # from a callable, unless told


def read_samples(p: Sample, q: Sample, *, n: int | None, seed: int) -> tuple[Columns, Columns]:
    """Return the outputs of both sides as columns, in one way of encoding.

    Parameters
    ----------
    p, q : array_like, sequence or callable
        Outputs of any type, one a draw (rows of an array are outputs); or a callable that takes a
        `numpy.random.Generator` and returns one output.
    n : int or None
        Draws from each callable; `DRAWS` where None.
    seed : int
        Of the generators that callables get.

    Raises
    ------
    ValueError
        Where a sample is empty.
    TypeError
        Where a sample is neither a sequence nor callable: a frame, a mapping and a set are not.
    """
    check_seed(seed)
    streams = np.random.SeedSequence(seed).spawn(2)
    left, right = (
        _read(name, sample, n, np.random.default_rng(stream))
        for name, sample, stream in zip("pq", (p, q), streams, strict=True)
    )
    return left, right


def read_sample(name: str, sample: Sample, *, n: int | None, seed: int) -> Columns:
    """Return one sample as columns; see `read_samples`."""
    return _read(name, sample, n, np.random.default_rng(seed))


def _read(name: str, sample: Sample, n: int | None, rng: np.random.Generator) -> Columns:
    if callable(sample):
        wanted = DRAWS if n is None else whole("n", n, 1, "pass the draws wanted")
        return encode([sample(rng) for _ in range(wanted)])
    single = not hasattr(sample, "__len__") or getattr(sample, "ndim", 1) == 0
    if single or isinstance(sample, str | bytes):
        raise TypeError(
            f"`{name}` must be a sequence of outputs or a callable that takes a "
            f"numpy.random.Generator, got {type(sample).__name__}; pass one of them"
        )
    # These would be read as their keys or columns, or without repeated outputs.
    if isinstance(sample, Mapping | Set) or hasattr(sample, "columns"):
        raise TypeError(
            f"`{name}` must hold one output a draw, in a sequence, got {type(sample).__name__}; "
            "pass a list, or an array with one draw a row (frame.to_numpy())"
        )
    if not len(sample):
        raise ValueError(f"`{name}` holds no output; pass at least one draw")
    return encode(list(sample))
