"""The source of a code object: found, recompiled, and compared with what will run."""

from __future__ import annotations

import ast
import hashlib
import inspect
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import CodeType, FunctionType
from typing import Any

from dpaudit.formal.clock import charge
from dpaudit.formal.lifting.mangled import module_tree, written_name
from dpaudit.formal.program import Place
from dpaudit.formal.unsupported import Unsupported

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")  # as Python splits them
Defined = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """The definition of a function, which its code was compiled from.

    Attributes
    ----------
    tree : FunctionDef, AsyncFunctionDef or Lambda
        With the line numbers of `file`.
    file : str
    digest : str
        SHA-256 of the text of the definition.
    """

    tree: Defined
    file: str
    digest: str


def source_of(code: CodeType) -> Source:
    """Return the source of a code object.

    The whole file is parsed and compiled anew, so that names of enclosing functions and the
    file's ``__future__`` imports mean what they meant; the code must come out as it is.

    Raises
    ------
    Unsupported
        Where the source is not there, is not what runs, or leaves open which lambda is meant.
    """
    place = Place(code.co_filename, code.co_firstlineno)
    try:
        lines, _ = inspect.findsource(code)
    except (OSError, TypeError, IndexError):
        what = f"the source of {code.co_name!r} cannot be read; save it in a file and import it"
        raise Unsupported(what, place) from None
    text = "".join(lines)
    parsed = _parsed(text, code.co_filename)
    if parsed is None:
        dotted = " or has a name with a middle dot" if not text.isascii() else ""
        raise Unsupported(f"the source file does not parse{dotted}", place)
    same = [c for c in parsed.codes if _starts_alike(c, code) and same_code(c, code)]
    if not same:
        raise Unsupported(
            f"the source of {code.co_name!r} is not what runs: the file was changed, or the code "
            "rewritten, after it was imported",
            place,
        )
    node = _node(parsed.definitions, same, place)
    segment = parsed.segment(node)
    digest = hashlib.sha256(segment.encode()).hexdigest()
    return Source(node, code.co_filename, digest)


def names_in(code: CodeType) -> Iterator[str]:
    """Yield the names that code looks up outside of its variables, and that code inside of it does.

    Parameters
    ----------
    code : code
    """
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from names_in(constant)


def same_code(one: CodeType, other: CodeType) -> bool:
    """Return whether two code objects do the same; places in the file do not count."""
    fields = (
        "co_code",
        "co_names",
        "co_varnames",
        "co_freevars",
        "co_cellvars",
        "co_argcount",
        "co_posonlyargcount",
        "co_kwonlyargcount",
        "co_flags",
        "co_name",
        "co_exceptiontable",
    )
    if any(getattr(one, field, None) != getattr(other, field, None) for field in fields):
        return False
    return _same_constant(one.co_consts, other.co_consts)


def _same_constant(one: object, other: object) -> bool:
    if type(one) is not type(other):
        return False
    if isinstance(one, CodeType) and isinstance(other, CodeType):
        return same_code(one, other)
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(map(_same_constant, one, other))
    if isinstance(one, frozenset):
        return one == other and sorted(map(repr, one)) == sorted(map(repr, other))
    return repr(one) == repr(other)  # tells 0.0 from -0.0, and 1 from True


@dataclass(frozen=True, slots=True, eq=False)
class _Parsed:
    """A file: its lines, its definitions, and the code objects in it."""

    lines: list[str]
    definitions: tuple[Defined, ...]
    codes: tuple[CodeType, ...]

    def segment(self, node: Defined) -> str:
        """Return the text of a definition."""
        end = node.end_lineno or node.lineno
        above = "\n" * (node.lineno - 1)  # the lines above need not be split
        text = above + "".join(self.lines[node.lineno - 1 : end])
        return ast.get_source_segment(text, node, padded=True) or ""


@lru_cache(maxsize=64)
def _parsed(text: str, file: str) -> _Parsed | None:
    try:
        tree = module_tree(text, file)
        code = compile(text, file, "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError):
        return None
    definitions = tuple(node for node in ast.walk(tree) if isinstance(node, Defined))
    return _Parsed(_LINE.findall(text), definitions, tuple(_below(code)))


def _below(code: CodeType) -> Iterator[CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from _below(constant)


def _starts_alike(one: CodeType, other: CodeType) -> bool:
    charge(4000)
    return one.co_firstlineno == other.co_firstlineno and one.co_qualname == other.co_qualname


def _node(definitions: Sequence[Defined], same: list[CodeType], place: Place) -> Defined:
    code = same[0]
    found = [node for node in definitions if _is_at(node, code)]
    if len(found) > 1 and len(same) == 1 and code.co_name == "<lambda>":
        found = _around(found, code)
    if len(found) != 1 or len(same) != 1:
        raise Unsupported(f"several functions {code.co_name!r} start on this line", place)
    return found[0]


def _is_at(node: Defined, code: CodeType) -> bool:
    if isinstance(node, ast.Lambda):
        return code.co_name == "<lambda>" and node.lineno == code.co_firstlineno
    first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
    return code.co_name == written_name(node) and first == code.co_firstlineno


def _around(nodes: list[Defined], code: CodeType) -> list[Defined]:
    """Keep the innermost lambda whose body all instructions come from; all, if that is open."""
    spots = [
        ((line, column), (end_line, end))
        for line, end_line, column, end in code.co_positions()
        if line is not None and end_line is not None and column is not None and end is not None
        if (line, column) != (end_line, end)  # the prologue has an empty place
    ]
    if not spots:
        return nodes
    low, high = min(s for s, _ in spots), max(e for _, e in spots)
    held: list[Defined] = [n for n in nodes if isinstance(n, ast.Lambda) and _holds(n, low, high)]
    return sorted(held, key=lambda node: -node.col_offset)[:1] or nodes


def _holds(node: ast.Lambda, low: tuple[int, int], high: tuple[int, int]) -> bool:
    body = node.body
    end = (body.end_lineno or 0, body.end_col_offset or 0)
    return (body.lineno, body.col_offset) <= low and high <= end


def default_values(function: FunctionType) -> dict[str, Any]:
    """Return the values of the parameters that nobody passes."""
    code, values = function.__code__, function.__defaults__ or ()
    names = code.co_varnames[: code.co_argcount]
    found = dict(zip(names[len(names) - len(values) :], values, strict=True))
    return found | (function.__kwdefaults__ or {})
