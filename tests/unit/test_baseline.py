"""The baseline file: what it accepts, what it does not, and what is wrong with it."""

from __future__ import annotations

import json
from datetime import date

import pytest
from click.testing import CliRunner

from dpaudit import AddRemove, Audit, PureDP, Real
from dpaudit.baseline import linted
from dpaudit.baseline.file import Baseline, BaselineError, read_baseline
from dpaudit.baseline.runs import judged, troubles
from dpaudit.baseline.writing import expired, extended, unaccepted
from dpaudit.cli import cli
from dpaudit.collect import CollectedAudit
from dpaudit.outcome import Outcome, Status, exit_code, run_to_dict
from dpaudit.report.compare import Way, compare
from dpaudit.report.formats import RUN_FORMATS
from dpaudit.report.results import results_of_run
from dpaudit.static.lint import lint
from tests.reporting import finding, inconclusive, not_refuted, refuted

TODAY = date(2027, 1, 15)
NAME = "audits/shop.py::leak"
ENTRY = f"""
[[accept]]
audit = "{NAME}"
ids = ["DPA103"]
reason = "old exporter, gone in May"
until = 2027-01-31
"""


def written(tmp_path, text):
    file = tmp_path / "baseline.toml"
    file.write_text(text)
    return read_baseline(file)


def outcome(report, expect="NOT_REFUTED", name=NAME):
    declared = Audit("shop.release:count", PureDP(1.0), AddRemove(Real(0, 100)), expect=expect)
    return Outcome(CollectedAudit(name, declared), report, "" if report else "the worker died")


def test_a_live_entry_accepts_the_finding_and_keeps_the_run_green(tmp_path):
    found = judged(outcome(refuted()), written(tmp_path, ENTRY), TODAY)
    assert found.status is Status.ACCEPTED
    assert exit_code([found]) == 0
    assert found.to_dict()["accepted"] == {
        "reason": "old exporter, gone in May",
        "until": "2027-01-31",
    }


@pytest.mark.parametrize(
    "found",
    [
        outcome(refuted(findings=(finding(id="DPA105"),))),
        outcome(refuted(findings=(finding(), finding(id="DPA105")))),
        outcome(refuted(), name="audits/shop.py::other"),
        outcome(inconclusive("too few calls")),
        outcome(not_refuted(), expect="DPA103"),
        outcome(None),
    ],
)
def test_another_finding_audit_or_verdict_is_as_red_as_before(tmp_path, found):
    assert judged(found, written(tmp_path, ENTRY), TODAY) is found
    assert exit_code([found]) in (1, 3)


def test_entries_of_one_audit_accept_together(tmp_path):
    both = ENTRY + ENTRY.replace("103", "105").replace("2027-01-31", '"2027-01-20"')
    report = refuted(findings=(finding(), finding(id="DPA105")))
    found = judged(outcome(report), written(tmp_path, both), TODAY)
    assert found.accepted is not None
    assert found.accepted.until == date(2027, 1, 20)


def test_an_entry_holds_on_its_last_day_and_is_an_error_with_its_line_after_it(tmp_path):
    baseline = written(tmp_path, "# known\n" + ENTRY)
    assert judged(outcome(refuted()), baseline, date(2027, 1, 31)).status is Status.ACCEPTED
    late = judged(outcome(refuted()), baseline, date(2027, 2, 1))
    assert late.status is Status.UNEXPECTED
    [told] = troubles([late], baseline, date(2027, 2, 1), selected=False)
    assert told.expired
    assert told.line == 3
    assert "expired on 2027-01-31" in told.message
    assert exit_code([outcome(not_refuted())], expired=1) == 1


