"""Steered noise: laws, symbols, fibers, bets, and what the engine says of them."""

import math
import pickle
import random
import re
import secrets

import numpy as np
import pytest
from scipy import stats
from scipy.optimize import brentq
from scipy.special import ndtr

import dpaudit
from dpaudit import ApproxDP, GaussianDP, Pairs, PureDP
from dpaudit.evidence import Budget, Finding, Suspect
from dpaudit.statistical.book import Stakes
from dpaudit.subject import Subject
from dpaudit.trace.record import Bench
from dpaudit.trace.steered.bets import Bet, Plan, Wealth
from dpaudit.trace.steered.conclude import TIER_CALLS, Attempts
from dpaudit.trace.steered.forms import Target
from dpaudit.trace.steered.known import Known
from dpaudit.trace.steered.noise import FAMILIES, Noise
from dpaudit.trace.steered.runs import HEAVIEST, run
from dpaudit.trace.steered.steer import Steering
from dpaudit.trace.steered.steerer import UntraceableError
from dpaudit.trace.steered.symbols import Drawn, Notes, Symbol, read_late
from dpaudit.trace.steered.tilt import OWN, STRATA, Tilt, spread, stratum_of
from tests.sweeps import sampled

LEVEL = 1e-6
LEFT, RIGHT = np.array([1.0, 1.0]), np.array([1.0])
SCIPY = {
    "uniform": stats.uniform,
    "normal": stats.norm,
    "laplace": stats.laplace,
    "logistic": stats.logistic,
    "exponential": stats.expon,
    "gumbel": stats.gumbel_r,
}
ALL = Tilt.towards(None), Tilt.towards(None)


def fibers(mechanism, dataset, count, *, unread=True, tilts=ALL, checked=True):
    with Bench(Subject.of(mechanism)) as bench:
        return [
            run(bench, dataset, (7, i), tilts, unread=unread, checked=checked) for i in range(count)
        ]


def steered(mechanism, claim, *, calls=3_000, seed=0, unread=True, left=LEFT, right=RIGHT):
    [pair] = Pairs([(left, right)]).pairs(np.random.default_rng(0))
    with Bench(Subject.of(mechanism)) as bench:
        made = Steering(bench, pair, Stakes.of(claim), -math.log(LEVEL), (seed, 1), unread)
        made.run(calls)
        return made, bench.calls


def sigma(epsilon, delta):
    """The least scale of Gaussian noise for sensitivity 1 (Balle & Wang 2018, Theorem 8)."""

    def excess(s):
        upper, lower = ndtr(0.5 / s - epsilon * s), ndtr(-0.5 / s - epsilon * s)
        return upper - math.exp(epsilon) * lower - delta

    return brentq(excess, 0.1, 100)


SIGMA = sigma(1, 1e-5)


def gaussian(part):
    def noisy_sum(data, rng):
        return data.sum() + rng.normal(scale=part * SIGMA)

    return noisy_sum


def catastrophe(data, rng):
    if rng.random() < 1e-6:
        return float(data.sum())
    return data.sum() + rng.laplace()


@pytest.mark.parametrize("family", FAMILIES)
def test_masses_and_quantiles_are_those_of_scipy(family):
    law, noise = SCIPY[family](loc=2.0, scale=3.0), Noise(family, 2.0, 3.0)
    for rank in (1e-9, 1e-3, 0.3, 0.5):
        assert noise.at(rank, upper=False) == pytest.approx(law.ppf(rank), rel=1e-9, abs=1e-9)
        assert noise.at(rank, upper=True) == pytest.approx(law.isf(rank), rel=1e-9, abs=1e-9)
        high = law.isf(rank)
        assert noise.mass(high, math.inf) == pytest.approx(rank, rel=1e-6)
        assert noise.mass(-math.inf, high) == pytest.approx(1 - rank, rel=1e-9)
    assert noise.mass(4.0, 2.5) == 0


