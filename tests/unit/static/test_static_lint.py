"""The linter: what it reads, what it leaves alone, and how it says so."""

import json
import re
import subprocess
import sys
from datetime import date
from pathlib import Path

import pytest
from click.testing import CliRunner

from dpaudit import AddRemove, PureDP, Real
from dpaudit.cli import cli
from dpaudit.evidence import Budget
from dpaudit.report.formats import LINT_FORMATS
from dpaudit.report.lint import lint_lines, lint_to_dict
from dpaudit.report.sarif import lint_sarif
from dpaudit.static import StaticEngine
from dpaudit.static.lint import LintError, lint
from dpaudit.subject import Subject
from tests.unit.static.wired_mechanisms import BROKEN, SOUND

ROOT = Path(__file__).parents[3]
LEAK = """\
def noisy_mean(data, rng, epsilon=1.0):
    spread = data.max() - data.min()
    return data.mean() + rng.laplace(scale=spread / epsilon)
"""
COUNT = """\
def noisy_share(data, rng, epsilon=1.0):
    return rng.laplace(scale=1 / (len(data) * epsilon)) + np.count_nonzero(data) / len(data)
"""


def written(folder, text, name="release.py"):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def ids(report, level="error"):
    return [finding.id for finding in report.findings if finding.level == level]


def run(*arguments):
    return CliRunner().invoke(cli, ["lint", *map(str, arguments)])


@pytest.fixture(scope="module")
def sound():
    """What is found in the sound reference mechanisms."""
    return lint(sorted((ROOT / "mechanisms").glob("*.py")))


def test_no_sound_mechanism_has_a_finding_but_advice_on_floats(sound):
    others = [f for f in sound.findings if (f.id, f.level) != ("DPA111", "warning")]
    assert others == []
    assert sound.failures == ()
    assert sound.functions > 100


def test_sound_code_in_other_styles_has_no_error():
    report = lint([Path(__file__).with_name("sound_in_other_styles.py")], everything=True)
    assert [f for f in report.findings if f.level == "error"] == []
    assert report.functions > 15


@pytest.mark.parametrize(
    "body",
    [
        "return secrets.token_hex(4), len(data)",
        "return {'id': uuid.uuid4(), 'count': len(data)}",
        "return f'{uuid.uuid4()}: {len(data)}'",
        "secrets.token_bytes(8)\n    return len(data)",
        "offset = open('offset.bin', 'rb').read(8)\n    return len(data) + offset[0]",
        "for i in range(9):\n        if secrets.randbelow(2):\n            break\n"
        "    return i, len(data)",
    ],
)
def test_random_numbers_beside_a_private_value_do_not_hide_it(tmp_path, body):
    text = f"import secrets, uuid\n\n\ndef release(data, epsilon=1.0):\n    {body}\n"
    engine = StaticEngine()
    path = written(tmp_path, text)
    scope = {"__name__": "release"}
    exec(compile(text, str(path), "exec"), scope)
    subject = Subject.of(scope["release"])
    found = engine.examine(subject, PureDP(1.0), AddRemove(Real(0, 1)), Budget()).findings
    assert [finding.id for finding in found if finding.level == "error"] == ["DPA101"]


@pytest.mark.parametrize(
    ("body", "id"),
    [
        ("return random.choices(sorted(set(data)), weights=[1 for _ in data])[0]", "DPA102"),
        (
            "options = sorted(set(data))\n"
            "    weights = [math.exp(data.count(o) / 2) for o in options]\n"
            "    return random.choices(options, weights=weights)[0]",
            "DPA109",
        ),
        (
            "counts = collections.defaultdict(int)\n    for x in data:\n        counts[x] += 1\n"
            "    return {k: c + rng.laplace(scale=1 / epsilon) for k, c in counts.items()}",
            "DPA109",
        ),
        (
            "counts = {c: sum(1 for x in data if x == c) for c in range(3)}\n"
            "    noisy = {c: n + rng.laplace(scale=1 / epsilon) for c, n in counts.items()}\n"
            "    return counts[max(noisy, key=noisy.get)]",
            "DPA101",
        ),
    ],
)
def test_choices_and_keys_are_found_by_their_own_ids(tmp_path, body, id):
    text = f"import collections, math, random\n\n\ndef f(data, rng, epsilon=1.0):\n    {body}\n"
    assert id in ids(lint([written(tmp_path, text)], everything=True))


