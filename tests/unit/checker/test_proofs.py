"""cvc5's own proofs, kept in a certificate with what they take on trust."""

import copy
import hashlib
import json

import pytest
from click.testing import CliRunner

from dpaudit import Derivation, check_derivation
from dpaudit.checker import attached
from dpaudit.checker.proofs import LONGEST, of_text
from dpaudit.cli import cli
from mechanisms.above_threshold import above_threshold
from tests.checking import check
from tests.unit.checker.mutations import first_and_last, leaves, mutations, sealed
from tests.unit.checker.test_alignment import certificate

pytest.importorskip("cvc5")


@pytest.fixture(scope="module")
def proved():
    return certificate(above_threshold)


@pytest.fixture(scope="module")
def holding(proved):
    checked = check(proved, proofs=True)
    assert checked.accepted, checked.reason
    return attached(proved, checked.solver_proofs)


def test_every_obligation_of_an_alignment_has_a_proof_whose_trusted_steps_are_listed(holding):
    proofs = holding["solver_proofs"]
    assert len(proofs) >= 4
    for proof in proofs:
        assert proof["solver"].startswith("cvc5 ")
        assert proof["steps"] > len(proof["trusted"])
        assert all(rule.startswith("trust") for rule in proof["trusted"])
        assert proof["text"].count(":rule ") == proof["steps"]
        assert hashlib.sha256(proof["text"].encode()).hexdigest() == proof["sha256"]


def test_a_certificate_that_holds_proofs_is_accepted_and_says_that_they_were_not_replayed(holding):
    checked = check(holding)
    assert checked.accepted, checked.reason
    assert any("not replayed" in sentence for sentence in checked.trusted)
    assert checked.solver_proofs == ()


def test_proofs_are_put_in_the_place_of_earlier_ones(proved, holding):
    assert attached(holding, ()) == proved


def test_no_field_of_a_proof_can_be_changed_alone_but_its_words(holding):
    cut = copy.deepcopy(holding)
    cut["solver_proofs"] = cut["solver_proofs"][:1]
    seen = 0
    for name, free, changed in mutations(sealed(cut), (r".*\.(obligation|solver)",)):
        if name.startswith("solver_proofs"):
            seen += 1
            assert check(changed).accepted is free, name
    assert seen == sum(path[0] == "solver_proofs" for path in first_and_last(leaves(cut)))


def test_a_long_proof_is_kept_as_its_digest(proved):
    text = "(step @p1 :rule trust)\n" * (LONGEST // 20)
    proof = of_text("what", "cvc5 1.4.2", text)
    assert proof.text is None
    assert proof.trusted == {"trust": LONGEST // 20}
    assert check(attached(proved, [proof])).accepted
    short = {**proof.to_dict(), "characters": 10}
    assert not check(sealed({**proved, "solver_proofs": [short]})).accepted
    assert not check(sealed({**proved, "solver_proofs": ["a proof"]})).accepted


def test_a_derivation_has_proofs_too():
    derivation = Derivation(
        variables={"n": "integer", "x": "real"},
        given=["n >= 2", "Abs(x) <= 1"],
        steps=[("x/n", "<=", "1/n"), ("1/n", "<=", "1/2")],
    )
    report = check_derivation(derivation)
    checked = check(report.certificate.to_dict(), proofs=True)
    assert checked.accepted, checked.reason
    assert checked.solver_proofs


def test_the_command_writes_proofs_into_the_file(proved, tmp_path):
    path = tmp_path / "proof.json"
    path.write_text(json.dumps(proved), encoding="utf-8")
    named = ("--mechanism", f"{above_threshold.__module__}:above_threshold")
    said = CliRunner().invoke(cli, ["check", "--proofs", str(path), *named])
    assert said.exit_code == 0, said.output
    assert "cvc5's proofs: " in said.output
    assert json.loads(path.read_text(encoding="utf-8"))["solver_proofs"]
    assert CliRunner().invoke(cli, ["check", str(path), *named]).exit_code == 0
