"""First calls of a mechanism: each in a process that imports its modules anew.

Nothing is seeded here. What a call draws from a generator that its module seeds is therefore what
the first call of every process draws.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import gc
import hashlib
import importlib
import importlib.util
import inspect
import math
import os
import pickle
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from importlib.machinery import SourceFileLoader
from multiprocessing.connection import Connection
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

import dpaudit
from dpaudit.ended import ended
from dpaudit.outputs import Columns, encode
from dpaudit.subject import Subject, runs_later, unnamed
from dpaudit.worker.datasets import duplicate
from dpaudit.worker.deadline import in_time
from dpaudit.worker.draw import CAUGHT, caught
from dpaudit.worker.fresh import answers_of, in_fork
from dpaudit.worker.parcel import pack_value
from dpaudit.worker.quiet import Quiet
from dpaudit.worker.remote import prepare, shielded
from dpaudit.worker.tasks import WorkerError

MEMORY = 4 * 2**30  # bytes of data that a process may hold
SLOWEST = 15  # seconds for each second of processor time, where other work keeps the machine busy
_GUARDS = ("__name__ == '__main__'", "'__main__' == __name__")
# Libraries that keep no generator of their own: forks may share their import. Polars is not among
# them: it starts threads as it is imported, which a fork lacks.
_SHARED = ("pandas", "scipy.stats", "sklearn")


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a process that has imported nothing finds a function.

    Attributes
    ----------
    module, file : str
    code : str
        Of its bytecode, its defaults and what it encloses.
    arguments : tuple
        What `functools.partial` gives it first.
    keywords : dict
        And by name.
    rng : str or None
        How it gets a generator that the system seeds: by this name, or after its dataset (``""``);
        None where it takes none, or where its parameter has a default, which users call it with.
    ends : bool
        Whether it is a generator function or async: what it makes runs to its end.
    """

    module: str
    file: str
    code: str
    arguments: tuple[Any, ...]
    keywords: dict[str, Any]
    rng: str | None
    ends: bool


@dataclass(frozen=True, slots=True)
class OtherSeed:
    """A call in a file, and the seed that stands in it instead of what is written."""

    file: str
    line: int
    column: int
    seed: int


FirstCall = tuple[Any, OtherSeed | None]


def origin_of(subject: Subject) -> Origin | None:
    """Return where other processes find a mechanism; None where importing does not make it.

    Parameters
    ----------
    subject : Subject

    Notes
    -----
    A script whose audit stands under ``if __name__ == "__main__":`` is imported under another name.
    """
    function, name = unnamed(subject.function)
    rng = name if subject.takes_rng and not _has_default(function, name) else None
    arguments: tuple[Any, ...] = ()
    keywords: dict[str, Any] = {}
    while isinstance(function, functools.partial):
        arguments = (*function.args, *arguments)
        keywords = {**function.keywords, **keywords}
        function = function.func
    if type(function) is not FunctionType or "<locals>" in function.__qualname__:
        return None
    module = function.__module__ or ""
    file = getattr(sys.modules.get(module), "__file__", None)
    if module == "__main__":
        module, file = "__mp_main__", _script()
    code = _code_of(function)
    if file is None or code is None or not hasattr(os, "fork"):
        return None
    if not all(map(_is_plain, (*arguments, *keywords.values()))):
        return None
    return Origin(module, file, code, arguments, keywords, rng, runs_later(function))


def _has_default(function: Any, name: str) -> bool:
    parameters = inspect.signature(function).parameters
    parameter = parameters[name] if name else [*parameters.values()][1]
    return parameter.default is not parameter.empty


def _script() -> str | None:
    """Return the file of a script that now runs what it runs only as a script, None of others."""
    main = sys.modules["__main__"]
    file = getattr(main, "__file__", None)
    frame = sys._getframe()
    while frame.f_code.co_name != "<module>" or frame.f_globals is not vars(main):
        if frame.f_back is None:
            return None
        frame = frame.f_back
    if file is None or not file.endswith(".py") or not os.path.isfile(file):
        return None
    with open(file, encoding="utf-8") as stream:
        body = ast.parse(stream.read()).body
    guards = [n for n in body if isinstance(n, ast.If) and ast.unparse(n.test) in _GUARDS]
    line = frame.f_lineno
    return file if any(n.lineno < line <= (n.end_lineno or 0) for n in guards) else None


def _is_plain(value: Any) -> bool:
    return value is None or isinstance(value, int | float | str)


