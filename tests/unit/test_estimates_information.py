"""Information from samples: intervals, what their ends are valid for, and what is refused."""

import math

import numpy as np
import pytest
from scipy.optimize import minimize

import dpaudit
from dpaudit.claims import PureDP
from dpaudit.estimates.information import (
    channel_capacity,
    conditional_entropy,
    entropy,
    leakage_allowed,
    maximum_entropy_prior,
    min_entropy_leakage,
    mutual_information,
    sharpest_information,
)
from dpaudit.estimates.information.extremes import (
    greatest_convex,
    greatest_entropy,
    greatest_information,
    information,
    least_entropy,
    least_information,
)
from dpaudit.estimates.region import Box

FLIP = np.array([[0.75, 0.25], [0.25, 0.75]])
LEFT = np.array([[0.6, 0.3, 0.1], [0.2, 0.5, 0.3]])
CHANNELS = {
    "information": mutual_information,
    "left": conditional_entropy,
    "leakage": min_entropy_leakage,
    "capacity": channel_capacity,
}


def samples(matrix, n, seed):
    rng = np.random.default_rng(seed)
    return {x: rng.choice(len(row), size=n, p=row) for x, row in enumerate(matrix)}


def random_boxes(seed, v=2, k=4):
    rng = np.random.default_rng(seed)
    return [Box.of(rng.multinomial(60, rng.dirichlet(np.ones(k))), 0.95) for _ in range(v)]


def points(box, rng, size=300):
    """Return distributions in a box, most of them at its corners."""
    found = [box.corners()]
    weights = rng.dirichlet(np.full(len(found[0]), 0.3), size=size)
    found.append(weights @ found[0])
    return np.concatenate(found)


@pytest.mark.parametrize("seed", range(6))
def test_no_channel_in_the_boxes_lies_outside_the_extremes_of_information(seed):
    rng = np.random.default_rng(seed)
    boxes = random_boxes(seed)
    prior = rng.dirichlet(np.ones(2))
    low, high = least_information(prior, boxes), greatest_information(prior, boxes)
    one, two = points(boxes[0], rng), points(boxes[1], rng)
    values = [
        information(prior, np.array([a, b]))
        for a, b in zip(one, rng.permutation(two), strict=False)
    ]
    assert low <= min(values) + 1e-9
    assert max(values) <= high


@pytest.mark.parametrize("seed", range(4))
def test_the_least_information_is_what_an_optimizer_finds(seed):
    boxes = random_boxes(seed, k=3)
    prior = np.array([0.4, 0.6])
    k = 3
    limits = [(float(a), float(b)) for box in boxes for a, b in zip(box.low, box.high, strict=True)]
    start = np.concatenate(
        [
            box.low + (1 - box.low.sum()) * (box.high - box.low) / (box.high - box.low).sum()
            for box in boxes
        ]
    )
    found = minimize(
        lambda w: information(prior, w.reshape(2, k)),
        start,
        bounds=limits,
        constraints=[
            {"type": "eq", "fun": lambda w, i=i: w.reshape(2, k)[i].sum() - 1} for i in (0, 1)
        ],
        method="SLSQP",
        options={"ftol": 1e-12, "maxiter": 500},
    )
    assert least_information(prior, boxes) == pytest.approx(max(0.0, found.fun), abs=2e-4)


@pytest.mark.parametrize("seed", range(6))
def test_no_distribution_in_a_box_lies_outside_the_extremes_of_entropy(seed):
    rng = np.random.default_rng(seed)
    (box,) = random_boxes(seed, v=1)
    values = [
        entropy(probabilities=np.clip(w, 0, 1) / np.clip(w, 0, 1).sum()).value
        for w in points(box, rng)
    ]
    assert least_entropy(box) <= min(values) + 1e-9
    assert max(values) <= greatest_entropy(box) + 1e-9


def test_a_sum_of_convex_terms_is_bounded_by_its_steepest_chords():
    box = Box(np.array([0.1, 0.2, 0.0]), np.array([0.6, 0.5, 0.6]))
    squares = greatest_convex(box.low**2, box.high**2, box)
    rng = np.random.default_rng(0)
    assert squares >= max(float((w**2).sum()) for w in points(box, rng))


