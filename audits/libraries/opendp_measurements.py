"""Measurements of OpenDP, at the privacy that their own maps state.

Not from `opendp.prelude`, which loads scikit-learn and starts threads in each process of an audit.
"""

from functools import cache, partial

import numpy as np
from opendp import combinators, measurements, transformations
from opendp.domains import atom_domain, vector_domain
from opendp.measures import max_divergence
from opendp.metrics import absolute_distance, l1_distance, linf_distance, symmetric_distance
from opendp.mod import enable_features

from dpaudit import (
    AnyPair,
    Audit,
    Categorical,
    Integer,
    Pairs,
    PureDP,
    ZeroConcentratedDP,
)

REQUIRES = ("opendp",)
enable_features("contrib", "honest-but-curious")

answer = Pairs([(np.array([0.0]), np.array([1.0]))])
whole = AnyPair(Integer(0, 1))
two, three = np.array([10.0, 10.0]), np.array([10.0, 10.0, 10.0])
records = Pairs([(two, three)])
letters = Pairs([(["a", "b"], ["a", "b", "b"])])


@cache
def measurement(name):
    """Return a measurement; each process builds its own, since none of them can be sent."""
    return globals()[f"build_{name}"]()


def released(name, convert, data):
    return measurement(name)(convert(data))


def first(data):
    return float(data[0])


def floats(data):
    return [float(x) for x in data]


def words(data):
    return [str(x) for x in data]


def integers(data):
    return [round(x) for x in data]


def number():
    return atom_domain(T=float, nan=False), absolute_distance(T=float)


def integer():
    return atom_domain(T=int), absolute_distance(T=int)


def numbers():
    domain = atom_domain(bounds=(0.0, 10.0), nan=False)
    return vector_domain(domain), symmetric_distance()


def build_laplace():
    return measurements.make_laplace(*number(), scale=1.0)


def build_gaussian():
    return measurements.make_gaussian(*number(), scale=1.0)


def build_discrete_laplace():
    return measurements.make_laplace(*integer(), scale=1.0)


def build_discrete_gaussian():
    return measurements.make_gaussian(*integer(), scale=1.0)


def build_geometric():
    return measurements.make_geometric(*integer(), scale=1.0, bounds=(0, 5))


def build_vector():
    space = vector_domain(atom_domain(T=float, nan=False)), l1_distance(T=float)
    return measurements.make_laplace(*space, scale=1.0)


def build_noisy_max():
    space = vector_domain(atom_domain(T=int)), linf_distance(T=int)
    return measurements.make_noisy_max(*space, max_divergence(), scale=2.0)


def build_response():
    return measurements.make_randomized_response_bool(prob=0.75)


def build_category():
    return measurements.make_randomized_response(["a", "b", "c"], prob=0.5)


def build_sum():
    return numbers() >> transformations.then_sum() >> measurements.then_laplace(scale=10.0)


def build_count():
    return numbers() >> transformations.then_count() >> measurements.then_laplace(scale=1.0)


def build_counts():
    space = vector_domain(atom_domain(T=str)), symmetric_distance()
    counts = transformations.then_count_by_categories(categories=["a", "b"], null_category=True)
    return space >> counts >> measurements.then_laplace(scale=1.0)


def build_both():
    half = [
        numbers() >> transformations.then_count() >> measurements.then_laplace(scale=2.0),
        numbers() >> transformations.then_sum() >> measurements.then_laplace(scale=20.0),
    ]
    return combinators.make_composition(half)


def build_unclamped():
    """Say that sums of unclamped records move by 10: what a user must vouch for."""
    domain = vector_domain(atom_domain(T=float, nan=False))
    total = transformations.make_user_transformation(
        domain,
        symmetric_distance(),
        *number(),
        function=sum,
        stability_map=lambda d_in: 10.0 * d_in,
    )
    return total >> measurements.then_laplace(scale=10.0)


def sum_of_unclamped_records(data):
    return measurement("unclamped")(floats(data))


def paid(name, distance):
    """Return the epsilon that a measurement's own map states."""
    return PureDP(measurement(name).map(distance))


def pure(name, convert, neighbors, distance, reason, **options):
    options = {"engines": ["statistical"], "max_calls": 5_000} | options
    return Audit(
        partial(released, name, convert),
        paid(name, distance),
        neighbors,
        reason=reason,
        **options,
    )


def concentrated(name, convert, neighbors, distance, reason):
    claim = ZeroConcentratedDP(measurement(name).map(distance))
    run = partial(released, name, convert)
    # The noise takes no seed: in one run of ten, 5,000 calls are too few to say what they catch.
    return Audit(run, claim, neighbors, reason=reason, engines=["statistical"], max_calls=7_000)


laplace = pure("laplace", first, answer, 1.0, "Δ/b")
gaussian = concentrated("gaussian", first, answer, 1.0, "Δ²/2σ²")
discrete_laplace = pure("discrete_laplace", int, whole, 1, "Δ/b")
discrete_gaussian = concentrated("discrete_gaussian", int, whole, 1, "Δ²/2σ²")
geometric = pure("geometric", int, whole, 1, "Δ/b, clamped to public bounds")
vector = pure(
    "vector",
    floats,
    Pairs([(np.zeros(2), np.array([0.5, 0.5]))]),
    1.0,
    "Δ₁/b",
)
noisy_max = pure(
    "noisy_max",
    integers,
    Pairs([(np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 1.0]))]),
    1,
    "twice the largest change, over b",
)
response = pure("response", bool, whole, 1, "log(p/(1 − p))")
category = pure(
    "category", str, AnyPair(Categorical(["a", "b"])), 1, "log(2p/(1 − p)) for three words"
)
total = pure("sum", floats, records, 1, "clamped records move a sum by 10")
count = pure("count", floats, records, 1, "a record counts once")
counts = pure("counts", words, letters, 1, "a record is in one category")
count_and_total = pure("both", floats, records, 1, "what both cost, added up")

unclamped = Audit(
    sum_of_unclamped_records,
    paid("unclamped", 1),
    Pairs([(np.array([5.0]), np.array([5.0, 1000.0]))]),
    expect="REFUTED",
    engines=["statistical"],
    reason="the stability that a user vouches for does not hold for records beyond 10",
    max_calls=20_000,
)
