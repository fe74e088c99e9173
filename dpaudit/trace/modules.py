"""The user's files that a line may speak of: its own, and those that are imported from there."""

from __future__ import annotations

import ast
import linecache
import os
import sys
from bisect import bisect_right
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass
from pathlib import Path

from dpaudit.trace.draws import is_users_file

_MOST_FILES = 24
_MOST_LINES = 20_000  # of all but the first file
_HIGHEST = 8  # folders above a file in which packages are looked for
_MOST_NAMES = 8  # that one is imported under, one after the other


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import gives a name.

    Attributes
    ----------
    key : str
        Of the user's file; empty where it is a library.
    name : str
        In that file; empty where the module itself is meant.
    """

    key: str = ""
    name: str = ""


@dataclass(frozen=True, slots=True)
class Module:
    """A file of the user's, whose lines go on where those of another one end.

    Attributes
    ----------
    file : str
    first : int
        How many lines come before it.
    tree : Module
    imports : dict of str to Imported
        By the name that they have here.
    wiring : bool
        Whether it imports dpaudit, and so declares audits.
    """

    file: str
    first: int
    tree: ast.Module
    imports: dict[str, Imported]
    wiring: bool


class Modules:
    """The files of a program of the user's, with all lines numbered one after the other.

    Lines of the first file keep their numbers.

    Parameters
    ----------
    file : str
        The first one.
    others : iterable of str
        Further ones to begin with.

    Raises
    ------
    SyntaxError, ValueError
        If the first file cannot be read.
    """

    def __init__(self, file: str, others: Iterable[str] = ()) -> None:
        self._at: dict[str, int] = {}
        self.all: list[Module] = []
        self._ends: list[int] = [0]
        waiting = deque(dict.fromkeys((file, *others)))
        while waiting and len(self.all) < _MOST_FILES:
            each = waiting.popleft()
            if _key(each) not in self._at and (each == file or is_users_file(each)):
                waiting.extend(self._read(each, needed=each == file))
        self._importing = self._importers()

    def _read(self, file: str, needed: bool) -> list[str]:
        """Add a file, and return those of the user's that it imports."""
        lines, first = linecache.getlines(file), self._ends[-1]
        if not needed and (not lines or first - self._ends[1] + len(lines) > _MOST_LINES):
            return []
        try:
            tree = ast.parse("".join(lines))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            if needed:
                raise
            return []
        ast.increment_lineno(tree, first)
        imports, files = {}, []
        for name, found, inside in _imports(tree, file):
            imports[name] = Imported(_key(found), inside) if found else Imported()
            files += [found] if found else []
        self._at[_key(file)] = len(self.all)
        self.all.append(Module(file, first, tree, imports, _is_wiring(tree)))
        self._ends.append(first + len(lines) + 1)  # the end of a file that ends with no line
        return files

    def _importers(self) -> dict[int, set[int]]:
        found: dict[int, set[int]] = defaultdict(set)
        for number, module in enumerate(self.all):
            for each in module.imports.values():
                found[self._at.get(each.key, -1)].add(number)
        return found

    def number(self, node: ast.stmt | ast.expr | int) -> int:
        """Return the number of the file that a line stands in, or a node."""
        line = node if isinstance(node, int) else node.lineno
        return max(min(bisect_right(self._ends, line - 1), len(self.all)) - 1, 0)

    def place(self, line: int) -> tuple[str, int]:
        """Return the file and its own line that a line is."""
        module = self.all[self.number(line)]
        return module.file, line - module.first

    def line(self, file: str, line: int) -> int | None:
        """Return the line that a line of a file is, None if it has none, or was not read."""
        number = self._at.get(_key(file))
        if number is None or not 0 < line < self._ends[number + 1] - self._ends[number]:
            return None
        return self._ends[number] + line

    def lines(self, ran: Iterable[tuple[str, int]]) -> Set[int]:
        """Return the lines that lines of files are, of those that were read."""
        of_file: dict[str, list[int]] = defaultdict(list)
        for file, line in ran:
            of_file[file].append(line)
        firsts = ((self.line(file, 1), lines) for file, lines in of_file.items())
        return {first - 1 + n for first, lines in firsts if first is not None for n in lines}

    def imported(self, number: int, name: str) -> Imported | None:
        """Return what a name is imported as in a file, None where it is not imported."""
        return self.all[number].imports.get(name)

    def home(self, number: int, name: str) -> tuple[int, str]:
        """Return the file in which a name of another one is defined, and the name that it has."""
        for _ in range(_MOST_NAMES):
            found = self.imported(number, name)
            if found is None or not found.name or found.key not in self._at:
                break
            number, name = self._at[found.key], found.name
        return number, name

    def module(self, number: int, name: str) -> int | None:
        """Return the file of the user's that a name stands for, None where that is no module."""
        number, name = self.home(number, name)
        found = self.imported(number, name)
        return self._at.get(found.key) if found is not None and not found.name else None

    def is_module(self, number: int, name: str) -> bool:
        """Whether a name stands for a module, or comes from a library."""
        number, name = self.home(number, name)
        return self.imported(number, name) is not None

    def names(self, name: str) -> set[str]:
        """Return the names under which something of that name is imported, with its own."""
        here = (item for each in self.all for item in each.imports.items())
        return {name, *(alias for alias, found in here if found.name == name)}

    def around(self, number: int) -> Iterator[Set[int]]:
        """Yield a file, those that it imports, and those that import it, near or far."""
        down = {n: {self._at.get(i.key, n) for i in m.imports.values()} for n, m in
                enumerate(self.all)}  # fmt: skip
        below, above = _reached(down, number), _reached(self._importing, number)
        yield {number}
        yield below - {number}
        yield above - below - {number}