@pytest.mark.parametrize("wanted", [None, np.eye(STRATA)[3]])
def test_no_weight_exceeds_one_over_the_part_of_the_own_law(wanted):
    tilt = Tilt.towards(wanted)
    assert tilt.parts.sum() == pytest.approx(1)
    ratios = [tilt.ratio(each) for each in np.eye(STRATA)]
    assert max(ratios) <= 1 / OWN + 1e-12
    noise = Noise("laplace", 0.0, 1.0)
    assert tilt.ratio(spread(noise, -math.inf, math.inf)) == pytest.approx(1)


def test_a_value_lies_in_the_stratum_that_it_was_drawn_from():
    noise, rng = Noise("normal", 1.0, 2.0), np.random.default_rng(0)
    for at in (0, 20, 39, 40, 60, 79):
        only = Tilt(np.eye(STRATA)[at])
        assert all(stratum_of(noise, only.draw(noise, rng))[at] == 1 for _ in range(20))


def symbol(value=0.25):
    notes = Notes()
    return notes.symbol(Drawn("random", Noise("uniform", 0.0, 1.0), value)), notes.draws[0]


def test_sums_multiples_and_comparisons_leave_noise_unread():
    number, drawn = symbol()
    made = 3 - (2 * number + np.float64(1)) / 4
    assert made.form == (0, -0.5, 2.75)
    assert made.number == 3 - (2 * 0.25 + 1) / 4
    assert made < 2.7
    assert np.float64(2.5) < made
    assert min(max(number, 0.1), 0.9) is number
    assert np.clip(number, 0.2, 0.8) is number
    assert isinstance(number, float)
    assert (drawn.low, drawn.high, drawn.pinned) == (pytest.approx(0.2), pytest.approx(0.5), False)


@pytest.mark.parametrize(
    "reading",
    [
        float, int, round, math.floor, math.exp, str, hash, bool, np.sqrt, np.round, np.float64,
        lambda x: x * x, lambda x: 1 / x, lambda x: x**2, lambda x: f"{x:.2f}", lambda x: x == 0.25,
        lambda x: np.array([x]), lambda x: x + np.ones(2), lambda x: x * 0, lambda x: 1e12 + x < 0,
        lambda x: {x: 1}, lambda x: x < x, lambda x: math.isnan(x), lambda x: x // 1,
    ],
)  # fmt: skip
def test_whatever_wants_the_number_itself_pins_it(reading):
    number, drawn = symbol()
    reading(number)
    assert drawn.pinned


def test_of_two_symbols_one_is_read():
    number, drawn = symbol()
    other = number._notes.symbol(Drawn("random", drawn.noise, 0.5))
    assert (number + other).form == (0, 1.0, 0.5)
    assert [each.pinned for each in number._notes.draws] == [False, True]


def test_a_symbol_of_an_earlier_run_is_noticed():
    old, _ = symbol()
    old._notes.open = False
    new, drawn = symbol()
    read_late()
    assert (new + old).number == 0.5
    assert read_late() == 1
    assert not drawn.pinned
    assert not old.free


def branching(data, rng):
    u = rng.random()
    if u < 0.125:
        return "low"
    z = rng.laplace(scale=2.0)
    if z > 1:
        return data.sum() + z
    return -1.0 if abs(z) < 0.5 else z


def test_probabilities_of_fibers_sum_to_one_and_give_those_of_events():
    known = Known()
    for fiber in fibers(branching, LEFT, 200):
        known.add(fiber)
    assert known.unknown < 1e-9
    law = stats.laplace(scale=2.0)
    for target, probability in (
        (Target(((":type", "str"),)), 0.125),
        (Target((), "", 4.0, math.inf), 0.875 * law.sf(2.0)),
        (Target((), "", -1.0, -1.0), 0.875 * (law.cdf(0.5) - law.cdf(-0.5))),
        (Target((), "", -math.inf, 0.75), 0.875 * law.cdf(0.75)),
    ):
        assert known.sure(target, up=False) == pytest.approx(probability, rel=1e-9)


