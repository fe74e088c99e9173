"""Generators that are not passed in: accepted where nobody seeds them, refused where one may."""

import importlib
import linecache
import sys

import numpy as np
import pytest

from dpaudit import AddRemove, PureDP, Real, Verdict, verify
from dpaudit.formal.lifting.streams import seedings, sets_attribute
from tests.unit.formal.stream_programs import Broken, Sound

VALUES = AddRemove(Real(0, 100), max_size=8)
ONE = PureDP(np.nextafter(1.0, 2))


def functions(of):
    return [value for name, value in vars(of).items() if not name.startswith("__")]


def named(function):
    return function.__name__


@pytest.mark.parametrize("mechanism", functions(Sound), ids=named)
def test_draws_of_a_generator_that_nobody_seeds_pay(mechanism):
    report = verify(mechanism, ONE, VALUES)
    assert report.verdict is Verdict.VERIFIED, report.reason
    assert report.checked, report.evidence[0].checked
    passed_in = {"passed_on", "wrapped", "of_scipy_with_state", "passed_or_made", "checked"}
    made = {"made_if_none", "with_settings", "seed_that_nobody_gives"}
    if mechanism.__name__ not in passed_in | made:
        assert any("nobody seeds" in said for said in report.assumptions)


@pytest.mark.parametrize("mechanism", functions(Broken), ids=named)
def test_draws_that_are_known_or_too_small_do_not_pay(mechanism):
    assert verify(mechanism, ONE, VALUES).verdict is not Verdict.VERIFIED


def load(folder, monkeypatch, **texts):
    """Return the module `release`, with others beside it."""
    monkeypatch.syspath_prepend(str(folder))
    for name, text in texts.items():
        (folder / f"{name}.py").write_text(text)
    for name in texts:
        monkeypatch.delitem(sys.modules, name, raising=False)
    importlib.invalidate_caches()
    linecache.checkcache()
    return importlib.import_module("release")


RELEASE = """
import numpy as np
{more}
rng = np.random.default_rng()
def count(data):
    return len(data) + np.random.laplace(0, 1)
def count_of_own(data):
    return len(data) + rng.laplace(0, 1)
"""
SEEDING = {
    "seed": "np.random.seed(3)",
    "seed_by_another_name": "begin = np.random.seed\nbegin(3)",
    "imported_seed": "from numpy.random import seed\nseed(3)",
    "other_bits": "def later():\n    np.random.set_bit_generator(np.random.MT19937(3))",
    "bits_that_are_kept": "def later():\n    BITS = np.random.get_bit_generator()",
    "made_anew": "def later():\n    np.random.mtrand._rand.__init__(3)",
    "made_anew_by_its_class": "def later():\n    np.random.RandomState.__init__(r, 3)",
    "state_set_by_copying": "def later():\n    np.random.mtrand._rand.__setstate__(s)",
    "state_read_by_copying": "def later():\n    KEPT = np.random.mtrand._rand.__reduce__()",
    "seed_in_a_function": "def main():\n    np.random.seed(3)\nmain()",
    "state": "kept = np.random.get_state()\nnp.random.set_state(kept)",
    "looked_up": "getattr(np.random, 'set_state')(np.random.RandomState(3).get_state())",
}


@pytest.mark.parametrize("more", SEEDING.values(), ids=SEEDING)
def test_a_module_that_seeds_is_refused(tmp_path, monkeypatch, more):
    module = load(tmp_path, monkeypatch, release=RELEASE.format(more=more))
    assert verify(module.count, ONE, VALUES).verdict is not Verdict.VERIFIED


@pytest.mark.parametrize("more", SEEDING.values(), ids=SEEDING)
def test_a_module_that_is_imported_and_seeds_is_refused(tmp_path, monkeypatch, more):
    other = f"import numpy as np\n{more}\n"
    release = RELEASE.format(more="import helpers")
    module = load(tmp_path, monkeypatch, helpers=other, release=release)
    assert {s.file for s in seedings([vars(module)], ["count"])} == {str(tmp_path / "helpers.py")}
    assert verify(module.count, ONE, VALUES).verdict is not Verdict.VERIFIED


@pytest.mark.parametrize("more", SEEDING.values(), ids=SEEDING)
def test_a_helper_in_another_module_is_refused_if_the_caller_s_module_seeds(
    tmp_path, monkeypatch, more
):
    helpers = "import numpy as np\ndef noise():\n    return np.random.laplace(0, 1)\n"
    release = (
        "import numpy as np\nfrom helpers import noise\n"
        f"{more}\ndef count(data):\n    return len(data) + noise()\n"
    )
    module = load(tmp_path, monkeypatch, helpers=helpers, release=release)
    assert verify(module.count, ONE, VALUES).verdict is not Verdict.VERIFIED


def test_a_module_that_sets_another_one_s_generator_is_refused(tmp_path, monkeypatch):
    other = "import numpy as np\ndef start(m):\n    m.rng = np.random.default_rng(3)\n"
    release = RELEASE.format(more="import helpers")
    module = load(tmp_path, monkeypatch, helpers=other, release=release)
    assert verify(module.count, ONE, VALUES).verdict is Verdict.VERIFIED
    assert verify(module.count_of_own, ONE, VALUES).verdict is not Verdict.VERIFIED


def test_what_runs_as_a_script_alone_does_not_count(tmp_path, monkeypatch):
    more = 'if __name__ == "__main__":\n    np.random.seed(3)'
    module = load(tmp_path, monkeypatch, release=RELEASE.format(more=more))
    assert verify(module.count, ONE, VALUES).verdict is Verdict.VERIFIED


def test_attributes_that_methods_set_on_their_object_are_not_those_of_the_class(
    tmp_path, monkeypatch
):
    text = "class A:\n    n = 0\n    def add(self):\n        self.n += 1\n"
    module = load(tmp_path, monkeypatch, release=text)
    assert not sets_attribute(vars(module), "n")
    for more in ("A.n = 3", "def f(a):\n    a.n = 1", "def f(k):\n    setattr(A, k, 1)"):
        module = load(tmp_path, monkeypatch, release=f"{text}{more}\n")
        assert sets_attribute(vars(module), "n")