def _reached(edges: dict[int, set[int]], number: int) -> set[int]:
    found, waiting = {number}, [number]
    while waiting:
        new = edges.get(waiting.pop(), set()) - found
        found |= new
        waiting += new
    return found


def _key(file: str) -> str:
    try:
        return os.path.realpath(file)
    except (OSError, ValueError):
        return file


def _is_wiring(tree: ast.Module) -> bool:
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                found = [each.name for each in names]
            case ast.ImportFrom(module=str(module), level=0):
                found = [module]
            case _:
                continue
        if any(name.partition(".")[0] == "dpaudit" for name in found):
            return True
    return False


def _imports(tree: ast.Module, file: str) -> Iterator[tuple[str, str, str]]:
    """Yield names that imports give, with the user's file and the name in it, if there is one."""
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                for each in names:
                    whole = each.asname or each.name
                    yield whole.partition(".")[0], "", ""
                    yield whole, _file_of(each.name, 0, file), ""
            case ast.ImportFrom(module=module, names=names, level=level):
                for each in names:
                    inner = f"{module}.{each.name}" if module else each.name
                    found = _file_of(inner, level, file)
                    if found:
                        yield each.asname or each.name, found, ""
                    else:
                        found = _file_of(module or "", level, file)
                        yield each.asname or each.name, found, each.name if found else ""


def _file_of(name: str, level: int, file: str) -> str:
    """Return the user's file that a module is, empty where it is a library or is not found."""
    parts = [part for part in name.split(".") if part]
    if level == 0 and (not parts or parts[0] in sys.stdlib_module_names):
        return ""
    above = Path(file).parents
    folders = above[level - 1 : level] if level else above[:_HIGHEST]
    for folder in folders:
        at = folder.joinpath(*parts)
        for each in (at.with_name(f"{at.name}.py"), at / "__init__.py"):
            if at.name and os.path.isfile(each):
                return str(each) if is_users_file(str(each)) else ""
    loaded = getattr(sys.modules.get(name), "__file__", None) if level == 0 else None
    return loaded if isinstance(loaded, str) and is_users_file(loaded) else ""
