"""Renders the templates of pages, in which text that a mechanism chose cannot become markup."""

from __future__ import annotations

from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from dpaudit.report.escape import plain

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
    environment = _environment()
    assert environment.loader is not None
    return environment.loader.get_source(environment, file)[0]


@cache
def _environment() -> Environment:
    return Environment(
        loader=PackageLoader("dpaudit.report.page"),
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
