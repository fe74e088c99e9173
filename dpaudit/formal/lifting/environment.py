"""The environment of a mechanism: what its names stand for only here and now.

A variable of the environment, a command line, a clock, a number that was drawn when the module was
imported or a variable that the module changes is no constant: the mechanism may find another value
when it runs elsewhere, or later. Nothing is proved or refuted with such a value.
"""

from __future__ import annotations

import functools
import linecache
import random
import sys
import types
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

from dpaudit.formal.lifting.array_uses import ARRAY, VECTOR
from dpaudit.formal.lifting.canonical import LIBRARIES, canonical_name, is_tabular
from dpaudit.formal.lifting.cells import held_name
from dpaudit.formal.lifting.enumerations import is_member
from dpaudit.formal.lifting.flow import (
    ATTRIBUTE,
    CALLED,
    MODULE,
    Flow,
    Variable,
    inner,
    result_of,
)
from dpaudit.formal.lifting.flow_reader import flow_of
from dpaudit.formal.lifting.mangled import module_tree

_MODULES_WORDS = """
asyncio builtins datetime gc getpass glob importlib inspect io locale logging multiprocessing os
pathlib platform pwd resource secrets shutil signal site socket subprocess sys sysconfig tempfile
threading time traceback uuid warnings weakref zoneinfo
"""
_MODULES = frozenset(_MODULES_WORDS.split())
_FIXED = frozenset({"sys.float_info", "sys.maxsize", "sys.hash_info", "sys.int_info"})
_BUILTINS_WORDS = """
open input globals locals vars eval exec __import__ __file__ __name__ __debug__ __doc__ __package__
__spec__ __loader__ __builtins__ __cached__ __path__
"""
_BUILTINS = frozenset((MODULE, name) for name in _BUILTINS_WORDS.split())
_OF_PROCESS = frozenset({(MODULE, "id"), (MODULE, "hash")})
_DRAWN_WORDS = """
random rvs default_rng seed now today utcnow urandom fromfile loadtxt genfromtxt load empty
read_csv read_parquet read_json read_text environ getenv
"""
_DRAWN = frozenset(_DRAWN_WORDS.split())
_OF_CODE = frozenset({"__code__", "__defaults__", "__kwdefaults__"})  # of what a function does
_IMMUTABLE = (int, float, complex, str, bytes, range, type(None))


def is_environment(value: Any) -> bool:
    """Return whether an object is one that the interpreter or the system keeps: `sys.argv`."""
    if value is None or isinstance(value, int | float | str | bytes | tuple) or callable(value):
        return False
    modules = (sys.modules.get(name) for name in ("os", "sys", "platform", "locale", "time"))
    return not isinstance(value, types.ModuleType) and any(
        value is held for module in modules if module for held in list(vars(module).values())
    )


def module_value(module: types.ModuleType, name: str, value: Any) -> bool:
    """Return whether an attribute of a module is a value of the environment."""
    if isinstance(value, types.ModuleType) or f"{module.__name__}.{name}" in _FIXED:
        return False
    if module.__name__ == "builtins":
        return False
    return module.__name__.partition(".")[0] in _MODULES and not callable(value)


def is_outside(names: dict[str, Any], name: str) -> bool:
    """Return whether a global of a module was made from the environment, or names it."""
    if name.startswith("__") and name.endswith("__"):
        return True
    module = _module(names)
    if module is None or name not in names:  # a built-in is judged where it is called
        return False
    return module.is_outside((MODULE, name), names[name])


def is_changed(names: dict[str, Any], name: str) -> bool:
    """Return whether a global may change between the calls of a mechanism, or is of outside."""
    value = names.get(name)
    module = _module(names)
    if is_outside(names, name) or is_environment(value):
        return True
    return module is not None and module.is_changed((MODULE, name), value)


def is_cell_changed(function: types.FunctionType, name: str, value: Any) -> bool:
    """Return whether a variable of an enclosing function is no constant."""
    module, code = _module(function.__globals__), function.__code__
    if module is None:
        return is_environment(value)
    if any(module.flow.enclosing(code.co_firstlineno, code.co_name, held_name(name))):
        return True  # another function assigns it
    found = module.flow.enclosing(code.co_firstlineno, code.co_name, name)
    return is_environment(value) or any(module.is_unsteady(v, value) for v in found)


