"""Releases from surveys: marriages (Fair 1978), voters (ANES 1996), travellers (Greene 2003)."""

from functools import partial

import numpy as np
import pandas as pd
from statsmodels.datasets import anes96, fair, modechoice

from dpaudit import AddRemove, Audit, PureDP, Real, Row
from mechanisms.clipped_sum import clipped_sum
from mechanisms.count import count
from mechanisms.flawed.histogram_data_keys import histogram_data_keys
from mechanisms.flawed.mean_local_sensitivity import mean_local_sensitivity
from mechanisms.flawed.sum_minmax_nan import sum_minmax_nan
from mechanisms.histogram import histogram
from mechanisms.mean import mean_private_size
from mechanisms.nonprivate.k_anonymity import k_anonymity
from mechanisms.nonprivate.l_diversity import l_diversity
from mechanisms.nonprivate.suppression import suppress_small_cells
from mechanisms.quantile import quantile_on_grid

survey = fair.load_pandas().data[["rate_marriage", "age", "children", "occupation", "affairs"]]
unhappy = survey[survey.rate_marriage == 1]  # 99 women
unhappy_managers = unhappy[unhappy.occupation == 5]  # nine
unhappy_professionals = unhappy[unhappy.occupation == 6]  # one
woman = Row(
    rate_marriage=Real(1, 5),
    age=Real(17, 43),
    children=Real(0, 6),
    occupation=Real(1, 6),
    affairs=Real(0, 60),
)
everybody = AddRemove.around(survey, woman)
one_group = AddRemove.around(unhappy, woman)
small_group = AddRemove.around(unhappy_managers, woman)
one_cell = AddRemove.around(unhappy_professionals, woman)

electorate = anes96.load_pandas().data[["PID", "age", "income", "vote"]]
voter = Row(
    PID=Real(0, 6), age=Real(18, 91), income=Real(1, 24, allow_nan=True), vote=Real(0, 1)
)  # whoever does not say what they earn has NaN there
voters = AddRemove.around(electorate, voter)

trips = modechoice.load_pandas().data[["individual", "mode", "choice", "invt"]]
travellers = AddRemove.around(trips, unit="individual")  # four rows each, one a way to travel


def mean_age(frame: pd.DataFrame, rng: np.random.Generator) -> float:
    return mean_private_size(frame["age"].to_numpy(), rng, low=17, high=43)


def ratings(frame: pd.DataFrame, rng: np.random.Generator) -> np.ndarray:
    edges = np.array([1.5, 2.5, 3.5, 4.5])
    return histogram(frame["rate_marriage"].to_numpy(), rng, edges=edges)


def affairs_by_frequency(frame: pd.DataFrame, rng: np.random.Generator) -> dict[float, float]:
    return histogram_data_keys(frame["affairs"].to_numpy(), rng)


def mean_children(frame: pd.DataFrame, rng: np.random.Generator) -> float:
    return mean_local_sensitivity(frame["children"].to_numpy(), rng, low=0, high=6)


def affairs_by_occupation(frame: pd.DataFrame, rng: np.random.Generator) -> dict[int, object]:
    """Return the size of each group and the noisy number of affairs in it."""
    occupation, affairs = frame["occupation"].to_numpy(), frame["affairs"].to_numpy()
    groups = {job: affairs[occupation == job] for job in range(1, 7)}
    return {job: (len(g), clipped_sum(g, rng, high=60)) for job, g in groups.items()}


def occupations(frame: pd.DataFrame) -> dict[object, int]:
    return suppress_small_cells(frame["occupation"].to_numpy(), k=5)


def parties(frame: pd.DataFrame, rng: np.random.Generator) -> np.ndarray:
    return histogram(frame["PID"].to_numpy(), rng, edges=np.arange(0.5, 6))


def older_voters(frame: pd.DataFrame, rng: np.random.Generator) -> float:
    return count(np.flatnonzero(frame["age"].to_numpy() >= 65), rng)


def median_age(frame: pd.DataFrame, rng: np.random.Generator) -> float:
    return quantile_on_grid(frame["age"].to_numpy(), rng, grid=np.arange(18.0, 92), sensitivity=0.5)


def incomes(frame: pd.DataFrame, rng: np.random.Generator) -> float:
    return clipped_sum(frame["income"].to_numpy(), rng, low=1, high=24)


def incomes_with_missing(frame: pd.DataFrame, rng: np.random.Generator) -> float:
    return sum_minmax_nan(frame["income"].to_numpy(), rng, low=1, high=24)


def hours_travelled(frame: pd.DataFrame, rng: np.random.Generator) -> float:
    """Return the time of all chosen ways, of which each traveller has one."""
    chosen = frame["invt"].to_numpy()[frame["choice"].to_numpy() == 1]
    return clipped_sum(chosen / 60, rng, high=24)


def hours_of_all_ways(frame: pd.DataFrame, rng: np.random.Generator) -> float:
    """Return the time of all ways, with the noise that one row needs."""
    return clipped_sum(frame["invt"].to_numpy() / 60, rng, high=24)


k_anonymous = partial(k_anonymity, k=3, quasi=("age", "children"), sensitive="affairs")
diverse = partial(l_diversity, ell=2, quasi=("age", "children"), sensitive="affairs")

mean_age_of_all = Audit(mean_age, PureDP(1.0), everybody, expect="VERIFIED", max_calls=30_000)
ratings_of_all = Audit(ratings, PureDP(1.0), everybody, expect="VERIFIED", max_calls=30_000)
parties_of_voters = Audit(parties, PureDP(1.0), voters, expect="VERIFIED", max_calls=30_000)
voters_of_65 = Audit(older_voters, PureDP(1.0), voters, expect="VERIFIED", max_calls=30_000)
median_age_of_voters = Audit(median_age, PureDP(1.0), voters, expect="VERIFIED", max_calls=30_000)
incomes_some_missing = Audit(incomes, PureDP(1.0), voters, expect="VERIFIED", max_calls=30_000)
hours_a_traveller = Audit(hours_travelled, PureDP(1.0), travellers, max_calls=30_000)

frequencies_that_occur = Audit(affairs_by_frequency, PureDP(1.0), everybody, expect="DPA109")
mean_of_a_small_cell = Audit(mean_children, PureDP(1.0), one_cell, expect="DPA103")
sizes_of_groups = Audit(affairs_by_occupation, PureDP(1.0), one_group, expect="DPA101")
small_cells_suppressed = Audit(occupations, PureDP(1.0), one_group, expect="DPA109")
k_anonymous_release = Audit(k_anonymous, PureDP(1.0), small_group, expect="DPA109")
diverse_release = Audit(diverse, PureDP(1.0), small_group, expect="DPA109")
missing_passes_the_clip = Audit(incomes_with_missing, PureDP(1.0), voters, expect="DPA104")
noise_for_a_row = Audit(hours_of_all_ways, PureDP(1.0), travellers, expect="DPA105")
