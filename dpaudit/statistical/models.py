"""Fitted classifiers as plain arrays: what scikit-learn learned, without scikit-learn's objects."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpaudit.statistical.numerics import Floats

LEAF = -1


@dataclass(frozen=True, slots=True, eq=False)
class Linear:
    """A linear decision function.

    Attributes
    ----------
    weights : ndarray of float, shape (features,)
    intercept : float
    """

    weights: Floats
    intercept: float

    def decision_function(self, x: Floats) -> Floats:
        """Return the decision function of rows of features."""
        return np.asarray(x @ self.weights + self.intercept, dtype=float)


@dataclass(frozen=True, slots=True, eq=False)
class Boosted:
    """A sum of regression trees, each one row of padded arrays.

    Attributes
    ----------
    base : float
    feature : ndarray of int, shape (trees, nodes)
        That a node looks at; −1 in a leaf.
    threshold, value : ndarray of float, shape (trees, nodes)
    left, right : ndarray of int, shape (trees, nodes)
        Node for what is at most the threshold, and for the rest.
    """

    base: float
    feature: NDArray[np.int64]
    threshold: Floats
    value: Floats
    left: NDArray[np.int64]
    right: NDArray[np.int64]

    def decision_function(self, x: Floats) -> Floats:
        """Return the decision function of rows of features."""
        total = np.full(len(x), self.base)
        for tree in range(len(self.feature)):
            at = np.zeros(len(x), dtype=np.int64)
            inner = np.flatnonzero(self.feature[tree, at] != LEAF)
            while len(inner):
                node = at[inner]
                below = x[inner, self.feature[tree, node]] <= self.threshold[tree, node]
                at[inner] = np.where(below, self.left[tree, node], self.right[tree, node])
                inner = inner[self.feature[tree, at[inner]] != LEAF]
            total += self.value[tree, at]
        return total


def plain_model(model: Any) -> Any:
    """Return a classifier of scikit-learn as plain arrays, anything else as it is.

    Parameters
    ----------
    model : Any
        Fitted to two classes, and to features without missing values.

    Notes
    -----
    Sums are taken in another order, so that the last bits of a score may differ. A partition by a
    score is fixed before the draws that are bet on either way.
    """
    kind = type(model).__name__
    if not type(model).__module__.startswith("sklearn."):
        return model
    if kind == "LogisticRegression":
        return Linear(model.coef_[0].astype(float), float(model.intercept_[0]))
    if kind == "HistGradientBoostingClassifier":
        return _boosted(model)
    return model


def _boosted(model: Any) -> Boosted:
    trees = [predictor.nodes for (predictor,) in model._predictors]
    widest = max((len(nodes) for nodes in trees), default=1)

    def table(name: str, dtype: type) -> NDArray[Any]:
        filled: NDArray[Any] = np.zeros((len(trees), widest), dtype=dtype)
        for row, nodes in zip(filled, trees, strict=True):
            row[: len(nodes)] = nodes[name]
        return filled

    leaves = table("is_leaf", np.int64).astype(bool)
    return Boosted(
        float(np.ravel(model._baseline_prediction)[0]),
        np.where(leaves, LEAF, table("feature_idx", np.int64)),
        table("num_threshold", np.float64),
        table("value", np.float64),
        table("left", np.int64),
        table("right", np.int64),
    )
