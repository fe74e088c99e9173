"""Releases from a magazine's survey on marriage, 6,366 answers (Fair 1978)."""

import numpy as np
import pandas as pd
from statsmodels.datasets import fair

from dpaudit import AddRemove, Audit, PureDP, Real, Row
from mechanisms.flawed.histogram_data_keys import histogram_data_keys
from mechanisms.flawed.mean_local_sensitivity import mean_local_sensitivity
from mechanisms.histogram import histogram
from mechanisms.mean import mean_private_size

survey = fair.load_pandas().data[["rate_marriage", "age", "children", "occupation", "affairs"]]
unhappy_professionals = survey[(survey.rate_marriage == 1) & (survey.occupation == 6)]
woman = Row(
    rate_marriage=Real(1, 5),
    age=Real(17, 43),
    children=Real(0, 6),
    occupation=Real(1, 6),
    affairs=Real(0, 60),
)


def mean_age(frame: pd.DataFrame, rng: np.random.Generator) -> float:
    return mean_private_size(frame["age"].to_numpy(), rng, low=17, high=43)


def ratings(frame: pd.DataFrame, rng: np.random.Generator) -> np.ndarray:
    edges = np.array([1.5, 2.5, 3.5, 4.5])
    return histogram(frame["rate_marriage"].to_numpy(), rng, edges=edges)


def affairs_by_frequency(frame: pd.DataFrame, rng: np.random.Generator) -> dict[float, float]:
    return histogram_data_keys(frame["affairs"].to_numpy(), rng)


def mean_children(frame: pd.DataFrame, rng: np.random.Generator) -> float:
    return mean_local_sensitivity(frame["children"].to_numpy(), rng, low=0, high=6)


everybody = AddRemove.around(survey, woman)
one_cell = AddRemove.around(unhappy_professionals, woman)

mean_age_of_all = Audit(mean_age, PureDP(1.0), everybody, max_calls=30_000)
ratings_of_all = Audit(ratings, PureDP(1.0), everybody, max_calls=30_000)

frequencies_that_occur = Audit(affairs_by_frequency, PureDP(1.0), everybody, expect="DPA109")
mean_of_a_small_cell = Audit(mean_children, PureDP(1.0), one_cell, expect="DPA103")
