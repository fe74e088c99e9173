"""What scikit-learn learns from private records is found; what it learns from others is not."""

from __future__ import annotations

import pytest

from dpaudit.static.lint import lint

HEAD = """
import numpy as np
import sklearn.preprocessing as pp
from sklearn.cluster import KMeans
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, Normalizer, OneHotEncoder, StandardScaler

class Model:
    def __init__(self):
        self.scaler = StandardScaler()
    def total(self, data, rng):
        self.scaler.fit(data)
        z = np.clip(self.scaler.transform(data), -1, 1)
        return z.sum() + rng.laplace(scale=2.0)

def release(data, rng, sample=None, epsilon=1.0):
    {body}
    return np.clip(z, -1, 1).sum() + rng.laplace(scale=2 / epsilon)
"""
LEARNED = [
    "z = StandardScaler().fit_transform(data)",
    "z = pp.MinMaxScaler((0, 1)).fit(data).transform(data)",
    "scaler = MinMaxScaler()\n    scaler.fit(data)\n    z = scaler.transform(data)",
    "z = OneHotEncoder().fit_transform(data)",
    "z = KMeans(n_clusters=3, n_init=1).fit_predict(data)",
    "z = make_pipeline(StandardScaler(), Normalizer()).fit_transform(data)",
    "return Model().total(data, rng)",
    "z = (data - data.mean(axis=0)) / data.std(axis=0)",
    "sd = np.maximum(np.std(data), 1e-9)\n    z = (data - np.mean(data)) / sd",
    "sd = data.std() + 1e-9\n    z = [(x - 3) / sd for x in data]",
]
GIVEN = [
    "z = StandardScaler().fit(sample).transform(data)",
    "z = MinMaxScaler().fit([[0.0], [100.0]]).transform(data)",
    "z = OneHotEncoder(categories=[['a', 'b']]).fit_transform(data)",
    "z = Normalizer().fit_transform(data)",
    "noisy = data + rng.laplace(scale=1 / epsilon, size=len(data))\n"
    "    z = StandardScaler().fit_transform(noisy)",
    "model = LogisticRegression(C=0.1).fit(data, sample)\n"
    "    return model.coef_ + rng.laplace(scale=1 / epsilon)",
    "z = np.array([KMeans(1).fit(part).cluster_centers_ for part in np.array_split(data, 9)])",
    "z = (data - 50) / np.std(sample)",
]


def domains(tmp_path, body):
    path = tmp_path / "release.py"
    path.write_text(HEAD.format(body=body))
    found = [f for f in lint([path]).findings if f.message.startswith("release")]
    return [f.message for f in found if f.id == "DPA109" and f.level == "error"]


@pytest.mark.parametrize("body", LEARNED)
def test_what_is_learned_from_private_records_is_found(tmp_path, body):
    assert domains(tmp_path, body)


@pytest.mark.parametrize("body", GIVEN)
def test_what_is_learned_from_others_has_no_error(tmp_path, body):
    assert not domains(tmp_path, body)


def test_what_a_fitted_object_holds_is_private(tmp_path):
    path = tmp_path / "release.py"
    body = (
        "scaler = MinMaxScaler()\n    scaler.fit(data)\n    return scaler.data_min_, rng.laplace()"
    )
    path.write_text(HEAD.format(body=body))
    assert "DPA101" in {f.id for f in lint([path]).findings if f.level == "error"}
