"""Groups of rows, frames as arrays, sets of records and public orders in proofs by cost."""

import pytest

from dpaudit import Verdict, verify
from dpaudit.formal.cost import prove_by_cost
from dpaudit.formal.lift import lift
from dpaudit.formal.unsupported import Unsupported
from dpaudit.subject import Subject
from tests.sweeps import thinned
from tests.unit.formal import table_programs as programs


def _named(cases):
    return [pytest.param(*case, id=case[0].__name__) for case in cases]


@pytest.mark.parametrize(("mechanism", "claim", "neighbors"), thinned(_named(programs.SOUND)))
def test_a_table_that_is_used_soundly_is_proved(mechanism, claim, neighbors):
    assert prove_by_cost(lift(Subject.of(mechanism)), claim, neighbors)


@pytest.mark.parametrize(("mechanism", "claim", "neighbors"), thinned(_named(programs.BROKEN)))
def test_a_table_that_costs_more_than_claimed_is_not_proved(mechanism, claim, neighbors):
    with pytest.raises(Unsupported):
        prove_by_cost(lift(Subject.of(mechanism)), claim, neighbors)


@pytest.mark.parametrize(
    "name", ["capped_total_of_users", "users_in_a_loop", "columns_as_an_array", "sorted_release"]
)
def test_a_proof_about_a_table_survives_the_analysis_of_floats(name):
    cases = {case[0].__name__: case for case in programs.SOUND}
    assert verify(*cases[name]).verdict is Verdict.VERIFIED
