"""Lints files: which functions are read, under which neighbors, and what is ignored."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

from dpaudit.evidence import Finding
from dpaudit.roots import project_root
from dpaudit.static.analysis import found_in, is_mechanism
from dpaudit.static.declared import Declared, declared, with_fixed
from dpaudit.static.facts import Call, Facts
from dpaudit.static.forms import symbol
from dpaudit.static.ignores import Span, set_aside
from dpaudit.static.modules import Function, Module, Project, UnreadableError
from dpaudit.static.reading import first_parameter, read
from dpaudit.static.relations import UNKNOWN, Relation

SKIPPED = frozenset({".git", ".venv", "venv", "node_modules", "__pycache__", ".tox", ".nox",
                     ".mypy_cache", ".ruff_cache", ".pytest_cache", "site-packages"})  # fmt: skip


SOURCES = ("", ".py", ".pyi", ".pyw")  # how files of Python end; a script may have no ending


class LintError(ValueError):
    """The paths hold nothing that could be linted."""


@dataclass(frozen=True, slots=True)
class LintFailure:
    """A file, or a function in it, that could not be analysed."""

    file: str
    message: str


@dataclass(frozen=True, slots=True)
class LintReport:
    """What a run of the linter found.

    Attributes
    ----------
    findings : tuple of Finding
        By file and line; those that are ignored are not among them.
    ignored : tuple of (Finding, str)
        Findings that a comment sets aside, and its reason.
    failures : tuple of LintFailure
    files, lines, functions : int
        What was read.
    read : tuple of str
        The files.
    accepted : tuple of (Finding, str)
        Findings that the baseline file accepts, and why.
    unaudited : tuple of (str, int, str)
        File, line and name of functions that look like mechanisms and that no audit names.
    """

    findings: tuple[Finding, ...]
    ignored: tuple[tuple[Finding, str], ...]
    failures: tuple[LintFailure, ...]
    files: int
    lines: int
    functions: int
    read: tuple[str, ...] = ()
    accepted: tuple[tuple[Finding, str], ...] = ()
    unaudited: tuple[tuple[str, int, str], ...] = ()

    def exit_code(self, fail_on: str = "error") -> int:
        """Return 1 where a finding reaches `fail_on`, else 3 where a file failed, else 0.

        Parameters
        ----------
        fail_on : {"error", "warning", "never"}
        """
        levels = {"error": {"error"}, "warning": {"error", "warning"}, "never": set[str]()}[fail_on]
        if any(finding.level in levels for finding in self.findings):
            return 1
        return 3 if self.failures else 0


@dataclass(frozen=True, slots=True, eq=False)
class _Task:
    function: Function
    relation: Relation
    data: tuple[str, ...] | None
    epsilon: float | None = None


def lint(
    paths: Sequence[str | Path],
    *,
    everything: bool = False,
    refuted: bool = False,
    today: date | None = None,
) -> LintReport:
    """Lint files and folders, none of which is imported.

    Parameters
    ----------
    paths : sequence of path
        Python files, or folders whose files are meant.
    everything : bool
        Whether every function is read, not only those that an audit names or that look like a
        mechanism.
    refuted : bool
        Whether audits that expect a refutation count before those that expect none.
    today : date, optional
        On which comments that ignore a finding may have expired.

    Returns
    -------
    LintReport

    Raises
    ------
    LintError
        Where a path does not exist, or no file is found.

    Notes
    -----
    Audits are read from the files themselves and from ``audits/`` of the project, as syntax: they
    say which functions are mechanisms, and under which neighbors. An audit that expects a
    refutation counts only for functions that no other audit names, unless `refuted`.
    """
    files = _files(paths)
    if not files:
        raise LintError("no Python files were found; give a file or a folder with some")
    roots = tuple(dict.fromkeys(project_root(file.parent) for file in files))
    project = Project(roots)
    modules, failures = _modules(project, files)
    audits = _audits(project, modules, roots)
    reader = _Reader(project)
    tasks, covered = _audited(project, reader, audits, refuted)
    found: dict[tuple[str, str | None, int | None], Finding] = {}
    count = 0
    seen: dict[str, list[Span]] = {}
    unaudited: list[tuple[str, int, str]] = []
    for module in modules:
        for function in _functions(module):
            mine = tasks.get(id(function.node), [])
            if not mine and id(function.node) not in covered:
                looks_like_one = is_mechanism(function, project)
                if looks_like_one:
                    unaudited.append((module.shown, function.node.lineno, function.name))
                mine = [_Task(function, UNKNOWN, None)] if everything or looks_like_one else []
            whole = bool(mine)
            for task in mine:
                facts, problem = reader.facts(task)
                count += 1
                if problem is not None:
                    whole = False
                    failures.append(LintFailure(module.shown, f"{function.name}: {problem}"))
                for finding in found_in(facts) if facts is not None else ():
                    _keep(found, finding)
            if whole:
                seen.setdefault(module.shown, []).append(_span(function.node))
    kept, aside = set_aside(modules, list(found.values()), today or date.today(), seen)
    return LintReport(
        tuple(sorted(kept, key=lambda f: (f.file or "", f.line or 0, f.id))),
        tuple(aside),
        tuple(failures),
        len(files),
        sum(len(module.lines) for module in modules),
        count,
        tuple(map(_shown, files)),
        unaudited=tuple(sorted(unaudited)),
    )


def _span(node: ast.expr | ast.stmt) -> Span:
    """Return the first and the last line of a function, decorators included."""
    decorators = getattr(node, "decorator_list", ())
    first = min([node.lineno, *(each.lineno for each in decorators)])
    return first, node.end_lineno or first


def _keep(found: dict[tuple[str, str | None, int | None], Finding], finding: Finding) -> None:
    key = (finding.id, finding.file, finding.line)
    if key not in found or (found[key].level == "warning" and finding.level == "error"):
        found[key] = finding


class _Reader:
    """Reads each function once under the same neighbors, data and settings."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self._read: dict[object, tuple[Facts | None, str | None]] = {}

    def facts(self, task: _Task) -> tuple[Facts | None, str | None]:
        """Return the facts of a function, and what kept it from being read."""
        fixed = [(name, id(v.function), v.number) for name, v in task.function.fixed.items()]
        key = (id(task.function.node), task.relation, task.data, task.epsilon, str(fixed))
        if key not in self._read:
            self._read[key] = self._new(task)
        return self._read[key]

    def _new(self, task: _Task) -> tuple[Facts | None, str | None]:
        try:
            facts = read(
                self.project, task.function, task.relation, data=task.data, epsilon=task.epsilon
            )
        except Exception as error:
            return None, f"could not be analysed: {type(error).__name__}"
        return facts, None if facts.complete else "is too large to be read to its end"


