# ruff: noqa: B007, PERF401, PERF402 - mechanisms as users write them
"""Randomness alignment: what it proves, and the side conditions without which it would lie."""

from __future__ import annotations

import importlib
import json
import pkgutil
from fractions import Fraction
from functools import partial

import numpy as np
import pytest
import z3

import mechanisms.flawed
from dpaudit import ApproxDP, GaussianDP, Integer, Pairs, PureDP, QueryAnswers, ReplaceOne
from dpaudit.checker.alignment.content import Relation
from dpaudit.checker.alignment.ratios import Ratio
from dpaudit.checker.alignment.terms import Terms
from dpaudit.formal.alignment.proof import AlignmentProof
from dpaudit.formal.alignment.prove import prove_by_alignment
from dpaudit.formal.alignment.shifts import admissible, candidates, keeping
from dpaudit.formal.clock import now
from dpaudit.formal.lift import lift
from dpaudit.formal.unsupported import Unsupported
from mechanisms.above_threshold import above_threshold
from mechanisms.adaptive_sparse_vector import adaptive_sparse_vector
from mechanisms.flawed.svt_half_noise import svt_half_noise
from mechanisms.gap_sparse_vector import gap_sparse_vector
from mechanisms.numeric_sparse_vector import numeric_sparse_vector
from mechanisms.prefix_sums import partial_sum, prefix_sums
from mechanisms.smart_sum import smart_sum
from mechanisms.sparse_vector import sparse_vector, sparse_vector_refreshed
from tests import formal_programs as programs
from tests.alignments import ALL, PURE, is_aligned, outcome, refuted, system
from tests.sweeps import sampled

ONE = QueryAnswers(4, norm="l0")


@pytest.mark.parametrize(
    "mechanism",
    sampled(
        [
            above_threshold,
            sparse_vector,
            sparse_vector_refreshed,
            numeric_sparse_vector,
            gap_sparse_vector,
            adaptive_sparse_vector,
            partial(sparse_vector, epsilon=0.25, hits=7, threshold=-3.5),
        ],
        3,
    ),
)
def test_reference_mechanisms_are_proved_from_their_own_source(mechanism):
    claim = PureDP(0.25) if isinstance(mechanism, partial) else PureDP(1.0)
    assert isinstance(outcome(mechanism, claim=claim), AlignmentProof)


@pytest.mark.parametrize("mechanism", [partial_sum, prefix_sums])
@pytest.mark.parametrize("norm", ["l0", "l1"])
def test_sums_are_proved_where_changes_add_up(mechanism, norm):
    assert isinstance(outcome(mechanism, QueryAnswers(4, norm=norm)), AlignmentProof)


@pytest.mark.parametrize("mechanism", [partial_sum, prefix_sums])
def test_sums_are_not_proved_where_all_entries_move(mechanism):
    assert not is_aligned(mechanism, ALL)


def test_half_of_the_noise_suffices_where_all_answers_move_one_way():
    assert isinstance(outcome(svt_half_noise, QueryAnswers(4, monotone=True)), AlignmentProof)
    assert refuted(svt_half_noise, PURE, ALL).epsilon > 1


def test_a_larger_distance_costs_more():
    assert isinstance(outcome(above_threshold, QueryAnswers(4, 2.0), PureDP(2.0)), AlignmentProof)
    assert not is_aligned(above_threshold, QueryAnswers(4, 2.0))


def test_pure_privacy_suffices_for_approximate_privacy():
    assert isinstance(outcome(above_threshold, claim=ApproxDP(1.0, 1e-6)), AlignmentProof)


def flawed_selection():
    names = [module.name for module in pkgutil.iter_modules(mechanisms.flawed.__path__)]
    kinds = ("svt_", "noisy_max_", "smart_sum_raw", "prefix_sums_fresh", "partial_sum_half")
    return [name for name in names if name.startswith(kinds)]


@pytest.mark.parametrize("name", sampled(flawed_selection(), 2))
def test_flawed_mechanisms_are_never_proved(name):
    mechanism = getattr(importlib.import_module(f"mechanisms.flawed.{name}"), name)
    neighbors = ONE if "sum" in name else ALL
    assert not is_aligned(mechanism, neighbors, seconds=10)


