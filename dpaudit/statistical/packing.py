"""Values as bytes that hold data alone: a JSON text, and beside it the bytes of arrays.

What an audit has learned and counted is a tree of numbers, texts, arrays and small objects of a few
classes. Objects are written as the name of their class and their attributes, and reading sets
attributes of classes that are known here: nothing that was stored is ever executed.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.lib.format import descr_to_dtype, dtype_to_descr
from numpy.typing import NDArray

from dpaudit.statistical.models import plain_model

_MODULES = ("dpaudit.statistical.", "dpaudit.outputs.columns.")  # whose classes are written
_LENGTH = 8  # bytes that say how long the text is
_ALIGNED = 16
_LARGE = 2**13  # entries, from which integers that are mostly zeros are written without these


class PackingError(Exception):
    """A value that cannot be written, or bytes that cannot be read."""


def _known(name: str) -> type | None:
    """Return the class of a name, of those that may be written; they are there already."""
    module, _, kind = name.rpartition(".")
    found = vars(sys.modules[module]).get(kind) if module in sys.modules else None
    known = name.startswith(_MODULES) and isinstance(found, type) and found.__module__ == module
    return found if known else None


def pack(value: Any, apart: Mapping[str, object] | None = None) -> bytes:
    """Return a value as bytes.

    Parameters
    ----------
    value : Any
        None, booleans, numbers, texts, arrays and generators of NumPy, data frames, objects of the
        statistical engine, and lists, tuples, sets and dicts of these.
    apart : mapping, optional
        Objects that are written elsewhere, by name.

    Raises
    ------
    PackingError
        Where it holds anything else.
    """
    writer = _Writer({id(each): name for name, each in (apart or {}).items()})
    text = json.dumps(writer.plain(value)).encode()
    text += b" " * (-(len(text) + _LENGTH) % _ALIGNED)
    return len(text).to_bytes(_LENGTH, "little") + text + b"".join(writer.parts)


def unpack(content: bytes, apart: Mapping[str, object] | None = None) -> Any:
    """Return the value that `pack` wrote.

    Raises
    ------
    PackingError
        Where the bytes are none of `pack`.
    """
    try:
        length = int.from_bytes(content[:_LENGTH], "little")
        text = json.loads(content[_LENGTH : _LENGTH + length])
        return _Reader(content[_LENGTH + length :], apart or {}).value(text)
    except PackingError:
        raise
    except Exception as error:  # bytes of somebody else may be anything
        raise PackingError(f"it is not as it was written ({type(error).__name__})") from error


@dataclass(slots=True)
class _Writer:
    """Turns values into what JSON holds; arrays go beside it."""

    apart: dict[int, str]
    parts: list[bytes] = field(default_factory=list)
    size: int = 0
    met: dict[int, int] = field(default_factory=dict)
    kept: list[object] = field(default_factory=list)  # so that no id is used twice

    def plain(self, value: Any) -> Any:
        if value is None or type(value) in (bool, int, float, str):
            return value
        if isinstance(value, np.ndarray | np.generic):
            return self._array(value)
        if type(value) is list:
            return [self.plain(each) for each in value]
        if type(value) is tuple:
            return {"tuple": [self.plain(each) for each in value]}
        if type(value) is dict:
            return {"dict": [[self.plain(k), self.plain(v)] for k, v in value.items()]}
        if type(value) in (set, frozenset):
            return {"set": sorted(value)}
        if type(value) is bytes:
            return {"bytes": value.hex()}
        return self._object(value)

    def _array(self, value: NDArray[Any] | np.generic) -> Any:
        array = np.asarray(value)
        if array.dtype == object:
            return {"objects": [list(array.shape), [self.plain(each) for each in array.flat]]}
        if array.dtype.hasobject:
            raise PackingError(f"an array of {array.dtype} holds objects")
        if array.size >= _LARGE and array.dtype.kind in "iu":
            held = np.flatnonzero(array)
            if 2 * len(held) < array.size:
                return {"sparse": [list(array.shape), *map(self._array, (held, array.flat[held]))]}
        content = np.ascontiguousarray(array).tobytes()
        kind = "array" if isinstance(value, np.ndarray) else "scalar"
        header = [self.plain(dtype_to_descr(array.dtype)), list(array.shape), self.size]
        padded = content + b"\0" * (-len(content) % _ALIGNED)
        self.parts.append(padded)
        self.size += len(padded)
        return {kind: header}

    def _object(self, value: Any) -> Any:
        if id(value) in self.apart:
            return {"apart": self.apart[id(value)]}
        if id(value) in self.met:
            return {"same": self.met[id(value)]}
        value = plain_model(value)
        name = f"{type(value).__module__}.{type(value).__qualname__}"
        if _known(name) is type(value):
            self.met[id(value)] = number = len(self.met)
            self.kept.append(value)
            held = {key: self.plain(each) for key, each in attributes(value).items()}
            return {"object": [name, number, held]}
        if isinstance(value, np.random.Generator):
            return {"generator": self.plain(value.bit_generator.state)}
        library = type(value).__module__.partition(".")[0]
        if library in ("pandas", "polars") and type(value).__name__ in ("DataFrame", "Series"):
            return {"frame": [library, type(value).__name__, self.plain(_read(value))]}
        raise PackingError(f"a value of type {type(value).__name__} is no plain data")


@dataclass(slots=True)
class _Reader:
    """Turns what JSON holds back into values."""

    content: bytes
    apart: Mapping[str, object]
    met: dict[int, object] = field(default_factory=dict)

    def value(self, plain: Any) -> Any:
        if isinstance(plain, list):
            return [self.value(each) for each in plain]
        if not isinstance(plain, dict):
            return plain
        [(kind, held)] = plain.items()
        match kind:
            case "array":
                return self._array(*held)
            case "objects":
                return _objects(held[0], [self.value(each) for each in held[1]])
            case "sparse":
                return _sparse(held[0], self.value(held[1]), self.value(held[2]))
            case "scalar":
                return self._array(*held)[()]
            case "tuple":
                return tuple(self.value(each) for each in held)
            case "dict":
                return {self.value(key): self.value(each) for key, each in held}
            case "set":
                return frozenset(held)
            case "bytes":
                return bytes.fromhex(held)
            case "apart":
                return self.apart[held]
            case "same":
                return self.met[held]
            case "object":
                return self._object(*held)
            case "generator":
                return self._generator(self.value(held))
            case "frame":
                return _framed(held[0], held[1], self.value(held[2]))
        raise PackingError(f"it holds a {kind!r}, which this version of dpaudit does not know")

    def _array(self, descr: Any, shape: list[int], start: int) -> NDArray[Any]:
        dtype = descr_to_dtype(self.value(descr))
        if dtype.hasobject:
            raise PackingError("it holds an array of objects")
        count = int(np.prod(shape, dtype=np.int64))
        return np.frombuffer(self.content, dtype, count, start).reshape(shape).copy()

    def _object(self, name: str, number: int, held: dict[str, Any]) -> object:
        kind = _known(name)
        if kind is None:
            raise PackingError(f"it holds a {name}, which this version of dpaudit does not know")
        made: object = object.__new__(kind)
        self.met[number] = made
        for key, each in held.items():
            object.__setattr__(made, key, self.value(each))  # of frozen ones too
        return made

    @staticmethod
    def _generator(state: Any) -> np.random.Generator:
        if state["bit_generator"] != "PCG64":
            raise PackingError(f"it holds a generator {state['bit_generator']!r}")
        bits = np.random.PCG64()
        bits.state = state
        return np.random.Generator(bits)


def _sparse(shape: list[int], at: NDArray[np.intp], values: NDArray[Any]) -> NDArray[Any]:
    made = np.zeros(shape, values.dtype)
    made.flat[at] = values
    return made


def _objects(shape: list[int], values: list[Any]) -> NDArray[np.object_]:
    made = np.empty(len(values), dtype=object)
    made[:] = values
    return made.reshape(shape)


def attributes(value: object) -> dict[str, Any]:
    """Return what an object holds, with slots or without; who refers to it is not of it."""
    slots = [name for kind in type(value).__mro__ for name in getattr(kind, "__slots__", ())]
    named = (name for name in slots if name != "__weakref__")
    held = {name: getattr(value, name) for name in named if hasattr(value, name)}
    return held | dict(getattr(value, "__dict__", {}))


def _read(frame: Any) -> list[Any]:
    """Return a frame's or series' columns: name, dtype and values."""
    series = [frame] if type(frame).__name__ == "Series" else [frame[c] for c in frame.columns]
    return [[each.name, str(each.dtype), each.to_list()] for each in series]


def _framed(library: str, kind: str, parts: list[Any]) -> Any:
    """Return a frame or series of columns; the library is there, since the subject uses it."""
    module = sys.modules.get(library)
    if module is None:
        import importlib

        if library not in ("pandas", "polars"):
            raise PackingError(f"it holds a frame of {library!r}")
        module = importlib.import_module(library)
    if library == "pandas":
        made = [module.Series(values, name=name, dtype=dtype) for name, dtype, values in parts]
        return made[0] if kind == "Series" else module.DataFrame({s.name: s for s in made})
    made = [
        module.Series(name, values, dtype=getattr(module, dtype, None))
        for name, dtype, values in parts
    ]
    return made[0] if kind == "Series" else module.DataFrame(made)
