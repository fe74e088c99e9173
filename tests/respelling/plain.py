"""Small mechanisms with no privacy to spare: each rewrite applies to one of them at least."""

import numpy as np

from dpaudit import AddRemove, ApproxDP, Integer, PureDP, QueryAnswers, Real


def clipped_total(data, rng, *, low=0.0, high=10.0, epsilon=1.0):
    total = np.clip(data, low, high).sum()
    return total + rng.laplace(scale=max(abs(high), abs(low)) / epsilon)


def total_and_count(data, rng, *, epsilon=1.0):
    largest = 10.0
    share = epsilon / 2
    total = np.fmin(np.fmax(data, 0.0), largest).sum() + rng.laplace(scale=largest / share)
    size = len(data) + rng.laplace(scale=1 / share)
    return total, size


def count_above(data, rng, *, epsilon=1.0):
    return np.count_nonzero(data > 5) + rng.laplace(scale=1 / epsilon)


def part_above(data, rng, *, epsilon=1.0):
    return np.sum(data[data > 5]) + rng.laplace(scale=10 / epsilon)


def halves(data, rng, *, epsilon=1.0):
    small = len(data[data < 5]) + rng.laplace(scale=1 / epsilon)
    large = len(data[data >= 5]) + rng.laplace(scale=1 / epsilon)
    return small, large


def cells(data, rng, *, epsilon=1.0):
    counts = np.bincount(data, minlength=5)
    return counts + rng.laplace(scale=1 / epsilon, size=len(counts))


def cells_in_a_loop(data, rng, *, epsilon=1.0):
    released = []
    for k in range(5):
        released.append(np.sum(data == k) + rng.laplace(scale=1 / epsilon))
    return released


def noisy_answers(answers, rng, *, epsilon=1.0):
    return [answer + rng.laplace(scale=4 / epsilon) for answer in answers]


def best(answers, rng, *, epsilon=1.0):
    return int(np.argmax(answers + rng.gumbel(scale=2 / epsilon, size=len(answers))))


def by_weight(answers, rng, *, epsilon=1.0):
    weights = np.exp(epsilon * (answers - answers.max()) / 2)
    cumulated = weights.cumsum()
    return int(cumulated.searchsorted(rng.random() * cumulated[-1], side="right"))


def first_above(answers, rng, *, threshold=5.0, epsilon=1.0):
    noisy = threshold + rng.laplace(scale=2 / epsilon)
    flags = []
    for answer in answers:
        above = answer + rng.laplace(scale=4 / epsilon) >= noisy
        flags.append(bool(above))
        if above:
            break
    return flags


def gaussian_total(data, rng, *, sigma=40.0):
    total = np.clip(data, 0.0, 10.0).sum()
    return total + rng.normal(scale=sigma)


def rounded_count(data, rng, *, epsilon=1.0):
    noisy = len(data) + rng.laplace(scale=1 / epsilon)
    if noisy > 0:
        return noisy
    return 0.0


def positive_count(data, rng, *, epsilon=1.0):
    noisy = len(data) + rng.laplace(scale=1 / epsilon)
    if noisy > 0:
        return noisy
    else:
        return 0.0


_REALS = AddRemove(Real(0, 10, enforced=False), max_size=5)
_DIGITS = AddRemove(Integer(0, 4), max_size=5)
_ANSWERS = QueryAnswers(4)
_MANY_ANSWERS = QueryAnswers(12)
_ONE = PureDP(1.0)
PLAIN = (
    (clipped_total, _ONE, _REALS),
    (total_and_count, _ONE, _REALS),
    (count_above, _ONE, _REALS),
    (part_above, _ONE, AddRemove(Real(0, 10), max_size=5)),
    (halves, _ONE, _REALS),
    (cells, _ONE, _DIGITS),
    (cells_in_a_loop, _ONE, _DIGITS),
    (noisy_answers, _ONE, _ANSWERS),
    (best, _ONE, _ANSWERS),
    (by_weight, _ONE, _ANSWERS),
    (first_above, _ONE, _MANY_ANSWERS),
    (gaussian_total, ApproxDP(1.0, 1e-4), _REALS),
    (rounded_count, _ONE, _REALS),
    (positive_count, _ONE, _REALS),
)