@pytest.mark.parametrize("unread", [True, False])
def test_weights_give_the_probabilities_of_events(unread):
    """H0: the mean weight is the probability. Four standard errors off would come up less than
    once in 1,000 runs of the three events with fresh seeds."""

    def read(data, rng):
        return round(float(rng.laplace()) + rng.normal(), 2)

    made = fibers(read, LEFT, 800, unread=unread, checked=False)
    assert max(fiber.weight for fiber in made) <= HEAVIEST
    sampled = stats.laplace.rvs(size=400_000, random_state=1)
    for cut in (3.0, 6.0, 9.0):
        truth = stats.norm.sf(cut - 0.005 - sampled).mean()
        weights = [f.weight * float(f.chance(Target((), "", cut), up=False)) for f in made]
        assert abs(np.mean(weights) - truth) < 4 * np.std(weights) / math.sqrt(len(made))


def rejected(data, rng):
    while (number := secrets.randbits(3)) >= 5:
        pass
    return number


def compared(data, rng):
    number = rng.integers(0, 6)
    if number < 2.5:
        return 1 if number >= 0.5 else 0
    return 2 if number == 4 else 3


LAWS = [
    (lambda data, rng: rng.integers(-3, 4), dict.fromkeys(range(-3, 4), 1 / 7)),
    (lambda data, rng: rng.integers(0, 4, endpoint=True), dict.fromkeys(range(5), 1 / 5)),
    (lambda data, rng: np.random.randint(1, high=6), dict.fromkeys(range(1, 6), 1 / 5)),  # noqa: NPY002
    (lambda data, rng: random.randint(1, 6), dict.fromkeys(range(1, 7), 1 / 6)),
    (lambda data, rng: random.randrange(2, 9, 3), dict.fromkeys((2, 5, 8), 1 / 3)),
    (lambda data, rng: secrets.choice((1, 4, 1)), {1: 2 / 3, 4: 1 / 3}),
    (lambda data, rng: rng.choice(3, p=[0.999, 0, 0.001]), {0: 0.999, 1: 0.0, 2: 0.001}),
    (lambda data, rng: sum(rng.integers(2) for _ in range(5)),
     {heads: math.comb(5, heads) / 32 for heads in range(6)}),
    (rejected, dict.fromkeys(range(5), 1 / 5)),
    (compared, {0: 1 / 6, 1: 1 / 3, 2: 1 / 6, 3: 1 / 3}),
]  # fmt: skip


@pytest.mark.parametrize(("mechanism", "chances"), sampled(LAWS, 4))
@pytest.mark.parametrize("unread", [True, False])
def test_weights_give_the_probabilities_of_whole_numbers(mechanism, chances, unread):
    """H0: the mean weight is the probability. Five standard errors off would come up less than
    once in 10,000 runs with fresh seeds."""
    made = fibers(mechanism, LEFT, 400, unread=unread, checked=False)
    for number, chance in chances.items():
        event = Target((), "", number, number)
        weights = [fiber.weight * float(fiber.chance(event, up=False)) for fiber in made]
        assert abs(np.mean(weights) - chance) <= 5 * np.std(weights) / math.sqrt(len(made)) + 1e-9


KINDS = [
    lambda rng: rng.integers(5),
    lambda rng: rng.integers(5).item(),
    lambda rng: np.random.randint(5),  # noqa: NPY002
    lambda rng: rng.choice(5),
    lambda rng: rng.choice([1.0, 2.5]),
    lambda rng: random.choice([None]),
    lambda rng: secrets.randbelow(5),
    lambda rng: math.floor(rng.integers(5)),
    lambda rng: 1 / rng.integers(1, 5),
]


@pytest.mark.parametrize("unread", [True, False])
def test_steered_whole_numbers_and_choices_have_the_types_that_programs_know(unread):
    def typed(data, rng):
        return [draw(rng).__class__.__name__ for draw in KINDS]

    [fiber] = fibers(typed, LEFT, 1, unread=unread, tilts=())
    plain = typed(LEFT, np.random.default_rng(0))
    assert [word for path, word in fiber.form.words if path.endswith("]")] == plain


