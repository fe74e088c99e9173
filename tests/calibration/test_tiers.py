"""Audits in tiers: mechanisms exactly at their claim are refuted no more often than α says.

`benchmarks/bench_tiers.py alarms` runs more of them.
"""

from scipy.stats import binom

from tests.calibration.tier_laws import LAWS, played
from tests.sweeps import repeated, sampled

LEVEL = 0.2
AUDITS = repeated(1, full=8)  # for each law
TRIED = sampled(LAWS, 2)
SURE = 1e-4


def test_later_tiers_add_no_false_alarms():
    """H0: each of 2 audits, 40 in a full sweep, over all tiers is refuted with probability .2.

    More than a binomial test at 1e-4 allows would come up with fresh seeds in less than one run of
    10,000. In at least one audit, traces or steered noise go on in a later tier.
    """
    found = [played(name, seed, LEVEL) for name in TRIED for seed in range(AUDITS)]
    assert sum(each.refuted for each in found) <= binom.isf(SURE, len(found), LEVEL)
    assert max(each.tiers for each in found) > 2
    assert any(each.traced > 1 for each in found)
