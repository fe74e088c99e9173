"""Texts and files that leave by a way that the source does not name are outputs too."""

import importlib
import logging
import os
import pprint
import re
import sys
import traceback
import warnings
from pathlib import Path
from xml.etree import ElementTree

import pytest

import dpaudit
from dpaudit import AddRemove, PureDP, Real, Verdict
from dpaudit.outputs import emitting
from dpaudit.outputs.emitting import GENERAL_LIBRARIES, own_packages
from dpaudit.subject import Subject
from dpaudit.worker.quiet import Quiet
from tests.sweeps import sampled

INCOMES = AddRemove(Real(0, 100), max_size=4)
ONE = PureDP(1.0)
log = logging.getLogger(__name__)


LIBRARY = """
import os

def shown(number, found=[]):
    if not found:  # in the first call of each process
        found.append(os.path.join(os.environ["XDG_CACHE_HOME"], "fonts.json"))
        with open(found[0], "w") as cache:
            cache.write("{}")
    return number
"""


@pytest.fixture(autouse=True)
def elsewhere(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)


def noisy_count(data, rng):
    return len(data) + rng.laplace()


def logs_at_a_level_of_its_own(data, rng):
    log.log(15, "n=%d", len(data))
    return noisy_count(data, rng)


def logs_by_a_name_that_is_computed(data, rng):
    getattr(log, "de" + "bug")("n=%d", len(data))
    return noisy_count(data, rng)


def handles_a_record(data, rng):
    logging.getLogger("other").handle(logging.makeLogRecord({"msg": f"{len(data)}"}))
    return noisy_count(data, rng)


def prints_prettily(data, rng):
    pprint.pprint(len(data))
    return noisy_count(data, rng)


def writes_to_a_descriptor(data, rng):
    os.write(1, b"n = %d\n" % len(data))
    return noisy_count(data, rng)


def writes_to_the_first_stream(data, rng):
    print(len(data), file=sys.__stderr__)
    return noisy_count(data, rng)


def shows_what_was_raised(data, rng):
    try:
        raise ValueError(len(data))
    except ValueError:
        traceback.print_exc()
    return noisy_count(data, rng)


def warns_explicitly(data, rng):
    warnings.warn_explicit(f"{len(data)}", UserWarning, "file", 1)
    return noisy_count(data, rng)


def writes_by_a_library(data, rng):
    root = ElementTree.Element("release")
    root.text = str(len(data))
    ElementTree.ElementTree(root).write("release.xml")
    return noisy_count(data, rng)


def prints_and_writes_by_a_library(data, rng):
    print("released")
    return writes_by_a_library(data, rng)


BROKEN = [
    logs_at_a_level_of_its_own, logs_by_a_name_that_is_computed, handles_a_record,
    prints_prettily, writes_to_a_descriptor, writes_to_the_first_stream, shows_what_was_raised,
    warns_explicitly, writes_by_a_library, prints_and_writes_by_a_library,
]  # fmt: skip


def audited(mechanism, engine, **options):
    return dpaudit.audit(
        mechanism, ONE, INCOMES, engines=[engine], max_calls=2_000, progress=False, **options
    )


@pytest.mark.parametrize("engine", ["trace", "statistical"])
@pytest.mark.parametrize("mechanism", sampled(BROKEN, 3), ids=lambda m: m.__name__)
def test_an_exact_count_is_refuted_however_it_is_emitted(mechanism, engine):
    """Events of probability 1 against 0: a fresh seed never fails."""
    report = audited(mechanism, engine, max_seconds=None)
    assert report.verdict is Verdict.REFUTED
    assert "DPA101" in {finding.id for finding in report.findings}


def test_it_is_refuted_in_a_worker_process_too():
    """Events of probability 1 against 0: a fresh seed never fails."""
    report = audited(prints_prettily, "statistical", isolation="process")
    assert report.verdict is Verdict.REFUTED


def prints_the_answer_prettily(data, rng):
    noisy = noisy_count(data, rng)
    pprint.pprint(noisy)
    return noisy


def writes_the_answer_by_a_library(data, rng):
    noisy = noisy_count(data, rng)
    root = ElementTree.Element("release")
    root.text = str(noisy)
    ElementTree.ElementTree(root).write("release.xml")
    return noisy


def prints_where_nobody_looks(data, rng):
    pprint.pprint(len(data))
    return noisy_count(data, rng)


