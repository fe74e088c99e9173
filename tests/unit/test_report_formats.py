"""What a run and the linter found, as SARIF, JUnit XML, GitHub annotations and Markdown."""

import base64
import hashlib
import html
import json
import re
import shlex
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import jsonschema
import numpy as np
import pytest

from dpaudit.collect import CollectionFailure
from dpaudit.report.audited import replay
from dpaudit.report.formats import LINT_FORMATS, RUN_FORMATS, format_of, known_run, render
from dpaudit.report.junit import properties
from tests.reporting import evidence, finding, refuted, run_of
from tests.stored_runs import HOSTILE, declared, hostile, linted

# SARIF 2.1.0-rtm.5 as SchemaStore publishes it; © Microsoft Corporation, MIT license.
SCHEMA = Path(__file__).parents[1] / "golden" / "sarif-2.1.0-rtm.5.json"

RUNS = {"declared": declared, "hostile": hostile, "empty": run_of}
LINTS = {"found": linted, "hostile": lambda: linted(HOSTILE, file=HOSTILE, id=HOSTILE)}


def sarif(run):
    return json.loads(render(run, "sarif"))["runs"][0]


def logs():
    yield from (pytest.param(render(make(), "sarif"), id=name) for name, make in RUNS.items())
    yield from (
        pytest.param(LINT_FORMATS["sarif"](make()), id=f"lint-{name}")
        for name, make in LINTS.items()
    )


@pytest.mark.parametrize("text", [*logs()])
def test_sarif_is_valid_against_the_published_schema(text):
    jsonschema.Draft4Validator(json.loads(SCHEMA.read_text())).validate(json.loads(text))


@pytest.mark.parametrize("text", [*logs()])
def test_every_result_has_what_code_scanning_wants(text):
    run = json.loads(text)["runs"][0]
    rules = run["tool"]["driver"]["rules"]
    assert len({rule["id"] for rule in rules}) == len(rules)
    for rule in rules:
        assert 0 < len(rule["fullDescription"]["text"]) <= 1024
        assert rule["help"]["text"]
    marks = [result["partialFingerprints"]["dpaudit/v1"] for result in run["results"]]
    assert len(set(marks)) == len(marks)
    for result in run["results"]:
        assert result["message"]["text"]
        assert result["level"] in ("error", "warning")
        if "ruleIndex" in result:
            assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        [place] = result["locations"]
        steps = [s["location"] for f in result.get("codeFlows", ()) for t in f["threadFlows"]
                 for s in t["locations"]]  # fmt: skip
        for each in (place, *result.get("relatedLocations", ()), *steps):
            physical = each["physicalLocation"]
            assert physical["region"]["startLine"] >= 1
            uri = physical["artifactLocation"]["uri"]
            assert re.fullmatch(r"(?!/)(?!\.\.)(?:[\w./~-]|%[0-9A-F]{2})+", uri), uri