def _code_of(function: FunctionType) -> str | None:
    """Return a digest of a function, None where it holds objects that no text tells apart."""
    try:
        cells = [cell.cell_contents for cell in function.__closure__ or ()]
    except ValueError:
        return None
    if not all(map(_is_plain, cells)):
        return None
    code = function.__code__
    place = function.__qualname__, code.co_firstlineno, list(code.co_positions())
    text = repr((place, code.co_code, code.co_names, cells))
    return hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()


def first_outputs(
    origin: Origin, calls: Sequence[FirstCall], *, timeout: float, until: float | None
) -> list[Columns]:
    """Return the output of the first call of a process, for each dataset in another one.

    Parameters
    ----------
    origin : Origin
    calls : sequence of (dataset, OtherSeed or None)
    timeout : float
        Seconds of processor time that one of them may take, with its imports: how busy the machine
        is decides nothing, unless one takes `SLOWEST` times as long.
    until : float or None
        Of `time.monotonic`: none begins from then on, and the task fails.

    Raises
    ------
    WorkerError
        Where a process hangs or dies, or does not find the function.

    Notes
    -----
    The processes are forks of one that has imported NumPy, and some libraries that draw from
    nothing else. Their shared generators are seeded by the system after the fork.
    """
    content = pack_value(list(calls), "the datasets")
    given = origin, content, list(sys.path), timeout, until
    return answers_of(_serve, given, len(calls), SLOWEST * timeout)


def _serve(
    origin: Origin,
    content: bytes,
    path: list[str],
    timeout: float,
    until: float | None,
    connection: Connection,
) -> None:
    prepare(None, MEMORY)
    sys.path[:] = path
    text = ""
    if os.path.isfile(origin.file):
        with open(origin.file, encoding="utf-8", errors="replace") as stream:
            text = stream.read()
    for name in _SHARED:
        if name.partition(".")[0] in text and importlib.util.find_spec(name.partition(".")[0]):
            importlib.import_module(name)
    if "dpaudit" in text:  # a script that is its own audit
        for public in dpaudit.__all__:
            getattr(dpaudit, public)
    for dataset, other in pickle.loads(content):
        first = partial(shielded, partial(_first, origin, dataset, other, timeout, until))
        answer = in_fork(first, SLOWEST * timeout)
        connection.send(answer)
        if isinstance(answer, WorkerError):
            return


def _first(
    origin: Origin, dataset: Any, other: OtherSeed | None, timeout: float, until: float | None
) -> Columns:
    in_time(until)
    _bound_work(math.ceil(timeout))
    np.random.seed()  # noqa: NPY002  # forks would share it; Python seeds its own
    with Quiet():
        if other is not None:
            _put(other)
        function = _found(origin)
        given, named = (*origin.arguments, duplicate(dataset)), dict(origin.keywords)
        if origin.rng:
            named[origin.rng] = np.random.default_rng()
        elif origin.rng is not None:
            given = (*given, np.random.default_rng())
        try:
            made = function(*given, **named)
            return encode([ended(made) if origin.ends else made])
        except CAUGHT as error:
            return encode([caught(error)])


def _bound_work(seconds: int) -> None:
    """Let the system end this process after so many seconds of processor time."""
    import resource  # where there are forks

    with contextlib.suppress(OSError, ValueError):  # less is allowed already
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))


def _found(origin: Origin) -> FunctionType:
    _load(origin.module, origin.file)
    known = [each for each in gc.get_objects() if type(each) is FunctionType]
    alike = [f for f in known if f.__module__ == origin.module and _code_of(f) == origin.code]
    if len(alike) != 1:
        raise WorkerError("not-picklable", f"{len(alike)} functions of {origin.module} are alike")
    return alike[0]


def _load(name: str, file: str) -> ModuleType:
    """Import a module by its name, and by its file where no import finds that name."""
    try:
        module = importlib.import_module(name)
    except ImportError:
        module = None
    if module is not None and getattr(module, "__file__", None) == file:
        return module
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    sys.modules[name] = made
    spec.loader.exec_module(made)
    return made


def _put(other: OtherSeed) -> None:
    """Let the import of a file read another seed in one of its calls."""
    usual = SourceFileLoader.get_code

    def get_code(loader: SourceFileLoader, name: str) -> Any:
        path = loader.get_filename(name)
        if os.path.realpath(path) != os.path.realpath(other.file):
            return usual(loader, name)
        tree = ast.parse(loader.get_data(path))
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and (node.lineno, node.col_offset) == (
                other.line,
                other.column,
            ):
                seed = ast.copy_location(ast.Constant(other.seed), node)
                if node.args:
                    node.args[0] = seed
                else:
                    node.keywords[0].value = seed
        return compile(tree, path, "exec")

    SourceFileLoader.get_code = get_code  # type: ignore[method-assign,assignment]
