"""Runs a mechanism for another interpreter; needs the standard library and NumPy alone.

This file is run by its path, in an interpreter that may know nothing of dpaudit:
``python server.py module:function``. Requests and answers are values written by `dumps`, each
after its length in eight bytes. A value that has no form of its own travels as its type and what it
holds, or as its text: what is lost on the way is not seen by an audit, and nothing is made up.
"""

from __future__ import annotations

import base64
import functools
import importlib
import importlib.util
import inspect
import io
import json
import logging
import os
import random
import re
import struct
import sys
import threading
import warnings
from contextlib import ExitStack
from time import sleep  # while a mechanism runs, the module's is another one
from typing import Any, BinaryIO

import numpy as np

LONGEST = 2**30
_LENGTH = struct.Struct("<Q")
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
_DEEPEST = 12
_PARENT_GONE = 2.0  # seconds between looks
_MOST_PRINTED = 2_000
_MOST_RECORDS = 200


class Foreign:
    """An object of a type that has no form of its own here."""

    def __init__(self, kind: str, state: Any) -> None:
        self.kind, self.state = kind, state

    def __repr__(self) -> str:
        return f"{self.kind}({self.state!r})"


def dumps(value: Any) -> bytes:
    """Write a value."""
    return json.dumps(_tree(value, _DEEPEST), ensure_ascii=True).encode()


def loads(content: bytes, *, frames: bool = False) -> Any:
    """Read what `dumps` wrote; frames are made where asked for, and pandas is imported then."""
    return _value(json.loads(content), frames)


def _tree(value: Any, depth: int) -> Any:
    """Return a value as what JSON holds: plain where it is exact, else ``{form: ...}``."""
    if value is None or isinstance(value, bool) or type(value) in (str, float):
        return value
    if type(value) is int:
        return value if abs(value) < 2**63 else {"int": hex(value)}
    if depth < 0:
        return {"text": _ADDRESS.sub("", repr(value))}
    below = functools.partial(_tree, depth=depth - 1)
    if isinstance(value, (list, tuple, set, frozenset)) and _is_plain(value):
        items = sorted(value, key=repr) if isinstance(value, (set, frozenset)) else value
        return {type(value).__name__: [below(item) for item in items]}
    if type(value) is dict:
        return {"dict": [[below(key), below(item)] for key, item in value.items()]}
    if isinstance(value, (bytes, bytearray)):
        return {"bytes": base64.b64encode(value).decode()}
    if type(value) is complex:
        return {"complex": [value.real, value.imag]}
    if isinstance(value, np.ndarray) and type(value) is np.ndarray:
        return _array(value, below)
    if isinstance(value, np.generic):
        return {"scalar": _array(np.asarray(value), below)}
    return _foreign(value, below)


def _is_plain(value: Any) -> bool:
    return type(value) in (list, tuple, set, frozenset)


def _array(value: Any, below: Any) -> Any:
    if value.dtype.hasobject:
        items = [below(item) for item in value.ravel().tolist()]
        return {"objects": [list(value.shape), items]}
    kind = value.dtype.descr if value.dtype.names else value.dtype.str
    content = base64.b64encode(np.ascontiguousarray(value).tobytes()).decode()
    return {"array": [kind, list(value.shape), content]}


def _foreign(value: Any, below: Any) -> Any:
    kind = type(value)
    if kind.__name__ in ("DataFrame", "Series") and kind.__module__.startswith("pandas"):
        named = value.items() if kind.__name__ == "DataFrame" else [(value.name, value)]
        columns = [[below(name), str(c.dtype), below(c.to_numpy())] for name, c in named]
        return {"frame": [kind.__name__, columns, below(value.index.to_numpy())]}
    name = kind.__qualname__
    if isinstance(value, tuple):
        return {"object": [name, [below(item) for item in value]]}
    held = getattr(value, "__dict__", None)
    if isinstance(held, dict) and held and not callable(value):
        return {"object": [name, below(dict(held))]}
    return {"object": [name, _ADDRESS.sub("", repr(value))]}


