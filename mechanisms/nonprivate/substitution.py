"""Masking by substitution: each value becomes a random one of its kind, always the same.

    M(x) = (π(x_1), ..., π(x_n)),    π a random permutation of the domain

Promises: a printed value says nothing by itself, and the masked data look and join like the
real ones.
Attack: background knowledge: equal values stay equal, so that the commonest substitute is the
commonest value, and two people of whom one is known are told alike or different. The witness is
records that all agree, against the same with one that does not.
Violation: DPA101
Known from: test data made from production data by look-up tables (static data masking).
True epsilon: infinite, on n equal records against n − 1 of them and another.
Information limit: 44 calls: every output tells.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

NAMES = ("Ada", "Emmy", "Kurt", "Rózsa")


def substitution(
    data: NDArray[np.str_], rng: np.random.Generator, *, domain: Sequence[str] = NAMES
) -> tuple[str, ...]:
    """Return a substitute for each value."""
    substitutes = dict(zip(domain, rng.permutation(domain).tolist(), strict=True))
    return tuple(substitutes[value] for value in data.tolist())
