"""Noise that a file seeds as it is imported is known: runs in new processes refute it."""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import numpy as np
import pytest

import dpaudit
from dpaudit.evidence import Budget, Verdict
from dpaudit.static.engine import definition_of
from dpaudit.static.kept_seeds import seeds_behind
from dpaudit.static.modules import Project
from dpaudit.subject import Subject
from dpaudit.trace.known_noise import known_noise
from dpaudit.worker.first_calls import first_outputs, origin_of
from dpaudit.worker.tasks import WorkerError

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
    "default of its own generator": f"""
        def mechanism(data, rng=np.random.default_rng(0)):  # seed
            return {SUM} + rng.laplace(scale=1.0)
    """,
    "default of its own generator by keyword": f"""
        def mechanism(data, *, rng=np.random.default_rng(0)):  # seed
            return {SUM} + rng.laplace(scale=1.0)
    """,
    "default of a state": f"""
        def mechanism(data, random_state=np.random.RandomState(1)):  # seed
            return {SUM} + random_state.laplace(0, 1.0)
    """,
    "default that names a generator": f"""
        SHARED = np.random.default_rng(0)  # seed
        def mechanism(data, rng=SHARED):
            return {SUM} + rng.laplace(scale=1.0)
    """,
    "coins": """
        coins = random.Random(7)  # seed
        def mechanism(data):
            return int(sum(x > 0.5 for x in data) > 0) ^ int(coins.random() < 0.27)
    """,
}
SOUND = {
    "an own default that is not seeded": f"""
        def mechanism(data, rng=np.random.default_rng()):
            return {SUM} + rng.laplace(scale=1.0)
    """,
    "a generator that may be given": f"""
        def mechanism(data, rng=None):
            rng = np.random.default_rng() if rng is None else rng
            return {SUM} + rng.laplace(scale=1.0)
    """,
    "a seed that may be given": f"""
        def mechanism(data, rng=None, seed=None):
            rng = np.random.default_rng(seed) if rng is None else rng
            return {SUM} + rng.laplace(scale=1.0)
    """,
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


METHOD = """
    class Release:
        def total(self, data, rng):
            return len(data) + PUBLIC + rng.laplace(scale=1.0)
    mechanism = Release().total
"""


def known_of_method(written, seeded: str):
    module = written("sound_release", f"    {seeded}\n{METHOD}")
    neighbors = dpaudit.AddRemove(dpaudit.Real(0, 1), max_size=3)
    return known_noise(Subject.of(module.mechanism), dpaudit.PureDP(1.0), neighbors, BUDGET)


def test_a_public_number_that_is_drawn_as_the_file_is_imported_needs_no_new_process(written):
    """It is a constant; a method could not be called in new processes."""
    assert known_of_method(written, "PUBLIC = np.random.default_rng(7).normal()") is None


@pytest.mark.parametrize(
    "seeded",
    [
        "np.random.seed(7); PUBLIC = 0.0; mechanism = np.random.laplace",
        "SOURCE = np.random.default_rng(7); PUBLIC = SOURCE.normal()",
        "draw = np.random.default_rng(7).normal; PUBLIC = draw()",
    ],
)
def test_what_may_draw_in_later_calls_too_is_not_taken_for_a_constant(written, seeded):
    body = METHOD.replace("PUBLIC +", "PUBLIC + np.random.laplace() + SOURCE.laplace() +")
    found = written("seeded_release", f"    SOURCE = np.random\n    {seeded}\n{body}")
    seeds = seeds_behind(
        project := Project((Path(found.__file__).parent,)),
        definition_of(project.module(Path(found.__file__)), Subject.of(found.mechanism)),
    )
    assert not any(seed.is_used_up for seed in seeds)


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


def test_a_seeded_default_that_the_wiring_replaces_refutes_nothing(written):
    """A given generator is another one in each process."""
    module = written(
        "sound_release",
        f"""
        def released(data, rng=np.random.default_rng(0)):
            return {SUM} + rng.laplace(scale=1.0)
        def mechanism(data, rng):
            return released(data, rng)
        """,
    )
    neighbors = dpaudit.AddRemove(dpaudit.Real(0, 1), max_size=3)
    found = known_noise(Subject.of(module.mechanism), dpaudit.PureDP(1.0), neighbors, BUDGET)
    assert found is None or found.verdict is None


SCRIPT = """
    import numpy as np
    import dpaudit
    from dpaudit.evidence import Budget
    from dpaudit.subject import Subject
    from dpaudit.trace.known_noise import known_noise
    from dpaudit.worker.first_calls import first_outputs, origin_of
    RNG = np.random.default_rng(3)
    def mechanism(data):
        return len(data) + RNG.laplace(scale=1.0)
    def unseeded(data):
        return len(data) + np.random.laplace(scale=1.0)
    def main():
        subject = Subject.of(mechanism)
        origin = origin_of(subject)
        if origin is not None:
            calls = [(np.zeros(2), None)] * 2
            seen = first_outputs(origin, calls, timeout=60, until=float("inf"))
            print(*[next(iter(each.numbers.values()))[0] for each in seen])
        else:
            given = dpaudit.PureDP(1.0), dpaudit.AddRemove(dpaudit.Real(0, 1)), Budget(
                1e-6, 1_000, None, 0, "real")
            print(known_noise(subject, *given).reason)
            print(known_noise(Subject.of(unseeded), *given).notes[0])
"""


def ran(tmp_path, end: str) -> str:
    (tmp_path / "script.py").write_text(dedent(SCRIPT) + end)
    command = [sys.executable, str(tmp_path / "script.py")]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_a_script_that_runs_only_what_it_guards_is_run_anew_for_first_calls(tmp_path):
    one, two = ran(tmp_path, 'if __name__ == "__main__":\n    main()\n').split()
    assert float(one) == float(two) == 2 + float(np.random.default_rng(3).laplace(scale=1.0))


def test_a_module_that_imports_what_starts_threads_is_run_anew(written):
    """Polars starts threads as it is imported."""
    text = "import polars as pl\n" + dedent(SEEDED["generator of the module"])
    module = written("seeded_release", text)
    origin = origin_of(Subject.of(module.mechanism))
    seen = first_outputs(origin, [(np.zeros(2), None)] * 2, timeout=60, until=float("inf"))
    one, two = (next(iter(each.numbers.values()))[0] for each in seen)
    assert one == two


def test_a_first_call_is_stopped_by_its_work_and_not_by_the_clock(written):
    """How busy the machine is decides nothing."""
    text = "import time\ndef mechanism(data):\n    {}\n    return len(data)\n"
    calls = [(np.zeros(2), None)]
    slow = origin_of(Subject.of(written("slow_release", text.format("time.sleep(1.2)")).mechanism))
    [seen] = first_outputs(slow, calls, timeout=1, until=None)
    assert next(iter(seen.numbers.values()))[0] == 2
    endless = written("endless_release", text.format("while True: pass")).mechanism
    with pytest.raises(WorkerError, match="more processor time than a call may"):
        first_outputs(origin_of(Subject.of(endless)), calls, timeout=1, until=None)


def test_what_a_new_process_cannot_show_is_inconclusive(monkeypatch, written):
    """The seeds of an audit would stand in for the one that is written: the outputs look sound."""
    module = written("seeded_release", SEEDED["generator of the module"])

    def hang(*_given, **_options):
        raise WorkerError("timeout", "a call took 20 s")

    monkeypatch.setattr("dpaudit.trace.known_noise.first_outputs", hang)
    report = dpaudit.audit(
        module.mechanism,
        dpaudit.PureDP(1.0),
        dpaudit.AddRemove(dpaudit.Real(0, 1), max_size=3),
        engines=["trace", "statistical"],
        max_calls=2_000,
        max_seconds=None,
        progress=False,
    )
    assert report.verdict is Verdict.INCONCLUSIVE
    assert "5 seeds noise as it is imported; new processes did not show it" in report.reason


def test_a_script_that_is_not_guarded_is_not_run_anew_and_the_reason_says_what_to_do(tmp_path):
    seeded, unknown = ran(tmp_path, "main()\n").splitlines()
    assert "script.py:8 seeds noise as it is imported; no new process was started" in seeded
    assert "defined in a script or notebook; put it in a module" in seeded
    assert "no new process looked for a seed" in unknown
