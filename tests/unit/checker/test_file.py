"""Certificates as files, and the command that checks them."""

import ast
import json
from pathlib import Path

import pytest
from click.testing import CliRunner

import dpaudit.checker
from dpaudit import Derivation, check_derivation
from dpaudit.checker import check
from dpaudit.cli import cli
from tests.unit.checker.mutations import changed, sealed

FOLDER = Path(dpaudit.checker.__file__).parent
SHARED = {
    "checker",
    "claims",
    "extras",
    "neighbors",
    "notation",
    "reference",
    "roots",
    "session",
    "subject",
    "untrusted",
}
DRAWS = {"outputs", "worker"}  # evidence is drawn anew by what drew it
FLOATS = {"floats"}  # which imports neither a prover nor a checker
LIFTS = {
    "formal",
    "outputs",
}  # the program that is compared is lifted by what lifted it, which is on trust


@pytest.fixture(scope="module")
def certificate():
    derivation = Derivation({"n": "integer"}, ["n >= 2"], [("1/n", "<=", "1/2")])
    return check_derivation(derivation).certificate.to_dict()


def modules_of(file):
    """Return what a file imports, wherever it does."""
    modules = []
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            modules += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0
            within = node.module == "dpaudit"
            modules += [f"dpaudit.{a.name}" for a in node.names] if within else [node.module]
    return modules


def test_the_checker_shares_only_definitions_with_the_prover():
    own = {"draws.py": DRAWS, "floats.py": FLOATS, "lifted.py": LIFTS}
    files = sorted(FOLDER.rglob("*.py"))
    assert files
    for file in files:
        shared = SHARED | own.get(file.name, set())
        for module in modules_of(file):
            parts = str(module).split(".")
            allowed = parts[0] != "dpaudit" or (len(parts) > 1 and parts[1] in shared)
            assert allowed, (file, module)
            assert parts[0] != "sympy", f"formulas are read anew, in {file}"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "the file is no JSON"),
        ("schema: 1", "the file is no JSON"),
        ("[]", "it holds a list, not an object"),
        ("{}", "the object holds nothing"),
        (
            '{"schema_version": 1, "audits": []}',
            "the object holds `schema_version`, `audits`, and none of kind, proof, digest",
        ),
        ("[" * 100_000, ""),
        (b"\xff\xfe\x00", "the file is no text in UTF-8 (byte 0)"),
    ],
)
def test_a_file_that_is_no_certificate_is_said_to_be_none(text, reason, tmp_path):
    file = tmp_path / "certificate.json"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    result = check(file)
    assert (result.accepted, result.decided) == (False, False)
    assert result.reason.startswith("not a certificate: ")
    assert reason in result.reason
    assert "dpaudit run --certificates FOLDER" in result.reason
    done = run(file)
    assert done.exit_code == 3
    assert "certificate.json: not a certificate: " in done.output


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"kind": "exact"}', "lacks `schema_version`"),
        ('{"kind": "exact", "kind": "cost"}', "twice"),
        ('{"kind": NaN}', "NaN"),
    ],
)
def test_a_certificate_that_cannot_hold_is_rejected(text, reason, tmp_path):
    file = tmp_path / "certificate.json"
    file.write_text(text)
    result = check(file)
    assert (result.accepted, result.decided) == (False, True)
    assert reason in result.reason


def test_a_certificate_that_was_changed_or_cut_short_is_rejected(certificate, tmp_path):
    file, whole = tmp_path / "c.json", json.dumps(certificate)
    cut = [whole[:-1], whole[: len(whole) // 2], whole.replace(":", "=", 1), whole + "\xff"]
    less = [{k: v for k, v in certificate.items() if k != name} for name in certificate]
    for text in [*cut, *map(json.dumps, less)]:
        file.write_text(text)
        done = run(file)
        assert (done.exit_code, "c.json: rejected: " in done.output) == (1, True)


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        ("schema_version", True, "schema_version"),
        ("kind", "magic", "kind"),
        ("sources", {"a:b": "x"}, "SHA-256"),
        ("assumptions", [1], "assumptions"),
        ("proof", [], "proof"),
    ],
)
def test_a_field_out_of_range_is_rejected(certificate, name, value, reason):
    result = check(changed(certificate, (name,), lambda _: value))
    assert not result.accepted
    assert reason in result.reason


@pytest.mark.parametrize("more", [{}, {"note": "of another time"}, {"versions": [3]}])
def test_what_another_version_wrote_is_not_judged_and_not_accepted(certificate, tmp_path, more):
    file = tmp_path / "later.json"
    later = sealed({**certificate, "schema_version": 99, "versions": {"dpaudit": "9.1"}, **more})
    file.write_text(json.dumps(later))
    result = check(file)
    assert (result.accepted, result.decided) == (False, False)
    assert "`schema_version` is 99, and this checker reads 1; check it with" in result.reason
    assert ("wrote it (9.1)" in result.reason) == ("versions" not in more)
    done = run(file)
    assert (done.exit_code, "dpaudit run --certificates FOLDER" in done.output) == (3, True)


def test_a_field_too_many_is_rejected(certificate):
    assert "is not known" in check(sealed({**certificate, "note": "fine"})).reason


def test_the_time_limit_must_be_positive(certificate):
    with pytest.raises(ValueError, match="timeout"):
        check(certificate, timeout=0)


def run(*args):
    return CliRunner().invoke(cli, ["check", *map(str, args)])


def test_the_command_says_what_became_of_each_file(certificate, tmp_path):
    good, bad = tmp_path / "good.json", tmp_path / "bad.json"
    good.write_text(json.dumps(certificate))
    bad.write_text(json.dumps({**certificate, "kind": "cost"}))
    assert run(good).exit_code == 0
    both = run(good, bad)
    assert both.exit_code == 1
    assert "good.json: accepted (derivation" in both.output
    assert "bad.json: rejected: `digest`" in both.output
    assert run(good, "--timeout", "0.000001").exit_code == 3
    assert run(tmp_path / "none.json").exit_code == 2
    assert run().exit_code == 2


def test_without_cvc5_the_command_says_how_to_get_it(certificate, tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "cvc5", None)
    file = tmp_path / "certificate.json"
    file.write_text(json.dumps(certificate))
    said = run(file)
    assert said.exit_code == 3
    assert "pip install cvc5" in said.output
