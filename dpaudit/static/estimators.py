"""Estimators of scikit-learn that learn the domain of the records: ranges, centers, categories."""

from __future__ import annotations

import ast

from dpaudit.static.frames import Frame
from dpaudit.static.values import Value, mixed

LEARNER = "learner"  # the mark of an object that learns the domain of what it is fitted on
FITS = frozenset({"fit", "fit_transform", "fit_predict", "partial_fit"})
_SCALERS = frozenset(
    {
        "StandardScaler", "MinMaxScaler", "MaxAbsScaler", "RobustScaler", "QuantileTransformer",
        "PowerTransformer", "KBinsDiscretizer", "SplineTransformer", "PCA", "TruncatedSVD",
        "SimpleImputer", "KNNImputer", "KMeans", "MiniBatchKMeans", "GaussianMixture",
        "LabelEncoder", "LabelBinarizer", "OrdinalEncoder", "OneHotEncoder", "CountVectorizer",
        "TfidfVectorizer", "SelectKBest", "VarianceThreshold",
    }
)  # fmt: skip
_GIVEN = frozenset({"categories", "vocabulary", "fill_value"})  # a domain that the caller states


def estimator_call(
    frame: Frame,
    node: ast.Call,
    name: str,
    dotted: str,
    receiver: Value | None,
    arguments: tuple[Value, ...],
    keywords: dict[str, Value],
) -> Value | None:
    """Return a learner that a call makes, or what it is after a fit; None of any other call."""
    if dotted.startswith("sklearn."):
        learns = name in _SCALERS and not _GIVEN & set(keywords)
        learns = learns or (name == "make_pipeline" and any(a.has(LEARNER) for a in arguments))
        return Value().marked(LEARNER) if learns else None
    if receiver is None or not receiver.has(LEARNER) or name not in FITS:
        return None
    fitted = mixed((receiver, *arguments, *keywords.values())).marked(LEARNER)
    held = node.func.value if isinstance(node.func, ast.Attribute) else node.func
    if isinstance(held, ast.Name | ast.Attribute):
        frame.names[ast.unparse(held)] = fitted
    return fitted if name in ("fit", "partial_fit") else mixed((receiver, *arguments))
