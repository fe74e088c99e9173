"""The one name that a library function goes by, whichever way the program reached it.

The name is where the library defines it, ``module.qualname``, with private modules left out:
``numpy.clip``, ``math.log``, ``numpy.linalg.norm``, ``functools.reduce``. Methods of ufuncs and of
types are written after those: ``numpy.add.outer``, ``builtins.int.from_bytes``. An alias has the
name of what it stands for (``numpy.concatenate`` for ``numpy.concat``, ``numpy.max`` for
``numpy.amax``). A name is given to an object only if looking it up yields that very object, so that
no other function can pass for it.
"""

from __future__ import annotations

import os
import sys
import types
from collections.abc import Iterator
from typing import Any

# What is not named here is the user's own code, and is read.
LIBRARIES = frozenset(sys.stdlib_module_names) | {
    "cvxpy",
    "jax",
    "mpmath",
    "numba",
    "numpy",
    "pandas",
    "polars",
    "pyarrow",
    "scipy",
    "sklearn",
    "statsmodels",
    "sympy",
    "tensorflow",
    "torch",
}
_PRIVATE_ROOTS = {
    "_blake2": "hashlib",
    "_collections": "collections",
    "_functools": "functools",
    "_hashlib": "hashlib",
    "_operator": "operator",
}
ALIKE = {  # functions of their own that do what another does
    "numpy.amax": "numpy.max",
    "numpy.amin": "numpy.min",
    "numpy.around": "numpy.round",
    "numpy.asanyarray": "numpy.asarray",
    "operator.abs": "builtins.abs",
    "operator.inv": "operator.invert",
    "operator.truth": "builtins.bool",
}
_SEARCHED = (
    "builtins",
    "math",
    "numpy",
    "numpy.linalg",
    "numpy.random",
    "random",
    "scipy.special",
)


def canonical_name(value: Any) -> str | None:
    """Return the canonical name of a library's function or type, None for anything else."""
    if isinstance(value, types.ModuleType) or _is_users(value):
        return None
    for name in _candidates(value):
        root = name.partition(".")[0]
        if root in LIBRARIES and _lookup(name) is value:
            return ALIKE.get(name, name)
    return _method_name(value)


def is_tabular(value: Any) -> bool:
    """Return whether a value is a series or a frame of pandas, and of no subclass of these."""
    return canonical_name(type(value)) in ("pandas.Series", "pandas.DataFrame")


def own_name(value: Any) -> str | None:
    """Return what a function or type calls itself; `polars.col` answers any name with an object."""
    names = (getattr(value, each, None) for each in ("__qualname__", "__name__"))
    return next((each for each in names if isinstance(each, str) and each), None)


def _is_users(value: Any) -> bool:
    """Return whether a function was written outside of the libraries, whatever it is called."""
    if not isinstance(value, types.FunctionType):
        return False
    file = os.path.realpath(value.__code__.co_filename)
    root = sys.modules.get(str(value.__module__).partition(".")[0])
    homes = [os.path.dirname(os.__file__)]
    if root is not None and getattr(root, "__file__", None):
        homes.append(os.path.dirname(str(root.__file__)))
    return not any(file.startswith(os.path.realpath(home) + os.sep) for home in homes)


def is_library_module(module: types.ModuleType) -> bool:
    """Return whether a module belongs to a library whose functions are known by name."""
    return module.__name__.partition(".")[0] in LIBRARIES


def held_under(name: str) -> Any:
    """Return what a library that is loaded holds under a dotted name, None if it is a user's."""
    found = _lookup(name)
    return None if _is_users(found) else found


def _candidates(value: Any) -> Iterator[str]:
    module = getattr(value, "__module__", None)
    name = own_name(value)
    if name is None:
        of_class = type(value).__module__.startswith("scipy.stats.")
        distribution = getattr(value, "name", None) if of_class else None
        if isinstance(distribution, str):
            yield f"scipy.stats.{distribution}"
        return
    if isinstance(module, str):
        parts = module.split(".")
        parts[0] = _PRIVATE_ROOTS.get(parts[0], parts[0])
        public = [part for part in parts if not part.startswith("_")]
        for length in range(1, len(public) + 1):  # numpy before numpy.lib.function_base
            yield ".".join((*public[:length], name))
        yield f"{module}.{name}"
    if not isinstance(value, types.FunctionType):
        for place in _SEARCHED:
            yield f"{place}.{name}"


def _method_name(value: Any) -> str | None:
    """Name methods of ufuncs and types, which are made anew at each access."""
    owner = getattr(value, "__self__", None)
    name = getattr(value, "__name__", None)
    if owner is None or not isinstance(name, str) or isinstance(owner, types.ModuleType):
        return None
    if not isinstance(value, types.BuiltinMethodType | types.MethodType):
        return None
    of = canonical_name(owner)
    return f"{of}.{name}" if of is not None and getattr(owner, name, None) == value else None


def _lookup(name: str) -> Any:
    """Return what a dotted name stands for among the modules that are loaded."""
    parts = name.split(".")
    for length in range(len(parts) - 1, 0, -1):
        found: Any = sys.modules.get(".".join(parts[:length]))
        if found is None:
            continue
        for part in parts[length:]:
            found = getattr(found, part, None)
        if found is not None:
            return found
    return None
