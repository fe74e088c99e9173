"""Float obligations: mechanisms whose floats absorb what protects are no proof, others are."""

import math
from collections import Counter, defaultdict
from contextlib import suppress

import numpy as np
import pytest

from dpaudit import (
    AddRemove,
    AnyPair,
    ApproxDP,
    Categorical,
    Integer,
    PureDP,
    QueryAnswers,
    Real,
    ReplaceOne,
    Row,
    Verdict,
    verify,
)  # fmt: skip
from dpaudit.claims.symbolic import SymbolicClaim
from dpaudit.floats import Refused, float_bounds, obligations, range_of_parameters
from dpaudit.floats.functions import Functions
from dpaudit.floats.ledger import Ledger
from dpaudit.floats.values import Matrix, Num, point
from dpaudit.formal.for_all import verify_for_all
from dpaudit.formal.hashing import to_dict
from dpaudit.formal.lift import lift
from dpaudit.subject import Subject
from tests.proving import is_proved
from tests.sweeps import thinned

UNIT = AddRemove(Real(0, 1))
HUNDRED = AddRemove(Real(0, 100))
ONE = QueryAnswers(1)
BIT = AnyPair(Integer(0, 1))


def bounds(mechanism, neighbors, claim=PureDP(1.0), kind="cost"):  # noqa: B008 - a value
    return float_bounds(to_dict(lift(Subject.of(mechanism))), claim, neighbors, kind)


def tiny_uniform(x, rng):
    return bool(1.0 + 1e-16 * rng.random() == 1.0) if x else False


def seldom_tiny_uniform(x, rng):
    if rng.random() < 1e-4:
        return bool(1.0 + 1e-16 * rng.random() == 1.0) if x else False
    return False


def tiny_uniform_ordered(x, rng):
    return bool(1.0 + 1e-16 * rng.random() > 1.0) if x else False


def noise_taken_back(x, rng):
    noise = rng.laplace()
    return (x + noise) - noise == x


def absorbed(a, rng):
    return (a[0] + 1e17) + rng.laplace(scale=1.0)


def absorbed_in_a_sum(data, rng):
    return np.sum(np.array([1e17, data.sum()])) + rng.laplace()


def absorbed_beside_a_constant(data, rng):
    constants = np.full(3, 1e17)
    constants[0] = data.sum()
    return constants.sum() + rng.laplace()


def absorbed_by_more(a, rng):
    return (a[0] + 1.7e18) + rng.laplace()


def tiny_noise(data, rng):
    return (len(data) * 1e-20 + 1.0) + rng.laplace(scale=1e-20)


def cancelled(data, rng):
    return (data.sum() + 1e17) - 1e17 + rng.laplace()


def half_precision(data, rng):
    return data.astype(np.float16).sum() + rng.laplace()


def single_precision(data, rng):
    return data.astype(np.float32).sum() + rng.laplace()


def single_precision_by_name(data, rng):
    return data.astype("float32").sum() + rng.laplace()


def single_precision_of_the_sum(data, rng):
    return data.sum(dtype=np.float32) + rng.laplace()


def half_precision_of_the_total(data, rng):
    return np.float16(data.sum()) + rng.laplace()


def wrapped(data, rng):
    return (data > 0.5).astype(np.int8).sum(dtype=np.int8) + rng.laplace()


def overflowing(data, rng):
    return data.sum() * 1e308 + rng.laplace(scale=1e308)


def never_tails(x, rng):
    return bool(x) if rng.random() < 1 - 1e-17 else False


def erased_geometric(x, rng):
    return x + int(rng.geometric(1 - math.exp(-40.0))) - int(rng.geometric(1 - math.exp(-40.0)))


def scale_that_cancels(a, rng):
    return a[0] + 0.1 + rng.laplace(scale=(1e17 + 1.0) - 1e17)


def absorbed_in_a_loop(data, rng):
    total = 1e17
    for value in data:
        total += value
    return total + rng.laplace()


def helper(value):
    return value + 1e17


def absorbed_in_a_helper(a, rng):
    return helper(a[0]) + rng.laplace()


def absorbed_in_items(data, rng):
    sums = {name: data.sum() + 1e17 for name in ("a", "b")}
    return {name: value + rng.laplace() for name, value in sums.items()}


def absorbed_by_keys(data, rng):
    sums = {name: data.sum() + 1e17 for name in ("a", "b")}
    return [sums[name] + rng.laplace() for name in sums.keys()]  # noqa: SIM118 - as it is written