def test_sarif_tells_what_is_accepted_what_is_missed_and_what_died():
    run = sarif(declared(failures=(CollectionFailure("audits/odd.py", "is odd (line 7)"),)))
    found = {r["ruleId"]: r for r in run["results"] if "suppressions" not in r}
    assert set(found) == {"DPA103", "unexpected-verdict", "incomplete-audit", "unusable-file"}
    [known] = [r for r in run["results"] if "suppressions" in r]
    assert known["suppressions"][0]["kind"] == "external"
    assert "expected REFUTED, got NOT REFUTED" in found["unexpected-verdict"]["message"]["text"]
    place = found["unusable-file"]["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "audits/odd.py"
    assert place["region"]["startLine"] == 7
    [invocation] = run["invocations"]
    assert invocation["executionSuccessful"] is False
    assert len(invocation["toolExecutionNotifications"]) == 2


def test_cause_noise_and_output_are_a_code_flow():
    [result] = sarif(run_of(("audits/shop.py::leak", refuted(), "NOT_REFUTED")))["results"]
    [flow] = result["codeFlows"]
    lines = [
        step["location"]["physicalLocation"]["region"]["startLine"]
        for step in flow["threadFlows"][0]["locations"]
    ]
    assert lines == [12, 13]


def test_result_without_a_line_is_at_the_definition_else_in_the_audit_file():
    def place(made):
        run = run_of(("audits/shop.py::leak", made, "NOT_REFUTED"))
        physical = sarif(run)["results"][0]["locations"][0]["physicalLocation"]
        return physical["artifactLocation"]["uri"], physical["region"]["startLine"]

    unlocated = refuted(findings=(finding(file=None, line=None, related=()),))
    assert place(unlocated) == ("shop/release.py", 10)
    foreign = "/usr/lib/python3/site-packages/opendp/measure.py"
    assert place(replace(unlocated, file=foreign)) == ("audits/shop.py", 1)


def test_fingerprint_is_kept_when_lines_move_and_changed_with_the_line(tmp_path, monkeypatch):
    (tmp_path / "pyproject.toml").write_text("")
    monkeypatch.chdir(tmp_path)

    def mark(name, text, line):
        (tmp_path / name).mkdir()
        file = tmp_path / name / "release.py"
        file.write_text(text)
        made = refuted(findings=(finding(file=str(file), line=line, related=()),))
        run = json.dumps(run_of(("audits/shop.py::leak", made, "NOT_REFUTED")))
        [result] = sarif(json.loads(run.replace(f"{name}/release.py", "release.py")))["results"]
        place = result["locations"][0]["physicalLocation"]
        assert place["artifactLocation"]["uri"] == "release.py"
        return result["partialFingerprints"]

    first = mark("one", "a = 1\nscale = data.max()\n", 2)
    assert mark("two", "a = 1\nscale = sum(data)\n", 2) != first
    assert mark("three", "import x\n\n\na = 1\n  scale = data.max()\n", 5) == first


@pytest.mark.parametrize("odd", [None, True, 1, "", "x", "ok", "verified", [], {}, ["OK"]])
@pytest.mark.parametrize("part", ["status", "report", "verdict"])
def test_a_run_whose_audits_do_not_say_how_they_ended_is_no_run(part, odd):
    """Else a comparison calls an audit that lost its proof no worse."""
    run = json.loads(json.dumps(declared()))
    [proved, *_] = [a for a in run["audits"] if a["report"] is not None]
    (proved["report"] if part == "verdict" else proved)[part] = odd
    with pytest.raises(ValueError, match="has no status and verdict"):
        known_run(run)
    del (proved["report"] if part == "verdict" else proved)[part]
    with pytest.raises(ValueError, match="has no status and verdict"):
        known_run(run)


@pytest.mark.parametrize("place", ["report", "finding"])
@pytest.mark.parametrize("value", [HOSTILE, "\x00", "\x1b[31m", "\ud800", "\u202e"])
def test_junit_is_xml_where_a_line_is_a_text(place, value):
    """A run that somebody else made holds any type anywhere."""
    run = json.loads(json.dumps(declared()))
    for audit in run["audits"]:
        report = audit["report"] or {"findings": []}
        for each in [report] if place == "report" else report["findings"]:
            each["line"] = value
    try:
        text = render(run, "junit")
    except ValueError:
        return
    ElementTree.fromstring(text)
    assert value not in text


def test_junit_counts_failures_errors_and_names_what_is_known():
    root = ElementTree.fromstring(render(declared(), "junit"))
    assert {k: root.get(k) for k in ("tests", "failures", "errors")} == {
        "tests": "5",
        "failures": "2",
        "errors": "1",
    }
    cases = {case.get("name"): case for case in root.iter("testcase")}
    leak = cases["leak"]
    known = {p.get("name"): p.get("value") for p in leak.iter("property")}
    assert set(known) == set(properties(declared()["audits"][0]))
    assert {name.rpartition(".")[0] for name in known} == {"dpaudit"}
    assert known["dpaudit.verdict"] == "REFUTED"
    assert 4.56 <= float(known["dpaudit.epsilon"]) < 4.57
    assert known["dpaudit.calls"] == "200000"
    assert known["dpaudit.alpha_spent"] == "1e-06"
    said = leak.find("failure").text
    for part in ("DPA103", "shop/release.py:12", "900/1,000", "replay: dpaudit run"):
        assert part in said
    assert cases["fine"].find("failure") is None
    assert cases["dead"].find("error").get("message") == "the worker died"


@pytest.mark.parametrize("form", ["html", "github", "markdown"])
def test_people_read_not_refuted_in_one_wording(form):
    text = render(declared(), form)
    assert "NOT REFUTED" in text
    assert "NOT_REFUTED" not in text


def test_annotations_name_errors_first_and_nothing_that_is_expected():
    lines = render(declared(), "github").splitlines()
    assert lines[0].startswith("::error file=shop/release.py,line=12,title=DPA103 leaked-local")
    assert len(lines) == 3
    assert not any("known" in line for line in lines)


def test_markdown_shows_what_is_wrong_and_folds_the_rest():
    text = render(declared(), "markdown")
    head, _, rest = text.partition("<details>")
    assert "## dpaudit: 5 audits: 2 as expected, 2 UNEXPECTED, 1 could not be completed" in head
    assert "### UNEXPECTED: `audits/shop.py::leak`" in head
    assert "audits/shop.py::fine" not in head
    assert "`audits/shop.py::fine`" in rest


@pytest.mark.parametrize("form", ["html", "markdown"])
def test_people_read_what_to_do_next(form):
    run = declared()
    shown = render(run, form)
    steps = run["audits"][0]["report"]["next"]
    assert run["audits"][0]["status"] == "UNEXPECTED"
    assert steps
    assert "Next" in shown
    for step in steps:
        assert html.escape(step) in html.escape(html.unescape(shown)), step


@pytest.mark.parametrize("form", ["html", "markdown"])
def test_runs_that_were_stored_without_next_steps_are_shown(form):
    run = declared()
    for audit in run["audits"]:
        if audit["report"]:
            del audit["report"]["next"]
    assert "Next" not in render(run, form)


def test_summary_of_a_huge_run_fits_where_it_is_shown():
    run = run_of(("audits/shop.py::leak", refuted(), "NOT_REFUTED"))
    run["audits"] = run["audits"] * 5_000
    assert len(render(run, "markdown").encode()) < 1024 * 1024


@pytest.mark.parametrize("form", sorted(RUN_FORMATS))
@pytest.mark.parametrize("name", RUNS)
def test_no_format_holds_a_control_character(form, name):
    text = render(RUNS[name](), form)
    text.encode("utf-8")  # no lone surrogates
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202e]", text)


