"""What the releases of one path cost together, in each notion of privacy.

All bounds are for one pair of datasets and whatever was released before, so that they add up along
a path, though later releases are chosen by earlier ones: pure losses (Dwork & Roth 2014, Theorem
3.16), squares of mu (Dong, Roth & Su 2019, Corollary 3.3), Rényi divergences (Mironov 2017,
Proposition 1; Feldman & Zrnic 2021, Theorem 3.1, where paths differ).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import zip_longest
from typing import Any

from dpaudit.checker.cost import moments
from dpaudit.checker.cost.ends import ZERO, End, is_finite, most, same, times
from dpaudit.checker.cost.ledger import Item
from dpaudit.checker.cost.values import Change, Group, Taken, Token, dual
from dpaudit.checker.exact.numbers import Number
from dpaudit.checker.file import RejectedError

NORMAL = ("normal", "discrete normal")
Joint = dict[Group, dict[Token, list[Number]]]


def finite(value: End, place: str) -> Number:
    """Return a cost, which something must bound."""
    if not is_finite(value):
        raise RejectedError("nothing bounds the change of what is released", place)
    found: Number = value
    return found


def _apart(change: Change) -> tuple[End, dict[Token, Number]]:
    """Return the size of what a change shares with no other, and its parts of joint changes."""
    joint = {t: f for t, f in change.tokens.items() if t.group.norm != "alone"}
    alone = {t: f for t, f in change.tokens.items() if t not in joint}
    return Change(change.low, change.high, alone).far(), joint


def sample(item: Item) -> Taken | None:
    """Return the sample by which alone the value of an item changes, None for others."""
    change = item.change
    samples = {t.group.sample for t in change.tokens}
    if len(samples) != 1 or not (same(change.low, ZERO) and same(change.high, ZERO)):
        return None
    return samples.pop()


def pure(items: Sequence[Item]) -> Number:
    """Return the pure loss of all items that are not normal, or discretely so (nats)."""
    total = ZERO
    for taken, inside in by_sample(items).items():
        inside = [item for item in inside if item.law not in NORMAL]
        if taken is None or not (taken.alone or len(inside) == len(items)):
            total = total + additive(inside)
        else:
            total = total + (1 + taken.rate * (additive(inside).exp() - 1)).log()
    return total


def by_sample(items: Iterable[Item]) -> dict[Taken | None, list[Item]]:
    """Return items by the sample that alone changes them, those that no one does under None."""
    found: dict[Taken | None, list[Item]] = {}
    for item in items:
        found.setdefault(None if item.law == "pure" else sample(item), []).append(item)
    return found


def additive(items: Sequence[Item]) -> Number:
    """Return the sum of pure losses, without regard to samples."""
    total = ZERO
    joint: Joint = {}
    for item in items:
        if item.law == "pure":
            total = total + finite(item.epsilon, item.place)
            continue
        size, parts = _apart(item.change)
        total = total + finite(times(item.rate, size), item.place)
        for token, factor in parts.items():
            joint.setdefault(token.group, {}).setdefault(token, []).append(item.rate * abs(factor))
    for group, tokens in joint.items():
        total = total + group.high * dual(group.norm, [sum(f, ZERO) for f in tokens.values()])
    return total


def squared_mu(items: Sequence[Item]) -> Number:
    """Return the square of mu of all normal items."""
    total = ZERO
    joints: dict[frozenset[Group], Joint] = {}
    for item in items:
        if item.law != "normal":
            continue
        size, parts = _apart(item.change)
        groups = frozenset(token.group for token in parts)
        if parts and len(groups) == len(parts) and same(size, ZERO):
            joint = joints.setdefault(groups, {})
            for token, factor in parts.items():
                share = item.rate * factor.squared()
                joint.setdefault(token.group, {}).setdefault(token, []).append(share)
        else:
            far = finite(item.change.far(), item.place)
            total = total + item.rate * far * far
    for joint in joints.values():
        total = total + _together(joint)
    return total


def _together(joint: Joint) -> Number:
    """Return the square of mu of items that change by the sum of one change of each group.

    Σ q_j d_j² is at most the largest q_j times D², where the norm of d, l1 or l2, is at most D; the
    roots of these sums add up where changes do (Minkowski).
    """
    squares: list[Number] = []
    for group, tokens in joint.items():
        largest = most([sum(f, ZERO) for f in tokens.values()])
        squares.append(group.high * group.high * largest)
    if len(squares) == 1:
        return squares[0]
    total: Number = sum((square.sqrt() for square in squares), ZERO)
    squared: Number = total.squared()
    return squared


def discrete_squared(items: Sequence[Item]) -> Number:
    """Return twice the rho of all discrete normal items."""
    total = ZERO
    for item in items:
        if item.law == "discrete normal":
            far = finite(item.change.far(), item.place)
            total = total + item.rate * far * far
    return total


def epsilon_of(item: Item) -> Number:
    """Return the pure loss of one item alone."""
    if item.law == "pure":
        return finite(item.epsilon, item.place)
    return finite(times(item.rate, item.change.far()), item.place)


def concentrated(items: Sequence[Item]) -> Number:
    """Return rho of zero-concentrated privacy."""
    # Bun & Steinke 2016, Propositions 1.4 and 1.6
    # and Canonne, Kamath & Steinke 2020, Theorem 4
    total: Number = (squared_mu(items) + discrete_squared(items)) / 2
    for item in items:
        if item.law not in NORMAL:
            epsilon = epsilon_of(item)
            total = total + epsilon * epsilon / 2
    return total


def renyi(paths: Sequence[Sequence[Item]], order: Number) -> Number:
    """Return the Rényi divergence of an order above 1, whichever path earlier releases choose.

    What one more release on a sample costs depends on what the others said. So each sample, in the
    order of their first use, counts as on the path that spends most on it: noise that says nothing
    makes up for less.
    """
    total: Number = most(_of_others(items, order) for items in paths)
    seen: dict[Any, Number] = {}
    for each in zip_longest(*map(_of_samples, paths), fillvalue=(ZERO, ZERO)):
        rate, squared = map(most, zip(*each, strict=True))
        key = rate.fraction, squared.fraction
        if None in key or key not in seen:
            seen[key] = moments.of_sample(rate, squared, order)
        total = total + seen[key]
    return total


def _of_samples(items: Sequence[Item]) -> list[tuple[Number, Number]]:
    """Return the rate of each sample with coins, and the square of mu of normal noise on it."""
    samples = by_sample(item for item in items if item.law == "normal").items()
    return [(taken.rate, squared_mu(normal)) for taken, normal in samples if taken and taken.alone]


def _of_others(items: Sequence[Item], order: Number) -> Number:
    total: Number = discrete_squared(items) * order / 2
    for taken, normal in by_sample(item for item in items if item.law == "normal").items():
        if taken is None or not taken.alone:
            total = total + squared_mu(normal) * order / 2
    for item in items:
        if item.law not in NORMAL:
            shape = _laplace if item.law == "laplace" else _two_answers
            epsilon = epsilon_of(item)
            total = total + (shape(epsilon, order).log() / (order - 1) if epsilon.sign() else ZERO)
    return total


def is_sampled(item: Item) -> bool:
    """Whether an item is normal noise on a sample."""
    return item.law == "normal" and sample(item) is not None


def _laplace(epsilon: Number, order: Number) -> Number:
    """Return the moment of two Laplace distributions (Mironov 2017, Proposition 6)."""
    a = order
    up = a / (2 * a - 1) * ((a - 1) * epsilon).exp()
    found: Number = up + (a - 1) / (2 * a - 1) * (-(a * epsilon)).exp()
    return found


def _two_answers(epsilon: Number, order: Number) -> Number:
    """Return the largest moment of pure mechanisms, of two answers (Mironov, Proposition 5)."""
    p = 1 / (1 + (-epsilon).exp())
    q = 1 - p
    found: Number = p**order * q ** (1 - order) + q**order * p ** (1 - order)
    return found


def losses(items: Sequence[Item]) -> list[Number]:
    """Return the pure losses of the items that have one and are not normal."""
    found = [epsilon_of(item) for item in items if item.law not in NORMAL]
    return [loss for loss in found if loss.sign() > 0]