@pytest.mark.parametrize("name", CHANNELS)
def test_samples_with_named_outcomes_give_two_valid_ends(name):
    """H0: the interval covers; a fresh seed fails in less than one run of 20."""
    exact = CHANNELS[name](LEFT).value
    found = CHANNELS[name](samples(LEFT, 20_000, 1), support=[0, 1, 2])
    low, high = found.confidence_interval
    assert low <= exact <= high
    assert high - low < 0.08
    assert found.n == 40_000
    assert found.valid_for.startswith("both ends: valid for the mechanism")


@pytest.mark.parametrize("name", CHANNELS)
def test_few_outcomes_that_a_pilot_shows_give_two_valid_ends_too(name):
    """H0: as above."""
    exact = CHANNELS[name](LEFT).value
    found = CHANNELS[name](samples(LEFT, 20_000, 2))
    low, high = found.confidence_interval
    assert low <= exact <= high
    assert "all others" in found.method


def test_an_outcome_that_was_not_foreseen_is_taken_to_reveal_its_input():
    shown = samples([[1.0], [1.0]], 5_000, 0)
    high = mutual_information(shown).confidence_interval.high
    unseen = 1 - 0.0125 ** (1 / 4_000)  # at twice the error that one limit has
    assert unseen * math.log(2) <= high <= 3 * unseen * math.log(2)
    leaked = min_entropy_leakage(shown).confidence_interval.high
    assert math.log(1 + unseen) <= leaked <= 3 * unseen


def test_rare_catastrophes_lie_below_the_upper_end():
    """H0: an outcome of probability .001 that names the input is missed by a pilot of 1,000 with
    probability .37; the upper end holds all the same."""
    exact = [[0.001, 0, 0.999], [0, 0.001, 0.999]]
    found = mutual_information(samples(exact, 5_000, 4))
    assert found.confidence_interval.high >= mutual_information(exact).value


def gaussian(x, rng):
    return x + rng.normal()


def gaussian_vector(x, rng):
    return x * np.array([1.0, -1.0, 0.5]) + rng.normal(size=3)


def two_gaussians(shift):
    """Return I(X; X + N(0, 1)) of a fair bit times a shift, by quadrature."""
    y = np.linspace(-12, 12 + shift, 200_001)
    p, q = (np.exp(-((y - at) ** 2) / 2) / math.sqrt(2 * math.pi) for at in (0.0, shift))
    mix = (p + q) / 2
    terms = p / 2 * np.log(p / mix) + q / 2 * np.log(q / mix)
    return float(np.trapezoid(terms, y))


def test_numbers_are_cut_into_cells_and_the_lower_end_is_that_of_the_mechanism():
    """H0: the lower end holds; a fresh seed fails in less than one run of 20."""
    truth = two_gaussians(2.0)
    found = mutual_information(gaussian, inputs=[0.0, 2.0], n=10_000)
    low, _ = found.confidence_interval
    assert 0.7 * truth < low <= truth
    assert "upper end: these cells only" in found.valid_for
    left = conditional_entropy(gaussian, inputs=[0.0, 2.0], n=10_000)
    assert left.confidence_interval.high >= math.log(2) - truth
    assert "lower end: these cells only" in left.valid_for


def test_vectors_are_cut_by_a_learned_guess():
    """H0: as above; three inputs on a line, a step of 3 in unit noise."""
    truth = two_gaussians(3.0)
    found = mutual_information(gaussian_vector, inputs=[0.0, 2.0], n=4_000)
    assert 0.6 * truth < found.confidence_interval.low <= truth
    three = min_entropy_leakage(gaussian_vector, inputs=[0.0, 2.0, 4.0], n=4_000)
    assert three.confidence_interval.low > 0.4


def four_answers(value, rng):
    return value if rng.random() < 0.5 else int(rng.integers(4))


@dpaudit.vectorized
def four_answers_at_once(value, size, rng):
    return np.where(rng.random(size) < 0.5, value, rng.integers(4, size=size))


