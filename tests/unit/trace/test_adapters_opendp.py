"""Releases of OpenDP, where it is installed: `make audit-libraries` runs this."""

import pytest

from dpaudit import AddRemove, PureDP, Real, audit, frozen_noise
from dpaudit.subject import Subject
from dpaudit.trace.draws import UnseenNoiseError
from dpaudit.trace.record import Bench

dp = pytest.importorskip("opendp.prelude", reason="opendp is not installed")
dp.enable_features("contrib")


@pytest.fixture
def measured():
    space = dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float)
    return dp.m.make_laplace(*space, scale=0.5)


def test_a_measurement_is_priced_by_its_own_map(measured):
    with Bench(Subject.of(lambda data: measured(float(data)))) as bench:
        one, two = (bench.run(data, (1,)).noise[0] for data in (3.0, 5.0))
    cost = one.request.price(one.request, two.request)
    assert (cost.pure, cost.shift, cost.scales) == (pytest.approx(4.0), 2.0, None)


def test_a_measurement_takes_no_seed_and_frozen_noise_says_so(measured):
    with pytest.raises(UnseenNoiseError, match="opendp"), frozen_noise(seed=1):
        measured(1.0)


def test_a_scale_that_depends_on_the_data_is_located():
    space = dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float)

    def mean(data):
        size = max(1, len(data))
        noise = dp.m.make_laplace(*space, scale=1.0 / size)
        return noise(float(data.sum() / size))

    neighbors = AddRemove(Real(0, 1), max_size=4)
    report = audit(mean, PureDP(1.0), neighbors, engines=["trace"], max_calls=20_000)
    assert report.findings[0].id == "DPA103"
