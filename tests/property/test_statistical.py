"""What may not change the evidence: where the mechanism runs, and which dataset is named first."""

from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import dpaudit
from dpaudit import AddRemove, AnyPair, Categorical, GaussianDP, PureDP, Real
from dpaudit.statistical.halfplane import half_plane_log_wealth
from dpaudit.statistical.label import label_log_wealth
from dpaudit.statistical.moment import MomentBets, moment_log_wealth
from dpaudit.statistical.partition import folded
from mechanisms.flawed.laplace_half_scale import laplace_half_scale
from mechanisms.gaussian import gaussian
from mechanisms.randomized_response import randomized_response

few = settings(max_examples=60, deadline=None)
counts = st.integers(2, 6).flatmap(
    lambda cells: arrays(np.int64, (2, cells), elements=st.integers(0, 400))
)
joints = st.integers(2, 5).flatmap(
    lambda cells: arrays(np.int64, (cells, cells), elements=st.integers(0, 200))
)


def orders_of(cells):
    return np.arange(cells), folded(cells)


@few
@given(counts, st.floats(0, 5))
def test_swapping_the_datasets_leaves_the_wealth_of_labels(seen, epsilon):
    orders = orders_of(seen.shape[1])
    assert label_log_wealth(seen[::-1], orders, epsilon) == pytest.approx(
        label_log_wealth(seen, orders, epsilon), rel=1e-9, abs=1e-9
    )


@few
@given(joints, st.floats(0, 5), st.floats(0, 0.5))
def test_swapping_the_datasets_leaves_the_wealth_of_events(joint, slope, delta):
    arguments = orders_of(len(joint)), np.array([slope, 1.0]), np.array([delta, 0.01])
    assert half_plane_log_wealth(joint.T, *arguments) == pytest.approx(
        half_plane_log_wealth(joint, *arguments), rel=1e-9, abs=1e-9
    )


@few
@given(joints, st.integers(0, 100), st.floats(1.1, 20), st.floats(0, 3))
def test_swapping_the_datasets_leaves_the_wealth_of_functions(joint, seed, order, epsilon):
    ratios = np.random.default_rng(seed).lognormal(size=len(joint))
    moments = ((order, epsilon),)
    assert moment_log_wealth(joint.T, MomentBets(1 / ratios), moments) == pytest.approx(
        moment_log_wealth(joint, MomentBets(ratios), moments), rel=1e-9, abs=1e-9
    )


@few
@given(counts, st.floats(0, 4), st.floats(0, 4))
def test_a_weaker_claim_is_not_contradicted_by_a_hit_that_a_stronger_one_explains(
    seen, first, second
):
    """Labels that agree with the allowed posterior's side never pay more for more privacy."""
    low, high = sorted((first, second))
    one_sided = np.stack([np.zeros_like(seen[0]), seen[1]])
    orders = orders_of(seen.shape[1])
    assert label_log_wealth(one_sided, orders, high) <= (
        label_log_wealth(one_sided, orders, low) + 1e-9
    )


@few
@given(counts, st.floats(0, 5))
def test_stacked_counts_earn_what_each_of_them_earns(seen, epsilon):
    orders = orders_of(seen.shape[1])
    stack = np.stack([seen, 2 * seen, seen[::-1]])
    together = label_log_wealth(stack, orders, epsilon)
    alone = [float(label_log_wealth(one, orders, epsilon)) for one in stack]
    assert together == pytest.approx(alone, rel=1e-9, abs=1e-9)


AUDITS = {
    "refuted": (laplace_half_scale, PureDP(1.0), AddRemove(Real(0, 1), max_size=3), 20_000),
    "a vector": (gaussian, GaussianDP(2.0), dpaudit.QueryAnswers(2), 4_000),
    "few outcomes": (randomized_response, PureDP(1.2), AnyPair(Categorical([0, 1])), 4_000),
}


def essence(report):
    """All of a report that time does not enter."""
    return (
        report.verdict,
        report.calls,
        report.epsilon,
        report.parameter_bound,
        report.detectable_epsilon,
        report.evidence[0].log_e_value,
        report.evidence[0].pairs,
        [(finding.id, finding.message) for finding in report.findings],
        None if report.witness is None else (str(report.witness.event), report.witness.counts),
    )


@pytest.mark.parametrize("case", AUDITS.values(), ids=AUDITS)
def test_the_report_is_the_same_in_place_in_processes_and_on_an_executor(case):
    mechanism, claim, neighbors, calls = case
    arguments = mechanism, claim, neighbors
    here = dpaudit.audit(*arguments, max_calls=calls, seed=3, engines=["statistical"])
    apart = dpaudit.audit(
        *arguments, max_calls=calls, seed=3, isolation="process", workers=2, engines=["statistical"]
    )
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as executor:
        elsewhere = dpaudit.audit(
            *arguments, max_calls=calls, seed=3, executor=executor, engines=["statistical"]
        )
    assert essence(here) == essence(apart) == essence(elsewhere)


def test_another_seed_gives_another_run():
    mechanism, claim, neighbors, calls = AUDITS["few outcomes"]
    first, second = (
        dpaudit.audit(
            mechanism, claim, neighbors, max_calls=calls, seed=seed, engines=["statistical"]
        )
        for seed in (0, 1)
    )
    assert first.evidence[0].log_e_value != second.evidence[0].log_e_value
