"""The prose of the documents: its sentences, their lengths, and phrases that nobody should read.

Prose linters from the registries see files alone. This one sees help texts, messages and
docstrings too.
"""

import ast
import inspect
import re
from dataclasses import dataclass

LONGEST = 25  # words in a sentence
_BANNED = {
    r"\bwins? over\b": "say which one is used",
    r"\bthe like\b": "say what is alike",
    r"\bwhat leaves\b|\bwhat comes out\b": "say: a released value, an output",
    r"\bpaid for\b|\bwithout payment\b": "say: charged to the budget",
    r"\bcr(?:y|ies) wolf\b": "say: a false alarm",
    r"(?<!there )\b(?:is|are) no (?:proof|pass|verdict|violation|kind)s?\b": "say: is not a …",
    r"\bwhoever\b|\bwhomever\b": "say: anyone who, someone who",
    r"\bgives? (?:it|them|itself|a record|the record|the number) away\b": "say: reveals",
    r"\bspeaks? (?:of|against|for)\b": "say: mentions, contradicts",
    r"\bsets? (?:it|a finding|findings|nothing|them) aside\b": "say: ignores",
    r"\bbut for\b": "say: except for",
    r"\bgo(?:es)? on\b": "say: continues",
    r"\bnought\b|\blest\b|\bthereof\b|\bwherefore\b": "say it plainly",
    r"\bwhere(?:ver)? that is so\b": "say: then",
    r"\bis told\b|\bare told\b": "say: is given",
}
BANNED = {re.compile(pattern, re.I): remedy for pattern, remedy in _BANNED.items()}
_BLOCK = re.compile(r"^(```|~~~).*?^\1", re.M | re.S)
_END = re.compile(r"(?<=[.!?])[\"'”)*_]*\s+(?=[\"'“(*_]*(?:[A-Z0-9`$αβδεμρ→⟨\[‖]|dpaudit\b))")
_ABBREVIATIONS = re.compile(r"\b(?:e\.g|i\.e|et al|cf|vs|pp?|No|Thm)\.")


@dataclass(frozen=True)
class Fault:
    """A sentence that is too long or has a banned phrase."""

    sentence: str
    why: str

    def __str__(self):
        return f"{self.why}: {self.sentence}"


def paragraphs(markdown):
    """Yield the paragraphs and list items of a page, without code, tables and headings."""
    text = _BLOCK.sub("\n", markdown)
    text = re.sub(r"^#+ References$.*?(?=^#|\Z)", "", text, flags=re.M | re.S)
    text = re.sub(r"<!--.*?-->", "\n", text, flags=re.S)
    for part in re.split(r"\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )", text):
        lines = [
            line.strip()
            for line in part.splitlines()
            if not line.lstrip().startswith(("|", "#", "!")) and not line.startswith("    ")
        ]
        joined = " ".join(filter(None, lines))
        if joined:
            yield re.sub(r"^(?:[-*]|\d+\.) ", "", joined)


def docstring_prose(text):
    """Return the prose of a numpydoc docstring, without examples, references and types."""
    text = inspect.cleandoc(text)
    text = re.sub(r"^References\n-+\n.*", "", text, flags=re.M | re.S)
    text = re.sub(r"^>>>.*?(?=\n\n|\Z)", "", text, flags=re.M | re.S)
    text = re.sub(r"^(?:\S.* : .+|.+\n-{3,})$", "", text, flags=re.M)
    return re.sub(r"^ {4}", "", text, flags=re.M)


def message_texts(source):
    """Return (line, text) of the texts in code that people read, with `x` for what is filled in.

    Docstrings are left out, and so are lists of names, which have no article.
    """
    tree = ast.parse(source)
    apart = {id(n.value) for n in ast.walk(tree) if isinstance(n, ast.Expr)}
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            apart |= {id(part) for part in ast.walk(node)}
            text = "".join(p.value if isinstance(p, ast.Constant) else "`x`" for p in node.values)
        elif isinstance(node, ast.Constant) and id(node) not in apart:
            text = node.value
        else:
            continue
        if isinstance(text, str) and re.search(r" (?:the|an?) ", f" {text} "):
            found.append((node.lineno, text))
    return found


def sentences(paragraph):
    """Return the sentences of a paragraph."""
    text = _ABBREVIATIONS.sub(lambda found: found[0][:-1] + "·", paragraph)
    return [each for each in _END.split(text) if each]


def words(sentence):
    """Return the words of a sentence; code, mathematics and a citation count as one each."""
    text = re.sub(r"``?[^`]+``?", " code ", sentence)
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"\([^()]*\b(?:18|19|20)\d\d[^()]*\)", "", text)  # a citation
    return [word for word in text.split() if re.search(r"\w", word)]


def faults(markdown):
    """Return what is wrong with the prose of a page."""
    found = []
    for paragraph in paragraphs(markdown):
        for sentence in sentences(paragraph):
            count = len(words(sentence))
            if count > LONGEST:
                found.append(Fault(sentence, f"{count} words"))
            bare = re.sub(r"``?[^`]+``?", "code", sentence)
            for pattern, remedy in BANNED.items():
                if pattern.search(bare):
                    found.append(Fault(sentence, f"{pattern.search(bare)[0]!r}, {remedy}"))
    return found
