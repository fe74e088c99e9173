"""Selection and sparse vectors: their exact output distributions, and what those say."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from itertools import combinations_with_replacement, pairwise, permutations, product
from typing import Any

import numpy as np
import pytest
from scipy.stats import expon, gumbel_r, laplace

from mechanisms.above_threshold import above_threshold
from mechanisms.adaptive_sparse_vector import adaptive_sparse_vector
from mechanisms.exponential import exponential
from mechanisms.exponential_segments import exponential_segments
from mechanisms.flawed.exponential_segments_data_range import exponential_segments_data_range
from mechanisms.flawed.exponential_segments_without_length import (
    exponential_segments_without_length,
)
from mechanisms.flawed.noisy_max_shared_noise import noisy_max_shared_noise
from mechanisms.flawed.noisy_max_wrong_tail import noisy_max_wrong_tail
from mechanisms.flawed.permute_and_flip_gives_up import permute_and_flip_gives_up
from mechanisms.flawed.svt_adaptive_value import svt_adaptive_value
from mechanisms.flawed.svt_exact_threshold import svt_exact_threshold
from mechanisms.flawed.svt_gap_value import svt_gap_value
from mechanisms.flawed.svt_half_noise import svt_half_noise
from mechanisms.flawed.svt_half_noise_no_stop import svt_half_noise_no_stop
from mechanisms.flawed.svt_pays_for_one_hit import svt_pays_for_one_hit
from mechanisms.flawed.svt_releases_comparison import svt_releases_comparison
from mechanisms.flawed.svt_reuses_threshold_noise import svt_reuses_threshold_noise
from mechanisms.flawed.svt_unbalanced import svt_unbalanced
from mechanisms.flawed.top_k_pays_once import top_k_pays_once
from mechanisms.gap_sparse_vector import gap_sparse_vector
from mechanisms.noisy_max import (
    report_noisy_max,
    report_noisy_max_exponential,
    report_noisy_max_gumbel,
)
from mechanisms.numeric_sparse_vector import numeric_sparse_vector
from mechanisms.permute_and_flip import permute_and_flip
from mechanisms.sparse_vector import sparse_vector, sparse_vector_refreshed
from mechanisms.top_k import top_k
from tools.information import (
    hockey_stick,
    information_limit,
    largest_log_ratio,
    stated_epsilon,
    stated_limit,
)

Answers = tuple[float, ...]
Cells = dict[Any, float]


def aligned(left: Cells, right: Cells) -> tuple[np.ndarray, np.ndarray]:
    keys = left.keys() | right.keys()
    p, q = (np.array([cells.get(key, 0.0) for key in keys]) for cells in (left, right))
    assert p.sum() == pytest.approx(1, abs=2e-5)
    assert q.sum() == pytest.approx(1, abs=2e-5)
    return p, q


# --- selection, exactly ----------------------------------------------------------------------


def softmax(scores: Any, epsilon: float = 1.0) -> np.ndarray:
    """Probabilities ∝ exp(ε u / 2), along the last axis."""
    exponents = epsilon * np.asarray(scores, dtype=float) / 2
    weights = np.exp(exponents - exponents.max(axis=-1, keepdims=True))
    chances: np.ndarray = weights / weights.sum(axis=-1, keepdims=True)
    return chances


def choice(chances: Any) -> Cells:
    return dict(enumerate(chances))


def noisy_argmax(noise: Any, answers: Answers) -> np.ndarray:
    """Pr[i is the largest of the answers plus noise], by quadrature."""
    x = np.linspace(min(answers) - 100, max(answers) + 100, 80_001)
    parts = [
        noise.pdf(x - a)
        * np.prod([noise.cdf(x - b) for j, b in enumerate(answers) if j != i], axis=0)
        for i, a in enumerate(answers)
    ]
    chances: np.ndarray = np.trapezoid(parts, x)
    return chances / chances.sum()


def noisy_maximum(noise: Any, answers: Answers) -> np.ndarray:
    edges = np.linspace(-60, 100, 8001)
    below = np.prod([noise.cdf(edges - a) for a in answers], axis=0)
    return np.diff(np.concatenate([[0.0], below, [1.0]]))


class Mirrored:
    """The distribution of −Y."""

    def __init__(self, noise: Any) -> None:
        self.pdf = lambda x: noise.pdf(-x)
        self.cdf = lambda x: noise.sf(-x)


def flips(chances: np.ndarray) -> Cells:
    """First heads in a random order; −1 if none."""
    orders = list(permutations(range(len(chances))))
    cells = dict.fromkeys([*range(len(chances)), -1], 0.0)
    for order in orders:
        tails = 1.0
        for i in order:
            cells[i] += tails * chances[i] / len(orders)
            tails *= 1 - chances[i]
        cells[-1] += tails / len(orders)
    return cells


def permute_and_flip_cells(scores: Answers, highest: float | None = None) -> Cells:
    best = max(scores) if highest is None else highest
    return flips(np.exp(np.minimum(np.array(scores) - best, 0) / 2))


def peeled(scores: Answers, k: int, epsilon: float) -> Cells:
    """k exponential mechanisms with `epsilon` each, over what is left."""
    weights = np.exp(epsilon * np.array(scores) / 2)
    cells = {}
    for order in permutations(range(len(scores)), k):
        chance, rest = 1.0, weights.sum()
        for i in order:
            chance, rest = chance * weights[i] / rest, rest - weights[i]
        cells[order] = chance
    return cells


def auction(bids: Answers, sensitivity: float) -> Cells:
    prices = np.arange(1.0, 6.0)
    revenues = prices * [sum(b >= r for b in bids) for r in prices]
    return choice(softmax(revenues / sensitivity))


def median_masses(data: Answers, edges: np.ndarray, epsilon: float = 1.0) -> np.ndarray:
    """Probability of each interval between edges; no record lies inside one."""
    lengths, middles = np.diff(edges), (edges[1:] + edges[:-1]) / 2
    ranks = (np.array(data)[:, None] < middles).sum(axis=0)
    masses: np.ndarray = lengths * np.exp(-epsilon * np.abs(ranks - len(data) / 2))
    return masses / masses.sum()


# --- sparse vectors, by integration over the noisy threshold ----------------------------------

EDGES = np.linspace(-90, 90, 7201)  # answers and thresholds are edges: comparisons are exact
T = (EDGES[1:] + EDGES[:-1]) / 2
STEP = EDGES[1] - EDGES[0]
OPEN = np.array([-np.inf, *EDGES[1:-1], np.inf])


def around(threshold: float, scale: float) -> np.ndarray:
    """Mass of the noisy threshold in each cell."""
    if scale == 0:
        return (np.abs(T - threshold) < STEP).astype(float) / 2
    mass: np.ndarray = np.diff(laplace.cdf(OPEN, threshold, scale))
    return mass


def above(answer: float, scale: float) -> np.ndarray:
    """Pr[answer + Lap(scale) ≥ T] for each T."""
    if scale == 0:
        return (answer > T).astype(float)
    chance: np.ndarray = laplace.sf(T - answer, 0, scale)
    return chance


def flags(
    answers: Answers,
    scales: tuple[float, float],
    hits: int = 1,
    threshold: float = 1.0,
    refreshed: bool = False,
) -> Cells:
    """Each sequence of flags with its probability."""
    fresh = around(threshold, scales[0])
    found = {(): fresh}
    cells: Cells = {}
    for i, answer in enumerate(answers):
        hit, step = above(answer, scales[1]), {}
        for seen, mass in found.items():
            yes = mass * hit
            step[(*seen, False)] = mass - yes
            step[(*seen, True)] = fresh * yes.sum() if refreshed else yes
        last = i + 1 == len(answers)
        done = {seen for seen in step if last or sum(seen) == hits}
        cells |= {seen: float(step[seen].sum()) for seen in done}
        found = {seen: mass for seen, mass in step.items() if seen not in done}
    return cells


def hits_in_halves(answers: Answers, scales: tuple[float, float], threshold: float = 1.0) -> Cells:
    """Numbers of hits among the first and the second half, each of equal answers, without stop."""
    h = len(answers) // 2
    mass = around(threshold, scales[0])
    counts = []
    for answer in (answers[0], answers[-1]):
        p = above(answer, scales[1])
        counts.append([math.comb(h, k) * p**k * (1 - p) ** (h - k) for k in range(h + 1)])
    return {
        (i, j): float((mass * counts[0][i] * counts[1][j]).sum())
        for i in range(h + 1)
        for j in range(h + 1)
    }


def value_flags(
    answers: Answers, scales: tuple[float, float], margin: float | None = None
) -> Cells:
    """The index of the first hit and the noisy answer that decided it, in cells of width 1/10.

    With a margin, of two tests an answer: the first, with twice the scale, must clear it and
    releases the noisy answer, the second releases the gap.
    """
    mass, cells = around(1.0, scales[0]), {}
    for i, answer in enumerate(answers):
        wide = 1 if margin is None else 2
        shift = round((margin or 0.0) / STEP)
        below = np.concatenate([np.zeros(shift), mass.cumsum() - mass / 2])[: len(T)]
        density = np.diff(laplace.cdf(OPEN, answer, wide * scales[1])) * below
        parts = density.reshape(-1, 4).sum(axis=1)
        cells |= {(i, "value", v): float(part) for v, part in enumerate(parts)}
        mass = mass * laplace.cdf(T + (margin or 0.0) - answer, 0, wide * scales[1])
        if margin is not None:
            cells |= gap_cells(i, answer, mass, scales[1])
            mass = mass * laplace.cdf(T - answer, 0, scales[1])
    return cells | {"none": float(mass.sum())}


GAPS = np.array([*np.arange(0.0, 60.0), np.inf])


def gap_cells(i: int, answer: float, mass: np.ndarray, scale: float, start: float = 0.0) -> Cells:
    """The gap of an answer that is above, in cells of width 1."""
    tails = [float((mass * laplace.sf(T + max(g, start) - answer, 0, scale)).sum()) for g in GAPS]
    return {(i, "gap", g): a - b for g, (a, b) in enumerate(pairwise(tails))}


def gap_flags(answers: Answers, scales: tuple[float, float], margin: float | None = None) -> Cells:
    """The index of the first hit and its gap; with a margin, of two tests as above."""
    mass, cells = around(1.0, scales[0]), {}
    for i, answer in enumerate(answers):
        if margin is not None:
            far = gap_cells(i, answer, mass, 2 * scales[1], margin)
            mass = mass * laplace.cdf(T + margin - answer, 0, 2 * scales[1])
            near = gap_cells(i, answer, mass, scales[1])
            cells |= {key: far[key] + near[key] for key in far}
        else:
            cells |= gap_cells(i, answer, mass, scales[1])
        mass = mass * laplace.cdf(T - answer, 0, scales[1])
    return cells | {"none": float(mass.sum())}


def shared_noise_flags(answers: Answers) -> Cells:
    """Two answers released with the threshold's noise: patterns, first values, differences."""
    mass, p = around(0.0, 3.0), [laplace.cdf(a - 1 - T, 0, 12.0) for a in answers]
    cells: Cells = {}

    def spread(pattern: Any, first: float, part: np.ndarray) -> None:
        shift = round(first / STEP)
        parts = np.roll(part, shift).reshape(-1, 20).sum(axis=1)
        cells.update({(pattern, v): float(x) for v, x in enumerate(parts)})

    quiet = mass
    for i, a in enumerate(answers):
        mass_i = quiet * p[i]
        for j in range(i + 1, len(answers)):
            spread((i, j, answers[j] - a), a, mass_i * p[j])
            mass_i = mass_i * (1 - p[j])
        spread(i, a, mass_i)
        quiet = quiet * (1 - p[i])
    return cells | {"none": float(quiet.sum())}


