"""Rounds in which records' vectors are shortened by a branch, for `test_rounds`."""

import math

import numpy as np

from dpaudit import AddRemove, GaussianDP, Integer, Real, Row

CLIENTS = AddRemove(Row(usage=Real(-5, 5), churn=Real(-5, 5)), max_size=6, container="list")
LABELS = AddRemove(
    Row(x1=Real(-5, 5), x2=Real(-5, 5), label=Integer(0, 1)), max_size=6, container="pandas"
)
ONE = GaussianDP(1.0)
SIGMA = math.sqrt(2)


def clipped(u, c):
    norm = np.linalg.norm(u)
    if norm > c:
        u = u * (c / norm)
    return u


def sigmoid(z):
    return 1.0 / (1.0 + np.exp(-z))


def update_of(client, w):
    x = np.array([client["usage"], 1.0])
    return (client["churn"] - float(x @ w)) * x


def by_a_helper(clients, rng):
    w = np.zeros(2)
    for _ in range(2):
        total = np.zeros(2)
        for client in clients:
            total += clipped(update_of(client, w), 1.0)
        total += rng.normal(0.0, SIGMA, size=2)
        w = w + 0.02 * total
    return w


def by_a_branch(clients, rng):
    w = np.zeros(2)
    for _ in range(2):
        total = np.zeros(2)
        for client in clients:
            g = update_of(client, w)
            n = np.linalg.norm(g)
            if n > 1.0:
                g = g * (1.0 / n)
            total += g
        total += rng.normal(0.0, SIGMA, size=2)
        w = w + 0.02 * total
    return w


def logistic(df, rng):
    xs, ys = df[["x1", "x2"]].to_numpy(dtype=float), df["label"].to_numpy(dtype=float)
    w = np.zeros(2)
    for _ in range(2):
        total = np.zeros(2)
        for x, y in zip(xs, ys, strict=True):
            total += clipped((sigmoid(x @ w) - y) * x, 1.0)
        total += rng.normal(0.0, SIGMA, size=2)
        w = w - 0.02 * total
    return w


def clipped_to_more(clients, rng):
    w = np.zeros(2)
    for _ in range(2):
        total = np.zeros(2)
        for client in clients:
            total += clipped(update_of(client, w), 1.1)
        total += rng.normal(0.0, SIGMA, size=2)
        w = w + 0.02 * total
    return w


def another_is_tested(clients, rng):
    w = np.zeros(2)
    for _ in range(2):
        total = np.zeros(2)
        for client in clients:
            x = np.array([client["usage"], 1.0])
            g = (client["churn"] - x @ w) * x
            n = np.linalg.norm(x)
            if n > 1.0:
                g = g * (1.0 / n)
            total += g
        total += rng.normal(0.0, SIGMA, size=2)
        w = w + 0.02 * total
    return w


def short_ones_are_made_longer(clients, rng):
    w = np.zeros(2)
    for _ in range(2):
        total = np.zeros(2)
        for client in clients:
            g = update_of(client, w)
            n = np.linalg.norm(g)
            if n < 1.0:
                g = g * (1.0 / n)
            total += g
        total += rng.normal(0.0, SIGMA, size=2)
        w = w + 0.02 * total
    return w


def added_before_it_is_shortened(clients, rng):
    w = np.zeros(2)
    for _ in range(2):
        total = np.zeros(2)
        for client in clients:
            g = update_of(client, w)
            n = np.linalg.norm(g)
            total += g
            if n > 1.0:
                g = g * (1.0 / n)
        total += rng.normal(0.0, SIGMA, size=2)
        w = w + 0.02 * total
    return w


def added_whatever_the_test_says(clients, rng):
    w = np.zeros(2)
    for _ in range(2):
        total = np.zeros(2)
        for client in clients:
            g = update_of(client, w)
            if np.linalg.norm(g) <= 1.0:
                total += g
            else:
                total += g
        total += rng.normal(0.0, SIGMA, size=2)
        w = w + 0.02 * total
    return w


def twice_as_much(clients, rng):
    w = np.zeros(2)
    for _ in range(2):
        total = np.zeros(2)
        for client in clients:
            total += 2 * clipped(update_of(client, w), 1.0)
        total += rng.normal(0.0, SIGMA, size=2)
        w = w + 0.02 * total
    return w


def one_round_more(clients, rng):
    w = np.zeros(2)
    for _ in range(3):
        total = np.zeros(2)
        for client in clients:
            total += clipped(update_of(client, w), 1.0)
        total += rng.normal(0.0, SIGMA, size=2)
        w = w + 0.02 * total
    return w


def clipped_after_the_sum(clients, rng):
    w = np.zeros(2)
    for _ in range(2):
        total = np.zeros(2)
        for client in clients:
            total += update_of(client, w)
        w = w + 0.02 * (clipped(total, 1.0) + rng.normal(0.0, SIGMA, size=2))
    return w


def rounded_before(clients, rng):
    w = np.ones(2)
    for _ in range(2):
        v = np.clip(w, -1.0, 1.0)
        total = np.zeros(2)
        for client in clients:
            x = (np.array([client["usage"], client["churn"]]) * 1e-2 + 1e17) - 1e17
            g = v * x
            n = np.linalg.norm(g)
            if n > 1.0:
                g = g * (1.0 / n)
            total += g
        total += rng.normal(0.0, 0.12, size=2)
        w = w + total
    return w


SOUND = [
    (by_a_helper, ONE, CLIENTS),
    (by_a_branch, ONE, CLIENTS),
    (logistic, ONE, LABELS),
]
BROKEN = [
    (f, ONE, CLIENTS)
    for f in (
        clipped_to_more,
        another_is_tested,
        short_ones_are_made_longer,
        added_before_it_is_shortened,
        added_whatever_the_test_says,
        twice_as_much,
        one_round_more,
        clipped_after_the_sum,
        rounded_before,
    )
]