def is_attribute_changed(holder: Any, name: str, value: Any) -> bool:
    """Return whether an attribute of a user's class, object or module is no constant."""
    kind = holder if isinstance(holder, type | types.ModuleType) else type(holder)
    kinds = kind.__mro__ if isinstance(kind, type) else (kind,)
    homes = (sys.modules.get(k.__module__) if isinstance(k, type) else k for k in kinds)
    for home in filter(None, homes):
        module = _module(vars(home))
        if module is None:
            continue
        function = isinstance(value, types.FunctionType | types.MethodType | type)
        flow = module.flow.whole()
        if flow.any_attribute or name in flow.attributes:
            return True
        if module.is_outside((ATTRIBUTE, name), value):
            return True
        if not function and module.is_changed((ATTRIBUTE, name), value):
            return True
    return False


def is_global_set(names: dict[str, Any], attribute: str) -> bool:
    """Return whether a function of a module sets attributes of that name of any object."""
    module = _module(names)
    flow = None if module is None else module.flow.whole()
    return flow is not None and (flow.any_attribute or attribute in flow.attributes)


def changes_others(names: dict[str, Any], name: str, value: Any) -> bool:
    """Return whether a function of a module changes what another module holds under a name."""
    module = _module(names)
    if module is None:
        return False
    of, uses = names.get("__name__"), module.flow.uses
    flows = [] if uses is None else [_elsewhere(other) for other in uses.reach if other]
    others = (f for f in flows if f and of in {m for m, _ in f.imported.values()} | {*f.stars})
    return any(_changes_others(flow.whole(), name, value) for flow in (module.flow, *others))


def _changes_others(flow: Flow, name: str, value: Any) -> bool:
    imported = [v for v, (_, attribute) in flow.imported.items() if attribute == name]
    if not any(v in flow.changed for v in ((ATTRIBUTE, name), *imported)):
        return False
    kind = _kind(value)
    called = all(v == (MODULE, name) for v in imported)  # under no other name
    if kind is None or not called or flow.uses is None:
        return True
    return not flow.uses.reads_of(name, kind=kind)


def is_default_changed(function: types.FunctionType, name: str, value: Any) -> bool:
    """Return whether the default of a parameter is made from what is no constant."""
    module = _module(function.__globals__)
    if module is None:
        return False
    code = function.__code__
    if module.flow.whole().attributes & _OF_CODE:
        return True
    found = module.flow.defaults(code.co_firstlineno, code.co_name, name)
    return any(module.is_unsteady(v, value) for v in found)