def _modules(project: Project, files: Sequence[Path]) -> tuple[list[Module], list[LintFailure]]:
    modules, failures = [], []
    for file in files:
        shown = _shown(file)
        try:
            modules.append(project.module(file, shown))
        except UnreadableError as error:
            failures.append(LintFailure(shown, str(error)))
    return modules, failures


def _functions(module: Module) -> Iterator[Function]:
    """Yield functions and methods; those inside others are read where they are called."""
    yield from module.functions.values()


def _audits(project: Project, modules: Sequence[Module], roots: Sequence[Path]) -> list[Declared]:
    """Return what the audits of the linted files and of the projects' audit folders name."""
    files = {module.path: module for module in modules}
    for root in roots:
        for path in sorted((root / "audits").rglob("*.py")):
            if path.resolve() not in files:
                try:
                    files[path.resolve()] = project.module(path.resolve(), _shown(path.resolve()))
                except UnreadableError:
                    continue
    return [found for module in files.values() for found in declared(project, module)]


def _audited(
    project: Project, reader: _Reader, audits: Sequence[Declared], refuted: bool
) -> tuple[dict[int, list[_Task]], set[int]]:
    """Return how audited functions are to be read, and which others they call.

    A function that only prepares the data for one of another module stands for that one.
    """
    tasks: dict[int, list[tuple[bool, _Task]]] = {}
    covered: set[int] = set()
    for audit in audits:
        function = with_fixed(project, audit)
        first = tuple(first_parameter(function))
        chosen = [_Task(function, audit.relation, first, audit.epsilon)]
        facts, _ = reader.facts(chosen[0])
        for call in () if facts is None else facts.calls:
            if call.function is None:
                continue
            covered.add(id(call.function.node))
            private = tuple(name for name, value in call.parameters.items() if value.tells)
            elsewhere = call.function.module is not function.module
            if call.depth == 0 and private and elsewhere and _prepares(function, audit):
                inner = _Task(_as_called(call), audit.relation, private, audit.epsilon)
                read_so, _ = reader.facts(inner)
                chosen += [inner] if read_so is not None and read_so.draws else []
        for task in chosen:
            entry = tasks.setdefault(id(task.function.node), [])
            entry.append((audit.sound, task))
    kept = {}
    for key, found in tasks.items():
        wanted = [task for sound, task in found if sound != refuted]
        if refuted and not wanted:
            continue  # to be read as it stands
        kept[key] = wanted or [task for _, task in found]
    return kept, covered - set(kept)


def _prepares(function: Function, audit: Declared) -> bool:
    """Return whether a function stands in an audit file, to prepare data for a mechanism."""
    return function.module is audit.module or "audits" in function.module.path.parts


def _as_called(call: Call) -> Function:
    """Return a function with the settings that a call gives it."""
    assert call.function is not None
    spec = call.function.node.args
    defaults = {
        p.arg for p in (*spec.args[len(spec.args) - len(spec.defaults) :], *spec.kwonlyargs)
    }
    given = {
        name: value._replace(params=frozenset({name}), form=symbol(name))
        for name, value in call.parameters.items()
        if value.public and value.number is not None and name in defaults
    }
    return replace(call.function, fixed={**call.function.fixed, **given})


def _files(paths: Sequence[str | Path]) -> list[Path]:
    found: dict[Path, None] = {}
    for given in paths:
        path = Path(given)
        if path.is_dir():
            try:
                below = [p for p in sorted(path.rglob("*.py")) if _is_source(p.relative_to(path))]
            except OSError as error:
                why = f"{error.filename}: {error.strerror}"
                raise LintError(f"{path} cannot be searched ({why}); give another folder") from None
            found |= dict.fromkeys(p.resolve() for p in below if p.is_file())
        elif path.is_file():
            if path.suffix not in SOURCES:
                raise LintError(f"{path} is no file of Python; give a folder, or a file named *.py")
            found[path.resolve()] = None
        else:
            fact = "is no regular file" if path.exists() else "does not exist"
            raise LintError(f"{path} {fact}; give a folder or a file of Python")
    return list(found)


def _is_source(below: Path) -> bool:
    return not SKIPPED & set(below.parts)


def _shown(path: Path) -> str:
    here = Path.cwd()
    return path.relative_to(here).as_posix() if path.is_relative_to(here) else path.as_posix()
