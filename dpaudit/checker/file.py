"""Reads a certificate, and refuses what is not one."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from dpaudit.checker.limits import BUDGET, Meter
from dpaudit.untrusted import contents

PRIVATE = ("argument", "fresh", "global")  # origins of generators whose draws nobody knows
SCHEMA_VERSION = 1
KINDS = ("alignment", "cost", "derivation", "evidence", "exact", "lemma", "sensitivity")
PROOFS = "solver_proofs"  # may be there
MARKS = ("kind", "proof", "digest")  # with none of which it is something else
REMEDY = "dpaudit run --certificates FOLDER and dpaudit verify --certificate FILE write them"
IDEALIZED = (
    "numbers are real, and draws are independent and have exactly their stated distributions"
)
LOW_BITS = 'the low-order bits of float outputs are not covered; arithmetic="float" tests them'
SAME_CODE = "the source that was read is the code that runs"
FAULTS = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError)  # prove nothing
NOT_CHECKED = "not checked: "  # how a reason begins that says nothing of a certificate
ALIKE = "the outputs of one call are independent and alike"
MECHANISM = {"mechanism": str, "claim": str, "neighbors": str}  # fields of a `subject` that is one
_FIELDS = {
    "schema_version": int,
    "kind": str,
    "subject": dict,
    "program": dict | None,
    "program_hash": str | None,
    "sources": dict,
    "proof": dict,
    "assumptions": list,
    "trusted": list,
    "versions": dict,
    "digest": str,
}


class RejectedError(Exception):
    """The certificate proves nothing; the message names the field or the step.

    Attributes
    ----------
    what : str
        What was found, without its place.
    place : str
        Where in the source, ``file:line``; empty where it is about no line.
    releases : tuple of str
        The places of releases that were understood before.
    violation : str
        The id of what would explain a refutation, empty where nothing is seen.
    """

    releases: tuple[str, ...] = ()
    violation = ""

    def __init__(self, what: str, place: str = "") -> None:
        super().__init__(what, place)
        self.what = what
        self.place = place

    def __str__(self) -> str:
        return f"{self.what}, {self.place}" if self.place else self.what

    def located(self, place: str, releases: tuple[str, ...]) -> Self:
        """Return the error with its place, where it has none yet, and the releases before it."""
        self.place = self.place or place
        self.releases = self.releases or releases
        return self

    def add(self, more: str) -> None:
        """Add to what was found."""
        self.what += f" {more}"


class BrokenError(RejectedError):
    """The claim fails on a pair of datasets.

    Attributes
    ----------
    left, right : object
        The datasets; some outputs are too likely on the left.
    shows : object
        What tells them apart, as the evaluator that found it has it.
    """

    def __init__(self, what: str, left: Any, right: Any, shows: Any) -> None:
        super().__init__(what)
        self.left, self.right, self.shows = left, right, shows


class NotCheckedError(RejectedError):
    """The certificate could not be checked, which says nothing of it."""


class OutOfScopeError(NotCheckedError):
    """A way of proving is about other neighbors, which is no reason that anyone asks for."""


class NoCertificateError(NotCheckedError):
    """What was given is something else; the message says what it holds."""

    def __init__(self, what: str) -> None:
        super().__init__(f"not a certificate: {what}; {REMEDY}")


@dataclass(slots=True)
class Work:
    """How a certificate is to be checked.

    Attributes
    ----------
    deadline : float
        Of `dpaudit.checker.limits.now`, where a user set a limit; else infinite.
    source : bool or Path
        Whether the source is read as text; the file that holds the mechanism, if it is named.
    proofs : list, optional
        Where the solver's own proofs go, if they are wanted.
    says : list of str
        Where a checker puts what the certificate says, in sentences for people.
    base : DataFrame, Series or ndarray, optional
        The records around which a proof was made.
    mechanism : callable, optional
        What the reader of the certificate names: nothing else is run.
    steps : float
        That a check may take, in seconds of a quiet machine.
    """

    deadline: float
    source: bool | Path = True
    proofs: list[Any] | None = None
    says: list[str] = field(default_factory=list)
    base: Any = None
    mechanism: Any = None
    steps: float = BUDGET
    _meter: Meter = field(init=False)

    def __post_init__(self) -> None:
        self._meter = Meter(self.steps, self.deadline)

    def left(self, looks: int = 1) -> float:
        """Count some steps, and return the seconds that are left.

        Raises
        ------
        NotCheckedError
            Where there are none.
        """
        seconds = self._meter.left(looks)
        if seconds <= 0:
            raise NotCheckedError("not checked: the steps ran out; give more with `timeout`")
        return seconds


@dataclass(frozen=True, slots=True)
class Document:
    """A certificate of which form and digests are as they should be.

    Attributes
    ----------
    kind : str
    subject : dict
    program : dict or None
    sources : dict of str to str
    proof : dict
    assumptions, trusted : tuple of str
        As the prover wrote them.
    solver_proofs : tuple
        As an earlier check added them.
    versions : dict of str to str
        Of what made it.
    observes : list or None
        Which ways out it is about, of its `subject`; None for all.
    """

    kind: str
    subject: dict[str, Any]
    program: dict[str, Any] | None
    sources: dict[str, str]
    proof: dict[str, Any]
    assumptions: tuple[str, ...]
    trusted: tuple[str, ...]
    solver_proofs: tuple[Any, ...] = ()
    versions: dict[str, str] = field(default_factory=dict)
    observes: Any = None


def read(certificate: Mapping[str, Any] | str | Path) -> Document:
    """Return a certificate whose form, digest and program hash are right.

    Parameters
    ----------
    certificate : mapping, str or Path
        As `Certificate.to_dict` gives it, or a file that holds it.

    Raises
    ------
    OSError
        Where the file cannot be read.
    NoCertificateError
        Where it is something else.
    RejectedError
        Where it is no certificate that could hold.
    """
    found = loaded(certificate)
    if not any(mark in found for mark in MARKS):
        held = ", ".join(f"`{name:.40}`" for name in list(found)[:4]) or "nothing"
        raise NoCertificateError(f"the object holds {held}, and none of {', '.join(MARKS)}")
    _known_version(found)
    wanted = {**_FIELDS, **({PROOFS: list} if PROOFS in found else {})}
    fields(found, wanted, "the certificate")
    if found["kind"] not in KINDS:
        raise RejectedError(f"`kind` is {found['kind']!r:.60}; there are {', '.join(KINDS)}")
    _texts(found)
    content = {name: value for name, value in found.items() if name != "digest"}
    if digest(content) != found["digest"]:
        raise RejectedError(
            "`digest` is not that of the content; the file was changed or cut short"
        )
    program = found["program"]
    if (None if program is None else digest(program)) != found["program_hash"]:
        raise RejectedError("`program_hash` is not that of `program`")
    subject = dict(found["subject"])
    observes = subject.pop("observes", None)
    return Document(
        found["kind"],
        subject,
        program,
        found["sources"],
        found["proof"],
        tuple(found["assumptions"]),
        tuple(found["trusted"]),
        tuple(found.get(PROOFS, ())),
        found["versions"],
        observes,
    )


def _known_version(found: Mapping[str, Any]) -> None:
    """Refuse to judge what another version wrote, whatever fields that has."""
    version = found.get("schema_version", SCHEMA_VERSION)
    if isinstance(version, bool) or not isinstance(version, int) or version == SCHEMA_VERSION:
        return
    versions = found.get("versions")
    made = versions.get("dpaudit") if isinstance(versions, dict) else None
    said = f" ({made:.60})" if isinstance(made, str) else ""
    raise NotCheckedError(
        f"not checked: `schema_version` is {version}, and this checker reads {SCHEMA_VERSION}; "
        f"check it with the dpaudit that wrote it{said}, or certify anew: {REMEDY}"
    )


def digest(value: object) -> str:
    """Return the SHA-256 of JSON with sorted keys and no spaces."""
    written = json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(written.encode()).hexdigest()


def proof_of(document: Document, kind: str, wanted: Mapping[str, Any]) -> dict[str, Any]:
    """Return the proof of a certificate, which must be of a kind and have its fields.

    Parameters
    ----------
    document : Document
    kind : str
    wanted : mapping of str to type

    Raises
    ------
    RejectedError
    """
    proof = document.proof
    fields(proof, wanted, "`proof`")
    if proof["kind"] != kind:
        raise RejectedError(f"`proof.kind` is {proof['kind']!r:.40}, not {kind!r}")
    return proof


def fields(found: object, wanted: Mapping[str, Any], where: str) -> None:
    """Refuse an object that has not exactly these fields, of these types.

    Parameters
    ----------
    found : object
    wanted : mapping of str to type
        True and False are no integers.
    where : str
        What it is, for the message.

    Raises
    ------
    RejectedError
    """
    if not isinstance(found, dict):
        raise RejectedError(f"{where} is {type(found).__name__}, not an object")
    names(found, wanted, where)
    for name, kind in wanted.items():
        value = found[name]
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is int):
            raise RejectedError(f"`{name}` of {where} is of the type {type(value).__name__}")


def names(found: Collection[str], wanted: Collection[str], where: str) -> None:
    """Refuse an object whose fields are not exactly these."""
    for name in wanted:
        if name not in found:
            raise RejectedError(f"{where} lacks `{name}`")
    for name in found:
        if name not in wanted:
            raise RejectedError(f"{where} has the field {name!r:.60}, which is not known")


def loaded(certificate: Mapping[str, Any] | str | Path) -> dict[str, Any]:
    """Return what a certificate holds, whatever it is."""
    if isinstance(certificate, Mapping):
        try:  # a copy, and of nothing but what JSON holds
            found = json.loads(json.dumps(dict(certificate), allow_nan=False))
        except (TypeError, ValueError, RecursionError) as error:
            raise RejectedError(f"the certificate holds what JSON cannot: {error}") from None
        if found != certificate:
            raise RejectedError("the certificate holds what JSON cannot")
    else:
        try:
            content = contents(certificate)
        except ValueError as error:
            raise NotCheckedError(f"not checked: {error}; give a certificate's file") from None
        try:
            found = json.loads(
                content.decode(), object_pairs_hook=_once, parse_constant=_no_constant
            )
        except (ValueError, RecursionError) as error:
            said = f"the file is no JSON ({error!s:.200})"
            if isinstance(error, UnicodeDecodeError):
                said = f"the file is no text in UTF-8 (byte {error.start})"
            if any(f'"{mark}"'.encode() in content for mark in MARKS):  # changed or cut short
                raise RejectedError(said) from None
            raise NoCertificateError(said) from None
    if not isinstance(found, dict):
        raise NoCertificateError(f"it holds a {type(found).__name__}, not an object")
    return found


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name stands twice in one object")
    return found


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is no number")


def _texts(found: Mapping[str, Any]) -> None:
    for name in ("assumptions", "trusted"):
        if not all(isinstance(item, str) for item in found[name]):
            raise RejectedError(f"`{name}` must hold texts")
    for name in ("sources", "versions"):
        if not all(isinstance(item, str) for item in found[name].values()):
            raise RejectedError(f"`{name}` must map texts to texts")
    for place, value in found["sources"].items():
        if len(value) != 64 or not set(value) <= set("0123456789abcdef"):
            raise RejectedError(f"`sources[{place!r:.100}]` is no SHA-256")


def finite(value: object, where: str) -> float:
    """Return a number that is finite, or reject it."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise RejectedError(f"{where} is {value!r:.60}, no finite number")
    return float(value)
