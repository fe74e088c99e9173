"""Shuffling: one column is put in random order, and the others stay.

    M(x) = ((rest_i, s_{π(i)}) : i = 1, ..., n),    π a random permutation

Promises: no row holds the sensitive value of its person, except by chance (data swapping goes back
to Dalenius & Reiss 1982).
Attack: background knowledge: the column's values are all there, so that whoever knows the others'
takes them away and keeps the last one's; where all agree nothing needs to be known. The witness
is a column in which one value is another: whatever the order, it shows.
Violation: DPA101
Known from: "the sensitive column was shuffled", in guides to masking data.
True epsilon: infinite, on any two neighbors.
Information limit: 44 calls: every output tells.
"""

import numpy as np
import pandas as pd


def shuffling(
    frame: pd.DataFrame, rng: np.random.Generator, *, column: str = "condition"
) -> pd.DataFrame:
    """Return the records with one column in random order."""
    order = rng.permutation(len(frame))
    return frame.assign(**{column: frame[column].to_numpy()[order]}).reset_index(drop=True)
