"""The taxonomy of violations."""

import pytest

from dpaudit.violations import VIOLATIONS, explain


def test_every_id_of_the_design_is_explained():
    ids = [f"DPA{number}" for number in [*range(101, 117), 201]]
    assert list(VIOLATIONS) == ids


@pytest.mark.parametrize("violation", VIOLATIONS.values(), ids=str)
def test_explanation_says_what_why_and_how_to_fix_it(violation):
    text = violation.text()
    for part in (violation.statement, "Why it matters", "Broken", "Fixed", "Remedy"):
        assert part in text
    assert violation.bad != violation.good
    assert max(map(len, text.splitlines())) < 240


def test_violation_is_found_by_id_or_name_in_any_case():
    assert explain("dpa103") is explain("Leaked-Local-Sensitivity") is VIOLATIONS["DPA103"]


def test_unknown_id_is_refused_with_the_closest():
    with pytest.raises(KeyError, match="did you mean DPA103"):
        explain("DPA1033")
