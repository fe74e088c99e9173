"""Mechanisms of diffprivlib, with the sensitivity that they are told."""

import numpy as np
from diffprivlib import mechanisms

from audits.libraries._state import state
from dpaudit import AnyPair, ApproxDP, Audit, Categorical, Pairs, PureDP

REQUIRES = ("diffprivlib",)

answer = Pairs([(np.array([0.5]), np.array([1.5]))])
count = Pairs([(3, 4)])
levels = AnyPair(Categorical(["low", "high"]))
yes_no = AnyPair(Categorical(["no", "yes"]))
scores = Pairs([(np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 1.0]))])
sampled = {"engines": ["statistical"], "max_calls": 5_000}
SCALES = [["low", "middle", 1], ["low", "high", 2], ["middle", "high", 1]]


def noisy_answer(data, rng):
    noise = mechanisms.Laplace(epsilon=1.0, sensitivity=1.0, random_state=state(rng))
    return noise.randomise(data[0])


def noisy_answer_as_shipped(data):
    return mechanisms.Laplace(epsilon=1.0, sensitivity=1.0).randomise(data[0])


def noisy_answer_with_delta(data, rng):
    noise = mechanisms.Laplace(epsilon=0.5, delta=0.1, sensitivity=1.0, random_state=state(rng))
    return noise.randomise(data[0])


def truncated_answer(data, rng):
    noise = mechanisms.LaplaceTruncated(
        epsilon=1.0, sensitivity=1.0, lower=0.0, upper=2.0, random_state=state(rng)
    )
    return noise.randomise(data[0])


def folded_answer(data, rng):
    noise = mechanisms.LaplaceFolded(
        epsilon=1.0, sensitivity=1.0, lower=0.0, upper=2.0, random_state=state(rng)
    )
    return noise.randomise(data[0])


def answer_in_domain(data, rng):
    noise = mechanisms.LaplaceBoundedDomain(
        epsilon=1.0, sensitivity=1.0, lower=0.0, upper=2.0, random_state=state(rng)
    )
    return noise.randomise(min(max(data[0], 0.0), 2.0))


def bounded_noise(data, rng):
    noise = mechanisms.LaplaceBoundedNoise(
        epsilon=1.0, delta=0.1, sensitivity=1.0, random_state=state(rng)
    )
    return noise.randomise(data[0])


def snapped_answer(data, rng):
    noise = mechanisms.Snapping(
        epsilon=1.0, sensitivity=1.0, lower=-10.0, upper=10.0, random_state=state(rng)
    )
    return noise.randomise(data[0])


def staircase_answer(data, rng):
    noise = mechanisms.Staircase(epsilon=1.0, sensitivity=1.0, random_state=state(rng))
    return noise.randomise(data[0])


def uniform_answer(data, rng):
    noise = mechanisms.Uniform(delta=0.25, sensitivity=1.0, random_state=state(rng))
    return noise.randomise(data[0])


def gaussian_answer(data, rng):
    noise = mechanisms.Gaussian(epsilon=1.0, delta=0.01, sensitivity=1.0, random_state=state(rng))
    return noise.randomise(data[0])


def analytic_gaussian_answer(data, rng):
    noise = mechanisms.GaussianAnalytic(
        epsilon=1.0, delta=0.05, sensitivity=1.0, random_state=state(rng)
    )
    return noise.randomise(data[0])


def discrete_gaussian_count(data, rng):
    noise = mechanisms.GaussianDiscrete(
        epsilon=1.0, delta=0.05, sensitivity=1, random_state=state(rng)
    )
    return noise.randomise(data)


def geometric_count(data, rng):
    return mechanisms.Geometric(epsilon=1.0, random_state=state(rng)).randomise(data)


def truncated_count(data, rng):
    noise = mechanisms.GeometricTruncated(epsilon=1.0, lower=0, upper=5, random_state=state(rng))
    return noise.randomise(data)


def folded_count(data, rng):
    noise = mechanisms.GeometricFolded(epsilon=1.0, lower=0, upper=5, random_state=state(rng))
    return noise.randomise(data)


def randomized_response(record, rng):
    noise = mechanisms.Binary(epsilon=1.0, value0="no", value1="yes", random_state=state(rng))
    return noise.randomise(record)


def exponential_choice(data, rng):
    choice = mechanisms.Exponential(
        epsilon=1.0, sensitivity=1.0, utility=data.tolist(), random_state=state(rng)
    )
    return choice.randomise()