def test_the_cache_of_a_library_is_no_output(monkeypatch, tmp_path):
    """Else the mechanism would remember that it has been called before."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    (tmp_path / "site-packages").mkdir()
    (tmp_path / "site-packages" / "fonts.py").write_text(LIBRARY)
    monkeypatch.syspath_prepend(tmp_path / "site-packages")
    shown = importlib.import_module("fonts").shown

    def mechanism(data, rng):
        return shown(noisy_count(data, rng))

    report = audited(mechanism, "statistical")
    assert report.calls == 2_000
    assert "remembers" not in report.reason


@pytest.mark.parametrize("engine", ["trace", "statistical"])
@pytest.mark.parametrize("mechanism", [prints_the_answer_prettily, writes_the_answer_by_a_library])
def test_a_noisy_count_is_no_violation_however_it_is_emitted(mechanism, engine):
    """Fails with probability at most 1e-6 a case under a fresh seed: the level of each audit."""
    assert audited(mechanism, engine).verdict is not Verdict.REFUTED


@pytest.mark.parametrize("engine", ["trace", "statistical"])
def test_what_stays_inside_is_not_watched(engine):
    """Fails with probability at most 1e-6 a case under a fresh seed: the level of each audit."""
    report = audited(prints_where_nobody_looks, engine, observes=["return", "exceptions"])
    assert report.verdict is not Verdict.REFUTED


def test_records_of_libraries_are_not_those_of_the_user():
    with Quiet(listens=True) as quiet:
        record = logging.makeLogRecord({"msg": "selector", "pathname": logging.__file__})
        log.handle(record)
        assert not quiet.unwatched(Subject.of(noisy_count))
        log.debug("mine")
        assert quiet.unwatched(Subject.of(noisy_count)) == {"logging"}
        print("mine")
        assert quiet.unwatched(Subject.of(noisy_count)) == {"logging", "print"}
        watched = Subject.of(lambda data, rng: print(data))
        assert not quiet.unwatched(watched)


VENDOR = """
import logging

from vendor_core import told

log = logging.getLogger(__name__)

class Engine:
    def __init__(self, data, rng):
        self.data, self.rng = data, rng

    def logged(self):
        log.debug("n=%d", len(self.data))
        return len(self.data) + self.rng.laplace()

    def told(self):
        return told(len(self.data) + self.rng.laplace())

def logged(data, rng):
    return Engine(data, rng).logged()

def logged_the_answer(data, rng):
    noisy = len(data) + rng.laplace()
    log.info("n=%f", noisy)
    return noisy
"""
CORE = """
import logging
import warnings
from pathlib import Path

def told(number):
    logging.getLogger("core").log(15, "told")
    return number

def warned(data, rng):
    warnings.warn(f"{len(data)}")
    return len(data) + rng.laplace()
"""


@pytest.fixture
def vendor(monkeypatch, tmp_path):
    folder = tmp_path / "site-packages"
    folder.mkdir()
    (folder / "vendor_core.py").write_text(CORE)
    (folder / "vendor_stats").mkdir()
    (folder / "vendor_stats" / "__init__.py").write_text("from vendor_stats.engine import Engine")
    (folder / "vendor_stats" / "engine.py").write_text(VENDOR)
    monkeypatch.syspath_prepend(folder)
    yield importlib.import_module("vendor_stats.engine")
    for name in ("vendor_stats.engine", "vendor_stats", "vendor_core"):
        sys.modules.pop(name, None)


def adapted(data, rng):
    from vendor_stats import Engine

    return Engine(data, rng).logged()


@pytest.mark.parametrize("engine", ["trace", "statistical"])
@pytest.mark.parametrize("way", ["itself", "adapted", "session"])
def test_an_exact_count_that_an_installed_package_logs_is_refuted(vendor, way, engine):
    """Events of probability 1 against 0: a fresh seed never fails."""
    session = dpaudit.Session(vendor.Engine, ["logged"])
    mechanism = {"itself": vendor.logged, "adapted": adapted, "session": session}[way]
    report = audited(mechanism, engine)
    assert report.verdict is Verdict.REFUTED
    assert "DPA101" in {finding.id for finding in report.findings}


def test_an_exact_count_that_an_installed_package_warns_of_is_refuted(vendor):
    """Events of probability 1 against 0: a fresh seed never fails."""
    warned = sys.modules["vendor_core"].warned
    assert audited(warned, "statistical").verdict is Verdict.REFUTED


def test_a_noisy_count_that_an_installed_package_logs_is_no_violation(vendor):
    """Fails with probability at most 1e-6 under a fresh seed: the level of the audit."""
    assert audited(vendor.logged_the_answer, "statistical").verdict is not Verdict.REFUTED


def test_the_mechanism_owns_the_packages_that_users_code_names(vendor, monkeypatch):
    np, engine = importlib.import_module("numpy"), vendor.Engine

    def mechanism(data, rng):
        return engine(data, rng).told() + np.sum(data)

    assert own_packages(mechanism) == {"vendor_stats"}  # it imports the core, of no distribution
    known = {"vendor_stats": ["vendor"], "vendor_core": ["vendor"], "numpy": ["numpy"]}
    monkeypatch.setattr(emitting, "packages_distributions", lambda: known)
    emitting._installed_with.cache_clear()
    emitting._reach.cache_clear()
    assert own_packages(mechanism) == {"vendor_stats", "vendor_core"}
    emitting._installed_with.cache_clear()
    assert own_packages(noisy_count) == own_packages(np.sum) == frozenset()


def test_the_docs_list_the_general_libraries_whose_logs_do_not_count():
    text = (Path(__file__).parents[2] / "docs" / "objects.md").read_text(encoding="utf-8")
    listed = text.partition("logs and warnings do not count:")[2].partition("dpaudit does not")[0]
    assert set(re.findall(r"`(\w+)`", listed)) == GENERAL_LIBRARIES
