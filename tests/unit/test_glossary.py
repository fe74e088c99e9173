"""Every word of a public name is in the glossary, or is one that every reader knows."""

import re
import unicodedata
from pathlib import Path

import dpaudit
from dpaudit.cli import cli

GLOSSARY = (Path(__file__).parents[2] / "docs" / "glossary.md").read_text(encoding="utf-8")
TERMS = re.findall(r"^\| (.+?)(?: †)? \| ", GLOSSARY, re.M)[2:]
# Words of everyday English or of every command line.
PLAIN = set(
    re.findall(
        r"\w+",
        """
    all approximate around baseline changed compare completion conditional curve explain fail fix
    folder format from html information init integer is jobs json list max maximum mean min no off
    on out output parameter proofs rate rates real reason report require review row run seconds
    select since source timeout trade until variation verify version
    """,
    )
)


def parts(name):
    """Split a name into its words: CamelCase, snake_case and --options."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", name)
    return [word.casefold() for word in re.split(r"[^A-Za-z0-9]+", spaced) if word]


def ascii_of(text):
    """Return a text without accents: Renyi for Rényi."""
    return unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()


def stem(word):
    """Return a word without what a plural or a verb adds."""
    return re.sub(r"(?:ies|y|es|s|ed|e)$", "", word)


KNOWN = {stem(w) for w in PLAIN} | {stem(w) for term in TERMS for w in parts(ascii_of(term))}
PARAMETERS = [parameter for command in cli.commands.values() for parameter in command.params]
OPTIONS = {name for p in PARAMETERS for name in (*p.opts, *p.secondary_opts) if name[:2] == "--"}
NAMES = [*sorted(set(dpaudit.__all__) - {"__version__"}), *cli.commands, *sorted(OPTIONS)]


def test_words_of_public_names_are_in_the_glossary():
    missing = {(name, w) for name in NAMES for w in parts(name) if stem(w) not in KNOWN}
    assert not missing, f"add {missing} to docs/glossary.md"


def test_a_word_that_is_nowhere_is_noticed():
    assert stem("frobnication") not in KNOWN


def test_glossary_is_sorted_and_has_each_term_once():
    keys = [ascii_of(term).casefold() for term in TERMS]
    assert keys == sorted(set(keys))
