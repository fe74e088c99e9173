"""Noise of libraries is seen where an adapter describes it, whatever library declares one."""

import sys
import types
from importlib.metadata import EntryPoint

import numpy as np
import pytest

from dpaudit import AddRemove, PureDP, Real, audit, frozen_noise
from dpaudit.subject import Subject
from dpaudit.trace.adapters import found
from dpaudit.trace.adapters.opendp import distance
from dpaudit.trace.adapters.primitive import Noise, Primitive
from dpaudit.trace.draws import SPENT, Cost, UnseenNoiseError
from dpaudit.trace.record import Bench

SCALE = 0.5


class Compiled:
    """Stands for a library whose generator nobody reaches: it takes no seed."""

    __name__ = "compiled"

    def __init__(self):
        self.draw = np.random.PCG64().random_raw

    def release(self, value):
        uniform = self.draw() / 2**64 - 0.5
        return value - SCALE * np.sign(uniform) * float(np.log1p(-2 * abs(uniform)))


def price(one, two):
    apart = abs(one.arguments["value"] - two.arguments["value"])
    return Cost(apart / SCALE, 0.0, apart)


def install(monkeypatch, library, **options):
    def primitives():
        yield Primitive(library, "release", options["describe"], options.get("again"))
        yield Primitive(library, "of_a_later_release", options["describe"])

    module = types.ModuleType("compiled_adapter")
    module.primitives = primitives
    monkeypatch.setitem(sys.modules, "compiled", library)
    monkeypatch.setitem(sys.modules, "compiled_adapter", module)
    declared = EntryPoint("compiled", "compiled_adapter:primitives", found.GROUP)
    monkeypatch.setattr(found, "_declared", lambda: {"compiled": declared})


@pytest.fixture
def library(monkeypatch):
    made = Compiled()
    install(monkeypatch, made, describe=lambda value: Noise("compiled", {"value": value}, price))
    return made


def test_a_call_is_seen_with_its_arguments_and_left_as_it_was(library):
    before = library.release
    with Bench(Subject.of(lambda data: library.release(float(data.sum())))) as bench:
        run = bench.run(np.array([1.0, 2.0]), (1,))
    [draw] = run.noise
    assert (draw.kind, draw.request.source) == ("compiled", "compiled")
    assert draw.request.arguments == {"value": 3.0}
    assert draw.value == run.output
    assert library.release == before


def test_a_price_of_the_library_gives_the_cause_its_id_and_line(library):
    def total(data):
        answer = float(data.sum())
        return library.release(answer)

    report = audit(
        total, PureDP(1.0), AddRemove(Real(0, 1), max_size=4), engines=["trace"], max_calls=20_000
    )
    [finding] = report.findings
    assert finding.id == "DPA105"
    assert finding.line == total.__code__.co_firstlineno + 1
    assert (
        "the value before the compiled noise is 1 on one dataset and 0 on the other"
        in finding.message
    )


def test_noise_that_is_paid_for_by_the_library_is_no_suspicion(library):
    report = audit(
        lambda data: library.release(float(data.sum())),
        PureDP(2.0),
        AddRemove(Real(0, 1), max_size=4),
        engines=["trace"],
        max_calls=2_000,
    )
    assert "give no suspicion" in report.evidence[0].reason


def test_noise_that_takes_no_seed_cannot_be_frozen_and_says_so(library):
    with pytest.raises(UnseenNoiseError, match="takes no seed"), frozen_noise(seed=1):
        library.release(1.0)


def test_noise_of_an_adapter_repeats_with_a_seed_and_vanishes_without_noise(monkeypatch):
    library = Compiled()
    install(
        monkeypatch,
        library,
        describe=lambda value: Noise("laplace", {"loc": value, "scale": SCALE}),
        again=lambda hands, original: lambda value: hands.state.laplace(value, SCALE),
    )
    values = []
    for seed in (1, 1, 2):
        with frozen_noise(seed=seed):
            values.append(library.release(3.0))
    assert values[0] == values[1] != values[2]
    with frozen_noise(zero=True):
        assert library.release(3.0) == 3.0


def test_an_adapter_that_does_not_load_is_named(monkeypatch):
    declared = {"numpy": EntryPoint("numpy", "nowhere_at_all:primitives", found.GROUP)}
    monkeypatch.setattr(found, "_declared", lambda: declared)
    with (
        pytest.raises(found.AdapterError, match="'nowhere_at_all:primitives'"),
        frozen_noise(seed=1),
    ):
        pass


def test_noise_of_the_system_is_repeated_and_no_sign_of_memory():
    import random

    system = random.SystemRandom()

    def total(data):
        return data.sum() + system.gauss(0, 100)

    report = audit(
        total, PureDP(1.0), AddRemove(Real(0, 1), max_size=4), engines=["trace"], max_calls=300
    )
    assert "DPA116" not in report.evidence[0].reason


def test_costs_that_an_accountant_is_told_of_are_noted_and_draw_nothing():
    accounting = pytest.importorskip("dp_accounting", reason="dp-accounting is not installed")
    event = accounting.GaussianDpEvent(2.0)

    def mechanism(data, rng):
        accounting.pld.PLDAccountant().compose(event, 3)
        return data.sum() + rng.normal(scale=2.0)

    with Bench(Subject.of(mechanism)) as bench:
        run = bench.run(np.ones(3), (1,))
    spent = [draw for draw in run.draws if draw.kind == SPENT]
    assert [draw.request.arguments["event"] for draw in spent] == [event]
    assert [draw.request.arguments["count"] for draw in spent] == [3]
    assert [draw.kind for draw in run.noise] == ["normal"]


@pytest.mark.parametrize(
    ("metric", "one", "two", "apart"),
    [
        ("SymmetricDistance", [1, 2, 2], [2, 3], 3.0),
        ("InsertDeleteDistance", [1, 2, 3], [3, 1, 2], 2.0),
        ("ChangeOneDistance", [1, 2, 3], [3, 1, 4], 1.0),
        ("ChangeOneDistance", [1, 2], [1], None),
        ("HammingDistance", [1, 2, 3], [3, 2, 1], 2.0),
        ("DiscreteDistance", "a", "b", 1.0),
        ("AbsoluteDistance<f64>", 1.0, 3.0, 2.0),
        ("L1Distance<i32>", [1, 2], [3, 1], 3.0),
        ("L2Distance<f64>", [0.0, 0.0], [3.0, 4.0], 5.0),
        ("opendp::metrics::LInfDistance<f64>", [0.0, 0.0], [3.0, 4.0], 4.0),
        ("L1Distance<f64>", [0.0], [1.0, 2.0, 3.0, 4.0], None),
        ("PartitionDistance<SymmetricDistance>", [1], [2], None),
    ],
)
def test_arguments_are_as_far_apart_as_their_metric_says(metric, one, two, apart):
    assert distance(metric, one, two) == apart
