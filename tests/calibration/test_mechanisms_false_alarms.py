"""Sound reference mechanisms are not refuted: a sample of `benchmarks/bench_mechanisms.py`."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

from scipy.stats import binom

from dpaudit import Verdict
from dpaudit.collect import collect
from tests.sweeps import sampled
from tools.declared import AUDITS, kind_of

ALPHA, CALLS, SEED = 1e-3, 1_000, 4_000


def refuted(file: str) -> list[tuple[str, bool]]:
    """Audit some that are sound in a file once; in a full sweep all."""
    every = [a for a in collect([AUDITS / file]).audits if kind_of(a.audit) == "sound"]
    sound = sampled(every, len(every) // 12 + 1)
    reports = [
        (a.name, a.audit.run(alpha=ALPHA, seed=SEED, max_calls=CALLS, engines=["statistical"]))
        for a in sound
    ]
    return [(name, report.verdict is Verdict.REFUTED) for name, report in reports]


def test_sound_mechanisms_are_refuted_no_more_often_than_alpha_allows():
    """H0: each of some 25 audits at α = 1e-3 is refuted with probability at most 1e-3.

    A binomial test at 1e-3: a fresh seed fails once in 1,000 runs at most. The budget is small, so
    that this is a sample; a full sweep has some 200 audits, the benchmark 20 seeds at full size.
    """
    files = sorted(path.name for path in AUDITS.glob("*.py"))
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        results = [result for each in pool.map(refuted, files) for result in each]
    assert len(results) > 20
    alarms = [name for name, was_refuted in results if was_refuted]
    assert len(alarms) <= binom.ppf(1 - 1e-3, len(results), ALPHA), alarms
