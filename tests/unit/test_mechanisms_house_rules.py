"""The collection keeps its promises: short, independent, documented and audited."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path

from dpaudit.violations import VIOLATIONS
from tools.declared import all_declared, audits_of
from tools.description import FIELDS, Description, described
from tools.information import stated_epsilon, stated_limit

SOUND, FLAWED, NONPRIVATE = (described(folder) for folder in FIELDS)
ALL = (*SOUND, *FLAWED, *NONPRIVATE)
ALLOWED = {"numpy", "scipy", "pandas", "sklearn", "mechanisms"} | set(sys.stdlib_module_names)


def breaking(files: Iterable[Description], rule: Callable[[Description], object]) -> list[str]:
    """Return the mechanisms that do not keep a rule; one that cannot be tried is named too."""
    found = []
    for file in files:
        try:
            kept = rule(file)
        except Exception as error:
            error.add_note(f"mechanism: {file.module}")
            raise
        if not kept:
            found.append(file.module)
    return found


@cache
def source(file: Path) -> str:
    return file.read_text(encoding="utf-8")


@cache
def tree(file: Path) -> ast.Module:
    return ast.parse(source(file))


def functions(file: Description) -> list[ast.FunctionDef]:
    return [node for node in tree(file.path).body if isinstance(node, ast.FunctionDef)]


def expected(file: Description) -> set[str]:
    return {audit.expect for audit in audits_of(file)}


def test_the_collection_is_as_large_as_it_says() -> None:
    assert len(SOUND) >= 60
    assert len(FLAWED) >= 60
    assert len(NONPRIVATE) >= 10


def test_a_mechanism_imports_no_auditor() -> None:
    def keeps(file: Description) -> bool:
        nodes = list(ast.walk(tree(file.path)))
        modules = [a.name for n in nodes if isinstance(n, ast.Import) for a in n.names]
        modules += [n.module or "" for n in nodes if isinstance(n, ast.ImportFrom)]
        return {module.split(".")[0] for module in modules} <= ALLOWED

    assert breaking(ALL, keeps) == []


def test_a_sound_mechanism_is_not_built_from_flawed_ones() -> None:
    others = ("mechanisms.flawed", "mechanisms.nonprivate")
    assert breaking(SOUND, lambda file: not any(o in source(file.path) for o in others)) == []


def test_a_mechanism_fits_in_sixty_lines() -> None:
    assert breaking(ALL, lambda file: len(source(file.path).splitlines()) <= 60) == []


def test_a_mechanism_states_what_its_folder_asks_for() -> None:
    def keeps(file: Description) -> bool:
        folder = file.path.parent.name
        asked = FIELDS["" if folder == "mechanisms" else folder]
        return tuple(asked) == tuple(file.fields) and all(file.fields.values())

    assert breaking(ALL, keeps) == []


def test_a_flawed_mechanism_names_one_violation_of_the_taxonomy() -> None:
    refuted = (*FLAWED, *NONPRIVATE)
    assert breaking(refuted, lambda file: file.fields["Violation"] in VIOLATIONS) == []


def test_a_flawed_mechanism_is_the_twin_of_a_sound_one() -> None:
    names = {sound.name for sound in SOUND}
    assert breaking(FLAWED, lambda file: file.fields["Twin"] in names) == []


def test_a_flawed_mechanism_states_numbers_that_can_be_read() -> None:
    def keeps(file: Description) -> bool:
        return stated_epsilon(file.name) > 0 and stated_limit(file.name) > 0

    assert breaking(FLAWED, keeps) == []


def test_a_flawed_file_holds_the_function_of_its_name() -> None:
    assert breaking(FLAWED, lambda f: f.name in {function.name for function in functions(f)}) == []


def test_every_mechanism_is_audited() -> None:
    assert breaking(ALL, audits_of) == [], "declare an Audit of each in a file of audits/"


def test_every_public_sound_function_with_an_rng_is_audited() -> None:
    def keeps(file: Description) -> bool:
        audited = {mechanism for audit in audits_of(file) for mechanism in audit.mechanisms}
        called = {n.id for n in ast.walk(tree(file.path)) if isinstance(n, ast.Name)}
        takers = {
            f.name
            for f in functions(file)
            if "rng" in {a.arg for a in (*f.args.args, *f.args.kwonlyargs)}
        }
        public = {name for name in takers if not name.startswith("_")}
        return all(f"{file.module}.{name}" in audited for name in public - called)

    assert breaking(SOUND, keeps) == []


def test_a_sound_mechanism_is_expected_not_to_be_refuted_somewhere() -> None:
    assert breaking(SOUND, lambda file: {"NOT_REFUTED", "VERIFIED"} & expected(file)) == []


def test_an_audit_expects_the_violation_that_the_file_states() -> None:
    """Where sampling cannot show it at any affordable size, the file states a larger limit."""

    def keeps(file: Description) -> bool:
        found, stated = expected(file), file.fields["Violation"]
        private = file.path.parent.name != "nonprivate"
        hidden = private and stated_limit(file.name) >= 250_000
        return found <= {stated, "NOT_REFUTED", "VERIFIED"} and (hidden or stated in found)

    assert breaking((*FLAWED, *NONPRIVATE), keeps) == [], 'declare an Audit with expect="DPA…"'


def test_real_data_is_audited_in_five_audits_and_more() -> None:
    files = ("audits/survey.py::", "audits/health.py::")
    assert sum(audit.name.startswith(files) for audit in all_declared()) >= 5
