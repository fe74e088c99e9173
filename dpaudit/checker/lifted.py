"""Whether the program of a certificate is that of the code at hand: the source is lifted anew."""

from __future__ import annotations

import ast
import functools
import json
import math
from collections.abc import Mapping
from fractions import Fraction
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np

from dpaudit.checker.constants import BUILT_IN, BadConstantError, constant
from dpaudit.checker.file import Document, NotCheckedError, RejectedError, Work
from dpaudit.checker.named import code_of, validate_name
from dpaudit.checker.texts import Texts
from dpaudit.outputs.observed import EVERYTHING
from dpaudit.reference import parse_reference
from dpaudit.subject import vectorized

LIFTED = "dpaudit's reading of the source as a program (lifting)"


def compared(document: Document, work: Work) -> tuple[str, ...]:
    """Lift the code at hand, and compare it with the program of a certificate.

    Parameters
    ----------
    document : Document
    work : Work
        With the mechanism that the reader names, if any.

    Returns
    -------
    tuple of str
        What is taken on trust.

    Raises
    ------
    RejectedError
        Where the code is another program.
    NotCheckedError
        Where there is nothing to compare with.

    Notes
    -----
    Without a mechanism that the reader names nothing is imported: the code is read as text.
    """
    if document.program is None:
        return ()
    name = _name(document)
    validate_name(name)
    if not work.source:
        raise NotCheckedError("not compared: no source was given, so the proved code is unknown")
    function, where = work.mechanism, name
    if function is None:
        function, where = from_text(name, work, document.program)
        work.says.append(f"of {name}, as {where} holds it")
    observes = _observed(document)
    program = _lifted(function, document.program, observes)
    different = difference(document.program, program)
    if different:
        made = document.versions.get("dpaudit")
        if made != _version():
            raise NotCheckedError(
                f"not compared: the source of {where:.200} is lifted to another program than with "
                f"dpaudit {made!s:.40}; certify anew"
            )
        raise RejectedError(f"the proof is not of the code of {where:.200}: {different}")
    inside = sorted(EVERYTHING - observes)
    return (
        LIFTED,
        *((f"outputs that the observer does not see: {', '.join(inside)}",) if inside else ()),
    )


def _observed(document: Document) -> frozenset[str]:
    """Return which ways out the certificate is about, all where it names none."""
    told = sorted(EVERYTHING) if document.observes is None else document.observes
    if not isinstance(told, list) or not set(map(str, told)) <= EVERYTHING:
        raise RejectedError(f"`subject.observes` is {told!r:.80}, which names no ways out")
    return frozenset(map(str, told))


def from_text(name: str, work: Work, program: Mapping[str, Any]) -> tuple[Any, str]:
    """Return the mechanism of a name, read as text, and its file."""
    parsed = parse_reference(name)
    if parsed is None:
        raise NotCheckedError(
            f"not compared: {name:.80} names no function of a module; to import and run the code, "
            "name it by --mechanism module:function"
        )
    module, attribute, arguments = parsed
    texts = Texts()
    if isinstance(work.source, str | Path):
        texts.given[module] = Path(work.source)
    function = texts.function(module, attribute)
    _mark(function, program)
    if arguments is not None:
        function = _partial(function, arguments)
    read = texts.modules[module]
    return function, "" if read is None else str(read.file)


def difference(one: Any, other: Any) -> str:
    """Return what differs between two programs, empty where nothing does.

    Notes
    -----
    Places may differ if they correspond one to one: the file may lie elsewhere, and its lines.
    """
    return _difference(one, other, "program", ({}, {}))


