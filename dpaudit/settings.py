"""What a project says once: ``[tool.dpaudit]`` in its pyproject.toml."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dpaudit.roots import project_file
from dpaudit.untrusted import contents

TABLE = "tool.dpaudit"


class SettingsError(ValueError):
    """The settings cannot be used."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of a project.

    Attributes
    ----------
    paths : tuple of str
        Where audits are, from the folder that settings were asked for; ``("audits",)`` unless
        given.
    options : mapping
        Options of `dpaudit.audit` for audits that do not declare them, where the command line does
        not give them either.
    review : mapping of str to str
        What the authors declare, by hazard; see `dpaudit.review`.
    baseline : str or None
        The file of accepted findings, from the folder that settings were asked for.
    """

    paths: tuple[str, ...] = ("audits",)
    options: Mapping[str, Any] = field(default_factory=dict)
    review: Mapping[str, str] = field(default_factory=dict)
    baseline: str | None = None


def read_settings(folder: Path) -> Settings:
    """Return the settings of a folder's project.

    Parameters
    ----------
    folder : Path
        Settings stand in the nearest ``pyproject.toml`` at or above it.

    Returns
    -------
    Settings
        The defaults where there is no such file, or no ``[tool.dpaudit]`` in it.

    Raises
    ------
    SettingsError
        If the file is no TOML, or a setting is unknown or has a value that it cannot have.
    """
    start = folder.resolve()
    file = project_file(start)
    if file is None:
        return Settings()
    try:
        tool = tomllib.loads(contents(file).decode()).get("tool", {})
    except (RecursionError, ValueError) as error:  # too deep, too long a number, no UTF-8
        raise SettingsError(f"{file} is no TOML: {error}") from None
    if not isinstance(tool, dict):
        raise SettingsError(f"{file}: tool must be a table, got {tool!r}")
    table = tool.get("dpaudit", {})
    if not isinstance(table, dict):
        raise SettingsError(f"{file}: {TABLE} must be a table, got {table!r}")
    given: dict[str, Any] = {}
    for name, value in table.items():
        if name not in _KINDS:
            known = ", ".join(_KINDS)
            raise SettingsError(f"{file}: {TABLE} has no setting {name!r}; there are {known}")
        holds, words = _KINDS[name]
        if not holds(value):
            raise SettingsError(f"{file}: {TABLE}.{name} must be {words}, got {value!r}")
        given[name] = tuple(value) if isinstance(value, list) else value
    review = given.pop("review", {})
    baseline = given.pop("baseline", None)
    if baseline is not None:
        baseline = os.path.relpath(file.parent / baseline, start)
    if "paths" not in given:
        return Settings(options=given, review=review, baseline=baseline)
    paths = (os.path.relpath(file.parent / path, start) for path in given.pop("paths"))
    return Settings(tuple(paths), given, review, baseline)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _are_engines(value: Any) -> bool:
    from dpaudit.auditor import ENGINES

    known = _are_names(value) and set(ENGINES).issuperset(value)
    return known and len(set(value)) == len(value)


def _are_names(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(v, str) and v for v in value)


def _are_declarations(value: object) -> bool:
    return isinstance(value, dict) and all(
        isinstance(said, str) and said.strip() for said in value.values()
    )


_Kind = tuple[Callable[[Any], bool], str]
_KINDS: dict[str, _Kind] = {
    "paths": (_are_names, 'a list of paths, such as ["audits"]'),
    "alpha": (lambda v: _is_number(v) and 0 < v < 1, "between 0 and 1, both excluded"),
    "max_calls": (lambda v: _is_whole(v) and v >= 1, "an integer >= 1"),
    "max_seconds": (
        lambda v: _is_number(v) and 0 < v < float("inf"), "a finite number of seconds > 0"),
    "seed": (lambda v: _is_whole(v) and v >= 0, "an integer >= 0"),
    "engines": (
        _are_engines, 'a list of some of "static", "formal", "trace", "statistical", each once'),
    "review": (_are_declarations, "a table of words by hazard; see dpaudit review --help"),
    "baseline": (
        lambda v: isinstance(v, str) and bool(v.strip()),
        'a file, such as "dpaudit-baseline.toml"'),
    "timeout": (lambda v: _is_number(v) and 0 < v < float("inf"), "a finite number of seconds > 0"),
}  # fmt: skip
