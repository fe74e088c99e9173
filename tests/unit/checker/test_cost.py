"""Certificates by cost: both runs are followed anew, and nothing is believed."""

# ruff: noqa: B006, PERF102 - the programs are written as their authors would

import copy
import importlib
import json
import math
from functools import partial

import numpy as np
import pytest
from click.testing import CliRunner

from dpaudit import (
    AddRemove,
    AnyPair,
    ApproxDP,
    Categorical,
    GaussianDP,
    Integer,
    Pairs,
    PureDP,
    QueryAnswers,
    Real,
    ReplaceOne,
    Row,
    ZeroConcentratedDP,
)
from dpaudit.checker.cost.claim_check import composed, gaussian
from dpaudit.checker.cost.ends import end
from dpaudit.cli import cli
from dpaudit.formal.clock import now
from dpaudit.formal.cost import prove_by_cost
from dpaudit.formal.engine import certificate_of
from dpaudit.formal.lift import lift
from dpaudit.subject import Subject
from mechanisms.clipped_sum import clipped_sum
from mechanisms.mean import mean_private_size
from mechanisms.noisy_gradient_descent import noisy_gradient
from mechanisms.parallel_composition import parallel_composition
from mechanisms.principal_components import noisy_covariance
from mechanisms.top_k import top_k
from tests.checking import check
from tests.proving import is_proved
from tests.sweeps import sampled
from tests.unit.checker.forged import forged
from tests.unit.checker.mutations import changed, mutations, sealed
from tests.unit.formal.matrix_programs import FALSE as OF_ROWS
from tests.unit.formal.test_attacks import OF_A_BIT, OF_RECORDS, bit

ONE = PureDP(1.0)
RECORDS = AddRemove(Real(0, 100), max_size=8)
REPLACED = ReplaceOne(Real(0, 100), size=5)

# Of every family of audits, those that are proved by cost.
PROVED = {
    "additive": "laplace_scalar laplace_on_a_vector laplace_that_pays_for_all geometric_count "
    "analytic_vector gaussian_dp gaussian_zero_concentrated gaussian_renyi "
    "variance_for_scale_at_two laplace_twenty_times_the_same",
    "composition": "sequential parallel parallel_replace advanced_optimal odometer",
    "histograms": "fixed_bins_of_anything fixed_bins_replace every_cell_replace median_on_grid "
    "shares_of_a_public_size most_frequent_rating_replace",
    "learning": "poisson_sample teachers_vote confident_teachers_vote two_full_steps "
    "two_full_steps_on_two_features replace_claimed_as_add_remove",
    "selection": "exponential_of_scores noisy_max_exponential noisy_max_gumbel top_three "
    "price_of_an_auction enough_for_monotone_scores",
    "streams": "sum_of_all noise_first",
    "summary_statistics": "count_of_groups distinct_values_replaced sum_of_anything "
    "sum_range_is_enough_to_replace sums_of_groups_added mean_of_anything mean_sum_over_count "
    "mean_clipped_after_in_range variance_of_anything covariance_of_anything covariance_matrix "
    "covariance_matrix_of_anything components",
    "synthetic_data": "from_noisy_histogram from_noisy_answers",
}
# Versions, words, places that no release is at, defaults that no call uses; and constants of which
# the program is another then, for which the claim holds as well: more noise, other parts.
HARMLESS = (
    r"versions\..*",
    r"trusted\.\d+",
    r"program\..*place",
    r"program\.entry\.body\.1\.value\.arguments\.0\.element\.function\.defaults\..*",
    r"program\.entry\.body\.\d\.value\.arguments\.1(\.arguments\.\d(\.1)?)*\.value\.(int|float)",
    r"program\.entry\.body\.0\.value\.arguments\.0\.index\.st(art|op)\.value\.int",
    r"program\.entry\.body\.1\.value\.arguments\.0\.clauses\.0\.1.*\.value\.int",
)


