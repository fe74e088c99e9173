"""Programs as certificates hold them: every node with exactly its fields."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from dpaudit.checker.file import NotCheckedError, RejectedError, fields

Node = dict[str, Any]

EMITTED = "_dpaudit_emitted_"  # the list of what a program prints

_OF_LIFTING = re.compile(r"·\d+\.\d+|·\w+")  # names for parts of chained assignments

_PROGRAM = {
    "schema_version": int,
    "entry": dict,
    "data": str,
    "rng": str | None,
    "fixed": dict,
    "symbolic": list,
    "sources": dict,
}
_FIELDS = {
    "Constant": "value",
    "Name": "id",
    "Generator": "origin seed library",
    "Draw": "family arguments generator",
    "Call": "function arguments keywords",
    "Starred": "value",
    "Slice": "start stop step",
    "Subscript": "value index",
    "Attribute": "value name",
    "Mapping": "items",
    "Choice": "test yes no",
    "Logic": "operator operands",
    "Named": "target value",
    "Closure": "function",
    "Assign": "target value",
    "Update": "target function value",
    "Evaluate": "value",
    "Branch": "test yes no",
    "For": "target iterable body otherwise",
    "While": "test body otherwise",
    "Return": "value",
    "Leave": "how",
    "Raise": "value",
    "Define": "name function",
    "Function": "name parameters defaults body starred",
    "Again": "number",
}
_LIBRARIES = (None, "numpy", "legacy", "python")  # whose methods a generator has
ITERATORS = {"builtins.enumerate", "builtins.iter", "builtins.zip", "itertools.product"}
CONSUMING = {f"builtins.{name}" for name in ("dict", "list", "max", "min", "set", "sum", "tuple")}
_DISPLAY, _COMPREHENSION = {"items"}, {"element", "clauses"}  # of their kind: list, tuple, …


def validated(
    program: Any, sources: dict[str, str], *, repeated: bool = False, iterators: bool = False
) -> Node:
    """Return a program of which every node has its fields.

    Parameters
    ----------
    program : object
    sources : dict of str to str
        Of the certificate; they must be the program's.
    repeated : bool
        Whether functions may be called from several places.
    iterators : bool
        Whether iterators may be kept, as Python keeps them.

    Raises
    ------
    RejectedError
    """
    if program is None:
        raise RejectedError("`program` is missing")
    fields(program, _PROGRAM, "`program`")
    if program["schema_version"] != 1:
        raise RejectedError(f"`program.schema_version` is {program['schema_version']}")
    if program["sources"] != sources:
        raise RejectedError("`program.sources` are not the `sources` of the certificate")
    for name in program["symbolic"]:
        if not isinstance(name, str) or not name.isidentifier():
            raise RejectedError(f"`program.symbolic` holds {name!r:.60}, which is no name")
    entry = program["entry"]
    if entry.get("kind") != "Function":
        raise RejectedError("`program.entry` is no function")
    if entry.get("starred") is not None:
        raise NotCheckedError("not checked: a mechanism with *args")
    read = [place.rpartition(":") for place in sources]
    file = str(entry.get("place")).rpartition(":")[0]
    if (file, entry.get("name")) not in [(f, name.rpartition(".")[2]) for f, _, name in read]:
        raise RejectedError("`sources` lacks the function that is called")
    _validate(program["entry"], repeated=repeated)
    if not iterators:
        _validate_iterators(program["entry"], used=False)
    for constant in program["fixed"].values():
        _validate(constant, repeated=repeated)
    known = {program["data"], program["rng"], *program["fixed"], *program["symbolic"]} - {None}
    if not known <= set(program["entry"]["parameters"]) or program["data"] in (
        *program["fixed"],
        *program["symbolic"],
        program["rng"],
    ):
        raise RejectedError("`program` gives values to what is no parameter of its own")
    given = [*program["fixed"], *program["symbolic"], program["rng"]]
    if len(set(given)) != len(given):
        raise RejectedError("`program` gives two values to one parameter")
    return dict(program)


def _validate(value: Any, *, repeated: bool) -> None:
    """Refuse nodes with other fields than theirs."""
    if isinstance(value, list):
        for item in value:
            _validate(item, repeated=repeated)
        return
    if not isinstance(value, dict) or "kind" not in value:
        if isinstance(value, dict):
            for item in value.values():
                _validate(item, repeated=repeated)
        return
    kind, found = value["kind"], set(value) - {"kind", "place"}
    if kind == "Again":
        if not repeated:
            raise NotCheckedError("not checked: a function that is called from two places")
        fields(value, {"kind": str, "number": int}, "a function that is called again")
        return
    wanted = set(_FIELDS[kind].split()) if kind in _FIELDS else None
    if wanted is None and found not in (_DISPLAY, _COMPREHENSION):
        raise RejectedError(f"`program` has a node of the kind {kind!r:.40}")
    if (wanted is not None and found != wanted) or not isinstance(value.get("place"), str):
        raise RejectedError(f"a node {kind!r:.40} of `program` has other fields than it should")
    if kind == "Constant":
        return
    if kind == "Generator" and value["library"] not in _LIBRARIES:
        raise RejectedError(f"a generator of `program` is of {value['library']!r:.40}")
    for name in found:  # parameters may have any name
        inside = [*value[name].values()] if name == "defaults" else value[name]
        _validate(inside, repeated=repeated)


def _validate_iterators(value: Any, *, used: bool) -> None:
    """Refuse iterators that are kept: what goes through one again finds it empty.

    `used` says that what holds the value goes through it, once.
    """
    if isinstance(value, list):
        for item in value:
            _validate_iterators(item, used=used)
        return
    if not isinstance(value, dict):
        return
    kind = value.get("kind")
    function = value.get("function") if kind == "Call" else None
    made = isinstance(function, str) and function in ITERATORS
    if (made or kind == "generator") and not used:
        raise NotCheckedError(f"not checked: an iterator that is kept, {value.get('place')}")
    for name, inside in value.items():
        once = kind == "For" and name == "iterable"
        if isinstance(function, str) and function in ITERATORS | CONSUMING:
            once = name == "arguments"
        if name == "clauses":
            for target, iterable, conditions in inside:
                _validate_iterators([target, conditions], used=False)
                _validate_iterators(iterable, used=True)
            continue
        _validate_iterators(inside, used=once)


def refused(what: str, node: Node) -> NotCheckedError:
    """Return the error that a construct is not one that is checked."""
    return NotCheckedError(f"not checked: {what} at {node.get('place')}")


def identifier(name: Any) -> str:
    """Return a name that is one: names with other signs are the checker's own."""
    if isinstance(name, str) and (name.isidentifier() or _OF_LIFTING.fullmatch(name)):
        return name
    raise RejectedError(f"the program has a variable {name!r:.60}, which is no name")