class _Module:
    """What the source of a module tells of its variables."""

    def __init__(self, flow: Flow) -> None:
        self.flow = flow
        self.rebound = flow.rebound | {(MODULE, n) for n, many in flow.times.items() if many > 1}
        self.imports = frozenset(v for v, (m, _) in flow.imported.items() if _is_system(m))

    def is_outside(self, variable: Variable, value: Any) -> bool:
        """Return whether a variable was made from the environment, or by chance."""
        if _is_generator(value):
            return False  # known as such, wherever it is used
        if callable(value) or isinstance(value, types.ModuleType):
            return variable not in self.imports and _is_from_outside(self, variable, drawn=False)
        return _is_from_outside(self, variable, drawn=True)

    def begins_outside(self, variable: Variable, drawn: bool) -> bool:
        """Return whether a variable is the environment's; or is drawn, where that counts too."""
        if variable in self.imports or variable in _BUILTINS:
            return True
        module, name = self.flow.imported.get(variable, ("", ""))
        named = name or (variable[1] if variable[0] == ATTRIBUTE else "")
        return drawn and (module == "random" or named in _DRAWN or variable in _OF_PROCESS)

    def is_unsteady(self, variable: Variable, value: Any) -> bool:
        """Return whether a variable is no constant."""
        return self.is_outside(variable, value) or self.is_changed(variable, value)

    def is_changed(self, variable: Variable, value: Any) -> bool:
        """Return whether a function of the module may change a variable, or what it holds."""
        flow = self.flow.whole()
        assigned = variable in flow.sources and variable not in flow.imported
        if variable in flow.rebound or (flow.wild and variable[0] == MODULE and assigned):
            return True
        if isinstance(value, types.FunctionType) and flow.attributes & _OF_CODE:
            return True
        if isinstance(value, types.ModuleType | types.FunctionType | type):
            return False
        if variable in self.rebound or self._is_mutated(variable, value):
            return True
        return _is_changed_elsewhere(self.flow, variable)

    def _is_mutated(self, variable: Variable, value: Any) -> bool:
        if isinstance(value, functools._lru_cache_wrapper):  # yields one object again and again
            yielded = result_of(variable)
            return (
                yielded in self.flow.changed_by_methods
                or inner(yielded) in self.flow.changed_by_methods
            )
        if is_frozen(value):
            return False
        if self.flow.uses is not None and self.flow.uses.is_hooked:
            return True
        if is_tabular(value) and self._is_only_merged(variable):
            return False
        module = type(value).__module__.partition(".")[0]
        library = module in LIBRARIES and type(value) is not types.SimpleNamespace
        nodes = self.flow.changed_by_methods if library else self.flow.changed
        if self._is_only_read(variable, value):
            return False
        if type(value) in (list, dict) and variable not in self.flow.changed_themselves:
            return inner(variable) in nodes and not _is_flat(value)
        return variable in nodes or (inner(variable) in nodes and not _is_flat(value))

    def _is_only_merged(self, variable: Variable) -> bool:
        scope, name = variable
        uses = self.flow.uses
        return scope == MODULE and uses is not None and uses.only_merged(name)

    def _is_only_read(self, variable: Variable, value: Any) -> bool:
        scope, name = variable
        uses, kind = self.flow.uses, _kind(value)
        known = scope == MODULE and uses is not None and kind is not None
        return known and uses.only_read(name, kind=kind)  # type: ignore[union-attr, arg-type]


def _kind(value: Any) -> str | None:
    """Return what uses are asked of that only read a value, None where it holds what can change."""
    if type(value) in (list, dict, set):
        return ("list" if type(value) is list else "keyed") if _is_flat(value) else None
    import numpy as np

    if type(value) is not np.ndarray or value.dtype.kind not in "biufcSUmM":
        return None
    return VECTOR if value.ndim < 2 else ARRAY


def is_frozen(value: Any) -> bool:
    """Return whether neither an object nor what is inside of it can change."""
    if type(value) in (tuple, frozenset):
        return all(map(is_frozen, value))
    if isinstance(value, tuple) and hasattr(type(value), "_fields"):  # named, no attributes beside
        return not hasattr(value, "__dict__") and all(map(is_frozen, value))
    if isinstance(value, (*_IMMUTABLE, Fraction, Decimal, types.FunctionType, type)):
        return True
    if is_member(value):
        return True
    if type(value) is functools.partial:
        return all(map(is_frozen, (value.func, *value.args, *value.keywords.values())))
    parameters = getattr(type(value), "__dataclass_params__", None)
    if parameters is not None and parameters.frozen:
        slots = [n for kind in type(value).__mro__ for n in getattr(kind, "__slots__", ())]
        held = [getattr(value, name) for name in slots if hasattr(value, name)]
        return all(map(is_frozen, (*held, *getattr(value, "__dict__", {}).values())))
    of_all_callers = getattr(value, "__self__", None) is random._inst
    return of_all_callers or (callable(value) and canonical_name(value) is not None)


def _is_flat(value: Any) -> bool:
    """Return whether what is inside of a container, or of a plain object, cannot change."""
    if type(value) is dict:
        return all(map(is_frozen, value.values()))
    if type(value).__mro__[1:] == (object,) and hasattr(value, "__dict__"):
        slots = hasattr(type(value), "__slots__")
        return not slots and all(map(is_frozen, vars(value).values()))
    return type(value) in (list, tuple, set, frozenset) and all(map(is_frozen, value))


def _is_system(module: str) -> bool:
    return module.partition(".")[0] in _MODULES


