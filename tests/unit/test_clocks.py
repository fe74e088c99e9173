"""Clocks, addresses and what else tells of the process alone refute no claim."""

import copy
import ctypes
import datetime
import multiprocessing
import os
import secrets
import time
import uuid
from dataclasses import dataclass
from datetime import datetime as date
from functools import partial
from time import perf_counter

import numpy as np
import pytest

import dpaudit
from dpaudit import AddRemove, PureDP, Real, Verdict
from dpaudit.outputs import encode
from dpaudit.outputs.clocks import Clocks
from dpaudit.subject import Subject
from tests.sweeps import repeated, sampled

INCOMES = AddRemove(Real(0, 100), max_size=4)
ONE = PureDP(1.0)
LEVEL = 1e-4


def noisy_count(data, rng):
    return len(data) + rng.laplace(scale=1.3)


class Request:
    def __init__(self, data):
        self.data = data


class Service:
    def answer(self, data, rng):
        return {"count": noisy_count(data, rng), "request": id(data)}


def gives_an_address(data, rng):
    return noisy_count(data, rng), id(data)


def gives_an_address_as_a_text(data, rng):
    return {"count": noisy_count(data, rng), "request": hex(id(data))}


def gives_addresses_in_a_helper(data, rng):
    return address_of(data), list(map(id, [data])), noisy_count(data, rng)


def address_of(data):
    return f"{id(data):x}"


def gives_a_hash(data, rng):
    return noisy_count(data, rng), hash(Request(data))


def gives_a_default_text(data, rng):
    return noisy_count(data, rng), repr(Request(data)), str(rng)


def raises_with_an_address(data, rng):
    if noisy_count(data, rng) > 1:
        raise ValueError(Request(data), id(data))
    return 0


def gives_times(data, rng):
    start, began, first = perf_counter(), date.now(), time.monotonic_ns()
    sum(float(x) for x in data for _ in range(50))
    noisy = noisy_count(data, rng)
    took = (date.now() - began).total_seconds(), datetime.datetime.now() - began
    return noisy, perf_counter() - start, *took, time.monotonic_ns() - first, time.time()


def gives_random_names(data, rng):
    names = str(uuid.uuid1()), str(uuid.uuid4()), secrets.token_hex(8), os.getpid()
    return noisy_count(data, rng), *names


@dpaudit.vectorized
def gives_an_address_in_rows(data, size, rng):
    return np.column_stack([len(data) + rng.laplace(scale=1.3, size=size), np.full(size, id(data))])


SOUND = [
    gives_an_address, gives_an_address_as_a_text, gives_addresses_in_a_helper, gives_a_hash,
    gives_a_default_text, raises_with_an_address, gives_times, gives_random_names,
    gives_an_address_in_rows, partial(gives_an_address), Service().answer,
]  # fmt: skip


def name_of(mechanism):
    return getattr(mechanism, "__name__", "partial")


@pytest.mark.parametrize("mechanism", sampled(SOUND, 3), ids=name_of)
def test_what_tells_of_the_process_alone_is_no_violation(mechanism):
    """Fails with probability at most 2e-4 a case under a fresh seed: the level of each audit."""
    options = {"alpha": LEVEL, "max_calls": repeated(600, full=6_000), "max_seconds": None}
    for engine in ("trace", "statistical"):
        report = dpaudit.audit(mechanism, ONE, INCOMES, engines=[engine], progress=False, **options)
        assert report.verdict is not Verdict.REFUTED


def test_verify_does_not_refute_what_gives_an_address():
    """Fails with probability at most 1e-6 under a fresh seed."""
    report = dpaudit.verify(gives_an_address, ONE, INCOMES, progress=False, timeout=4)
    assert report.verdict is not Verdict.REFUTED


class Copied:
    def __init__(self, rng):
        self.rng = rng

    def ask(self, data):
        return len(data) + self.rng.laplace(scale=1.3)

    def copy(self):
        return copy.deepcopy(self, {id(self.rng): self.rng})  # the copy shares the generator


def shares_a_generator_by_its_address(data, rng):
    asked = Copied(rng)
    return asked.ask(data), asked.copy().ask([])


TODAY, KEY = time.time(), object()
SCALES = {id(KEY): 1.3}


