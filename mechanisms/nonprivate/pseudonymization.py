"""Pseudonymization: each name becomes a random number, the same wherever it occurs.

    M(x) = ((π(name_i), rest_i) : i = 1, ..., n),    π a random injection of names into numbers

Promises: a number by itself does not tell the name, and without the table π it stays so (a
pseudonym as the European General Data Protection Regulation, article 4(5), has it).
Attack: linkage: the other columns are what they were, so that a list of names with ages and zips
finds the row, and with it the condition (Sweeney 2002); all rows of one number are then known
(Narayanan & Shmatikov 2008). The witness is two datasets with one condition changed: the random
numbers of both are alike, the column beside them is not.
Violation: DPA101
Known from: "the names were replaced by codes", in nearly every description of a data set.
True epsilon: infinite, on any two neighbors that differ beyond the name.
Information limit: 44 calls: every output tells.
"""

import numpy as np
import pandas as pd


def pseudonymization(
    frame: pd.DataFrame, rng: np.random.Generator, *, name: str = "name"
) -> pd.DataFrame:
    """Return the records with numbers for names."""
    codes, names = pd.factorize(frame[name])
    numbers = rng.permutation(len(names))
    return frame.assign(**{name: numbers[codes]}).reset_index(drop=True)