def absorbed_in_a_dict_of_items(data, rng):
    sums = {name: data.sum() for name in ("a", "b")}
    far = {name: value + 1e17 for name, value in sums.items()}
    return far["a"] + rng.laplace()


def absorbed_by_what_grows_late(data, rng):
    """The first rounds reach the bound of a steady growth, and from there on x grows at a rate."""
    x = y = 0.0
    for _ in range(2100):
        x = max(x, min(y * 1000.0, 2099.0)) + 1.0
        y = y + 1.0
        if x > 2200.0:
            x = x * 1.017578125  # x ends between 2^61 and 2^62
    return ((np.clip(data, 0, 100).sum() + x) - x) + rng.laplace(scale=100.1)


def absorbed_after_two_jumps(data, rng):
    """Each jump ends within twice the bound of a steady growth; what follows both is beyond it."""
    x = 0.0
    for _ in range(2100):
        if x > 4250.0:
            x = 1e17
        elif x > 2102.0:
            if x < 2105.0:
                x = 4190.0
            else:
                x += 1.0
        elif x == 2.0:
            x = 2098.0
        else:
            x += 1.0
    return (data.sum() + x) + rng.laplace()


def absorbed_behind_what_nothing_bounds(data, rng):
    """Of x no bound is found, and what depends on it follows two rounds later."""
    x, y, z = 1.0, 0.0, 0.0
    for _ in range(2100):
        if x < 1e200:
            x = x * 2.0
        z = z if y < 1.0 else 1e17
        y = 0.0 if x < 1e150 else 2.0
    return (data.sum() + z) + rng.laplace()


def absorbed_in_a_sum_that_tests_move(data, rng):
    x = 0.0
    for _ in range(2100):
        x += 1.0
        if x > 2000.0:
            x += 1e17
    return (data.sum() + x) + rng.laplace()


def absorbed_in_a_sum_under_two_names(data, rng):
    x = np.zeros(2)
    y = x
    for i in range(2100):
        x += 1.0
        if i > 2040:
            y *= 2.0
    return (data.sum() + x[0]) + rng.laplace()


def absorbed_in_a_branch_of_a_function(data, rng):
    x = 0.0

    def step():
        nonlocal x
        if rng.random() < 0.5:
            x = 1e17

    step()
    return (data.sum() + x) + rng.laplace()


def absorbed_unless_a_function_goes_on(data, rng):
    held = [1e17]

    def step(of):
        if rng.random() < 0.5:
            return 0.0
        of[0] = 0.0
        return 1.0

    step(held)
    return (data.sum() + held[0]) + rng.laplace()


class Tally:
    def __init__(self):
        self.x = 0.0

    def step(self, rng):
        for _ in range(2100):
            self.x += 1e14


def absorbed_in_a_loop_of_a_method(data, rng):
    tally = Tally()
    tally.step(rng)
    return (data.sum() + tally.x) + rng.laplace()


def enlarge(vector):
    vector *= 1e17


def enlarge_under_another_name(vector):
    first = vector
    first[0] = 1e17


def enlarge_a_view(vector):
    view = vector[:]
    view += 1e17


def absorbed_in_an_array_that_a_function_changes(data, rng):
    x = np.ones(2)
    enlarge(x)
    return (data.sum() + x.sum()) + rng.laplace()


def absorbed_under_another_name_of_an_array(data, rng):
    x = np.ones(2)
    enlarge_under_another_name(x)
    return (data.sum() + x.sum()) + rng.laplace()


def absorbed_by_a_view_of_an_array(data, rng):
    x = np.ones(2)
    enlarge_a_view(x)
    return (data.sum() + x.sum()) + rng.laplace()


def absorbed_under_another_name_of_a_quotient(data, rng):
    x = np.ones(2) / 2
    y = x
    y *= 1e17
    return (data.sum() + x.sum()) + rng.laplace()


def absorbed_in_the_sum_of_a_quotient(data, rng):
    return (data.sum() + (np.ones(2**20) / 2**-35).sum()) + rng.laplace()


def absorbed_in_released_noise(a, rng):
    wide = rng.laplace(scale=1e18)
    return wide, (a[0] + wide) + rng.laplace()


def absorbed_in_noise_taken_away(a, rng):
    wide = rng.laplace(scale=1e18)
    return ((a[0] + wide) - wide) + rng.laplace()


