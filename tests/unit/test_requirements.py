"""What dpaudit needs: every requirement is used, every extra is asked for by `optional`."""

import ast
import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from dpaudit.extras import EXTRAS, optional

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "dpaudit"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
# What a package is imported as, where that is not its name.
IMPORTED = {
    "dp-accounting": "dp_accounting",
    "python-flint": "flint",
    "scikit-learn": "sklearn",
    "z3-solver": "z3",
}
# A part of dpaudit that runs only where the package is: pytest loads it; another interpreter does.
LOADED_BY_IT = {"pytest_plugin": "pytest", "remote": "pandas"}


def imported_name(requirement):
    name = re.match(r"[\w-]+", requirement)[0]
    return IMPORTED.get(name, name)


CORE = {imported_name(r) for r in PROJECT["dependencies"]}
EXTRA = {
    imported_name(requirement): extra
    for extra, requirements in PROJECT["optional-dependencies"].items()
    for requirement in requirements
    if extra not in {"dev", "docs"} and imported_name(requirement) not in CORE
}


def run_time_nodes(tree):
    """Yield the nodes of a tree, but for those that type checkers alone read."""
    todo = [tree]
    while todo:
        node = todo.pop()
        yield node
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            todo += node.orelse
        else:
            todo += ast.iter_child_nodes(node)


@pytest.fixture(scope="module")
def used():
    """The packages that statements import, and those that are asked for, with files."""
    stated, asked = {}, {}
    for file in PACKAGE.rglob("*.py"):
        part = file.relative_to(PACKAGE).parts[0]
        for node in run_time_nodes(ast.parse(file.read_text())):
            names = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                names = [node.module]
            elif isinstance(node, ast.Call) and ast.unparse(node.func) == "optional":
                (module,) = node.args
                asked.setdefault(module.value.partition(".")[0], set()).add(file)
            for top in {name.partition(".")[0] for name in names}:
                if LOADED_BY_IT.get(part) != top:
                    stated.setdefault(top, set()).add(file)
    return stated, asked


def test_every_requirement_is_imported(used):
    stated, _ = used
    assert set(stated) >= CORE


def test_everything_that_is_imported_by_a_statement_is_required(used):
    stated, _ = used
    ours = {"dpaudit", *sys.stdlib_module_names}
    assert not {top: files for top, files in stated.items() if top not in CORE | ours}


def test_every_package_of_an_extra_is_asked_for_and_every_one_asked_for_is_of_an_extra(used):
    _, asked = used
    assert asked.keys() == EXTRAS.keys()
    assert EXTRA == EXTRAS


def test_every_extra_is_explained_and_its_size_is_stated():
    from tools.installation_table import PAGE, extras

    text = PAGE.read_text(encoding="utf-8")
    for extra in PROJECT["optional-dependencies"]:
        assert f"| `{extra}` |" in text
    for extra in extras():
        assert f"| `dpaudit[{extra}]` |" in text, "run python -m tools.installation_table"


def test_missing_package_of_an_extra_is_named_with_the_command_that_installs_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(
        ModuleNotFoundError, match=r"polars is not .* pip install 'dpaudit\[polars]'"
    ):
        optional("polars")


def test_package_that_is_there_and_broken_is_not_said_to_be_missing(monkeypatch, tmp_path):
    (tmp_path / "opendp").mkdir()
    (tmp_path / "opendp" / "__init__.py").write_text("import nowhere_at_all\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "opendp", raising=False)
    with pytest.raises(ModuleNotFoundError, match="nowhere_at_all"):
        optional("opendp")


def test_cost_proofs_are_checked_without_the_packages_of_extras():
    """The base says VERIFIED, and not that another package is missing."""
    code = (
        "import sys\n"
        f"for name in {sorted(EXTRAS)!r}: sys.modules[name] = None\n"
        "import dpaudit\n"
        "from mechanisms.laplace import laplace\n"
        "near = dpaudit.QueryAnswers(1)\n"
        "print(dpaudit.verify(laplace, dpaudit.PureDP(1.0), near).summary())\n"
    )
    said = subprocess.check_output([sys.executable, "-c", code], cwd=ROOT, text=True)
    assert said.startswith("VERIFIED  ")


@pytest.mark.parametrize(
    "arguments",
    [["lint", "mechanisms/laplace.py"], ["explain", "DPA103"], ["--version"], ["--help"]],
    ids=lambda a: a[0],
)
def test_reading_commands_load_nothing_but_the_standard_library_and_click(arguments):
    """So that a hook starts at once: benchmarks/bench_import.py shows the times."""
    code = (
        "import sys; before = set(sys.modules)\n"
        "from dpaudit.cli import main\n"
        f"sys.argv = ['dpaudit', *{arguments!r}]\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "tops = {m.partition('.')[0] for m in set(sys.modules) - before}\n"
        "import json; print(json.dumps(sorted(tops - sys.stdlib_module_names)))\n"
    )
    said = subprocess.check_output([sys.executable, "-c", code], cwd=ROOT, text=True)
    assert json.loads(said.splitlines()[-1]) == ["click", "dpaudit"]