@pytest.mark.parametrize(
    ("found", "selected", "told"),
    [
        (outcome(refuted()), False, 0),
        (outcome(not_refuted()), False, 1),
        (outcome(not_refuted()), True, 1),
        (outcome(refuted(), expect="DPA103"), False, 1),
        (outcome(None), False, 0),
        (outcome(not_refuted(), name="audits/shop.py::other"), False, 1),
        (outcome(not_refuted(), name="audits/shop.py::other"), True, 0),
        (outcome(not_refuted(), name="audits/else.py::leak"), False, 0),
    ],
)
def test_an_entry_that_accepts_nothing_any_more_is_a_warning(tmp_path, found, selected, told):
    baseline = written(tmp_path, ENTRY)
    seen = troubles([judged(found, baseline, TODAY)], baseline, TODAY, selected=selected)
    assert [trouble.expired for trouble in seen] == [False] * told
    assert all("remove this entry" in trouble.message for trouble in seen)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('reason = "old exporter, gone in May"', "", "reason must be a text, got None"),
        ('"old exporter, gone in May"', '" "', "say why"),
        ("2027-01-31", '"31 May"', "until must be a day such as 2027-01-31, got 31 May"),
        ("2027-01-31", "2027-01-31T10:00:00", "until must be a day"),
        ("until = 2027-01-31", "", "got None"),
        ('["DPA103"]', "[]", "ids must be a list"),
        ("DPA103", "DPA999", "dpaudit explain lists them"),
        ("audit =", "audits =", "no key 'audits'; there are audit, lint"),
        (f'audit = "{NAME}"', "", "either audit"),
        ("[[accept]]", "[[accepted]]", "tables [[accept]]"),
        ("[[accept]]", "[accept]", "must be tables"),
        ("]]", "", "is no TOML"),
    ],
)
def test_a_wrong_entry_is_told_with_its_line_its_value_and_the_remedy(tmp_path, old, new, said):
    with pytest.raises(BaselineError) as error:
        written(tmp_path, ENTRY.replace(old, new))
    assert said in str(error.value)
    assert "baseline.toml" in str(error.value)


def test_a_file_that_is_not_there_is_an_error_with_the_command_that_writes_one(tmp_path):
    with pytest.raises(BaselineError, match="dpaudit baseline writes one"):
        read_baseline(tmp_path / "none.toml")


def run_dict(*outcomes, told=()):
    run = run_to_dict(outcomes, (), exit_code(outcomes, 0, sum(t.expired for t in told)))
    listed = [{"expired": t.expired, "line": t.line, "message": t.message} for t in told]
    run["baseline"] = {"file": "dpaudit-baseline.toml", "troubles": listed}
    return json.loads(json.dumps(run))


def test_formats_tell_what_is_accepted_and_what_expired(tmp_path):
    baseline = written(tmp_path, ENTRY + ENTRY.replace("leak", "fine").replace("2027", "2026"))
    outcomes = [
        judged(each, baseline, TODAY)
        for each in (outcome(refuted()), outcome(not_refuted(), name="audits/shop.py::fine"))
    ]
    run = run_dict(*outcomes, told=troubles(outcomes, baseline, TODAY, selected=False))
    assert run["exit_code"] == 1
    said = "accepted until 2027-01-31: old exporter, gone in May"
    texts = {form: render(run) for form, render in RUN_FORMATS.items()}
    for form in ("html", "sarif", "junit", "markdown"):
        assert said in texts[form], form
        assert "expired on 2026-01-31" in texts[form], form
    [leak, expired] = json.loads(texts["sarif"])["runs"][0]["results"][::-1]
    assert leak["suppressions"] == [{"kind": "external", "justification": said}]
    assert (expired["ruleId"], expired["level"]) == ("expired-acceptance", "error")
    [annotation] = texts["github"].splitlines()
    assert annotation.startswith("::error file=dpaudit-baseline.toml,line=8,")
    assert '<skipped message="accepted until' in texts["junit"]
    assert texts["junit"].count("<failure") == 1
    assert [r.rule for r in results_of_run(run)] == ["DPA103", "expired-acceptance"]


