"""The house: imports go one way, and importing dpaudit is quick."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "dpaudit"

# Nothing imports what stands after it. `__init__` names the public ones, and is imported by none.
ORDER = (
    {"violations", "extras", "claims", "roots", "selection", "spared", "tiers", "untrusted"},
    {"neighbors"},
    {"ended", "subject", "session", "randomness", "outputs", "worker", "reference", "remote"},
    {"evidence", "sightings"},
    {"examples"},
    {"static"},
    {"floats"},
    {"notation"},
    {"checker"},
    {"formal"},
    {"statistical"},
    {"trace"},
    {"estimates"},
    {"verdict"},
    {"report"},
    {"plots"},
    {"proof_check", "real_clocks"},
    {"grid"},
    {"staged"},
    {"examination"},
    {"family"},
    {"auditor"},
    {
        "declare",
        "collect",
        "outcome",
        "apart",
        "running",
        "turns",
        "settings",
        "self_test",
        "sources",
        "changed",
        "starter",
    }
    | {"beacon"},
    {"baseline"},
    {"saved_pairs", "store", "booked", "recalled", "review", "nights", "accumulate", "cache"},
    {"cli"},
    {"pytest_plugin"},
    {"__main__"},
)
RANK = {name: rank for rank, names in enumerate(ORDER) for name in names}
# `Report`, `Witness` and `Estimate` render themselves.
RENDERERS = {
    ("verdict", "report"),
    ("evidence", "report"),
    ("verdict", "plots"),
    ("estimates", "plots"),
}
# The checker knows of no prover; it reads the source anew by the same lowering.
FOLLOWS = {("checker/lifted.py", "formal")}
# The renderers that stand in the way of nobody: they are told what they show.
HEAVY = {"dask", "distributed", "dp_accounting", "matplotlib", "pandas", "polars", "scipy.stats"}
HEAVY |= {"sklearn", "statsmodels", "sympy", "hypothesis", "z3", "flint", "cvc5"}

FILES = sorted(PACKAGE.rglob("*.py"))


@pytest.fixture(scope="module")
def trees():
    """Every module's syntax tree; a million objects, which interception would look through."""
    return {file: ast.parse(file.read_text()) for file in FILES}


def top(file):
    """Return the part of the house that a file belongs to."""
    return file.relative_to(PACKAGE).with_suffix("").parts[0]


def imports(tree, *, at_run_time=False):
    """Yield (module, names) of imports; those in functions and for type checkers on request."""
    todo = list(tree.body)
    while todo:
        node = todo.pop()
        if isinstance(node, ast.Import):
            yield from ((alias.name, ()) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            yield node.module, tuple(alias.name for alias in node.names)
        elif isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            todo += node.orelse
        elif at_run_time or not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            todo += list(ast.iter_child_nodes(node))


def against_the_order(file, tree):
    """Yield the modules that a file imports though they stand after it."""
    here = top(file)
    if here == "__init__":
        return
    assert here in RANK, f"give {here} a place in ORDER"
    for module, names in imports(tree, at_run_time=True):
        parts = module.split(".")
        if parts[0] != "dpaudit":
            continue
        for name in names if len(parts) == 1 else parts[1:2]:
            if (file.relative_to(PACKAGE).as_posix(), name) in FOLLOWS:
                continue
            if name in RANK and (here, name) not in RENDERERS and RANK[name] > RANK[here]:
                yield module


def test_no_import_runs_against_the_order(trees):
    found = {str(f.relative_to(ROOT)): [*against_the_order(f, trees[f])] for f in FILES}
    assert {file: modules for file, modules in found.items() if modules} == {}


# What stands behind the doors: imported when something is to be proved or checked.
LAZY = [f for f in FILES if top(f) not in {"formal", "checker"}]


def test_no_module_imports_a_heavy_package_at_its_top(trees):
    for file in LAZY:
        for module, names in imports(trees[file]):
            for full in (module, *(f"{module}.{name}" for name in names)):
                assert not any(full == h or full.startswith(f"{h}.") for h in HEAVY), (file, full)


def test_mechanisms_import_nothing_from_dpaudit():
    for file in (ROOT / "mechanisms").rglob("*.py"):
        for module, _ in imports(ast.parse(file.read_text()), at_run_time=True):
            assert module.split(".")[0] != "dpaudit", file


def test_importing_every_public_name_loads_no_heavy_package():
    code = (
        "import sys, dpaudit\n"
        "for name in dpaudit.__all__: getattr(dpaudit, name)\n"
        f"print([m for m in {sorted(HEAVY)!r} if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "[]"


def test_importing_every_public_name_loads_nothing_but_numpy_and_cloudpickle():
    """What an import costs is measured by benchmarks/bench_import.py; here is why it is little."""
    code = (
        "import sys; before = set(sys.modules); import dpaudit\n"
        "for name in dpaudit.__all__: getattr(dpaudit, name)\n"
        "new = {m.split('.')[0] for m in set(sys.modules) - before} - sys.stdlib_module_names\n"
        "print({m for m in new if 'cython' not in m and m != '__mp_main__'})"
    )
    loaded = subprocess.check_output([sys.executable, "-c", code], cwd=ROOT, text=True)
    assert ast.literal_eval(loaded) == {"dpaudit", "numpy", "cloudpickle"}


def test_every_public_name_exists_and_is_documented():
    import dpaudit

    for name in dpaudit.__all__:
        if name != "__version__":
            assert getattr(dpaudit, name).__doc__, name
