"""Tools and models of diffprivlib, as they are documented and where they are known to leak."""

import warnings
from functools import partial

import numpy as np
from diffprivlib import models, tools

from audits.libraries._state import state
from dpaudit import Audit, Pairs, PureDP

REQUIRES = ("diffprivlib",)

sampled = {"engines": ["statistical"], "max_calls": 5_000}
traced = {"engines": ["trace", "statistical"], "max_calls": 20_000}
replaced = Pairs([(np.zeros(4), np.array([0.0, 0.0, 0.0, 1.0]))])
removed = Pairs([(np.array([0.0, 0.5, 1.0]), np.array([0.0, 0.5]))])


def quietly(tool, data, rng, **options):
    """Run a tool without its warnings, which are a part of neither output nor verdict."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return tool(data, epsilon=1.0, random_state=state(rng), **options)


def noisy_histogram(data, rng, **options):
    return quietly(tools.histogram, data, rng, bins=3, range=(0, 1), **options)[0]


def noisy_histogram_2d(data, rng):
    return quietly(
        tools.histogram2d, data[:, 0], rng, array_y=data[:, 1], bins=2, range=[(0, 1), (0, 1)]
    )[0]


def density_without_range(data, rng):
    sample = np.column_stack((data, data))
    return quietly(tools.histogramdd, sample, rng, bins=2, density=True)[0]


def standardized(data, rng):
    model = models.StandardScaler(epsilon=1.0, bounds=(0, 1), random_state=state(rng))
    model.fit(data.reshape(-1, 1))
    return model.mean_[0], model.var_[0]


def slope(low, data, rng):
    """Fit y = ax, for x from `low` to `low + 1`."""
    model = models.LinearRegression(
        epsilon=1.0,
        bounds_X=(low, low + 1),
        bounds_y=(0, 1),
        fit_intercept=False,
        random_state=state(rng),
    )
    model.fit(data[:, :1], data[:, 1])
    return model.coef_[0]


# The witness of a function with a name of its own is a script that runs.


def mean_of_own_bounds(data, rng):
    return quietly(tools.mean, data, rng)


def sum_of_own_bounds(data, rng):
    return quietly(tools.sum, data, rng)


def median(data, rng):
    return quietly(tools.median, data, rng, bounds=(0, 1))


def slope_of_positive_features(data, rng):
    return slope(0.0, data, rng)


unit = {"bounds": (0, 1)}
mean = Audit(
    partial(quietly, tools.mean, **unit),
    PureDP(1.0),
    replaced,
    reason="(u − l)/n where n is public",
    **sampled,
)
variance = Audit(
    partial(quietly, tools.var, **unit),
    PureDP(1.0),
    replaced,
    reason="(u − l)²(n − 1)/n² where n is public",
    **sampled,
)
deviation = Audit(
    partial(quietly, tools.std, **unit),
    PureDP(1.0),
    replaced,
    reason="the root of the variance",
    **sampled,
)
total = Audit(
    partial(quietly, tools.sum, **unit),
    PureDP(1.0),
    replaced,
    reason="u − l where n is public",
    **sampled,
)
nonzero = Audit(
    partial(quietly, tools.count_nonzero),
    PureDP(1.0),
    replaced,
    reason="a count",
    **sampled,
)
middle = Audit(
    median,
    PureDP(1.0),
    replaced,
    reason="the exponential mechanism over ranks",
    **sampled,
)
quartiles = Audit(
    partial(quietly, tools.quantile, quant=[0.25, 0.75], **unit),
    PureDP(1.0),
    replaced,
    reason="each quantile gets half of ε",
    **sampled,
)
histogram = Audit(
    noisy_histogram,
    PureDP(1.0),
    removed,
    reason="a record is in one bin",
    **sampled,
)
density = Audit(
    partial(noisy_histogram, density=True),
    PureDP(1.0),
    removed,
    reason="the bins are public: the noisy counts are all that is used",
    **sampled,
)
histogram_2d = Audit(
    noisy_histogram_2d,
    PureDP(1.0),
    Pairs([(np.array([[0.2, 0.7], [0.8, 0.1]]), np.array([[0.2, 0.7]]))]),
    reason="a record is in one bin",
    **sampled,
)
scaler = Audit(
    standardized,
    PureDP(1.0),
    replaced,
    reason="half of ε for the mean, half for the variance",
    **sampled,
)

# What is published as an error upstream, or warned of by the library itself.

mean_without_bounds = Audit(
    mean_of_own_bounds,
    PureDP(1.0),
    replaced,
    expect="REFUTED",
    reason="bounds that are not given are read off the data, as its warning says",
    **traced,
)
sum_without_bounds = Audit(
    sum_of_own_bounds,
    PureDP(1.0),
    replaced,
    expect="REFUTED",
    reason="bounds that are not given are read off the data, as its warning says",
    **traced,
)
density_of_own_range = Audit(
    density_without_range,
    PureDP(1.0),
    Pairs([(np.array([0.4, 0.6]), np.array([0.4, 0.6, 1.0]))]),
    expect="REFUTED",
    reason="bins that are not given span the data, as its warning says",
    **traced,
)
median_of_nan = Audit(
    median,
    PureDP(1.0),
    Pairs([(np.full(4, 0.5), np.array([0.5, 0.5, 0.5, np.nan]))]),
    expect="REFUTED",
    reason="one NaN makes the answer NaN, IBM/differential-privacy-library#80",
    **traced,
)
points = np.array([[0.1, 0.0], [0.1, 0.0], [0.1, 0.0]])
moved = np.array([[0.1, 0.0], [0.1, 0.0], [0.5, 1.0]])
regression_square = Audit(
    slope_of_positive_features,
    PureDP(1.0),
    Pairs([(points, moved)]),
    expect="REFUTED",
    reason="the square of a feature gets noise for its lower bound alone, "
    "IBM/differential-privacy-library#105",
    **(sampled | {"max_calls": 20_000}),
)
regression_square_symmetric = Audit(
    partial(slope, -0.5),
    PureDP(1.0),
    Pairs([(points, moved)]),
    reason="with bounds that are symmetric the lower one is right",
    **sampled,
)