ABSORBING = [
    (tiny_uniform, BIT, "exact"),
    (seldom_tiny_uniform, BIT, "exact"),
    (tiny_uniform_ordered, BIT, "exact"),
    (noise_taken_back, AnyPair(Real(0, 1)), "exact"),
    (absorbed, ONE, "cost"),
    (absorbed, ONE, "alignment"),
    (absorbed, ONE, "lemma"),
    (absorbed_in_a_sum, UNIT, "cost"),
    (absorbed_beside_a_constant, UNIT, "cost"),
    (absorbed_by_more, ONE, "cost"),
    (tiny_noise, UNIT, "cost"),
    (cancelled, UNIT, "cost"),
    (half_precision, UNIT, "cost"),
    (single_precision, UNIT, "cost"),
    (single_precision_by_name, UNIT, "cost"),
    (single_precision_of_the_sum, UNIT, "cost"),
    (half_precision_of_the_total, UNIT, "cost"),
    (wrapped, UNIT, "cost"),
    (overflowing, UNIT, "cost"),
    (never_tails, BIT, "exact"),
    (erased_geometric, BIT, "cost"),
    (scale_that_cancels, ONE, "cost"),
    (absorbed_in_a_loop, UNIT, "cost"),
    (absorbed_in_a_helper, ONE, "cost"),
    (absorbed_in_items, UNIT, "cost"),
    (absorbed_in_released_noise, ONE, "alignment"),
    (absorbed_in_noise_taken_away, ONE, "alignment"),
    (absorbed_by_keys, UNIT, "cost"),
    (absorbed_in_a_dict_of_items, UNIT, "cost"),
    (absorbed_by_what_grows_late, HUNDRED, "cost"),
    (absorbed_after_two_jumps, UNIT, "cost"),
    (absorbed_behind_what_nothing_bounds, UNIT, "cost"),
    (absorbed_in_a_sum_that_tests_move, UNIT, "cost"),
    (absorbed_in_a_sum_under_two_names, UNIT, "cost"),
    (absorbed_in_a_branch_of_a_function, UNIT, "cost"),
    (absorbed_unless_a_function_goes_on, UNIT, "cost"),
    (absorbed_in_a_loop_of_a_method, UNIT, "cost"),
    (absorbed_in_an_array_that_a_function_changes, UNIT, "cost"),
    (absorbed_under_another_name_of_an_array, UNIT, "cost"),
    (absorbed_by_a_view_of_an_array, UNIT, "cost"),
    (absorbed_under_another_name_of_a_quotient, UNIT, "cost"),
    (absorbed_in_the_sum_of_a_quotient, UNIT, "cost"),
]


@pytest.mark.parametrize(("mechanism", "neighbors", "kind"), thinned(ABSORBING))
def test_a_mechanism_whose_floats_absorb_is_refused(mechanism, neighbors, kind):
    with pytest.raises(Refused):
        bounds(mechanism, neighbors, ApproxDP(1.0, 1e-3), kind)


def clipped_sum(data, rng):
    return np.clip(data, 0, 100).sum() + rng.laplace(scale=100.0)


def count(data, rng):
    return len(data) + rng.laplace(scale=1.0)


def mean(data, rng):
    return data.sum() / max(1, len(data)) + rng.laplace(scale=100.0)


def answer(a, rng):
    return a[0] + rng.laplace(scale=1.0)


def flipped(x, rng):
    return x if rng.random() < 0.75 else 1 - x


def noisy_threshold(a, rng):
    return bool(a[0] + rng.laplace(scale=4.0) > 10.0)


def sum_in_a_loop(data, rng):
    total = 0.0
    for value in data:
        total += value
    return total + rng.laplace(scale=100.0)


def beside_another_array_of_one_statement(data, rng):
    large, weights = np.ones(2), np.ones(2)
    large *= 1e17
    return data.sum() + weights.sum() + rng.laplace(scale=100.0)


ORDINARY = [
    (beside_another_array_of_one_statement, HUNDRED, "cost"),
    (clipped_sum, HUNDRED, "cost"),
    (count, HUNDRED, "cost"),
    (mean, HUNDRED, "cost"),
    (answer, ONE, "cost"),
    (answer, ONE, "alignment"),
    (flipped, BIT, "exact"),
    (noisy_threshold, ONE, "alignment"),
    (sum_in_a_loop, HUNDRED, "cost"),
]