def both(one: Cells, other: Cells) -> Cells:
    return {(a, b): x * y for a, x in one.items() for b, y in other.items()}


# --- what the flawed twins state --------------------------------------------------------------

ONES, TWOS, ZEROS = (1.0,) * 10, (2.0,) * 10, (0.0,) * 10
UP_DOWN = (2.0,) * 5 + (0.0,) * 5
HALF = (1.0,) * 5 + (0.0,) * 5
FLAH = HALF[::-1]
TEN_TEN = (1.0,) * 10 + (0.0,) * 10

Case = tuple[str, float, Callable[[Answers], Cells], Answers, Answers]
CASES: list[Case] = [
    (
        "exponential_without_two",
        1.4706,
        lambda a: choice(softmax(a, 2.0)),
        (0, 1, 1, 1),
        (1, 0, 0, 0),
    ),
    ("exponential_private_candidates", np.inf, lambda a: {a: 1.0}, (), (7,)),
    (
        "exponential_wrong_score_sensitivity",
        1.592,
        lambda a: auction(a, 1.0),
        (5,) * 5,
        (5, 5, 5, 5, 5, 4),
    ),
    (
        "exponential_empirical_score_range",
        2.470,
        lambda a: auction(a, max(a)),
        (1,) * 8,
        (1,) * 8 + (5,),
    ),
    ("exponential_segments_data_range", np.inf, lambda a: {a: 1.0}, (), (100,)),
    (
        "exponential_segments_without_length",
        np.inf,
        lambda a: {"zero": len(a) / 2, "more": 1 - len(a) / 2},
        (),
        (0,),
    ),
    (
        "permute_and_flip_gives_up",
        np.inf,
        lambda a: permute_and_flip_cells(a, 2),
        (2,) * 3,
        (1,) * 3,
    ),
    (
        "noisy_max_half_scale",
        1.759,
        lambda a: choice(noisy_argmax(laplace(), a)),
        (0, 1, 1, 1, 1),
        (1, 0, 0, 0, 0),
    ),
    (
        "noisy_max_value",
        2.5,
        lambda a: choice(noisy_maximum(laplace(scale=2), a)),
        (1,) * 5,
        (2,) * 5,
    ),
    (
        "noisy_max_value_exponential",
        np.inf,
        lambda a: choice(noisy_maximum(expon(scale=2), a)),
        (1,) * 5,
        (2,) * 5,
    ),
    (
        "noisy_max_wrong_tail",
        1.7257,
        lambda a: choice(noisy_argmax(Mirrored(gumbel_r(scale=2)), tuple(-x for x in a))),
        (1,) * 5,
        (2, 0, 0, 0, 0),
    ),
    ("noisy_max_shared_noise", np.inf, lambda a: {a: 1.0}, (0, 1, 1, 1, 1), (1, 0, 0, 0, 0)),
    (
        "top_k_pays_once",
        1.43,
        lambda a: peeled(a, 3, 1.0),
        (1, 1, 1, 1),
        (2, 0, 0, 0),
    ),
    ("svt_unbalanced", 1.6595, lambda a: flags(a, (4, 4 / 3)), HALF, FLAH),
    ("svt_no_query_noise", np.inf, lambda a: flags(a, (2, 0)), ONES, (*ZEROS[:9], 2.0)),
    (
        "svt_no_stop",
        4.61,
        lambda a: hits_in_halves(a, (2, 4)),
        (1.0,) * 20,
        (2.0,) * 10 + (0.0,) * 10,
    ),
    ("svt_half_noise", 1.3477, lambda a: flags(a, (2, 2)), HALF, FLAH),
    ("svt_half_noise_no_stop", 4.0308, lambda a: hits_in_halves(a, (2, 2)), HALF, FLAH),
    ("svt_releases_comparison", 2.998, lambda a: value_flags(a, (2, 2)), ONES, UP_DOWN),
    (
        "svt_side_by_side",
        4.7415,
        lambda a: both(value_flags(a, (2, 2)), flags(a, (4, 4 / 3))),
        ONES,
        UP_DOWN,
    ),
    ("svt_exact_threshold", 1.998, lambda a: flags(a, (0, 4)), ONES, ZEROS),
    ("svt_pays_for_one_hit", 2.0985, lambda a: flags(a, (2, 4), 5), HALF, FLAH),
    ("svt_reuses_threshold_noise", np.inf, shared_noise_flags, HALF, FLAH),
]


