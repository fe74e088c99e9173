"""A learned score that tells the two datasets' outputs apart (scikit-learn does the learning)."""

from __future__ import annotations

import re
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpaudit.outputs import Columns
from dpaudit.statistical.numerics import Floats, quantile_edges
from dpaudit.statistical.partition import ScorePartition
from dpaudit.statistical.rows import Hashes, label_is, numbers, remembered, row_hashes

MAX_FEATURES = 96
LEAST = 10  # rows a side
BOOST_FROM = 6000  # rows
CLIP = 5.0  # robust standard deviations
FEW = 3  # entries; a sequence of as many is summed up too

_ENTRY = re.compile(r"\[\d+\]")


@dataclass(frozen=True, slots=True, eq=False)
class FeatureMap:
    """Numbers, their distance from the middle, atoms, labels and frequent outcomes as features.

    What depends on all entries of a sequence a little, or on the last of a varying number, takes
    a classifier many draws to learn from the entries: their summaries are features too. Steps from
    one entry to the next, and their signs, are where noise was added before it was summed up.
    """

    entries: tuple[str, ...]
    scales: tuple[tuple[str, float, float], ...]
    atoms: tuple[tuple[str, float], ...]
    words: tuple[tuple[str, str], ...]
    outcomes: Hashes
    steps: tuple[tuple[str, str, float, float], ...] = ()

    def __call__(self, columns: Columns) -> NDArray[np.float64]:
        """Return features, shape (size, features); they are there to be read."""
        return _features(columns, self)


@remembered
def _features(columns: Columns, which: FeatureMap) -> NDArray[np.float64]:
    width = 3 * len(which.scales) + 2 * len(which.steps)
    width += len(which.atoms) + len(which.words) + len(which.outcomes)
    features = np.zeros((columns.size, max(width, 1)), order="F")
    free = iter(features.T)  # columns to write to: several times faster than stacking them
    summed_up = _summaries(columns, which.entries)
    for path, center, scale in which.scales:
        values = summed_up[path] if path in summed_up else numbers(columns, path)
        absent = np.isnan(values)
        # Plain clipping first: a value near the largest float would overflow below.
        z = np.clip(values, center - CLIP * scale, center + CLIP * scale, out=next(free))
        z -= center
        z /= scale
        z[absent] = 0.0
        np.abs(z, out=next(free))
        next(free)[:] = ~absent
    for path, value in which.atoms:
        next(free)[:] = numbers(columns, path) == value
    for path, word in which.words:
        next(free)[:] = label_is(columns, path, word)
    for known in which.outcomes:
        next(free)[:] = row_hashes(columns) == known
    for before, after, center, scale in which.steps:
        z = _step(columns, before, after, center) / scale
        np.clip(z, -CLIP, CLIP, out=next(free))
        np.sign(z, out=next(free))
    return features


def _step(columns: Columns, before: str, after: str, center: float) -> Floats:
    """Return how far the step between two entries is from a center; 0 where one is missing."""
    with np.errstate(over="ignore", invalid="ignore"):
        step = numbers(columns, after) - numbers(columns, before) - center
    return np.where(np.isfinite(step), step, 0.0)