def identifiers(names: list[str], what: str) -> list[str]:
    """Return names that are names, each once."""
    found = [identifier(name) for name in names]
    if len(set(found)) != len(found):
        raise RejectedError(f"{what} of the program stands twice")
    return found


def bound(
    function: Node,
    arguments: Sequence[Any],
    keywords: Mapping[str, Any],
    constant: Callable[[Node], Any],
    refused: Callable[[str], Exception],
) -> dict[str, Any]:
    """Return what the parameters of a function hold when it is called.

    Parameters
    ----------
    function : dict
    arguments : sequence
    keywords : mapping
    constant : callable
        Returns the value of a default.
    refused : callable
        Returns the error to be raised where a call does not fit.
    """
    called = f"{function['name']!r:.40}"
    names = identifiers(function["parameters"], "a parameter")
    if function["starred"] is not None or len(arguments) > len(names):
        raise refused(f"these arguments of {called}")
    values = dict(zip(names, arguments, strict=False))
    for name, value in keywords.items():
        if name not in names or name in values:
            raise refused(f"the argument {name!r:.40} of {called}")
        values[name] = value
    for name in names:
        if name not in values:
            if name not in function["defaults"]:
                raise refused(f"{called} without {name!r:.40}")
            values[name] = constant(function["defaults"][name])
    return values


def begun(
    program: Node,
    data: Any,
    rng: Any,
    constant: Callable[[Node], Any],
    symbol: Callable[[str], Any] | None = None,
) -> dict[str, Any]:
    """Return what the parameters of a program hold when it is run.

    Parameters
    ----------
    program : dict
    data, rng : object
        What stands for the data and the source of randomness.
    constant : callable
        Returns the value of a constant.
    symbol : callable, optional
        Returns what stands for a parameter without a value; unless given, every one has a value.
    """
    values: dict[str, Any] = {}
    for name in identifiers(program["entry"]["parameters"], "a parameter"):
        if name == program["data"]:
            values[name] = data
        elif name == program["rng"]:
            values[name] = rng
        elif name in program["fixed"]:
            values[name] = constant(program["fixed"][name])
        elif symbol is not None and name in program["symbolic"]:
            values[name] = symbol(name)
        else:
            raise RejectedError(f"the parameter {name!r:.60} of the program has no value")
    return values


