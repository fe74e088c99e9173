"""A cached result is used only while nothing has changed: each test here changes one thing."""

import importlib
import itertools
import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

import dpaudit.cache
import dpaudit.sources
from dpaudit.cache import Cache
from dpaudit.changed import ChangedError, changed_files, may_be_changed
from dpaudit.collect import collect
from dpaudit.outcome import CACHED, Outcome, row
from dpaudit.sources import SourceReader

OPTIONS = {"isolation": "process"}
AUDIT = """
from dpaudit import Audit, Pairs, PureDP
from {house} import count

count = Audit(
    count, PureDP(1.0), Pairs([([1.0], [1.0, 1.0])]),
    max_calls=600, alpha=1e-2, engines=["statistical"], expect={expect!r},
)
"""
HOUSE = """
from {scale} import SCALE
{more}
def count(data, rng):
    {first}
    return len(data) + rng.laplace(scale=SCALE)
"""
numbers = itertools.count()


class Project:
    """A project whose modules have names of their own, so that tests do not meet."""

    def __init__(self, root, more="", first="pass", expect="NOT_REFUTED"):
        self.root, number = root, next(numbers)
        self.names = {"house": f"house{number}", "scale": f"scale{number}"}
        (root / "pyproject.toml").write_text("")
        (root / "audits").mkdir()
        self.scale, self.house = (root / f"{name}.py" for name in self.names.values())
        self.house, self.scale = self.scale, self.house
        self.scale.write_text("SCALE = 1.0\n")
        self.house.write_text(HOUSE.format(**self.names, more=more, first=first))
        self.audit = root / "audits" / f"counts{number}.py"
        self.audit.write_text(AUDIT.format(**self.names, expect=expect))
        importlib.invalidate_caches()
        collection = collect([self.audit])
        assert not collection.failures
        [self.collected] = collection.audits

    def cache(self, options=OPTIONS, **given):
        given.setdefault("began", time.time_ns() + 10**9)  # as if files were older
        return Cache(self.root / "cache", options, {}, **given)

    def run(self, options=OPTIONS, **given):
        """Run the audit, and keep what it found; return why it would always run."""
        cache = self.cache(options, **given)
        assert cache.found(self.collected) is None
        report = self.collected.audit.run(progress=False, **cache.options_of(self.collected))
        cache.keep(Outcome(self.collected, report))
        cache.close()
        return cache.doubts.get(self.collected.name, "")

    def is_kept(self, options=OPTIONS, **given):
        return self.cache(options, **given).found(self.collected) is not None