def stretched(q, rng):
    x = q[0]
    noise = [rng.laplace(scale=1.0)]
    return noise[0] * (1 + 9 * x)


def test_noise_stretched_by_the_data_is_not_proved():
    assert not is_aligned(stretched, QueryAnswers(1), claim=PureDP(0.1))


def test_a_shift_must_not_depend_on_its_own_draw():
    (path,) = system(stretched).paths
    (shown,) = path.shown
    assert keeping(shown, 0, path) is None
    assert not admissible(shown * Ratio.of(Fraction(-9, 10)), 0, path)
    assert not admissible(Ratio.name("noise 0@start"), 0, path)
    assert not admissible(Ratio.name("Δnoise 0@start"), 0, path)
    tried = candidates(0, path, Relation(Fraction(1), False, 0))
    assert [shift.constant for shift in tried] == [0, 1, -1, 2, -2]


def two_draws(q, rng):
    first = rng.laplace(scale=1.0)
    second = rng.laplace(scale=1.0)
    return first + q[0], second + q[1]


def test_a_shift_may_depend_on_earlier_draws_and_not_on_later_ones():
    (path,) = system(two_draws).paths
    assert admissible(Ratio.name("noise 0@start"), 1, path)
    assert not admissible(Ratio.name("noise 1@start"), 0, path)
    assert not admissible(Ratio.name("what nobody knows"), 1, path)


def five_are_paid_for(q, rng):
    noisy = rng.laplace(scale=2.0)
    flags = []
    for x in q:
        flags.append(x + rng.laplace(scale=20.0) >= noisy)
    return flags


def test_what_holds_for_five_answers_only_is_not_proved():
    assert not is_aligned(five_are_paid_for, QueryAnswers(5), seconds=10)


def test_floats_are_the_rationals_that_they_are():
    written = Terms(()).exact(Fraction(0.1)).getRealValue()
    assert written == Fraction(3602879701896397, 36028797018963968) != Fraction(1, 10)


def test_the_last_bit_of_a_float_decides_a_proof_and_a_millionth_a_refutation():
    def tenth(q, rng):
        return q[0] + rng.laplace(scale=1 / 0.1)

    assert isinstance(outcome(tenth, QueryAnswers(1), PureDP(0.1)), AlignmentProof)
    less = float(np.nextafter(0.1, 0))
    assert isinstance(outcome(tenth, QueryAnswers(1), PureDP(less)), str)
    assert refuted(tenth, PureDP(0.09999), QueryAnswers(1)).epsilon > 0.09999


def divided_by_data(q, rng):
    return 1 / q[0] + rng.laplace(scale=1.0)


def remainder_of_data(q, rng):
    return q[0] % 3 + rng.laplace(scale=1.0)


@pytest.mark.parametrize(
    ("mechanism", "loss"), [(divided_by_data, float("inf")), (remainder_of_data, 2.0)]
)
def test_functions_that_no_alignment_follows_are_refuted_by_running(mechanism, loss):
    found = refuted(mechanism, PURE, ALL)
    assert found.epsilon == pytest.approx(loss)


def scale_from_data(q, rng):
    return q[0] + rng.laplace(scale=abs(q[1]) + 1)


def seeded(q, rng):
    own = np.random.default_rng(3)
    return q[0] + own.laplace(scale=1.0)


@pytest.mark.parametrize("mechanism", [divided_by_data, remainder_of_data, scale_from_data, seeded])
def test_what_is_not_understood_is_refused_with_its_line(mechanism):
    deadline = now() + 30
    with pytest.raises(Unsupported, match=r"test_alignment\.py:\d+"):
        prove_by_alignment(lift(mechanism), PURE, ALL, deadline=deadline)


def cancelled(q, rng):
    noise = rng.laplace(scale=2.0, size=len(q))
    return np.argmax(q + noise - noise)


def drawn_twice(q, rng):
    noise = rng.laplace(scale=4.0, size=len(q))
    flags = []
    for x in q + noise:
        flags.append(x >= 0)
    for x in q - noise:
        flags.append(x >= 0)
    return flags


def alias(q, rng):
    out = shown = []
    for x in q:
        out.append(x)
    return len(shown) * rng.laplace(scale=1.0), shown