@pytest.mark.parametrize("form", sorted(LINT_FORMATS))
def test_no_format_of_the_linter_holds_a_control_character(form):
    text = LINT_FORMATS[form](LINTS["hostile"]())
    text.encode("utf-8")
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202e]", text)


def test_hostile_texts_make_no_annotation_of_their_own():
    lines = render(hostile(), "github").splitlines()
    assert all(re.match(r"::(error|warning) file=[^,:]*,line=\d+,title=", line) for line in lines)
    for line in lines:
        properties, _, message = line[2:].partition("::")
        assert properties.count(",") == 2
        assert "%250A" in message  # the per cent sign is data


def test_hostile_texts_stay_texts_in_xml():
    root = ElementTree.fromstring(render(hostile(), "junit"))
    tags = {element.tag for element in root.iter()}
    assert tags <= {"testsuites", "testsuite", "testcase", "properties", "property", "failure",
                    "error", "skipped"}  # fmt: skip


class _Elements(HTMLParser):
    """Remembers elements, and attributes that run or load something."""

    def __init__(self):
        super().__init__()
        self.tags, self.running = [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.running += [a for a in attrs if a[0].startswith("on") or a[0] in ("src", "style")]
        self.running += [a for a in attrs if a[0] == "href" and not a[1].startswith("#")]


@pytest.mark.parametrize("text", [render(hostile(), "html"), LINT_FORMATS["html"](linted(HOSTILE))])
def test_hostile_texts_make_no_element_and_no_attribute_of_html(text):
    elements = _Elements()
    elements.feed(text)
    assert elements.tags.count("script") == elements.tags.count("style") == 1
    assert "img" not in elements.tags
    assert elements.running == []


def test_html_allows_its_own_style_and_script_alone():
    text = render(declared(), "html")
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)[1]
    assert policy.startswith("default-src &#39;none&#39;")
    assert "unsafe" not in policy
    for name in ("style", "script"):
        body = re.search(rf"<{name}>(.*?)</{name}>", text, re.S)[1]
        digest = base64.b64encode(hashlib.sha256(body.encode()).digest()).decode()
        assert f"{name}-src &#39;sha256-{digest}&#39;" in policy
    assert not re.search(r"https?://|url\(|@import", text)