def certificate(mechanism, claim, neighbors):
    subject = Subject.of(mechanism)
    program = lift(subject)
    proof = prove_by_cost(program, claim, neighbors, deadline=now() + 20)
    made = certificate_of(subject, claim, neighbors, program, proof)
    return json.loads(json.dumps(made.to_dict()))


@pytest.mark.parametrize(
    ("family", "name"),
    sampled([(f, name) for f, names in PROVED.items() for name in names.split()], 4),
)
def test_what_the_prover_hands_over_is_accepted(family, name):
    audit = getattr(importlib.import_module(f"audits.{family}"), name)
    content = certificate(audit.mechanism, audit.claim, audit.neighbors)
    result = check(content, mechanism=audit.mechanism)
    assert result.accepted, result.reason
    assert any("(lifting)" in sentence for sentence in result.trusted)


def test_the_command_says_what_is_proved_and_under_which_assumptions(tmp_path):
    """A weaker claim is accepted too, so the answer must not read the same."""
    from audits.additive import laplace_scalar as audit

    content = certificate(audit.mechanism, audit.claim, audit.neighbors)
    path = tmp_path / "proof.json"
    path.write_text(json.dumps(content))
    done = CliRunner().invoke(cli, ["check", str(path)])
    assert done.exit_code == 0, done.output
    subject = content["subject"]
    theorem = f"{subject['mechanism']} keeps {subject['claim']} for {subject['neighbors']}"
    assert f"  it proves: {theorem}\n" in done.output
    for sentence in content["assumptions"]:
        assert f"  assumption: {sentence}\n" in done.output
    assert "on trust: dpaudit's rules of proof" in done.output


def two_counts(data, rng, *, epsilon=1.0):
    above = np.count_nonzero(data >= 50)
    return above + rng.laplace(scale=2 / epsilon), len(data) + rng.laplace(scale=2 / epsilon)


MUTATED = {
    "a mean": (mean_private_size, ONE, AddRemove(Real(0, 100))),
    "disjoint parts": (parallel_composition, ONE, RECORDS),
    "a choice": (top_k, ONE, QueryAnswers(4)),
}


@pytest.mark.parametrize("name", sampled(MUTATED, 1))
def test_every_change_of_a_field_is_rejected_or_harmless(name):
    found = certificate(*MUTATED[name])
    accepted = []
    for where, free, mutated in mutations(found, HARMLESS):
        result = check(mutated)
        if result.accepted and not free:
            accepted.append(where)
    assert accepted == []


def test_a_forged_certificate_of_a_true_claim_is_accepted():
    assert check(forged(clipped_sum, ONE, RECORDS)).accepted
    assert check(forged(two_counts, ONE, RECORDS)).accepted
    assert check(forged(narrow_count, ONE, RECORDS)).accepted


@pytest.mark.parametrize(
    ("mechanism", "neighbors"), [*OF_RECORDS, *((mechanism, bit) for mechanism in OF_A_BIT)]
)
def test_no_certificate_of_an_attack_is_accepted(mechanism, neighbors):
    result = check(forged(mechanism, ONE, neighbors))
    assert not result.accepted
    assert ".py:" in result.reason


# --- false claims, each with a certificate that tells of the right cost


def understated(data, rng):
    return data.clip(0, 100).sum() + rng.laplace(scale=50.0)


def private_branch(data, rng):
    if len(data) > 3:
        return data.clip(0, 1).sum() + rng.laplace()
    return 0.0


def branch_on_what_is_hidden(data, rng):
    noisy = len(data) + rng.laplace()
    exact = noisy - rng.laplace()
    return 1 if exact > len(data) else 0


def second_release(data, rng):
    return len(data) + rng.laplace(), data.clip(0, 1).sum() + rng.laplace()


def unbounded(data, rng):
    return data.sum() + rng.laplace(scale=100.0)