def carried(q, rng):
    out = []
    pair = (out, 1)
    for x in q:
        out.append(x)
    return pair


def raw_path(q, rng):
    best = 0
    for x in q:
        if x > best:
            best = 1
    return best


def draw_on_a_private_branch(q, rng):
    flags = []
    for x in q:
        if x > 0:
            flags.append(x + rng.laplace(scale=4.0) > 0)
    return flags


def branch_before_a_loop(q, rng):
    left = q[0] > 0
    count = 0
    for x in q:
        count += 1
    return left, count


def branch_inside_an_expression(q, rng):
    return (1 if q[0] > 0 else 2) + sum(q) * 0 + rng.laplace(scale=0.5)


def smallest_by_exponential_noise(q, rng):
    return np.argmin(q + rng.exponential(scale=2.0, size=len(q)))


def other_entry(q, rng):
    at = 0
    for x in q:
        if x > 0:
            at += 1
    return q[at] + rng.laplace(scale=100.0)


def nested_raw(q, rng):
    out = [[]]
    for x in q:
        out[0].append(x)
    return out


def counted_by_remainder(q, rng):
    count = 0
    flags = []
    for i, x in enumerate(q):
        if count - i % 3 > 0:
            break
        flags.append(x + rng.laplace(scale=4.0) > 0)
        count += i % 2
    return flags


def lists_joined(q, rng):
    noise = rng.laplace(scale=2.0, size=len(q))
    return np.argmax(list(q) + list(noise))


def truth_values_added(q, rng):
    threshold = rng.laplace(scale=2.0)
    flags = []
    for x in q:
        above = x + rng.laplace(scale=4.0) >= threshold
        flags.append(above)
        if above + above >= 2:
            break
    return flags


def list_that_grows(q, rng):
    work = [0]
    flags = []
    for _ in work:
        flags.append(q[0] + rng.laplace(scale=1.0) > 0)
        if len(work) < 3:
            work.append(0)
    return flags


def list_that_grows_by_pairs(q, rng):
    work = [0]
    flags = []
    for i, _ in enumerate(work):
        flags.append(q[0] + rng.laplace(scale=1.0) > 0)
        if i < 2:
            work.append(0)
    return flags


def raised_with_its_reason(q, rng):
    for x in q:
        if x + rng.laplace(scale=2.0) > 0:
            raise ValueError(f"{x}")
    return 0


@pytest.mark.parametrize(
    "mechanism",
    [
        cancelled,
        drawn_twice,
        alias,
        carried,
        raw_path,
        draw_on_a_private_branch,
        branch_before_a_loop,
        branch_inside_an_expression,
        smallest_by_exponential_noise,
        other_entry,
        nested_raw,
        counted_by_remainder,
        lists_joined,
        truth_values_added,
        list_that_grows,
        list_that_grows_by_pairs,
        raised_with_its_reason,
    ],
)
def test_leaks_that_an_abstraction_could_hide_are_not_proved(mechanism):
    assert not is_aligned(mechanism, seconds=10)


def blockwise(q, rng, *, block=3, again=0.0, shared=False):
    sums = np.zeros(len(q))
    for start in range(0, len(q), block):
        part = q[start : start + block]
        noise = rng.laplace(scale=1.0, size=len(part))
        sums[start : start + block] = np.cumsum(part + noise)
        if shared:
            sums[start : start + block] = part - noise
        if again:
            sums[start] = again * q[start]
    return sums


def test_stretches_of_the_data_are_charged_once():
    assert isinstance(outcome(blockwise, ONE), AlignmentProof)
    assert isinstance(outcome(smart_sum, ONE), AlignmentProof)
    assert isinstance(outcome(smart_sum, QueryAnswers(4, norm="l1")), AlignmentProof)


@pytest.mark.parametrize("fixed", [{"again": 1.0}, {"shared": True}])
def test_stretches_that_tell_more_are_not_proved(fixed):
    assert not is_aligned(partial(blockwise, **fixed), ONE)


def test_stretches_are_not_proved_where_every_entry_moves():
    assert not is_aligned(blockwise, ALL)


def raw_stretches(q, rng):
    out = []
    for start in range(0, len(q), 3):
        out.append(q[start : start + 3])
    return out


