"""The shuffle model: local reports whose order says nothing, and a claim that counts on it."""

import numpy as np

from dpaudit import ApproxDP, Audit, Integer, PureDP, ReplaceOne
from mechanisms.flawed.shuffled_reports_in_order import shuffled_reports_in_order
from mechanisms.flawed.shuffled_reports_responders import shuffled_reports_responders
from mechanisms.shuffled_reports import amplified_delta, shuffled_reports

hundred = ReplaceOne(Integer(0, 1), 100)
amplified = ApproxDP(0.25, amplified_delta(100, 1.0, 0.25))


def tally(data: np.ndarray, rng: np.random.Generator) -> int:
    """How many reports are 1: as much as shuffled reports tell."""
    return int(shuffled_reports(data, rng).sum())


def tally_of_responders(data: np.ndarray, rng: np.random.Generator) -> int:
    return int(shuffled_reports_responders(data, rng).sum())


shuffled = Audit(shuffled_reports, amplified, hundred, expect="VERIFIED", max_calls=10_000)
shuffled_tally = Audit(tally, amplified, hundred, expect="VERIFIED", max_calls=30_000)

in_order = Audit(shuffled_reports_in_order, amplified, hundred, expect="DPA115")
in_order_at_the_local_claim = Audit(
    shuffled_reports_in_order,
    PureDP(1.0),
    hundred,
    reason="without the shuffle the local epsilon is left",
    expect="VERIFIED",
    max_calls=30_000,
)
a_quarter_responds = Audit(tally_of_responders, amplified, hundred, expect="DPA115")
a_quarter_at_its_own_claim = Audit(
    tally_of_responders,
    ApproxDP(0.25, amplified_delta(25, 1.0, 0.25)),
    hundred,
    reason="the crowd is the 25 who respond",
    expect="VERIFIED",
    max_calls=32_000,
)
