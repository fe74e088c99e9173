"""The differencing attack: two exact counts, one of which leaves out a single person.

    M(x) = |{i : x_i is ill}| − |{i : x_i is ill and is not person 0}|

Twin: sequential_composition
Defect: counts leave without noise because each is about many; their difference is about one.
Violation: DPA101
Known from: the tracker of Denning, Denning & Schwartz (1979); Dwork & Roth 2014, section 1.1.
True epsilon: infinite, on () against person 0, ill.
Information limit: 44 calls: every output tells.
"""

import numpy as np
from numpy.typing import NDArray


def differencing_attack(data: NDArray[np.void], rng: np.random.Generator) -> int:
    """Return what an attacker learns from two exact counts: whether person 0 is ill."""
    ill = data["ill"] == 1
    everybody = np.count_nonzero(ill)
    all_but_one = np.count_nonzero(ill & (data["person"] != 0))
    return everybody - all_but_one
