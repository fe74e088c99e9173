"""The pytest plugin, as suites use it."""

import re
import shlex
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

# Loaded before runs inside of this process, whose imports are undone.
import dpaudit.auditor
import dpaudit.pytest_plugin.items
import dpaudit.pytest_plugin.summary
import dpaudit.statistical
import dpaudit.trace.frozen
from dpaudit.pytest_plugin.options import given

pytest_plugins = ["pytester"]

PLUGIN = ("-p", "dpaudit.pytest_plugin")
HERE = (*PLUGIN, "--dpaudit-isolation", "none")

HOUSE = """
def sound(data, rng):
    return len(data) + rng.laplace(scale=1.0)

def broken(data, rng):
    return len(data) + rng.laplace(scale=0.1)

def dies(data, rng):
    import os
    os._exit(3)
"""

REAL = """
from dpaudit import Audit, Pairs, PureDP
from house import broken, dies, sound

NEIGHBORS = Pairs([([1.0], [1.0, 1.0])])

def declare(mechanism, **options):
    given = {"max_calls": 4_000, "alpha": 1e-3, "engines": ["statistical"]}
    return Audit(mechanism, PureDP(1.0), NEIGHBORS, **{**given, **options})

"""

# An engine that answers at once, for what is not about engines.
TOLD = """
from dpaudit import Audit, Pairs, PureDP, Verdict
from dpaudit.evidence import Evidence, Finding, ProofCheck
from house import broken, sound

NEIGHBORS = Pairs([([1.0], [1.0, 1.0])])

class Told:
    name = "told"

    def __init__(self, verdict):
        self.verdict = Verdict[verdict]

    def examine(self, subject, claim, neighbors, budget, suspects=(), *, runner, progress=None):
        findings = ()
        if self.verdict is Verdict.REFUTED:
            findings = (Finding("DPA103", "error", "too little noise", file=__file__, line=4),)
        checked = ProofCheck(True) if self.verdict is Verdict.VERIFIED else None
        said = f"seed {budget.seed}"
        return Evidence("told", self.verdict, said, findings, calls=10, checked=checked)

def declare(verdict="NOT_REFUTED", mechanism=sound, **options):
    return Audit(mechanism, PureDP(1.0), NEIGHBORS, engines=[Told(verdict)], **options)

"""


@pytest.fixture(autouse=True)
def alone(monkeypatch):
    """Load no plugin but those that a run names, and be nowhere but here."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    for name in ("GITHUB_ACTIONS", "CI", "PYTEST_ADDOPTS", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def project(pytester):
    """Hold a module with mechanisms, and nothing else."""
    pytester.makepyprojecttoml("")
    pytester.makepyfile(house=HOUSE)
    return pytester


def declare(project, body, name="counts", head=TOLD):
    folder = project.path / "audits"
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.py").write_text(head + body)


def properties(file):
    """Return the properties of each test case of a JUnit file."""
    return {
        f"{case.get('classname')}::{case.get('name')}": {
            p.get("name"): p.get("value") for p in case.iter("property")
        }
        for case in ElementTree.parse(file).iter("testcase")
    }


# What does not follow from the engine's own tests: a verdict is the same in every order and place.
ORDERS = """
import pytest

def pytest_addoption(parser):
    parser.addoption("--backwards", action="store_true")

def pytest_collection_modifyitems(config, items):
    if config.getoption("--backwards"):
        items.reverse()
"""
IN_TESTS = """
from dpaudit import Pairs, PureDP
from house import broken

def test_inside(dp):
    pairs = Pairs([([1.0], [1.0, 1.0])])
    report = dp.audit(broken, PureDP(1.0), pairs, max_calls=3_000, engines=["statistical"])
    assert report.verdict.name == "REFUTED"