def test_factors_of_a_bet_are_positive_whatever_comes():
    plan = Plan(Target((), "", 1.0), False, 1.0, 0.01, False, 0.1)
    bet = Bet(plan, (ALL, ALL), {}, 1.0, HEAVIEST, HEAVIEST)
    wealth = Wealth()
    for x, y in ((0.0, HEAVIEST), (HEAVIEST, 0.0), (0.0, 0.0)):
        wealth.play(bet, x, y)
    assert math.isfinite(wealth.log)
    assert wealth.against(0.5, 0.01) > wealth.log


@pytest.mark.parametrize("seed", sampled(range(2), 1))
@pytest.mark.parametrize(
    ("mechanism", "claim", "most"),
    [
        (gaussian(0.8), ApproxDP(1, 1e-5), 1_000),
        (gaussian(0.95), ApproxDP(1, 1e-5), 3_000),
        (catastrophe, PureDP(1), 1_000),
        (gaussian(0.8), GaussianDP(1 / SIGMA), 3_000),
    ],
)
def test_rare_events_refute_with_few_calls(mechanism, claim, most, seed):
    made, calls = steered(mechanism, claim, seed=seed)
    assert made.rejects
    assert calls <= most


@dpaudit.vectorized
def by_arrays(data, size, rng):
    noise = rng.laplace(size=size)
    return np.where(np.abs(noise) > math.log(1e6), data.sum(), data.sum() + noise)


def by_entries(data, rng):
    noise = rng.laplace(size=5)
    return data.sum() if noise[3] > math.log(5e5) else data.sum() + noise[0]


def by_integers(data, rng):
    return data.sum() + (0.0 if rng.integers(1_000_000) == 0 else rng.laplace())


def by_secrets(data, rng):
    return data.sum() + (0.0 if secrets.randbelow(1_000_000) < 1 else rng.laplace())


def by_bits(data, rng):
    return data.sum() + (0.0 if random.getrandbits(20) >= 2**20 - 1 else rng.laplace())


def by_choice(data, rng):
    way = rng.choice(["noisy", "plain"], p=[1 - 1e-6, 1e-6])
    return data.sum() + (0.0 if way == "plain" else rng.laplace())


def by_the_fifth(data, rng):
    noise = [rng.laplace() for _ in range(6)]
    return data.sum() if noise[4] > math.log(5e5) else data.sum() + noise[0]


RARELY = [
    by_arrays, by_entries, by_integers, by_secrets, by_bits, by_choice, by_the_fifth
]  # fmt: skip


@pytest.mark.parametrize("mechanism", sampled(RARELY, 3))
def test_rare_events_of_arrays_integers_and_later_calls_refute(mechanism):
    """Each has a probability of about 1e-6. A fresh seed fails in less than 1 of 100 runs."""
    made, _ = steered(mechanism, PureDP(1))
    assert made.rejects
    assert made.plan.sure


@pytest.mark.parametrize("mechanism", sampled(RARELY, 3))
def test_rare_events_that_the_claim_allows_are_left_alone(mechanism):
    """Fails with probability at most 1e-6 under a fresh seed."""
    made, _ = steered(mechanism, ApproxDP(1, 1.1e-6), calls=1_000)
    assert not made.rejects
    assert not made.refused


def redrawn_share(data, rng):
    """Draws its share again until it is one: .83 nats for many records, and .5 for two."""
    n = max(len(data), 1)
    noisy = data.sum() / n + rng.laplace(scale=2 / n)
    while not 0 <= noisy <= 1:
        noisy = data.sum() / n + rng.laplace(scale=2 / n)
    return noisy


ZERO, TWENTY = np.zeros(1), np.zeros(20)
SMALL, LARGE = Pairs(
    [(np.array([0.0, 1.0]), ZERO), (TWENTY, np.append(TWENTY, 1.0))]
).pairs(np.random.default_rng(0))  # fmt: skip


