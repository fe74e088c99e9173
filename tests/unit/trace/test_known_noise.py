"""Noise that a file seeds as it is imported is known: runs in new processes refute it."""

from __future__ import annotations

import importlib
import subprocess
import sys
from textwrap import dedent

import pytest

import dpaudit
from dpaudit.evidence import Budget, Verdict
from dpaudit.subject import Subject
from dpaudit.trace.known_noise import known_noise

BUDGET = Budget(1e-6, 1_000, None, 0, "real")
SUM = "float(np.clip(data, 0, 1).sum())"
LIBRARY = """
    import numpy as np
    def noisy(data, rng):
        return float(np.clip(data, 0, 1).sum()) + rng.laplace(scale=1.0)
    def noisy_by_process(data):
        return float(np.clip(data, 0, 1).sum()) + np.random.laplace(scale=1.0)
    class Engine:
        def __init__(self, rng):
            self.rng = rng
        def total(self, data):
            return noisy(data, self.rng)
"""
SEEDED = {
    "generator of the module": f"""
        rng = np.random.default_rng(42)  # seed
        def mechanism(data):
            return {SUM} + rng.laplace(scale=1.0)
    """,
    "generator of the process": f"""
        np.random.seed(0)  # seed
        def mechanism(data):
            return {SUM} + np.random.laplace(0, 1.0)
    """,
    "function that runs at import": f"""
        def prepare():
            random.seed(7)  # seed
        prepare()
        def mechanism(data):
            return {SUM} + random.expovariate(1.0) - random.expovariate(1.0)
    """,
    "attribute of a class": f"""
        SEED = 3
        class Release:
            rng = np.random.RandomState(SEED)  # seed
            def total(self, data):
                return {SUM} + self.rng.laplace(0, 1.0)
        def mechanism(data):
            return Release().total(data)
    """,
    "default of a parameter": f"""
        def total(data, source=np.random.default_rng(seed=5)):  # seed
            return {SUM} + source.laplace(scale=1.0)
        def mechanism(data):
            return total(data)
    """,
    "coins": """
        coins = random.Random(7)  # seed
        def mechanism(data):
            return int(sum(x > 0.5 for x in data) > 0) ^ int(coins.random() < 0.27)
    """,
}
SOUND = {
    "a caller passes the generator": """
        rng = np.random.default_rng(0)
        def mechanism(data):
            return noises.noisy(data, rng)
    """,
    "a caller passes it through a helper": """
        rng = np.random.default_rng(0)
        def wired(data, source):
            return noises.Engine(source).total(data)
        def mechanism(data):
            return wired(data, rng)
    """,
    "a caller fixes it": """
        rng = np.random.default_rng(0)
        wired = functools.partial(noises.noisy, rng=rng)
        def mechanism(data):
            return wired(data)
    """,
    "a script for repetition": """
        np.random.seed(0)
        SOME = np.random.normal(size=3)
        def mechanism(data):
            return noises.noisy_by_process(data[np.random.permutation(len(data))])
    """,
    "a file of audits": f"""
        import dpaudit
        np.random.seed(0)
        def mechanism(data):
            return {SUM} + np.random.laplace(0, 1.0)
    """,
    "only where it is a script": f"""
        if __name__ == "__main__":
            np.random.seed(0)
        def mechanism(data):
            return {SUM} + np.random.laplace(0, 1.0)
    """,
    "the environment may choose": f"""
        rng = np.random.default_rng(0)
        if os.environ.get("PRODUCTION"):
            rng = np.random.default_rng()
        def mechanism(data):
            return {SUM} + rng.laplace(scale=1.0)
    """,
    "a seed of the environment": f"""
        rng = np.random.default_rng(int(os.environ.get("SEED", "0")))
        def mechanism(data):
            return {SUM} + rng.laplace(scale=1.0)
    """,
    "a function may choose": f"""
        rng = np.random.default_rng(0)
        def use(other):
            global rng
            rng = other
        def mechanism(data):
            return {SUM} + rng.laplace(scale=1.0)
    """,
    "public projection": f"""
        PUBLIC = np.random.default_rng(2017)
        def mechanism(data):
            return PUBLIC.random() + {SUM} + np.random.default_rng().laplace(scale=1.0)
    """,
    "public hash and secret coins": """
        HASH = random.Random(5)
        def mechanism(data):
            bit = int(sum(x > 0.5 for x in data) > 0) ^ HASH.randrange(2)
            return bit if secrets.randbelow(1000) < 731 else 1 - bit
    """,
    "seeded again by the system": f"""
        np.random.seed(0)
        WEIGHT = np.random.random()
        np.random.seed()
        def mechanism(data):
            return WEIGHT + {SUM} + np.random.laplace(0, 1.0)
    """,
    "a lambda of the wiring": """
        rng = np.random.default_rng()
        public = np.random.default_rng(0)
        (mechanism,) = [lambda data: noises.noisy(data, rng) + public.random()]
    """,
}