@functools.cache
def _is_from_outside(module: _Module, variable: Variable, drawn: bool) -> bool:
    """Return whether a variable's value depends on the environment; or on chance, if that counts.

    Another module of the user's is read only where a name of it is met.
    """
    rest = [(module, variable)]
    later: list[tuple[_Module, Variable]] = []
    seen = set(rest)
    while rest or later:
        if not rest:
            found = set(_in_others(*later.pop()))
        else:
            home, node = rest.pop()
            if home.begins_outside(node, drawn):
                return True
            later.append((home, node))
            sources = home.flow.sources
            found = {(home, source) for source in sources.get(node, ())}
            if (CALLED, f"{node[1]}.__init__") in sources.get(node, ()):  # Python calls the others
                found |= {(home, each) for each in sources if each[1].startswith("__")}
        rest += found - seen
        seen |= found
    return False


def _in_others(module: _Module, variable: Variable) -> Iterator[tuple[_Module, Variable]]:
    """Yield what a variable may be in the user's other modules."""
    scope, name = variable
    called = CALLED if scope == CALLED else MODULE
    stars = module.flow.stars if scope in (MODULE, ATTRIBUTE, CALLED) else ()
    looked_up: list[tuple[str, Variable]] = [(star, variable) for star in stars]
    for importing, (of, attribute) in module.flow.imported.items():
        if attribute and (importing == variable or (scope == CALLED and importing[1] == name)):
            yield from _in_other(of, (MODULE if importing == variable else CALLED, attribute))
        elif scope in (ATTRIBUTE, CALLED):
            users = _elsewhere(of) is not None
            looked_up += [(of, variable)] if users else []  # of a class that is there
            looked_up += [(of, (called, name))] if users or not attribute else []
            parts = [each for each in [*sys.modules] if users and each.startswith(f"{of}.")]
            looked_up += [(part, (called, name)) for part in parts]
            inside = vars(sys.modules.get(of, types)).get(attribute or name)
            if isinstance(inside, types.ModuleType):
                looked_up.append((inside.__name__, (called, name) if attribute else variable))
    for of, sought in looked_up:
        yield from (each for each in _in_other(of, sought) if sought not in each[0].imports)


def _in_other(name: str, variable: Variable) -> Iterator[tuple[_Module, Variable]]:
    other = _other(name)
    if other is not None:
        yield other, variable


def _is_changed_elsewhere(flow: Flow, variable: Variable) -> bool:
    """Return whether the module that a name is imported from says that it changes."""
    found = flow.imported.get(variable)
    places = [found] if found else [(star, variable[1]) for star in flow.stars]
    for name, attribute in places:
        module = sys.modules.get(name)
        if module is None or not attribute or name.partition(".")[0] in LIBRARIES:
            continue
        if attribute in vars(module) and is_changed(vars(module), attribute):
            return True
    return False


def _other(name: str) -> _Module | None:
    module = sys.modules.get(name)
    return None if module is None else _module(vars(module))


def _is_generator(value: Any) -> bool:
    import numpy as np

    return isinstance(value, np.random.Generator | np.random.RandomState | random.Random)


_READ: dict[tuple[str, str], _Module | None] = {}


def _module(names: dict[str, Any]) -> _Module | None:
    """Return what the source of a user's module tells, None where there is none."""
    file = names.get("__file__")
    root = str(names.get("__name__")).partition(".")[0]
    if not isinstance(file, str) or root in LIBRARIES or root == "dpaudit":
        return None
    key = file, "".join(linecache.getlines(file))
    if key not in _READ:
        flow = _flow(key[1], names)
        _READ[key] = None if flow is None else _Module(flow)
    return _READ[key]


_FLOWS: dict[tuple[str, str], Flow | None] = {}


def _flow(text: str, names: dict[str, Any]) -> Flow | None:
    """Return the graph of a module, None where its source cannot be read."""
    key = str(names["__file__"]), text
    if key not in _FLOWS:
        package = str(names.get("__package__") or "")
        try:
            _FLOWS[key] = flow_of(module_tree(text), package, _elsewhere) if text else None
        except (SyntaxError, ValueError, RecursionError):
            _FLOWS[key] = None
    return _FLOWS[key]


def _elsewhere(name: str) -> Flow | None:
    """Return the graph of another module of the user's, None for those that are installed."""
    module = sys.modules.get(name)
    file = getattr(module, "__file__", None)
    root = name.partition(".")[0]
    if module is None or not isinstance(file, str) or root in LIBRARIES or root == "dpaudit":
        return None
    if {"site-packages", "dist-packages"} & set(Path(file).parts):
        return None
    return _flow("".join(linecache.getlines(file)), vars(module))