def _difference(
    one: Any, other: Any, path: str, places: tuple[dict[str, str], dict[str, str]]
) -> str:
    if isinstance(one, dict) and isinstance(other, dict):
        if path == "program.sources":
            return "" if _named(one) == _named(other) else f"`{path}` has other hashes"
        if set(one) != set(other):
            return f"`{path}` has other fields"
        for key in sorted(one):
            if key == "place" and isinstance(one[key], str) and isinstance(other[key], str):
                there, back = places
                first = there.setdefault(one[key], other[key])
                if first != other[key] or back.setdefault(other[key], one[key]) != one[key]:
                    return f"`{path}.place` is another"
            elif found := _difference(one[key], other[key], f"{path}.{key}", places):
                return found
        return ""
    if isinstance(one, list) and isinstance(other, list):
        if len(one) != len(other):
            return f"`{path}` has {len(one)} entries, and the code {len(other)}"
        pairs = enumerate(zip(one, other, strict=True))
        return next(
            (f for i, (a, b) in pairs if (f := _difference(a, b, f"{path}[{i}]", places))), ""
        )
    same = type(one) is type(other) and one == other
    return "" if same else f"`{path}` is {one!r:.60}, and the code has {other!r:.60}"


def _named(sources: Mapping[str, Any]) -> list[tuple[str, Any]]:
    return sorted((place.rpartition(":")[2], content) for place, content in sources.items())


def _lifted(function: Any, program: Mapping[str, Any], observes: frozenset[str]) -> Any:
    from dpaudit.formal.hashing import to_dict
    from dpaudit.formal.lift import lift
    from dpaudit.formal.unsupported import Unsupported

    symbolic = [name for name in program.get("symbolic", ()) if isinstance(name, str)]
    try:
        found = lift(function, symbolic=symbolic, observes=observes)
    except (Unsupported, TypeError, ValueError) as error:
        raise NotCheckedError(f"not compared: the source is not lifted: {error!s:.200}") from None
    _validate_callables(found)
    return json.loads(json.dumps(to_dict(found)))


def _validate_callables(program: Any) -> None:
    """Refuse a function of the user's that is written in a program as if a library had it."""
    from dpaudit.formal.lifting.canonical import LIBRARIES, canonical_name
    from dpaudit.formal.program import Constant, walk

    for node in walk(program.entry):
        value = node.value if isinstance(node, Constant) else None
        said = str(getattr(value, "__module__", "")).partition(".")[0]
        if callable(value) and said in LIBRARIES and canonical_name(value) is None:
            raise NotCheckedError(f"not compared: {value!r:.60} bears the name of a library's")


def _name(document: Document) -> str:
    name = document.subject.get("mechanism", document.subject.get("query"))
    if not isinstance(name, str):
        raise RejectedError("`subject` names no mechanism")
    return name


def _mark(function: Any, program: Mapping[str, Any]) -> None:
    """Mark a mechanism as vectorized where its program is of one output of many."""
    code = code_of(function)
    names = code.__code__.co_varnames[: code.__code__.co_argcount] if code is not None else ()
    if code is None or len(names) < 3 or len(code.__defaults__ or ()) >= len(names) - 1:
        return
    if names[1] == "size" in program.get("fixed", {}) and program.get("rng") == names[2]:
        vectorized(function)


def _partial(function: Any, arguments: str) -> Any:
    call = ast.parse(f"f({arguments})", mode="eval").body
    try:
        if not isinstance(call, ast.Call) or any(word.arg is None for word in call.keywords):
            raise BadConstantError("they are no arguments of a call")
        args = [constant(value, _WRITTEN.__getitem__) for value in call.args]
        keywords = {str(k.arg): constant(k.value, _WRITTEN.__getitem__) for k in call.keywords}
    except (BadConstantError, LookupError):
        raise NotCheckedError(
            f"not compared: the arguments {arguments:.80} are no constants; bind the mechanism to "
            "a name, and give that by --mechanism"
        ) from None
    return functools.partial(function, *args, **keywords)


_WRITTEN = {**BUILT_IN, "Fraction": Fraction, "np": np, "inf": math.inf, "nan": math.nan}


def _version() -> str:
    try:
        return version("dpaudit")
    except PackageNotFoundError:
        return "not installed"
