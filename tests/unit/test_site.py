"""The site of the documentation: its pages and their order, and the check of what was built.

Sphinx is in an environment of its own; `make docs` builds the site with warnings as errors.
"""

import json
import re

import pytest

import dpaudit
from tools.api_pages import groups
from tools.built_site import faults
from tools.site import DOCS, FRONT, KINDS, kind_page, kinds

FRONT_TEXT = FRONT.read_text(encoding="utf-8")
LISTED = [file for pages in kinds(FRONT_TEXT).values() for file, _ in pages]


def title(file):
    text = (DOCS / file).read_text(encoding="utf-8")
    if file.endswith(".ipynb"):
        text = "".join(json.loads(text)["cells"][0]["source"])
    return re.match(r"# (.*)", text)[1]


def test_front_page_has_the_four_kinds_in_their_order():
    headings = re.findall(r"^## (.*)$", FRONT_TEXT, re.M)
    assert headings[:4] == [*KINDS]
    assert all(kinds(FRONT_TEXT).values())


def test_every_page_and_notebook_is_of_one_kind():
    pages = {path.name for path in DOCS.glob("*.md")} - {FRONT.name}
    notebooks = {f"notebooks/{path.name}" for path in DOCS.glob("notebooks/*.ipynb")}
    assert sorted(LISTED) == sorted(pages | notebooks)


@pytest.mark.parametrize("file", LISTED)
def test_front_page_names_a_page_by_its_title(file):
    assert f"| [{title(file)}]({file}) |" in FRONT_TEXT


def test_page_of_a_kind_lists_its_pages_in_a_table_and_in_the_navigation():
    text = kind_page("Tutorial", [("first.md", "Begin."), ("then.md", "Go further.")])
    assert "| [](<first.md>) | Begin. |\n| [](<then.md>) | Go further. |" in text
    assert "```{toctree}\n:hidden:\n\nfirst.md\nthen.md\n```" in text


def test_no_page_of_a_kind_has_the_name_of_another_page():
    assert not {f"{name}.md" for name in KINDS.values()} & {*LISTED}


def test_every_public_object_has_a_page_in_one_group():
    named = [name for names in groups().values() for name in names]
    assert sorted(named) == sorted(set(dpaudit.__all__) - {"__version__"})
    assert all(groups().values())


@pytest.fixture
def site(tmp_path):
    (tmp_path / "a.html").write_text(
        '<h1 id="top">A</h1><a href="b.html#there">b</a><a href="#top">up</a>'
        '<a href="https://example.org/">elsewhere</a><script src="own.js"></script>'
    )
    (tmp_path / "b.html").write_text('<h1 id="there">B</h1>')
    (tmp_path / "own.js").write_text("")
    return tmp_path


def test_site_whose_links_lead_somewhere_has_no_fault(site):
    assert faults(site) == []


@pytest.mark.parametrize(
    ("added", "fault"),
    [
        ('<a href="c.html">c</a>', "c.html is not there"),
        ('<a href="b.html#nowhere">b</a>', "b.html#nowhere has no such anchor"),
        ('<script src="https://example.org/x.js"></script>', "from the network"),
        ('<img src="//example.org/x.png">', "from the network"),
    ],
)
def test_broken_link_and_what_comes_from_the_network_are_faults(site, added, fault):
    with (site / "b.html").open("a") as page:
        page.write(added)
    [found] = faults(site)
    assert found.startswith("b.html: ")
    assert found.endswith(fault)
