"""The page of rules for reviewers names every source that the checker cites, and real modules."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "kernel.md").read_text(encoding="utf-8")
_CITED = re.compile(
    r"[A-Z][\w'-]+(?:, [A-Z][\w'-]+)*(?: & [A-Z][\w'-]+|,? et al\.)? (?:19|20)\d\d\b"
)
_OF_ONE_LINE = re.compile(r"\s+")


def cited(text):
    """Papers as ``Author & Author YEAR``, by their last author and the year."""
    found = _CITED.findall(_OF_ONE_LINE.sub(" ", text))
    return {tuple(re.split(r"[ ,&]+", paper)[-2:]) for paper in found}


@pytest.mark.parametrize("package", ["checker", "floats"])
def test_every_paper_that_a_rule_cites_is_on_the_page(package):
    files = sorted((ROOT / "dpaudit" / package).rglob("*.py"))
    papers = set().union(*(cited(file.read_text(encoding="utf-8")) for file in files))
    venues = {paper for paper in papers if paper[0] in ("AISTATS", "ICML", "NeurIPS")}
    assert len(papers) > 0
    assert not papers - venues - cited(PAGE)


def test_every_module_on_the_page_is_there():
    named = re.findall(r"`([\w/]+\.py|dpaudit/[\w/]+)`", PAGE)
    places = [ROOT, ROOT / "dpaudit" / "checker", ROOT / "tests" / "property"]
    assert len(named) > 40
    assert not [name for name in named if not any((place / name).exists() for place in places)]


def test_every_lemma_is_on_the_page():
    folder = ROOT / "dpaudit" / "checker" / "lemma"
    lemmas = [file.name for file in folder.glob("*.py") if " = Lemma(" in file.read_text("utf-8")]
    assert len(lemmas) > 5
    assert not [name for name in lemmas if f"`lemma/{name}`" not in PAGE]
