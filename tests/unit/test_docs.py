"""What the documents say of the code holds: links, symbols, snippets."""

import importlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCS = sorted((ROOT / "docs").glob("*.md"))
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *DOCS]
MAPPING = (ROOT / "docs" / "paper_mapping.md").read_text(encoding="utf-8")
SYMBOLS = sorted(set(re.findall(r"`((?:dpaudit|mechanisms)(?:\.\w+)+)`", MAPPING)))


def named(page):
    return page.name


def snippets():
    """Every Python block of the documents, with a name to find it by."""
    for page in DOCS:
        blocks = re.findall(r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), re.M | re.S)
        for number, block in enumerate(blocks, 1):
            yield pytest.param(block, id=f"{page.name}-{number}")


def anchors(page):
    """What a fragment of a link to a page can name: its headings, as GitHub writes them."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.M)
    return {re.sub(r"[^\w\- ]", "", h.lower()).strip().replace(" ", "-") for h in headings}


def resolve(symbol):
    """Import the longest prefix that is a module, then follow the attributes."""
    parts = symbol.split(".")
    for length in range(len(parts), 0, -1):
        name = ".".join(parts[:length])
        try:
            found = importlib.import_module(name)
        except ModuleNotFoundError as error:
            if not f"{name}.".startswith(f"{error.name}."):
                raise  # the module is there, and something it needs is not
            continue
        for part in parts[length:]:
            found = getattr(found, part)
        return found
    raise ModuleNotFoundError(symbol)


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_relative_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, fragment = target.partition("#")
        there = (page.parent / path).resolve() if path else page
        assert there.exists(), target
        assert not fragment or fragment in anchors(there), target


@pytest.mark.parametrize("symbol", SYMBOLS)
def test_symbol_of_the_paper_mapping_exists(symbol):
    resolve(symbol)


def test_a_symbol_that_does_not_exist_is_noticed():
    with pytest.raises(AttributeError):
        resolve("dpaudit.claims.GaussianDP.gamma")
    with pytest.raises(AttributeError):
        resolve("dpaudit.claims.nowhere.GaussianDP")


def test_every_row_of_the_paper_mapping_names_a_source_and_a_symbol():
    rows = [line.strip("|").split("|") for line in MAPPING.splitlines() if line.startswith("|")]
    bodies = [row for row in rows if set(row[0]) - set(" -") and row[2].strip() != "symbol"]
    assert bodies
    for statement, source, symbols in bodies:
        assert source.strip(), statement
        assert re.findall(r"`[\w.]+`", symbols), statement


def test_every_source_of_the_paper_mapping_is_in_its_references():
    tables, _, references = MAPPING.partition("## References")
    cited = set(re.findall(r"([A-Z][\w-]+)(?:,| &| et al\.)? [^|;()]*?(?:19|20)\d\d", tables))
    missing = {name for name in cited if name not in references}
    assert missing <= {"Google", "Gaussian"}, missing


def test_every_reference_mechanism_is_in_the_paper_mapping():
    for file in sorted((ROOT / "mechanisms").glob("*.py")):
        if file.stem != "__init__":
            listed = any(s.startswith(f"mechanisms.{file.stem}.") for s in SYMBOLS)
            assert listed, f"add a row for {file.stem} to docs/paper_mapping.md"


@pytest.mark.parametrize("block", [*snippets()])
def test_snippet_of_the_documents_runs(block, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    exec(compile(block, "<snippet>", "exec"), {"__name__": "snippet"})


def test_readme_leads_to_the_documents():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for page in ("statistics.md", "paper_mapping.md"):
        assert f"(docs/{page})" in readme
