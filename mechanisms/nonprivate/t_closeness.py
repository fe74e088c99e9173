"""t-closeness by Mondrian: in every class the sensitive value is spread nearly as in the whole.

    M(x) = each record's sensitive value beside the ranges of its class;
    ½ Σ_v |share of v in the class − share of v in x| ≤ t

Promises: that knowing the class changes little in what is believed of a member, compared with
knowing the whole release (Li, Li & Venkatasubramanian 2007; the distance is the earth mover's
between categories that are equally far apart).
Attack: background knowledge: whoever knows all members of a class but one takes them away, and
what is left is the last one's value, for every t. The promise is relative to the release itself,
which is exact. The witness is that attacker's: two datasets that differ in the last record alone.
Violation: DPA109
Known from: Li, Li & Venkatasubramanian (2007), as the remedy for l-diversity's skewed classes.
True epsilon: infinite, on any two neighbors that are released differently.
Information limit: 44 calls: every output tells.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from mechanisms.nonprivate.k_anonymity import QUASI, Rows, columns, generalized, mondrian


def t_closeness(
    frame: pd.DataFrame,
    *,
    t: float = 0.3,
    quasi: Sequence[str] = QUASI,
    sensitive: str = "condition",
) -> pd.DataFrame:
    """Return the generalized records."""
    codes, values = pd.factorize(frame[sensitive], use_na_sentinel=False)

    def shares(rows: Rows) -> np.ndarray:
        return np.bincount(codes[rows], minlength=len(values)) / len(rows)

    everyone = np.arange(len(frame))

    def close(rows: Rows) -> bool:
        return len(rows) > 0 and float(abs(shares(rows) - shares(everyone)).sum()) / 2 <= t

    classes = mondrian(columns(frame, quasi), close)
    return generalized(frame, classes, quasi, sensitive)