@pytest.mark.parametrize(
    ("begun", "more", "found"),
    [
        ("dict.fromkeys(OPTIONS, 0)", "scores[x] = scores[x] + 1", False),
        ("dict.fromkeys(OPTIONS, 0)", "scores[x] += 1", False),
        ("{}", "scores[x] = scores.get(x, 0) + 1", True),
        ("collections.defaultdict(int)", "scores[x] = scores[x] + 1", True),
    ],
)
def test_an_entry_that_is_read_first_has_its_key_already(tmp_path, begun, more, found):
    text = (
        "import collections, math, random\n\nOPTIONS = ['a', 'b']\n\n\ndef f(data, epsilon=1.0):\n"
        f"    scores = {begun}\n    for x in data:\n        {more}\n    names = list(scores)\n"
        "    weights = [math.exp(epsilon * scores[n] / 2) for n in names]\n"
        "    return random.choices(names, weights=weights)[0]\n"
    )
    assert ("DPA109" in ids(lint([written(tmp_path, text)], everything=True))) == found


@pytest.mark.parametrize(
    ("made", "found"),
    [
        ("np.random.default_rng(7)", ["DPA110"]),
        ("np.random.RandomState(seed=7)", ["DPA110"]),
        ("np.random.default_rng()", []),
        ("None", []),
    ],
)
def test_a_generator_that_a_default_seeds_is_found(tmp_path, made, found):
    text = (
        "import numpy as np\n\n\n"
        f"def noisy_count(data, epsilon=1.0, generator={made}):\n"
        "    return len(data) + generator.laplace(0, 1 / epsilon)\n"
    )
    assert ids(lint([written(tmp_path, text)])) == found


@pytest.mark.parametrize(
    ("top", "draw", "line"),
    [
        ("np.random.seed(0)", "np.random.laplace(0, 1.0)", 3),
        ("SEED = 3\nrandom.seed(SEED)", "random.gauss(0, 1.0)", 4),
        ("def start():\n    np.random.seed(7)\n\n\nstart()", "np.random.laplace(0, 1.0)", 4),
        ("np.random.seed(0)", "random.gauss(0, 1.0)", None),
        ("if __debug__:\n    np.random.seed(0)", "np.random.laplace(0, 1.0)", None),
        ("import pytest\nnp.random.seed(0)", "np.random.laplace(0, 1.0)", None),
        ("np.random.seed(0)\nnp.random.seed()", "np.random.laplace(0, 1.0)", None),
    ],
)
def test_a_generator_of_the_process_that_the_file_seeds_is_found_at_its_line(
    tmp_path, top, draw, line
):
    text = (
        f"import random\nimport numpy as np\n{top}\n\n\n"
        f"def noisy_count(data, epsilon=1.0):\n    return len(data) + {draw} / epsilon\n"
    )
    found = [f for f in lint([written(tmp_path, text)]).findings if f.level == "error"]
    assert [(f.id, f.line) for f in found if f.id == "DPA110"] == (
        [] if line is None else [("DPA110", line)]
    )


def test_a_generator_that_a_class_seeds_is_found_at_its_line(tmp_path):
    text = (
        "import numpy as np\n\n\nclass Release:\n    rng = np.random.RandomState(7)\n\n"
        "    def noisy_count(self, data, epsilon=1.0):\n"
        "        return len(data) + self.rng.laplace(0, 1 / epsilon)\n"
    )
    [found] = [f for f in lint([written(tmp_path, text)]).findings if f.level == "error"]
    assert (found.id, found.line) == ("DPA110", 5)


