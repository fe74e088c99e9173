"""Distinct l-diversity by Mondrian: every class holds at least l different sensitive values.

    M(x) = each record's sensitive value beside the ranges of its class;    |{values in class}| ≥ l

Promises: no class agrees in its sensitive value, so that none can be read off with certainty
(Machanavajjhala et al. 2007, the simplest of their instantiations). Records with fewer than l
values in all are withheld.
Attack: skewness (Li, Li & Venkatasubramanian 2007): a class of nine ill and one well is diverse,
and says of each member "ill, with probability 9/10" where one in a hundred people is. The witness
is a class whose shares, or whose ranges, one record moves: the output is another, with certainty.
Violation: DPA109
Known from: Machanavajjhala et al. (2007), as the remedy for k-anonymity's homogeneous classes.
True epsilon: infinite, on any two neighbors that are released differently.
Information limit: 44 calls: every output tells.
"""

from collections.abc import Sequence

import pandas as pd

from mechanisms.nonprivate.k_anonymity import QUASI, columns, generalized, mondrian


def l_diversity(
    frame: pd.DataFrame, *, ell: int = 2, quasi: Sequence[str] = QUASI, sensitive: str = "condition"
) -> pd.DataFrame:
    """Return the generalized records."""
    codes, _ = pd.factorize(frame[sensitive], use_na_sentinel=False)
    classes = mondrian(columns(frame, quasi), lambda rows: len(set(codes[rows].tolist())) >= ell)
    return generalized(frame, classes, quasi, sensitive)