def _value(tree: Any, frames: bool) -> Any:
    if not isinstance(tree, dict):
        return tree
    ((form, content),) = tree.items()
    each = functools.partial(_value, frames=frames)
    if form in _SEQUENCES:
        return _SEQUENCES[form](map(each, content))
    if form == "dict":
        return {_hashable(each(key)): each(item) for key, item in content}
    if form == "scalar":
        return each(content)[()]
    if form == "array":
        kind, shape, text = content
        dtype = np.dtype([_field(f) for f in kind] if isinstance(kind, list) else kind)
        return np.frombuffer(base64.b64decode(text), dtype).reshape(shape).copy()
    if form == "objects":
        shape, items = content
        flat = np.empty(len(items), dtype=object)
        for place, item in enumerate(items):
            flat[place] = each(item)
        return flat.reshape(shape)
    if form == "frame":
        return _frame(content, each) if frames else _columns(content, each)
    if form == "object":
        return Foreign(content[0], each(content[1]) if not isinstance(content[1], list)
                       else tuple(map(each, content[1])))  # fmt: skip
    return _ATOMS[form](content)


_SEQUENCES: dict[str, Any] = {"list": list, "tuple": tuple, "set": set, "frozenset": frozenset}
_ATOMS: dict[str, Any] = {
    "int": lambda text: int(text, 16),
    "bytes": base64.b64decode,
    "complex": lambda parts: complex(*parts),
    "text": lambda text: Foreign("object", text),
}


def _field(written: Any) -> Any:
    return tuple(tuple(part) if isinstance(part, list) else part for part in written)


def _hashable(key: Any) -> Any:
    return tuple(key) if isinstance(key, list) else key


def _columns(content: Any, each: Any) -> Foreign:
    kind, columns, index = content
    named = [(each(name), dtype, each(column)) for name, dtype, column in columns]
    return Foreign(kind, {"columns": named, "index": each(index)})


def _frame(content: Any, each: Any) -> Any:
    import pandas as pd

    kind, columns, index = content
    made = [(each(n), pd.Series(each(c), index=each(index), dtype=d)) for n, d, c in columns]
    if kind == "Series":
        return made[0][1].rename(made[0][0])
    return pd.DataFrame(dict(made), index=each(index))


def send(stream: BinaryIO, value: Any) -> None:
    """Write a value, after its length."""
    content = dumps(value)
    stream.write(_LENGTH.pack(len(content)) + content)
    stream.flush()


def found(place: str) -> Any:
    """Return what ``module:function`` names."""
    module, _, path = place.partition(":")
    value: Any = importlib.import_module(module)
    for part in path.split("."):
        value = getattr(value, part)
    return value


def described(function: Any, place: str) -> dict[str, Any]:
    """Return what is known of a function: its place, its text, and whether it takes a generator."""
    parameters = list(inspect.signature(function).parameters.values())
    required = [p for p in parameters if p.default is p.empty and p.kind in (p.POSITIONAL_ONLY,
                p.POSITIONAL_OR_KEYWORD)]  # fmt: skip
    by_name = next((p.name for p in parameters if p.name == "rng" and p.kind == p.KEYWORD_ONLY), "")
    second = len(parameters) > 1 and parameters[1].name == "rng"
    code = inspect.unwrap(function)
    try:
        lines, line = inspect.getsourcelines(code)
        file, source = inspect.getsourcefile(code), "".join(lines)
    except (OSError, TypeError):
        file = line = source = None  # type: ignore[assignment]
    return {
        "place": place,
        "name": str(getattr(code, "__name__", place)),
        "file": file,
        "line": line,
        "source": source,
        "rng": by_name or (len(required) == 2 or second),
        "numpy": np.__version__,
        "python": sys.version.split()[0],
    }


def answer(function: Any, rng: Any, seed: int, data: Any, libraries: Any = None) -> dict[str, Any]:
    """Call a function from a seed; every known source of randomness starts from it.

    Where `libraries` are named, the answer also has the lines that texts come from, and where code
    of another module begins that is of none of them.
    """
    generator = np.random.default_rng(seed)
    np.random.seed(seed % 2**32)  # noqa: NPY002  # what user code may draw from
    random.seed(seed)
    keywords = {rng: generator} if isinstance(rng, str) and rng else {}
    said, clocks = _Said(), _module_of_clocks().Clocks([getattr(function, "__globals__", {})])
    entered = _Entered(inspect.unwrap(function), libraries)
    try:
        with said, clocks, entered:
            output = function(data, generator) if rng is True else function(data, **keywords)
    except (Exception, SystemExit) as error:
        text = clocks.blanked(_ADDRESS.sub("", str(error)))
        result: dict[str, Any] = {"raised": [type(error).__name__, text]}
    else:
        result = {"output": clocks.blanked(output)}
    printed = clocks.blanked(said.printed.getvalue()[:_MOST_PRINTED])
    logged = clocks.blanked(said.logged[:_MOST_RECORDS])
    warned = clocks.blanked(said.warned[:_MOST_RECORDS])
    result |= {"printed": printed, "logged": logged, "warned": warned}
    if libraries is not None:
        result |= {"entered": entered.place, "places": said.places[:_MOST_RECORDS]}
    return result