def test_every_flawed_mechanism_is_found_or_its_defect_is_explained_as_hidden():
    from tools.static_table import FLAWED, HIDDEN, declared, found, pages

    seen = found()
    flawed = {path.stem for path in FLAWED.glob("*.py") if declared(path) is not None}
    assert flawed == set(seen) | set(HIDDEN)
    assert not set(seen) & set(HIDDEN)
    for path, text in pages(seen).items():
        assert path.read_text(encoding="utf-8") == text, "run python -m tools.static_table"


def test_a_leak_is_named_with_its_file_and_line(tmp_path):
    path = written(tmp_path, LEAK)
    done = run(path)
    assert done.exit_code == 1
    assert re.search(r"release\.py:3: error DPA103 leaked-local-sensitivity: ", done.output)


def test_code_that_draws_no_noise_is_read_only_on_request(tmp_path):
    path = written(tmp_path, "def mean(data):\n    return data.mean()\n")
    assert lint([path]).functions == 0
    assert lint([path], everything=True).functions == 1


def test_noise_without_a_word_of_privacy_is_left_alone(tmp_path):
    path = written(tmp_path, "def jitter(points, rng):\n    return points, rng.normal(size=2)\n")
    assert lint([path]).findings == ()


def test_nothing_of_the_linted_code_runs(tmp_path):
    mark = tmp_path / "ran"
    text = f"open({str(mark)!r}, 'w').close()\nimport audit_me_not\n" + LEAK
    assert ids(lint([written(tmp_path, text)])) == ["DPA103"]
    assert not mark.exists()


def test_a_file_that_does_not_parse_is_reported_and_the_rest_goes_on(tmp_path):
    written(tmp_path, "def broken(:\n", "broken.py")
    written(tmp_path, "x = 1\n", "fine.py")
    (tmp_path / "latin.py").write_bytes(b"x = '\xe9'\n")
    done = run(tmp_path)
    assert done.exit_code == 3
    assert "broken.py: not analysed: does not parse" in done.output
    assert "latin.py: not analysed: is not in the encoding" in done.output
    written(tmp_path, LEAK)
    assert run(tmp_path).exit_code == 1


def test_exit_codes_follow_fail_on(tmp_path):
    warning = written(tmp_path, "import numpy as np\n\n" + COUNT)
    assert ids(lint([warning])) == []
    assert "DPA103" in ids(lint([warning]), "warning")
    assert run(warning).exit_code == 0
    assert run(warning, "--fail-on", "warning").exit_code == 1
    assert run(written(tmp_path, LEAK), "--fail-on", "never").exit_code == 0
    assert run(tmp_path / "nowhere").exit_code == 2
    (tmp_path / "empty").mkdir()
    with pytest.raises(LintError, match="no Python files"):
        lint([tmp_path / "empty"])


def test_json_has_the_findings_as_reports_have_them(tmp_path):
    done = run(written(tmp_path, LEAK), "--format", "json")
    said = json.loads(done.output)
    first = said["findings"][0]
    assert (said["schema_version"], said["exit_code"], said["failures"]) == (1, 1, [])
    assert (first["id"], first["line"], first["engine"]) == ("DPA103", 3, "static")


@pytest.mark.parametrize(
    ("neighbors", "level"),
    [
        ("AddRemove(Real(0, 1))", "error"),
        ("ReplaceOne(Real(0, 1), size=5)", None),
        ("AddRemove(Real(0, 1), invariant='length')", None),
    ],
)
@pytest.mark.parametrize("mark", ["pyproject.toml", ".git/HEAD"])
def test_the_neighbors_of_an_audit_say_whether_the_size_is_private(
    tmp_path, neighbors, level, mark
):
    path = written(tmp_path, "import numpy as np\n\n" + COUNT, "shop/release.py")
    written(tmp_path, "", mark)
    audit = f"from shop.release import noisy_share\npeople = {neighbors}\n"
    written(tmp_path, audit + "share = Audit(noisy_share, PureDP(1.0), people)\n", "audits/a.py")
    found = {f.level for f in lint([path]).findings if f.id == "DPA103"}
    assert found == ({level} if level else set())