def test_an_audit_that_is_accepted_is_better_than_a_red_one_and_worse_than_a_green_one(tmp_path):
    red = run_dict(outcome(refuted()))
    accepted = run_dict(judged(outcome(refuted()), written(tmp_path, ENTRY), TODAY))
    green = run_dict(outcome(not_refuted()))
    for old, new, way in (
        (red, accepted, Way.BETTER), (accepted, red, Way.WORSE), (green, accepted, Way.WORSE),
        (accepted, accepted, Way.SAME),
    ):  # fmt: skip
        [change] = compare(old, new)
        assert change.way is way


def test_what_is_written_is_read_and_accepts_what_was_found(tmp_path):
    """Names and reasons hold what TOML must escape."""
    hostile = 'audits/a.py::x["\\\n\x7f]'
    run = run_dict(outcome(refuted()), outcome(refuted(), name=hostile), outcome(None, name="a::b"))
    new = unaccepted(run)
    assert list(new) == [("audit", NAME), ("audit", hostile)]
    text = extended(Baseline(text="# ours\n"), new, 'the "why"', date(2027, 6, 30))
    assert text.startswith("# ours\n")
    baseline = written(tmp_path, text)
    lines = text.splitlines()
    assert [lines[entry.line - 1] for entry in baseline.entries] == ["[[accept]]"] * 2
    for name in (NAME, hostile):
        assert judged(outcome(refuted(), name=name), baseline, TODAY).status is Status.ACCEPTED


OLD = """
[[accept]]  # of audits
audit = "a.py::one"
ids = ["DPA103", "DPA104"]
reason = "old"
until = 2027-01-01

# why two stays
[[accept]]
audit = "a.py::two"
ids = ["DPA103"]
reason = "of today"
until = 2027-01-15

[[accept]]
audit = "a.py::three"
ids = ["DPA103"]
reason = "mended"
until = 2027-01-01
# the end
"""


def test_an_entry_that_has_expired_is_renewed_where_its_finding_is_there_again(tmp_path):
    before = written(tmp_path, "# ours" + OLD)
    found = {("audit", "a.py::one"): ["DPA103"], ("audit", "a.py::three"): ["DPA101"]}
    old = expired(before, found, TODAY)
    assert [entry.about for entry in old] == ["a.py::one"]
    text = extended(before, found, "new", date(2027, 6, 30), old)
    after = written(tmp_path, text)
    told = [(e.about, e.acceptance.reason, e.ids) for e in after.entries]
    assert told == [
        ("a.py::one", "new", ("DPA103",)),
        ("a.py::two", "of today", ("DPA103",)),
        ("a.py::three", "mended", ("DPA103",)),
        ("a.py::three", "new", ("DPA101",)),
    ]
    comments = "# ours", "# of audits", "# why two stays", "# the end"
    assert all(text.count(each) == 1 for each in comments)
    assert "\n\n\n" not in text
    both = {("audit", "a.py::one"): ["DPA103"], ("audit", "a.py::three"): ["DPA103"]}
    text = extended(before, both, "new", date(2027, 6, 30), expired(before, both, TODAY))
    assert [entry.is_live(TODAY) for entry in written(tmp_path, text).entries] == [True] * 3


INLINE = "{audit = 'a::b', ids = ['DPA103'], reason = 'x', until = "
LONG = '[[accept]]\naudit = "a::b"\nids = ["DPA103"]\nreason = """\n[[accept]]"""\nuntil = '


@pytest.mark.parametrize(
    "text",
    [
        f"accept = [{INLINE}2027-01-01}}, {INLINE}2027-02-01}}]\n",
        f"{LONG}2027-01-01\n{LONG}2027-02-01\n",
    ],
)
def test_entries_about_one_finding_are_one_entry_afterwards(tmp_path, text):
    before = written(tmp_path, text)
    found = {("audit", "a::b"): ["DPA103"], ("audit", "a::c"): ["DPA105"]}
    old = expired(before, found, date(2027, 3, 1))
    assert len(old) == 2
    after = written(tmp_path, extended(before, found, "new", date(2027, 6, 30), old))
    assert [(e.about, e.ids, e.acceptance.reason) for e in after.entries] == [
        ("a::b", ("DPA103",), "new"),
        ("a::c", ("DPA105",), "new"),
    ]


