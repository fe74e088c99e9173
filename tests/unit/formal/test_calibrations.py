"""Functions of public constants are run for their result, unless they may return another one."""

import importlib
import sys
import warnings

import pytest

from dpaudit import AddRemove, ApproxDP, Real, Verdict, verify
from dpaudit.checker import check
from tests.proving import is_proved
from tests.unit.formal import calibration_programs as programs
from tests.unit.formal.calibration_programs import Broken, Sound

VALUES = AddRemove(Real(0, 100), max_size=8)
CLAIM = ApproxDP(1.0, 1.0001e-3)


def functions(of):
    return [value for name, value in vars(of).items() if not name.startswith("__")]


def named(function):
    return function.__name__


@pytest.mark.parametrize("mechanism", functions(Sound), ids=named)
def test_noise_of_a_scale_that_a_function_of_constants_returns_pays(mechanism):
    report = verify(mechanism, CLAIM, VALUES)
    assert report.verdict is Verdict.VERIFIED, report.reason
    assert report.checked


@pytest.mark.parametrize("mechanism", functions(Broken), ids=named)
def test_a_scale_that_is_too_small_or_may_be_another_is_not_proved(mechanism):
    assert not is_proved(mechanism, CLAIM, VALUES)


TEXT = """
import numpy as np
def scale(epsilon):
    width = 0.0
    while width < FACTOR:
        width += FACTOR / 4
    return width / epsilon
FACTOR = {factor}
def count(data):
    return len(data) + np.random.laplace(0, scale(1.0))
"""


def load(folder, monkeypatch, text, name="calibrated"):
    monkeypatch.syspath_prepend(str(folder))
    (folder / f"{name}.py").write_text(text)
    monkeypatch.delitem(sys.modules, name, raising=False)
    importlib.invalidate_caches()
    return importlib.import_module(name)


def test_a_certificate_holds_of_the_code_that_was_run(tmp_path, monkeypatch):
    module = load(tmp_path, monkeypatch, TEXT.format(factor=1.0))
    certificate = verify(module.count, CLAIM, VALUES).certificate
    assert check(certificate.to_dict(), mechanism=module.count).accepted
    module.FACTOR = 0.5
    assert check(certificate.to_dict(), mechanism=module.count).rejected


def test_a_module_that_is_only_read_as_text_is_not_run(tmp_path, monkeypatch):
    module = load(tmp_path, monkeypatch, TEXT.format(factor=1.0))
    content = verify(module.count, CLAIM, VALUES).certificate.to_dict()
    found = check(content, source=tmp_path / "calibrated.py")
    assert found.not_checked
    assert "known by running it" in found.reason


def test_a_constant_that_another_module_sets_is_not_run(tmp_path, monkeypatch):
    load(tmp_path, monkeypatch, TEXT.format(factor=1.0))
    text = "import calibrated\ndef change():\n    calibrated.FACTOR = 0.0\ndef count(data):\n" \
        "    return calibrated.count(data)\n"  # fmt: skip
    other = load(tmp_path, monkeypatch, text, "changing")
    assert not is_proved(other.count, CLAIM, VALUES)


def test_what_was_run_for_a_proof_is_as_it_was():
    assert programs.LOG == []
    assert is_proved(Sound.of_a_table, CLAIM, VALUES)
    assert programs.WIDTHS == [1.0, 0.5, 0.25]


WARNING = """
import warnings
import numpy as np
warnings.simplefilter("error")
def scale(epsilon):
    while epsilon < 0:
        epsilon += 1
    try:
        np.log(np.zeros(1))
    except RuntimeWarning:
        return 1e-6
    return 1.0
def count(data):
    return len(data) + np.random.laplace(0, scale(1.0))
"""


def test_a_function_that_catches_its_warnings_is_not_run(tmp_path, monkeypatch):
    with warnings.catch_warnings():
        module = load(tmp_path, monkeypatch, WARNING, "warning")
        assert module.scale(1.0) == 1e-6
        assert not is_proved(module.count, CLAIM, VALUES)