def clipped_one_side(data, rng):
    return np.minimum(data, 100.0).sum() + rng.laplace(scale=100.0)


def clipped_with_nan(data, rng):
    return data.clip(0, 100).sum() + rng.laplace(scale=100.0)


def alias(data, rng):
    a = np.zeros(1)
    b = a
    b += 5 * len(data)
    return a[0] + rng.laplace()


def alias_of_a_view(data, rng):
    a = np.zeros(3)
    b = a[1:]
    b += len(data)
    return a + rng.laplace(size=3)


def alias_of_a_list(data, rng):
    a = [0.0]
    b = a
    b += [3.0 * len(data)]
    return a[1] + rng.laplace()


def noise_used_twice(data, rng):
    noise = rng.laplace()
    return 0.5 * len(data) + noise, 0.5 * data.clip(0, 1).sum() + noise


def noise_shown(data, rng):
    noise = rng.laplace()
    return len(data) + noise, noise


def noise_of_one_entry_for_all(data, rng):
    counts = np.bincount(np.searchsorted(np.array([50.0]), data), minlength=2)
    return counts + rng.laplace()


def private_loop(data, rng):
    total = 0
    for _ in range(len(data)):
        total += 1
    return total * 0 + rng.laplace(), total


def private_keys(data, rng):
    counts = {}
    for value in data.tolist():
        counts[value] = 1
    return {key: 1 + rng.laplace() for key in counts}


def private_scale(data, rng):
    return len(data) + rng.laplace(scale=1 + len(data))


def private_size_of_noise(data, rng):
    return len(data) + rng.laplace(size=len(data))


def one_sided_noise(data, rng):
    return len(data) + rng.exponential()


def geometric_on_reals(data, rng):
    p = 1 - np.exp(-1.0)
    return 0.5 * len(data) + int(rng.geometric(p)) - int(rng.geometric(p))


def geometric_of_two_laws(data, rng):
    return len(data) + rng.geometric(0.5) - rng.geometric(0.9)


def seeded(data, rng):
    own = np.random.default_rng(7)
    return len(data) + own.laplace()


def largest_itself(data, rng):
    noisy = np.array([len(data), np.count_nonzero(data > 50)]) + rng.laplace(size=2)
    return int(np.argmax(noisy)), noisy[0]  # the place alone would cost 1


def mean_of_a_private_number(data, rng):
    return data.clip(0, 100).sum() / max(1, len(data)) + rng.laplace(scale=1.0)


def narrow(data, rng, scale=0.5):
    return min(max(data.sum(), 0.25), 0.75) + rng.laplace(scale=scale)


def narrow_count(data, rng):
    return min(max(len(data), 0.25), 0.75) + rng.laplace(scale=0.5)


def position(data, rng):
    return data[0] + rng.laplace(scale=100.0)


def remembers(data, rng, seen=[]):
    seen.append(len(data))
    return seen[0] + 0 * len(data), rng.laplace()


def raises_on_private(data, rng):
    if np.count_nonzero(data > 50) > 3:
        raise ValueError("too many")
    return rng.laplace()


def product_of_counts(data, rng):
    return len(data) * len(data) + rng.laplace()


def two_samples_of_one_coin(data, rng):
    coins = rng.random(len(data))
    once = np.count_nonzero(coins < 0.5) + rng.laplace(scale=2.0)
    return once, np.count_nonzero(coins < 0.5) + rng.laplace(scale=2.0)


def loops_until_shown(data, rng):
    answers = []
    while len(answers) < 5:
        answers.append(len(data) + rng.laplace(scale=4.0))
    return answers


def list_that_grows_while_it_is_gone_through(data, rng):
    todo, answers = [0], []
    for i, _ in enumerate(todo):
        if i < 4:
            todo.append(i)
        answers.append(len(data) + rng.laplace())
    return answers