class _Entered:
    """Notes where the first code begins that is of another module than the function."""

    def __init__(self, function: Any, libraries: Any) -> None:
        self.place: list[Any] | None = None
        self._own = getattr(getattr(function, "__code__", None), "co_filename", "")
        self._libraries = libraries

    def __enter__(self) -> None:
        if self._libraries is not None:
            sys.setprofile(self._look)

    def __exit__(self, *_: object) -> None:
        if self._libraries is not None:
            sys.setprofile(None)

    def _look(self, frame: Any, event: str, _: Any) -> None:
        code = frame.f_code
        if event != "call" or self.place is not None or code.co_filename == self._own:
            return
        if code.co_name != "<module>" and _is_others(code.co_filename, self._libraries):
            self.place = [code.co_filename, code.co_firstlineno]


def _is_others(file: str, libraries: Any) -> bool:
    """Whether a file is of a project or of a package that is not named."""
    parts = os.path.abspath(file).split(os.sep)
    installed = [at for at, part in enumerate(parts[:-1]) if part.endswith("-packages")]
    if installed:
        return parts[installed[-1] + 1].partition(".")[0] not in libraries
    ours = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    standard = os.path.dirname(os.path.abspath(os.__file__))
    return not file.startswith("<") and not os.path.abspath(file).startswith((ours, standard))


class _Said:
    """What is printed, logged and warned of while it is entered."""

    def __init__(self) -> None:
        self.printed = io.StringIO()
        self.logged: list[list[Any]] = []
        self.warned: list[list[str]] = []
        self.places: list[list[Any]] = []  # the file and the line of each text

    def __enter__(self) -> None:
        self._stack = ExitStack()
        self._stack.enter_context(warnings.catch_warnings())
        warnings.simplefilter("always")
        warnings.showwarning = self._warn
        self._put(sys, "stdout", self.printed)
        self._put(sys, "stderr", self.printed)
        self._put(logging.Logger, "isEnabledFor", lambda logger, level: True)
        self._put(logging.Logger, "handle", lambda logger, record: self._log(record))

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def _put(self, owner: Any, name: str, new: Any) -> None:
        self._stack.callback(setattr, owner, name, getattr(owner, name))
        setattr(owner, name, new)

    def _log(self, record: logging.LogRecord) -> None:
        given = record.args if isinstance(record.args, tuple) else (record.args,)
        raised = record.exc_info[1] if record.exc_info else None
        values = [each for each in (*given, raised) if each is not None]
        plain = [
            v if isinstance(v, (bool, int, float)) else _ADDRESS.sub("", str(v)) for v in values
        ]
        self.logged.append([record.levelno, str(record.msg), plain])
        self.places.append([str(record.msg), record.pathname, record.lineno])

    def _warn(self, message: Any, category: type, *given: Any, **more: Any) -> None:
        file, line = (*given, *(more.get(name) for name in ("filename", "lineno")))[:2]
        self.places.append([str(message), file, line])
        self.warned.append([category.__name__, _ADDRESS.sub("", str(message))])


@functools.lru_cache(maxsize=1)
def _module_of_clocks() -> Any:
    file = os.path.join(os.path.dirname(os.path.dirname(__file__)), "outputs", "clocks.py")
    spec = importlib.util.spec_from_file_location("_dpaudit_clocks", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def read(stream: BinaryIO) -> Any:
    """Read a value; None at the end."""
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    return loads(stream.read(_LENGTH.unpack(head)[0]), frames=True)


def serve(place: str) -> None:
    """Answer until the other end closes."""
    ask, tell = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)  # what is printed must not come between answers
    threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    try:
        function = found(place)
        about = described(function, place)
    except (Exception, SystemExit) as error:
        send(tell, {"failed": f"{type(error).__name__}: {error}"})
        return
    send(tell, about)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    os.dup2(1, 2)
    while (request := read(ask)) is not None:
        send(tell, answer(function, about["rng"], *request))


def _end_with(parent: int) -> None:
    """End this process when the one that asked is gone, whatever the mechanism does."""
    while os.getppid() == parent:
        sleep(_PARENT_GONE)
    os._exit(1)


if __name__ == "__main__":
    sys.path[0] = os.getcwd()  # modules as the audited project names them, none of this folder
    serve(sys.argv[1])
