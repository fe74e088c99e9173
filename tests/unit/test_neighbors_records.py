"""Record domains: validation, membership, and the values worth trying."""

import math

import numpy as np
import pytest
from hypothesis import strategies as st

from dpaudit.neighbors import AddRemove, Categorical, Integer, Real, Records, Row


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (lambda: Real(1, 0), ValueError, "must not exceed"),
        (lambda: Real(float("nan"), 1), ValueError, "got NaN"),
        (lambda: Real(-math.inf, 1), ValueError, "enforced=False"),
        (lambda: Real(0, 10**400), ValueError, "must be finite"),
        (lambda: Real("0", 1), TypeError, "must be a number"),
        (lambda: Real(False, 1), TypeError, "must be a number"),
        (lambda: Integer(0.5, 1), TypeError, "use Real"),
        (lambda: Integer(2, 1), ValueError, "must not exceed"),
        (lambda: Categorical([]), ValueError, "must not be empty"),
        (lambda: Categorical("abc"), TypeError, "wrap it"),
        (lambda: Categorical(["a", "a"]), ValueError, "differ"),
        (lambda: Categorical([1, None]), ValueError, "allow_missing"),
        (lambda: Categorical([1.0, math.nan]), ValueError, "allow_missing"),
        (lambda: Categorical([[1], [2]]), TypeError, "hashable"),
        (lambda: Categorical(3), TypeError, "list of values"),
        (lambda: Row(), ValueError, "at least one column"),
        (lambda: Row(a=Row(b=Real(0, 1))), TypeError, "flatten"),
        (lambda: Row(a=float), TypeError, "class float"),
        (lambda: AddRemove(Real), TypeError, "write for example Real"),
        (lambda: AddRemove([0, 1]), TypeError, "Hypothesis strategy"),
    ],
)
def test_bad_domains_are_refused_with_fact_value_and_remedy(make, error, words):
    with pytest.raises(error, match=words):
        make()


@pytest.mark.parametrize(
    ("domain", "inside", "outside"),
    [
        (Real(0, 1), [0.0, 0.5, 1.0], [-0.1, 1.1, math.nan, math.inf, None, "0", True]),
        (Real(0, 1, allow_nan=True), [math.nan], [math.inf, None]),
        (Real(0, 1, allow_infinity=True), [math.inf, -math.inf], [math.nan, 2.0]),
        (Real(0, 1, allow_missing=True), [None], [math.nan]),
        (Real(0, 1, enforced=False), [-1e308, 7.0], [math.inf, math.nan]),
        (Integer(0, 3), [0, 3], [4, 1.0, True, None]),
        (Integer(0, 3, enforced=False), [2**63 - 1, -5], [2**63]),
        (Categorical(["a", "b"]), ["a"], ["c", None, 1]),
        (Categorical([0, 1], allow_missing=True), [0, None], [False, 2]),
        (Row(a=Integer(0, 1), b=Real(0, 1)), [(1, 0.5)], [(1,), (2, 0.5), 1]),
    ],
)
def test_membership_follows_the_options(domain, inside, outside):
    assert isinstance(domain, Records)
    assert all(map(domain.contains, inside))
    assert not any(map(domain.contains, outside))


@pytest.mark.parametrize(
    "domain",
    [
        Real(-3, 100),
        Real(0, 1, allow_nan=True, allow_infinity=True, allow_missing=True, enforced=False),
        Real(-1.7e308, 1.7e308, enforced=False),
        Integer(5, 2**62),
        Integer(-(10**40), 10**40),
        Integer(0, 3, allow_missing=True, enforced=False),
        Categorical(["a", "b", "c"], allow_missing=True),
        Row(a=Integer(0, 9), b=Categorical([1, "x"])),
    ],
    ids=str,
)
def test_all_values_a_domain_offers_belong_to_it(domain):
    rng = np.random.default_rng(3)
    marks = domain.landmarks()
    offered = [marks.low, marks.high, *(v for v, _ in (*marks.others, *marks.risky))]
    offered += [*domain.members(20), *(domain.draw(rng) for _ in range(200))]
    offered += [domain.near(value, rng) for value in list(offered)]
    offered += [simple for value in list(offered) for simple in domain.simpler(value)]
    assert all(map(domain.contains, offered))


def test_ranges_that_are_not_enforced_offer_values_far_outside_first():
    risky = [value for value, _ in Real(0, 100, enforced=False).landmarks().risky]
    assert risky[0] < -1e6
    assert risky[1] > 1e6
    assert max(risky) == np.finfo(float).max


@pytest.mark.parametrize(
    ("domain", "text"),
    [
        (Real(0, 100), "Real(0, 100)"),
        (Real(0.5, 1e300, enforced=False), "Real(0.5, 1e+300, enforced=False)"),
        (Integer(-1, 3, allow_missing=True), "Integer(-1, 3, allow_missing=True)"),
        (Categorical(("a", "b")), "Categorical(['a', 'b'])"),
        (Row(x=Real(0, 1), c=Categorical([1])), "Row(x=Real(0, 1), c=Categorical([1]))"),
    ],
)
def test_a_domain_is_written_as_its_constructor_call(domain, text):
    assert str(domain) == repr(domain) == text
    scope = {"Real": Real, "Integer": Integer, "Categorical": Categorical, "Row": Row}
    assert eval(text, scope) == domain


def test_assumptions_name_the_range_only_where_it_is_enforced():
    assert Real(0, 100).assumptions() == ("every record lies in [0, 100] (enforced by the caller)",)
    assert Real(0, 100, enforced=False).assumptions() == ()
    assert Row(age=Integer(0, 9)).assumptions() == (
        "every `age` is an integer in [0, 9] (enforced by the caller)",
    )
    assert Real(0, 1, allow_nan=True).assumptions() == (
        "every record lies in [0, 1] or NaN (enforced by the caller)",
    )


def test_a_strategy_gives_the_same_pairs_every_time():
    def written():
        pairs = AddRemove(st.integers(0, 50), max_size=4).pairs(np.random.default_rng(1))
        return [next(pairs).left.tolist() for _ in range(40)]

    assert written() == written()


def test_a_strategy_without_values_is_refused():
    with pytest.raises(ValueError, match="makes no value"):
        AddRemove(st.nothing())


def test_categories_are_written_with_their_types():
    for text in ("Categorical([1.0, 2.5])", "Categorical([1, 2], allow_missing=True)"):
        assert str(eval(text)) == text
