"""Generator functions and async functions are mechanisms as they are."""

import asyncio
import functools

import numpy as np
import pytest

import dpaudit
from dpaudit import AddRemove, Integer, PureDP, Verdict
from dpaudit.outputs import Raised, encode
from dpaudit.subject import Subject
from dpaudit.worker.first_calls import first_outputs, origin_of
from tests.unit.formal import ended_programs as programs

RECORDS = AddRemove(Integer(0, 10), max_size=6)


def steps(data):
    values = [len(data)]
    yield values
    values[0] = 0
    yield values


def counted(data):
    yield 1
    return len(data)


def stops(data):
    yield len(data)
    raise ValueError("much")


async def later(data):
    await asyncio.sleep(0)
    return len(data)


async def streamed(data):
    yield len(data)
    await asyncio.sleep(0)
    yield 2


def wrapped(function):
    @functools.wraps(function)
    def listing(data):
        return list(function(data))

    return listing


@pytest.mark.parametrize(
    ("mechanism", "output"),
    [
        (steps, [[3], [0]]),
        (counted, ([1], 3)),
        (later, 3),
        (streamed, [3, 2]),
        (functools.partial(counted), ([1], 3)),
        (wrapped(steps), [[0], [0]]),
    ],
)
def test_what_a_call_gives_runs_to_its_end(mechanism, output):
    assert Subject.of(mechanism).function(np.zeros(3)) == output


def test_a_generator_takes_its_noise_by_name():
    subject = Subject.of(programs.Engine(1.0))
    [found] = subject.function(np.zeros(3), np.random.default_rng(0))
    assert found == 3 + np.random.default_rng(0).laplace()


def test_a_coroutine_runs_where_an_event_loop_does():
    async def around():
        return Subject.of(later).function([0, 0])

    assert asyncio.run(around()) == 2


def test_an_exception_holds_what_was_yielded_before_it():
    outputs = []
    for size in (2, 3):
        with pytest.raises(ValueError, match="much") as caught:
            Subject.of(stops).function(np.zeros(size))
        outputs.append(Raised(caught.value))
    columns = encode(outputs)
    assert columns.numbers[".yielded_before[0]"].tolist() == [2, 3]


@pytest.mark.parametrize("seen", [["return", "exceptions"], ["return"], ["exceptions"]])
def test_what_was_yielded_is_seen_where_what_is_returned_is(seen):
    with pytest.raises(Exception, match="much" if "exceptions" in seen else "an exception") as got:
        Subject.of(stops).observing(seen).watched()(np.zeros(2))
    assert Raised(got.value).yielded_before == ([2] if "return" in seen else None)


@pytest.mark.parametrize(
    ("mechanism", "id_"),
    [
        (programs.raises_by_a_coin, "DPA102"),
        (programs.raises_on_data, "DPA108"),
        (programs.blanked_after_it_left, "DPA101"),
    ],
    ids=lambda value: getattr(value, "__name__", value),
)
def test_broken_ones_are_refuted_with_a_replay(mechanism, id_):
    report = dpaudit.audit(
        mechanism, PureDP(1.0), RECORDS, engines=["trace"], max_calls=2_000, seed=0
    )
    assert report.verdict is Verdict.REFUTED
    assert report.findings[0].id == id_
    assert "mechanism = mechanism and to_its_end(mechanism)" in report.witness.script()


def endless(data):
    while True:
        yield len(data)


async def cancelled(data):
    yield len(data)
    raise asyncio.CancelledError


async def cancels_itself(data):
    raise asyncio.CancelledError


def test_a_generator_without_end_raises_an_exception():
    with pytest.raises(RuntimeError, match="continues after 10,000 values") as caught:
        Subject.of(endless).function(np.zeros(2))
    assert Raised(caught.value).yielded_before == [2] * 10_000


@pytest.mark.parametrize(("mechanism", "before"), [(cancelled, [2]), (cancels_itself, None)])
def test_one_that_is_cancelled_raises_an_exception_that_an_output_may_be(mechanism, before):
    with pytest.raises(RuntimeError, match="was cancelled") as caught:
        Subject.of(mechanism).function(np.zeros(2))
    assert Raised(caught.value).yielded_before == before


def test_first_calls_of_new_processes_run_to_their_end():
    origin = origin_of(Subject.of(stops))
    [found] = first_outputs(origin, [(np.zeros(2), None)], timeout=60, until=None)
    assert found.numbers[".yielded_before[0]"].tolist() == [2]


def responses(answer, rng):
    """Twice randomized response: each costs ln 3."""
    for _ in range(2):
        told = answer if rng.random() < 0.5 else int(rng.random() < 0.5)
        print(told)
        yield told


def test_exact_distributions_follow_what_is_yielded_and_printed():
    bits = dpaudit.AnyPair(dpaudit.Categorical([0, 1]))
    proofs = {
        cost: dpaudit.audit(responses, PureDP(cost), bits, engines=["formal"]).verdict
        for cost in (2.2, 2.19)
    }
    assert proofs == {2.2: Verdict.VERIFIED, 2.19: Verdict.REFUTED}


MODULE = """
import asyncio


def released(data, rng):
    yield len(data) + rng.laplace(scale=2)
    yield len(data) + rng.laplace(scale=2)


async def count(data, rng):
    await asyncio.sleep(0)
    return len(data) + rng.laplace(scale=2)


async def counted(data, rng):
    return await asyncio.gather(count(data, rng), count(data, rng))


async def other(data, rng):
    return len(data) + rng.laplace(scale=0.5)
"""


@pytest.mark.parametrize("name", ["released", "counted"])
def test_a_certificate_is_checked_from_the_function_that_is_named(name, tmp_path, monkeypatch):
    module = f"_ended_{name}"
    (tmp_path / f"{module}.py").write_text(MODULE)
    monkeypatch.syspath_prepend(tmp_path)
    file = tmp_path / "proof.json"
    dpaudit.verify(f"{module}:{name}", PureDP(1.0), RECORDS).certificate.save(file)
    for given in (None, f"{module}:{name}"):
        result = dpaudit.checker.check(file, mechanism=given)
        assert result.accepted, result
    assert not dpaudit.checker.check(file, mechanism=f"{module}:other").accepted
