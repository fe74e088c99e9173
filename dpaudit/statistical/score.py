"""A learned score that tells the two datasets' outputs apart (scikit-learn does the learning)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpaudit.outputs import Columns
from dpaudit.statistical.numerics import Floats, quantile_edges
from dpaudit.statistical.partition import ScorePartition
from dpaudit.statistical.rows import Hashes, label_is, numbers, row_hashes

MAX_FEATURES = 96
LEAST = 10  # rows a side
BOOST_FROM = 6000  # rows
CLIP = 5.0  # robust standard deviations


@dataclass(frozen=True, slots=True, eq=False)
class FeatureMap:
    """Numbers, their distance from the middle, atoms, labels and frequent outcomes as features."""

    scales: tuple[tuple[str, float, float], ...]
    atoms: tuple[tuple[str, float], ...]
    words: tuple[tuple[str, str], ...]
    outcomes: Hashes

    def __call__(self, columns: Columns) -> NDArray[np.float64]:
        """Return features, shape (size, features)."""
        made: list[Floats] = []
        for path, center, scale in self.scales:
            values = numbers(columns, path)
            present = ~np.isnan(values)
            # Plain clipping first: a value near the largest float would overflow below.
            bounded = np.clip(values, center - CLIP * scale, center + CLIP * scale)
            z = np.where(present, (bounded - center) / scale, 0.0)
            made += [z, np.where(present, np.abs(z), 0.0), present.astype(float)]
        made += [(numbers(columns, path) == value).astype(float) for path, value in self.atoms]
        made += [label_is(columns, path, word).astype(float) for path, word in self.words]
        hashes = row_hashes(columns) if len(self.outcomes) else None
        made += [(hashes == known).astype(float) for known in self.outcomes]
        return np.stack(made, axis=1) if made else np.zeros((columns.size, 1))


def feature_map(sample: Columns) -> FeatureMap:
    """Return the features that vary in a sample, at most `MAX_FEATURES` of each kind."""
    scales, atoms = [], []
    for path in list(sample.numbers)[: MAX_FEATURES // 2]:
        values = sample.numbers[path]
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
        tuple(scales), tuple(atoms[:MAX_FEATURES]), tuple(words[:MAX_FEATURES]), outcomes
    )


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
        return np.asarray(self.model.decision_function(x), dtype=float)


def learned_scores(left: Columns, right: Columns, seed: int) -> list[Score]:
    """Return learned scores: logistic first, boosting where it predicts better.

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
            boosted = _boosting(features, x[~held], labels[~held], seed)
            if _log_loss(boosted, x[held], labels[held]) < _log_loss(linear, x[held], labels[held]):
                scores.append(boosted)
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


def _one_thread() -> Any:
    from threadpoolctl import threadpool_limits

    return threadpool_limits(1)


def _log_loss(score: Score, x: Floats, labels: NDArray[np.intp]) -> float:
    z = score.of_features(x)
    return float(np.mean(np.logaddexp(0, np.where(labels == 1, -z, z))))
