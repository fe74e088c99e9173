"""The lines of a mechanism that is itself in an installed package."""

import importlib

import dpaudit
from dpaudit import AddRemove, PureDP, Real
from dpaudit.trace.draws import count_as_users, is_users_file

CORE = """
from vendor_totals.noise import add


def clip(x):
    return min(max(float(x), 0), 100)


def total(data, rng):
    return add(sum(clip(x) for x in data), rng)
"""

NOISE = """
def add(value, rng):
    return value + rng.laplace(scale=50.0)
"""


def test_a_cause_in_the_installed_package_of_the_mechanism_is_named(tmp_path, monkeypatch):
    """A fresh seed misses the violation, of epsilon 2 against 1, less than once in 1,000."""
    package = tmp_path / "site-packages" / "vendor_totals"
    package.mkdir(parents=True)
    for name, text in (("__init__", ""), ("core", CORE), ("noise", NOISE)):
        (package / f"{name}.py").write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(str(package.parent))
    mechanism = importlib.import_module("vendor_totals.core").total
    people = AddRemove(Real(0, 100), max_size=4)
    engines = ["trace", "statistical"]
    report = dpaudit.audit(mechanism, PureDP(1.0), people, engines=engines, max_calls=20_000)
    first = report.findings[0]
    assert first.id in ("DPA105", "DPA106")
    assert first.file.endswith(("vendor_totals/core.py", "vendor_totals/noise.py"))
    count_as_users(__file__)
    assert not is_users_file(str(package / "core.py"))
    assert is_users_file(__file__)
