"""Ranges, centers and categories that an estimator learns from the data."""

from __future__ import annotations

from collections.abc import Iterator

from dpaudit.static.estimators import FITS, LEARNER
from dpaudit.static.facts import Facts
from dpaudit.static.rule import Hit, Rule


def look(facts: Facts) -> Iterator[Hit]:
    """Yield fits of scalers, cluster centers and encoders on private records.

    A fit in each round of a loop is left alone: it may be one on each part of the records.
    """
    if not facts.released:
        return
    for call in facts.calls:
        if call.name not in FITS or call.receiver is None or not call.receiver.has(LEARNER):
            continue
        given = (*call.arguments[:1], *(v for k, v in call.keywords.items() if k == "X"))
        if any("records" in facts.private(v.tells) and not v.loops for v in given):
            said = "an estimator learns ranges, centers or categories from the data"
            yield Hit(call.place, said)


RULE = Rule(
    "DPA109",
    "learned-from-data",
    "A scaler, a clustering or an encoder of scikit-learn is fitted on the records themselves.",
    bad="""\
from sklearn.preprocessing import MinMaxScaler

def noisy_total(data, rng, epsilon=1.0):
    scaled = MinMaxScaler().fit_transform(data)
    return scaled.sum() + rng.laplace(scale=1 / epsilon)
""",
    good="""\
from sklearn.preprocessing import MinMaxScaler

def noisy_total(data, rng, public_sample=((0.0,), (9.0,)), epsilon=1.0):
    scaled = np.fmin(np.fmax(MinMaxScaler().fit(public_sample).transform(data), 0), 1)
    return scaled.sum() + rng.laplace(scale=1 / epsilon)
""",
    look=look,
    also=("DPA103", "DPA104", "DPA105"),
)
