"""Refutations from the source that the code contradicts: none of them is a verdict."""

import json
import math
import random
import time

import numpy as np
import pytest

import dpaudit
from dpaudit import AddRemove, AnyPair, PureDP, Real, Verdict, ZeroConcentratedDP
from dpaudit.claims.symbolic import SymbolicClaim
from dpaudit.evidence import Budget, Event, Finding
from dpaudit.formal import attempts
from dpaudit.formal.confirm import DRAWS, confirmed
from dpaudit.formal.engine import FormalEngine
from dpaudit.formal.for_all import verify_for_all
from dpaudit.formal.refutation import Counterexample
from dpaudit.subject import Subject
from tests.sweeps import sampled
from tests.wild.programs import analyst_pipeline

TRIAL = 50  # calls that show how a mechanism has to be called
UNIT = AnyPair(Real(0, 1))
ROWS = AddRemove(Real(0, 1), max_size=4)


def sound(data, rng):
    return data + rng.laplace(0, 1)


def broken(data, rng):
    return data + rng.laplace(0, 0.25)


def exact(data, rng):
    return data - 0.5 + rng.laplace(0, 1)


def slowly(data, rng):
    time.sleep(0.01)
    return exact(data, rng)


@dpaudit.vectorized
def sound_rows(data, size, rng):
    return data + rng.laplace(0, 1, size)


def sound_coin(data, rng):
    return (data > 0.5) ^ (rng.random() < 0.3)


class Geometric:
    def __call__(self, x):
        def k():
            return int(random.expovariate(2.0))

        return x + k() - k()


def counted(data, release=Geometric()):  # noqa: B008
    return release(len(data))


def forged(event, p, q, left=1.0, right=0.0, *, replayed=False):
    finding = Finding("DPA201", "error", "forged", engine="formal", pair=(left, right))
    shown = Event(event, event)
    return Counterexample(
        left, right, "forged", shown, 9.0, "forged", finding, (p, p), (q, q), replayed=replayed
    )


FORGED = {
    "wrong probabilities": forged("output > 0.5", 0.9, 0.1),
    "probabilities exchanged": forged("output > 0.5", 0.3032653, 0.6967346),
    "datasets exchanged": forged("output > 0.5", 0.6967346, 0.3032653, 0.0, 1.0),
    "another event": forged("output > 5", 0.5, 0.1),
    "an event that never happens": forged("output == 'never'", 0.4, 0.0),
    "a certain event": forged("output == 1", 1.0, 0.0),
    "an event that is always there": forged("True", 0.5, 0.0),
    "an event that raises": forged("output[7][3] > 0", 1.0, 0.0),
    "an event that is no expression": forged("(False  # the call)", 1.0, 0.0),
    "an error": forged("False  # the call raises ValueError", 1.0, 0.0),
    "impossible on the right": forged("output > 0.5", 0.6967346, 0.0),
    "said to be replayed": forged("output > 0.5", 0.9, 0.1, replayed=True),
}


NAMED = [pytest.param(forgery, id=name) for name, forgery in FORGED.items()]


@pytest.mark.parametrize("forgery", sampled(NAMED, 4))
@pytest.mark.parametrize("mechanism", [sound, sound_rows])
@pytest.mark.parametrize("place", range(5))
def test_a_forged_counterexample_of_any_attempt_is_no_verdict(
    monkeypatch, place, mechanism, forgery
):
    real = attempts._attempts

    def forge(*arguments, **named):
        return forgery

    def with_forgery(subject, runner):
        every = real(subject, runner)
        return ((*every[place][:2], forge), every[-1])

    monkeypatch.setattr(attempts, "_attempts", with_forgery)
    monkeypatch.setattr(attempts, "_second_look", lambda found, *_, **__: found)
    found = FormalEngine().examine(
        Subject.of(mechanism), PureDP(1.0), UNIT, Budget(max_calls=DRAWS)
    )
    assert found.verdict is None
    assert "misread" in found.reason or "could not be run" in found.reason
    assert not found.findings
    assert found.replay == ""


