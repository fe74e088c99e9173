"""A mechanism that needs NumPy 1.24 is audited in an environment of its own."""

import os
import shutil
import subprocess

import numpy as np
import pytest

import dpaudit
from dpaudit import AddRemove, PureDP, Real, Remote

VENDOR = """
import numpy as np

def version(data, rng):
    return np.__version__

def several(data, rng):
    return rng.normal(size=2).astype(np.float32), [np.int64(3), "a", None], np.random.laplace()

def mean(data, rng):
    n = max(1, len(data))
    return data.clip(0, 100).sum() / n + rng.laplace(scale=5 / n)
"""


@pytest.fixture(scope="module")
def old(tmp_path_factory):
    """Return a function that names mechanisms in an environment with NumPy 1.24.4."""
    if "DPAUDIT_OLD_NUMPY" not in os.environ:
        pytest.skip("NumPy 1.24 is installed by make audit-libraries alone")
    names = map(shutil.which, ("python3.11", "python3.10", "python3.9"))
    pythons = [name for name in names if name and not subprocess.call([name, "-c", ""])]
    if not pythons:
        pytest.skip("NumPy 1.24 needs Python 3.9 to 3.11, and none is on the path")
    folder = tmp_path_factory.mktemp("old")
    (folder / "vendor_of_old.py").write_text(VENDOR)
    python = str(folder / "env" / "bin" / "python")
    subprocess.run([pythons[0], "-m", "venv", str(folder / "env")], check=True)
    pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "numpy==1.24.4"], check=True)
    return lambda name: Remote(f"vendor_of_old:{name}", python=python, folder=str(folder))


def test_outputs_of_numpy_1_24_are_read_and_repeat_by_seed(old):
    assert old("version")(np.ones(1), np.random.default_rng(0)) == "1.24.4"
    once, again = (old("several")(np.ones(1), np.random.default_rng(1)) for _ in range(2))
    assert repr(once) == repr(again)
    assert once[0].dtype == np.float32


def test_a_flawed_mean_under_numpy_1_24_is_refuted(old):
    """The audit misses this flaw with a probability far below 1e-6."""
    people = AddRemove(Real(0, 100), max_size=6)
    report = dpaudit.audit(old("mean"), PureDP(1.0), people, max_calls=4_000, progress=False)
    assert report.verdict is dpaudit.Verdict.REFUTED
