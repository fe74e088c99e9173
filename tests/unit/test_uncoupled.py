"""Draws that no seed repeats are reported as not coupled, in one line."""

import ctypes
import hashlib
import json
import math
import os
import secrets
import sqlite3
import subprocess
import sys

import numpy as np
import pytest

import dpaudit
from dpaudit import AddRemove, PureDP, Real
from dpaudit.evidence import NOT_COUPLED, NOT_FOLLOWED
from dpaudit.report.page import run_html
from tests.reporting import run_of

RECORDS = AddRemove(Real(0, 1), max_size=4)
LIBC = ctypes.CDLL(None)


def laplace(bits):
    """Return Laplace noise of scale 2, from 64 bits."""
    u = (bits + 0.5) / 2**64 - 0.5
    return -2 * math.copysign(math.log(1 - 2 * abs(u)), u)


def by_system(data):
    return len(data) + laplace(int.from_bytes(os.urandom(8), "little"))


def by_secrets_in_a_loop(data):
    noise = [0, 0]
    for side in (0, 1):
        while secrets.randbelow(1000) > 300:
            noise[side] += 1
    return len(data) + noise[0] - noise[1]


def by_device(data):
    with open("/dev/urandom", "rb") as device:
        return len(data) + laplace(int.from_bytes(device.read(8), "little"))


def by_compiled_code(data):
    held = ctypes.create_string_buffer(8)
    LIBC.getrandom(held, 8, 0)
    return len(data) + laplace(int.from_bytes(held.raw, "little"))


def by_database(data):
    with sqlite3.connect(":memory:") as database:
        (number,) = database.execute("select random()").fetchone()
    return len(data) + laplace(number % 2**64)


def by_process(data):
    command = [sys.executable, "-ISc", "import os; print(os.urandom(8).hex())"]
    shown = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return len(data) + laplace(int(shown, 16))


def beside_seen_noise(data, rng):
    return by_compiled_code(data) + rng.laplace()


@dpaudit.vectorized
def many_by_system(data, size, rng):
    return len(data) + np.array([laplace(int.from_bytes(os.urandom(8))) for _ in range(size)])


UNSEEN = [by_device, by_compiled_code, by_database]
KINDS = [by_system, by_secrets_in_a_loop, *UNSEEN, beside_seen_noise, many_by_system]


def noted(report):
    return [note for note in report.to_dict()["evidence"][-1]["notes"] if "not coupled" in note]


@pytest.mark.parametrize("mechanism", KINDS)
def test_draws_that_take_no_seed_are_reported_in_one_line_of_each_format(mechanism):
    """The sound mechanisms are refuted with probability 1e-6."""
    engines = ["trace", "statistical"]
    report = dpaudit.audit(mechanism, PureDP(1.0), RECORDS, engines=engines, max_calls=1_000)
    assert report.verdict is not dpaudit.Verdict.REFUTED
    assert "DPA116" not in str(report)
    assert str(report).count(NOT_COUPLED) == 1
    assert report._repr_html_().count(NOT_COUPLED) == 1
    assert run_html(run_of(("count", report, "NOT_REFUTED"))).count(NOT_COUPLED) == 1
    assert NOT_COUPLED in json.dumps(report.to_dict())


def test_a_process_that_draws_is_not_coupled():
    """Each call starts a process."""
    report = dpaudit.audit(
        by_process, PureDP(1.0), RECORDS, engines=["statistical"], max_calls=60, alpha=0.01
    )
    assert noted(report) == [NOT_COUPLED]


@pytest.mark.parametrize("mechanism", [*UNSEEN, beside_seen_noise])
def test_the_trace_alone_reports_noise_that_it_does_not_see(mechanism):
    report = dpaudit.audit(mechanism, PureDP(1.0), RECORDS, engines=["trace"], max_calls=1_000)
    assert noted(report) == [NOT_COUPLED]
    assert not report.evidence[-1].suspects


@pytest.mark.parametrize(
    "mechanism",
    [
        lambda data, rng: len(data) + rng.laplace(scale=2),
        lambda data: len(data) + np.random.laplace(scale=2),  # noqa: NPY002
    ],
)
def test_draws_that_take_a_seed_are_coupled_and_nothing_is_reported(mechanism):
    engines = ["trace", "statistical"]
    report = dpaudit.audit(mechanism, PureDP(1.0), RECORDS, engines=engines, max_calls=1_000)
    assert "not coupled" not in str(report)


@pytest.mark.parametrize("mechanism", [by_system, by_secrets_in_a_loop])
def test_the_trace_couples_draws_of_the_system(mechanism):
    report = dpaudit.audit(mechanism, PureDP(1.0), RECORDS, engines=["trace"], max_calls=1_000)
    assert noted(report) == []


def by_key(key):
    """Stand for compiled code that draws by a key."""
    return laplace(int.from_bytes(hashlib.sha256(repr(key).encode()).digest()[:8], "little"))


def by_drawn_key(data, rng):
    return len(data) + by_key(int(rng.integers(2**31)))


def by_key_of_the_system(data):
    return len(data) + by_key(secrets.token_bytes(4))


def by_choice(data, rng):
    weights = np.exp(np.bincount(data.astype(int), minlength=2) / 2)
    return int(rng.choice(2, p=weights / weights.sum()))


@pytest.mark.parametrize("mechanism", [by_drawn_key, by_key_of_the_system])
def test_noise_that_the_trace_repeats_and_does_not_follow_is_reported_in_one_line(mechanism):
    report = dpaudit.audit(mechanism, PureDP(1.0), RECORDS, engines=["trace"], max_calls=400)
    assert str(report).count(NOT_FOLLOWED) == 1
    assert "not coupled" not in str(report)


@pytest.mark.parametrize("mechanism", [by_choice, lambda data, rng: len(data) + rng.laplace()])
def test_noise_that_the_trace_follows_is_not_reported(mechanism):
    report = dpaudit.audit(mechanism, PureDP(1.0), RECORDS, engines=["trace"], max_calls=400)
    assert NOT_FOLLOWED not in str(report)


@dpaudit.vectorized
def many(data, size, rng):
    return len(data) + rng.laplace(scale=2, size=size)


def of_integers(data, rng):
    return len(data) + int(rng.geometric(0.3) - rng.geometric(0.3))


@pytest.mark.parametrize(
    ("mechanism", "why"),
    [
        (many, ""),
        (of_integers, "none of its first noise calls"),
        (lambda data, rng: len(data) + rng.laplace(scale=2), ""),
        (lambda data, rng: 1.0, ""),
    ],
)
def test_noise_that_cannot_be_steered_is_reported_in_one_line(mechanism, why):
    """The sound mechanisms are refuted with probability 1e-6."""
    report = dpaudit.audit(mechanism, PureDP(1.0), RECORDS, engines=["trace"], max_calls=2_000)
    told = [note for note in report.evidence[-1].notes if "steered" in note]
    assert [why in note for note in told] == [True] * bool(why)