@pytest.fixture
def written(tmp_path, monkeypatch):
    """Return a function that writes a module and imports it."""
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "noises.py").write_text(dedent(LIBRARY))

    def write(name: str, body: str):
        imports = "import functools, os, random, secrets\nimport numpy as np\nimport noises\n"
        (tmp_path / f"{name}.py").write_text(imports + dedent(body))
        importlib.invalidate_caches()
        return importlib.import_module(name)

    yield write
    for name in ("noises", "seeded_release", "sound_release"):
        sys.modules.pop(name, None)


def line_of_seed(module) -> int:
    with open(module.__file__, encoding="utf-8") as stream:
        return next(n for n, line in enumerate(stream, 1) if "# seed" in line)


@pytest.mark.parametrize("body", SEEDED.values(), ids=SEEDED)
def test_a_seed_that_a_file_sets_at_import_is_refuted_at_its_line(written, body):
    module = written("seeded_release", body)
    neighbors = dpaudit.AddRemove(dpaudit.Real(0, 1), max_size=3)
    found = known_noise(Subject.of(module.mechanism), dpaudit.PureDP(1.0), neighbors, BUDGET)
    assert found is not None
    assert found.verdict is Verdict.REFUTED
    assert (found.findings[0].id, found.findings[0].line) == ("DPA110", line_of_seed(module))
    assert found.witness.counts.left == found.witness.counts.left_calls
    assert found.witness.counts.right == 0
    assert 1.0 < found.epsilon < 2.0


@pytest.mark.parametrize("body", SOUND.values(), ids=SOUND)
def test_a_seed_that_is_no_part_of_the_release_refutes_nothing(written, body):
    """The coins refute with a probability of 1e-7 with fresh draws."""
    module = written("sound_release", body)
    neighbors = dpaudit.AddRemove(dpaudit.Real(0, 1), max_size=3)
    found = known_noise(Subject.of(module.mechanism), dpaudit.PureDP(1.0), neighbors, BUDGET)
    assert found is None or (found.verdict is None and not found.notes)


def test_coins_that_seldom_turn_are_not_taken_for_known(written):
    """A claim of 10 allows an output that a few new processes give alike."""
    module = written(
        "sound_release",
        """
        HASH = random.Random(5)
        def mechanism(data):
            bit = int(sum(x > 0.5 for x in data) > 0) ^ HASH.randrange(2)
            return bit if secrets.randbelow(30_000) else 1 - bit
        """,
    )
    neighbors = dpaudit.AddRemove(dpaudit.Real(0, 1), max_size=3)
    found = known_noise(Subject.of(module.mechanism), dpaudit.PureDP(10.0), neighbors, BUDGET)
    assert found.verdict is None
    assert f"{module.__file__}:5 seeds noise as it is imported" in found.notes[0]


def test_verify_shows_a_witness_that_replays_in_new_processes(written, tmp_path):
    module = written("seeded_release", SEEDED["generator of the process"])
    neighbors = dpaudit.AddRemove(dpaudit.Real(0, 1), max_size=3)
    report = dpaudit.verify(module.mechanism, dpaudit.PureDP(1.0), neighbors, progress=False)
    assert report.verdict is Verdict.REFUTED
    assert [(f.id, f.line) for f in report.findings] == [("DPA110", line_of_seed(module))]
    script = tmp_path / "replay.py"
    script.write_text(report.witness.script())
    run = subprocess.run(
        [sys.executable, str(script), "3"],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert run.returncode == 1, run.stderr  # so few calls alone do not contradict the claim
    assert "left   3 of 3 calls" in run.stdout
    assert "right  0 of 3 calls" in run.stdout