@pytest.mark.parametrize(
    ("name", "truth", "cells", "left", "right"), CASES, ids=[case[0] for case in CASES]
)
def test_a_flawed_twin_states_its_true_epsilon_and_information_limit(
    name: str, truth: float, cells: Callable[[Answers], Cells], left: Answers, right: Answers
) -> None:
    p, q = aligned(cells(left), cells(right))
    assert largest_log_ratio(p, q) == pytest.approx(truth, rel=2e-3)
    assert stated_epsilon(name) >= truth * (1 - 5e-3)
    assert stated_limit(name) == pytest.approx(information_limit(p, q, 1.0), rel=0.02)


def test_the_gap_twin_states_what_holds_where_it_pays_two() -> None:
    p, q = aligned(*(value_flags(a, (1, 2)) for a in (TEN_TEN, TEN_TEN[::-1])))
    assert largest_log_ratio(p, q) == pytest.approx(5.0, rel=2e-3)
    assert stated_epsilon("svt_gap_value") == math.inf
    assert stated_limit("svt_gap_value") == pytest.approx(information_limit(p, q, 2.0), rel=0.02)


def test_the_adaptive_twin_is_broken_where_sampling_hardly_looks() -> None:
    p, q = (value_flags(a, (2, 4), 16.0) for a in (ONES, TWOS))
    p, q = aligned(p, q)
    assert np.log(p.max() / q[p.argmax()]) < 1
    seen = (p > 0) & (q > 0)
    assert np.abs(np.log(p[seen] / q[seen])).max() == pytest.approx(3.5, abs=1e-6)
    limit = information_limit(p, q, 1.0)
    assert stated_limit("svt_adaptive_value") == pytest.approx(limit, rel=0.02)
    assert stated_epsilon("svt_adaptive_value") == math.inf