@pytest.mark.parametrize("forgery", sampled(NAMED, 4))
def test_a_forged_second_look_is_no_verdict(monkeypatch, forgery):
    monkeypatch.setattr(attempts, "_second_look", lambda *_, **__: forgery)
    report = dpaudit.verify(sound, PureDP(1.0), UNIT)
    assert report.verdict is Verdict.INCONCLUSIVE
    assert "misread" in report.reason or "could not be run" in report.reason


@pytest.mark.parametrize("forgery", sampled(NAMED, 4))
def test_a_forged_refutation_at_a_value_is_no_verdict(monkeypatch, forgery):
    def scaled(data, rng, epsilon):
        return data + rng.laplace(0, 1 / epsilon)

    def decided(subject, claim, neighbors, seconds, limit, runner=None, check=None):
        return attempts.Answer(program=object(), result=forgery)

    monkeypatch.setattr(attempts, "decided_by", decided)
    found = verify_for_all(scaled, SymbolicClaim.of("PureDP(epsilon)"), UNIT, timeout=20.0)
    assert found.verdict is not Verdict.REFUTED


@pytest.mark.parametrize("family", ["laplace", "random"])
def test_a_draw_that_is_read_as_a_constant_refutes_nothing(monkeypatch, family):
    """The lifter is made to read the source of a mechanism without noise."""
    from dpaudit.formal import lift

    def noiseless(data, rng):
        return data + 0.37

    def constant_coin(data, rng):
        return data > 0.5

    real = lift.lift
    wrong = {"laplace": noiseless, "random": constant_coin}[family]
    monkeypatch.setattr(lift, "lift", lambda subject, **named: real(Subject.of(wrong), **named))
    report = dpaudit.verify({"laplace": sound, "random": sound_coin}[family], PureDP(1.0), UNIT)
    assert report.verdict is not Verdict.REFUTED


def test_a_sound_count_with_a_callable_that_draws_is_never_refuted_from_its_source():
    """Twenty audits draw from the global generator, in whatever state it is."""
    for seed in range(20):
        random.seed(seed)
        found = FormalEngine(3.0).examine(
            Subject.of(counted), PureDP(2.0), ROWS, Budget(max_calls=DRAWS, seed=seed)
        )
        assert found.verdict is not Verdict.REFUTED, seed


def test_a_rounded_count_with_the_noise_of_scipy_is_never_refuted_from_its_source():
    for seed in range(8):
        np.random.seed(seed)  # noqa: NPY002
        found = FormalEngine(3.0).examine(
            Subject.of(analyst_pipeline.truncated_count),
            PureDP(1.0),
            AddRemove(Real(0, 100), max_size=8),
            Budget(max_calls=DRAWS, seed=seed),
        )
        assert found.verdict is not Verdict.REFUTED, seed


def test_a_refutation_says_how_the_code_confirmed_it_and_what_that_took():
    report = dpaudit.verify(broken, PureDP(1.0), UNIT)
    assert report.verdict is Verdict.REFUTED
    [evidence] = report.to_dict()["evidence"]
    assert evidence["replay"] in ("replayed", "sampled")
    assert 0 < report.calls <= DRAWS + 100
    assert "checked by running the code" in report.summary()
    assert json.dumps(report.to_dict())


def test_the_bound_of_a_refutation_is_one_on_the_parameter_of_its_claim():
    def gauss(data, rng):
        return data + rng.normal(0, 0.2)

    report = dpaudit.verify(gauss, ZeroConcentratedDP(0.5), UNIT)
    assert report.verdict is Verdict.REFUTED
    assert 0.5 < report.parameter_bound <= 12.5