def dict_that_changes_while_it_is_gone_through(data, rng):
    held, answers = {"a": 0, "b": 0}, []
    for _, value in held.items():
        held["b"] = len(data)
        answers.append(value)
    return answers, rng.laplace()


def values_seen_later(data, rng):
    held = {"a": 0}
    values = held.values()
    held["a"] = len(data)
    return list(values), rng.laplace()


def filled_with_one_count(data, rng):
    return np.full(2, len(data)) + rng.laplace(scale=1.0, size=2)


def filled_with_other_counts(data, rng):
    return np.full(2, len(data), dtype=np.int8) + rng.laplace(scale=2.0, size=2)


def filled_with_one_noise(data, rng):
    a = np.full(2, len(data) + rng.laplace())
    a[1] -= len(data)
    return a


def alias_by_asarray(data, rng):
    a = np.zeros(1)
    b = np.asarray(a, float)
    b += 5 * len(data)
    return a[0] + rng.laplace()


def result_put_into_an_argument(data, rng):
    scale, zero = np.ones(1), np.zeros(1)
    np.floor(zero, scale)
    return len(data) + rng.laplace(scale=scale[0])


def rounded_into_an_argument(data, rng):
    scale, zero = np.ones(1), np.zeros(1)
    np.round(zero, 0, scale)
    return len(data) + rng.laplace(scale=scale[0])


def number_and_list(data, rng):
    if 5 == [5]:
        return rng.laplace()
    return len(data)


def scale_that_wraps_around(data, rng):
    scale = np.array([2**62]) * 4
    return 2**62 * len(data) + rng.laplace(scale=scale[0])


def scale_that_vanishes(data, rng):
    return len(data) + rng.laplace(scale=1e-200 * 1e-200 * 1e200 * 1e200)


FALSE = [
    (list_that_grows_while_it_is_gone_through, ONE, RECORDS),
    (dict_that_changes_while_it_is_gone_through, ONE, RECORDS),
    (values_seen_later, ONE, RECORDS),
    (alias_by_asarray, ONE, RECORDS),
    (filled_with_one_count, ONE, RECORDS),
    (filled_with_other_counts, ONE, RECORDS),
    (filled_with_one_noise, ONE, RECORDS),
    (result_put_into_an_argument, ONE, RECORDS),
    (rounded_into_an_argument, ONE, RECORDS),
    (number_and_list, ONE, RECORDS),
    (scale_that_wraps_around, ONE, RECORDS),
    (scale_that_vanishes, ONE, RECORDS),
    (understated, ONE, RECORDS),
    (private_branch, ONE, RECORDS),
    (branch_on_what_is_hidden, ONE, RECORDS),
    (second_release, ONE, RECORDS),
    (unbounded, ONE, AddRemove(Real(0, 100, enforced=False))),
    (clipped_one_side, ONE, AddRemove(Real(0, 100, enforced=False))),
    (clipped_with_nan, ONE, AddRemove(Real(0, 100, allow_nan=True))),
    (clipped_sum, ONE, AddRemove(Real(0, 100), group=2)),
    (clipped_sum, ONE, AddRemove(Row(user=Integer(0, 3), x=Real(0, 1)), unit="user")),
    (partial(clipped_sum, high=1000.0), ONE, AddRemove(Real(0, 1, enforced=False), group=2)),
    (alias, ONE, RECORDS),
    (alias_of_a_view, ONE, RECORDS),
    (alias_of_a_list, ONE, RECORDS),
    (noise_used_twice, ONE, RECORDS),
    (noise_shown, ONE, RECORDS),
    (noise_of_one_entry_for_all, ONE, RECORDS),
    (private_loop, ONE, RECORDS),
    (private_keys, ONE, RECORDS),
    (private_scale, ONE, RECORDS),
    (private_size_of_noise, ONE, RECORDS),
    (one_sided_noise, ONE, RECORDS),
    (geometric_on_reals, ONE, RECORDS),
    (geometric_of_two_laws, PureDP(3.0), RECORDS),
    (seeded, ONE, RECORDS),
    (largest_itself, ONE, RECORDS),
    (mean_of_a_private_number, ONE, RECORDS),
    (partial(narrow, scale=0.49), ONE, RECORDS),
    (narrow, ONE, AddRemove(Real(0, 100, allow_nan=True))),
    (position, ONE, RECORDS),
    (raises_on_private, ONE, RECORDS),
    (product_of_counts, ONE, RECORDS),
    (two_samples_of_one_coin, PureDP(0.64), RECORDS),
    (loops_until_shown, ONE, RECORDS),
    (parallel_composition, ONE, REPLACED),
    (top_k, PureDP(0.99), QueryAnswers(4)),
    *OF_ROWS,
]


