"""Objects whose class is at hand, and what libraries of private mechanisms build."""

from __future__ import annotations

import pytest

from dpaudit.static.analysis import found_in
from dpaudit.static.modules import Project
from dpaudit.static.reading import read
from dpaudit.static.relations import Relation

RECORDS = Relation("add", True, False, 0.0, 100.0, True)
ENGINE = """
import numpy as np
class Engine:
    def __init__(self, data, epsilon, rng):
        self.data, self.epsilon, self.rng = data, epsilon, rng
        self.spent = 0.0
    def charge(self, price):
        {check}
            raise ValueError("over")
        self.spent += price
    def count(self):
        self.charge(0.5)
        self.count_ = len(self.data)
        return self.count_ + self.rng.laplace(scale=2 / self.epsilon)
def release(data, rng, epsilon=1.0):
    engine = Engine(data, epsilon, rng)
    return {value}
"""
IN_TIME = "if self.spent + price > self.epsilon:"
LATE = "if self.spent > self.epsilon:"
OPENDP = """
import opendp.prelude as dp
SPACE = dp.vector_domain(dp.atom_domain(T=float)), dp.symmetric_distance()
TOTAL = SPACE >> dp.t.then_clamp((0.0, 10.0)) >> dp.t.then_sum()
NOISY = TOTAL >> dp.m.then_laplace(scale=10.0)
def release(data):
    return {value}
"""
DIFFPRIVLIB = """
from diffprivlib import tools
from diffprivlib.models import GaussianNB
def release(data):
    return {value}
"""


def errors(tmp_path, text):
    path = tmp_path / "mechanism.py"
    path.write_text(text)
    project = Project((tmp_path,))
    function = project.module(path, str(path)).functions["release"]
    found = found_in(read(project, function, RECORDS, data=["data"], epsilon=1.0))
    return {finding.id for finding in found if finding.level == "error"}


@pytest.mark.parametrize(
    ("check", "value", "ids"),
    [
        (IN_TIME, "engine.count()", set()),
        (IN_TIME, "(engine.count(), engine.count_)", {"DPA101"}),
        (LATE, "[engine.count(), engine.count(), engine.count()]", {"DPA107"}),
    ],
)
def test_what_a_method_binds_is_what_its_object_holds(tmp_path, check, value, ids):
    assert errors(tmp_path, ENGINE.format(check=check, value=value)) == ids


@pytest.mark.parametrize(
    ("text", "value", "ids"),
    [
        (OPENDP, "NOISY(list(data))", set()),
        (OPENDP, "TOTAL(list(data))", {"DPA101"}),
        (DIFFPRIVLIB, "tools.mean(data, epsilon=1.0, bounds=(0, 100))", set()),
        (DIFFPRIVLIB, "GaussianNB(bounds=(0, 9)).fit(data, data > 5).theta_", set()),
        (DIFFPRIVLIB, "(tools.count_nonzero(data), len(data))", {"DPA101"}),
    ],
)
def test_what_a_library_builds_adds_noise_unless_it_is_a_transformation(tmp_path, text, value, ids):
    assert errors(tmp_path, text.format(value=value)) == ids


WALLET = """
import numpy as np
class Wallet:
    def __init__(self, data, left, rng):
        self.data, self.left, self.rng = data, left, rng
    def count(self, price):
        noisy = len(self.data) + self.rng.laplace(scale=1 / price)
        {check}
            raise ValueError("over")
        self.left -= {taken}
        return noisy
def release(data, rng, epsilon=1.0):
    wallet = Wallet(data, epsilon, rng)
    return [wallet.count(0.4), wallet.count(0.4), wallet.count(0.4)]
"""


@pytest.mark.parametrize(
    ("check", "taken", "ids"),
    [
        ("if self.left <= 0:", "price", {"DPA107"}),
        ("if self.left < 0:", "price", {"DPA107"}),
        ("if self.left < price:", "price", set()),
        ("if self.left <= 0 or self.left < price:", "price", set()),
        ("if self.left <= 0:", "1", set()),
    ],
)
def test_what_is_left_is_tested_with_the_price_that_is_taken(tmp_path, check, taken, ids):
    assert errors(tmp_path, WALLET.format(check=check, taken=taken)) == ids


RUNNING = """
def release(data, rng):
    total = 0.0
    for x in data:
        total += {added}
        yield {released}
"""


@pytest.mark.parametrize(
    ("added", "released", "ids"),
    [
        ("x / 100", "total + rng.laplace(scale=1.0)", {"DPA107"}),
        ("x / 100", "total + rng.laplace(scale=40.0)", set()),
        ("x / 100 + rng.laplace(scale=1.0)", "total", set()),
    ],
)
def test_running_sums_with_noise_of_scale_one_pay_for_one_sum(tmp_path, added, released, ids):
    assert errors(tmp_path, RUNNING.format(added=added, released=released)) == ids
