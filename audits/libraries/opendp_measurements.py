"""Measurements of OpenDP, at the privacy that their own maps state."""

from functools import cache, partial

import numpy as np
import opendp.prelude as dp

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
dp.enable_features("contrib", "honest-but-curious")

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
    return dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float)


def integer():
    return dp.atom_domain(T=int), dp.absolute_distance(T=int)


def numbers():
    domain = dp.atom_domain(bounds=(0.0, 10.0), nan=False)
    return dp.vector_domain(domain), dp.symmetric_distance()


def build_laplace():
    return dp.m.make_laplace(*number(), scale=1.0)


def build_gaussian():
    return dp.m.make_gaussian(*number(), scale=1.0)


def build_discrete_laplace():
    return dp.m.make_laplace(*integer(), scale=1.0)


def build_discrete_gaussian():
    return dp.m.make_gaussian(*integer(), scale=1.0)


def build_geometric():
    return dp.m.make_geometric(*integer(), scale=1.0, bounds=(0, 5))


def build_vector():
    space = dp.vector_domain(dp.atom_domain(T=float, nan=False)), dp.l1_distance(T=float)
    return dp.m.make_laplace(*space, scale=1.0)


def build_noisy_max():
    space = dp.vector_domain(dp.atom_domain(T=int)), dp.linf_distance(T=int)
    return dp.m.make_noisy_max(*space, dp.max_divergence(), scale=2.0)


def build_response():
    return dp.m.make_randomized_response_bool(prob=0.75)


def build_category():
    return dp.m.make_randomized_response(["a", "b", "c"], prob=0.5)


def build_sum():
    return numbers() >> dp.t.then_sum() >> dp.m.then_laplace(scale=10.0)


def build_count():
    return numbers() >> dp.t.then_count() >> dp.m.then_laplace(scale=1.0)


def build_counts():
    space = dp.vector_domain(dp.atom_domain(T=str)), dp.symmetric_distance()
    counts = dp.t.then_count_by_categories(categories=["a", "b"], null_category=True)
    return space >> counts >> dp.m.then_laplace(scale=1.0)


def build_both():
    half = [
        numbers() >> dp.t.then_count() >> dp.m.then_laplace(scale=2.0),
        numbers() >> dp.t.then_sum() >> dp.m.then_laplace(scale=20.0),
    ]
    return dp.c.make_composition(half)


def build_unclamped():
    """Say that sums of unclamped records move by 10: what a user must vouch for."""
    domain = dp.vector_domain(dp.atom_domain(T=float, nan=False))
    total = dp.t.make_user_transformation(
        domain,
        dp.symmetric_distance(),
        *number(),
        function=sum,
        stability_map=lambda d_in: 10.0 * d_in,
    )
    return total >> dp.m.then_laplace(scale=10.0)


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
