"""What a certificate of this kind states: the claim, the neighbors, the mechanism."""

from __future__ import annotations

import ast
import re
from fractions import Fraction
from typing import Any

from dpaudit.checker.around import around, statement
from dpaudit.checker.cost.constants import constant
from dpaudit.checker.cost.for_all import symbolic_claim, validate_assumptions
from dpaudit.checker.exact.numbers import Number, number
from dpaudit.checker.file import (
    IDEALIZED,
    MECHANISM,
    SAME_CODE,
    Document,
    NotCheckedError,
    RejectedError,
    Work,
)
from dpaudit.checker.program import validated
from dpaudit.claims.symbolic import SymbolicClaim
from dpaudit.notation import NotationError, parse_claim, parse_neighbors
from dpaudit.reference import parse_reference

ASSUMPTIONS = (IDEALIZED,)
_SESSION = re.compile(r"(^|/)session-[0-9a-f]{12}$")  # as `dpaudit.Session` names its files
_SAMPLED = re.compile(r"PrivacyProfile\((\w+\(.*\)) amplified at rate ([0-9.e-]+) \(add/remove\)\)")


def nouns(document: Document, work: Work, lemmas: tuple[str, ...] = ()) -> tuple[Any, Any]:
    """Return the claim and the neighbors.

    Parameters
    ----------
    document : Document
    work : Work
    lemmas : tuple of str
        Assumptions of the proof beside those of every one.

    Raises
    ------
    RejectedError
        Where the proof is of another claim, or lists other assumptions than it rests on.
    """
    statement(document.subject, MECHANISM)
    texts = document.subject
    try:
        claim = _claim_of(texts["claim"])
    except NotationError as error:
        symbolic = symbolic_claim(document)
        if symbolic is not None:
            return symbolic, _neighbors(document, work, symbolic, lemmas)
        if document.proof["claim"].get("family") == "PrivacyProfile":
            raise NotCheckedError("not checked: a claim whose profile is a function") from None
        raise RejectedError(f"`subject.claim` cannot be read: {error}") from None
    if str(claim) != texts["claim"] or claim.to_dict() != document.proof["claim"]:
        raise RejectedError("`proof.claim` is not the claim of `subject`")
    return claim, _neighbors(document, work, None, lemmas)


def _neighbors(
    document: Document, work: Work, symbolic: SymbolicClaim | None, lemmas: tuple[str, ...]
) -> Any:
    """Return the neighbors; refuse a proof that lists other assumptions than it rests on."""
    neighbors = neighbors_of(document.subject, work)
    own = (*neighbors.assumptions(), *ASSUMPTIONS, *lemmas)
    if tuple(document.proof["assumptions"]) != own:
        raise RejectedError("`proof.assumptions` are not those on which such a proof rests")
    if symbolic is not None:
        validate_assumptions(document, symbolic, own)
    elif document.assumptions != tuple(dict.fromkeys((IDEALIZED, SAME_CODE, *own))):
        raise RejectedError("`assumptions` are not those on which such a proof rests")
    return neighbors


def _claim_of(text: str) -> Any:
    """Return the claim of a text, that of a sample included."""
    sampled = _SAMPLED.fullmatch(text)
    return parse_claim(sampled[1]).amplified(float(sampled[2])) if sampled else parse_claim(text)


def neighbors_of(subject: dict[str, Any], work: Work) -> Any:
    """Return the neighbors of a statement, whose text must be as they write themselves."""
    described = around(subject, work)
    if described is not None:
        return described
    text = subject["neighbors"]
    try:
        found = parse_neighbors(text)
    except NotationError:
        raise NotCheckedError(f"not checked: `neighbors` cannot be read: {text:.80}") from None
    if str(found) != text:
        raise RejectedError("`subject.neighbors` is not written as its relation writes itself")
    return found


def validate_found(proof: dict[str, Any], found: dict[str, Any]) -> None:
    """Refuse a proof of which a line is not as it was found anew."""
    for name, value in found.items():
        if proof[name] != value:
            stated = f"`proof.{name}` is {proof[name]!r:.200}"
            raise RejectedError(f"{stated}, and {value!r:.200} was found")


