"""The kernel: nothing but a derivation makes a theorem, and none that says slightly too much."""

import ast
import copy
import sys
from fractions import Fraction
from pathlib import Path

import pytest

import dpaudit
from dpaudit import PureDP
from dpaudit.checker import check
from dpaudit.checker.file import digest
from dpaudit.core import names
from dpaudit.core.lowering import lower
from dpaudit.core.proof import data_of, prove_by_core
from dpaudit.formal.lift import lift
from dpaudit.kernel import Refusal, Step, Theorem, prove
from tests.core_programs import PERCENT, SOUND

HOUSE = Path(__file__).parents[3] / "dpaudit"
PROVED = [
    (mechanism.__name__, prove_by_core(lift(mechanism), claim, neighbors).theorem)
    for mechanism, claim, neighbors in SOUND
]


def better(value, key=""):
    """Yield conclusions that say slightly more than one does."""
    if isinstance(value, dict):
        for name, inner in value.items():
            for changed in better(inner, name):
                yield {**value, name: changed}
        if value.get("is") in ("Num", "Rows"):
            yield {"is": "Same"}
    elif isinstance(value, list):
        for place, inner in enumerate(value):
            for changed in better(inner, key):
                yield [*value[:place], changed, *value[place + 1 :]]
    elif key in ("moved", "low", "high", "k", "real", "size") and value not in (None, 0, "0"):
        try:
            yield str(Fraction(value) * Fraction(999, 1000)) if type(value) is str else value - 1
        except ValueError:
            return
    elif (key in ("nan", "inf") and value) or (key == "some" and value):
        yield False


@pytest.mark.parametrize(("name", "theorem"), PROVED, ids=[name for name, _ in PROVED])
def test_a_conclusion_that_is_slightly_too_good_is_refused(name, theorem):
    forged = 0
    for place, step in enumerate(theorem.steps):
        for changed in better(step.concludes):
            if changed == step.concludes:
                continue
            steps = list(theorem.steps)
            steps[place] = Step(step.rule, step.var, changed)
            with pytest.raises(Refusal):
                prove(theorem.core, theorem.claim, theorem.neighbors, steps)
            forged += 1
    assert forged


@pytest.mark.parametrize(("name", "theorem"), PROVED, ids=[name for name, _ in PROVED])
def test_a_derivation_with_a_step_more_or_less_is_refused(name, theorem):
    given = theorem.core, theorem.claim, theorem.neighbors
    assert prove(*given, theorem.steps) == theorem
    for steps in (theorem.steps[:-1], theorem.steps[1:], (*theorem.steps, theorem.steps[-1])):
        with pytest.raises(Refusal):
            prove(*given, steps)


@pytest.mark.parametrize(("name", "theorem"), PROVED, ids=[name for name, _ in PROVED])
def test_a_smaller_claim_is_refused(name, theorem):
    claim = theorem.claim
    smaller = {
        "PureDP": lambda: PureDP(claim.epsilon * 0.999),
        "ApproxDP": lambda: dpaudit.ApproxDP(claim.epsilon / 2, claim.delta(claim.epsilon)),
        "GaussianDP": lambda: dpaudit.GaussianDP(claim.mu * 0.999),
        "ZeroConcentratedDP": lambda: dpaudit.ZeroConcentratedDP(claim.rho * 0.999),
        "RenyiDP": lambda: dpaudit.RenyiDP(claim.order, claim.epsilon * 0.999),
    }[type(claim).__name__]()
    with pytest.raises(Refusal):
        prove(theorem.core, smaller, theorem.neighbors, theorem.steps)


def test_only_the_kernel_makes_a_theorem():
    theorem = PROVED[0][1]
    with pytest.raises(TypeError, match="alone"):
        Theorem(theorem.core, PureDP(0.001), PERCENT, theorem.steps, "0", object())


def test_a_certificate_of_other_code_is_rejected(tmp_path):
    source = "def total(data, rng):\n    return data.sum() + rng.laplace(scale=100)\n"
    (tmp_path / "counted.py").write_text(source)
    report = dpaudit.verify(SOUND[0][0], PureDP(1.0), PERCENT)
    content = report.certificate.to_dict()
    assert check(content, mechanism=SOUND[0][0]).accepted
    assert not check(content, mechanism=SOUND[1][0]).accepted


def test_every_part_of_a_certificate_that_is_changed_is_rejected():
    content = dpaudit.verify(SOUND[0][0], PureDP(1.0), PERCENT).certificate.to_dict()
    forgeries = [
        lambda proof: proof["steps"].pop(),
        lambda proof: proof.update(spent="1/2 ≤ 1"),
        lambda proof: proof["core"].pop(),
        lambda proof: proof["steps"][0].update(rule="release"),
        lambda proof: proof["steps"][0].update(concludes={"is": "Same"}),
        lambda proof: proof["assumptions"].pop(),
        lambda proof: proof["claim"].update(epsilon=0.5),
    ]
    for forge in forgeries:
        forged = copy.deepcopy(content)
        forge(forged["proof"])
        del forged["digest"]
        forged["digest"] = digest(forged)
        found = check(forged, mechanism=SOUND[0][0])
        assert found.rejected, found


def test_the_check_runs_no_code_of_the_mechanism(tmp_path, monkeypatch):
    source = "def total(data, rng):\n    return data.sum() + rng.laplace(scale=100)\n"
    (tmp_path / "quiet_total.py").write_text(source)
    monkeypatch.syspath_prepend(str(tmp_path))
    import quiet_total

    content = dpaudit.verify(quiet_total.total, PureDP(1.0), PERCENT).certificate.to_dict()
    monkeypatch.delitem(sys.modules, "quiet_total")
    found = check(content)
    assert found.accepted, found.reason
    assert "quiet_total" not in sys.modules


def imported(file):
    """Yield the modules of the house that a file imports, in functions too."""
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module.startswith("dpaudit"):
            yield node.module


def test_the_kernel_imports_the_language_and_what_statements_are_made_of():
    allowed = {"dpaudit.core.language", "dpaudit.claims", "dpaudit.neighbors"}
    for file in (HOUSE / "kernel").glob("*.py"):
        for module in imported(file):
            assert module in allowed or module.startswith("dpaudit.kernel"), (file, module)


def test_no_name_of_a_library_is_known_behind_the_lowering():
    tables = (names.PRIMITIVES, names.BOUNDS, names.SUMS, names.POST, names.CLIPS, names.BUCKETS)
    known = {name for table in tables for name in table if name.partition(".")[0] != "operator"}
    files = [
        *(HOUSE / "kernel").glob("*.py"),
        HOUSE / "core/evaluator.py",
        HOUSE / "core/language.py",
    ]
    for file in files:
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                assert node.value not in known, (file, node.value)


def test_the_kernel_is_small():
    lines = 0
    for file in (HOUSE / "kernel").glob("*.py"):
        tree = ast.parse(file.read_text())
        texts = {
            line
            for node in ast.walk(tree)
            if isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Constant)
            and isinstance(node.value.value, str)
            for line in range(node.lineno, node.end_lineno + 1)
        }
        for number, line in enumerate(file.read_text().splitlines(), 1):
            lines += bool(line.strip()) and number not in texts and not line.strip().startswith("#")
    assert lines <= 1500


def test_lowering_gives_the_same_program_each_time():
    mechanism, _, neighbors = SOUND[0]
    assert lower(lift(mechanism), data_of(neighbors)) == lower(lift(mechanism), data_of(neighbors))