@pytest.fixture
def project(tmp_path, monkeypatch):
    """Make a project of some sources."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    loaded = dpaudit.sources._loaded_files  # without the tests, which patch what they like
    mine = lambda: [file for file in loaded() if file.startswith(str(tmp_path))]  # noqa: E731
    monkeypatch.setattr("dpaudit.sources._loaded_files", mine)
    monkeypatch.setenv("KMP_DUPLICATE_LIB_OK", "True")  # as scikit-learn does when it is imported
    monkeypatch.setenv("KMP_INIT_AT_FORK", "FALSE")
    before = set(sys.modules)
    yield lambda *given, **named: Project(tmp_path, *given, **named)
    for name in set(sys.modules) - before:
        if str(getattr(sys.modules[name], "__file__", "")).startswith(str(tmp_path)):
            del sys.modules[name]


def test_an_unchanged_audit_is_found_and_its_row_says_so(project):
    made = project()
    assert made.run() == ""
    found = made.cache().found(made.collected)
    assert found["report"]["verdict"] == "NOT_REFUTED"
    assert row(Outcome(made.collected, recalled=found)).status == "ok (cached)"
    assert Outcome(made.collected, recalled=found).to_dict()[CACHED]


def test_a_constant_of_an_imported_module_counts(project):
    made = project()
    made.run()
    made.scale.write_text("SCALE = 0.1\n")
    assert not made.is_kept()
    made.scale.write_text("SCALE = 1.0\n")
    assert made.is_kept()


def test_claim_and_options_count(project):
    made = project()
    made.run()
    assert not made.is_kept({**OPTIONS, "max_calls": 700})
    assert not made.is_kept({**OPTIONS, "seed": 1})
    made.audit.write_text(made.audit.read_text().replace("PureDP(1.0)", "PureDP(0.5)"))
    assert not made.is_kept()


def test_a_module_that_a_function_imports_counts(project):
    made = project(first="from late import SHIFT; SHIFT")
    (made.root / "late.py").write_text("SHIFT = 1\n")
    made.run()
    assert made.is_kept()
    (made.root / "late.py").write_text("SHIFT = 2\n")
    assert not made.is_kept()


def test_a_module_that_appears_counts(project):
    made = project(more="try:\n    import local_settings\nexcept ImportError:\n    pass\n")
    made.run()
    assert made.is_kept()
    (made.root / "local_settings.py").write_text("")
    importlib.invalidate_caches()
    assert not made.is_kept()


def test_a_file_that_is_read_when_the_mechanism_runs_counts(project):
    made = project(first="open('rate.txt').close()")
    (made.root / "rate.txt").write_text("1.0")
    made.run()
    assert made.is_kept()
    (made.root / "rate.txt").write_text("0.1")
    assert not made.is_kept()
    (made.root / "rate.txt").unlink()
    assert not made.is_kept()


def test_what_looks_in_vain_for_a_file_is_not_kept(project):
    first = "\n    ".join(["try:", "    open('rate.txt').close()", "except OSError:", "    pass"])
    made = project(first=first)
    made.run()
    assert not made.is_kept()


def test_a_module_that_stands_in_the_way_of_an_installed_one_counts(project):
    made = project()
    made.run()
    (made.root / "scipy.py").write_text("")
    assert not made.is_kept()


def test_a_file_that_is_read_at_import_counts(project):
    made = project()
    data = made.root / "limits.csv"
    data.write_text("1")
    read = frozenset({str(data)})
    made.run(read=read)
    assert made.is_kept(read=read)
    data.write_text("2")
    assert not made.is_kept(read=read)


def test_a_source_that_changed_after_the_run_began_is_not_kept(project):
    made = project()
    made.run(began=time.time_ns() - 10**9)
    assert not made.is_kept()


def test_the_environment_counts_but_what_services_set_does_not_unless_it_is_named(
    project, monkeypatch
):
    monkeypatch.delenv("GITHUB_SHA", raising=False)
    made = project()
    made.run()
    monkeypatch.setenv("GITHUB_SHA", "abc")
    assert made.is_kept()
    monkeypatch.setenv("NOISE_SCALE", "2")
    assert not made.is_kept()


def test_a_variable_that_the_source_names_counts(project, monkeypatch):
    made = project(more="import os\nSHA = os.environ.get('GITHUB_SHA', '')\n")
    monkeypatch.setenv("GITHUB_SHA", "abc")
    made.run()
    assert made.is_kept()
    monkeypatch.setenv("GITHUB_SHA", "def")
    assert not made.is_kept()


def test_an_installed_package_counts_with_what_is_in_its_files(project, tmp_path, monkeypatch):
    folder = tmp_path / "lib" / "site-packages"
    info = folder / "vendored-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: vendored\nVersion: 1.0\n")
    (info / "top_level.txt").write_text("vendored\n")
    (info / "RECORD").write_text("vendored.py,,\nvendored-1.0.dist-info/RECORD,,\n")
    (folder / "vendored.py").write_text("SHIFT = 1\n")
    monkeypatch.syspath_prepend(folder)
    caches = [getattr(dpaudit.cache, n) for n in ("_installed", "_contents", "_distributions")]
    caches.append(dpaudit.cache._package_hash)

    def forget():
        for each in caches:
            each.cache_clear()

    forget()
    made = project(more="import vendored\n")
    made.run()
    assert made.is_kept()
    (folder / "vendored.py").write_text("SHIFT = 2\n")
    forget()
    assert not made.is_kept()
    (folder / "vendored.py").write_text("SHIFT = 1\n")
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: vendored\nVersion: 1.1\n")
    forget()
    assert not made.is_kept()
    forget()


def test_dpaudit_and_python_count(project, monkeypatch):
    made = project()
    made.run()
    with monkeypatch.context() as patch:
        patch.setattr("dpaudit.cache.dpaudit_hash", lambda: "another one")
        assert not made.is_kept()
    with monkeypatch.context() as patch:
        patch.setattr(sys, "version", "4.0")
        assert not made.is_kept()
    assert made.is_kept()


@pytest.mark.parametrize(
    "patching",
    ["import {scale}\n{scale}.SCALE = 0.1\n", "import {scale}\nsetattr({scale}, 'SCALE', 0.1)\n"],
)
def test_a_loaded_module_that_patches_others_counts_for_every_audit(project, patching):
    made = project()
    made.run()
    name = f"conftest_of_{made.names['house']}"
    (made.root / f"{name}.py").write_text(patching.format(**made.names))
    importlib.invalidate_caches()
    importlib.import_module(name)
    assert not made.is_kept()


@pytest.mark.parametrize(
    "more",
    [
        "import importlib\n",
        "helper = __import__('json')\n",
        "exec('A = 1')\n",
        "import subprocess\n",
        "import os\nALL = dict(os.environ)\n",
        "import os\nNAME = 'A'\nA = os.getenv(NAME)\n",
        "from os import environ as variables\n",
        "import os\nA = getattr(os, 'environ')\n",
        "import os\nA = os.path.exists('a')\n",
        "from os.path import exists\n",
        "import datetime\nTODAY = datetime.date.today()\n",
        "from time import time\n",
    ],
)
def test_what_the_text_does_not_show_is_a_doubt_and_the_audit_always_runs(project, more):
    made = project(more=more)
    assert made.names["house"] in made.run()
    assert not made.is_kept()
    assert may_be_changed(SourceReader().sources_of(made.collected), [Path("/elsewhere/a.md")])


@pytest.mark.parametrize(
    "first",
    ["__import__", "import os; os.listdir('.')", "import os; os.scandir('.').close()"],
)
def test_what_a_mechanism_asks_while_it_runs_is_not_kept(project, first):
    made = project(first=first)
    made.run()
    assert not made.is_kept()


def test_time_limits_and_shared_processes_are_never_cached(project):
    made = project()
    assert "time may end it" in made.run({**OPTIONS, "max_seconds": 60.0})
    assert "where all modules meet" in made.run({"isolation": "none"})


def test_what_the_time_of_a_run_has_ended_is_not_kept(project):
    made = project()
    cache = made.cache()
    assert cache.found(made.collected) is None
    report = made.collected.audit.run(progress=False, **cache.options_of(made.collected))
    cache.keep(Outcome(made.collected, report, unfinished=(1, 2)))
    assert not made.is_kept()
    cache.keep(Outcome(made.collected, report))
    assert made.is_kept()
    cache.close()


@pytest.mark.parametrize(("expect", "more"), [("VERIFIED", ""), ("INCONCLUSIVE", "")])
def test_what_is_unexpected_or_inconclusive_is_not_kept(project, expect, more):
    made = project(more=more, expect=expect)
    if expect == "INCONCLUSIVE":
        text = made.audit.read_text().replace('"statistical"', '"static"')
        made.audit.write_text(text)
        [made.collected] = collect([made.audit]).audits
    made.run()
    assert not made.is_kept()


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"layout": 1, "reads": {}, "audit": {}}'])
def test_a_file_of_the_cache_that_is_none_is_not_believed(project, text):
    made = project()
    made.run()
    [file] = (made.root / "cache").glob("*.json")
    file.write_text(text)
    assert not made.is_kept()


def test_a_kept_result_of_another_audit_is_not_believed(project):
    made = project()
    made.run()
    [file] = (made.root / "cache").glob("*.json")
    entry = json.loads(file.read_text())
    entry["audit"]["claim"] = "PureDP(0.1)"
    file.write_text(json.dumps(entry))
    assert not made.is_kept()


def git(folder, *arguments):
    subprocess.run(
        ["git", "-c", "user.name=a", "-c", "user.email=a@b.c", "-C", str(folder), *arguments],
        check=True,
        capture_output=True,
    )


@pytest.fixture
def committed(project, tmp_path):
    """A project in its first commit, and whether its audit may have changed since."""
    made = project()
    (tmp_path / "notes.md").write_text("a")
    (tmp_path / "other.py").write_text("A = 1\n")
    (tmp_path / ".gitignore").write_text("__pycache__\ncache\n")
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-q", "-m", "first")

    def changed():
        sources = SourceReader().sources_of(made.collected)
        return may_be_changed(sources, changed_files(tmp_path, "HEAD"))

    return made, changed


@pytest.mark.parametrize(
    ("file", "counts"),
    [
        ("notes.md", False),
        ("other.py", False),
        ("new.py", False),
        ("numpy.py", True),
        ("pyproject.toml", True),
        ("requirements.txt", True),
    ],
)
def test_an_audit_is_changed_by_what_it_may_depend_on(committed, file, counts):
    made, changed = committed
    assert not changed()
    (made.root / file).write_text("\n# changed\n")
    assert changed() is counts


def test_an_audit_is_changed_by_its_sources_also_where_one_is_gone(committed):
    made, changed = committed
    for file in (made.scale, made.house, made.audit):
        text = file.read_text()
        file.write_text(text + "\n")
        assert changed()
        file.write_text(text)
        assert not changed()
    made.scale.unlink()
    assert changed()


def test_a_revision_that_is_none_is_refused(committed):
    made, _ = committed
    for revision in ("nowhere", "--output=/tmp/x"):
        with pytest.raises(ChangedError, match="git does not say"):
            changed_files(made.root, revision)