@pytest.mark.parametrize("rate", [1e-9, 1e-6])
def test_an_event_too_rare_to_be_seen_is_called_consistent_only(rate):
    from dpaudit.formal.engine import refutation

    rare = forged("output > 40", rate, 0.0)
    found = refutation(Subject.of(sound), PureDP(1.0), rare, Budget(max_calls=DRAWS), None)
    assert found.verdict is Verdict.REFUTED
    assert found.replay == "consistent only"


def test_no_more_is_drawn_than_the_audit_allows_nor_for_long_from_slow_code(monkeypatch):
    true = forged("output > 0.5", 0.5, 0.1839397, replayed=True)
    few = confirmed(Subject.of(exact), PureDP(1.0), true, Budget(max_calls=60), None)
    assert few.how == "replayed"
    assert few.calls <= 60 + TRIAL
    monkeypatch.setattr("dpaudit.formal.confirm.SECONDS", 0.2)
    slow = confirmed(Subject.of(slowly), PureDP(1.0), true, Budget(max_calls=DRAWS), None)
    assert slow.how == "replayed"
    assert slow.calls <= 400 + TRIAL


def test_an_event_of_records_of_an_array_is_seen():
    """A record of an array is read as a tuple, and is none."""
    from audits import nonprivate

    audit = nonprivate.raw_sample
    report = dpaudit.verify(audit.mechanism, audit.claim, audit.neighbors)
    assert report.verdict is Verdict.REFUTED
    assert report.evidence[0].replay == "replayed"


def coin_at(epsilon):
    """Exactly PureDP(epsilon) on 1 against 0."""

    def mechanism(data, rng):
        return bool(rng.random() < 1 / (1 + math.exp(-epsilon if data == 1 else epsilon)))

    return mechanism


@pytest.mark.parametrize(
    ("epsilon", "q"),
    [*((e, 0.0) for e in (0.5, 1.0, 2.0, 4.0, 5.0, 6.0, 6.5)), *((e, 0.3) for e in (0.5, 1, 2, 4))],
)
def test_a_misread_coin_is_contradicted(epsilon, q):
    """On the right a coin at its claim is read as one that hardly ever, or never, falls so.

    Beyond 6.5 nats the runs are too few to see it. Ten seeds each; a fresh one fails once in 10^5.
    """
    from dpaudit.formal.engine import refutation

    true = 1 / (1 + math.exp(epsilon))
    misread = forged("output", 1 - true, q * true)
    for seed in range(10):
        budget = Budget(max_calls=DRAWS, seed=seed)
        found = refutation(Subject.of(coin_at(epsilon)), PureDP(epsilon), misread, budget, None)
        assert found.verdict is None, (epsilon, seed)


@pytest.mark.parametrize("calls", [1, 2, 100, 198])
def test_too_few_calls_to_check_a_refutation_are_no_verdict(calls):
    from dpaudit.formal.engine import refutation

    true = forged("output > 0.5", 0.5, 0.1839397)
    found = refutation(Subject.of(exact), PureDP(0.5), true, Budget(max_calls=calls), None)
    assert found.verdict is None
    assert "Set it to 200 or more" in found.reason


@pytest.mark.parametrize("sides", [(1, 0), (0, 1)])
def test_an_error_on_one_side_alone_is_a_refutation_that_the_code_confirms(sides):
    def fails(data, rng):
        if len(data) % 2 == sides[0]:
            raise KeyError("no bin")
        return rng.laplace()

    report = dpaudit.verify(fails, PureDP(1.0), ROWS)
    assert report.verdict is Verdict.REFUTED
    assert report.evidence[0].replay == "replayed"


def a_difference_that_floats_lose(data, rng):
    return len(data) * 1e-20 + 1.0 if rng.random() < 1e-5 else 0.0


def test_outputs_that_floats_do_not_tell_apart_refute_nothing():
    """Of such rare outputs the runs see none, so that nothing contradicts the exact numbers."""
    report = dpaudit.verify(
        a_difference_that_floats_lose, PureDP(1.0), AddRemove(Real(0, 10), max_size=3)
    )
    assert report.verdict is not dpaudit.Verdict.REFUTED
