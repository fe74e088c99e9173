"""Certificates and other files from strangers: nothing false is accepted, nothing named is run."""

import json
import os
import sqlite3
import subprocess
import sys
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import pytest
from click.testing import CliRunner

from benchmarks import tampering
from benchmarks.tampering import EDITS, HELPER, MODULE, SOURCE, sealed, tampered, tried
from dpaudit.checker import check
from dpaudit.checker.file import NotCheckedError
from dpaudit.checker.texts import Texts
from dpaudit.cli import cli
from tests.sweeps import sampled

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Certificates of each kind, and the folder of the modules that they are about."""
    folder = tmp_path_factory.mktemp("tampered").resolve()
    tampering.write_modules(folder)
    return tampering.certificates(folder), folder


@pytest.fixture
def here(made, monkeypatch):
    tampering.write_modules(made[1])
    monkeypatch.chdir(made[1])
    return made[1]


@pytest.fixture
def kept(made):
    return made[0]


def run(*arguments):
    return CliRunner().invoke(cli, [*map(str, arguments)])


def written(here, content):
    file = here / "c.json"
    file.write_text(json.dumps(content))
    return file


def test_the_code_at_hand_is_accepted_wherever_it_lies(kept, here, tmp_path, monkeypatch):
    for name in ("cost", "count", "alignment", "sensitivity", "derivation"):
        found = check(kept[name])
        assert found.accepted, (name, found.reason)
    (tmp_path / f"{MODULE}.py").write_text("# of another length\n\n" + SOURCE)
    (tmp_path / "tampered_scale.py").write_text(HELPER)
    monkeypatch.chdir(tmp_path)
    for name in ("cost", "count", "alignment", "exact", "sensitivity"):
        found = check(kept[name])
        assert found.accepted, (name, found.reason)
        assert any(str(tmp_path / MODULE) in said for said in found.says)
    assert check(kept["exact"], source=tmp_path / f"{MODULE}.py").accepted
    assert MODULE not in sys.modules


def test_no_tampered_file_is_accepted_for_what_was_not_proved(kept, here):
    outcomes = [tried(*each, kept, here) for each in tampered(kept, 150, 7)]
    assert [each for each in outcomes if each.fault] == []
    assert {each.result for each in outcomes} == {"accepted", "rejected", "not checked"}


@pytest.mark.parametrize("edit", EDITS, ids=lambda edit: edit[1][:20])
@pytest.mark.parametrize("name", ["cost", "count", "alignment", "sensitivity"])
def test_source_that_was_edited_is_no_longer_that_of_the_proof(kept, here, name, edit):
    outcome = tried(f"{name}: source", kept[name], edit, kept, here)
    assert not outcome.fault
    assert (outcome.result == "accepted") is not tampering._concerns(edit, kept[name])


@pytest.mark.parametrize("name", ["cost", "count", "alignment", "exact", "evidence"])
@pytest.mark.parametrize("place", tampering.NAMES)
def test_what_a_certificate_names_is_not_imported_and_not_called(kept, here, name, place):
    content = json.loads(json.dumps(kept[name]))
    content["subject"]["mechanism"] = place
    outcome = tried(f"{name}: {place}", sealed(content), None, kept, here)
    assert not outcome.fault
    assert outcome.result != "accepted"


@pytest.mark.parametrize(
    "place",
    ["os:system", "builtins:exec", "json:codecs.open", "dpaudit.cli:cli",
     "named_module:system", "named_module:os.system", "named_module:join",
     "named_module:shell", "named_module:Popen", "functools.partial(named_module:join, 1)",
     "named_module:audit", "named_module:printing", "named_module:bound"],
)  # fmt: skip
@pytest.mark.parametrize("name", ["evidence"])
def test_the_standard_library_and_dpaudit_are_refused_though_the_reader_names_them(
    kept, here, name, place, monkeypatch
):
    (here / "named_module.py").write_text(
        "import functools, os\nfrom os import system\nfrom os.path import join\n"
        "from subprocess import Popen\nfrom dpaudit import audit\nimport json\n"
        "from pathlib import Path\nshell = functools.partial(system)\n"
        "printing = functools.partial(functools.partial(json.dumps))\nbound = Path('x').unlink\n"
    )
    monkeypatch.syspath_prepend(str(here))
    found = check(kept[name], mechanism=place)
    assert not found.accepted
    assert "no audit is of that" in found.reason or "no function in Python" in found.reason
    sys.modules.pop("named_module", None)


@pytest.mark.parametrize("name", sampled(["cost", "count", "alignment", "exact"], 2))
def test_with_a_mechanism_that_the_reader_names_the_proof_must_be_of_it(kept, here, name):
    own = kept[name]["subject"]["mechanism"]
    for place, code in ((own, 0), (f"{MODULE}:other", 1)):
        done = subprocess.run(
            [sys.executable, "-m", "dpaudit", "check", written(here, kept[name]), "--mechanism",
             place],
            capture_output=True, text=True, check=False, cwd=here,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )  # fmt: skip
        assert done.returncode == code, done.stdout + done.stderr


def test_a_certificate_whose_code_is_not_at_hand_exits_with_three(kept, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = run("check", written(tmp_path, kept["cost"]))
    assert done.exit_code == 3
    assert "not compared: no text of the module" in done.output
    assert "the proof itself is right" in done.output
    assert run("check", tmp_path / "c.json", "--no-source").exit_code == 3
    file = tmp_path / "elsewhere.py"
    file.write_text(SOURCE)
    (tmp_path / "tampered_scale.py").write_text(HELPER)
    assert run("check", tmp_path / "c.json", "--source", file).exit_code == 0
    both = run("check", tmp_path / "c.json", "--source", file, "--mechanism", "a:b")
    assert both.exit_code == 2


HARMFUL = {
    "a call": "SIDE = print('x')",
    "a call of a first-party function": "def array(x): return x\nSIDE = array(1)",
    "a key that is called": "def key(x): return x\nSIDE = max([1], key=key)",
    "a mutated module": "np.pi = 3",
    "a deletion": "del EPSILON",
    "a loop": "for EPSILON in (1.0, 9.0): pass",
    "a second binding": "EPSILON = 9.0",
    "a global statement": "def change():\n    global EPSILON\n    EPSILON = 9.0",
    "a star": "from tampered_scale import *",
    "an unknown decorator": "@scale_of\ndef f(): pass",
    "a false cache": "def cache(f): return f\n@cache\ndef f(): pass",
    "a default that calls": "def f(x=scale_of(1)): pass",
    "a class that takes part": "class A(dict): pass",
    "a class whose body calls": "class A:\n    x = scale_of(1)",
    "an annotation that calls": "x: scale_of(1) = 2",
    "a try": "try:\n    EPSILON = 9.0\nfinally:\n    pass",
    "a walrus": "y = (EPSILON := 9.0)",
    "a comprehension that calls": "y = [scale_of(z) for z in (1,)]",
    "another definition": "def count(data, rng):\n    return len(data)",
    "the built-ins": "def least(x): return 0\n__builtins__ = {'len': least}",
    "a module that computes its names": "def __getattr__(name): return 0",
    "a class that computes its items": "class A:\n"
    "    def __class_getitem__(cls, x): return x\ny: A[1] = 1",
    "a class that computes its members": "from enum import Enum\n"
    "class A(Enum):\n    x = 1\n    def __init__(self, v): pass",
    "a false TYPE_CHECKING": "TYPE_CHECKING = True\nif TYPE_CHECKING:\n    exec('EPSILON = 9.0')",
    "a base that takes part": "class Protocol:\n"
    "    def __init_subclass__(cls): pass\nclass A(Protocol): pass",
    "a shadowed built-in": "def len(x): return 0\nSENSITIVITY = len(())",
    "an argument of a decorator": "from functools import lru_cache\n"
    "@lru_cache(maxsize=(EPSILON := 9))\ndef f(): pass",
    "an argument of dataclass": "from dataclasses import dataclass\n"
    "@dataclass(frozen=exec('EPSILON = 9.0'))\nclass A: pass",
    "an argument of a base": "from typing import Protocol, TypeVar\nT = TypeVar('T')\n"
    "class A(Protocol[(exec('EPSILON = 9.0'), T)[1]]): pass",
    "a class that has a signature": "from dataclasses import dataclass\n@dataclass\n"
    "class A:\n    def __signature__(): return '()'",
    "a decorator of the class's own": "from functools import cache\nclass A:\n"
    "    def cache(f): pass\n    @cache\n    def g(self): pass",
    "a built-in of the class's own": "class A:\n    def float(x): pass\n    y = float(1)",
    "an import in a class": "class A:\n    from builtins import exec as float\n"
    "    y = float('EPSILON = 9.0')",
    "a module that is not there": "import nowhere_at_all",
}
_CLASS = "class A:\n    def keys(): return ()\n    sqrt = exp = keys\n"
HARMFUL |= {
    f"a class in {value}": _CLASS + f"y = {value}"
    for value in (
        "dict(A)", "{**A}", "dict(**A)", "np.sqrt(A)", "np.exp([A])", "np.array(A)", "dict(*[A])",
        "dict(A if 1 else 2)", "[np.sqrt(x) for x in (A,)]", "np.exp([x for x in (A,)])",
        "[np.exp(x) for y in ((A,),) for x in y]",
    )
} | {
    "a class under another name": _CLASS + "B, C = A, 1\ny = dict(B)",
    "a class in a list": _CLASS + "B = [A]\ny = np.exp(B)",
    "a class in a class": "A = 1\nclass B:\n    class A:\n        def sqrt(): pass\n"
    "    x = np.sqrt(A)",
    "a class in a default": _CLASS + "def f(x=dict(A)): pass",
    "a class in partial": "from functools import partial\n" + _CLASS + "y = partial(print, **A)",
}  # fmt: skip


# Each calls `changes` while the module is imported, under a name that means something else outside.
_CHANGES = "def changes(*given):\n    print(given)\n    return 0\n"
_HIDDEN = {
    "a list": "[float(0) for float in (changes,)]",
    "a set": "{len(0) for len in [changes]}",
    "a dict": "{0: abs(0) for abs in [changes]}",
    "a generator": "tuple(int(0) for int in (changes,))",
    "a condition": "[1 for len in [changes] if len(0)]",
    "an inner loop": "[1 for len in [changes] for y in (len(0),)]",
    "a nested one": "[[len(0) for y in (1,)] for len in [changes]]",
    "an import": "[np(0) for np in (changes,)]",
    "a class that a loop hides": "dict(A if [A for A in ()] == [] else {})",
    "a class that is spread": "{**(A if [A for A in ()] == [] else {})}",
}
_WHERE = {
    "a default": "def f(x={}): pass",
    "a keyword's default": "async def f(*, x={}): pass",
    "a default of a lambda": "Z = lambda x={}: x",
    "a note": "def f(x: {}): pass",
    "an answer's note": "def f() -> {}: pass",
    "a decorator": "from functools import lru_cache\n@lru_cache(typed={})\ndef f(x): pass",
    "a dataclass": "from dataclasses import dataclass\n@dataclass(frozen={})\nclass B: pass",
    "a method": "class B:\n    def f(self, x={}): pass",
    "a value": "Z = {}",
    "a note of a value": "Z: {} = 1",
}
HARMFUL |= {
    f"{hidden} that hides a name in {place}": _CHANGES + _CLASS + _WHERE[place].format(text)
    for hidden, text in _HIDDEN.items()
    for place in _WHERE
}


@pytest.mark.parametrize("what", sampled(HARMFUL, 20))
def test_what_importing_a_module_could_change_keeps_it_from_being_accepted(kept, here, what):
    (here / f"{MODULE}.py").write_text(SOURCE + "\n\n" + HARMFUL[what] + "\n")
    assert not check(kept["count"]).accepted
    if what not in ("a star", "another definition"):
        (here / f"{MODULE}.py").write_text(SOURCE)
        harm = HARMFUL[what].replace("EPSILON", "SENSITIVITY")
        (here / "tampered_scale.py").write_text(f"import numpy as np\n{HELPER}\n\n{harm}\n")
        assert not check(kept["cost"]).accepted


@pytest.mark.parametrize(
    "line",
    ["from numpy.f2py.__main__ import main", "import numpy.f2py.__main__ as main",
     "from numpy.f2py import __main__ as main", "from numpy.testing import overrides as main",
     "from numpy.distutils.command.build import main", "import scipy._lib._pep440 as main"],
)  # fmt: skip
def test_no_module_of_a_library_is_imported_that_may_do_anything_then(kept, here, line):
    """``numpy.f2py.__main__`` reads files of the folder, runs what they hold, and exits with 0."""
    text = SOURCE.replace("EPSILON = 1.0", f"{line}\nEPSILON = 1.0")
    text = text.replace("(data, rng):\n", "(data, rng):\n    if len(data) < 0: main()\n", 1)
    (here / f"{MODULE}.py").write_text(text)
    (here / ".f2py_f2cmap").write_text("open('called', 'w').close() or {}")
    before = set(sys.modules)
    done = run("check", written(here, kept["count"]))
    assert done.exit_code == 3, done.output
    assert not (here / "called").exists()
    assert not {"numpy.f2py.__main__", "scipy._lib._pep440"} & (set(sys.modules) - before)
    (here / ".f2py_f2cmap").unlink()


@pytest.mark.parametrize("package", ["", "inner."])
def test_a_named_file_is_not_joined_with_modules_of_another_folder(
    kept, here, tmp_path, monkeypatch, package
):
    """What is imported beside the file, and from the working directory, may be two modules."""
    folder = tmp_path / "incoming" / package.strip(".")
    folder.mkdir(parents=True)
    text = SOURCE.replace("tampered_scale", f"{package}tampered_scale")
    for home in (tmp_path, tmp_path / "incoming"):
        helper = home / package.strip(".") / "tampered_scale.py"
        helper.parent.mkdir(exist_ok=True)
        helper.write_text(HELPER)
    file = tmp_path / "incoming" / f"{MODULE}.py"
    file.write_text(text)
    monkeypatch.chdir(tmp_path)
    found = check(kept["cost"], source=file)
    assert found.accepted or package, found.reason  # with a package it is another program
    (folder / "tampered_scale.py").write_text(HELPER.replace("1.0", "0.001"))
    found = check(kept["cost"], source=file)
    assert found.not_checked
    assert "run the check in the folder" in found.reason
    (tmp_path / package.strip(".") / "tampered_scale.py").unlink()
    assert not check(kept["cost"], source=file).accepted


@pytest.mark.parametrize("kind", ["pipe", "device", "folder"])
def test_source_that_is_no_regular_file_is_not_read(kept, tmp_path, kind):
    file = tmp_path / "source.py"
    make = {"pipe": os.mkfifo, "folder": os.mkdir, "device": lambda f: f.symlink_to("/dev/zero")}
    make[kind](file)
    assert "no regular file" in check(kept["count"], source=file).reason


HARMLESS = {
    "data": "from math import sqrt\nN = 5\nG = np.array([sqrt(i) for i in range(N)])\n"
    "D = {**dict(a=1, b=N), 'c': len((1, N))}\nL = [*range(3), SENSITIVITY]",
    "classes": "from dataclasses import dataclass, field\nfrom typing import NamedTuple\n"
    "@dataclass(frozen=True)\nclass A:\n    sum: float = 1.0\n"
    "    y: list[int] = field(default_factory=list)\n    def len(self): return 1\n"
    "class B(NamedTuple):\n    x: int = 1",
    "loops over one name": "L = [i for i in range(3)]\n"
    "M = {i: j for i in range(2) for j in (i, i)}\n"
    "def f(x=[[i for i in (j, 1)] for j in range(2)]): pass",
    "parts of libraries": "from collections.abc import Sequence\n"
    "from numpy.random import Generator\nfrom scipy import special, stats\n"
    "import scipy.special as sc\ndef f(x: Generator): pass",
    "functions": "from functools import lru_cache, partial\n@lru_cache(maxsize=None)\n"
    "def f(x): return x\ng = partial(other, rng=None)",
}


@pytest.mark.parametrize("what", HARMLESS)
def test_what_importing_a_module_cannot_change_is_accepted(kept, here, what):
    (here / f"{MODULE}.py").write_text(SOURCE + "\n\n" + HARMLESS[what] + "\n")
    found = check(kept["count"])
    assert found.accepted, found.reason


@pytest.mark.parametrize(
    "file",
    [f"{MODULE}/__init__.pyc", "numpy.pyc", "math/__init__.pyc", "tampered_scale/__init__.pyc",
     f"{MODULE}/__init__{EXTENSION_SUFFIXES[-1]}", f"numpy{EXTENSION_SUFFIXES[0]}"],
)  # fmt: skip
def test_compiled_code_that_python_prefers_to_the_text_is_not_accepted(
    kept, tmp_path, monkeypatch, file
):
    tampering.write_modules(tmp_path)
    monkeypatch.chdir(tmp_path)
    assert check(kept["cost"]).accepted
    (tmp_path / file).parent.mkdir(exist_ok=True)
    (tmp_path / file).write_bytes(b"")
    assert not check(kept["cost"]).accepted


def test_an_imported_module_of_compiled_code_is_not_accepted(kept, here):
    (here / f"{MODULE}.py").write_text(SOURCE + "\n\nimport compiled_module\n")
    (here / "compiled_module.pyc").write_bytes(b"")
    assert "compiled" in check(kept["count"]).reason


def test_a_folder_that_is_called_site_packages_is_not_trusted(kept, tmp_path, monkeypatch):
    folder = tmp_path / "site-packages"
    folder.mkdir()
    tampering.write_modules(folder)
    monkeypatch.chdir(folder)
    assert check(kept["count"]).accepted
    (folder / f"{MODULE}.py").write_text(SOURCE + "\n\nexec('EPSILON = 9.0')\n")
    assert check(kept["count"]).not_checked


@pytest.mark.parametrize(
    ("text", "value"),
    [("X, Y = (1, 2), 3", (1, 2)), ("Y, X = (1, 2), 3", 3), ("Y, (Z, X) = 1, (2, 3)", 3),
     ("X = Y, Z = 1, 2", (1, 2)), ("Y, Z = X = 1, 2", (1, 2)), ("(X,) = ((1, 2),)", (1, 2)),
     ("Y = 1, 2\nX, Z = Y", None), ("X, Y = *(1, 2),", None), ("X, Y = 'ab'", None)],
)  # fmt: skip
def test_a_name_has_the_value_that_python_gives_it(tmp_path, monkeypatch, text, value):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "unpacked.py").write_text(text + "\n")
    if value is None:
        with pytest.raises(NotCheckedError):
            Texts().function("unpacked", "X")
    else:
        space = {}
        exec(text, space)
        assert Texts().function("unpacked", "X") == value == space["X"]


@pytest.mark.parametrize(
    ("package", "accepted"),
    [("import good as helper", False), ("from good import scale as helper", False),
     ("helper = 1", False), ("from pack.helper import helper", True),
     ("from . import helper", True), ("import pack.helper as helper", True), ("", True)],
)  # fmt: skip
def test_a_submodule_may_not_stand_for_a_name_of_its_package(
    tmp_path, monkeypatch, package, accepted
):
    """Importing ``pack.helper`` binds ``pack.helper``, whatever the package bound before."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pack").mkdir()
    (tmp_path / "pack" / "__init__.py").write_text(package + "\n")
    (tmp_path / "pack" / "helper.py").write_text("def helper():\n    return 0.001\n")
    (tmp_path / "good.py").write_text("def scale():\n    return 1.0\n")
    text = "import pack\nfrom pack.helper import helper as unused\n\n\ndef f():\n    return pack\n"
    (tmp_path / "uses.py").write_text(text)
    if accepted:
        assert Texts().function("uses", "f") is not None
    else:
        with pytest.raises(NotCheckedError, match="may stand for"):
            Texts().function("uses", "f")