@pytest.mark.parametrize(
    ("epsilon", "loss", "scales", "left", "right"),
    [
        (0.964, 0.0, (2, 4), (*ONES[:9], 0.0), (*ZEROS[:9], 1.0)),
        (1.728, 0.01171, (4, 4 / 3), (*ONES[:9], 0.0), (*ZEROS[:9], 1.0)),
        (1.742, None, (4, 4 / 3), ONES, UP_DOWN),
        (1.6595, 0.0313, (4, 4 / 3), HALF, FLAH),
        (1.464, 0.00886, (2, 2), (*ONES[:9], 0.0), (*ZEROS[:9], 1.0)),
    ],
)
def test_first_hits_have_the_published_losses(
    epsilon: float,
    loss: float | None,
    scales: tuple[float, float],
    left: Answers,
    right: Answers,
) -> None:
    p, q = aligned(flags(left, scales), flags(right, scales))
    assert largest_log_ratio(p, q) == pytest.approx(epsilon, abs=6e-4)
    if loss is not None:
        assert hockey_stick(p, q, 1.0) == pytest.approx(loss, abs=6e-5)


def test_the_sparse_vector_without_stop_has_the_published_losses() -> None:
    p, q = aligned(hits_in_halves(ONES, (2, 2)), hits_in_halves(UP_DOWN, (2, 2)))
    assert largest_log_ratio(p, q) == pytest.approx(4.486, abs=6e-4)
    left, right = (*ONES[:9], 0.0), (*ZEROS[:9], 1.0)
    p, q = aligned(flags(left, (2, 2), 11), flags(right, (2, 2), 11))
    assert largest_log_ratio(p, q) == pytest.approx(1.493, abs=1e-3)
    assert hockey_stick(p, q, 1.0) == pytest.approx(0.042, abs=5e-4)


