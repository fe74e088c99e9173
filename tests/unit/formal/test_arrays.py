"""Arrays as people write them: rows that are shortened, masks, smooth functions, rows by number."""

import pytest

import dpaudit
from dpaudit.checker.pure import is_of_values
from dpaudit.checker.writing import first_output
from tests.proving import is_proved
from tests.sweeps import thinned
from tests.unit.formal.array_programs import FALSE, NUMBERS, PROVED, PURE, law_and_an_order


@pytest.mark.parametrize(("mechanism", "claim", "neighbors"), thinned(PROVED))
def test_arrays_as_people_write_them_are_proved(mechanism, claim, neighbors):
    assert is_proved(mechanism, claim, neighbors)


@pytest.mark.parametrize(("mechanism", "claim", "neighbors"), thinned(FALSE))
def test_a_mistake_about_arrays_is_not_proved(mechanism, claim, neighbors):
    assert not is_proved(mechanism, claim, neighbors)


def test_a_function_of_a_module_is_one_of_values_unless_it_draws_or_changes_a_state():
    for name in ("scipy.special.lambertw", "numpy.linalg.svd", "numpy.fft.rfft", "scipy.linalg.qr"):
        assert is_of_values(name)
    for name in (
        "scipy.linalg.clarkson_woodruff_transform",
        "scipy.special.seterr",
        "scipy.special.errstate",
        "scipy.linalg.get_blas_funcs",
        "numpy.linalg.test",
        "numpy.shares_memory",
        "numpy.random.default_rng",
        "scipy.sparse.linalg.eigs",
        "scipy.stats.norm.rvs",
    ):
        assert not is_of_values(name)


def test_functions_of_scipy_write_to_what_they_overwrite():
    assert first_output("scipy.linalg.inv", method=False) == 1
    assert first_output("numpy.cumsum", method=False) == 3


def test_an_order_of_places_is_no_output():
    report = dpaudit.audit(law_and_an_order, PURE, NUMBERS, engines=["formal"])
    assert report.verdict is dpaudit.Verdict.INCONCLUSIVE
    assert "an output that is not understood" in report.reason
