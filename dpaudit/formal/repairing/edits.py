"""Changes of a source file, as replaced stretches of its text and as a diff."""

from __future__ import annotations

import ast
import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

NO_NEWLINE = "\\ No newline at end of file\n"


@dataclass(frozen=True, slots=True, order=True)
class Edit:
    """A stretch of a file that is replaced.

    Attributes
    ----------
    start, end : int
        Characters of the file; equal for an insertion.
    text : str
    line : int
        Where the stretch starts.
    """

    start: int
    end: int
    text: str
    line: int


@dataclass(frozen=True, slots=True)
class Text:
    """A file that can be searched by the places of its syntax tree.

    Attributes
    ----------
    file : str
    content : str
    """

    file: str
    content: str

    def offset(self, line: int, column: int) -> int:
        """Return the character at a line (from 1) and a column in bytes, as trees count."""
        lines = lines_of(self.content)
        before = lines[line - 1].encode()[:column].decode()
        return sum(map(len, lines[: line - 1])) + len(before)

    def segment(self, node: ast.expr) -> str:
        """Return the text of an expression."""
        start, end = self.span(node)
        return self.content[start:end]

    def span(self, node: ast.expr) -> tuple[int, int]:
        """Return where an expression starts and ends."""
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return (
            self.offset(node.lineno, node.col_offset),
            self.offset(node.end_lineno, node.end_col_offset),
        )

    def line(self, number: int) -> str:
        """Return a line, counted from 1."""
        return lines_of(self.content)[number - 1]

    def replaced(self, node: ast.expr, text: str) -> Edit:
        """Return the edit that puts a text for an expression."""
        return Edit(*self.span(node), text, node.lineno)

    def edited(self, edits: Sequence[Edit]) -> str | None:
        """Return the content after the edits; None where two of them overlap."""
        content, last = self.content, len(self.content) + 1
        for edit in sorted(edits, reverse=True):
            if edit.end > last:
                return None
            content = content[: edit.start] + edit.text + content[edit.end :]
            last = edit.start
        return content


def lines_of(content: str) -> list[str]:
    """Return the lines of a file as Python counts them, with their ends."""
    parts = [f"{line}\n" for line in content.split("\n")]
    parts[-1] = parts[-1][:-1]
    return parts if parts[-1] else parts[:-1]


def unified_diff(file: str, before: str, after: str) -> str:
    """Return the change of one file as a unified diff.

    Parameters
    ----------
    file : str
    before, after : str

    Returns
    -------
    str
        As ``git apply`` takes it from the working directory, or, for a file elsewhere, from the
        folder above the file's package.
    """
    path = Path(file)
    here = Path.cwd() if path.is_relative_to(Path.cwd()) else _above_package(path)
    name = path.relative_to(here).as_posix()
    lines = difflib.unified_diff(
        lines_of(before),
        lines_of(after),
        f"a/{name}",
        f"b/{name}",
    )
    return "".join(line if line.endswith("\n") else f"{line}\n{NO_NEWLINE}" for line in lines)


def _above_package(path: Path) -> Path:
    folder = path.parent
    while (folder / "__init__.py").exists() and folder.parent != folder:
        folder = folder.parent
    return folder
