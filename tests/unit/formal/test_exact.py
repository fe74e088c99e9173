import math
from fractions import Fraction
from functools import partial

import numpy as np
import pytest

from dpaudit import (
    AddRemove,
    AnyPair,
    ApproxDP,
    Categorical,
    GaussianDP,
    Integer,
    PureDP,
    QueryAnswers,
    Real,
    RenyiDP,
    ReplaceOne,
    ZeroConcentratedDP,
)
from dpaudit.collect import collect
from dpaudit.formal.exact import ExactProof
from dpaudit.formal.refutation import Counterexample
from dpaudit.formal.unsupported import Unsupported
from mechanisms.duchi_mean import duchi_mean
from mechanisms.geometric import geometric
from mechanisms.randomized_response import k_randomized_response, randomized_response
from tests.exact_laws import decide, law
from tests.sweeps import sampled

bits = AnyPair(Categorical([0, 1]))
four = AnyPair(Integer(0, 3))


# Of audits/local.py, audits/hidden.py and audits/additive.py.
PROVED = """
two_coins two_coins_many_at_once k_ary unary optimized_unary sketch hadamard_column hadamard_bit
two_point_mean two_point_mean_within_bounds binary_weight_on_two_answers
rappor_once rappor_one_report rappor_for_a_month
hashing hashing_as_the_server_reads_it
skips_missing_where_all_answer unary_one_bit_at_twice_the_claim rappor_forgets_after_one_report
rare_code_from_fair_coins geometric_count truncated_geometric_count binomial_exact
truncated_geometric_natural_log_at_its_true_epsilon
noise_rounded_on_integers count_in_eight_bits_of_few_records type_of_complete_column
"""
REFUTED = """
wrong_coin binary_weight skips_missing dont_know unary_pays_for_one_bit unary_three_in_four
unary_mixed rappor_once_at_a_tenth rappor_report_at_a_tenth sketch_one_entry
hadamard_column_from_value two_point_mean_unclipped rare_code among_decoys parity_of_four
parity_of_three_of_five parity_of_known_places wrong_parameter truncated_geometric_natural_log
too_few_coins noise_cast_to_int
"""
AUDITS = {
    collected.name.partition("::")[2]: collected.audit
    for collected in collect(["audits/local.py", "audits/hidden.py", "audits/additive.py"]).audits
}


def decided(name):
    audit = AUDITS[name]
    return decide(audit.mechanism, audit.claim, audit.neighbors)


@pytest.mark.parametrize("name", sampled(PROVED.split(), 2))
def test_sound_discrete_mechanisms_are_proved(name):
    proof = decided(name)
    assert isinstance(proof, ExactProof)
    assert AUDITS[name].expect in ("NOT_REFUTED", "VERIFIED")
    assert proof.to_dict()["kind"] == "exact"


@pytest.mark.parametrize("name", REFUTED.split())
def test_their_flawed_twins_are_refuted(name):
    refuted = decided(name)
    assert isinstance(refuted, Counterexample)
    assert AUDITS[name].expect.startswith("DPA")
    assert AUDITS[name].neighbors is not None
    assert refuted.event.source


def truth_told(value, rng):
    return int(value)


def coin_of_seed(value, rng):
    return int(np.random.default_rng(3).random() < 0.5) ^ int(value)


def type_of_answer(value, rng):
    answer = rng.integers(2)
    return float(answer) if value else int(answer)


def one_noise_twice(value, rng):
    noise = rng.geometric(0.5)
    return value + noise - rng.geometric(0.5), noise


def loops(value, rng):
    while rng.random() < 0.5:
        pass
    return 1


def raises_on_one(value, rng):
    if value:
        raise ValueError("one")
    return 0


def overflows(value, rng):
    return int(np.int8(100) * np.int8(value)) + rng.integers(2)


def compares_noise(value, rng):
    return int(rng.random() < rng.random()) ^ value


def clips_nothing(value, rng):
    return int(rng.random() < 1 / 2 + value / 4)


def squares(value, rng):
    return int(rng.random() < value * value)


def remembers_comparison(value, rng):
    draw = rng.random()
    return int(draw < 0.25), int(draw < 0.5), int(draw < 0.75)


def large(value, rng):
    return [int(x) for x in rng.random(40) < 0.25 + value / 2]


def test_a_value_that_is_told_is_refuted_with_an_infinite_loss():
    refuted = decide(truth_told, PureDP(1.0), bits)
    assert ("bounds infinity by" in refuted.certified, refuted.epsilon) == (True, math.inf)


def test_an_exception_is_an_output():
    assert "bounds infinity by" in decide(raises_on_one, PureDP(1.0), bits).certified


def test_comparisons_of_one_draw_are_not_independent():
    found = law(remembers_comparison, 0)
    assert len(found) == 4
    assert {chance.fraction for chance in found.values()} == {Fraction(1, 4)}


