"""Noisy arrays of which some entries are replaced in place."""

import numpy as np

from dpaudit import AddRemove, Integer, PureDP

CLAIM, NEIGHBORS = PureDP(1 + 1e-9), AddRemove(Integer(0, 49))


def _counts(data):
    return np.bincount(data // 10, minlength=5)[:5]


def by_a_mask(data):
    counts = _counts(data).astype(float)
    counts += np.random.laplace(0, 1.0, 5)
    counts[counts < 0] = 0
    return counts / max(counts.sum(), 1.0)


def by_a_mask_of_another_release(data):
    noisy = _counts(data) + np.random.laplace(0, 2.0, 5)
    other = _counts(data) + np.random.laplace(0, 2.0, 5)
    noisy[other < 1] = 1.5
    return noisy


def by_out(data):
    noisy = _counts(data) + np.random.laplace(0, 1.0, 5)
    same = noisy
    np.maximum(noisy, 0, out=noisy)
    np.clip(same, None, 100.0, out=same)
    return noisy


def by_a_mask_of_the_records(data):
    raw = _counts(data)
    noisy = raw + np.random.laplace(0, 1.0, 5)
    noisy[raw < 2] = 0
    return noisy


def by_raw_values(data):
    raw = _counts(data).astype(float)
    noisy = raw + np.random.laplace(0, 1.0, 5)
    noisy[noisy < 0] = raw[0]
    return noisy


def by_a_mask_of_a_release_that_is_not_paid(data):
    noisy = _counts(data) + np.random.laplace(0, 1.0, 5)
    other = _counts(data) + np.random.laplace(0, 1.0, 5)
    noisy[other < 1] = 0
    return noisy


def another_name_with_the_old_values(data):
    raw = _counts(data).astype(float)
    out = raw + np.random.laplace(0, 1.0, 5)
    np.maximum(raw, 0, out=out)
    return out


def noise_where_there_is_none(data):
    noisy = _counts(data).astype(float)
    np.add(noisy, np.random.laplace(0, 1.0, 5), out=noisy, where=noisy > 1)
    return noisy


SOUND = [
    (mechanism, CLAIM, NEIGHBORS) for mechanism in (by_a_mask, by_a_mask_of_another_release, by_out)
]
BROKEN = [
    (mechanism, CLAIM, NEIGHBORS)
    for mechanism in (
        by_a_mask_of_the_records,
        by_raw_values,
        by_a_mask_of_a_release_that_is_not_paid,
        another_name_with_the_old_values,
        noise_where_there_is_none,
    )
]
