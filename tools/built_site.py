"""Check a built site: its links lead to its pages, and it loads nothing from the network."""

from __future__ import annotations

from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

_LOADED = {"script": "src", "img": "src", "iframe": "src", "link": "href", "source": "src"}


class _Page(HTMLParser):
    """The links of a page, what it loads, and the anchors that it has."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.anchors: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        held = dict(attrs)
        for name in ("id", "name"):
            self.anchors.add(held.get(name) or "")
        target = held.get(_LOADED.get(tag, "href"))
        if target:
            (self.loaded if tag in _LOADED else self.links).append(target)


def faults(folder: Path) -> list[str]:
    """Return what is wrong with the pages of a folder.

    Parameters
    ----------
    folder : Path
        Where the site was built.

    Returns
    -------
    list of str
    """

    @cache
    def read(file: Path) -> _Page:
        return _Page(file.read_text(encoding="utf-8"))

    found = []
    for file in sorted(folder.rglob("*.html")):
        name = file.relative_to(folder)
        if name.parts[0] == "_static":
            continue  # templates of the theme
        page = read(file)
        outside = [each for each in page.loaded if urlsplit(each).netloc]
        found += [f"{name}: loads {each} from the network" for each in outside]
        for target in {*page.links, *page.loaded} - {*outside}:
            parts = urlsplit(target)
            if parts.scheme or parts.netloc:
                continue
            there = (file.parent / unquote(parts.path)).resolve() if parts.path else file
            fragment = unquote(parts.fragment) if there.suffix == ".html" else ""
            if not there.is_file():
                found.append(f"{name}: {target} is not there")
            elif fragment and fragment not in read(there).anchors:
                found.append(f"{name}: {target} has no such anchor")
    return found