@pytest.mark.parametrize(("mechanism", "claim", "neighbors"), FALSE)
def test_a_plausible_certificate_of_a_false_claim_is_not_accepted(mechanism, claim, neighbors):
    result = check(forged(mechanism, claim, neighbors))
    assert not result.accepted
    assert result.reason


def test_what_costs_too_much_is_rejected_with_its_line():
    result = check(forged(understated, ONE, RECORDS))
    assert result.decided
    assert "the releases may cost 2, and the claim allows 1" in result.reason
    assert "test_cost.py:" in result.reason


@pytest.mark.parametrize(
    ("path", "value", "reason"),
    [
        (("subject", "claim"), "PureDP(0.5)", "claim"),
        (("subject", "neighbors"), "AddRemove(Real(0, 200), max_size=8)", "assumptions"),
        (("subject", "mechanism"), "mechanisms.count:count", "clipped_sum"),
        (("proof", "spent"), "1/2", "spent"),
        (("proof", "releases"), [], "releases"),
        (("proof", "rule"), "sums of rho", "rule"),
        (("proof", "allowed"), "2", "allowed"),
        (("program", "symbolic"), ["epsilon"], ""),
        (("program", "rng"), None, ""),
        (("program", "data"), "epsilon", ""),
        (("sources",), {}, "sources"),
    ],
)
def test_a_certificate_that_says_something_else_is_not_accepted(path, value, reason):
    found = changed(certificate(clipped_sum, ONE, RECORDS), path, lambda _: value)
    result = check(found)
    assert not result.accepted
    assert reason in result.reason


def test_a_parameter_of_the_program_must_be_what_the_mechanism_fixes():
    found = certificate(partial(clipped_sum, epsilon=0.5), ONE, RECORDS)
    assert check(found).accepted
    other = copy.deepcopy(found)
    other["program"]["fixed"]["epsilon"]["value"] = {"float": (0.25).hex()}
    assert "as `subject` fixes it" in check(sealed(other)).reason
    other = copy.deepcopy(found)
    other["program"]["fixed"]["high"]["value"] = {"float": (1.0).hex()}
    assert "is not the default" in check(sealed(other)).reason


def test_an_array_of_the_program_must_have_the_values_of_its_hash():
    found = certificate(partial(top_k, k=1), ONE, QueryAnswers(3))
    assert check(found).accepted
    from mechanisms.histogram import histogram

    found = certificate(histogram, ONE, RECORDS)
    array = found["program"]["fixed"]["edges"]["value"]["array"]
    for other in ("0x1.4p+5", "nan"):
        changed_array = copy.deepcopy(found)
        changed_array["program"]["fixed"]["edges"]["value"]["array"][3][0] = {"float": other}
        assert not check(sealed(changed_array)).accepted
    assert len(array[3]) == 4


@pytest.mark.parametrize(
    ("claim", "accepted"),
    [(ApproxDP(1.0, 1e-5), True), (ApproxDP(0.9, 1e-9), False), (ApproxDP(1.0, 0.0), True)],
)
def test_an_approximate_claim_is_compared_with_both_numbers(claim, accepted):
    assert check(forged(clipped_sum, claim, RECORDS)).accepted is accepted