@pytest.mark.parametrize(("mechanism", "neighbors", "kind"), ORDINARY)
def test_an_ordinary_mechanism_keeps_its_proof(mechanism, neighbors, kind):
    least = obligations.ANSWERS if neighbors is ONE else obligations.RECORDS
    assert bounds(mechanism, neighbors, kind=kind).size >= least


def test_the_magnitude_of_answers_is_stated_in_units_of_their_distance():
    """The sum is rounded by half a unit in its last place: for scale 1 and answers of 2^m by
    2^(m - 53), of which twice is 2^-10 at m = 42. The magnitudes that are tried are 39 and 46."""

    def mechanism(a, rng):
        return (a[0] + 0.5) + rng.laplace(scale=1.0)

    found = bounds(mechanism, ONE)
    assert found.size == 39
    assert "answers of magnitude up to 2^39 times their distance" in found.sentence()


def test_a_clipped_sum_holds_up_to_the_documented_number_of_records():
    assert 20 <= bounds(clipped_sum, HUNDRED).size <= 22


def shifted(offset, scale):
    def mechanism(a, rng):
        return (a[0] + offset) + rng.laplace(scale=scale)

    return mechanism


@pytest.mark.parametrize("exponent", range(20, 63, 3))
@pytest.mark.parametrize("scale", [2.0**-20, 1.0, 2.0**20])
def test_the_border_lies_where_the_error_is_a_thousandth_of_the_noise(exponent, scale):
    """Answers of 2^16, so that the error is about 2^-53 of the larger of offset and answers."""
    lost = 2 * 2.0**-53 * (2.0**exponent + 2.0**16) / scale
    mechanism = shifted(2.0**exponent + 0.5, scale)
    if lost > 2.0**-10 * 4:
        with pytest.raises(Refused, match="rounding"):
            bounds(mechanism, ONE)
    elif lost < 2.0**-10 / 4:
        assert bounds(mechanism, ONE).loss <= 2.0**-10


def flips_for_all(x, rng, epsilon):
    return x if rng.random() < math.exp(epsilon) / (1 + math.exp(epsilon)) else 1 - x


def test_randomized_response_states_where_its_probability_is_kept():
    program = to_dict(lift(flips_for_all, symbolic=("epsilon",)))
    claim = SymbolicClaim.of("PureDP(epsilon)")
    low, high = range_of_parameters(program, claim, BIT, "exact")
    assert low < 0.01
    assert 8 < high < 23  # 2^-53 is 2^-20 of exp(-22.9)


def test_a_proof_for_all_values_says_for_which():
    claim = SymbolicClaim.of("PureDP(epsilon)")
    found = verify_for_all(flips_for_all, claim, BIT, timeout=600.0)
    assert found.verdict is Verdict.VERIFIED
    (said,) = [a for a in found.assumptions if "between" in a]
    assert said.startswith("proved for epsilon between")
    assert said in found.certificate.assumptions


def integer_beyond_doubles(data, rng):
    return len(data) + 10**17 + rng.laplace()


def integer_beyond_doubles_behind_noise(data, rng):
    return rng.laplace() + (len(data) + 2**60)


def integer_beyond_doubles_in_an_array(data, rng):
    return np.array(len(data) + 10**17) + rng.laplace()


def integer_beyond_doubles_times_a_float(data, rng):
    return (len(data) + 10**17) * 1.5 + rng.laplace(scale=1.5)


def integer_beyond_doubles_as_an_argument(data, rng):
    return abs(len(data) - 10**17) + rng.laplace()


@pytest.mark.parametrize(
    "mechanism",
    [
        integer_beyond_doubles, integer_beyond_doubles_behind_noise,
        integer_beyond_doubles_in_an_array, integer_beyond_doubles_times_a_float,
        integer_beyond_doubles_as_an_argument,
    ],
)  # fmt: skip
def test_an_exact_integer_is_rounded_where_it_meets_a_float(mechanism):
    with pytest.raises(Refused, match="rounding before noise"):
        bounds(mechanism, UNIT)


def test_the_first_integer_that_no_float_holds_is_rounded():
    def bit(x, rng):
        return float(2**53 + x + 1) - 2.0**53 + rng.laplace()

    with pytest.raises(Refused, match="rounding before noise"):
        bounds(bit, AnyPair(Integer(0, 1)))


def test_exact_integers_that_a_float_holds_cost_nothing():
    def count(data, rng):
        return len(data) + 2**40 + rng.laplace()

    assert bounds(count, UNIT).loss == 0


