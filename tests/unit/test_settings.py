"""Settings and starters: what a project says once, and its first audit file."""

from pathlib import Path

import pytest

from dpaudit import PureDP
from dpaudit.collect import collect
from dpaudit.declare import Audit
from dpaudit.neighbors import AddRemove, Real
from dpaudit.settings import Settings, SettingsError, read_settings
from dpaudit.starter import starter


def write(folder, text):
    (folder / "pyproject.toml").write_text(f"[tool.dpaudit]\n{text}")


def test_settings_of_the_nearest_file_hold_and_paths_are_those_of_its_folder(tmp_path):
    write(tmp_path, 'paths = ["privacy"]\nmax_calls = 3_000\nengines = ["formal"]\n')
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    assert read_settings(tmp_path) == Settings(
        ("privacy",), {"max_calls": 3_000, "engines": ("formal",)}
    )
    assert [Path(p).as_posix() for p in read_settings(inner).paths] == ["../../privacy"]


def test_without_settings_the_defaults_hold(tmp_path):
    assert read_settings(tmp_path).paths == ("audits",)
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'shop'\n")
    assert read_settings(tmp_path) == Settings()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("max_call = 1", "no setting 'max_call'; there are paths, alpha"),
        ("max_calls = 0", "max_calls must be an integer >= 1, got 0"),
        ("max_calls = true", "max_calls must be an integer >= 1, got True"),
        ("alpha = 1", "alpha must be between 0 and 1, both excluded, got 1"),
        ("alpha = nan", "alpha must be between 0 and 1"),
        ("max_seconds = inf", "max_seconds must be a finite number"),
        ("seed = -1", "seed must be an integer >= 0, got -1"),
        ('engines = ["magic"]', "got ['magic']"),
        ("engines = []", "engines must be a list of some of"),
        ('engines = ["formal", "formal"]', "each once, got"),
        ('paths = "audits"', "paths must be a list of paths"),
        ("max_calls =", "is no TOML"),
    ],
)
def test_settings_that_cannot_be_used_are_an_error_with_the_remedy(tmp_path, text, said):
    write(tmp_path, text)
    with pytest.raises(SettingsError, match=r"pyproject\.toml") as caught:
        read_settings(tmp_path)
    assert said in str(caught.value)


def test_a_table_that_is_none_is_an_error(tmp_path):
    (tmp_path / "pyproject.toml").write_text("[tool]\ndpaudit = 3\n")
    with pytest.raises(SettingsError, match="must be a table, got 3"):
        read_settings(tmp_path)


def test_a_tool_that_is_no_table_is_an_error(tmp_path):
    (tmp_path / "pyproject.toml").write_text("tool = 1\n")
    with pytest.raises(SettingsError, match="tool must be a table, got 1"):
        read_settings(tmp_path)


def test_declarations_go_before_settings():
    audit = Audit(len, PureDP(1.0), AddRemove(Real(0, 1)), max_calls=10)
    assert audit.undeclared({"max_calls": 20, "seed": 3, "timeout": 5.0}) == {
        "seed": 3,
        "timeout": 5.0,
    }


MECHANISMS = """
def halved(data, rng, *, epsilon=0.5, delta=1e-6):
    return data.sum()

def plain(data, rng):
    return len(data) + rng.laplace()
"""


@pytest.mark.parametrize(
    ("name", "claim", "expected"),
    [
        ("halved", None, "ApproxDP(0.5, 1e-06)"),
        ("plain", None, "PureDP(1.0)"),
        ("plain", "GaussianDP(2.0)", "GaussianDP(2.0)"),
    ],
)
def test_the_first_audit_file_declares_one_audit(tmp_path, monkeypatch, name, claim, expected):
    module = f"released_{name}_{len(claim or '')}"
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / f"{module}.py").write_text(MECHANISMS)
    monkeypatch.syspath_prepend(tmp_path)
    file = tmp_path / "first.py"
    file.write_text(starter(f"{module}:{name}", file, claim))
    (found,) = collect([file]).audits
    assert str(found.audit.claim) == expected
    assert 'container="pandas"' in file.read_text()  # else nothing tells who has data frames
    assert ("a guess" in file.read_text()) == (name == "plain" and claim is None)


@pytest.mark.parametrize("name", ["nowhere:f", "math:nothing", "math", "dpaudit:PureDP.delta"])
def test_a_mechanism_that_is_not_there_is_an_error(tmp_path, name):
    with pytest.raises((ImportError, ValueError, TypeError)):
        starter(name, tmp_path / "first.py")
