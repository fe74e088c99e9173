"""The collection keeps its promises: short, independent, documented and audited."""

from __future__ import annotations

import ast
import sys

import pytest

from dpaudit.violations import VIOLATIONS
from tools.declared import all_declared, audits_of
from tools.description import FIELDS, Description, described
from tools.information import stated_epsilon, stated_limit

SOUND, FLAWED, NONPRIVATE = (described(folder) for folder in FIELDS)
ALLOWED = {"numpy", "scipy", "pandas", "sklearn", "mechanisms"} | set(sys.stdlib_module_names)


def title(description: Description) -> str:
    return description.module


each = pytest.mark.parametrize("file", [*SOUND, *FLAWED, *NONPRIVATE], ids=title)
each_sound = pytest.mark.parametrize("file", SOUND, ids=title)
each_flawed = pytest.mark.parametrize("file", FLAWED, ids=title)
each_refuted = pytest.mark.parametrize("file", [*FLAWED, *NONPRIVATE], ids=title)


def source(file: Description) -> str:
    return file.path.read_text(encoding="utf-8")


def functions(file: Description) -> list[ast.FunctionDef]:
    body = ast.parse(source(file)).body
    return [node for node in body if isinstance(node, ast.FunctionDef)]


def test_the_collection_is_as_large_as_it_says() -> None:
    assert len(SOUND) >= 60
    assert len(FLAWED) >= 60
    assert len(NONPRIVATE) >= 10


@each
def test_a_mechanism_imports_no_auditor(file: Description) -> None:
    tree = ast.parse(source(file))
    modules = [a.name for n in ast.walk(tree) if isinstance(n, ast.Import) for a in n.names]
    modules += [n.module or "" for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)]
    assert {module.split(".")[0] for module in modules} <= ALLOWED


@each_sound
def test_a_sound_mechanism_is_not_built_from_flawed_ones(file: Description) -> None:
    assert "mechanisms.flawed" not in source(file)
    assert "mechanisms.nonprivate" not in source(file)


@each
def test_a_mechanism_fits_in_sixty_lines(file: Description) -> None:
    assert len(source(file).splitlines()) <= 60


@each
def test_a_mechanism_states_what_its_folder_asks_for(file: Description) -> None:
    folder = file.path.parent.name
    assert tuple(FIELDS["" if folder == "mechanisms" else folder]) == tuple(file.fields)
    assert all(file.fields.values())


@each_refuted
def test_a_flawed_mechanism_names_one_violation_of_the_taxonomy(file: Description) -> None:
    assert file.fields["Violation"] in VIOLATIONS


@each_flawed
def test_a_flawed_mechanism_is_the_twin_of_a_sound_one(file: Description) -> None:
    assert file.fields["Twin"] in {sound.name for sound in SOUND}


@each_flawed
def test_a_flawed_mechanism_states_numbers_that_can_be_read(file: Description) -> None:
    assert stated_epsilon(file.name) > 0
    assert stated_limit(file.name) > 0


@each_flawed
def test_a_flawed_file_holds_the_function_of_its_name(file: Description) -> None:
    assert file.name in {function.name for function in functions(file)}


@each
def test_every_mechanism_is_audited(file: Description) -> None:
    assert audits_of(file), f"declare an Audit of {file.module} in a file of audits/"


@each_sound
def test_every_public_sound_function_with_an_rng_is_audited(file: Description) -> None:
    audited = {mechanism for audit in audits_of(file) for mechanism in audit.mechanisms}
    called = {n.id for n in ast.walk(ast.parse(source(file))) if isinstance(n, ast.Name)}
    for function in functions(file):
        arguments = {a.arg for a in (*function.args.args, *function.args.kwonlyargs)}
        if "rng" in arguments and not function.name.startswith("_"):
            assert f"{file.module}.{function.name}" in audited or function.name in called


@each_sound
def test_a_sound_mechanism_is_expected_not_to_be_refuted_somewhere(file: Description) -> None:
    assert {"NOT_REFUTED", "VERIFIED"} & {audit.expect for audit in audits_of(file)}


@each_refuted
def test_an_audit_expects_the_violation_that_the_file_states(file: Description) -> None:
    """Where sampling cannot show it at any affordable size, the file states a larger limit."""
    expected = {audit.expect for audit in audits_of(file)}
    assert expected <= {file.fields["Violation"], "NOT_REFUTED", "VERIFIED"}
    refutable = file.path.parent.name == "nonprivate" or stated_limit(file.name) < 250_000
    if refutable:
        assert file.fields["Violation"] in expected, 'declare an Audit with expect="DPA…"'


def test_real_data_is_audited_in_five_audits_and_more() -> None:
    files = ("audits/survey.py::", "audits/health.py::")
    assert sum(audit.name.startswith(files) for audit in all_declared()) >= 5
