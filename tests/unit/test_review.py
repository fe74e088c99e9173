"""The dossier of a review: what is not answered is open, and never passed."""

import json

import pytest
from click.testing import CliRunner

from dpaudit.cli import cli
from dpaudit.evidence import Finding
from dpaudit.report.page.dossier import dossier_html
from dpaudit.review import HAZARDS, dossier
from dpaudit.violations import VIOLATIONS
from tests.reporting import inconclusive, not_refuted, refuted, run_of

NOTHING = {"findings": [], "ignored": [], "failures": []}
LEAD = {
    "id": "DPA110",
    "level": "error",
    "file": "shop/release.py",
    "line": 3,
    "message": "the seed is fixed",
}
FINE = ("audits/shop.py::fine", not_refuted(), "NOT_REFUTED")
LEAK = ("audits/shop.py::leak", refuted(), "NOT_REFUTED")
OPEN = ("audits/shop.py::unclear", inconclusive(), "NOT_REFUTED")
BROKEN = ("audits/shop.py::broken", None, "NOT_REFUTED")


def statuses(*audits, linted=NOTHING, **declared):
    made = dossier(run_of(*audits), linted, declared)
    return {hazard["key"]: hazard["status"] for hazard in made["hazards"]}


def test_without_audits_or_words_every_hazard_is_open():
    assert set(statuses().values()) == {"open"}


def test_what_audits_see_as_a_whole_is_checked_and_the_rest_stays_open():
    found = statuses(FINE)
    reach = {hazard.key: hazard.reach for hazard in HAZARDS}
    assert {key for key, status in found.items() if status == "checked"} == {
        key for key in reach if reach[key] == "whole"
    }
    assert set(found.values()) == {"checked", "open"}


def test_which_neighbors_were_audited_is_known_whatever_the_verdict():
    assert statuses(LEAK, BROKEN)["neighbors"] == "checked"


def test_words_answer_what_audits_do_not_see_and_never_what_they_do():
    words = {hazard.key: "we looked at it" for hazard in HAZARDS}
    for hazard in HAZARDS:
        status = {"whole": "checked", "part": "partly", "none": "declared"}[hazard.reach]
        assert statuses(FINE, **words)[hazard.key] == status
        if hazard.reach != "none":  # nothing was run: words alone are no check
            assert statuses(**words)[hazard.key] == "open"


def test_functions_without_an_audit_are_listed_unless_the_run_has_one():
    audit = run_of(FINE)["audits"][0]
    file, name = audit["report"]["file"], audit["mechanism"].partition(":")[2]
    found = [{"file": file, "line": 3, "name": n} for n in (name, "forgotten")]
    made = dossier(run_of(FINE), {**NOTHING, "unaudited": found}, {})
    assert [each["name"] for each in made["unaudited"]] == ["forgotten"]
    page = dossier_html(made)
    assert f"{file}:3: forgotten" in page
    assert "Functions without an audit" in page
    assert "has an audit" in dossier_html(dossier(run_of(FINE), NOTHING, {}))


def test_a_violation_is_one_whatever_is_declared():
    found = statuses(FINE, LEAK, clamping="all bounds are public")
    assert found["clamping"] == "violated"  # DPA103


@pytest.mark.parametrize("audit", [LEAK, OPEN, BROKEN])
def test_an_audit_that_decided_nothing_of_a_hazard_leaves_it_open(audit):
    assert statuses(FINE, audit)["calibration"] == "open"
    assert statuses(FINE, audit, randomness="from the system")["randomness"] == "open"


def test_a_finding_in_the_source_leaves_its_hazard_open():
    linted = {**NOTHING, "findings": [LEAD]}
    assert statuses(FINE, linted=linted, randomness="from the system")["randomness"] == "open"


def test_a_declaration_on_nothing_is_an_error():
    with pytest.raises(ValueError, match="no hazard 'units' to declare on; there are parameters"):
        dossier(run_of(FINE), NOTHING, {"units": "one record is one customer"})


def test_every_kind_of_violation_belongs_to_one_hazard():
    ids = [id for hazard in HAZARDS for id in hazard.ids]
    assert sorted(ids) == sorted(VIOLATIONS)


def test_the_page_shows_statuses_reasons_and_nothing_that_could_run():
    made = dossier(
        run_of(FINE, LEAK), {**NOTHING, "findings": [LEAD]}, {"access": "<script>alert(1)</script>"}
    )
    page = dossier_html(made)
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)" in page
    for words in ("OPEN", "violated", "the seed is fixed", "What no audit of code can show"):
        assert words in page


def test_the_page_shows_what_was_accepted_until_when_and_the_source():
    run = run_of(FINE, LEAK)
    known = {"reason": "ticket 17", "until": "2027-01-31"}
    run["audits"][1] |= {"status": "ACCEPTED", "accepted": known}
    page = dossier_html(dossier(run, NOTHING, {}))
    assert "REFUTED; accepted until 2027-01-31: ticket 17" in page
    assert run["audits"][0]["report"]["source_hash"] in page
    assert "these audits ended for another reason: audits/shop.py::leak" in page


@pytest.fixture
def project(tmp_path, monkeypatch):
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop" / "release.py").write_text("def mean(data):\n    return 0.0\n")
    (tmp_path / "run.json").write_text(json.dumps(run_of(FINE)))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def declare(project, keys):
    lines = "\n".join(f'{key} = "we looked at it"' for key in keys)
    (project / "pyproject.toml").write_text(f"[tool.dpaudit.review]\n{lines}\n")


def test_the_command_exits_with_0_only_where_nothing_is_open(project):
    declare(project, ["unit"])
    arguments = ["review", "shop", "--run", "run.json", "--json", "review.json"]
    done = CliRunner().invoke(cli, arguments)
    assert done.exit_code == 1
    assert "open     Privacy budget" in done.output
    declare(project, [hazard.key for hazard in HAZARDS if hazard.reach != "whole"])
    done = CliRunner().invoke(cli, arguments)
    assert (done.exit_code, done.output) == (0, "")
    assert json.loads((project / "review.json").read_text())["hazards"][1]["status"] == "partly"
    assert "<h1>Privacy review</h1>" in (project / "review.html").read_text()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nowhere", "--run", "run.json"], "nowhere does not exist"),
        (["shop", "--run", "none.json"], "No such file"),
        (["shop"], "no run -1 has ended"),
    ],
)
def test_what_cannot_be_used_is_a_usage_error(project, arguments, said):
    done = CliRunner().invoke(cli, ["review", *arguments])
    assert done.exit_code == 2
    assert said in done.output


def test_a_wrong_declaration_is_a_usage_error(project):
    declare(project, ["units"])
    done = CliRunner().invoke(cli, ["review", "shop", "--run", "run.json"])
    assert done.exit_code == 2
    assert "no hazard 'units'" in done.output


@pytest.mark.parametrize(
    "field", ["failures", "skipped", "audits", "asked", "baseline", "exit_code"]
)
@pytest.mark.parametrize("value", ["]]>", 7, [7], ["x"], [{}], {"a": 1}, True])
def test_a_misshapen_run_is_a_usage_error_at_worst(project, field, value):
    run = run_of(FINE)
    (project / "run.json").write_text(json.dumps({**run, field: value}))
    done = CliRunner().invoke(cli, ["review", "shop", "--run", "run.json"])
    assert done.exit_code in (1, 2), done.output
    assert isinstance(done.exception, SystemExit)


def test_findings_made_by_hand_have_the_fields_that_are_read():
    assert {"id", "level", "file", "line", "message"} <= set(Finding.__dataclass_fields__)