def test_where_the_pair_of_a_suspect_refutes_nothing_the_likeliest_other_one_is_steered():
    """Fails with probability below .01 under a fresh seed."""
    suspects = [Suspect(SMALL, Finding("DPA103", "error", "suspected"))]
    subject, budget = Subject.of(redrawn_share), Budget(LEVEL, 60_000)
    with Bench(subject) as bench:

        def told(epsilon, others):
            attempts = Attempts(bench, subject, PureDP(epsilon), budget, confirming=0.5)
            return attempts.then(suspects, others)

        assert told(0.5, []) is None
        assert told(0.9, [SMALL, LARGE]) is None
        witness = told(0.5, [SMALL, LARGE]).witness
        assert {len(witness.left), len(witness.right)} == {20, 21}


def test_what_a_tier_has_no_calls_for_is_left_to_the_next_one():
    """All runs of a tier are within its calls. Fails with probability below .01 otherwise."""
    suspects = [Suspect(SMALL, Finding("DPA103", "error", "suspected"))]
    with Bench(Subject.of(redrawn_share)) as bench:

        def told(tier):
            budget, before = Budget(LEVEL, 60_000, tier=tier, tiers=3), bench.calls
            subject = Subject.of(redrawn_share)
            attempts = Attempts(bench, subject, PureDP(0.5), budget, confirming=0.5)
            found = attempts.then(suspects, [*[SMALL] * 8, LARGE])
            assert bench.calls - before <= budget.allowed(TIER_CALLS, 12_000)
            assert attempts.alpha_spent <= 0.5**tier * attempts.reserved
            return found, attempts.promises

        assert told(1) == (None, True)
        assert told(3)[0] is not None


def payment(data, rng):
    """Too little noise in a branch of probability δ."""
    z = rng.normal(scale=1.2)
    return data.sum() + z if rng.random() < 0.01 else data.sum() + rng.laplace()


def stays(data, rng):
    """One record answers in the other's tail, for noise from the middle: nothing is to be said of
    the tail that is not seen there."""
    z = rng.normal(scale=0.8 * SIGMA)
    if len(data) == 1 and 0.1 < z < 0.11:
        return 20.0 + rng.laplace()
    return data.sum() + z


@pytest.mark.parametrize("seed", sampled(range(2), 1))
@pytest.mark.parametrize(
    ("mechanism", "claim"),
    [
        (gaussian(1.0), ApproxDP(1, 1e-5)),
        (catastrophe, ApproxDP(1, 1e-6)),
        (payment, ApproxDP(1, 0.01)),
    ],
)
def test_mechanisms_at_their_claim_are_left_alone(mechanism, claim, seed):
    made, _ = steered(mechanism, claim, seed=seed)
    assert not made.rejects
    assert not made.refused


def test_what_was_not_met_counts_for_every_event():
    made, _ = steered(stays, ApproxDP(1, 1e-5), calls=600)
    law = stats.norm(scale=0.8 * SIGMA)
    middle = law.cdf(0.11) - law.cdf(0.1)
    upper = made.sides[1].sure(Target((), "", 18.0), up=True) + made.sides[1].unknown
    assert upper >= law.sf(17.0) + middle * stats.laplace.cdf(2.0)
    assert made.sides[1].unknown >= middle or len(made.sides[1].whole) == 3
    assert not made.rejects


calls_so_far = []
hidden = ({"rng": (np.random.default_rng(3),)},)
kept = []


def counts_calls(data, rng):
    calls_so_far.append(1)
    return len(calls_so_far) + rng.laplace()


def unseen(data, rng):
    return rng.laplace() + hidden[0]["rng"][0].normal()


def seeds(data):
    return np.random.default_rng(5).laplace()


def repeats(data, rng):
    state = rng.bit_generator.state
    first = rng.laplace()
    rng.bit_generator.state = state
    return first + rng.laplace()