def test_hostile_texts_stay_code_in_markdown():
    text = render(hostile(), "markdown")
    outside = re.sub(r"`[^`\n]*`|<code>[\w &#;]*</code>", "", text)
    for bad in ("script", "onerror", "evil", "@all", "</code>", "]("):
        assert bad not in outside
    for line in text.splitlines():
        if line.startswith("| ") and "---" not in line:
            assert line.count("|") == 9


def test_sarif_messages_hold_no_link_and_no_placeholder():
    for result in sarif(hostile())["results"]:
        assert "](" not in result["message"]["text"]
        assert "{0}" not in result["message"]["text"]


def test_comment_that_ignores_is_a_suppression_in_the_source():
    run = json.loads(LINT_FORMATS["sarif"](linted()))["runs"][0]
    aside = [r for r in run["results"] if "suppressions" in r]
    assert [r["suppressions"][0]["kind"] for r in aside] == ["inSource"]
    assert run["automationDetails"]["id"] == "dpaudit/lint/"


@pytest.mark.parametrize(
    ("run", "message"),
    [
        ([], "it is no run"),
        ({"audits": []}, "schema_version is None"),
        ({"audits": [{}], "schema_version": 1}, "missing or misshapen"),
        ({"audits": [3], "schema_version": 1, "dpaudit": ""}, "missing or misshapen"),
    ],
)
def test_file_that_is_no_run_is_refused_with_a_remedy(run, message):
    with pytest.raises(ValueError, match=message):
        render(run, "sarif")


def test_format_goes_by_the_name_of_the_file():
    assert format_of("a/b.SARIF") == "sarif"
    assert format_of("x.sarif.json") == "sarif"
    assert format_of("junit.xml") == "junit"
    assert format_of("run.json") is None


def test_numbers_that_json_lacks_do_not_stop_a_format():
    odd = refuted(epsilon=np.inf, log_e_value=np.inf, detectable_epsilon=np.inf, calls=0)
    for form in RUN_FORMATS:
        render(run_of(("audits/shop.py::leak", odd, "NOT_REFUTED")), form)
        render(run_of(("a", replace(odd, evidence=(evidence(None),)), "REFUTED")), form)


@pytest.mark.parametrize(
    ("neighbors", "options"),
    [
        ("AddRemove(Real(0, 1))", "--neighbors 'AddRemove(Real(0, 1))'"),
        ("AddRemove.around(<DataFrame of 4 records>)", "--around RECORDS"),
        (
            "AddRemove.around(<DataFrame of 4 records>, Row(x=Real(0, 1)), min_size=2)",
            "--around RECORDS --neighbors 'AddRemove(Row(x=Real(0, 1)), min_size=2)'",
        ),
    ],
)
def test_replay_names_a_file_for_records_that_neighbors_are_around(neighbors, options):
    audit = {"name": "shop:mean", "claim": "PureDP(1.0)", "neighbors": neighbors, "options": {}}
    given = f"dpaudit audit shop:mean --claim 'PureDP(1.0)' {options}"
    assert replay(audit) == given


def test_replay_repeats_the_options_that_were_given_and_no_others():
    [audit] = run_of(("audits/shop.py::leak", refuted(), "NOT_REFUTED"))["audits"]
    assert replay(audit) == "dpaudit run audits/shop.py::leak --seed 7"
    audit["options"] = {}
    assert replay(audit) == "dpaudit run audits/shop.py::leak"
    entry = {**audit, "name": "audits/shop.py::leaks['a b']"}
    assert shlex.split(replay(entry)) == ["dpaudit", "run", entry["name"]]
    audit["options"] = {
        "max_calls": 3_000, "max_seconds": 2.5, "alpha": 1e-3, "seed": 0,
        "engines": ["static", "statistical"], "isolation": "process",
    }  # fmt: skip
    assert replay(audit) == (
        "dpaudit run audits/shop.py::leak --alpha 0.001 --max-calls 3000 --max-seconds 2.5 "
        "--seed 0 --engines static,statistical"
    )
    audit["options"] = {"isolation": "none", "timeout": 9.0, "engines": ["a; rm"], "x": "--evil"}
    given = "--engines 'a; rm' --timeout 9.0 --isolation none"
    assert replay(audit) == f"dpaudit run audits/shop.py::leak {given}"
    del audit["options"]  # of a run that an earlier version stored
    assert replay(audit).endswith(f"::leak --seed {audit['report']['seed']}")
