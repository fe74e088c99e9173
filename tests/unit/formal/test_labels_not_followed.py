"""Numbers of groups whose labels are not followed any more: the reason says what is missing."""

import pytest

from dpaudit import AddRemove, Categorical, PureDP, Real, Row, audit
from tests.proving import is_proved

CITIES = AddRemove(
    Row(city=Categorical(["a", "b"]), income=Real(0, 9)), container="pandas", max_size=9
)


def clipped_first(data, rng):  # where no one is there 0 stays, below the range
    sums = data.groupby("city")["income"].sum().clip(lower=1).reindex(["a", "b"], fill_value=0)
    return sums.to_numpy() + rng.laplace(scale=9, size=2)


def of_medians(data, rng):
    medians = data.groupby("city")["income"].median().reindex(["a", "b"], fill_value=0)
    return medians.to_numpy() + rng.laplace(scale=9, size=2)


def in_order(data, rng):
    sums = data.groupby("city")["income"].sum().reindex(["a", "b"], fill_value=0).clip(lower=0)
    return sums.to_numpy() + rng.laplace(scale=9, size=2)


@pytest.mark.parametrize("mechanism", [clipped_first, of_medians])
def test_reindex_is_refused_with_what_is_missing(mechanism):
    reason = audit(mechanism, PureDP(1.0), CITIES, engines=["formal"]).evidence[0].reason
    assert "`reindex` of numbers whose labels are not followed" in reason


def test_reindex_of_the_sums_themselves_is_proved():
    assert is_proved(in_order, PureDP(1.0), CITIES)