"""


def test_verdicts_are_the_same_in_any_order_and_with_any_number_of_workers(project):
    """Fixed seeds: nothing here is left to chance."""
    declare(
        project,
        "good = declare(sound)\nbad = declare(broken)\nexpected = declare(broken, expect='DPA201')"
        "\ngone = declare(dies)\n",
        head=REAL,
    )
    project.makeconftest(ORDERS)
    project.makepyfile(test_inside=IN_TESTS)
    seen = []
    for run in ([], ["--backwards"], ["-p", "xdist", "-n", "2"]):
        result = project.runpytest_subprocess(*PLUGIN, "--junitxml", "junit.xml", *run)
        result.assert_outcomes(passed=3, failed=2)
        text = result.stdout.str()
        table = text.partition("- dpaudit -")[2]
        rows = [re.split(r"  +", line.strip()) for line in table.splitlines() if "::" in line]
        # All but the seconds.
        rows = [(*row[:7], row[-1]) for row in rows if not row[0].startswith("FAILED")]
        seen.append((rows, properties("junit.xml")))
    assert seen[0] == seen[1] == seen[2]
    rows, told = seen[0]
    assert [(row[0], row[3], row[-1]) for row in rows] == [
        ("audits/counts.py::bad", "REFUTED", "UNEXPECTED"),
        ("audits/counts.py::expected", "REFUTED", "ok"),
        ("audits/counts.py::gone", "INCONCLUSIVE", "INCOMPLETE"),
        ("audits/counts.py::good", "NOT REFUTED", "ok"),
        ("test_inside.py::test_inside", "REFUTED", "-"),
    ]
    bad = told["audits.counts::bad"]
    names = "mechanism claim neighbors expected verdict found epsilon calls alpha alpha_spent seed"
    assert set(bad) == {f"dpaudit.{name}" for name in names.split()}  # as in a run's own XML
    assert bad["dpaudit.verdict"] == "REFUTED"
    assert 1.0 <= float(bad["dpaudit.epsilon"]) < 10.0  # a bet may tell of the claim alone
    assert 0 < float(bad["dpaudit.alpha_spent"]) <= 1e-3
    assert 0 < int(bad["dpaudit.calls"]) <= 4_000
    inside = told["test_inside::test_inside"]
    assert inside["dpaudit.verdict"] == "REFUTED"
    assert "dpaudit.expected" not in inside


def test_failure_shows_finding_witness_and_a_command_that_replays_it(project):
    """Fixed seeds: nothing here is left to chance."""
    declare(project, "bad = declare(broken)\n", head=REAL)
    result = project.runpytest_subprocess(*PLUGIN, "--dpaudit-seed", "7", "--dpaudit-alpha", "1e-4")
    result.assert_outcomes(failed=1)
    text = result.stdout.str()
    failure = text.partition("= FAILURES =")[2].partition("- dpaudit -")[0]
    for shown in ("REFUTED, expected NOT REFUTED: DPA", "Findings\n", "Witness\n", "  left   [1"):
        assert shown in failure
    assert "pytest_plugin" not in failure
    assert "Traceback" not in failure
    command = re.search(r"^Replay\n  dpaudit (.*)$", failure, re.M)[1]
    assert command == "run audits/counts.py::bad --alpha 0.0001 --seed 7"
    done = subprocess.run(
        [sys.executable, "-m", "dpaudit", *shlex.split(command)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    witness = failure.partition("Witness")[2].partition("Evidence")[0]
    assert witness in done.stdout


def test_fixture_gives_reports_and_fails_at_the_line_of_the_test(project):
    project.makepyfile(
        """
        import pytest
        from dpaudit import Pairs, PureDP, Verdict
        from dpaudit.evidence import Evidence, ProofCheck
        from house import sound

        NOUNS = (sound, PureDP(1.0), Pairs([([1.0], [1.0, 1.0])]))

        class Told:
            name = "told"
            def __init__(self, verdict, completed=True):
                checked = ProofCheck(True) if verdict is Verdict.VERIFIED else None
                given = {"completed": completed, "checked": checked}
                self.evidence = Evidence("told", verdict, "it says so", **given)
            def examine(self, *nouns, **others):
                return self.evidence

        @pytest.mark.parametrize("verdict", Verdict, ids=lambda v: v.name)
        def test_audit(dp, verdict):
            assert dp.audit(*NOUNS, engines=[Told(verdict)]).verdict is verdict

        @pytest.mark.parametrize("verdict", Verdict, ids=lambda v: v.name)
        def test_not_refuted(dp, verdict):
            dp.assert_not_refuted(*NOUNS, engines=[Told(verdict)])

        @pytest.mark.parametrize("verdict", Verdict, ids=lambda v: v.name)
        def test_verified(dp, verdict):
            dp.assert_verified(*NOUNS, engines=[Told(verdict)])

        def test_cut_short(dp):
            dp.assert_not_refuted(*NOUNS, engines=[Told(Verdict.VERIFIED, completed=False)])

        def test_wrong_noun(dp):
            dp.assert_not_refuted(sound, "PureDP(1.0)", NOUNS[2])

        def test_wrong_option(dp):
            dp.audit(*NOUNS, max_call=3)

        @pytest.mark.dpaudit(1e-3)
        def test_wrong_marker(dp):
            dp.audit(*NOUNS)
        """
    )
    result = project.runpytest_inprocess(*PLUGIN, "-rA")
    text = result.stdout.str()
    passed = set(re.findall(r"^PASSED \S+::(\S+)", text, re.M))
    assert passed == {
        *(f"test_audit[{name}]" for name in dpaudit.Verdict.__members__),
        "test_not_refuted[NOT_REFUTED]",
        "test_not_refuted[VERIFIED]",
        "test_verified[VERIFIED]",
    }
    for line in (
        "INCONCLUSIVE, expected NOT REFUTED: Inconclusive: it says so.",
        "NOT REFUTED, expected VERIFIED: *",
        "could not be completed: it says so",
        "*`claim` must be a claim such as PureDP(1.0), got 'PureDP(1.0)'",
        "*an audit has no option 'max_call'; there are alpha, *",
        "*the marker dpaudit takes options by name, got (0.001,)*",
    ):
        result.stdout.fnmatch_lines([f"E *{line}"])
    failures = text.partition("= FAILURES =")[2].partition("= warnings summary =")[0]
    assert "pytest_plugin" not in re.sub(r"<dpaudit\S+ object", "", failures)
    assert "declare.py" not in failures
    result.stdout.fnmatch_lines(["E*Replay", "E* pytest *::test_*"])


def test_each_audit_of_a_test_has_properties_and_a_row_of_its_own(project):
    (project.path / "told.py").write_text(TOLD)
    project.makepyfile(
        """
        from told import NEIGHBORS, PureDP, Told, sound

        def test_both(dp):
            for verdict in ("NOT_REFUTED", "VERIFIED"):
                dp.assert_not_refuted(sound, PureDP(1.0), NEIGHBORS, engines=[Told(verdict)])
        """
    )
    result = project.runpytest_inprocess(*PLUGIN, "--junitxml", "junit.xml")
    [told] = properties("junit.xml").values()
    assert told["dpaudit.verdict"] == "NOT_REFUTED"
    assert told["dpaudit.2.verdict"] == "VERIFIED"
    names = {name.removeprefix("dpaudit.").removeprefix("2.") for name in told}
    assert told.pop("dpaudit.2.checked") == "True"  # which only a proof can be
    assert len(told) == 2 * (len(names) - 1)
    result.stdout.fnmatch_lines(["*::test_both *NOT REFUTED*", "*::test_both *VERIFIED*"])
    result.stdout.fnmatch_lines(["2 audits: 2 as expected"])


def test_options_come_from_the_command_line_else_the_call_else_the_marker(project):
    project.makepyfile(
        """
        import numpy as np
        import pytest
        from dpaudit import Pairs, PureDP, Verdict
        from dpaudit.evidence import Evidence, ProofCheck
        from house import sound

        class Keeps:
            name = "keeps"
            def examine(self, subject, claim, neighbors, budget, *others, **more):
                self.budget = budget
                return Evidence("keeps", Verdict.NOT_REFUTED)

        @pytest.mark.dpaudit(seed=3, max_calls=30)
        def test_it(dp):
            engine = Keeps()
            nouns = sound, PureDP(1.0), Pairs([([1.0], [1.0, 1.0])])
            dp.audit(*nouns, engines=[engine], max_calls=20, alpha=0.2)
            got = engine.budget
            print("got", got.seed, got.max_calls, got.alpha, got.max_seconds)
            with dp.frozen_noise():
                one = np.random.default_rng().normal()
            with dp.frozen_noise(seed=3):
                three = np.random.default_rng().normal()
            with dp.frozen_noise(zero=True):
                assert np.random.default_rng().normal() == 0
            print("same", one == three)
        """
    )
    result = project.runpytest_inprocess(*PLUGIN, "-s")
    result.stdout.fnmatch_lines(["*got 3 20 0.2 None", "same True"])
    options = ["--dpaudit-seed=9", "--dpaudit-max-calls=10", "--dpaudit-alpha=.1"]
    result = project.runpytest_inprocess(*PLUGIN, "-s", *options, "--dpaudit-max-seconds=6000")
    result.stdout.fnmatch_lines(["*got 9 10 0.1 59??.*", "same False"])


@pytest.mark.parametrize(
    ("option", "said"),
    [
        ("alpha=1", "1 is not in (0, 1); 1e-6 is usual"),
        ("alpha=nan", "nan is not in (0, 1)"),
        ("alpha=x", "'x' is no number"),
        ("max-calls=0", "0 is not positive"),
        ("max-seconds=inf", "inf is no positive, finite number"),
        ("seed=-1", "-1 is negative"),
        ("seed=1.5", "'1.5' is no integer"),
        ("engines=formal,magic", "there is no engine 'magic'; there are static, formal"),
        ("engines=,", "no engine is named"),
    ],
)
def test_option_that_cannot_be_used_is_refused_before_anything_runs(project, option, said):
    result = project.runpytest_inprocess(*PLUGIN, f"--dpaudit-{option}")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert said in result.stderr.str()


def test_engines_are_chosen_by_name(project):
    config = project.parseconfig(*PLUGIN, "--dpaudit-engines", "static, trace")
    assert given(config) == {"engines": ("static", "trace")}


def test_suite_without_audits_pays_nothing(project):
    folder = project.path / "audits"
    folder.mkdir()
    (folder / "models.py").write_text("raise RuntimeError('of somebody else, who audits books')")
    (folder / "gone.py").symlink_to("nowhere.py")
    project.makepyfile(
        """
        import sys

        def test_nothing():
            ours = {m for m in sys.modules if m.startswith("dpaudit")}
            assert ours == {"dpaudit", "dpaudit.pytest_plugin"} | {
                f"dpaudit.pytest_plugin.{m}"
                for m in ("fixture", "options", "places", "rows", "summary")
            }
            assert not {"numpy", "cloudpickle", "rich", "click", "scipy"} & set(sys.modules)
        """
    )

    def files():
        own = {"__pycache__", "runpytest-0", "runpytest-current", "stdout", "stderr"}
        return {p for p in project.path.rglob("*") if not own & set(p.parts)}

    before = files()
    result = project.runpytest_subprocess(*PLUGIN, "-p", "no:cacheprovider", "-W", "error")
    result.assert_outcomes(passed=1)
    assert "dpaudit" not in result.stdout.str()
    assert files() == before


def test_audits_are_selected_by_node_name_marker_and_keyword(project):
    declare(
        project,
        "one = declare()\nmany = [declare(mechanism=broken), declare()]\n"
        "other = declare(expect='INCONCLUSIVE', name='the other')\n",
    )
    project.makepyfile(
        test_it="def test_plain(): pass\ndef test_fixture(dp): pass\n",
        test_own="import pytest\n@pytest.fixture\ndef dp(): pass\ndef test_own(dp): pass\n",
    )

    def chosen(*arguments):
        result = project.runpytest_inprocess(*HERE, "-q", "--collect-only", *arguments)
        return re.findall(r"^\S+::(.*)$", result.stdout.str(), re.M)

    audits = ["one", "many[0]", "many[1]", "the other"]
    assert chosen() == [*audits, "test_plain", "test_fixture", "test_own"]
    assert chosen("-m", "dpaudit") == [*audits, "test_fixture"]
    assert chosen("-m", "not dpaudit") == ["test_plain", "test_own"]
    assert chosen("audits/counts.py::many") == ["many[0]", "many[1]"]
    assert chosen("audits/counts.py::the other") == ["the other"]
    assert chosen("-k", "broken") == ["many[0]"]
    assert chosen("-k", "INCONCLUSIVE or plain") == ["the other", "test_plain"]


def test_last_failed_and_stop_at_first_work_as_for_tests(project):
    declare(project, "a = declare()\nb = declare('REFUTED')\nc = declare('REFUTED')\n")
    project.runpytest_inprocess(*HERE, "-x").assert_outcomes(passed=1, failed=1)
    declare(project, "a = declare()\nb = declare()\nc = declare('REFUTED')\n")
    project.runpytest_inprocess(*HERE, "--lf").assert_outcomes(passed=1)
    project.runpytest_inprocess(*HERE).assert_outcomes(passed=2, failed=1)


def test_audits_of_one_name_in_a_file_are_told_apart(project):
    declare(project, "a = declare('REFUTED', name='x')\nb = declare(name='x')\n")
    result = project.runpytest_inprocess(*HERE, "-rA")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["PASSED audits/counts.py::x (2)", "FAILED audits/counts.py::x -*"])


def test_file_that_cannot_be_used_is_an_error(project, monkeypatch):
    for name in [name for name in sys.modules if name.partition(".")[0] == "audits"]:
        monkeypatch.delitem(sys.modules, name)  # those of this repository, not of the project
    declare(project, "good = declare()\n", "a")
    declare(project, "import nowhere_at_all\n", "b", head="")
    declare(project, "", "c", head="")
    declare(project, "bad = declare(expect='DPA3')\n", "d")
    declare(project, "raise RuntimeError('\\x1b[31mred')\n", "e", head="")
    declare(project, "def test_it(): pass\n", "test_f", head="")
    for ignored in ("_shared", "__init__", "conftest"):
        declare(project, "", ignored, head="")
    result = project.runpytest_inprocess(*HERE)
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.assert_outcomes(errors=4)
    result.stdout.fnmatch_lines(
        [
            "audits/b.py does not import: *No module named 'nowhere_at_all' (line 1)",
            "audits/c.py declares no audit; bind a dpaudit.Audit to a name in it",
            "audits/d.py does not import: *violation id*",
            "audits/e.py does not import: *red*",
        ]
    )
    assert "\x1b[31mred" not in result.stdout.str()
    result = project.runpytest_inprocess(*HERE, "--continue-on-collection-errors")
    result.assert_outcomes(passed=2, errors=4)


def test_setting_says_which_files_hold_audits(project):
    project.makepyprojecttoml(
        '[tool.pytest.ini_options]\ndpaudit_files = ["privacy", "*_audits.py", "deep/*/a.py"]'
    )
    declare(project, "unseen = declare()\n")
    for name in ("privacy/near.py", "privacy/below/far.py", "src/shop_audits.py", "deep/x/a.py"):
        file = project.path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(TOLD + f"{file.stem} = declare()\n")
    (project.path / "privacy" / "_no.py").write_text("raise RuntimeError")
    result = project.runpytest_inprocess(*HERE, "-q", "--collect-only")
    assert re.findall(r"^(\S+)::\S*$", result.stdout.str(), re.M) == [
        "deep/x/a.py",
        "privacy/below/far.py",
        "privacy/near.py",
        "src/shop_audits.py",
    ]


@pytest.mark.parametrize("glob", ["audit", "audit/*.py", "privacy.txt", "deep/*/far/a.md"])
def test_setting_that_names_no_audit_files_is_refused(project, glob):
    project.makepyprojecttoml(f"[tool.pytest.ini_options]\ndpaudit_files = ['{glob}']")
    (project.path / "deep").mkdir()
    declare(project, "unseen = declare()\n")
    result = project.runpytest_inprocess(*HERE)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert f"dpaudit_files: '{glob}' is no folder" in result.stderr.str()


def test_audits_outside_of_the_testpaths_are_left_out_and_the_header_says_so(project):
    project.makepyprojecttoml('[tool.pytest.ini_options]\ntestpaths = ["tests"]')
    declare(project, "one = declare()\n")
    (project.mkdir("tests") / "test_it.py").write_text("def test_it(): pass\n")
    result = project.runpytest_inprocess(*HERE)
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(
        ["dpaudit: audits/ is not among the testpaths; its audits are not collected"]
    )
    result = project.runpytest_inprocess(*HERE, "audits")
    result.assert_outcomes(passed=1)
    assert "testpaths;" not in result.stdout.str()


def test_summary_is_short_when_asked_and_annotates_on_github(project, monkeypatch):
    declare(project, "a = declare()\nb = declare('REFUTED', name='50%, \\x1b[31m')\n")
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    result = project.runpytest_inprocess(*HERE, "-q", "--tb=line")
    text = result.stdout.str()
    assert "counts.py::a" not in text
    assert "Findings" not in text
    assert "2 audits: 1 as expected, 1 UNEXPECTED" in text
    assert "\x1b[31m" not in text
    result.stdout.fnmatch_lines(
        [
            "*audits/counts.py:4: REFUTED, expected NOT REFUTED: DPA103 leaked-local-sensitivity "
            "at audits/counts.py:4: too little noise",
            "::error file=audits/counts.py,line=4,title=DPA103 leaked-local-sensitivity::"
            "audits/counts.py::50%25, *: REFUTED, expected NOT REFUTED: *",
        ]
    )


def test_options_of_the_documents_are_those_that_there_are(project):
    page = (Path(__file__).parents[2] / "docs" / "ci.md").read_text(encoding="utf-8")
    shown = set(re.findall(r"`(--dpaudit-[\w-]+)`", page))
    text = project.runpytest_inprocess(*PLUGIN, "--help").stdout.str()
    assert shown == set(re.findall(r"^  (--dpaudit-[\w-]+)", text, re.M))
