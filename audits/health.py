"""Releases from the RAND health insurance experiment, 20,190 person-years."""

import numpy as np
import pandas as pd
from statsmodels.datasets import randhie

from dpaudit import AddRemove, Audit, PureDP
from mechanisms.clipped_sum import clipped_sum
from mechanisms.flawed.mean_raw_count import mean_raw_count

people = randhie.load_pandas().data[["mdvis", "physlm", "disea"]]


def visits(frame: pd.DataFrame, rng: np.random.Generator) -> float:
    return clipped_sum(frame["mdvis"].to_numpy(), rng, low=0, high=20)


def mean_visits(frame: pd.DataFrame, rng: np.random.Generator) -> tuple[float, int]:
    return mean_raw_count(frame["mdvis"].to_numpy(), rng, low=0, high=20)


visits_to_the_doctor = Audit(visits, PureDP(1.0), AddRemove.around(people), max_calls=30_000)
mean_with_its_n = Audit(mean_visits, PureDP(1.0), AddRemove.around(people), expect="DPA101")
