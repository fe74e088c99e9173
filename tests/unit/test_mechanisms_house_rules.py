"""The collection keeps its promises: short, independent, documented and audited."""

from __future__ import annotations

import ast
import re
import sys
from functools import cache
from pathlib import Path

import pytest

from dpaudit.violations import VIOLATIONS

ROOT = Path(__file__).parents[2]
SOUND = sorted(p for p in (ROOT / "mechanisms").glob("*.py") if p.stem != "__init__")
FLAWED = sorted(p for p in (ROOT / "mechanisms/flawed").glob("*.py") if p.stem != "__init__")
AUDITS = sorted((ROOT / "audits").glob("*.py"))


def name(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts)


each = pytest.mark.parametrize("path", SOUND + FLAWED, ids=name)
each_sound = pytest.mark.parametrize("path", SOUND, ids=name)
each_flawed = pytest.mark.parametrize("path", FLAWED, ids=name)


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def docstring(path: Path) -> str:
    return ast.get_docstring(tree(path)) or ""


def imported(path: Path) -> list[tuple[str, str]]:
    """(module, name) of everything that a file imports."""
    found = []
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            found += [(alias.name, "") for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            found += [(node.module or "", alias.name) for alias in node.names]
    return found


def test_there_are_a_dozen_sound_mechanisms_and_more_flawed_ones() -> None:
    assert len(SOUND) >= 12
    assert len(FLAWED) >= 25


@each
def test_a_mechanism_imports_numpy_and_the_standard_library_alone(path: Path) -> None:
    roots = {module.split(".")[0] for module, _ in imported(path)}
    assert roots <= {"numpy"} | set(sys.stdlib_module_names)


@each
def test_a_mechanism_fits_in_sixty_lines(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 60


@each_sound
@pytest.mark.parametrize("field", ["Theorem", "Sensitivity", "Relation", "Utility"])
def test_a_sound_mechanism_states_its_theorem_and_what_it_rests_on(path: Path, field: str) -> None:
    assert f"\n{field}: " in docstring(path)


@each_flawed
@pytest.mark.parametrize("field", ["Defect", "Known from", "True epsilon", "Information limit"])
def test_a_flawed_mechanism_states_what_is_wrong_and_since_when(path: Path, field: str) -> None:
    assert len(re.findall(rf"^{field}: ", docstring(path), re.MULTILINE)) == 1


@each_flawed
def test_a_flawed_mechanism_names_one_violation_of_the_taxonomy(path: Path) -> None:
    assert stated_violation(path) in VIOLATIONS


@each_flawed
def test_a_flawed_file_holds_the_function_of_its_name(path: Path) -> None:
    functions = {node.name for node in tree(path).body if isinstance(node, ast.FunctionDef)}
    assert path.stem in functions


@each
def test_every_mechanism_is_audited(path: Path) -> None:
    audited = {module for audit in AUDITS for module, _ in imported(audit)}
    assert name(path) in audited


def test_every_public_sound_function_with_an_rng_is_audited() -> None:
    audited = {item for audit in AUDITS for item in imported(audit)}
    for path in SOUND:
        for node in tree(path).body:
            if isinstance(node, ast.FunctionDef) and "rng" in {a.arg for a in node.args.args}:
                assert (name(path), node.name) in audited, f"no audit of {name(path)}:{node.name}"


@each_flawed
def test_an_audit_expects_the_violation_that_the_file_states(path: Path) -> None:
    expected = {
        expect
        for audit in AUDITS
        if name(path) in {module for module, _ in imported(audit)}
        for mechanism, expect in expectations(audit)
        if mechanism == path.stem
    }
    assert stated_violation(path) in expected
    assert expected <= {stated_violation(path), "NOT_REFUTED"}


def stated_violation(path: Path) -> str:
    found = re.findall(r"^Violation: (DPA\d{3})$", docstring(path), re.MULTILINE)
    assert len(found) == 1
    return str(found[0])


def expectations(path: Path) -> list[tuple[str, str]]:
    """(mechanism, expect) of every `Audit(...)`; a local function stands for what it calls."""
    calls = {
        node.name: {
            call.func.id
            for call in ast.walk(node)
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Name)
        }
        for node in tree(path).body
        if isinstance(node, ast.FunctionDef)
    }
    found = []
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Audit":
            keywords = {k.arg: k.value for k in node.keywords}
            expect = keywords.get("expect")
            expected = str(expect.value) if isinstance(expect, ast.Constant) else "NOT_REFUTED"
            names = {n.id for n in ast.walk(node.args[0]) if isinstance(n, ast.Name)}
            found += [(n, expected) for name in names for n in {name} | calls.get(name, set())]
    return found