def test_an_encoding_behind_another_end_of_line_is_read_as_python_reads_it(kept, here):
    """Python finds the encoding in the second line, also where a carriage return ends the first."""
    content = f"\r# coding: utf-7\r\n{SOURCE}".encode()
    (here / f"{MODULE}.py").write_bytes(content)
    assert not check(kept["count"]).accepted


def test_code_that_python_would_read_otherwise_is_not_accepted(kept, here):
    """A comment in UTF-7 is code; a file of the project stands for one of the standard library."""
    hidden = "# -*- coding: utf-7 -*-\n" + SOURCE + "\n#+AAo-EPSILON = 9.0\n"
    (here / f"{MODULE}.py").write_text(hidden)
    assert not check(kept["count"]).accepted
    tampering.write_modules(here)
    assert check(kept["count"]).accepted
    for shadow in (here / "math.py", here / "numpy" / "__init__.py"):
        shadow.parent.mkdir(exist_ok=True)
        shadow.write_text("pi = 3\n")
        assert not check(kept["count"]).accepted
        shadow.unlink()
    (here / "numpy").rmdir()
    compiled = here / f"{MODULE}{EXTENSION_SUFFIXES[0]}"
    compiled.write_bytes(b"")
    assert not check(kept["count"]).accepted
    compiled.unlink()


