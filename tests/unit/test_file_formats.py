"""Files that dpaudit writes as JSON have the fields that their schema and the page of it name."""

import copy
import json

import jsonschema
import pytest

import dpaudit
from dpaudit.checker.file import KINDS
from tests.reporting import inconclusive, run_of
from tests.stored_runs import declared, hostile, linted
from tools.file_formats import SCHEMA, formats_page

WRITTEN = json.loads(SCHEMA.read_text(encoding="utf-8"))


def closed():
    """Return the schema in which no other fields may be: each must be described."""
    schema = copy.deepcopy(WRITTEN)
    for each in schema["$defs"].values():
        if "properties" in each:
            each["additionalProperties"] = False
    return schema


def faults(kind, value, schema=None):
    of_kind = {**(schema or closed()), "anyOf": [{"$ref": f"#/$defs/{kind}"}]}
    return [error.message for error in jsonschema.Draft202012Validator(of_kind).iter_errors(value)]


def test_schema_is_one():
    jsonschema.Draft202012Validator.check_schema(WRITTEN)


@pytest.mark.parametrize(
    "run", [declared(), hostile(), run_of(("a::b", inconclusive(), "NOT_REFUTED"))]
)
def test_results_of_a_run_have_the_described_fields_alone(run):
    assert faults("run", json.loads(json.dumps(run))) == []


def test_findings_of_the_linter_have_the_described_fields_alone():
    assert faults("lint", linted()) == []


def test_certificate_has_the_described_fields_alone():
    from mechanisms.laplace import laplace

    near = dpaudit.QueryAnswers(1)
    report = dpaudit.verify(laplace, dpaudit.PureDP(1.0), near)
    assert faults("certificate", report.certificate.to_dict()) == []
    assert sorted(WRITTEN["$defs"]["certificate"]["properties"]["kind"]["enum"]) == sorted(KINDS)


@pytest.mark.parametrize("kind", ["run", "lint"])
def test_missing_added_or_mistyped_field_is_noticed(kind):
    value = json.loads(json.dumps(declared())) if kind == "run" else linted()
    without = {name: each for name, each in value.items() if name != "failures"}
    assert faults(kind, without)
    assert faults(kind, {**value, "more": 1})
    assert not faults(kind, {**value, "more": 1}, WRITTEN), "fields are only ever added"
    assert faults(kind, {**value, "exit_code": 7})


def test_page_has_every_field():
    page = formats_page()
    for name, each in WRITTEN["$defs"].items():
        if name not in {"excerpt", "dataset", "failure"}:
            for field in each.get("properties", ()):
                assert f"| `{field}` |" in page, (name, field)
