"""No verdict on the wild set is wrong; how many are decided is measured by bench_wild.py."""

from __future__ import annotations

import pytest

import dpaudit
from dpaudit import Verdict
from tests.wild.cases import CASES

SAMPLE = CASES[::8]  # benchmarks/bench_wild.py tries them all, and audits them too


@pytest.mark.parametrize("case", SAMPLE, ids=lambda case: case.name)
def test_a_proof_never_says_the_wrong_thing(case):
    wrong = Verdict.REFUTED if case.sound else Verdict.VERIFIED
    assert dpaudit.verify(case.mechanism, case.claim, case.neighbors).verdict is not wrong