CRAFTED = {
    "deep": "[" * 5_000 + "]" * 5_000,
    "deep objects": '{"audits": ' * 300 + "1" + "}" * 300,
    "a number of many digits": '{"audits": ' + "9" * 5_000 + "}",
    "NaN": '{"audits": [], "schema_version": NaN}',
    "a name twice": '{"audits": [], "audits": []}',
    "the future": '{"audits": [], "schema_version": 99}',
    "no text": "\\ud800",
    "types": '{"audits": [1, null, []], "schema_version": 1, "totals": 3}',
    "types inside": '{"audits": [{"name": 1, "report": {"findings": 7}}], "schema_version": 1}',
    "empty": "",
}


@pytest.mark.parametrize("what", CRAFTED)
def test_crafted_runs_are_refused_in_one_line(what, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "run.json").write_text(CRAFTED[what])
    (tmp_path / "code.py").write_text("x = 1\n")
    for command in (
        *(("report", "run.json", "--format", form)
          for form in ("html", "sarif", "junit", "github", "markdown")),
        ("compare", "run.json", "run.json"), ("review", "code.py", "--run", "run.json"),
        ("check", "run.json"),
    ):  # fmt: skip
        done = run(*command)
        assert done.exit_code in (2, 3), (command, done.output)
        assert done.exception is None or isinstance(done.exception, SystemExit)