def tenth(answers: Answers) -> Answers:
    return tuple(a / 10 for a in answers)


@pytest.mark.parametrize(
    ("epsilon", "calls", "cells", "left", "right"),
    [
        (0.25, 150_000, lambda a: choice(noisy_maximum(laplace(scale=2), a)), ONES[:5], TWOS[:5]),
        (np.inf, 88_000, lambda a: choice(noisy_maximum(expon(scale=2), a)), ONES[:5], TWOS[:5]),
        (0.1717, 947_000, lambda a: flags(a, (4, 4 / 3), threshold=0.1), HALF, FLAH),
        (0.4200, 61_000, lambda a: hits_in_halves(a, (2, 2), threshold=0.1), ONES, UP_DOWN),
        (np.inf, 864, lambda a: hits_in_halves(a, (2, 0), threshold=0.1), ONES, UP_DOWN),
    ],
    ids=["maximum", "maximum_exponential", "unbalanced", "half_noise_no_stop", "no_query_noise"],
)
def test_published_variants_at_a_claim_of_a_tenth(
    epsilon: float, calls: float, cells: Callable[[Answers], Cells], left: Answers, right: Answers
) -> None:
    """Answers and threshold are divided by ten instead of multiplying all noise by it."""
    p, q = aligned(cells(tenth(left)), cells(tenth(right)))
    assert largest_log_ratio(p, q) == pytest.approx(epsilon, abs=1e-4)
    assert information_limit(p, q, 0.1) == pytest.approx(calls, rel=0.02)


# --- what sound mechanisms cost, by enumeration -------------------------------------------------


@pytest.mark.parametrize(("top", "loss"), [(4, 0.92845), (8, 0.98963)])
def test_the_exponential_mechanism_costs_what_enumeration_says(top: int, loss: float) -> None:
    """Four scores of 0, ..., top, each of which may move by 1 and stays in that range."""
    scores = np.array(list(product(range(top + 1), repeat=4)), dtype=float)
    losses = []
    for step in product((-1, 0, 1), repeat=4):
        after = scores + np.array(step)
        kept = ((after >= 0) & (after <= top)).all(axis=1)
        losses.append(np.abs(np.log(softmax(scores[kept]) / softmax(after[kept]))).max())
    assert max(losses) == pytest.approx(loss, abs=6e-6)


def test_the_exponential_mechanism_on_counts_costs_what_enumeration_says() -> None:
    counts = np.array([c for c in product(range(9), repeat=4) if sum(c) == 8], dtype=float)
    losses = []
    for source, target in permutations(range(4), 2):
        start = counts[counts[:, source] > 0]
        after = start.copy()
        after[:, source] -= 1
        after[:, target] += 1
        losses.append(np.abs(np.log(softmax(start) / softmax(after))).max())
    assert max(losses) == pytest.approx(0.94897, abs=6e-6)


def test_permute_and_flip_costs_exactly_epsilon() -> None:
    table = {s: permute_and_flip_cells(s) for s in product(range(-1, 5), repeat=3)}
    losses = [
        abs(math.log(table[s][i] / table[tuple(a + b for a, b in zip(s, step, strict=True))][i]))
        for s in product(range(4), repeat=3)
        for step in product((-1, 0, 1), repeat=3)
        for i in range(3)
    ]
    assert max(losses) == pytest.approx(1, abs=1e-12)
    assert all(abs(cells[-1]) < 1e-15 for cells in table.values())


