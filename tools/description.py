"""What the file of a mechanism says of itself: title, definition, and its fields."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
COLLECTION = ROOT / "mechanisms"
FIELDS = {
    "": ("Theorem", "Sensitivity", "Relation", "Utility"),
    "flawed": ("Twin", "Defect", "Violation", "Known from", "True epsilon", "Information limit"),
    "nonprivate": (
        "Promises",
        "Attack",
        "Violation",
        "Known from",
        "True epsilon",
        "Information limit",
    ),
}  # what the files of each folder state
_NAMES = "|".join(sorted({name for names in FIELDS.values() for name in names}))
_FIELD = re.compile(rf"^({_NAMES}): ", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Description:
    """The docstring of a mechanism's file, taken apart.

    Parameters
    ----------
    path : Path
    title : str
        First sentence, without its full stop.
    definition : str
        The text between title and fields, as it stands; formulas are indented.
    fields : mapping of str to str
        Such as Theorem, Sensitivity, Defect; each in one line.
    """

    path: Path
    title: str
    definition: str
    fields: Mapping[str, str]

    @property
    def name(self) -> str:
        """Name of the file, and of the function where there is one."""
        return self.path.stem

    @property
    def module(self) -> str:
        """Dotted name to import."""
        return ".".join(self.path.relative_to(ROOT).with_suffix("").parts)


def describe(path: Path) -> Description:
    """Read the docstring of a mechanism's file.

    Parameters
    ----------
    path : Path

    Returns
    -------
    Description

    Raises
    ------
    ValueError
        If there is no docstring, or a field occurs twice.
    """
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    if not text:
        raise ValueError(f"{path} has no docstring; begin it with what the mechanism is")
    head, *parts = _FIELD.split(text)
    title, _, definition = head.partition("\n")
    names, values = parts[0::2], parts[1::2]
    if len(set(names)) < len(names):
        raise ValueError(f"{path} states a field twice: {names}")
    fields = {name: " ".join(value.split()) for name, value in zip(names, values, strict=True)}
    return Description(path, title.rstrip("."), definition.strip("\n"), fields)


def described(folder: str = "") -> list[Description]:
    """Describe every mechanism of a folder.

    Parameters
    ----------
    folder : str, default: ""
        Below `mechanisms`: none for the sound ones, "flawed" or "nonprivate".

    Returns
    -------
    list of Description
        By name.
    """
    files = sorted((COLLECTION / folder).glob("*.py"))
    return [describe(path) for path in files if path.stem != "__init__"]