def program_of(
    document: Document, text: str, claim: Any = None, *, iterators: bool = False
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return the program of the function that is named, and what is trusted of it.

    Only parameters that the claim names have no value.

    Raises
    ------
    RejectedError
        Where it is malformed, or of another function or source.
    NotCheckedError
        Where a parameter of it has no value.
    """
    program = validated(document.program, document.sources, repeated=True, iterators=iterators)
    named = list(claim.symbols) if isinstance(claim, SymbolicClaim) else []
    if program["symbolic"] != named:
        raise NotCheckedError("not checked: a proof for all values of a parameter")
    validate_sources(program["entry"], document.sources)
    return program, validate_mechanism(text, program)


def validate_mechanism(text: str, program: dict[str, Any]) -> tuple[str, ...]:
    """Refuse a program that is not of the mechanism that is named; return what is trusted.

    Its function must have the mechanism's name, and parameters the values that the subject fixes,
    or those of its own defaults.
    """
    entry = program["entry"]
    reference = parse_reference(text)
    if reference is None:
        return (f"the program is that of {text}, which no import finds",)
    module, name, arguments = reference
    file = str(entry["place"]).rpartition(":")[0].removesuffix(".py").removesuffix("/__init__")
    if entry["name"] == "session" and _SESSION.search(file):
        return (f"the program is that of the session {text}, which is made as its module runs",)
    if entry["parameters"] and all(str(each).startswith("·") for each in entry["parameters"]):
        places = [place.rpartition(":") for place in program["sources"]]
        if arguments or not any(_is_file_of(f, module) and n == name for f, _, n in places):
            raise NotCheckedError(f"not checked: that a decorator makes {text:.80} of this")
        if any(constant(value) != 1 for value in program["fixed"].values()):  # the size
            raise RejectedError("`program.fixed` has a value from nowhere")
        return (f"the program is that of {text}, which a decorator makes as its module runs",)
    if name != entry["name"]:
        raise NotCheckedError(f"not checked: that {text:.80} is {entry['name']!r:.40}")
    if not _is_file_of(str(entry["place"]).rpartition(":")[0], module):
        raise RejectedError(f"`subject.mechanism` is {text:.80}, and the program of another file")
    if not set(entry["defaults"]) <= set(entry["parameters"]):
        raise RejectedError("`program.entry.defaults` are of no parameters")
    fixed = _fixed(arguments)
    for key, value in program["fixed"].items():
        if key in fixed:
            if not _alike(constant(value), fixed[key]):
                raise RejectedError(f"`program.fixed[{key!r:.40}]` is not as `subject` fixes it")
        elif key in entry["defaults"]:
            if entry["defaults"][key]["value"] != value["value"]:
                raise RejectedError(f"`program.fixed[{key!r:.40}]` is not the default")
        elif key != "size" or constant(value) != 1:
            raise RejectedError(f"`program.fixed[{key!r:.40}]` has a value from nowhere")
    for key in fixed:
        if key not in program["fixed"]:
            raise RejectedError(f"`subject.mechanism` fixes {key!r:.40}, and the program does not")
    return ()


def _is_file_of(file: str, module: str) -> bool:
    """Return whether a source file may be that of a module."""
    stem = file.removesuffix(".py").removesuffix("/__init__")
    return f"/{stem}".endswith("/" + module.replace(".", "/"))


def validate_sources(entry: dict[str, Any], sources: dict[str, str]) -> None:
    """Refuse a program with a function whose source is not among those that were read."""
    read = {
        (place.rpartition(":")[0], place.rpartition(":")[2].rpartition(".")[2]) for place in sources
    }

    def visit(value: Any) -> None:
        if isinstance(value, list):
            for item in value:
                visit(item)
        elif isinstance(value, dict) and value.get("kind") != "Constant":
            function = value.get("function") if value.get("kind") == "Call" else None
            if isinstance(function, dict) and function["kind"] == "Function":
                _validate_read(function, read)
            for item in value.values():
                visit(item)

    visit(entry)


def _validate_read(function: dict[str, Any], read: set[tuple[str, str]]) -> None:
    file = str(function["place"]).rpartition(":")[0]
    if (file, function["name"]) not in read:
        raise RejectedError(f"`sources` lacks {function['name']!r:.60}")


def _fixed(arguments: str | None) -> dict[str, Any]:
    if not arguments:
        return {}
    call = ast.parse(f"f({arguments})", mode="eval").body
    if not isinstance(call, ast.Call) or call.args:
        raise NotCheckedError("not checked: arguments that are fixed by position")
    found = {}
    for keyword in call.keywords:
        try:
            found[str(keyword.arg)] = _written(keyword.value)
        except ValueError:
            written = ast.unparse(keyword)
            raise NotCheckedError(f"not checked: the argument {written:.80}") from None
    return found


def _written(node: ast.expr) -> Any:
    """Return a value that is written as a literal, or as ``Fraction(1, 2)``."""
    if isinstance(node, ast.Call) and ast.unparse(node.func) == "Fraction" and not node.keywords:
        numbers = [ast.literal_eval(argument) for argument in node.args]
        if len(numbers) == 2 and all(type(n) is int for n in numbers) and numbers[1] > 0:
            return Fraction(*numbers)
    return ast.literal_eval(node)


def _alike(one: Any, other: Any) -> bool:
    """Whether a constant of the program is a value that was written down."""
    if isinstance(one, tuple | list) and isinstance(other, tuple | list):
        same_type = isinstance(one, tuple) == isinstance(other, tuple)
        alike = all(_alike(a, b) for a, b in zip(one, other, strict=False))
        return same_type and len(one) == len(other) and alike
    if isinstance(one, Number):
        return isinstance(other, float | Fraction) and bool(one == number(other))
    return type(one) is type(other) and bool(one == other)
