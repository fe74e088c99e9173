"""Renders the templates of pages, in which text that a mechanism chose cannot become markup."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from dpaudit.report.escape import plain

_TEMPLATES = Path(__file__).parent / "templates"
_LONGEST = 2_000


def rendered(template: str, /, **values: Any) -> str:
    """Return a page, or a part of one.

    Parameters
    ----------
    template : str
        A file of ``templates/``.
    **values : Any
        What it shows. Anything but ``markupsafe.Markup`` becomes text of one line, without control
        characters; None becomes nothing.

    Returns
    -------
    str

    Raises
    ------
    jinja2.UndefinedError
        If the template shows a value that is not given.
    """
    return _environment().get_template(template).render(values)


def source(file: str) -> str:
    """Return the text of a file of ``templates/`` as it stands."""
    return (_TEMPLATES / file).read_text(encoding="utf-8")


@cache
def _environment() -> Environment:
    return Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        finalize=_text,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _text(value: Any) -> Any:
    if value is None:
        return ""
    return value if hasattr(value, "__html__") else plain(value, _LONGEST)
