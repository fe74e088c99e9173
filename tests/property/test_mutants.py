"""Sound mechanisms with one small mistake are VERIFIED only where they are private all the same.

A sample of `benchmarks/bench_mutation.py`, drawn with a fixed seed: one mutant of each of four
mechanisms; in a full sweep four of each of eight.
"""

import numpy as np
import pytest

import dpaudit
from dpaudit import AddRemove, AnyPair, Integer, PureDP, QueryAnswers, Real, ReplaceOne, Verdict
from mechanisms.above_threshold import above_threshold
from mechanisms.clipped_sum import clipped_sum
from mechanisms.count import count
from mechanisms.histogram import histogram
from mechanisms.mean import mean_private_size, mean_public_size
from mechanisms.noisy_max import report_noisy_max
from mechanisms.randomized_response import randomized_response
from tests.checking import check
from tests.sweeps import repeated, sampled
from tools.mutation import load, mutants, source_of

pytest.importorskip("cvc5")

EACH = repeated(1, full=4)
RECORDS = AddRemove(Real(0, 100), max_size=8)
FIVE = ReplaceOne(Real(0, 100), size=5)
ANSWERS = QueryAnswers(3)
SOUND = [
    (count, 1.0, RECORDS),
    (clipped_sum, 1.0, RECORDS),
    (histogram, 1.0, RECORDS),
    (mean_private_size, 1.0, RECORDS),
    (mean_public_size, 1.0, FIVE),
    (report_noisy_max, 1.0, ANSWERS),
    (above_threshold, 1.0, ANSWERS),
    (randomized_response, 1.1, AnyPair(Integer(0, 1))),
]


@pytest.mark.parametrize(("mechanism", "epsilon", "neighbors"), sampled(SOUND, 1))
def test_no_mutant_is_verified_that_running_it_refutes(mechanism, epsilon, neighbors, tmp_path):
    """With a fresh seed this fails with probability 1e-6 for each mutant that is rightly proved.

    Each that is proved is read by the checker of certificates, run with frozen noise on pair after
    pair, and bet against on the pair that looks worst. Where a proof takes longer than its limit
    less is tested.
    """
    claim = PureDP(epsilon)
    all_of_them = list(mutants(source_of(mechanism), mechanism.__name__))
    rng = np.random.default_rng(len(all_of_them))
    for i in rng.permutation(len(all_of_them))[:EACH]:
        name = f"{mechanism.__name__}_mutant_{i}"
        try:
            mutant = load(all_of_them[i], mechanism, tmp_path, name)
        except Exception:  # a mutant may fail in any way when it is imported
            continue
        report = dpaudit.verify(mutant, claim, neighbors, timeout=2.0)
        if report.verdict is not Verdict.VERIFIED:
            continue
        checked = check(report.certificate.to_dict(), timeout=10)
        assert checked.accepted or not checked.decided, (all_of_them[i].change, checked.reason)
        engines = ["trace", "statistical"]
        run = dpaudit.audit(mutant, claim, neighbors, engines=engines, max_calls=3_000)
        assert run.verdict is not Verdict.REFUTED, all_of_them[i].change


def test_half_the_noise_is_refuted_by_running_it():
    """With a fresh seed this would fail about once in a thousand runs."""

    def half(data, rng):
        return len(data) + rng.laplace(scale=0.25)

    engines = ["trace", "statistical"]
    run = dpaudit.audit(half, PureDP(1.0), RECORDS, engines=engines, max_calls=3_000)
    assert run.verdict is Verdict.REFUTED
