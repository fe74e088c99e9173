"""Releases from health data: the RAND experiment (20,190 person-years), heart transplants."""

from functools import partial

import numpy as np
import pandas as pd
from statsmodels.datasets import heart, randhie

from dpaudit import AddRemove, Audit, PureDP, Real, Row
from mechanisms.clipped_sum import clipped_sum
from mechanisms.flawed.mean_local_sensitivity import mean_local_sensitivity
from mechanisms.flawed.mean_raw_count import mean_raw_count
from mechanisms.flawed.sum_minmax_nan import sum_minmax_nan
from mechanisms.histogram import histogram
from mechanisms.mean import mean_private_size
from mechanisms.nonprivate.sampling import sampling
from mechanisms.nonprivate.t_closeness import t_closeness
from mechanisms.quantile import quantile

experiment = randhie.load_pandas().data[["mdvis", "physlm", "disea", "hlthp"]]
people = AddRemove.around(experiment)
in_poor_health = AddRemove.around(experiment[experiment.hlthp == 1])  # 302 person-years

transplants = heart.load_pandas().data
patient = Row(survival=Real(0, 2000), censors=Real(0, 1), age=Real(8, 70))
patients = AddRemove.around(transplants, patient)
two_patients = AddRemove.around(transplants[transplants.age < 25], patient)
some_unknown = AddRemove.around(
    transplants, Row(survival=Real(0, 2000, allow_nan=True), censors=Real(0, 1), age=Real(8, 70))
)


def visits(frame: pd.DataFrame, rng: np.random.Generator) -> float:
    return clipped_sum(frame["mdvis"].to_numpy(), rng, low=0, high=20)


def mean_visits(frame: pd.DataFrame, rng: np.random.Generator) -> tuple[float, int]:
    return mean_raw_count(frame["mdvis"].to_numpy(), rng, low=0, high=20)


def visits_by_number(frame: pd.DataFrame, rng: np.random.Generator) -> np.ndarray:
    return histogram(frame["mdvis"].to_numpy(), rng, edges=np.array([1.0, 3.0, 6.0, 11.0]))


def limits_and_diseases(frame: pd.DataFrame, rng: np.random.Generator) -> np.ndarray:
    """Return a table: physically limited or not, by four groups of chronic diseases."""
    limited = frame["physlm"].to_numpy() >= 0.5
    group = np.searchsorted([5, 10, 20], frame["disea"].to_numpy(), side="right")
    cells = 4 * limited + group
    return histogram(cells, rng, edges=np.arange(1.0, 8.0)).reshape(2, 4)


def mean_age(frame: pd.DataFrame, rng: np.random.Generator) -> float:
    return mean_private_size(frame["age"].to_numpy(), rng, low=8, high=70)


def survival(frame: pd.DataFrame, rng: np.random.Generator) -> float:
    return clipped_sum(frame["survival"].to_numpy(), rng, low=0, high=2000)


def survival_with_unknown(frame: pd.DataFrame, rng: np.random.Generator) -> float:
    return sum_minmax_nan(frame["survival"].to_numpy(), rng, low=0, high=2000)


def median_survival(frame: pd.DataFrame, rng: np.random.Generator) -> float:
    return quantile(frame["survival"].to_numpy(), rng, high=2000, sensitivity=0.5)


def mean_survival(frame: pd.DataFrame, rng: np.random.Generator) -> float:
    return mean_local_sensitivity(frame["survival"].to_numpy(), rng, low=0, high=2000)


def sample(frame: pd.DataFrame, rng: np.random.Generator) -> np.ndarray:
    return sampling(frame.to_records(index=False), rng)


close = partial(t_closeness, t=0.2, quasi=("age",), sensitive="censors")

visits_to_the_doctor = Audit(visits, PureDP(1.0), people, expect="VERIFIED", max_calls=30_000)
histogram_of_visits = Audit(
    visits_by_number, PureDP(1.0), in_poor_health, expect="VERIFIED", max_calls=30_000
)
table_of_limits = Audit(
    limits_and_diseases, PureDP(1.0), in_poor_health, expect="VERIFIED", max_calls=30_000
)
mean_age_of_patients = Audit(mean_age, PureDP(1.0), patients, expect="VERIFIED", max_calls=30_000)
median_survival_of_patients = Audit(median_survival, PureDP(1.0), patients, max_calls=10_000)
survival_some_unknown = Audit(
    survival, PureDP(1.0), some_unknown, expect="VERIFIED", max_calls=30_000
)

mean_with_its_n = Audit(mean_visits, PureDP(1.0), people, expect="DPA101")
unknown_passes_the_clip = Audit(survival_with_unknown, PureDP(1.0), some_unknown, expect="DPA104")
mean_of_two_patients = Audit(mean_survival, PureDP(1.0), two_patients, expect="DPA103")
close_release = Audit(close, PureDP(1.0), patients, expect="DPA109")
sample_of_two_patients = Audit(sample, PureDP(1.0), two_patients, expect="DPA102")
