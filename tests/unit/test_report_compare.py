"""Two runs beside each other."""

import json

import pytest
from click.testing import CliRunner

from dpaudit.cli import cli
from dpaudit.collect import CollectionFailure
from dpaudit.report.compare import Change, Way, compare, compare_lines
from tests.reporting import inconclusive, not_refuted, refuted, run_of

NAME = "audits/shop.py::mean"


def one(report, expect="NOT_REFUTED", **options):
    return run_of((NAME, report, expect), **options)


def change(old, new):
    (found,) = compare(old, new)
    return found


@pytest.mark.parametrize(
    ("old", "new", "way", "said"),
    [
        (one(not_refuted()), one(refuted()), Way.WORSE, "ok → UNEXPECTED"),
        (one(refuted()), one(not_refuted()), Way.BETTER, "UNEXPECTED → ok"),
        (one(not_refuted()), one(None), Way.WORSE, "ok → INCOMPLETE"),
        (one(None), one(refuted()), Way.BETTER, "INCOMPLETE → UNEXPECTED"),
        (one(refuted(), "DPA103"), one(not_refuted(), "DPA103"), Way.WORSE, "ok → UNEXPECTED"),
        (
            one(inconclusive(), "INCONCLUSIVE"),
            one(not_refuted(), "INCONCLUSIVE"),
            Way.BETTER,
            "INCONCLUSIVE → NOT REFUTED",
        ),
        (
            one(not_refuted(detectable_epsilon=1.2)),
            one(not_refuted(detectable_epsilon=2.4)),
            Way.WORSE,
            "would catch ε of 1.2 → 2.4 (at probability 0.01)",
        ),
        (
            one(not_refuted(detectable_epsilon=2.4)),
            one(not_refuted(detectable_epsilon=1.2)),
            Way.BETTER,
            "would catch ε of 2.4 → 1.2",
        ),
        (one(not_refuted()), one(refuted(), "DPA103"), Way.OTHER, "NOT REFUTED → REFUTED"),
    ],
)
def test_an_audit_goes_the_way_that_its_reader_cares_for(old, new, way, said):
    found = change(old, new)
    assert found.way is way
    assert said in "; ".join(found.said)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (one(not_refuted()), one(not_refuted())),
        (one(not_refuted(detectable_epsilon=1.2)), one(not_refuted(detectable_epsilon=1.3))),
        (one(refuted(epsilon=4.0), "DPA103"), one(refuted(epsilon=5.0), "DPA103")),
    ],
)
def test_what_varies_by_chance_is_no_change(old, new):
    assert change(old, new) == Change(NAME, Way.SAME)


def test_an_audit_that_is_gone_is_worse_and_a_new_one_is_as_it_goes():
    empty = run_of()
    assert change(one(not_refuted()), empty) == Change(NAME, Way.WORSE, ("gone",))
    assert change(empty, one(not_refuted())).way is Way.BETTER
    assert change(empty, one(refuted())).way is Way.WORSE


def test_a_file_that_can_no_longer_be_used_is_worse():
    broken = run_of(failures=(CollectionFailure("audits/a.py", "it does not import"),))
    assert change(run_of(), broken).way is Way.WORSE
    assert compare(broken, broken) == []


def test_the_worse_stands_first_and_all_are_counted():
    lines = compare_lines(
        [
            Change("a", Way.SAME),
            Change("b", Way.BETTER, ("UNEXPECTED → ok",)),
            Change("c", Way.WORSE, ("gone",)),
        ]
    )
    assert lines == [
        "worse  c: gone",
        "better b: UNEXPECTED → ok",
        "3 audits: 1 worse, 1 better, 1 same",
    ]
    assert compare_lines([]) == ["no audits"]


def three():
    names = ("audits/shop.py::mean", "audits/shop.py::sums[0]", "audits/bank/a.py::mean")
    return run_of(*((name, not_refuted(), "NOT_REFUTED") for name in names))


@pytest.mark.parametrize(
    ("paths", "selection", "missing"),
    [
        (["audits"], [], {"shop.py::mean", "shop.py::sums[0]", "bank/a.py::mean"}),
        (["."], ["sums", "b*a.py*"], {"shop.py::sums[0]"}),
        (["audits/bank", "audits/shop.py::sums"], [], {"shop.py::sums[0]", "bank/a.py::mean"}),
        (["audits/shop.py::mean"], ["NOT_REFUTED"], {"shop.py::mean"}),
        (["audits/sho"], [], set()),
    ],
)
def test_audits_that_the_new_run_was_not_asked_for_are_not_gone(paths, selection, missing):
    new = {**run_of(), "asked": {"paths": paths, "selection": selection}}
    changes = compare(three(), new)
    gone = {c.audit.removeprefix("audits/") for c in changes if c.said == ("gone",)}
    assert gone == missing
    assert {c.way for c in changes if c.said == ("gone",)} <= {Way.WORSE}
    others = [c for c in changes if c.said != ("gone",)]
    assert all(c.way is Way.OTHER and "not run" in c.said[0] for c in others)


def test_audits_whose_packages_are_missing_are_worse_though_not_gone():
    skipped = [{"file": "audits/bank/a.py", "missing": ["opendp"]}]
    asked = {"paths": ["audits"], "selection": ["a.py"]}
    *_, found = compare(three(), {**run_of(), "asked": asked, "skipped": skipped})
    assert found == Change(
        "audits/bank/a.py::mean", Way.WORSE, ("not run: it needs opendp, not installed",)
    )


def test_runs_that_do_not_say_what_was_asked_lose_their_audits():
    old, new = three(), run_of()
    for audit in old["audits"]:
        del audit["declared_at"]
    del new["asked"]
    assert {c.said for c in compare(old, new)} == {("gone",)}


def test_expectations_are_compared_in_words():
    assert "expected: NOT REFUTED → DPA103" in change(one(refuted()), one(refuted(), "DPA103")).said


def test_the_command_exits_with_1_where_something_is_worse(tmp_path):
    files = []
    for name, report in (("old.json", not_refuted()), ("new.json", refuted())):
        files.append(str(tmp_path / name))
        (tmp_path / name).write_text(json.dumps(one(report)))
    old, new = files
    worse = CliRunner().invoke(cli, ["compare", old, new])
    assert (worse.exit_code, worse.output.splitlines()[-1]) == (1, "1 audit: 1 worse")
    better = CliRunner().invoke(cli, ["compare", new, old])
    assert better.exit_code == 0
    assert "UNEXPECTED → ok" in better.output


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{}", "it is no run"),
        ("[", "it is no JSON"),
        ('{"schema_version": 99, "audits": []}', "its schema_version is 99"),
        ('{"schema_version": 1, "audits": [{}]}', "missing or misshapen"),
        ('{"schema_version": 1, "audits": [3]}', "missing or misshapen"),
    ],
)
def test_a_file_that_is_no_run_is_a_usage_error(tmp_path, text, said):
    file = tmp_path / "run.json"
    file.write_text(text)
    done = CliRunner().invoke(cli, ["compare", str(file), str(file)])
    assert done.exit_code == 2
    assert said in done.output


def test_names_cannot_write_to_the_terminal():
    hostile = run_of(("audits/a.py::\x1b[2J", not_refuted(), "NOT_REFUTED"))
    assert "\x1b" not in "\n".join(compare_lines(compare(hostile, run_of())))