def permute_and_flip(data, rng):
    choice = mechanisms.PermuteAndFlip(
        epsilon=1.0, sensitivity=1.0, utility=data.tolist(), random_state=state(rng)
    )
    return choice.randomise()


def choice_of_category(record, rng):
    choice = mechanisms.ExponentialCategorical(
        epsilon=1.0, utility_list=SCALES, random_state=state(rng)
    )
    return choice.randomise(record)


def choice_in_hierarchy(record, rng):
    choice = mechanisms.ExponentialHierarchical(
        epsilon=1.0, hierarchy=[["low", "middle"], ["high"]], random_state=state(rng)
    )
    return choice.randomise(record)


def understated_answer(data, rng):
    noise = mechanisms.Laplace(epsilon=1.0, sensitivity=0.5, random_state=state(rng))
    return noise.randomise(data[0])


laplace = Audit(noisy_answer, PureDP(1.0), answer, reason="Δ/ε", **sampled)
laplace_as_shipped = Audit(
    noisy_answer_as_shipped,
    PureDP(1.0),
    answer,
    reason="the same law from the system's generator, which takes no seed",
    **sampled,
)
laplace_delta = Audit(
    noisy_answer_with_delta,
    ApproxDP(0.5, 0.1),
    answer,
    reason="Δ/(ε − log(1 − δ)), Holohan et al. 2015",
    **sampled,
)
laplace_truncated = Audit(
    truncated_answer, PureDP(1.0), answer, reason="post-processing", **sampled
)
laplace_folded = Audit(folded_answer, PureDP(1.0), answer, reason="post-processing", **sampled)
laplace_bounded_domain = Audit(
    answer_in_domain,
    PureDP(1.0),
    answer,
    reason="its scale pays for the normalization as well, Holohan et al. 2020",
    **sampled,
)
laplace_bounded_noise = Audit(
    bounded_noise,
    ApproxDP(1.0, 0.1),
    answer,
    reason="δ covers what the other support cannot reach",
    **sampled,
)
snapping = Audit(snapped_answer, PureDP(1.0), answer, reason="Mironov 2012", **sampled)
staircase = Audit(staircase_answer, PureDP(1.0), answer, reason="Geng et al. 2015", **sampled)
uniform = Audit(
    uniform_answer,
    ApproxDP(0.01, 0.25),
    answer,
    reason="two intervals of width Δ/δ overlap but for δ",
    **sampled,
)
gaussian = Audit(
    gaussian_answer,
    ApproxDP(1.0, 0.01),
    answer,
    reason="the classical scale, above the exact one",
    **sampled,
)
gaussian_analytic = Audit(
    analytic_gaussian_answer,
    ApproxDP(1.0, 0.05),
    answer,
    reason="the exact scale, Balle & Wang 2018",
    **sampled,
)
gaussian_discrete = Audit(
    discrete_gaussian_count,
    ApproxDP(1.0, 0.05),
    count,
    reason="Canonne, Kamath & Steinke 2020",
    **sampled,
)
geometric = Audit(geometric_count, PureDP(1.0), count, reason="Ghosh et al. 2012", **sampled)
geometric_truncated = Audit(
    truncated_count, PureDP(1.0), count, reason="post-processing", **sampled
)
geometric_folded = Audit(folded_count, PureDP(1.0), count, reason="post-processing", **sampled)
binary = Audit(randomized_response, PureDP(1.0), yes_no, reason="e^ε to 1 for the truth", **sampled)
exponential = Audit(
    exponential_choice, PureDP(1.0), scores, reason="McSherry & Talwar 2007", **sampled
)
permute_and_flip_choice = Audit(
    permute_and_flip, PureDP(1.0), scores, reason="McKenna & Sheldon 2020", **sampled
)
exponential_categorical = Audit(
    choice_of_category, PureDP(1.0), levels, reason="utilities set the odds", **sampled
)
exponential_hierarchical = Audit(
    choice_in_hierarchy, PureDP(1.0), levels, reason="utilities set the odds", **sampled
)

understated = Audit(
    understated_answer,
    PureDP(1.0),
    answer,
    expect="DPA105",
    engines=["trace", "statistical"],
    reason="told half of the sensitivity: an error of the caller's, seen through the adapter",
    max_calls=20_000,
)