def total(data):
    return np.clip(data, 0, 1).sum()


def absorbed_in_what_was_released(data, rng):
    a = (total(data) + rng.laplace(scale=2)) * 1e17
    return a, (a + total(data)) + rng.laplace(scale=2)


def absorbed_in_items_beside_what_was_released(data, rng):
    a = (total(data) + rng.laplace(scale=2)) * 1e17
    sums = np.array([a, total(data)])
    return a, np.sum(sums) + rng.laplace(scale=2)


def absorbed_in_fresh_noise(data, rng):
    return (rng.laplace(scale=1) + 1e17) + len(data)


def hidden_by_noise_that_was_seen(data, rng):
    wide = rng.laplace(scale=1.0)
    faint = (len(data) * 1e-15 + 1e3) - 1e3
    return wide * wide, (faint + wide) + rng.laplace(scale=2e-15)


def rest_of_what_was_released(data, rng):
    a = len(data) + rng.laplace(scale=2)
    rest = (a + 1e17) - 1e17 - a
    return a, total(data) * rest * 1e-9 + rng.laplace(scale=2e-9)


def counted_beside_what_was_released(data, rng):
    t = (total(data) + rng.laplace(scale=2)) * 1e17
    for x in data:
        t += 1.0 if x > 0.5 else 0.0
    return t + rng.laplace(scale=2)


@pytest.mark.parametrize(
    "mechanism",
    [
        absorbed_in_what_was_released, absorbed_in_items_beside_what_was_released,
        absorbed_in_fresh_noise, hidden_by_noise_that_was_seen, rest_of_what_was_released,
        counted_beside_what_was_released,
    ],
)  # fmt: skip
def test_what_is_rounded_beside_a_released_value_is_charged_to_fresh_noise(mechanism):
    with pytest.raises(Refused, match="rounding"):
        bounds(mechanism, UNIT)


def far_beside_what_was_released(data, rng):
    a = (total(data) + rng.laplace(scale=2)) * 1e3
    return a, (a + total(data)) + rng.laplace(scale=2)


def large_after_noise(data, rng):
    a = (total(data) + rng.laplace(scale=1)) * 1e17
    return (a + 3.0) - a


@pytest.mark.parametrize("mechanism", [far_beside_what_was_released, large_after_noise])
def test_the_rounding_of_released_values_alone_costs_nothing(mechanism):
    assert bounds(mechanism, UNIT).size >= 20


def test_the_checker_uses_what_the_prover_found_and_nothing_else(monkeypatch):
    """Each question that follows differs in one thing, some of it equal to Python."""

    def mechanism(data, rng, scale=1.0):
        return np.clip(data, 0, 1).sum() + rng.laplace(scale=scale)

    def twin(data, rng, scale=2.0):
        return np.clip(data, 0, 1).sum() + rng.laplace(scale=scale)

    asked = []
    found = obligations._found
    monkeypatch.setattr(obligations, "_last", None)
    monkeypatch.setattr(obligations, "_found", lambda *given: asked.append(1) or found(*given))
    report = verify(mechanism, PureDP(1.0), AddRemove(Real(0, 1)))
    assert (report.verdict, len(asked)) == (Verdict.VERIFIED, 1)
    questions = [
        (mechanism, UNIT, PureDP(2.0), "cost"),
        (mechanism, UNIT, ApproxDP(2.0, 0.0), "cost"),
        (mechanism, UNIT, ApproxDP(2.0, 0.0), "lemma"),
        (twin, UNIT, ApproxDP(2.0, 0.0), "lemma"),
        (twin, AddRemove(Real(0, 1, enforced=False)), ApproxDP(2.0, 0.0), "lemma"),
        (twin, AnyPair(Categorical([0, 1])), ApproxDP(2.0, 0.0), "lemma"),
        (twin, AnyPair(Categorical([0.0, 1.0])), ApproxDP(2.0, 0.0), "lemma"),
        (twin, AnyPair(Categorical([False, True])), ApproxDP(2.0, 0.0), "lemma"),
    ]
    for number, question in enumerate(questions, 2):
        with suppress(Refused):
            bounds(*question)
        assert len(asked) == number


def test_a_small_claim_is_refused_after_a_large_one():
    assert bounds(single_precision, UNIT, PureDP(1e9))
    with pytest.raises(Refused):
        bounds(single_precision, UNIT, PureDP(1e-9))


