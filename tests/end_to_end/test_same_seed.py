"""Two runs with the same seed say the same, whatever the number of workers."""

import json
import re
import shutil
import subprocess
import sys

HOUSE = """
import numpy as np

def sound(data, rng):
    return len(data) + rng.laplace(scale=1.0)

def broken(data, rng):
    return len(data) + rng.laplace(scale=0.2)

def vector(data, rng):
    return np.append(data.sum(), len(data)) + rng.laplace(scale=2.0, size=2)

def nothing(data, rng):
    raise RuntimeError("no " + "\\x1b[31m output")
"""

AUDITS = """
from dpaudit import AddRemove, Audit, Derivation, PureDP, Real
import house

NEIGHBORS = AddRemove(Real(0, 1), max_size=4)

def declare(mechanism, **options):
    return Audit(mechanism, PureDP(1.0), NEIGHBORS, max_calls=6_000, alpha=1e-3, **options)

sound = declare(house.sound)
broken = declare(house.broken)
sampled = declare(house.broken, engines=["statistical"])
traced = declare(house.broken, engines=["trace", "statistical"])
vector = declare(house.vector, engines=["static", "statistical"])
nothing = declare(house.nothing, engines=["statistical"])
step = Audit(Derivation(variables={"x": "real"}, steps=[("x", "<=", "Abs(x)")]))
"""


def run(folder, jobs):
    subprocess.run(
        [sys.executable, "-m", "dpaudit", "run", "--jobs", str(jobs), "--json", f"{jobs}.json"],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=600,
        check=False,
    )
    return (folder / f"{jobs}.json").read_bytes()


def test_json_is_the_same_to_the_byte_but_for_times_with_one_or_two_workers(tmp_path):
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "house.py").write_text(HOUSE)
    (tmp_path / "audits").mkdir()
    (tmp_path / "audits" / "counts.py").write_text(AUDITS)
    made = []
    for jobs in (1, 2):
        shutil.rmtree(tmp_path / ".dpaudit", ignore_errors=True)  # pairs that the first run saved
        made.append(run(tmp_path, jobs))
    place = re.compile(rb'\n  "provenance": \{.*?\n  \},', re.DOTALL)
    one, two = (place.sub(b"", text) for text in made)
    assert len(one) < len(made[0])
    time = re.compile(rb'"seconds": [\d.e-]+')
    assert len(time.findall(one)) == len(time.findall(two)) > 7
    assert time.sub(b"", one) == time.sub(b"", two)
    audits = json.loads(one)["audits"]
    statuses = {a["name"].split("::")[1]: a["status"] for a in audits}
    for audit in audits:
        audit["report"]["certificate"] = None  # names files so that `dpaudit check` finds them
    assert str(tmp_path) not in json.dumps(audits)
    assert statuses["sampled"] == "UNEXPECTED"
    assert statuses["sound"] == statuses["step"] == "OK"