@pytest.mark.parametrize("mechanism", [four_answers, four_answers_at_once])
def test_a_mechanism_is_called_on_each_input(mechanism):
    """H0: both intervals cover; a fresh seed fails in less than one run of 10."""
    epsilon = math.log(0.625 / 0.125)
    found = min_entropy_leakage(mechanism, inputs=range(4), n=5_000, claim=PureDP(epsilon))
    low, high = found.confidence_interval
    assert low <= leakage_allowed(PureDP(epsilon), 4) <= high + 1e-9
    assert found.n == 20_000
    assert "a claim allows at most" in str(found)


def bare_flip(value):
    return value


def raises(value, rng):
    if rng.random() < 0.5:
        raise ValueError(f"refused {value}")
    return 0


def test_a_mechanism_without_a_generator_and_one_that_raises_are_channels_too():
    known = mutual_information(bare_flip, inputs=["a", "b"], n=500)
    assert known.value == pytest.approx(math.log(2))
    told = mutual_information(raises, inputs=[0, 1], n=2_000)
    assert told.confidence_interval.low > 0.2


def test_entropy_without_support_has_no_upper_end():
    rng = np.random.default_rng(0)
    found = entropy(rng.integers(4, size=10_000))
    low, high = found.confidence_interval
    assert 1.3 < low <= math.log(4) < high == math.inf
    assert "upper end: none" in found.valid_for
    named = entropy(rng.integers(4, size=10_000), support=range(4))
    assert named.confidence_interval.high <= math.log(4)
    drawn = entropy(lambda rng: int(rng.integers(2)), n=1_000, support=[0, 1])
    assert drawn.n == 1_000


def test_a_prior_may_be_given_by_input():
    shown = {"a": np.zeros(100), "b": np.ones(100)}
    by_name = mutual_information(shown, {"b": 0.1, "a": 0.9}, support=[0.0, 1.0])
    in_order = mutual_information(shown, [0.9, 0.1], support=[0.0, 1.0])
    assert by_name.value == in_order.value
    assert mutual_information(shown, [1.0, 0.0], support=[0.0, 1.0]).value == 0.0


def test_a_prior_from_marginals_serves_as_prior():
    prior = maximum_entropy_prior((2, 2), {0: [0.9, 0.1]})
    assert prior.value == pytest.approx([0.45, 0.45, 0.05, 0.05])
    four = np.eye(4)
    assert mutual_information(four, prior.value).value == pytest.approx(
        entropy(probabilities=prior.value).value
    )


def test_more_confidence_widens_the_interval_and_the_same_seed_repeats_it():
    shown = samples(FLIP, 2_000, 5)
    wide = mutual_information(shown, confidence=0.999).confidence_interval
    narrow = mutual_information(shown, confidence=0.5).confidence_interval
    again = mutual_information(shown, confidence=0.5).confidence_interval
    assert wide.low < narrow.low < narrow.high < wide.high
    assert narrow == again


def test_a_capacity_that_was_stopped_early_says_so_by_its_interval():
    low, high = channel_capacity([[1, 0], [0.5, 0.5]], tolerance=0.1).confidence_interval
    assert low <= math.log(1.25) <= high
    assert high - low > 1e-3


