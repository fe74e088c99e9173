"""Repairs: what is proposed verifies, is small, and leaves every file as it is."""

import json
import shutil
import subprocess
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import dpaudit
from dpaudit import AddRemove, AnyPair, ApproxDP, PureDP, QueryAnswers, Real, ReplaceOne, Verdict
from dpaudit.formal.repair import repair
from dpaudit.formal.repairing.grafting import grafted
from dpaudit.formal.unsupported import Unsupported
from mechanisms.flawed.gaussian_half_sigma import gaussian_half_sigma
from mechanisms.flawed.geometric_int8_overflow import geometric_int8_overflow
from mechanisms.flawed.laplace_half_scale import laplace_half_scale
from mechanisms.flawed.laplace_linf_sensitivity import laplace_linf_sensitivity
from mechanisms.flawed.laplace_variance_for_scale import laplace_variance_for_scale
from mechanisms.flawed.mean_epsilon_twice import mean_epsilon_twice
from mechanisms.flawed.mean_raw_count import mean_raw_count
from mechanisms.flawed.mode_replace import mode_replace
from mechanisms.flawed.sequential_without_split import sequential_without_split
from mechanisms.flawed.sum_one_sided_clip import sum_one_sided_clip
from mechanisms.flawed.svt_half_noise import svt_half_noise
from tests.sweeps import FULL, sampled

ROOT = Path(__file__).parents[3]
ONE = AnyPair(Real(0, 1))
EIGHT = AddRemove(Real(0, 100), max_size=8)


@pytest.fixture(autouse=True)
def steps(monkeypatch):
    """Let the search for a repair take so many steps; no limit of real time ends it."""

    def most(seconds):
        monkeypatch.setattr("dpaudit.formal.repair.VERIFYING", seconds)

    most(240)
    return most


def added(found):
    """Return the lines that a repair puts in, without what surrounds the expression."""
    lines = [line[1:].strip() for line in found.diff.splitlines()]
    kinds = [line[:1] for line in found.diff.splitlines()]
    return [s for s, kind in zip(lines, kinds, strict=True) if kind == "+"][1:]


@pytest.mark.parametrize(
    ("mechanism", "claim", "neighbors", "written"),
    sampled(
        [
            (laplace_half_scale, PureDP(1.0), ONE, "scale=sensitivity / epsilon)"),
            (laplace_variance_for_scale, PureDP(4.0), ONE, "scale=sensitivity / epsilon)"),
            (
                laplace_linf_sensitivity,
                PureDP(1.0),
                QueryAnswers(5),
                "scale=len(answers) * largest_change / epsilon,",
            ),
            (gaussian_half_sigma, ApproxDP(1.0, 1e-5), QueryAnswers(1), "scale=sigma,"),
            (sequential_without_split, PureDP(1.0), EIGHT, "scale=len(THRESHOLDS) / epsilon,"),
            (
                mode_replace,
                PureDP(1.0),
                ReplaceOne(dpaudit.Integer(1, 5), size=5),
                "sensitivity=2)",
            ),
        ],
        3,
    ),
)
def test_noise_that_is_too_small_is_scaled_up_as_its_author_would(
    mechanism, claim, neighbors, written
):
    found = repair(mechanism, claim, neighbors)
    assert len(added(found)) == 1
    assert written in added(found)[0]


def test_a_budget_that_was_spent_twice_is_split():
    found = repair(mean_epsilon_twice, PureDP(1.0), EIGHT)
    assert found.noise == 2
    assert [line.rpartition("scale=")[2] for line in added(found)] == [
        "2 * magnitude / epsilon)",
        "2 / epsilon)",
    ]


def test_a_clip_on_one_side_gets_the_other_without_more_noise():
    found = repair(sum_one_sided_clip, PureDP(1.0), AddRemove(Real(0, 100, enforced=False)))
    assert "np.fmin(np.fmax(data, " in found.diff
    assert found.noise == 1


@pytest.mark.skipif(not FULL, reason="a full sweep repairs a sum that wraps too")
def test_a_sum_that_wraps_is_computed_in_a_type_that_does_not():
    bits = AddRemove(dpaudit.Categorical([0, 1]), max_size=128)
    found = repair(geometric_int8_overflow, PureDP(1.0), bits)
    assert "dtype" not in "".join(added(found))
    assert found.noise == 1


@pytest.mark.skipif(not FULL, reason="a full sweep repairs a sparse vector too")
def test_query_noise_of_sparse_vector_is_doubled():
    found = repair(svt_half_noise, PureDP(1.0), QueryAnswers(10))
    assert found.noise == 2
    assert len(added(found)) == 1


def test_what_no_scale_mends_gets_no_repair(steps):
    steps(20)
    with pytest.raises(Unsupported, match="no change of a scale, a budget or a clip verifies"):
        repair(mean_raw_count, PureDP(1.0), EIGHT)


def blurred(answers, rng, *, epsilon=1.0):
    return answers + rng.normal(scale=1 / epsilon, size=len(answers))