def test_a_function_of_an_audit_file_that_prepares_data_stands_for_the_mechanism(tmp_path):
    path = written(tmp_path, "import numpy as np\n\n" + COUNT)
    written(tmp_path, "", "pyproject.toml")
    audit = (
        "from release import noisy_share\n"
        "def ages(frame, rng):\n    return noisy_share(frame['age'], rng)\n"
        "share = Audit(ages, PureDP(1.0), AddRemove(Row(age=Real(0, 9))))\n"
    )
    written(tmp_path, audit, "audits/a.py")
    assert ids(lint([path])).count("DPA103") == 1


def test_a_comment_with_a_reason_sets_a_finding_aside(tmp_path):
    comment = '  # dpaudit: ignore[DPA103] reason="the spread is public" until=2030-01-01\n'
    path = written(tmp_path, LEAK.rstrip() + comment)
    report = lint([path], today=date(2029, 12, 31))
    assert ids(report) == []
    assert [reason for _, reason in report.ignored] == ["the spread is public"]


def test_a_comment_alone_on_its_line_is_for_the_statement_below(tmp_path):
    lines = LEAK.splitlines()
    lines.insert(2, '    # dpaudit: ignore[DPA103] reason="public"')
    assert ids(lint([written(tmp_path, "\n".join(lines) + "\n")])) == []


@pytest.mark.parametrize(
    ("comment", "why"),
    [
        ("ignore[DPA103]", "gives no reason"),
        ('ignore[DPA103] reason=" "', "gives no reason"),
        ('ignore reason="all of it"', "names nothing"),
        ('ignore[DPA999] reason="no such id"', "names DPA999, which is not a kind of violation"),
        ('ignore[DPA103] reason="old" until=2020-01-01', "has expired (2020-01-01)"),
        ('ignore[DPA103] reason="never" until=soon', "is not a date"),
    ],
)
def test_a_comment_that_does_not_hold_is_an_error_and_sets_nothing_aside(tmp_path, comment, why):
    path = written(tmp_path, f"{LEAK.rstrip()}  # dpaudit: {comment}\n")
    report = lint([path], today=date(2026, 1, 1))
    [wrong] = [f for f in report.findings if why in f.message]
    assert (wrong.id, wrong.level) == ("invalid-ignore", "error")
    assert any(f.id == "DPA103" and "scale" in f.message for f in report.findings)


def test_a_comment_that_does_not_hold_is_no_violation_in_any_output(tmp_path):
    report = lint([written(tmp_path, "SCALE = 1  # dpaudit: ignore\n")])
    assert report.exit_code() == 1
    [line, _] = lint_lines(report)
    assert "error invalid-ignore: the comment names nothing" in line
    told = json.loads(json.dumps(lint_to_dict(report, 1)))
    assert ids(report) == [f["id"] for f in told["findings"]] == ["invalid-ignore"]
    log = json.loads(lint_sarif(told))["runs"][0]
    [result] = log["results"]
    rule = log["tool"]["driver"]["rules"][result["ruleIndex"]]
    assert result["ruleId"] == rule["id"] == "invalid-ignore"
    assert len(log["invocations"][0]["toolConfigurationNotifications"]) == 1
    assert log["invocations"][0]["executionSuccessful"]
    others = [form for name, form in LINT_FORMATS.items() if name != "sarif"]
    assert all("DPA101" not in form(told) for form in others)


def comments(report):
    return [f for f in report.findings if f.id.endswith("-ignore")]


@pytest.mark.parametrize(
    "comment",
    [
        '# dpaudit: ingore[DPA103] reason="public"',
        "#dpaudit ignore DPA103",
        '# dpaudit ignore[DPA103] reason="public"',
        "# Dpaudit: Ignore[DPA103]",
        '# dpaduit: ignore[DPA103] reason="public"',
        '# dp-audit: ignore[DPA103] reason="public"',
        "# dpaudit: noqa[DPA103]",
        "# dpaudit: disable=DPA103",
        "# dpaudit: ignored",
        '# fmt: skip  # dpaudit: igonre[DPA103] reason="public"',
    ],
)
def test_a_misspelt_comment_is_an_error(tmp_path, comment):
    report = lint([written(tmp_path, f"{LEAK.rstrip()}  {comment}\n")])
    [wrong] = comments(report)
    assert (wrong.id, wrong.level, wrong.line) == ("invalid-ignore", "error", 3)
    assert "DPA103" in ids(report)
    assert "is misspelt; write # dpaudit: ignore[" in wrong.message