def test_a_noiseless_and_a_useless_channel_have_the_extreme_values():
    assert channel_capacity(np.eye(3)).value == pytest.approx(math.log(3))
    assert channel_capacity([[0.3, 0.7]] * 3).confidence_interval.high <= 1e-9
    assert min_entropy_leakage([[0.3, 0.7]] * 3).value == 0.0
    assert conditional_entropy(np.eye(3)).value == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: mutual_information([0.5, 0.5]), "one input a row"),
        (lambda: mutual_information([[0.5, 0.6], [0.5, 0.5]]), "sum to 1"),
        (lambda: mutual_information([[1.5, -0.5]]), "sum to 1"),
        (lambda: mutual_information({}), "no input"),
        (lambda: mutual_information(gaussian), "`inputs` must list"),
        (lambda: mutual_information(gaussian, inputs=[0], n=0), "`n` must be at least 1"),
        (lambda: mutual_information(FLIP, [0.5, 0.6]), "2 probabilities that sum to 1"),
        (lambda: mutual_information(FLIP, {"a": 1.0}), "must name the inputs"),
        (lambda: mutual_information(FLIP, confidence=2), "strictly between"),
        (lambda: mutual_information({0: [1], 1: [1, 2]}), "2 draws at least"),
        (lambda: entropy([1, 2], support=[1]), "must name every outcome"),
        (lambda: channel_capacity(FLIP, tolerance=0), "must be positive"),
        (lambda: entropy(), "got none of them; pass one"),
        (lambda: entropy([1], probabilities=[1.0]), "got both; pass one"),
        (lambda: sharpest_information(-1.0), "at least 0"),
        (lambda: leakage_allowed(PureDP(1.0), 0), "at least 1"),
        (lambda: maximum_entropy_prior((2, 0), {}), "at least 1, got 0; give"),
        (lambda: maximum_entropy_prior(2, {}, tolerance=0), "must be positive"),
        (lambda: maximum_entropy_prior(2, {1: [0.5, 0.5]}), "attributes 0 to 0"),
        (lambda: maximum_entropy_prior((2, 2), {(0, 0): np.eye(2) / 2}), "each once"),
        (lambda: maximum_entropy_prior(2, {0: [0.2, 0.3, 0.5]}), "must have shape"),
        (lambda: maximum_entropy_prior(2, {0: [0.2, 0.3]}), "a sum of 0.5"),
    ],
)  # fmt: skip
def test_what_cannot_be_meant_is_refused(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_marginals_that_disagree_are_named():
    tables = {(0, 1): np.full((2, 2), 0.25), (1, 2): [[0.3, 0.3], [0.2, 0.2]]}
    with pytest.raises(
        ValueError, match=r"\(0, 1\) and \(1, 2\) disagree by 0.1 on attributes \(1,\)"
    ):
        maximum_entropy_prior((2, 2, 2), tables)


def test_pairs_that_agree_may_still_have_no_joint_distribution():
    """Three bits of which every two differ always: there is no such triple."""
    differ = [[0, 0.5], [0.5, 0]]
    with pytest.raises(ValueError, match="no prior has all the marginals"):
        maximum_entropy_prior((2, 2, 2), {(0, 1): differ, (1, 2): differ, (0, 2): differ})


def test_records_that_only_all_marginals_together_rule_out_are_found():
    """Given all pairs of three bits, one number is free: it moves mass between triples of even and
    of odd sum. An impossible triple of either kind leaves it no room."""
    joint = np.array([[[0.2, 0.0], [0.1, 0.2]], [[0.15, 0.15], [0.0, 0.2]]])
    pairs = {(0, 1): joint.sum(2), (1, 2): joint.sum(0), (0, 2): joint.sum(1)}
    assert min(table.min() for table in pairs.values()) > 0
    found = maximum_entropy_prior((2, 2, 2), pairs)
    assert found.value.reshape(2, 2, 2) == pytest.approx(joint, abs=1e-9)


def test_no_marginal_at_all_leaves_the_uniform_prior():
    assert maximum_entropy_prior(4, {}).value == pytest.approx(np.full(4, 0.25))
    with_zero = maximum_entropy_prior((2, 2), {0: [0.0, 1.0]})
    assert with_zero.value == pytest.approx([0, 0, 0.5, 0.5])


def test_marginals_out_of_reach_of_the_tolerance_are_reported(monkeypatch):
    joint = np.array([[[0.2, 0.1], [0.1, 0.2]], [[0.15, 0.05], [0.1, 0.1]]])
    pairs = {(0, 1): joint.sum(2), (1, 2): joint.sum(0), (0, 2): joint.sum(1)}
    monkeypatch.setattr("dpaudit.estimates.information.marginals.ROUNDS", 2)
    with pytest.raises(RuntimeError, match="larger tolerance"):
        maximum_entropy_prior((2, 2, 2), pairs)
