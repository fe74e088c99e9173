"""A report as JSON."""

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpaudit.evidence import Verdict
from dpaudit.report.indented import indented
from dpaudit.report.json import jsonable
from tests.reporting import ROWS, evidence, inconclusive, not_refuted, refuted, report

FIELDS = {
    "verdict",
    "findings",
    "witness",
    "epsilon",
    "parameter_bound",
    "confidence",
    "detectable_epsilon",
    "detectable_probability",
    "detectable",
    "calls",
    "pairs_tried",
    "pairs_sampled",
    "seconds",
    "alpha_spent",
    "evidence",
    "certificate",
    "mechanism",
    "claim",
    "neighbors",
    "assumptions",
    "seed",
}


@pytest.mark.parametrize(
    "given_report", [refuted(), not_refuted(), inconclusive(), report()], ids=lambda r: str(r)[:12]
)
def test_every_report_is_valid_json_with_all_fields(given_report):
    text = json.dumps(given_report.to_dict(), allow_nan=False)
    read = json.loads(text)
    assert read["schema_version"] == 1
    assert set(read) >= FIELDS
    assert read["verdict"] == given_report.verdict.name


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
        | st.text(),
        lambda held: st.lists(held) | st.dictionaries(st.text(), held) | st.tuples(held, held),
    )
)  # fmt: skip
def test_json_on_lines_is_what_the_standard_library_writes(value):
    assert indented(value) == json.dumps(value, indent=2, allow_nan=False)


def test_keys_that_are_no_texts_are_written_as_texts():
    value = {2: [], 2.5: {}, None: (), True: [True, 1, "a, b"]}
    assert indented(value) == json.dumps(value, indent=2)


@pytest.mark.parametrize("value", [[float("nan")], {"a": float("inf")}, [1, float("-inf")]])
def test_json_on_lines_refuses_what_json_lacks(value):
    with pytest.raises(ValueError, match="not JSON compliant"):
        indented(value)


def test_numbers_that_json_lacks_are_strings():
    assert report().to_dict()["detectable_epsilon"] == "inf"
    strange = report(evidence(Verdict.INCONCLUSIVE, log_e_value=math.nan, epsilon=-math.inf))
    assert strange.to_dict()["evidence"][0]["log_e_value"] == "nan"


def test_what_would_have_been_caught_has_a_row_for_each_probability():
    read = not_refuted(detectable=ROWS).to_dict()["detectable"]
    assert [row["probability"] for row in read] == [0.2, 0.1, 0.001]
    assert read[2]["coupled"] is None
    assert read[2]["most_coupled"] == 2.5


def test_finding_and_witness_carry_datasets_that_can_be_rebuilt():
    read = refuted().to_dict()
    found = read["findings"][0]
    assert (found["id"], found["also"], found["line"]) == ("DPA103", ["DPA105"], 12)
    assert found["related"] == [{"file": "shop/release.py", "line": 13, "what": "noise"}]
    assert read["witness"]["event"] == {"words": "output > 1.5", "source": "output > 1.5"}
    assert read["witness"]["counts"]["left_calls"] == 1_000
    rebuilt = eval(read["witness"]["left"]["source"], {"np": np})
    np.testing.assert_array_equal(rebuilt, np.array([3.0, 3.0]))


def test_numpy_values_sets_and_deep_values_become_plain():
    value = {
        "array": np.array([1.0, np.nan]),
        "number": np.float64(0.5),
        "count": np.int64(3),
        "flag": np.bool_(True),
        "set": {1},
        2: b"bytes",
    }
    assert jsonable(value) == {
        "array": [1.0, "nan"],
        "number": 0.5,
        "count": 3,
        "flag": True,
        "set": [1],
        "2": "b'bytes'",
    }
    endless: list[object] = []
    endless.append(endless)
    json.dumps(jsonable(endless))