@pytest.mark.parametrize(
    ("mechanism", "what"),
    [
        (coin_of_seed, "a generator with a seed"),
        (type_of_answer, "only the type of the output"),
        (one_noise_twice, "several integers without bound"),
        (loops, "the steps ran out"),
        (compares_noise, "many values that decides"),
    ],
)
def test_what_is_not_gone_through_is_named(mechanism, what):
    with pytest.raises(Unsupported, match=what):
        decide(mechanism, PureDP(1.0), bits, seconds=1.0)


def test_integers_of_one_byte_are_what_they_are():
    assert "bounds infinity by" in decide(overflows, PureDP(1.0), bits).certified


def test_independent_parts_need_not_be_multiplied_out():
    refuted = decide(large, PureDP(1.0), bits)
    assert isinstance(refuted, Counterexample)
    assert f"bounds {3**40} by" in refuted.certified


def test_all_finite_datasets_are_gone_through():
    proof = decide(geometric, PureDP(1.0), AddRemove(Categorical([0, 1]), max_size=4))
    assert (proof.conclusion.datasets, proof.conclusion.loss) == (31, "1")
    proof = decide(geometric, PureDP(1.0), ReplaceOne(Categorical([0, 1]), size=4))
    assert (proof.conclusion.datasets, proof.conclusion.pairs) == (16, 32)


def test_datasets_that_are_too_many_are_not_taken_for_proved():
    for neighbors in (
        AddRemove(Integer(0, 9), max_size=8),
        AddRemove(Real(0, 1)),
        QueryAnswers(3),
        AnyPair(Integer(0, 3, enforced=False)),
    ):
        with pytest.raises(Unsupported):
            decide(partial(constant_noise), PureDP(1.0), neighbors)


def constant_noise(data, rng):
    return int(rng.random() < 0.5)


def test_a_deadline_that_has_passed_proves_nothing():
    with pytest.raises(Unsupported, match="the steps ran out"):
        decide(geometric, PureDP(1.0), AddRemove(Categorical([0, 1]), max_size=8), seconds=-1.0)


def test_on_a_range_of_numbers_the_ends_decide():
    unit = AnyPair(Real(-1, 1))
    proof = decide(duchi_mean, PureDP(1.0), unit)
    assert proof.conclusion.loss == "1"
    assert {float(x) for x in proof.conclusion.attained_by} == {-1.0, 1.0}
    proof = decide(clips_nothing, PureDP(math.log(3) + 1e-9), unit)
    assert proof.conclusion.spent == "3"
    assert isinstance(decide(clips_nothing, PureDP(1.0), unit), Counterexample)
    with pytest.raises(Unsupported):
        decide(squares, PureDP(5.0), AnyPair(Real(0.5, 0.9)))


def test_claims_of_other_kinds_are_decided():
    # p ln(p/q) of (3/4, 1/4): max divergence log 3; delta(0.5) = 3/4 - e^0.5/4
    delta = 0.75 - math.exp(0.5) / 4
    assert isinstance(decide(randomized_response, ApproxDP(0.5, delta + 1e-12), bits), ExactProof)
    assert isinstance(
        decide(randomized_response, ApproxDP(0.5, delta - 1e-9), bits), Counterexample
    )
    assert isinstance(decide(k_randomized_response, ZeroConcentratedDP(0.5), four), ExactProof)
    assert isinstance(decide(k_randomized_response, ZeroConcentratedDP(0.01), four), Counterexample)
    assert isinstance(decide(k_randomized_response, RenyiDP(1.5, 1.0), four), ExactProof)
    with pytest.raises(Unsupported, match="GaussianDP"):
        decide(k_randomized_response, GaussianDP(1.0), four)


def test_functions_that_are_run_for_real_are_listed():
    audit = AUDITS["binomial_exact"]
    proof = decide(audit.mechanism, audit.claim, audit.neighbors)
    assert proof.conclusion.ran == ["spends_at_most"]
    assert any("spends_at_most" in sentence for sentence in proof.to_dict()["assumptions"])


NAN, WITH_NAN = float("nan"), [float("nan")]


def the_same_nan(x, rng):
    if rng.random() < 0.0001:
        return (NAN if x else float("nan")) in [NAN]
    return False


def the_nan_of_a_list(x, rng):
    return (WITH_NAN[0] if x else float("nan")) in WITH_NAN


def one_nan(x, rng):
    return math.isnan(NAN) if rng.random() < 0.5 else bool(x < 2)


@pytest.mark.parametrize("mechanism", [the_same_nan, the_nan_of_a_list])
def test_nan_is_found_by_its_identity_which_constants_do_not_keep(mechanism):
    with pytest.raises(Unsupported, match="NaN in several places"):
        decide(mechanism, PureDP(1.0), bits)


def test_nan_in_one_place_is_computed_with():
    assert isinstance(decide(one_nan, PureDP(1.0), bits), ExactProof)