def with_steps(features: FeatureMap, sample: Columns) -> FeatureMap | None:
    """Return features that have the steps between entries too; None where those are no density."""
    steps = []
    for before, after in pairwise(features.entries[: MAX_FEATURES // 2]):
        values = _step(sample, before, after, 0.0)
        low, center, high = np.quantile(values, [0.25, 0.5, 0.75])
        if high > low and len(np.unique(values)) > values.size // 2:
            steps.append((before, after, float(center), float((high - low) / 1.349)))
    return replace(features, steps=tuple(steps)) if steps else None


def feature_map(sample: Columns) -> FeatureMap:
    """Return the features that vary in a sample, at most `MAX_FEATURES` of each kind."""
    scales, atoms = [], []
    entries = tuple(path for path in sample.numbers if _ENTRY.fullmatch(path))
    varying = dict(list(sample.numbers.items())[: MAX_FEATURES // 2])
    varying.update(_summaries(sample, entries))
    for path, values in varying.items():
        finite = values[~np.isnan(values)]
        if not len(finite):
            continue
        low, center, high = np.quantile(finite, [0.25, 0.5, 0.75])
        scale = (high - low) / 1.349
        if not np.isfinite(scale) or scale <= 0:
            scale = float(np.std(np.clip(finite, -1e100, 1e100))) or 1.0
        scales.append((path, float(center), float(scale)))
        repeated, counts = np.unique(finite, return_counts=True)
        often = np.argsort(-counts, kind="stable")[:4]
        if len(repeated) > 8:  # for fewer values thresholds do as well
            atoms += [(path, float(repeated[i])) for i in often if counts[i] >= 3]
    words = []
    for path, (codes, vocabulary) in sample.labels.items():
        seen = np.bincount(codes[codes >= 0], minlength=len(vocabulary))
        often = np.argsort(-seen, kind="stable")[:12]
        words += [(path, vocabulary[code]) for code in often if 3 <= seen[code] < sample.size]
    hashes = row_hashes(sample)
    known, counts = np.unique(hashes, return_counts=True)
    often = np.argsort(-counts, kind="stable")[:32]
    outcomes = np.array([known[i] for i in often if counts[i] >= 8], dtype=np.uint64)
    return FeatureMap(
        entries, tuple(scales), tuple(atoms[:MAX_FEATURES]), tuple(words[:MAX_FEATURES]), outcomes
    )


@remembered
def _summaries(columns: Columns, entries: tuple[str, ...]) -> dict[str, Floats]:
    """Return sum, extremes, place of the greatest, and last of each sequence; NaN where empty."""
    if len(entries) < FEW:
        return {}
    values = np.stack([numbers(columns, path) for path in entries])
    present = ~np.isnan(values)
    some = present.any(axis=0)
    least = np.where(present, values, np.inf).min(axis=0)
    upwards = np.where(present, values, -np.inf)
    last = len(entries) - 1 - present[::-1].argmax(axis=0)
    found = {
        "sum": np.clip(np.where(present, values, 0.0), -1e300, 1e300).sum(axis=0),
        "least": least,
        "greatest": upwards.max(axis=0),
        "place of the greatest": upwards.argmax(axis=0).astype(float),
        "last": values[last, np.arange(columns.size)],
    }
    return {name: np.where(some, summary, np.nan) for name, summary in found.items()}


@dataclass(frozen=True, slots=True, eq=False)
class Score:
    """The decision function of a fitted classifier on the features."""

    features: FeatureMap
    model: Any

    def __call__(self, columns: Columns) -> Floats:
        """Return the score: larger where the right dataset is likelier."""
        return self.of_features(self.features(columns))

    def of_features(self, x: Floats) -> Floats:
        """Return the score of rows of features."""
        from sklearn import config_context

        with _one_thread(), config_context(assume_finite=True):
            return np.asarray(self.model.decision_function(x), dtype=float)


def learned_scores(left: Columns, right: Columns, seed: int) -> list[Score]:
    """Return learned scores: logistic first, then whatever of others predicts better.

    The others are boosting, and a logistic fit to the steps between entries as well.

    Parameters
    ----------
    left, right : Columns
        Past outputs on each dataset.
    seed : int
        Decides the held-out part.
    """
    both = Columns.concat([left, right])
    labels = np.repeat([0, 1], [left.size, right.size])
    if min(left.size, right.size) < LEAST:
        return []
    features = feature_map(both)
    x = features(both)
    with _one_thread():
        scores = [_logistic(features, x, labels)]
        if both.size >= BOOST_FROM:
            held = np.random.default_rng(seed).random(both.size) < 0.3
            linear = _logistic(features, x[~held], labels[~held])
            most = _log_loss(linear, x[held], labels[held])
            boosted = _boosting(features, x[~held], labels[~held], seed)
            if _log_loss(boosted, x[held], labels[held]) < most:
                scores.append(boosted)
            finer = with_steps(features, both)
            if finer is not None:
                y = finer(both)
                stepped = _logistic(finer, y[~held], labels[~held])
                if _log_loss(stepped, y[held], labels[held]) < most:
                    scores.append(stepped)
    return scores


def score_partition(score: Score, sample: Columns, cells: int) -> ScorePartition:
    """Return intervals of a score, by its quantiles in a sample."""
    values = score(sample)
    distinct = np.unique(values)
    if len(distinct) <= cells:  # an edge between any two
        return ScorePartition(score, (distinct[1:] + distinct[:-1]) / 2)
    return ScorePartition(score, quantile_edges(values, cells))


def _logistic(features: FeatureMap, x: Floats, labels: NDArray[np.intp]) -> Score:
    return Score(features, _fitted(x, labels))


def _fitted(x: Floats, labels: NDArray[np.intp]) -> Any:
    import warnings

    from sklearn.exceptions import ConvergenceWarning
    from sklearn.linear_model import LogisticRegression

    model = LogisticRegression(C=1.0, solver="newton-cholesky", max_iter=30)
    with warnings.catch_warnings():  # a score that has not converged is still a score
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(x, labels)


def separating_direction(left: Floats, right: Floats) -> Floats:
    """Return the weights of a logistic fit on plain numbers; larger sums speak for the right."""
    both = np.concatenate([left, right])
    low, center, high = np.quantile(both, [0.25, 0.5, 0.75], axis=0)
    scale = np.where(
        high > low, (high - low) / 1.349, np.where(np.ptp(both, axis=0) > 0, 1.0, np.inf)
    )
    z = np.clip((both - center) / scale, -CLIP, CLIP)
    labels = np.repeat([0, 1], [len(left), len(right)])
    with _one_thread():
        fitted = _fitted(z, labels)
    return np.asarray(fitted.coef_[0] / scale, dtype=float)


def _boosting(features: FeatureMap, x: Floats, labels: NDArray[np.intp], seed: int) -> Score:
    from sklearn.ensemble import HistGradientBoostingClassifier

    model = HistGradientBoostingClassifier(
        max_iter=40, max_leaf_nodes=12, learning_rate=0.1, l2_regularization=1.0, random_state=seed
    )
    return Score(features, model.fit(x, labels))


def _one_thread() -> AbstractContextManager[object]:
    """Keep what scikit-learn runs on to one thread: more spin where cores are shared."""
    limit: AbstractContextManager[object] = _libraries().limit(limits=1)
    return limit


@cache
def _libraries() -> Any:
    import sklearn.ensemble  # noqa: F401  # loads the libraries that are looked for below
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def _log_loss(score: Score, x: Floats, labels: NDArray[np.intp]) -> float:
    z = score.of_features(x)
    return float(np.mean(np.logaddexp(0, np.where(labels == 1, -z, z))))
