"""Unary encodings whose coins spend epsilon on each entry are found; half of it is enough."""

from __future__ import annotations

import pytest

from dpaudit.static.lint import lint

HEAD = """
import math
import numpy as np
def report(value: int, rng, epsilon=1.0, k=4):
    whole = math.exp(epsilon) / (1 + math.exp(epsilon))
    half = math.exp(epsilon / 2) / (1 + math.exp(epsilon / 2))
    v = np.zeros(k, dtype=int)
    v[value] = 1
    {body}
"""
BROKEN = [
    "u = rng.random(k)\n    return np.where(v == 1, u < whole, u < 1 - whole).astype(int)",
    "return np.where(rng.random(k) < whole, v, 1 - v)",
    "flips = rng.random(k) < 1 - whole\n    return [int(b ^ f) for b, f in zip(v, flips)]",
    "w = (np.arange(k) == value).astype(int)\n    return np.where(rng.random(k) < whole, w, 1 - w)",
    "return v ^ (rng.random(k) < 1 - whole)",
]
SOUND = [
    "u = rng.random(k)\n    return np.where(v == 1, u < half, u < 1 - half).astype(int)",
    "u = rng.random(k)\n    return np.where(v == 1, u < 0.5, u < 1 - whole).astype(int)",
    "return np.where(rng.random(k) < half, v, 1 - v)",
    "flips = rng.random(k) < 1 - half\n    return [int(b ^ f) for b, f in zip(v, flips)]",
    "public = np.arange(k)\n    return np.where(rng.random(k) < whole, public, 1 - public)",
    "return v + rng.laplace(scale=2 / epsilon, size=k)",
]


def wrong(tmp_path, body):
    path = tmp_path / "report.py"
    path.write_text(HEAD.format(body=body))
    found = lint([path], everything=True).findings
    return [f.message for f in found if f.level == "error"]


@pytest.mark.parametrize("body", BROKEN)
def test_coins_with_all_of_epsilon_on_a_one_hot_vector_are_found(tmp_path, body):
    assert any("two entries" in message for message in wrong(tmp_path, body))


@pytest.mark.parametrize("body", SOUND)
def test_coins_that_two_entries_pay_for_have_no_error(tmp_path, body):
    assert not any("two entries" in message for message in wrong(tmp_path, body))