@pytest.mark.parametrize(
    "comment",
    [
        "# dpaudit reads this file, and finds DPA103",
        "# dpaudit: the scale is wrong here (DPA103)",
        "# audit: ignored cases are below",
        "# see dpaudit explain DPA103",
        "# the dpaudit ignore file",
        "# ignore DPA103",
    ],
)
def test_a_comment_that_speaks_of_dpaudit_is_no_misspelt_one(tmp_path, comment):
    report = lint([written(tmp_path, f"{LEAK.rstrip()}  {comment}\n")])
    assert "DPA103" in ids(report)
    assert comments(report) == []


def test_a_comment_that_sets_nothing_aside_is_a_warning_in_what_was_read(tmp_path):
    comment = '# dpaudit: ignore[DPA107] reason="paid for elsewhere"'
    lines = LEAK.splitlines()
    lines.insert(2, f"    {comment}")
    unread = f"def other(x):\n    return x  {comment}\n"
    path = written(tmp_path, "\n".join([*lines, unread]))
    [unused] = comments(lint([path]))
    assert (unused.id, unused.level, unused.line) == ("unused-ignore", "warning", 3)
    assert unused.message == "DPA107 is not found here; remove the comment"
    assert [f.line for f in comments(lint([path], everything=True))] == [3, 6]


def test_ids_of_a_comment_that_are_not_found_are_named(tmp_path):
    comment = '# dpaudit: ignore[DPA103,DPA107,DPA109] reason="public"'
    report = lint([written(tmp_path, f"{LEAK.rstrip()}  {comment}\n")])
    [unused] = comments(report)
    assert unused.message == "DPA107 and DPA109 are not found here; take these out of the comment"
    assert (report.exit_code(), report.exit_code("warning")) == (0, 1)
    told = json.loads(json.dumps(lint_to_dict(report, 0)))
    assert all(form(told) for form in LINT_FORMATS.values())


def test_a_module_is_no_list_that_grows(tmp_path):
    text = (
        "import numpy as np\n\ndef noisy_sum(data, rng, epsilon=1.0):\n"
        "    data = np.append(data, 0.0)\n"
        "    return np.pi + data.sum() + rng.laplace(scale=np.e / epsilon)\n"
    )
    assert ids(lint([written(tmp_path, text)])) == []


def test_words_in_a_string_are_no_comment(tmp_path):
    text = LEAK + 'NOTE = "# dpaudit: ignore[DPA103]"\n'
    assert ids(lint([written(tmp_path, text)])) == ["DPA103"]


def test_hostile_names_reach_the_terminal_as_text(tmp_path):
    folder = tmp_path / "evil\x1b[2Jname"
    written(folder, LEAK.replace("noisy_mean", "noisy_mea\u00f1"))
    written(folder, 'raise SyntaxError("\x1b]0;owned\x07"\n', "bad\u202e.py")
    done = run(tmp_path)
    assert done.exit_code == 1
    assert not set(done.output) & {"\x1b", "\x07", "\u202e"}
    assert "\\x1b[2J" in done.output