def test_a_comment_that_is_wrong_is_no_finding_to_accept():
    told = {"file": "shop.py", "line": 3, "id": "invalid-ignore"}
    assert unaccepted({"findings": [told, {**told, "id": "unused-ignore"}]}) == {}


SOURCE = """
class Shop:
    def release(self, data, rng):
        def inner():
            return 1
        return data.sum() + rng.laplace(scale=len(data))


def count(data, rng, epsilon=1.0):
    rng = np.random.default_rng(0)
    return len(data) + rng.laplace(scale=1 / epsilon)
"""


@pytest.fixture
def shop(tmp_path, monkeypatch):
    (tmp_path / "pyproject.toml").write_text('[tool.dpaudit]\nbaseline = "known.toml"\n')
    (tmp_path / "shop.py").write_text("import numpy as np\n" + SOURCE)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_what_the_linter_finds_is_accepted_by_file_and_function(shop):
    report = lint(["shop.py"], everything=True)
    places = {linted.place(f.file, f.line) for f in report.findings}
    assert "shop.py::count" in places
    ids = sorted({f.id for f in report.findings if linted.place(f.file, f.line)[-5:] == "count"})
    text = extended(Baseline(), {("lint", "shop.py::count"): ids}, "a demo", date(2027, 6, 30))
    kept, told = linted.judged(report, written(shop, text), TODAY)
    assert not told
    assert {f.id for f, _ in kept.accepted} == set(ids)
    assert "shop.py::count" not in {linted.place(f.file, f.line) for f in kept.findings}
    _, told = linted.judged(report, written(shop, text), date(2028, 1, 1))
    assert [each.expired for each in told] == [True]


def test_a_method_and_what_is_inside_it_are_one_place(shop):
    assert linted.place("shop.py", 6) == linted.place("shop.py", 4) == "shop.py::Shop.release"
    assert linted.place("shop.py", 1) == "shop.py"


def test_the_linter_goes_green_with_the_baseline_that_was_written_from_it(shop):
    def dpaudit(*arguments):
        return CliRunner().invoke(cli, arguments)

    given = ("--reason", "a demo", "--until", "2999-12-31")
    (shop / "known.toml").write_text("")
    assert dpaudit("lint", "shop.py", "--format", "json", "--output", "lint.json").exit_code == 1
    made = dpaudit("baseline", "lint.json", *given)
    assert made.exit_code == 0, made.output
    again = dpaudit("lint", "shop.py")
    assert again.exit_code == 0, again.output
    assert " accepted in " in again.output
    sarif = json.loads(dpaudit("lint", "shop.py", "--format", "sarif").output)
    kinds = {r["suppressions"][0]["kind"] for r in sarif["runs"][0]["results"]}
    assert kinds == {"external"}
    (shop / "known.toml").write_text((shop / "known.toml").read_text().replace("2999", "2001"))
    late = dpaudit("lint", "shop.py")
    assert late.exit_code == 1
    assert "known.toml:1: error: the acceptance of " in late.output


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("baseline", "-1", "--reason", "x", "--until", "soon"), "--until must be a day"),
        (("baseline", "-1", "--reason", " ", "--until", "2027-01-31"), "--reason is empty"),
        (("baseline", "-1", "--reason", "x", "--until", "2027-01-31"), "no run -1 has ended"),
        (("baseline", "pyproject.toml", "--reason", "x", "--until", "2027-01-31"), "no JSON"),
        (("run", "--baseline", "none.toml"), "none.toml cannot be read"),
        (("lint", "shop.py"), "known.toml cannot be read"),
    ],
)
def test_what_cannot_be_used_is_a_usage_error(shop, arguments, said):
    done = CliRunner().invoke(cli, arguments)
    assert done.exit_code == 2
    assert said in " ".join(done.output.split())
