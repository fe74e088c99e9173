"""Gradient descent with released weights, and products with them that floats do not hold."""

import numpy as np


def clipped_rows(gradients):
    lengths = np.linalg.norm(gradients, axis=1, keepdims=True)
    return gradients / np.maximum(1.0, lengths)


def sound_slope_and_intercept(data, rng):
    theta = np.zeros(2)
    x, y = data["x"], data["y"]
    for _ in range(2):
        residual = theta[0] * x + theta[1] - y
        gradients = np.column_stack([residual * x, residual])
        total = clipped_rows(gradients).sum(axis=0) + rng.normal(0, 4.0, size=2)
        theta = theta - 0.01 * total
    return theta


def sound_slope(data, rng):
    theta = 0.0
    for _ in range(2):
        residual = theta * data["x"] - data["y"]
        total = np.clip(residual * data["x"], -1, 1).sum() + rng.normal(0, 4.0)
        theta = theta - 0.01 * total
    return theta


def broken_third_step(data, rng):
    theta = 0.0
    for _ in range(3):
        residual = theta * data["x"] - data["y"]
        theta = theta - 0.1 * (np.clip(residual * data["x"], -1, 1).sum() + rng.normal(0, 4.0))
    return theta


def broken_without_clip(data, rng):
    theta = 0.0
    for _ in range(2):
        residual = theta * data["x"] - data["y"]
        theta = theta - 0.1 * ((residual * data["x"]).sum() + rng.normal(0, 4.0))
    return theta


def broken_clip_of_the_sum(data, rng):
    theta = 0.0
    for _ in range(2):
        residual = theta * data["x"] - data["y"]
        theta = theta - 0.1 * (np.clip((residual * data["x"]).sum(), -9, 9) + rng.normal(0, 4.0))
    return theta


def broken_grown_weight(data, rng):
    weight = len(data) + rng.normal(0, 4.0)
    for _ in range(5):
        weight = weight * 1e80
    x = data["x"]
    return np.clip(weight * x - weight * x, 0, 0.5).sum() + rng.normal(0, 4.0)


def broken_power_of_a_weight(data, rng):
    weight = np.exp(1000 * (len(data) + rng.normal(0, 4.0)))
    return np.clip(weight * data["x"], 0, 0.5).sum() + rng.normal(0, 4.0)


def broken_power_of_a_product(data, rng):
    weight = len(data) + rng.normal(0, 4.0)
    return np.clip(np.exp(1000 * weight) * data["x"], 0, 0.5).sum() + rng.normal(0, 4.0)


def broken_in_a_loop(data, rng):
    weight = (len(data) + rng.normal(0, 4.0)) * 1e160
    total = 0.0
    for x in data["x"]:
        product = weight * x * weight * x
        total += min(max(product - product, 0.0), 0.5)
    return total + rng.normal(0, 4.0)


def broken_sum_with_a_weight(data, rng):
    weight = (len(data) + rng.normal(0, 4.0)) * 1e308 * 10
    rest = (data["y"] + weight) - weight
    return np.clip(rest, -1, 1).sum() + rng.normal(0, 4.0)


def broken_choice_of_a_weight(data, rng):
    weight = (len(data) + rng.normal(0, 4.0)) * 1e308 * 10
    return np.where(data["y"] > 0, np.clip(weight - weight, -1, 1), 0.0).sum() + rng.normal(0, 4.0)
