"""The shapes of datasets worth trying, and how to vary them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dpaudit.neighbors.records import Landmarks, Records


class _Removed:
    def __repr__(self) -> str:
        return "REMOVED"


REMOVED: Any = _Removed()


@dataclass(frozen=True, slots=True)
class Draft:
    """A pair in the making: the items on the left, and what becomes of some on the right.

    Attributes
    ----------
    items : tuple
        Left items: records, or all rows of one user.
    changes : tuple of (int, Any)
        Positions and what stands there on the right, REMOVED for nothing.
    how : str
        The difference in words.
    flipped : bool
        Whether left and right are to be swapped.
    """

    items: tuple[Any, ...]
    changes: tuple[tuple[int, Any], ...]
    how: str
    flipped: bool = False

    @property
    def positions(self) -> frozenset[int]:
        """Where the two sides differ."""
        return frozenset(position for position, _ in self.changes)

    def right(self) -> tuple[Any, ...]:
        """Return the right items."""
        changed = dict(self.changes)
        items = (changed.get(i, item) for i, item in enumerate(self.items))
        return tuple(item for item in items if item is not REMOVED)

    def without(self, dropped: frozenset[int]) -> Draft:
        """Return the draft less the items at these positions, on both sides."""
        kept = [i for i in range(len(self.items)) if i not in dropped]
        moved = {old: new for new, old in enumerate(kept)}
        changes = tuple((moved[p], new) for p, new in self.changes if p in moved)
        return replace(self, items=tuple(self.items[i] for i in kept), changes=changes)

    def having(self, position: int, item: Any) -> Draft:
        """Return the draft with another left item."""
        items = (*self.items[:position], item, *self.items[position + 1 :])
        return replace(self, items=items)


Arrangement = Callable[[Any, Any, int, int], Sequence[Any]]

# Datasets of n items between a low and a high one, of which k will change.
ARRANGEMENTS: Mapping[str, Arrangement] = {
    "all low": lambda low, high, n, k: [low] * n,
    "all high": lambda low, high, n, k: [high] * n,
    "high ones last, the rest low": lambda low, high, n, k: [low] * (n - k) + [high] * k,
    "low ones first, the rest high": lambda low, high, n, k: [low] * k + [high] * (n - k),
    "half low, half high": lambda low, high, n, k: [low] * (n // 2) + [high] * (n - n // 2),
    "half high, half low": lambda low, high, n, k: [high] * (n // 2) + [low] * (n - n // 2),
    "low and high in blocks of two": lambda low, high, n, k: [
        high if i // 2 % 2 else low for i in range(n)
    ],
    "low and high by turns": lambda low, high, n, k: [high if i % 2 else low for i in range(n)],
}

PLACES: Mapping[str, Callable[[int, int], range]] = {
    "first": lambda n, k: range(k),
    "middle": lambda n, k: range((n - k) // 2, (n - k) // 2 + k),
    "last": lambda n, k: range(n - k, n),
}

# (arrangement, how many items beside those that change, where these stand)
Step = tuple[str, str, str]

ADD_REMOVE_OPENING: tuple[Step, ...] = (
    ("all high", "none", "last"),
    ("high ones last, the rest low", "one", "last"),
    ("all low", "none", "last"),
)
ADD_REMOVE_SEQUEL: tuple[Step, ...] = (
    ("high ones last, the rest low", "many", "last"),
    ("all high", "four", "last"),  # cells below five are often hidden
    ("half low, half high", "many", "first"),
    ("all high", "two", "last"),
    ("low and high in blocks of two", "many", "first"),
    ("all high", "many", "last"),
    ("low ones first, the rest high", "one", "first"),
    ("half low, half high", "two", "middle"),
    ("low ones first, the rest high", "many", "first"),
    ("all low", "one", "last"),
    ("half low, half high", "many", "middle"),
    ("low and high by turns", "many", "first"),
    ("half high, half low", "many", "first"),
    ("all high", "one", "last"),
    ("all low", "many", "last"),
)
REPLACE_OPENING: tuple[Step, ...] = (
    ("all low", "many", "last"),
    ("all high", "many", "last"),
)
REPLACE_SEQUEL: tuple[Step, ...] = (
    ("half low, half high", "many", "middle"),
    ("all low", "many", "first"),
    ("all high", "many", "first"),
    ("half low, half high", "many", "first"),
    ("low and high in blocks of two", "many", "first"),
    ("half high, half low", "many", "middle"),
    ("high ones last, the rest low", "many", "first"),
    ("low and high by turns", "many", "middle"),
    ("half low, half high", "many", "last"),
)


@dataclass(frozen=True, slots=True)
class Programme:
    """The telling drafts of one relation.

    Attributes
    ----------
    opening, sequel : tuple of Step
        Steps before and after those with unusual values.
    domain : Records
        The domain of the items.
    most : int
        Largest number of items.
    group : int
        How many items change.
    becomes : callable
        What an item that changes becomes on the right.
    verb : str
        What happens to it: ``"removed"``.
    noun : str
        What an item is called.
    least : int
        Smallest number of items that stay.
    """

    opening: tuple[Step, ...]
    sequel: tuple[Step, ...]
    domain: Records
    most: int
    group: int
    becomes: Callable[[Any, Landmarks], Any]
    verb: str
    noun: str = "record"
    least: int = 0

    def drafts(self) -> Iterator[Draft]:
        """Yield the drafts, cheap and telling ones first."""
        marks = self.domain.landmarks()
        others, early = marks.others, min(len(self.domain.columns()), 3)
        yield from (self._step(step, marks) for step in self.opening)
        yield from (self._unusual(v, words, marks) for v, words in marks.risky[:6])
        yield from (self._unusual(v, words, marks, marks.low) for v, words in others[:early])
        yield from (self._step(step, marks) for step in self.sequel)
        yield from self._alone(marks)
        yield from (self._unusual(v, words, marks) for v, words in marks.risky[6:16])
        yield from (self._unusual(v, words, marks, marks.low) for v, words in others[early:16])
        different = self.domain.members(self.most)
        for where in PLACES:
            yield self._draft(different, where, "all different")

    def _step(self, step: Step, marks: Landmarks) -> Draft:
        name, beside, where = step
        size = {"none": 0, "one": 1, "two": 2, "four": 4, "many": self.most}[beside] + self.group
        if self.verb != "removed":
            size = self.most
        size = min(max(size, self.least + self.group), self.most)
        return self._draft(ARRANGEMENTS[name](marks.low, marks.high, size, self.group), where, name)

    def _alone(self, marks: Landmarks) -> Iterator[Draft]:
        """Yield datasets whose other records are as near to zero as may be, and hide nothing."""
        zero = next(self.domain.simpler(marks.high), marks.low)
        if zero not in (marks.low, marks.high):
            values = ((marks.high, "high"), (marks.low, "low"), *marks.others[:3])
            for value, words in values:
                yield self._unusual(value, f"zeros, and {words}", marks, zero)

    def _unusual(self, value: Any, words: str, marks: Landmarks, beside: Any = None) -> Draft:
        """Draft a dataset with one unusual value, which changes."""
        beyond = self.group + max(1, self.least)
        size = min(beyond, self.most) if self.verb == "removed" else self.most
        rest = [marks.high if beside is None else beside] * (size - self.group)
        return self._draft([*rest, *[value] * self.group], "last", f"{words} at the end")

    def _draft(self, items: Sequence[Any], where: str, name: str) -> Draft:
        marks, size = self.domain.landmarks(), len(items)
        places = PLACES[where](size, min(self.group, size))
        changes = tuple((i, self.becomes(items[i], marks)) for i in places)
        which = f"the {where} one is" if len(places) == 1 else f"the {where} {len(places)} are"
        if size == len(places):
            which = "the only one is" if size == 1 else "all are"
        plural = "" if size == 1 else "s"
        how = f"{size} {self.noun}{plural}, {name}; {which} {self.verb}"
        return Draft(tuple(items), changes, how)


def random_items(domain: Records, size: int, rng: np.random.Generator) -> list[Any]:
    """Draw items: independent ones, few different ones, or two of them in blocks."""
    style = rng.random()
    if style < 0.4:
        return [domain.draw(rng) for _ in range(size)]
    marks = domain.landmarks()
    few = [marks.low, marks.high] if style < 0.7 else [domain.draw(rng) for _ in range(3)]
    if rng.random() < 0.5:
        return [few[int(rng.integers(len(few)))] for _ in range(size)]
    block = int(rng.integers(1, max(size // 2, 1) + 1))
    return [few[i // block % len(few)] for i in range(size)]


def random_size(least: int, most: int, rng: np.random.Generator) -> int:
    """Draw a size, small ones more often than large ones."""
    if rng.random() < 0.2:
        return most
    return least + int((most - least + 1) * rng.random() ** 2)


def varied(draft: Draft, domain: Records, rng: np.random.Generator, *, resizable: bool) -> Draft:
    """Return a draft near this one: other size, value or place."""
    move = int(rng.integers(5 if resizable else 3))
    changed = sorted(draft.positions)
    size = len(draft.items)
    if move == 0:  # a record that differs
        at = changed[int(rng.integers(len(changed)))]
        new = dict(draft.changes)[at]
        if new is not REMOVED and rng.random() < 0.7:
            changes = {**dict(draft.changes), at: domain.near(new, rng)}
            return replace(draft, changes=tuple(changes.items()))
        return draft.having(at, domain.near(draft.items[at], rng))
    if move == 1:  # where it stands
        at, to = changed[int(rng.integers(len(changed)))], int(rng.integers(size))
        order = list(range(size))
        order[at], order[to] = order[to], order[at]
        moved = {old: new for new, old in enumerate(order)}
        changes_moved = tuple(sorted((moved[p], new) for p, new in draft.changes))
        return replace(draft, items=tuple(draft.items[i] for i in order), changes=changes_moved)
    if move == 2 or (move == 4 and size == len(changed)):  # any record
        at = int(rng.integers(size))
        return draft.having(at, domain.near(draft.items[at], rng))
    if move == 3:  # one more
        at = int(rng.integers(size + 1))
        like = domain.near(draft.items[at - 1], rng)
        grown = (*draft.items[:at], like, *draft.items[at:])
        shifted = tuple((p + (p >= at), new) for p, new in draft.changes)
        return replace(draft, items=grown, changes=shifted)
    common = [i for i in range(size) if i not in draft.positions]
    return draft.without(frozenset([common[int(rng.integers(len(common)))]]))


def simplified(draft: Draft, domain: Records, *, resizable: bool) -> Iterator[Draft]:
    """Yield simpler drafts, boldest first: fewer records, fewer changes, simpler values.

    Each has fewer items or changes, or only simpler values, so that no chain of them is endless.
    """
    common = [i for i in range(len(draft.items)) if i not in draft.positions]
    if resizable:
        width = len(common)
        while width:
            for start in range(0, len(common), width):
                yield draft.without(frozenset(common[start : start + width]))
            width //= 2
    if len(draft.changes) > 1:
        for position, new in draft.changes:
            if new is REMOVED:
                yield draft.without(frozenset([position]))
            else:
                kept = tuple(change for change in draft.changes if change[0] != position)
                yield replace(draft, changes=kept)
    simplest = {i: next(domain.simpler(draft.items[i]), draft.items[i]) for i in common}
    if simplest:
        items = tuple(simplest.get(i, item) for i, item in enumerate(draft.items))
        yield replace(draft, items=items)
    for i, (position, new) in enumerate(draft.changes):
        for value in domain.simpler(draft.items[position]):
            yield draft.having(position, value)
        for value in domain.simpler(new) if domain.contains(new) else ():
            changes = (*draft.changes[:i], (position, value), *draft.changes[i + 1 :])
            yield replace(draft, changes=changes)
    for i in common:
        for value in domain.simpler(draft.items[i]):
            yield draft.having(i, value)