@pytest.mark.parametrize("scores", [(0.0, 1.0, 2.0), (3.0, 0.0, 2.5, 3.0), (5.0,)])
def test_permute_and_flip_is_noisy_max_with_exponential_noise(scores: Answers) -> None:
    noisy = noisy_argmax(expon(scale=2), scores)
    cells = permute_and_flip_cells(scores)
    assert [cells[i] for i in range(len(scores))] == pytest.approx(noisy, abs=1e-3)


@pytest.mark.parametrize("scores", [(0.0, 1.0, 2.0), (3.0, 0.0, 2.5, 3.0)])
def test_noisy_max_with_gumbel_noise_is_the_exponential_mechanism(scores: Answers) -> None:
    assert noisy_argmax(gumbel_r(scale=2), scores) == pytest.approx(softmax(scores), abs=1e-9)


def test_permute_and_flip_never_expects_less_than_the_exponential_mechanism() -> None:
    for scores in product(range(5), repeat=3):
        flip = permute_and_flip_cells(scores)
        expected = sum(flip[i] * u for i, u in enumerate(scores))
        assert expected >= float(softmax(scores) @ np.array(scores)) - 1e-12


def test_the_order_of_the_top_three_costs_at_most_epsilon() -> None:
    worst = 0.0
    for scores in combinations_with_replacement((0, 9, 18), 4):
        before = np.array(list(peeled(scores, 3, 1 / 3).values()))
        for step in product((-1, 1), repeat=4):
            after = peeled(tuple(np.add(scores, step)), 3, 1 / 3)
            worst = max(worst, float(np.abs(np.log(before / list(after.values()))).max()))
    assert 0.5 < worst <= 1


@pytest.mark.parametrize(
    ("epsilon", "loss", "random_ties"), [(0.5, 0.96662, 0.95352), (1.0, 1.99090, 1.98053)]
)
def test_noisy_max_with_geometric_noise_costs_what_enumeration_says(
    epsilon: float, loss: float, random_ties: float
) -> None:
    alpha, z = math.exp(-epsilon), np.arange(-90, 91)
    pmf = (1 - alpha) / (1 + alpha) * alpha ** np.abs(z)
    cdf = np.where(z < 0, alpha ** np.abs(z), 1 + alpha - alpha ** (z + 1.0)) / (1 + alpha)
    at = {a: (np.roll(pmf, a), np.roll(cdf, a)) for a in range(-1, 4)}
    first: dict[Any, list[float]] = {}
    fair: dict[Any, list[float]] = {}
    for q in product(range(-1, 4), repeat=3):
        p, c = zip(*(at[a] for a in q), strict=True)
        below = [c[i] - p[i] for i in range(3)]
        first[q], fair[q] = [], []
        for i in range(3):
            j, k = (m for m in range(3) if m != i)
            one, other = (below[m] if m < i else c[m] for m in (j, k))
            first[q].append(float((p[i] * one * other)[10:-10].sum()))
            shared = below[j] * below[k] + (p[j] * below[k] + below[j] * p[k]) / 2
            fair[q].append(float((p[i] * (shared + p[j] * p[k] / 3))[10:-10].sum()))
    for table, expected in ((first, loss), (fair, random_ties)):
        worst = max(
            abs(math.log(table[q][i] / table[tuple(np.add(q, step))][i]))
            for q in product(range(3), repeat=3)
            for step in product((-1, 0, 1), repeat=3)
            for i in range(3)
        )
        assert worst == pytest.approx(expected, abs=6e-6)


def test_the_median_by_segments_costs_at_most_epsilon_and_almost_that() -> None:
    edges = np.array([0.0, 1e-3, 1.0, 99.0, 100.0 - 1e-3, 100.0])
    worst = 0.0
    for n in range(9):
        for data in combinations_with_replacement(edges.tolist(), n):
            before = median_masses(data, edges)
            for record in edges:
                after = median_masses((*data, record), edges)
                worst = max(worst, float(np.abs(np.log(before / after)).max()))
    assert 0.9 < worst <= 1


ANSWER_PAIRS = [
    (ONES, TWOS),
    (ONES, UP_DOWN),
    (HALF, FLAH),
    ((*ONES[:9], 0.0), (*ZEROS[:9], 1.0)),
    ((6.0, 6.0, 6.0, -3.0), (7.0, 7.0, 7.0, -4.0)),
    ((-4.0, 3.0, 3.0, 9.0), (-5.0, 2.0, 4.0, 8.0)),
]


