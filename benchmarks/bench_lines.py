"""How many lines of code the proof side has, beside the goals for its size.

Lines of code are those that hold a token of the code. Blank lines, comments and docstrings are not
counted. The proof side is what proves (`formal/`), what checks proofs (`checker/`), and the
analysis of rounding (`floats/`). The last row counts what a process has imported of dpaudit that
checks a certificate: all of the checker, and what that imports.

Names of library functions that are written out, such as `numpy.clip`, are counted by the modules of
the proof side that write them. The goal is one module for each name.
"""

from __future__ import annotations

import ast
import io
import re
import subprocess
import sys
import tempfile
import tokenize
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

import click
from common import met, print_provenance, print_table

PACKAGE = Path(__file__).parents[1] / "dpaudit"
ROOMS = ("formal", "checker", "floats")
GOAL, GOAL_OF_A_CHECK = 28_000, 14_000
CHECKING = """
import importlib, pkgutil, subprocess, sys
import dpaudit.checker as checker
made = "import dpaudit as d, mechanisms.mean as m\\nfound = d.verify("
made += "m.mean_private_size, d.PureDP(1.0), d.AddRemove(d.Real(0, 100)))\\n"
subprocess.run([sys.executable, "-c", made + "found.certificate.save({0!r})"], check=True)
for module in pkgutil.walk_packages(checker.__path__, "dpaudit.checker."):
    importlib.import_module(module.name)
assert checker.check({0!r}).accepted
ours = sys.modules["dpaudit"].__path__[0] + "/"
files = (getattr(module, "__file__", None) or "" for module in list(sys.modules.values()))
print(*sorted(file for file in files if file.startswith(ours)), sep="\\n")
"""
LIBRARIES = (
    "builtins collections functools itertools math method numpy operator pandas random scipy"
)
NAME = re.compile(rf"({'|'.join(LIBRARIES.split())})(\.\w+)+")
_LAYOUT = {
    tokenize.COMMENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
    tokenize.INDENT,
    tokenize.NEWLINE,
    tokenize.NL,
}


def code_lines(text: str) -> int:
    """Return how many lines of a module hold code."""
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in _LAYOUT:
            lines.update(range(token.start[0], token.end[0] + 1))
    for docstring in _docstrings(ast.parse(text)):
        lines.difference_update(range(docstring.lineno, (docstring.end_lineno or 0) + 1))
    return len(lines)


def _docstrings(tree: ast.Module) -> Iterator[ast.Constant]:
    for node in ast.walk(tree):
        holds = isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        match node.body[:1] if holds else []:
            case [ast.Expr(value=ast.Constant(value=str()) as text)]:
                yield text


def names_written(text: str) -> set[str]:
    """Return the names of library functions that a module writes out."""
    strings = (node.value for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Constant))
    texts = (each for each in strings if isinstance(each, str))
    words = {word.removesuffix(":") for each in texts for word in each.split()}
    return {word for word in words if NAME.fullmatch(word)}


def lines_of(files: Iterable[Path]) -> int:
    """Return how many lines of some modules hold code."""
    return sum(code_lines(file.read_text(encoding="utf-8")) for file in files)


def imported() -> list[Path]:
    """Return the modules of dpaudit that a process has imported which checks a certificate."""
    with tempfile.TemporaryDirectory() as folder:
        code = CHECKING.format(str(Path(folder, "mean.json")))
        names = subprocess.check_output([sys.executable, "-c", code], text=True, cwd=PACKAGE.parent)
    return [Path(name) for name in names.splitlines()]


@click.command(help=__doc__)
def main() -> None:
    """Print the table."""
    print_provenance()
    rows: list[tuple[str, str, str, str]] = []
    total, modules = 0, Counter[str]()
    for room in ROOMS:
        for part in sorted({file.parent for file in (PACKAGE / room).rglob("*.py")}):
            files = sorted(part.glob("*.py"))
            count = lines_of(files)
            for file in files:
                modules.update(names_written(file.read_text(encoding="utf-8")))
            total += count
            name = part.relative_to(PACKAGE).as_posix()
            rows.append((name, f"{len(files)}", f"{count:,}", ""))
    rows.append(("the proof side", "", f"{total:,}", f"{GOAL:,}"))
    checking = imported()
    of_a_check = lines_of(checking)
    goal = f"{GOAL_OF_A_CHECK:,}"
    rows.append(("imported by a check", f"{len(checking)}", f"{of_a_check:,}", goal))
    print_table(("part", "modules", "lines of code", "goal"), rows)
    once = sum(count == 1 for count in modules.values())
    print(f"\nnames of library functions: {len(modules)}, written in one module: {once}, ", end="")
    print(f"in several: {len(modules) - once}")
    print(f"the proof side within its goal: {met(total <= GOAL)}")
    print(f"a check within its goal: {met(of_a_check <= GOAL_OF_A_CHECK)}")


if __name__ == "__main__":
    main()
