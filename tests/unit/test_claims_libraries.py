"""Claims read from what libraries say of themselves, by the real ones where they are installed."""

from types import SimpleNamespace

import pytest

from dpaudit import ApproxDP, PureDP, ZeroConcentratedDP
from dpaudit.claims import from_accountant, from_diffprivlib, from_opendp


@pytest.mark.parametrize(
    ("measure", "said", "claim"),
    [
        ("MaxDivergence", 0.5, PureDP(0.5)),
        ("ZeroConcentratedDivergence", 0.125, ZeroConcentratedDP(0.125)),
        ("Approximate(MaxDivergence)", (2.0, 1e-6), ApproxDP(2.0, 1e-6)),
        ("Approximate(MaxDivergence)", (2.0, 0.0), PureDP(2.0)),
    ],
)
def test_measure_of_opendp_says_which_claim_it_is(measure, said, claim):
    asked = []
    fake = SimpleNamespace(output_measure=measure, map=lambda d: asked.append(d) or said)
    assert from_opendp(fake, 3) == claim
    assert asked == [3]


def test_measure_without_a_claim_is_refused_with_what_to_do():
    fake = SimpleNamespace(output_measure="SmoothedMaxDivergence", map=lambda d: object())
    with pytest.raises(ValueError, match="make_fix_delta"):
        from_opendp(fake, 1)


def test_what_says_nothing_is_refused():
    for read in (lambda x: from_opendp(x, 1), from_diffprivlib, lambda x: from_accountant(x, 0.1)):
        with pytest.raises(TypeError, match="give a"):
            read(object())


def test_epsilon_delta_and_total_of_diffprivlib_are_read():
    assert from_diffprivlib(SimpleNamespace(epsilon=1.0)) == PureDP(1.0)
    assert from_diffprivlib(SimpleNamespace(epsilon=1.0, delta=1e-5)) == ApproxDP(1.0, 1e-5)
    spent = SimpleNamespace(epsilon=9.0, total=lambda: (1.5, 0.0))
    assert from_diffprivlib(spent) == PureDP(1.5)


def test_opendp_itself():
    dp = pytest.importorskip("opendp.prelude", reason="opendp is not installed")
    dp.enable_features("contrib")
    space = dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float)
    assert from_opendp(dp.m.make_laplace(*space, scale=2.0), 1.0) == PureDP(0.5)
    gaussian = dp.m.make_gaussian(*space, scale=2.0)
    assert from_opendp(gaussian, 1.0) == ZeroConcentratedDP(0.125)
    fixed = dp.c.make_fix_delta(dp.c.make_zCDP_to_approxDP(gaussian), 1e-6)
    assert from_opendp(fixed, 1.0) == ApproxDP(*fixed.map(1.0))


def test_diffprivlib_itself():
    mechanisms = pytest.importorskip("diffprivlib.mechanisms", reason="it is not installed")
    assert from_diffprivlib(mechanisms.Laplace(epsilon=0.5, sensitivity=1)) == PureDP(0.5)
    gaussian = mechanisms.Gaussian(epsilon=0.5, delta=1e-5, sensitivity=1)
    assert from_diffprivlib(gaussian) == ApproxDP(0.5, 1e-5)


def test_accountant_of_dp_accounting_itself():
    dp = pytest.importorskip("dp_accounting", reason="dp-accounting is not installed")
    accountant = dp.pld.PLDAccountant()
    accountant.compose(dp.LaplaceDpEvent(2.0))
    claim = from_accountant(accountant, 1e-6)
    assert isinstance(claim, ApproxDP)
    assert 0.49 < claim.epsilon < 0.51