@pytest.mark.parametrize(
    "cells",
    [
        partial(flags, scales=(2, 4)),
        partial(flags, scales=(2, 8), hits=2),
        partial(flags, scales=(4, 8), hits=2, refreshed=True),
        partial(gap_flags, scales=(2, 4)),
        partial(gap_flags, scales=(2, 4), margin=16.0),
    ],
    ids=["first_hit", "two_hits", "two_hits_refreshed", "gap", "adaptive"],
)
def test_a_sound_sparse_vector_costs_at_most_epsilon(cells: Callable[[Answers], Cells]) -> None:
    losses = [largest_log_ratio(*aligned(cells(a), cells(b))) for a, b in ANSWER_PAIRS]
    assert 0.2 < max(losses) <= 1


def test_the_noise_for_monotone_answers_is_enough_for_them_alone() -> None:
    cells = partial(flags, scales=(2, 2))
    far, farther = (9.0,) * 6 + (-9.0,), (10.0,) * 6 + (-8.0,)
    for a, b in [(ONES, TWOS), (far, farther), (ZEROS, HALF)]:
        assert largest_log_ratio(*aligned(cells(a), cells(b))) <= 1
    apart = (10.0,) * 6 + (-10.0,)
    assert largest_log_ratio(*aligned(cells(far), cells(apart))) > 1.4


def test_the_wrong_tail_costs_four_times_epsilon_in_the_end() -> None:
    noise = Mirrored(gumbel_r(scale=2))
    losses = [
        largest_log_ratio(
            noisy_argmax(noise, (-d - 1.0, 0, 0, 0, 0)), noisy_argmax(noise, (-d, -1.0, -1, -1, -1))
        )
        for d in (2.0, 6.0, 10.0)
    ]
    assert losses == sorted(losses)
    assert 3.8 < losses[-1] <= 4


# --- the code draws from these distributions ----------------------------------------------------

N = 20_000
SCORES = (0.0, 1.0, 2.0, 1.0)
SHORT = (1.0, 0.0, 2.0, 1.0)


def pattern(output: tuple[float | bool, ...]) -> tuple[bool, ...]:
    return tuple(x is not False for x in output)


def marks(cells: Cells) -> Cells:
    """Cells of a first hit's index as flags."""
    found: Cells = {}
    for key, chance in cells.items():
        hit = (False,) * len(SHORT) if key == "none" else (False,) * key[0] + (True,)
        found[hit] = found.get(hit, 0.0) + chance
    return found


DRAWN: list[tuple[str, Callable[..., Any], Answers, Cells]] = [
    ("exponential", exponential, SCORES, choice(softmax(SCORES))),
    ("permute_and_flip", permute_and_flip, SCORES, permute_and_flip_cells(SCORES)),
    ("gives_up", permute_and_flip_gives_up, (1.0,) * 3, permute_and_flip_cells((1.0,) * 3, 2)),
    ("laplace", report_noisy_max, SCORES, choice(noisy_argmax(laplace(scale=2), SCORES))),
    (
        "exponential_noise",
        report_noisy_max_exponential,
        SCORES,
        permute_and_flip_cells(SCORES),
    ),
    ("gumbel", report_noisy_max_gumbel, SCORES, choice(softmax(SCORES))),
    (
        "wrong_tail",
        noisy_max_wrong_tail,
        SCORES,
        choice(noisy_argmax(Mirrored(gumbel_r(scale=2)), tuple(-s for s in SCORES))),
    ),
    ("top_k", top_k, SCORES, peeled(SCORES, 3, 1 / 3)),
    ("pays_once", top_k_pays_once, SCORES, peeled(SCORES, 3, 1.0)),
    ("above_threshold", above_threshold, SHORT, flags(SHORT, (2, 4))),
    ("sparse_vector", sparse_vector, SHORT, flags(SHORT, (2, 8), 2)),
    ("refreshed", sparse_vector_refreshed, SHORT, flags(SHORT, (4, 8), 2, refreshed=True)),
    ("numeric", numeric_sparse_vector, SHORT, flags(SHORT, (3, 12), 2)),
    ("gap", gap_sparse_vector, SHORT, flags(SHORT, (2, 4))),
    ("adaptive", adaptive_sparse_vector, SHORT, marks(gap_flags(SHORT, (2, 4), 16.0))),
    ("adaptive_value", svt_adaptive_value, SHORT, marks(value_flags(SHORT, (2, 4), 16.0))),
    ("unbalanced", svt_unbalanced, SHORT, flags(SHORT, (4, 4 / 3))),
    ("half_noise", svt_half_noise, SHORT, flags(SHORT, (2, 2))),
    ("no_stop", svt_half_noise_no_stop, SHORT, flags(SHORT, (2, 2), 9)),
    ("exact_threshold", svt_exact_threshold, SHORT, flags(SHORT, (0, 4))),
    ("pays_for_one_hit", svt_pays_for_one_hit, SHORT, flags(SHORT, (2, 4), 5)),
    ("releases_comparison", svt_releases_comparison, SHORT, flags(SHORT, (2, 2))),
    ("gap_value", svt_gap_value, SHORT, flags(SHORT, (2, 4))),
    ("reuses_noise", svt_reuses_threshold_noise, SHORT, flags(SHORT, (3, 12), 2)),
]


