"""Elements of HTML and SVG in which text cannot become markup."""

from __future__ import annotations

from functools import lru_cache
from html import escape
from typing import NamedTuple

from dpaudit.report.escape import plain
from dpaudit.report.numbers import lower

_VOID = frozenset({"input", "meta", "br", "line", "rect", "circle", "path", "polyline", "polygon"})
_LONGEST = 2_000


class Markup(NamedTuple):
    """HTML that `tag` made; whatever else is shown is text, and is escaped."""

    html: str


Child = object  # Markup, a sequence of children, None for nothing, or text


def tag(name: str, /, *children: Child, **attributes: object) -> Markup:
    """Return an element.

    Parameters
    ----------
    name : str
    *children : Markup, sequence, None or anything
        Anything that is no Markup becomes text of one line, without control characters.
    **attributes : Markup, str, number, bool or None
        An underscore at the end is dropped, others become hyphens; None and False leave one out.

    Returns
    -------
    Markup
    """
    listed = "".join([
        _attribute(key, value)
        for key, value in attributes.items()
        if value is not None and value is not False
    ])  # fmt: skip
    if name in _VOID:
        return Markup(
            f"<{name}{listed}>" if name in ("input", "meta", "br") else f"<{name}{listed}/>"
        )
    return Markup(f"<{name}{listed}>{_html(children)}</{name}>")


def joined(*children: Child) -> Markup:
    """Return children side by side.

    Parameters
    ----------
    *children : Markup, sequence, None or anything

    Returns
    -------
    Markup
    """
    return Markup("".join(map(_html, children)))


def number(value: float) -> str:
    """Return a coordinate, as short as a picture needs it."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def percent(value: float) -> str:
    """Return a share in per cent."""
    return f"{lower(100 * value)} %"


def _html(child: Child) -> str:
    if type(child) is Markup:
        return child.html
    if type(child) is str:
        return _text(child, _LONGEST)
    if child is None:
        return ""
    if isinstance(child, list | tuple):
        return "".join([each.html if type(each) is Markup else _html(each) for each in child])
    return _text(str(child), _LONGEST)


@lru_cache(maxsize=4096)
def _text(text: str, longest: int | None = None) -> str:
    """Return text as HTML; the same words and places come many times in a page."""
    return escape(plain(text, longest))


def _attribute(name: str, value: object) -> str:
    written = _written(name)
    if value is True:
        return f" {written}"
    return f' {written}="{value.html if isinstance(value, Markup) else _text(str(value))}"'


@lru_cache(maxsize=64)
def _written(name: str) -> str:
    return "viewBox" if name == "viewbox" else name.rstrip("_").replace("_", "-")