def test_what_is_written_does_not_follow_links_out_of_its_folder(tmp_path, monkeypatch):
    inside, outside = tmp_path / "project", tmp_path / "elsewhere"
    inside.mkdir()
    outside.mkdir()
    monkeypatch.chdir(inside)
    (outside / "precious").write_text("kept")
    (inside / "run.json").write_text('{"audits": [], "schema_version": 1}')
    (inside / "review.html").symlink_to(outside / "precious")
    done = run("report", "run.json", "--format", "html", "--output", "review.html")
    assert done.exit_code == 2
    assert "is a link to" in done.output
    (inside / ".dpaudit").symlink_to(outside)
    assert run("compare", "-1", "-1").exit_code == 2
    assert sorted(each.name for each in outside.iterdir()) == ["precious"]
    assert (outside / "precious").read_text() == "kept"


SCHEMAS = {
    "a trigger": "CREATE TABLE runs (number INTEGER PRIMARY KEY); CREATE TRIGGER t AFTER INSERT ON "
    "runs BEGIN SELECT 1; END;",
    "a view": "CREATE VIEW runs AS SELECT 1 AS number, '' AS result, '' AS ended;",
    "an index on an expression": "CREATE TABLE runs (number INTEGER PRIMARY KEY, result TEXT); "
    "CREATE INDEX i ON runs (upper(result));",
    "other columns": "CREATE TABLE runs (number INTEGER PRIMARY KEY, ended BLOB);",
    "another layout": "PRAGMA user_version = 7;",
}


@pytest.mark.parametrize("what", [*SCHEMAS, "text of a run", "a blob", "no database"])
def test_a_foreign_store_is_refused_in_one_line(what, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / ".dpaudit").mkdir()
    file = tmp_path / ".dpaudit" / "runs.sqlite"
    if what == "no database":
        file.write_bytes(b"\x00" * 5_000)
    else:
        base = sqlite3.connect(file)
        base.executescript(SCHEMAS.get(what, ""))
        if what not in SCHEMAS:
            from dpaudit.store import _TABLES

            base.executescript(_TABLES + "PRAGMA user_version = 1;")
            result = "{" if what == "text of a run" else b"\xff\x00"
            base.execute("INSERT INTO runs VALUES (1, 'a', 'b', '{}', 'c', ?)", (result,))
        base.commit()
        base.close()
    done = run("compare", "-1", "-1")
    assert done.exit_code == 2, done.output
    assert isinstance(done.exception, SystemExit), done.exception
    assert "Traceback" not in done.output