@pytest.mark.parametrize("neighbors", [UNIT, HUNDRED, ONE], ids=["unit", "hundred", "answers"])
def test_numbers_of_records_that_are_not_run_again_change_no_bound(neighbors, monkeypatch):
    """A set that forgets runs every number of records anew for each size."""

    def mechanism(data, rng):
        return np.clip(data, 0, 1).sum() + rng.laplace()

    runs = []
    run = obligations.Interpreter.run
    monkeypatch.setattr(
        obligations.Interpreter, "run", lambda *given: runs.append(1) or run(*given)
    )
    found, once = bounds(mechanism, neighbors), len(runs)

    class Forgetful(set):
        def add(self, item):
            pass

    true = obligations._run
    monkeypatch.setattr(obligations, "_last", None)
    monkeypatch.setattr(obligations, "_run", lambda *given: true(*given[:-1], Forgetful()))
    assert bounds(mechanism, neighbors) == found
    assert (len(runs) - once > once) is (neighbors is not ONE)  # answers are larger each time


def from_far(entries):
    def mechanism(data, rng):
        found = dict(entries)
        for record in data:
            found[record["name"]] += record["value"]
        return found["a"] + rng.laplace()

    return mechanism


def from_far_by_default(data, rng):
    found = {}
    for record in data:
        found[record["name"]] = found.get(record["name"], 1e17) + record["value"]
    return found.get("a", 0.0) + rng.laplace()


def set_far_first(data, rng):
    found = {}
    for record in data:
        found.setdefault(record["name"], 1e17)
        found[record["name"]] += record["value"]
    return found.get("a", 0.0) + rng.laplace()


def lists_of_rounded(data, rng):
    found = defaultdict(list)
    for record in data:
        found[record["name"]].append(record["value"] + 1e17 - 1e17)
    return sum(found["a"]) + rng.laplace()


def counted_numbers(data, rng):
    found = Counter(np.rint(np.clip(data, 0, 5)))
    return found[3] + rng.laplace(), found[4] + rng.laplace()


NAMED = AddRemove(Row(name=Categorical(["a", "b"]), value=Real(0, 1)), container="list")
KEYED = (from_far({"a": 1e17, "b": 0.0}), from_far_by_default, set_far_first, lists_of_rounded)


@pytest.mark.parametrize("mechanism", KEYED)
def test_what_a_record_adds_by_key_is_rounded_as_any_number(mechanism):
    with pytest.raises(Refused, match="rounding"):
        bounds(mechanism, NAMED)


def test_sums_by_key_from_zero_are_exact_enough():
    assert bounds(from_far({"a": 0.0, "b": 0.0}), NAMED)


def test_numbers_are_counted_by_the_label_that_they_equal():
    assert verify(counted_numbers, PureDP(1.0), HUNDRED).verdict is Verdict.VERIFIED
    missing = AddRemove(Real(0, 100, allow_nan=True))
    assert not is_proved(counted_numbers, PureDP(1.0), missing)


@pytest.mark.parametrize("of", [Num, Matrix])
def test_a_norm_along_an_axis_is_one_of_few_entries(of):
    """However many rows there are, one of two entries from 1 may be as short as the root of 2."""
    column = Num(1.0, 5.0, size=2.0**20, scalar=False, fewest=2.0**10)
    rows = column if of is Num else Matrix({"a": column, "b": column})
    functions = Functions(Ledger(), strict=True, records=2.0**20, sized=False)
    found = functions.apply("numpy.linalg.norm", [rows], {"axis": point(1)}, "")
    assert found.low <= math.sqrt(2)
    assert found.high >= 5 * math.sqrt(2)


HUGE = AddRemove(Real(0, 1e300), max_size=1000)


def zero_times_an_overflow(data, rng):
    return (data * 1e10).sum() * 0.0 + rng.laplace()


def weight_of_zero(data, rng):
    return np.dot([(data @ data), len(data)], [0.0, 1.0]) + rng.laplace()


def zero_in_a_loop(data, rng):
    total = 0.0
    for x in data:
        total += min(max(x * 1e10 * 0.0, 0.0), 1.0)
    return total + rng.laplace()


def truth_of_zero(data, rng):
    return bool((data * 1e10).sum() * 0), rng.laplace()


def steps_by_zero(data, rng):
    return [rng.laplace() for _ in range(int(1 + (data * 1e10).sum() * 0))]


