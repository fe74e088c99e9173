"""What would have been detected: the streams that are counted, and the grid."""

import numpy as np
import pytest

import dpaudit
from dpaudit.evidence import Detectable
from dpaudit.report.caught import size, table_rows
from dpaudit.report.numbers import lower, upper
from dpaudit.statistical.bandit import Outlook
from dpaudit.statistical.detection import PLANTED


def laplace(data, rng):
    return float(sum(data) + rng.laplace())


def leak(data, rng):
    """Epsilon 2 on an event of probability .05, else the same outputs."""
    if rng.random() < 0.05 * np.exp(-2.0 * data[0]):
        return "leak"
    return float(rng.normal())


def audited(mechanism):
    pair = dpaudit.Pairs([([0.0], [1.0])])
    given = {"engines": ["statistical"], "alpha": 0.05, "max_calls": 20_000, "seed": 1}
    return dpaudit.audit(mechanism, dpaudit.PureDP(1.0), pair, **given)


def test_labels_are_counted_where_coupled_draws_are_too_few(monkeypatch):
    """Luck may promise so much of labels that they get nearly all calls."""
    monkeypatch.setattr(Outlook, "promised", lambda *_: 1e9)
    rows = {row.probability: row for row in audited(laplace).detectable}
    assert rows[0.1].coupled < 1.6
    assert rows[0.1].independent < 1.6
    assert rows[0.05].independent < 2.0  # and `leak` is caught
    assert audited(leak).verdict is dpaudit.Verdict.REFUTED


def test_the_grid_is_of_hundredths():
    assert np.diff(PLANTED[:-1]) == pytest.approx(0.01)


def test_every_place_shows_the_same_figure():
    for value in np.arange(101, 1000) / 100:
        assert float(upper(value)) == float(lower(value)) == value
        assert size(value) == upper(value)
    row = Detectable(0.1, 1.58, 5.41, None, 10.25)
    assert table_rows([row]) == [("0.1", "1.58", "5.41", "none", "10.3")]