def replays_apart(data, rng):
    """Is sound: the copy always draws the same number, unless the first one is steered."""
    again = pickle.loads(pickle.dumps(rng))
    noise = rng.laplace()
    return data.sum() + noise if noise == again.laplace() else float(data.sum())


def replays_python(data, rng):
    state = random.getstate()
    coin = random.random() < 0.5
    random.setstate(state)
    return (
        data.sum() + rng.laplace() if coin == (random.expovariate(1) < math.log(2)) else data.sum()
    )


def keeps(data, rng):
    kept.append(rng.laplace())
    return kept[0] + rng.laplace()


def returns_what_it_kept(data, rng):
    kept.append(rng.laplace() + rng.laplace())
    return kept[max(len(kept) - 2, 0)]


def adds_what_it_kept(data, rng):
    kept.append(rng.laplace())
    return rng.laplace() + kept[max(len(kept) - 2, 0)]


def whole_numbers(data, rng):
    return data.sum() + rng.geometric(0.5)


@pytest.mark.parametrize(
    ("mechanism", "why"),
    sampled(
        [
            (counts_calls, "no function of the noise"),
            (unseen, "no function of the noise"),
            (seeds, "seeds generators"),
            (repeats, "state of a generator"),
            (replays_apart, "state of a generator"),
            (replays_python, "state of a generator"),
            (keeps, "keeps noise"),
            (returns_what_it_kept, "keeps noise|no function"),
            (adds_what_it_kept, "keeps noise|no function"),
            (whole_numbers, "can be steered"),
            (lambda data: 0.0, "no noise"),
        ],
        3,
    ),
)
def test_what_cannot_be_trusted_is_not_steered(mechanism, why):
    kept.clear()
    made, _ = steered(mechanism, PureDP(1))
    assert not made.rejects
    assert re.search(why, made.refused)


def test_overlapping_fibers_are_an_error():
    known = Known()
    for fiber in fibers(catastrophe, LEFT, 40):
        known.add(fiber)
    clone = next(f for f in fibers(catastrophe, RIGHT, 40) if len(f.draws) == 2)
    with pytest.raises(UntraceableError, match="different ways"):
        known.add(clone)


def test_what_a_trace_can_name_keeps_its_id_and_its_line():
    def too_little(data, rng):
        scale = 0.8 * SIGMA
        return data.sum() + rng.normal(scale=scale)

    neighbors = Pairs([(LEFT, RIGHT)])
    report = dpaudit.audit(too_little, ApproxDP(1, 1e-5), neighbors, engines=["trace"])
    [finding] = report.findings
    assert finding.id in ("DPA105", "DPA106")
    assert finding.line is not None
    assert "Confirmed by steered noise" in finding.message
    assert report.epsilon >= 1


def test_alpha_and_calls_stay_within_what_was_given():
    report = dpaudit.audit(
        gaussian(1.0), ApproxDP(1, 1e-5), Pairs([(LEFT, RIGHT)]), engines=["trace"], max_calls=900
    )
    assert report.verdict is not dpaudit.Verdict.REFUTED
    assert report.alpha_spent <= report.alpha
    assert report.calls <= 900


def test_the_report_says_what_steering_assumes_and_how_rare_the_catastrophe_is():
    def leaks(data):
        if random.random() < 1e-6:
            return list(data)
        return data.sum() + np.random.laplace()  # noqa: NPY002

    report = dpaudit.audit(leaks, PureDP(1.0), Pairs([(LEFT, RIGHT)]), engines=["trace"])
    assert report.verdict is dpaudit.Verdict.REFUTED
    assert report.findings[0].id == "DPA102"
    assert "probability 1e-06" in report.findings[0].message
    assert any("all noise is seen" in note for note in report.evidence[0].notes)
    assert report.epsilon > 1
    assert report.calls <= 1_000
    assert report.alpha_spent <= report.alpha
    assert "list(2)" in report.witness.event.words
    assert not isinstance(report.witness.left, Symbol)