def spends_less_each_day(data, rng):
    epsilon = 0.5 * 2.0 ** -int((time.time() - TODAY) // 86_400)
    return len(data) + rng.laplace(scale=0.6 / epsilon)


def looks_up_an_address(data, rng):
    return len(data) + rng.laplace(scale=SCALES.get(id(KEY), 0.2))


def stops_after_many_looks(data, rng):
    start = time.monotonic()
    late = any(time.monotonic() - start > 2.5e-3 for _ in data)
    return (0.0 if late else len(data)) + rng.laplace(scale=1.3)


def logs_how_long_all_records_took(data, rng):
    start = time.time()
    for _ in data:
        time.perf_counter()
    print(f"{time.time() - start:.3f} s")
    return noisy_count(data, rng)


def reads_an_object_at_its_address(data, rng):
    return noisy_count(ctypes.cast(id(data), ctypes.py_object).value, rng)


LAST = [time.time()]


def keeps_the_time_of_the_last_record(data, rng):
    since = time.time() - LAST[0]
    for _ in data:
        LAST[0] = time.time()
    return noisy_count(data, rng), round(since)


UNLIKE_REAL_RUNS = [
    shares_a_generator_by_its_address, spends_less_each_day, looks_up_an_address,
    stops_after_many_looks, logs_how_long_all_records_took, reads_an_object_at_its_address,
    keeps_the_time_of_the_last_record,
]  # fmt: skip


@pytest.mark.parametrize("mechanism", sampled(UNLIKE_REAL_RUNS, 2), ids=name_of)
def test_what_only_clocks_that_stand_still_show_is_no_violation(mechanism):
    """Fails with probability at most 1e-6 a case under a fresh seed."""
    options = {"max_calls": 2_000, "max_seconds": None, "progress": False}
    report = dpaudit.audit(mechanism, ONE, INCOMES, **options)
    assert report.verdict is not Verdict.REFUTED


def reads_a_clock_and_says_too_much(data, rng):
    start = perf_counter()
    noisy = len(data) + rng.laplace(scale=0.2)
    return {"noisy": noisy, "took": perf_counter() - start}


def prints_the_size_beside_the_time(data, rng):
    print(date.now(), len(data), time.time())
    return noisy_count(data, rng)


def test_an_exact_count_beside_a_time_is_refuted_by_its_id():
    """Events of probability 1 against 0: a fresh seed never fails."""
    options = {"max_calls": 2_000, "max_seconds": None, "progress": False, "engines": ["trace"]}
    report = dpaudit.audit(prints_the_size_beside_the_time, ONE, INCOMES, **options)
    assert [report.verdict, report.findings[0].id] == [Verdict.REFUTED, "DPA101"]


def gives_as_many_addresses_as_records(data, rng):
    return noisy_count(data, rng), [id(value) for value in data.tolist()]


def hashes_the_size(data, rng):
    return noisy_count(data, rng), hash(len(data)), id(data)


@pytest.mark.parametrize(
    "mechanism",
    [reads_a_clock_and_says_too_much, gives_as_many_addresses_as_records, hashes_the_size],
    ids=name_of,
)
def test_clocks_and_addresses_that_depend_on_the_data_are_refuted(mechanism):
    """Events of probability 1 against 0: a fresh seed never fails.

    Real addresses of numbers hang on what is free in memory. Where a new process has the same ones
    again, and others after a call, they look like memory of earlier calls, and nothing is refuted.
    """
    for engine in ("trace", "statistical"):
        options = {"max_calls": 2_000, "max_seconds": None, "progress": False}
        report = dpaudit.audit(mechanism, ONE, INCOMES, engines=[engine], **options)
        hangs = mechanism is gives_as_many_addresses_as_records
        unlike = hangs and "with clocks of the kind 'real' on the same pair" in report.reason
        assert report.verdict is (Verdict.INCONCLUSIVE if unlike else Verdict.REFUTED)


def test_the_names_of_a_module_are_as_before_afterwards():
    before = dict(globals()), time.time, time.sleep, os.getpid
    with pytest.raises(ZeroDivisionError):
        Subject.of(lambda data, rng: (id(data), 1 / 0)).observed([], None)
    Subject.of(gives_times).observed([], np.random.default_rng(0))
    assert (dict(globals()), time.time, time.sleep, os.getpid) == before


def test_clocks_go_on_by_looks_and_by_sleep():
    names = {"__name__": "module", "clock": time.time, "date": date, "library": datetime}
    with Clocks([names]):
        first, again = names["clock"](), time.time()
        assert again - first == pytest.approx(0.001, abs=1e-6)
        time.sleep(0.01)
        assert time.time() - again == pytest.approx(0.011, abs=1e-6)
        now = names["date"].now()
        assert type(now) is date
        assert isinstance(now, names["library"].datetime)
        assert type(now) == names["date"]  # noqa: E721
        assert {date: 1}[names["date"]] == 1
        assert names["date"](2026, 1, 2) == date(2026, 1, 2)
    assert names == {"__name__": "module", "clock": time.time, "date": date, "library": datetime}


def looks_in_a_loop(count):
    start = time.time()
    for _ in range(count):
        time.time()
    return time.time() - start


def test_looks_at_one_place_tell_no_number():
    with Clocks([], "places"):
        took = [looks_in_a_loop(count) for count in (0, 1, 16)]
        assert took[0] == took[1] == took[2] > 0
        end = time.monotonic() + 60
        while time.monotonic() < end:
            pass  # ends


def test_pools_of_processes_see_what_is_real():
    real = os.getpid()
    with Clocks([], "looks"):
        assert os.getpid() == 1
        with multiprocessing.get_context("fork").Pool(1) as pool:
            assert pool.map(abs, [-1, -2]) == [1, 2]
        assert multiprocessing.current_process().pid == real


@dataclass
class Answer:
    value: float
    request: object


@pytest.mark.parametrize(
    "given",
    [
        lambda it: id(it), lambda it: {"at": [id(it)], "hex": hex(id(it))}, lambda it: hash(it),
        lambda it: f"answer_{id(it):x} of {id(it)}", lambda it: np.full(3, float(id(it))),
        lambda it: Answer(0.5, f"0x{id(it):016X}"), lambda it: (np.array(id(it)), {id(it)}),
    ],
)  # fmt: skip
def test_addresses_are_left_out_of_outputs(given):
    function = Subject.of(given).observed
    first, second = Request(1), Request(2)
    assert encode([function(first)]).same_as(encode([function(second)]))
    assert not encode([given(first)]).same_as(encode([given(second)]))


def test_an_output_without_an_address_is_the_very_object():
    answer = Answer(0.5, "0x00000000abcd")
    assert Subject.of(lambda data: (id(data), answer)[1]).observed([]) is answer


def test_a_mechanism_that_signals_its_process_signals_no_other():
    sent = []
    number = os.getpid()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "kill", lambda process, signal: sent.append((process, signal)))
        Subject.of(lambda data: os.kill(os.getpid(), 9)).observed([])
    assert sent == [(number, 9)]


def test_code_that_reads_neither_clocks_nor_addresses_runs_as_it_is():
    assert Subject.of(noisy_count).observed is noisy_count