def error_name(node: Node) -> str:
    """Return the name of an error whose text says nothing that a run could change."""
    value = node["value"]
    if value is None:
        raise refused("an exception that is raised again", node)
    plain = value["kind"] == "Call" and isinstance(value["function"], str)
    if plain and all(a["kind"] == "Constant" for a in value["arguments"]) and not value["keywords"]:
        texts = [str(argument["value"]) for argument in value["arguments"]]
        return f"{value['function']}({', '.join(texts)})"
    raise refused("an error whose text is not constant", node)


def prints(program: Node) -> bool:
    """Return whether a program returns what it prints beside its value."""
    first = program["entry"]["body"][:1]
    return any(s["kind"] == "Assign" and s["target"].get("id") == EMITTED for s in first)


def functions_of(node: Any) -> list[Node]:
    """Return the functions of a program in the order in which they are written."""
    found: list[Node] = []
    _collect(node, found)
    return found


_ORDER = {
    "Draw": ("arguments", "generator"),
    "Call": ("function", "arguments", "keywords"),
    "Function": ("defaults", "body"),
    "Slice": ("start", "stop", "step"),
    "Subscript": ("value", "index"),
    "Choice": ("test", "yes", "no"),
    "Named": ("target", "value"),
    "Assign": ("target", "value"),
    "Update": ("target", "value"),
    "Branch": ("test", "yes", "no"),
    "For": ("target", "iterable", "body", "otherwise"),
    "While": ("test", "body", "otherwise"),
    "Logic": ("operands",),
    "Mapping": ("items",),
    "Generator": ("seed",),
}
_SINGLE = ("value", "function", "element", "clauses", "items")


def _collect(value: Any, found: list[Node]) -> None:
    if isinstance(value, list):
        for item in value:
            _collect(item, found)
        return
    if not isinstance(value, dict):
        return
    kind = value.get("kind")
    if kind is None:
        for item in value.values():
            _collect(item, found)
        return
    if kind in ("Constant", "Name", "Again"):
        return
    if kind == "Function":
        found.append(value)
    for name in _ORDER.get(str(kind), _SINGLE):
        inside = value.get(name)
        if isinstance(inside, dict | list):
            _collect(inside, found)


def changed(value: Any) -> set[str]:
    """Return the variables that statements set, or change in place."""
    names: set[str] = set()
    todo = [value]
    while todo:
        node = todo.pop()
        if isinstance(node, list):
            todo += node
        elif isinstance(node, dict):
            kind = node.get("kind")
            if kind in ("Assign", "Update", "For", "Named"):
                names |= targets(node["target"])
            if kind == "Define":
                names.add(node["name"])
            function = node.get("function")
            if kind == "Call" and isinstance(function, str) and function.startswith("method."):
                names |= _changed_by(node)
            if kind not in ("Constant", "Function", "Closure"):
                todo += [inside for key, inside in node.items() if key != "place"]
    return names


def _changed_by(node: dict[str, Any]) -> set[str]:
    if node["function"] not in _CHANGING or not node["arguments"]:
        return set()
    return targets(node["arguments"][0])


_CHANGING = frozenset(
    f"method.{word}"
    for word in ("append", "extend", "insert", "pop", "remove", "clear", "update", "setdefault",
                 "sort", "reverse", "add", "discard", "fill", "put", "resize")
)  # fmt: skip


def targets(target: Any) -> set[str]:
    """Return the variables of a target, or whose objects it is a part of."""
    if not isinstance(target, dict):
        return set()
    if target["kind"] == "Name":
        return {target["id"]}
    if "items" in target:
        return {name for item in target["items"] for name in targets(item)}
    if target["kind"] in ("Subscript", "Attribute", "Starred"):
        return targets(target["value"])
    return set()


def assigned(node: Any) -> set[str]:
    """Return the variables of a function that a part of it sets."""
    if isinstance(node, list | tuple):
        return set().union(*map(assigned, node))
    if not isinstance(node, dict) or node.get("kind") == "Function":
        return set()
    found = assigned([each for key, each in node.items() if key != "clauses"])
    for _, among, tests in node.get("clauses", ()):
        found |= assigned(among) | assigned(tests)
    if node.get("kind") in ("Assign", "Update", "For", "Named"):
        found |= target_names(node["target"])
    if node.get("kind") == "Define":
        found.add(identifier(node["name"]))
    return found


def target_names(target: Node) -> set[str]:
    """Return the variables that a target sets."""
    if target["kind"] == "Starred":
        return target_names(target["value"])
    if target["kind"] == "Name":
        return {identifier(target["id"])}
    return set().union(*map(target_names, target.get("items", ())))


def target_parts(target: Node) -> list[Node]:
    """Return the parts of a target that are set one by one."""
    inside = target["items"] if target["kind"] in ("tuple", "list") else []
    return [part for item in inside for part in target_parts(item)] or [target]