def test_the_least_noise_is_proposed():
    """Half a percent above 3.7306, rounded up to three digits."""
    found = repair(blurred, ApproxDP(1.0, 1e-5), QueryAnswers(1))
    assert 3.7306 <= found.noise <= 3.76


def test_values_that_a_partial_fixed_are_those_that_are_proved():
    found = repair(partial(laplace_half_scale, epsilon=0.25), PureDP(0.25), ONE)
    assert "scale=sensitivity / epsilon)" in added(found)[0]
    assert "other settings" in found.scope


def outer(answer, rng):
    return laplace_half_scale(answer, rng, epsilon=0.5)


def test_a_function_in_another_file_is_reached_through_those_that_call_it():
    found = repair(outer, PureDP(0.5), ONE)
    assert found.noise == 2
    assert found.file == __file__  # the call is nearer than what it calls, and costs as much


def test_no_file_changes_and_no_module_runs_again(tmp_path, monkeypatch):
    module = tmp_path / "runs_once.py"
    module.write_text(
        "from pathlib import Path\n"
        "log = Path(__file__).with_suffix('.log')\n"
        "log.write_text(log.read_text() + 'x' if log.exists() else 'x')\n"
        "def noisy(answer, rng, *, epsilon=1.0):\n"
        "    return answer + rng.laplace(scale=1 / (2 * epsilon))\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    before = module.read_bytes()
    found = repair("runs_once:noisy", PureDP(1.0), ONE)
    assert found.noise == 2
    assert module.read_bytes() == before
    assert (tmp_path / "runs_once.log").read_text() == "x"


def test_the_report_shows_the_repair_and_json_holds_it():
    report = dpaudit.verify(laplace_half_scale, PureDP(1.0), ONE, fix=True)
    assert report.verdict is Verdict.REFUTED
    assert "+    return answer + rng.laplace(scale=sensitivity / epsilon)" in report.summary()
    assert "dpaudit does not apply it" in report.summary()
    kept = json.loads(json.dumps(report.to_dict()))["repair"]
    assert kept["noise"] == 2
    assert kept["diff"] == report.repair.diff


def test_a_proof_needs_no_repair_and_a_hopeless_case_says_so(steps):
    steps(10)
    from mechanisms.laplace import laplace

    assert dpaudit.verify(laplace, PureDP(1.0), ONE, fix=True).repair is None
    report = dpaudit.verify(mean_raw_count, PureDP(1.0), EIGHT, fix=True)
    assert report.repair is None
    assert "no repair: no change" in report.summary()


@pytest.mark.parametrize(
    ("name", "claim", "neighbors"),
    sampled(
        [
            ("mean_epsilon_twice", "PureDP(1.0)", "AddRemove(Real(0, 100), max_size=8)"),
            ("sum_one_sided_clip", "PureDP(1.0)", "AddRemove(Real(0, 100, enforced=False))"),
        ],
        1,
    ),
)
def test_the_diff_applies_and_what_it_makes_is_verified(tmp_path, name, claim, neighbors):
    shutil.copytree(ROOT / "mechanisms", tmp_path / "mechanisms")
    place = f"mechanisms.flawed.{name}:{name}"
    said = ("--claim", claim, "--neighbors", neighbors)

    def command(*arguments):
        return subprocess.run(
            [sys.executable, "-m", "dpaudit", *arguments],
            cwd=tmp_path,
            env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"},
            capture_output=True,
            text=True,
            check=False,
        )

    fixed = command("verify", place, *said, "--fix")
    assert fixed.returncode == 1, fixed.stderr
    assert fixed.stdout.startswith(f"--- a/mechanisms/flawed/{name}.py")
    subprocess.run(["git", "apply"], input=fixed.stdout, cwd=tmp_path, text=True, check=True)
    proved = command("verify", place, *said)
    assert proved.returncode == 0, proved.stdout


# --- the parts


def test_a_grafted_function_is_the_one_of_the_other_file(tmp_path):
    file = laplace_half_scale.__code__.co_filename
    before = Path(file).read_text()
    other = tmp_path / "laplace_half_scale.py"
    other.write_text(before.replace("(2 * epsilon)", "(3 * epsilon)"))
    made = grafted(laplace_half_scale, {file}, file, before, other)
    assert 3 in made.__code__.co_consts
    assert 2 in laplace_half_scale.__code__.co_consts
    assert made(0.0, np.random.default_rng(1)) != laplace_half_scale(0.0, np.random.default_rng(1))


def test_a_file_with_other_functions_is_no_graft(tmp_path):
    file = laplace_half_scale.__code__.co_filename
    before = Path(file).read_text()
    other = tmp_path / "laplace_half_scale.py"
    other.write_text(before.replace("def laplace_half_scale", "def another"))
    with pytest.raises(Unsupported, match="other functions"):
        grafted(laplace_half_scale, {file}, file, before, other)