@pytest.mark.parametrize(
    ("mechanism", "data", "cells"), [case[1:] for case in DRAWN], ids=[case[0] for case in DRAWN]
)
def test_outputs_have_their_exact_frequencies(
    mechanism: Callable[..., Any], data: Answers, cells: Cells
) -> None:
    """Each of at most 24 frequencies within 5 standard errors: once in 10^5 fresh seeds."""
    rng, counts = np.random.default_rng(60), dict.fromkeys(cells, 0)
    for _ in range(N):
        output = mechanism(np.array(data), rng)
        counts[pattern(output) if pattern_of(output, cells) else output] += 1
    for key, chance in cells.items():
        assert abs(counts[key] / N - chance) <= 5 * math.sqrt(chance * (1 - chance) / N) + 1e-9


def pattern_of(output: Any, cells: Cells) -> bool:
    """Whether the output is a tuple of answers and False, and the cells are flags."""
    return isinstance(output, tuple) and output not in cells


def test_the_median_has_its_exact_density() -> None:
    """20,000 draws, each frequency within 5 standard errors: once in 10^5 fresh seeds."""
    data = np.array([10.0, 10.0, 40.0, 41.0, 90.0])
    edges = np.array([0.0, 10.0, 40.0, 41.0, 90.0, 100.0])
    rng = np.random.default_rng(61)
    draws = np.array([exponential_segments(data, rng) for _ in range(N)])
    p = median_masses(tuple(data), edges)
    observed = np.histogram(draws, edges)[0] / N
    assert np.all(np.abs(observed - p) < 5 * np.sqrt(p * (1 - p) / N))


# --- special inputs ------------------------------------------------------------------------------


def test_the_median_stays_in_its_interval_whatever_the_records() -> None:
    rng = np.random.default_rng(62)
    for data in (
        [np.nan] * 5,
        [np.inf, -np.inf, np.nan],
        [-1e308, 1e308],
        [0.0] * 4 + [100.0] * 4,
        [50.0] * 10_001,
    ):
        draws = [exponential_segments(np.array(data), rng) for _ in range(50)]
        assert all(0 <= x <= 100 for x in draws)


def test_the_median_of_equal_records_does_not_release_them() -> None:
    rng = np.random.default_rng(63)
    assert all(exponential_segments(np.full(2000, 50.0), rng) != 50 for _ in range(100))


def test_flawed_medians_release_records() -> None:
    rng = np.random.default_rng(64)
    assert exponential_segments_data_range(np.array([37.5]), rng) == 37.5
    draws = [exponential_segments_without_length(np.array([0.0]), rng) for _ in range(100)]
    assert 25 < sum(x == 0 for x in draws) < 75


def test_large_scores_do_not_overflow() -> None:
    rng, scores = np.random.default_rng(65), np.array([1e300, 0.0, -1e300])
    for mechanism in (exponential, permute_and_flip, report_noisy_max_gumbel):
        assert mechanism(scores, rng) == 0


def test_fewer_candidates_than_places_are_all_listed() -> None:
    rng = np.random.default_rng(66)
    assert sorted(top_k(np.zeros(2), rng)) == [0, 1]
    assert top_k(np.zeros(0), rng) == ()


@pytest.mark.parametrize(
    "mechanism",
    [
        above_threshold,
        sparse_vector,
        sparse_vector_refreshed,
        numeric_sparse_vector,
        gap_sparse_vector,
        adaptive_sparse_vector,
    ],
)
def test_a_sparse_vector_of_no_answers_is_empty(mechanism: Callable[..., Any]) -> None:
    assert mechanism(np.zeros(0), np.random.default_rng(67)) == ()


@pytest.mark.parametrize("hits", [1, 2, 5])
def test_the_adaptive_sparse_vector_answers_almost_twice_as_often_far_above(hits: int) -> None:
    """Noise would have to exceed 100 times its scale: never."""
    rng = np.random.default_rng(68)
    answers = np.full(40, 1e5)
    assert len(adaptive_sparse_vector(answers, rng, hits=hits)) == 2 * hits - 1
    assert len(gap_sparse_vector(answers, rng, hits=hits)) == hits
    assert len(numeric_sparse_vector(answers, rng, hits=hits)) == hits


def test_one_noise_for_all_answers_leaves_the_winner() -> None:
    rng = np.random.default_rng(69)
    assert {noisy_max_shared_noise(np.array([0.0, 1.0, 0.5]), rng) for _ in range(100)} == {1}