@pytest.mark.parametrize(
    "text",
    [
        "def noisy(data, rng, epsilon=1.0):\n" + "    data = data + 1\n" * 30_000,
        "def noisy(data, rng):\n    return " + "-" * 500 + "data + rng.laplace()\n",
        "def noisy(data, rng):\n    return noisy(data, rng) + rng.laplace()\n",
        "def noisy(*data, rng=None, **more):\n    return sum(data) + rng.laplace(**more)\n",
        "def noisy(data, rng):\n    (a, *b), c = data\n    return a[b:c] + rng.laplace()\n",
        "class A:\n    def noisy(self, data):\n        return self.b(data) + self.rng.laplace()\n",
        "def noisy(data, rng):\n    match data:\n        case [x, *y]:\n            return x\n"
        "    return rng.laplace()\n",
        "async def noisy(data, rng):\n    async for x in data:\n        yield x + rng.laplace()\n",
        "noisy = lambda data, rng: data + rng.laplace()\n",
        "def noisy(data, rng):\n    global x\n    x = data\n    del data\n    return rng.rand\n",
        "def noisy(data, rng):\n    return 10**10**10 + 1 / 0 + 2.0**99999 + rng.laplace(0, 0)\n",
    ],
)
def test_awkward_code_does_not_stop_the_linter(tmp_path, text):
    report = lint([written(tmp_path, text)], everything=True)
    assert all("too large" in failure.message for failure in report.failures)


def test_the_linter_loads_neither_scipy_nor_a_solver():
    code = (
        "import sys; from dpaudit.static.lint import lint; lint(['mechanisms/count.py'])\n"
        "print([m for m in ('scipy', 'z3', 'sklearn', 'sympy', 'mechanisms') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


def test_explain_prints_the_rules_of_an_id():
    said = CliRunner().invoke(cli, ["explain", "DPA110"]).output
    assert "dpaudit lint: shared-noise" in said
    assert "size=len(counts)" in said


def test_a_file_without_a_mechanism_is_told_what_the_linter_reads(tmp_path):
    file = tmp_path / "server.py"
    file.write_text("class Server:\n    def size(self):\n        return len(self.data)\n")
    counted, told = lint_lines(lint([file]))
    assert counted == "nothing found in 0 functions of 1 file"
    assert "With --all it reads every function and method." in told
    assert lint_lines(lint([file], everything=True)) == ["nothing found in 1 function of 1 file"]


def test_explain_lists_the_functions_that_the_page_of_the_docs_lists():
    said = CliRunner().invoke(cli, ["explain", "functions"]).output
    page = (ROOT / "docs/functions.md").read_text(encoding="utf-8")
    names = re.findall(r"`([\w.]+)`", page.partition("| of | functions |")[2])
    assert len(names) > 300
    assert set(names) - set(re.findall(r"[\w.]+", said)) == {"scipy.special"}  # of the text


@pytest.mark.parametrize("name", SOUND)
def test_a_sound_mechanism_has_no_error_as_a_stranger_wires_it(name):
    mechanism, neighbors = SOUND[name]
    assert [f for f in found_as_wired(mechanism, neighbors) if f.level == "error"] == []


@pytest.mark.parametrize("name", BROKEN)
def test_its_broken_twin_has_the_error_that_fits(name):
    mechanism, neighbors, id = BROKEN[name]
    errors = [f for f in found_as_wired(mechanism, neighbors) if f.level == "error"]
    assert id in {each for error in errors for each in (error.id, *error.also)}


def found_as_wired(mechanism, neighbors):
    """Return what the static engine finds, which runs nothing."""
    budget = Budget(1e-6, 1, None, 0, "real")
    return StaticEngine().examine(Subject.of(mechanism), PureDP(1.0), neighbors, budget).findings


def test_functions_that_look_like_mechanisms_and_have_no_audit_are_named(tmp_path):
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "audits").mkdir()
    (tmp_path / "shop.py").write_text(
        "def shifted(data, rng):\n    return len(data) + rng.laplace()\n\n"
        "def audited(data, rng):\n    return 2 * shifted(data, rng)\n\n"
        "def forgotten(data, rng):\n    return data.sum() + rng.laplace()\n\n"
        "def mean(data):\n    return data.mean()\n"
    )
    (tmp_path / "audits" / "shop_audits.py").write_text(
        "from dpaudit import AddRemove, Audit, PureDP, Real\nfrom shop import audited\n"
        "a = Audit(audited, PureDP(1.0), AddRemove(Real(0, 1)))\n"
    )
    found = lint([tmp_path / "shop.py"])
    assert [(line, name) for _, line, name in found.unaudited] == [(7, "forgotten")]
    assert lint([tmp_path / "shop.py"], everything=True).unaudited == found.unaudited
