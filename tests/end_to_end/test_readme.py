"""Every block of the README runs as it stands, from an installed wheel and outside of the clone."""

import re
from pathlib import Path

import pytest

from dpaudit.collect import collect
from tests.sweeps import alternated
from tests.walkthrough import WALKED, carried_out, installed
from tools.terminal_picture import PICTURE, commands_of, shown_lines, text_of
from tools.verdict_table import PAGE, page

ROOT = Path(__file__).parents[2]
GUIDES = [name for name in WALKED if name != "tutorial"]
README = (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def commands(tmp_path_factory):
    return installed(tmp_path_factory.mktemp("fresh"))


@pytest.fixture(scope="module")
def reader(commands, tmp_path_factory):
    """Do what the README says, and keep what each command printed."""
    folder = tmp_path_factory.mktemp("reader")
    (folder / "requirements.txt").write_text("dpaudit\n")
    return folder, carried_out(README, folder, commands)


def test_every_block_runs_from_an_installed_wheel_outside_of_the_clone(reader):
    folder, printed = reader
    assert len(printed) >= 6
    assert (folder / "report.html").exists()
    assert "2 audits: 2 as expected" in printed[next(c for c in printed if " run " in c)]


@pytest.mark.slow
def test_every_block_of_the_tutorial_runs_from_an_installed_wheel(commands, tmp_path):
    assert carried_out((ROOT / "docs" / "tutorial.md").read_text("utf-8"), tmp_path, commands)


@pytest.mark.slow
@pytest.mark.parametrize("name", alternated(GUIDES))
def test_every_block_of_the_guides_runs_from_an_installed_wheel(name, commands, tmp_path):
    text = (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")
    assert carried_out(text, tmp_path, commands)


def test_python_example_prints_what_its_comments_say(reader):
    [said] = [out for command, out in reader[1].items() if "example.py" in command]
    [comment] = re.findall(r"^print\(.*# (.*)$", README, re.M)
    assert said.splitlines()[0] == comment


def test_picture_shows_the_audits_of_the_readme_as_they_ran(reader):
    commands = commands_of(README)
    assert len(commands) == 2
    lines = [
        line
        for command in commands
        for line in shown_lines(command, reader[1][f"dpaudit {command}"])
    ]
    drawn = " ".join(text_of(PICTURE.read_text(encoding="utf-8"))).split()
    assert drawn == " ".join(lines).split(), "make readme"


def test_readme_is_short_and_loads_no_mechanism_of_the_clone():
    assert len(README.splitlines()) <= 120
    assert "mechanisms." not in README


def test_verdicts_are_what_the_audits_declare():
    found = collect([ROOT / "audits"])
    assert found.failures == ()
    assert PAGE.read_text(encoding="utf-8") == page(found), "make readme"


def test_files_that_the_readme_links_to_exist():
    for target in re.findall(r"\]\(([^)#:]+)\)", README):
        assert (ROOT / target).exists(), target
