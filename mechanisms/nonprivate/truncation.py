"""Truncation: the first digits of a zip code, and the decade of an age.

    M(x) = ((⌊zip_i / 100⌋, 10 ⌊age_i / 10⌋, rest_i) : i = 1, ..., n)

Promises: each identifier alone is shared by many people (the "safe harbor" rule of the United
States' HIPAA, 45 CFR 164.514(b)(2), keeps three digits of a zip code).
Attack: linkage: few share all of them, and a list of names with zips and ages, cut in the same
way, finds whoever is alone in a cell (Sweeney 2002). The witness is two datasets that differ in
one record: beside the truncated columns its condition is printed as it was.
Violation: DPA101
Known from: extracts with "three digits of the zip and the year of birth only".
True epsilon: infinite, on any two neighbors that differ after truncation.
Information limit: 44 calls: every output tells.
"""

import pandas as pd


def truncation(frame: pd.DataFrame, *, digits: int = 2, years: int = 10) -> pd.DataFrame:
    """Return the records with the last digits of `zip` dropped and `age` rounded down."""
    cut = {"zip": frame["zip"] // 10**digits, "age": frame["age"] // years * years}
    return frame.assign(**cut).reset_index(drop=True)
