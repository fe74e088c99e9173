"""Draws of diffprivlib, where it is installed: `make audit-libraries` runs this."""

import numpy as np
import pytest

from dpaudit import AddRemove, PureDP, Real, audit, frozen_noise
from dpaudit.subject import Subject
from dpaudit.trace.record import Bench

mechanisms = pytest.importorskip("diffprivlib.mechanisms", reason="diffprivlib is not installed")
bounds = {"lower": 0.0, "upper": 10.0}
ADDED = {
    "Gaussian": ({"epsilon": 0.5, "delta": 0.01, "sensitivity": 1.0}, "normal"),
    "GaussianAnalytic": ({"epsilon": 0.5, "delta": 0.01, "sensitivity": 1.0}, "normal"),
    "GaussianDiscrete": ({"epsilon": 0.5, "delta": 0.01}, "discrete_gaussian"),
    "Geometric": ({"epsilon": 0.5}, "discrete_laplace"),
    "GeometricTruncated": ({"epsilon": 0.5, "lower": 0, "upper": 10}, "discrete_laplace"),
    "Laplace": ({"epsilon": 0.5, "sensitivity": 1.0}, "laplace"),
    "LaplaceBoundedDomain": ({"epsilon": 0.5, "sensitivity": 1.0, **bounds}, "bounded_laplace"),
    "LaplaceFolded": ({"epsilon": 0.5, "sensitivity": 1.0, **bounds}, "laplace"),
    "LaplaceTruncated": ({"epsilon": 0.5, "sensitivity": 1.0, **bounds}, "laplace"),
    "Staircase": ({"epsilon": 0.5, "sensitivity": 1.0}, "staircase"),
}


@pytest.fixture(params=[None, 5], ids=["system", "seeded"])
def mechanism(request):

    def build(name, **options):
        seed = None if request.param is None else np.random.RandomState(request.param)
        return getattr(mechanisms, name)(**options, random_state=seed)

    return build


def recorded(function, data=4):
    with Bench(Subject.of(function)) as bench:
        return bench.run(data, (1,))


@pytest.mark.parametrize("name", ADDED)
def test_noise_that_a_mechanism_adds_is_one_draw_with_its_location(mechanism, name):
    options, kind = ADDED[name]
    run = recorded(lambda data: mechanism(name, **options).randomise(data))
    [draw] = run.noise
    assert (draw.kind, draw.request.arguments["loc"]) == (kind, 4)
    assert draw.request.arguments["scale"] > 0
    [base] = [base for sink in run.tape.sinks for base in run.tape.base(sink)][-1:]
    assert base == pytest.approx(4) or name.startswith(("LaplaceF", "LaplaceT", "GeometricT"))


@pytest.mark.parametrize("name", ADDED)
def test_recording_changes_nothing_under_the_same_state(name):
    options, _ = ADDED[name]

    def release(data):
        state = np.random.RandomState(7)
        return getattr(mechanisms, name)(**options, random_state=state).randomise(data)

    plain, run = release(4), recorded(release)
    assert (type(run.output), run.output) == (type(plain), plain)


@pytest.mark.parametrize("name", ADDED)
def test_frozen_noise_repeats_and_vanishes(mechanism, name):
    options, _ = ADDED[name]
    values = []
    for seed in (1, 1):
        with frozen_noise(seed=seed):
            values.append(mechanism(name, **options).randomise(4))
    assert values[0] == values[1]
    with frozen_noise(zero=True):
        assert mechanism(name, **options).randomise(4) == 4


def test_a_weighted_choice_has_the_chances_of_its_members(mechanism):
    utility, words = [0.0, 1.0, 2.0], ["a", "b", "c"]
    choose = lambda data: mechanism(  # noqa: E731
        "Exponential", epsilon=1.0, sensitivity=1.0, utility=utility, candidates=words
    ).randomise()
    [draw] = recorded(choose).noise
    weights = np.exp(np.array(utility) / 2)
    assert draw.kind == "choice"
    assert draw.request.arguments["a"] == words
    assert draw.request.arguments["p"] == pytest.approx(weights / weights.sum())


def test_a_wrong_argument_is_still_the_mechanisms_own_error(mechanism):
    with pytest.raises(TypeError), frozen_noise(seed=1):
        mechanism("Laplace", epsilon=1.0, sensitivity=1.0).randomise("text")


def test_a_sensitivity_that_is_too_small_is_located():

    def total(data):
        answer = float(data.sum())
        return mechanisms.Laplace(epsilon=1.0, sensitivity=0.5).randomise(answer)

    neighbors = AddRemove(Real(0, 1), max_size=4)
    report = audit(total, PureDP(1.0), neighbors, engines=["trace"], max_calls=20_000)
    [finding] = report.findings
    assert (finding.id, finding.line) == ("DPA105", total.__code__.co_firstlineno + 1)
