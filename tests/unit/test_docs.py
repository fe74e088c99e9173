"""What the documents say of the code holds: links, symbols, snippets."""

import importlib
import inspect
import re
from pathlib import Path

import pytest

import dpaudit
from dpaudit.cli import cli
from dpaudit.violations import VIOLATIONS
from tests.prose import docstring_prose, faults, message_texts
from tests.sweeps import sampled
from tests.walkthrough import WALKED
from tools.file_formats import PAGE as FORMATS
from tools.file_formats import formats_page
from tools.functions_page import PAGE as FUNCTIONS
from tools.functions_page import functions_page
from tools.reference_pages import (
    COMMANDS,
    KINDS,
    RULES_PAGE,
    commands_page,
    rules_page,
    violations_page,
)

ROOT = Path(__file__).parents[2]
DOCS = sorted((ROOT / "docs").glob("*.md"))
FRONT = ROOT / "docs" / "README.md"
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *DOCS]
MAPPING = (ROOT / "docs" / "paper_mapping.md").read_text(encoding="utf-8")
SYMBOLS = sorted(set(re.findall(r"`((?:dpaudit|mechanisms)(?:\.\w+)+)`", MAPPING)))


def snippets():
    """Every Python block of the documents, with a name to find it by."""
    for page in DOCS:
        if page.stem in WALKED:
            continue  # run as a whole, by tests/end_to_end/test_readme.py
        text = page.read_text(encoding="utf-8")
        if page.name == "attacks.md":  # tests/golden/test_nonprivate.py runs those with an output
            text = re.sub(r"^```python\n[^`]*^```\n```text", "", text, flags=re.M)
        blocks = re.findall(r"^```python\n(.*?)^```", text, re.M | re.S)
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


def targets(page):
    """The relative links of a page."""
    every = re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8"))
    return [target for target in every if not re.match(r"[a-z]+:", target)]


def test_relative_links_lead_somewhere():
    for page, target in ((p, t) for p in PAGES for t in targets(p)):
        path, _, fragment = target.partition("#")
        there = (page.parent / path).resolve() if path else page
        assert there.exists(), (page.name, target)
        assert not fragment or fragment in anchors(there), (page.name, target)


def test_every_symbol_of_the_paper_mapping_exists():
    for symbol in SYMBOLS:
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


@pytest.mark.parametrize("block", sampled(snippets(), 2))
def test_snippet_of_the_documents_runs(block, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "snippet.py"  # proofs read the source
    file.write_text(block, encoding="utf-8")
    exec(compile(block, str(file), "exec"), {"__name__": "snippet"})


# Generated from the files of the mechanisms, or tables alone.
GENERATED = {"mechanisms.md", "paper_mapping.md"}


def test_sentences_of_the_documents_are_short_and_plain():
    for page in PAGES:
        if page.name not in GENERATED:
            found = [f"{page.name}: {fault}" for fault in faults(page.read_text(encoding="utf-8"))]
            assert not found, "\n".join(found)


def test_sentences_of_the_help_and_of_the_kinds_of_violation_are_short_and_plain():
    texts = [inspect.cleandoc(command.help) for command in (cli, *cli.commands.values())]
    texts += [o.help or "" for c in cli.commands.values() for o in c.params if hasattr(o, "help")]
    texts += [t for v in VIOLATIONS.values() for t in (v.statement, v.why, v.remedy)]
    # What click prints as it stands is a table.
    prose = [re.sub(r"\x08\n.*?(?=\n\n|\Z)", "", text, flags=re.S) for text in texts]
    found = [fault for text in prose for fault in faults(text)]
    assert not found, "\n".join(map(str, found))


def public_docstrings():
    """Every docstring of a public name, and of its methods and properties."""
    for name in set(dpaudit.__all__) - {"__version__"}:
        value = getattr(dpaudit, name)
        held = vars(value) if isinstance(value, type) else {}
        members = {n: m for n, m in held.items() if not n.startswith("_")}
        for of, member in {"": value, **members}.items():
            text = getattr(member, "__doc__", None)
            if text and (callable(member) or isinstance(member, property | classmethod)):
                yield f"{name}.{of}".rstrip("."), text


def test_sentences_of_messages_and_reasons_are_short_and_plain():
    """Every text in the code that is no docstring; theorems keep the words of their papers."""
    modules = sorted((ROOT / "dpaudit").rglob("*.py"))
    texts = [
        (f"{path.relative_to(ROOT)}:{line}", text)
        for path in modules
        if "lemma" not in path.parts
        for line, text in message_texts(path.read_text(encoding="utf-8"))
    ]
    assert len(texts) > 1_000
    found = [f"{place}: {fault}" for place, text in texts for fault in faults(text)]
    assert not found, "\n".join(found)


def test_a_message_that_is_too_long_or_has_a_banned_phrase_is_found():
    long = "word " * 26
    source = f'def f(x):\n    """{long} the"""\n    raise E(f"the {{x}} goes on. a {long}")\n'
    [(line, text)] = message_texts(source)
    assert line == 3
    assert len(faults(text)) == 2


def test_sentences_of_public_docstrings_are_short_and_plain():
    docstrings = dict(public_docstrings())
    found = [f"{n}: {fault}" for n, t in docstrings.items() for fault in faults(docstring_prose(t))]
    assert len(docstrings) > 100
    assert not found, "\n".join(found)


def test_generated_reference_pages_are_what_the_code_says():
    assert COMMANDS.read_text(encoding="utf-8") == commands_page(), "make readme"
    assert KINDS.read_text(encoding="utf-8") == violations_page(), "make readme"
    assert RULES_PAGE.read_text(encoding="utf-8") == rules_page(), "make readme"
    assert FORMATS.read_text(encoding="utf-8") == formats_page(), "make readme"
    assert FUNCTIONS.read_text(encoding="utf-8") == functions_page(), "make readme"


def test_front_page_lists_every_page_and_the_readme_leads_to_it():
    listed = set(re.findall(r"\]\(([\w/.]+)\)", FRONT.read_text(encoding="utf-8")))
    missing = {page.name for page in DOCS} - listed - {FRONT.name}
    assert not missing, f"docs/README.md does not say what these are for: {missing}"
    assert "(docs/README.md)" in (ROOT / "README.md").read_text(encoding="utf-8")
