"""Families refute true claims no more often than alpha says.

`benchmarks/bench_families.py` makes 2,000 families of audits, and as many of fair games.
"""

import math

import pytest
from scipy.stats import binom

from benchmarks.fair_families import FAMILIES, LEVEL, audited, errs, played
from dpaudit import Verdict
from tests.sweeps import repeated

FAMILIES_PLAYED = repeated(600, full=2_000)
SURE = 1e-3


@pytest.mark.parametrize("chances", [(0.5,) * 4, (0.5, 0.5, 0.56, 0.56)])
def test_families_of_fair_games_err_no_more_often_than_alpha_says(chances):
    """With fresh seeds it fails 2 times in 1,000 at most; were α spent twice, 8 times in 10.

    Calls go to the games that win, each goes on from where it stopped, and closed testing asks less
    of a true one when false ones have been refuted.
    """
    wrong = sum(errs(played(seed, chances, LEVEL)) for seed in range(FAMILIES_PLAYED))
    assert wrong <= binom.isf(SURE, FAMILIES_PLAYED, LEVEL)
    if chances == (0.5,) * 4:
        assert wrong >= binom.isf(1 - SURE, FAMILIES_PLAYED, 0.04)  # the test sees what is spent


def test_false_games_are_refuted_at_least_as_often_as_bonferroni_would():
    reports = [played(seed, (0.5, 0.5, 0.56, 0.56), LEVEL) for seed in range(60)]
    for report in reports:
        for row in report.rows:
            if row.report.evidence[0].log_e_value >= math.log(4 / LEVEL):
                assert row.report.verdict is Verdict.REFUTED


@pytest.mark.parametrize("name", FAMILIES)
def test_audits_of_a_family_do_not_refute_what_is_true(name):
    """With fresh seeds it fails once in 100 runs at most."""
    runs = repeated(6, full=200)
    wrong = sum(audited((name, seed), calls=720)[0] for seed in range(runs))
    assert wrong <= binom.isf(0.01, runs, LEVEL)