def adaptive(data, rng):
    first = len(data) + rng.normal(scale=2.0)
    if first > 3:
        return data.clip(0, 1).sum() + rng.normal(scale=2.0)
    return np.count_nonzero(data > 50) + rng.normal(scale=1.0)


def test_of_paths_that_releases_choose_the_costliest_counts():
    assert check(forged(adaptive, GaussianDP(1.25**0.5 + 1e-9), RECORDS)).accepted
    result = check(forged(adaptive, GaussianDP(1.0), RECORDS))
    assert "5/4" in result.reason


def test_the_profile_of_normal_noise_is_that_of_mpmath():
    import mpmath

    mpmath.mp.dps = 40
    for mu, epsilon in ((0.5, 1.0), (1.0, 0.25), (2.0, 3.0)):
        found = gaussian(end(mu) * end(mu), end(epsilon))
        e = mpmath.mpf(epsilon)
        expected = mpmath.ncdf(mu / 2 - e / mu) - mpmath.exp(e) * mpmath.ncdf(-mu / 2 - e / mu)
        assert abs(float(found) - float(expected)) < 1e-14


def test_composed_randomized_answers_have_the_delta_that_enumeration_gives():
    import itertools
    import math

    each, k, epsilon = 0.5, 5, 1.0
    p = math.exp(each) / (1 + math.exp(each))
    delta = 0.0
    for answers in itertools.product((0, 1), repeat=k):
        left = math.prod(p if a else 1 - p for a in answers)
        right = math.prod(1 - p if a else p for a in answers)
        delta += max(0.0, left - math.exp(epsilon) * right)
    assert float(composed([end(each)] * k, end(epsilon))) == pytest.approx(delta, rel=1e-12)


def test_a_record_without_a_number_is_not_checked_yet_said_so():
    result = check(forged(lambda x, rng: rng.laplace(), ONE, AnyPair(Categorical(["a", "b"]))))
    assert not result.accepted
    assert not result.decided


def test_listed_records_are_followed_as_they_are():
    row = np.array([(0.5, 0.0, 0.0)], dtype=[("x", float), ("y", float), ("z", float)])
    pairs = Pairs([(row[:0], row), (np.concatenate([row, row]), row)])
    assert check(certificate(noisy_covariance, GaussianDP(0.25), pairs)).accepted
    result = check(forged(noisy_covariance, GaussianDP(0.2), pairs))
    assert not result.accepted
    assert "the releases may cost 1/16" in result.reason


def test_a_step_on_a_sample_of_rows_that_are_made_is_checked():
    rows = AddRemove(Real(-1, 1), max_size=8)

    def one_step(data, rng):
        records = np.column_stack((data, np.ones(len(data))))
        return noisy_gradient(np.zeros(1), records, rng, rate=0.25, clip=1.0, noise=1.0)

    assert check(certificate(one_step, GaussianDP(1.0).amplified(0.25), rows)).accepted
    assert not check(forged(one_step, GaussianDP(1.0).amplified(0.24), rows)).accepted


def truth_of_counts(data, rng):
    noisy = np.count_nonzero(data >= 50) + rng.laplace(scale=1.0)
    return bool(noisy > 20), bool(3), bool([])


def truth_of_data(data, rng):
    return bool(len(data))


def of_nothing(data, rng):
    return np.array([], dtype=int).sum() + len(np.asarray(data, dtype=float)) + rng.laplace()


def constant_of_anything(value, rng):
    return 1.0 + rng.laplace(scale=1.0)


def clipped_of_anything(value, rng):
    return min(1.0, max(0.0, value)) + rng.laplace(scale=1.0)


def test_truth_values_types_and_nothing_are_followed():
    assert check(forged(truth_of_counts, ONE, RECORDS)).accepted
    assert check(forged(of_nothing, ONE, RECORDS)).accepted
    assert not check(forged(truth_of_data, ONE, RECORDS)).accepted


