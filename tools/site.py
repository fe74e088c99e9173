"""Build the documentation site: `python -m tools.site` writes build/site/html.

The front page docs/README.md says which pages there are, of which kind, and what each is for. The
site has a page for each kind, and under it the pages that its table links to.
"""

from __future__ import annotations

import re
import shutil
import sys
from importlib import import_module
from pathlib import Path

from tools.api_pages import write_api_pages
from tools.built_site import faults
from tools.description import ROOT

_OUTSIDE = re.compile(r"\]\((\.\./[^)#:]+\.md)\)")
DOCS, FRONT = ROOT / "docs", ROOT / "docs" / "README.md"
BUILD = ROOT / "build" / "site"
SOURCE, STATIC, HTML = BUILD / "source" / "docs", BUILD / "static", BUILD / "html"
KINDS = {
    "Tutorial": "tutorials",
    "How-to guides": "guides",
    "Reference": "reference",
    "Explanation": "explanation",
}  # heading of the front page: name of its page
API = ("Public objects", "api.rst", "Every public class and function, with its parameters.")
_LINK = re.compile(r"^\| \[[^\]]*\]\(([^)]+)\) \| (.*) \|$", re.MULTILINE)


def kinds(front: str) -> dict[str, list[tuple[str, str]]]:
    """Return the pages of each kind, as (file, what it is for).

    Parameters
    ----------
    front : str
        The text of the front page.
    """
    _, *parts = re.split(r"^## ", front, flags=re.MULTILINE)
    found = {part.partition("\n")[0]: _LINK.findall(part) for part in parts}
    return {heading: found[heading] for heading in KINDS}


def kind_page(heading: str, pages: list[tuple[str, str]]) -> str:
    """Return the page of a kind: a table of its pages, and the toctree that orders them.

    Parameters
    ----------
    heading : str
    pages : list of (str, str)
        As `kinds` returns them.
    """
    rows = "\n".join(f"| [](<{file}>) | {purpose} |" for file, purpose in pages)
    files = "\n".join(file for file, _ in pages)
    return (
        f"# {heading}\n\n| page | what it is for |\n| --- | --- |\n{rows}\n\n"
        f"```{{toctree}}\n:hidden:\n\n{files}\n```\n"
    )


def write_source() -> None:
    """Copy docs/ and add the pages that the site alone has; links out of docs/ stay true."""
    shutil.rmtree(BUILD, ignore_errors=True)
    kept = shutil.ignore_patterns("README.md", "conf.py", "_*", ".*")
    shutil.copytree(DOCS, SOURCE, ignore=kept)
    for page in SOURCE.rglob("*.md"):  # a page that is not of the site is a file to download
        text = page.read_text(encoding="utf-8")
        page.write_text(_OUTSIDE.sub(r"](path:\1)", text), encoding="utf-8")
    for entry in ROOT.iterdir():
        if not entry.name.startswith(".") and entry.name not in {"build", "docs", "dist"}:
            (SOURCE.parent / entry.name).symlink_to(entry)
    front = FRONT.read_text(encoding="utf-8")
    for heading, pages in kinds(front).items():
        name = KINDS[heading]
        if name == "reference":
            pages = [(API[1], API[2]), *pages]
        (SOURCE / f"{name}.md").write_text(kind_page(heading, pages), encoding="utf-8")
    titled = _LINK.sub(r"| [](<\1>) | \2 |", front)
    toctree = "\n".join(["```{toctree}", ":hidden:", "", *KINDS.values(), "```", ""])
    (SOURCE / "index.md").write_text(f"{titled}\n{toctree}", encoding="utf-8")
    write_api_pages(SOURCE / API[1])


def write_scripts() -> None:
    """Copy MathJax out of its package, so that the site is read without a network."""
    STATIC.mkdir(parents=True)
    package = Path(str(import_module("mathjax").__file__)).parent
    script = package / "static" / "mathjax" / "es5" / "tex-svg-full.js"
    shutil.copy(script, STATIC / "mathjax.js")


def main() -> int:
    """Build the site, and check what was built."""
    write_source()
    write_scripts()
    build = import_module("sphinx.cmd.build").main
    options = ["-W", "--keep-going", "-q", "-j", "2", "-c", str(DOCS), "-d", str(BUILD / "trees")]
    code = int(build([*options, "-b", "html", str(SOURCE), str(HTML)]))
    wrong = faults(HTML) if code == 0 else []
    print(*wrong, sep="\n", file=sys.stderr)
    if code == 0 and not wrong:
        print(f"{len(list(HTML.rglob('*.html')))} pages: {HTML / 'index.html'}")
    return code or bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