def overlapping_stretches(q, rng):
    sums = np.zeros(len(q))
    for start in range(0, len(q), 2):
        part = q[start : start + 3]
        sums[start : start + 3] = part + rng.laplace(scale=1.0, size=len(part))
    return sums


@pytest.mark.parametrize("mechanism", [raw_stretches, overlapping_stretches])
def test_stretches_without_noise_or_that_overlap_are_not_proved(mechanism):
    assert not is_aligned(mechanism, ONE)


def twice_through_the_data(q, rng):
    total = 0
    for x in q:
        total += x
    for x in q:
        total += x
    return total + rng.laplace(scale=1.0)


def test_data_gone_through_twice_is_not_charged_once():
    assert not is_aligned(twice_through_the_data, ONE)


def entry_met_twice(q, rng):
    total = 0
    for i in range(len(q)):
        total += q[i] + q[0]
    return total + rng.laplace(scale=1.0)


def test_an_entry_met_in_every_iteration_is_not_charged_once():
    assert not is_aligned(entry_met_twice, ONE)


def indexed_sum(q, rng):
    total = 0
    for i in range(len(q)):
        total += q[i]
    return total + rng.laplace(scale=1.0)


def test_entries_may_be_met_by_their_index():
    assert isinstance(outcome(indexed_sum, ONE), AlignmentProof)


def while_svt(q, rng, *, N):
    i = count = 0
    flags = []
    noisy = rng.laplace(scale=2.0)
    while count < N and i < len(q):
        above = q[i] + rng.laplace(scale=4 * N) >= noisy
        flags.append(above)
        if above:
            count += 1
        i += 1
    return flags


def test_while_loops_with_counters_are_proved_for_all_hits():
    result = outcome(while_svt)
    assert isinstance(result, AlignmentProof)
    assert "the parameter N is a positive whole number" in result.assumptions


def test_a_proof_is_written_as_json_with_its_obligations():
    result = outcome(above_threshold)
    written = json.loads(json.dumps(result.to_dict()))
    assert written["kind"] == "alignment"
    assert written["solver"].startswith("cvc5 ")
    (part,) = written["relations"]
    assert {draw["shift"] for draw in part["alignment"]} == {"0", "1", "2"}
    assert all(draw["file"].endswith("above_threshold.py") for draw in part["alignment"])
    assert part["invariant"]
    assert all(o["expected"] == o["result"] == "unsat" for o in part["obligations"])


@pytest.mark.parametrize(
    ("mechanism", "claim"),
    [(above_threshold, PURE), (programs.svt, "epsilon")],
)
def test_a_second_solver_proves_the_obligations_from_their_text(mechanism, claim):
    result = outcome(mechanism, claim=claim)
    for part in result.relations:
        for obligation in part.obligations:
            solver = z3.Solver()
            solver.from_string(obligation.smtlib)
            assert solver.check() == z3.unsat


def test_the_event_of_a_refutation_is_python():
    result = refuted(svt_half_noise, PURE, ALL)
    assert eval(result.event.source, {"output": [False], "np": np}) in (True, False)


def test_listed_pairs_are_refuted_and_never_proved():
    halves = np.repeat([1.0, 0.0], 5)
    pair = Pairs([(halves, halves[::-1])])
    assert refuted(svt_half_noise, PURE, pair).epsilon > 1
    assert isinstance(outcome(above_threshold, pair), str)


@pytest.mark.parametrize(
    ("neighbors", "claim"),
    [(ReplaceOne(Integer(0, 1), size=3), PureDP(1.0)), (ALL, GaussianDP(1.0))],
)
def test_other_relations_and_claims_are_refused(neighbors, claim):
    assert isinstance(outcome(above_threshold, neighbors, claim), str)


@pytest.mark.parametrize("mechanism", [svt_half_noise, above_threshold])
def test_a_claim_about_a_parameter_that_has_a_value_is_refused_by_name(mechanism):
    text = outcome(mechanism, claim="2 * epsilon")
    assert "names epsilon, which is not symbolic" in text


def test_no_time_is_no_verdict():
    assert isinstance(outcome(adaptive_sparse_vector, seconds=-1.0), str)