def scale_beside_zero(data, rng):
    return rng.laplace() * (1 + (data * 1e10).sum() * 0)


ZEROS = [
    zero_times_an_overflow,
    weight_of_zero,
    zero_in_a_loop,
    truth_of_zero,
    steps_by_zero,
    scale_beside_zero,
]


@pytest.mark.parametrize("mechanism", ZEROS)
def test_zero_times_what_may_overflow_is_no_zero(mechanism):
    assert not is_proved(mechanism, PureDP(1.0), HUGE)


def test_zero_times_what_floats_hold_is_zero():
    assert is_proved(zero_times_an_overflow, PureDP(1.0), UNIT)


def median_of_candidates(data, rng):
    candidates = np.linspace(0.0, 1.0, 5)
    scores = np.array([-abs(np.sum(data < c) - len(data) / 2) for c in candidates])
    weights = np.exp(scores / 2)
    return candidates[rng.choice(5, p=weights / np.sum(weights))]


def weights_that_vanish(data, rng):
    scores = np.array([-abs(np.sum(data < c) - len(data) / 2) - 1500.0 for c in (0.2, 0.6)])
    weights = np.exp(scores / 2)
    return int(rng.choice(2, p=weights / np.sum(weights)))


def sum_of_a_part(data, rng):
    weights = np.exp(np.array([-abs(np.sum(data < c) - 4) for c in (0.2, 0.6)]) / 2)
    return int(rng.choice(2, p=weights / np.sum(weights, where=data[:2] < 0.5)))


def root_of_the_sum(data, rng):
    weights = np.exp(np.array([-abs(np.sum(data < c) - 4) for c in (0.2, 0.6)]) / 2)
    total = np.sum(weights)
    return int(rng.choice(2, p=np.minimum(weights / np.exp(-1000 * total), 0.5)))


def test_a_share_of_a_sum_of_positive_weights_is_kept():
    """What is divided is one of the weights, so that their sum is not less."""
    eight = ReplaceOne(Real(0, 1), size=8)
    assert is_proved(median_of_candidates, PureDP(1.0), eight)
    for mechanism in (weights_that_vanish, sum_of_a_part, root_of_the_sum):
        assert not is_proved(mechanism, PureDP(1.0), eight)


def mean_by_the_first_length(data, rng):
    n = data.shape[0]
    return data.mean() + rng.laplace(scale=1 / (n * 1.0))


def test_the_first_length_of_an_array_is_the_number_of_records():
    assert is_proved(mean_by_the_first_length, PureDP(1.0), ReplaceOne(Real(0, 1), size=8))
    assert not is_proved(mean_by_the_first_length, PureDP(1.0), AddRemove(Real(0, 1)))


def least_float(answers, rng):
    return answers[0] + rng.laplace(scale=5e-324) * 2.0**1000 * 2.0**74


def least_scale(data, rng):
    return data.sum() + rng.laplace(scale=1e-323) * 1e300 * 1e24


def lost_on_the_way(data, rng):
    return data.sum() + rng.laplace(scale=10.0) * 1e-323 * 1e300 * 1e23


def divided_away(data, rng):
    return data.sum() + rng.laplace(scale=10.0) / 1e300 / 1e23 * 1e300 * 1e23


def lost_by_many_factors(data, rng):
    noise = rng.laplace(scale=10.0) * 2.0**-280 * 2.0**-280 * 2.0**-280 * 2.0**-233
    return data.sum() + noise * 2.0**280 * 2.0**280 * 2.0**280 * 2.0**233


def lost_by_parameters(data, rng, small=1e-323, large=1e300, rest=1e24):
    return data.sum() + rng.laplace(scale=small) * large * rest


def scaled_there_and_back(data, rng):
    return data.sum() + rng.laplace(scale=10.0) * 1e-30 * 1e30


def test_noise_of_which_floats_lost_the_digits_hides_nothing():
    """Noise that is a multiple of the least float is one of something large once it is scaled."""
    few = AddRemove(Real(0, 10), max_size=5)
    assert not is_proved(least_float, PureDP(1.01), ONE)
    for mechanism in (
        least_scale, lost_on_the_way, divided_away, lost_by_many_factors, lost_by_parameters
    ):  # fmt: skip
        assert not is_proved(mechanism, PureDP(1.2), few)
    assert is_proved(scaled_there_and_back, PureDP(1.2), few)
