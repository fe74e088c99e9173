"""Audits found in files."""

import sys

import pytest

from dpaudit.collect import CollectionError, collect
from dpaudit.roots import project_root

HEAD = """
from dpaudit.claims import PureDP
from dpaudit.declare import Audit
from dpaudit.neighbors import AddRemove, Real

def release(data, rng):
    return rng.laplace()

def declare(**options):
    return Audit(release, PureDP(1.0), AddRemove(Real(0, 1)), **options)
"""


@pytest.fixture
def project(tmp_path, monkeypatch):
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "audits").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", sys.path.copy())
    before = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - before:
        if name.split(".")[0] in ("audits", "deep") or "dpaudit_" in name:
            del sys.modules[name]


def write(project, name, body, head=HEAD):
    file = project / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(head + body)
    return file


def names(collection):
    return [a.name for a in collection.audits]


def test_audits_are_found_under_names_and_in_containers_in_order(project):
    write(
        project,
        "audits/b.py",
        "one = declare()\nmany = [declare(), 3, declare()]\n"
        "named = {'x': declare(name='the x')}\n_hidden = declare()\nagain = one\n",
    )
    write(project, "audits/a.py", "only = (declare(),)\n")
    found = collect(["audits"])
    assert names(found) == [
        "audits/a.py::only[0]",
        "audits/b.py::one",
        "audits/b.py::many[0]",
        "audits/b.py::many[2]",
        "audits/b.py::the x",
    ]
    assert found.failures == ()


def test_file_that_does_not_import_does_not_stop_the_others(project):
    write(project, "audits/a.py", "import nowhere_at_all\n")
    write(project, "audits/b.py", "syntax error here\n", head="")
    write(project, "audits/c.py", "raise SystemExit(3)\n", head="")
    write(project, "audits/d.py", "good = declare()\n")
    write(project, "audits/e.py", "bad = declare(expect='DPA3')\n")
    found = collect(["audits"])
    assert names(found) == ["audits/d.py::good"]
    said = {f.file: f.message for f in found.failures}
    assert "No module named 'nowhere_at_all' (line 11)" in said["audits/a.py"]
    assert "(line 1)" in said["audits/b.py"]
    assert "SystemExit" in said["audits/c.py"]
    assert "violation id" in said["audits/e.py"]


def test_file_without_audits_is_an_error_unless_its_name_begins_with_an_underscore(project):
    write(project, "audits/empty.py", "")
    write(project, "audits/_shared.py", "")
    write(project, "audits/.hidden/x.py", "")
    write(project, "audits/conftest.py", "")
    found = collect(["audits"])
    assert [f.file for f in found.failures] == ["audits/empty.py"]
    assert "declares no audit" in found.failures[0].message


def test_project_root_is_on_the_path_so_that_mechanisms_import(project, monkeypatch):
    write(project, "deep/odd.py", "def f(data, rng): return 1\n", head="")
    write(project, "audits/odd.py", "from deep.odd import f\nodd = declare()\n")
    monkeypatch.chdir(project / "audits")
    found = collect(["odd.py"])
    assert names(found) == ["odd.py::odd"]
    assert str(project) in sys.path
    assert project_root(project / "audits") == project


def test_functions_of_an_audit_file_can_be_imported_by_a_worker(project):
    write(project, "audits/near.py", "near = declare()\n")
    [found] = collect(["audits"]).audits
    assert found.audit.mechanism_name == "audits.near:release"


def test_file_named_like_a_module_of_python_does_not_replace_it(project):
    import json

    write(project, "json.py", "good = declare()\n")
    assert names(collect(["json.py"])) == ["json.py::good"]
    assert sys.modules["json"] is json


def test_audit_knows_the_line_on_which_its_variable_is_bound(project):
    write(project, "audits/x.py", "one = 3\none = declare()\nmany: list = [declare()]\n", HEAD)
    before = HEAD.count("\n")
    assert [a.line for a in collect(["audits"]).audits] == [before + 2, before + 3]


def test_edited_file_is_read_anew(project):
    write(project, "audits/x.py", "one = declare()\n")
    collect(["audits"])
    write(project, "audits/x.py", "other_name = declare()\n")
    assert names(collect(["audits"])) == ["audits/x.py::other_name"]


def test_file_and_name_select_an_audit_and_its_entries(project):
    write(project, "audits/x.py", "one = declare()\nmany = [declare(), declare()]\n")
    assert names(collect(["audits/x.py::one"])) == ["audits/x.py::one"]
    assert len(collect(["audits/x.py::many"]).audits) == 2
    missing = collect(["audits/x.py::two"])
    assert "no audit called 'two'" in missing.failures[0].message


def test_path_given_twice_is_collected_once(project):
    write(project, "audits/x.py", "one = declare()\n")
    assert names(collect(["audits", "audits/x.py"])) == ["audits/x.py::one"]


@pytest.mark.parametrize(
    ("pattern", "kept"),
    [
        ("one", ["one"]),
        ("ONE", ["one"]),
        ("*::t*", ["two"]),
        ("dpa103", ["two"]),
        ("NOT_REFUTED", ["one"]),
        ("release", ["one", "two"]),
        ("nothing", []),
    ],
)
def test_selection_is_by_name_mechanism_or_expectation(project, pattern, kept):
    write(project, "audits/x.py", "one = declare()\ntwo = declare(expect='DPA103')\n")
    chosen = collect(["audits"]).select([pattern])
    assert names(chosen) == [f"audits/x.py::{name}" for name in kept]


@pytest.mark.parametrize("path", ["nowhere", "readme.md"])
def test_path_without_python_is_refused(project, path):
    (project / "readme.md").write_text("")
    with pytest.raises(CollectionError, match=path):
        collect([path])


def test_a_file_that_needs_what_is_not_installed_is_skipped_and_never_run(project):
    body = 'REQUIRES = ("nowhere_at_all", "numpy")\nimport nowhere_at_all\none = declare()\n'
    write(project, "audits/a.py", body)
    write(project, "audits/b.py", 'REQUIRES = "numpy"\ntwo = declare()\n')
    found = collect(["audits"])
    assert names(found) == ["audits/b.py::two"]
    assert found.failures == ()
    [skip] = found.skipped
    assert (skip.file, skip.missing) == ("audits/a.py", ("nowhere_at_all",))
    assert skip.message == "skipped: nowhere_at_all is not installed"
    assert found.select(["two"]).skipped == found.skipped


def test_functions_of_an_audit_file_below_a_folder_can_be_sent_to_workers(project):
    import cloudpickle

    write(project, "audits/deeper/a.py", "one = declare()\n")
    [found] = collect(["audits"]).audits
    again = cloudpickle.loads(cloudpickle.dumps(found.audit.mechanism))
    assert again is found.audit.mechanism
