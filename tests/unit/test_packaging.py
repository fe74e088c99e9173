"""What is shipped."""

import re
import tomllib
import zipfile
from importlib.metadata import version
from pathlib import Path

import pytest

import dpaudit

ROOT = Path(__file__).parents[2]
TOML = tomllib.loads((ROOT / "pyproject.toml").read_text())
PROJECT = TOML["project"]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """Build the wheel as an installer would, without a network."""
    from hatchling.builders.wheel import WheelBuilder

    folder = tmp_path_factory.mktemp("wheel")
    [file] = WheelBuilder(str(ROOT)).build(directory=str(folder), versions=["standard"])
    return zipfile.ZipFile(file)


def test_wheel_installs_dpaudit_and_nothing_else(wheel):
    tops = {name.split("/")[0] for name in wheel.namelist()}
    assert tops == {"dpaudit", f"dpaudit-{dpaudit.__version__}.dist-info"}


def test_wheel_holds_every_module_and_the_mark_of_types(wheel):
    files = {str(f.relative_to(ROOT)) for f in (ROOT / "dpaudit").rglob("*.py")}
    templates = (ROOT / "dpaudit/report/page/templates").iterdir()
    page = {str(file.relative_to(ROOT)) for file in templates}
    assert files | page | {"dpaudit/py.typed"} <= set(wheel.namelist())


def test_wheel_names_its_license_command_and_python(wheel):
    folder = f"dpaudit-{dpaudit.__version__}.dist-info"
    metadata = wheel.read(f"{folder}/METADATA").decode()
    assert "License-Expression: Apache-2.0" in metadata
    assert "Requires-Python: >=3.11" in metadata
    assert "dpaudit = dpaudit.cli:main" in wheel.read(f"{folder}/entry_points.txt").decode()
    assert "Apache License" in wheel.read(f"{folder}/licenses/LICENSE").decode()


def test_everything_that_is_to_be_shipped_exists():
    targets = TOML["tool"]["hatch"]["build"]["targets"]
    named = [name.lstrip("/") for name in targets["sdist"]["include"]]
    for name in [*named, *targets["wheel"]["packages"], PROJECT["readme"], "LICENSE"]:
        assert (ROOT / name).exists(), name


def test_core_requirements_are_lower_bounds():
    for requirement in PROJECT["dependencies"]:
        assert re.fullmatch(r"[a-z0-9-]+>=[\d.]+", requirement), requirement


def _pins():
    text = (ROOT / "constraints.txt").read_text()
    return {
        re.sub(r"[-_.]+", "-", name).lower(): pin
        for name, pin in re.findall(r"^([\w.-]+)==(\S+)$", text, re.M)
    }


def test_constraints_hold_exact_versions_alone():
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    assert all(re.fullmatch(r"[\w.-]+==[\w.!+]+", line) for line in lines)


def test_constraints_pin_everything_that_the_makefile_installs():
    makefile = (ROOT / "Makefile").read_text()
    extras = re.search(r"^EXTRAS := (\S+)$", makefile, re.M)[1].split(",")
    assert set(extras) == set(PROJECT["optional-dependencies"]) - {"libraries", "docs"}
    assert "--constraint constraints.txt --editable '.[docs]'" in makefile
    wanted = PROJECT["dependencies"] + [
        r for extra in [*extras, "docs"] for r in PROJECT["optional-dependencies"][extra]
    ]
    for requirement in wanted:
        assert requirement.split(">=")[0].lower() in _pins(), requirement


def test_tests_run_with_the_pinned_scientific_packages():
    pins = _pins()
    for name in ("numpy", "scipy", "scikit-learn", "statsmodels"):
        assert version(name) == pins[name]


def test_version_is_the_same_everywhere():
    citation = (ROOT / "CITATION.cff").read_text()
    assert f"version: {dpaudit.__version__}" in citation
    assert f"## {dpaudit.__version__}" in (ROOT / "CHANGELOG.md").read_text()