def test_a_record_that_may_be_nan_does_no_harm_where_nobody_reads_it():
    anything = AnyPair(Real(0, 1, allow_nan=True, allow_infinity=True))
    assert check(certificate(constant_of_anything, ONE, anything)).accepted
    assert check(forged(clipped_of_anything, ONE, AnyPair(Real(0, 1)))).accepted
    for special in ({"allow_nan": True}, {"allow_infinity": True}, {"enforced": False}):
        records = AnyPair(Real(0, 1, **special))
        found = check(forged(clipped_of_anything, ONE, records))
        assert found.accepted is (special == {"enforced": False})


def equal_either_way(value, rng):
    return np.where(value == 1, 0.5, 0.5) + rng.laplace(scale=9.0)


def nearly_equal(value, rng):
    return np.where(value == 1, 0.5, 1.5) + rng.laplace(scale=0.9)


def test_a_choice_between_equal_numbers_tells_nothing():
    bits = AnyPair(Integer(0, 1))
    assert check(certificate(equal_either_way, PureDP(0.001), bits)).accepted
    assert not check(forged(nearly_equal, ONE, bits)).accepted


def rows_of(*values):
    return np.array([(value,) for value in values], dtype=[("x", float)])


@pytest.mark.parametrize(
    "query",
    [
        lambda data: data["x"][0],
        lambda data: data["x"][:1].sum(),
        lambda data: np.dot(data["x"], [1.0, 0.0]),
        lambda data: np.array_split(data["x"], 2)[0].sum(),
    ],
)
def test_listed_records_that_change_their_places_are_not_read_by_place(query):
    def mechanism(data, rng):
        return query(data) + rng.laplace(scale=1.0)

    moved = Pairs([(rows_of(0.0, 99.0), rows_of(99.0, 1.0))])
    assert not check(forged(mechanism, ONE, moved)).accepted


def test_listed_records_that_keep_their_places_are_read_by_place():
    def mechanism(data, rng):
        return data["x"][0] + rng.laplace(scale=1.0)

    kept = Pairs([(rows_of(0.0, 99.0), rows_of(1.0, 99.0))])
    assert check(forged(mechanism, ONE, kept)).accepted


def records_that_python_turns_into_zero(data, rng):
    return sum(0 if x == x or max(0.0, x) != max(0.0, x) else 100 for x in data) + rng.laplace()


def test_of_a_number_and_nan_python_keeps_the_first():
    records = AddRemove(Real(0, 1, allow_nan=True), max_size=4)
    assert not check(forged(records_that_python_turns_into_zero, ONE, records)).accepted


def three_tenths(data, rng):
    return len(data) + rng.laplace(scale=1 / 0.1), len(data) + rng.laplace(scale=1 / 0.2)


def three_tenths_of_rho(data, rng):
    one, other = (1 / math.sqrt(2 * rho) for rho in (0.1, 0.2))
    return len(data) + rng.normal(scale=one), len(data) + rng.normal(scale=other)


def ten_tenths(data, rng):
    return [len(data) + rng.laplace(scale=1 / 0.1) for _ in range(10)]


@pytest.mark.parametrize(
    ("mechanism", "claim", "amount"),
    [
        (three_tenths, PureDP, 0.3),
        (three_tenths, partial(ApproxDP, delta=1e-9), 0.3),
        (three_tenths_of_rho, ZeroConcentratedDP, 0.3),
        (ten_tenths, PureDP, 1.0),
    ],
)
def test_the_last_digits_of_parameters_exceed_no_claim(mechanism, claim, amount):
    neighbors = AddRemove(Real(0, 1))
    assert is_proved(mechanism, claim(amount), neighbors)
    assert not is_proved(mechanism, claim(amount * (1 - 1e-11)), neighbors)
