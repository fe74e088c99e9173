"""What `make quick` runs: the tests near a change, within a budget."""

import subprocess
from pathlib import Path

import pytest

from tools.durations import merged
from tools.quick import Part, arguments, changed_files, parts, within
from tools.source_graph import source_graph

FILES = {
    "dpaudit/__init__.py": "if TYPE_CHECKING:\n    from dpaudit.auditor import audit as audit\n",
    "dpaudit/auditor.py": "def audit():\n    from dpaudit.rules import ALL\n",
    "dpaudit/claims.py": "",
    "dpaudit/rules/__init__.py": "ALL = [import_module(name) for name in names]\n",
    "dpaudit/rules/one.py": "from dpaudit.claims import PureDP\n",
    "dpaudit/broken.py": "this is no Python",
    "mechanisms/flawed/twice.py": "",
    "tests/conftest.py": "",
    "tests/programs.py": "import dpaudit\n\ndef run():\n    dpaudit.audit()\n",
    "tests/unit/test_claims.py": "from dpaudit.claims import PureDP\n",
    "tests/unit/test_audit.py": "from tests.programs import run\n",
    "tests/unit/test_public.py": "import dpaudit\n",
    "tests/unit/test_twins.py": "load = lambda name: import_module(f'mechanisms.flawed.{name}')\n",
    "tests/unit/test_page.py": "from pathlib import Path\nPAGE = Path() / 'docs' / 'page.md'\n",
}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def reached(tree, *changed):
    found = source_graph(tree, changed).distances(changed)
    return {Path(file).stem: n for file, n in found.items() if "/test_" in file}


def test_who_imports_a_module_is_nearer_than_who_imports_its_users(tree):
    steps = reached(tree, "dpaudit/claims.py")
    assert steps == {"test_claims": 1, "test_audit": 5}  # by programs, auditor, rules, one


def test_a_public_name_leads_to_its_home_and_the_package_to_nothing_more(tree):
    assert reached(tree, "dpaudit/auditor.py") == {"test_audit": 2}
    assert reached(tree, "dpaudit/__init__.py").keys() >= {"test_public", "test_audit"}


def test_a_module_that_is_gone_or_imported_by_a_computed_name_is_followed(tree):
    (tree / "dpaudit/claims.py").unlink()
    assert "test_claims" in reached(tree, "dpaudit/claims.py")
    assert reached(tree, "mechanisms/flawed/twice.py") == {"test_twins": 1}


def test_what_a_test_reads_and_what_a_folder_shares_is_followed(tree):
    assert reached(tree, "docs/page.md") == {"test_page": 1}
    assert reached(tree, "docs/other.md") == {"test_page": 1}, "it may read the whole folder"
    assert len(reached(tree, "tests/conftest.py")) == 5


def test_the_nearest_run_first_then_the_cheapest_as_long_as_the_budget_lasts():
    durations = {"test_a.py": {"": 1.0, "test_long": 50.0}, "test_b.py": {"": 3.0}}
    near = parts({"test_b.py": 2, "test_a.py": 1, "test_new.py": 1, "x.py": 0}, durations)
    assert [(p.file, p.test) for p in near] == [
        ("test_a.py", ""),
        ("test_new.py", ""),
        ("test_a.py", "test_long"),
        ("test_b.py", ""),
    ]
    assert [p.file for p in within(20.0, near)] == ["test_a.py", "test_new.py", "test_b.py"]


def test_of_a_file_that_is_run_in_part_the_tests_are_named(tmp_path):
    (tmp_path / "test_a.py").write_text(
        "def helper(): ...\ndef test_one(): ...\ndef test_on(): ...\ndef test_long(): ...\n"
    )
    durations = {"test_a.py": {"": 1.0, "test_long": 50.0}}
    rest, long = Part("test_a.py", "", 1, 1.0), Part("test_a.py", "test_long", 1, 50.0)
    assert arguments(tmp_path, [rest, long], durations) == ["test_a.py"]
    assert arguments(tmp_path, [long], durations) == ["test_a.py::test_long"]
    assert arguments(tmp_path, [rest], durations) == ["test_a.py::test_one", "test_a.py::test_on"]


def test_changes_are_those_of_the_branch_and_on_main_the_last_ones(tmp_path):
    def git(*arguments):
        identity = ("-c", "user.name=a", "-c", "user.email=a@localhost")
        subprocess.run(["git", *identity, *arguments], cwd=tmp_path, check=True, stdout=-3)

    def commit(name):
        (tmp_path / name).write_text(name)
        git("add", ".")
        git("commit", "--quiet", "--message", name)

    git("init", "--quiet", "--initial-branch", "main")
    commit("first")
    commit("second")
    assert changed_files(tmp_path) == ["second"]
    (tmp_path / "new").touch()
    assert changed_files(tmp_path) == ["new"]
    git("switch", "--quiet", "--create", "branch")
    commit("third")
    (tmp_path / "first").write_text("changed")
    assert changed_files(tmp_path) == ["first", "new", "third"]


def test_a_record_keeps_files_that_were_not_run_and_names_the_expensive_tests():
    known = {"test_a.py": {"": 9.0}, "test_b.py": {"": 1.0}}
    new = merged(known, {"test_a.py": {"test_x": 0.25, "test_y": 0.5, "test_z": 4.0}})
    assert new == {"test_a.py": {"": 0.8, "test_z": 4.0}, "test_b.py": {"": 1.0}}
