"""Which kind of violation a counterexample is, and the line that causes it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from dpaudit.evidence import Finding
from dpaudit.formal import program as ir
from dpaudit.formal.program import Place, Program
from dpaudit.formal.trial.draws import Drawn
from dpaudit.formal.trial.events import Telling
from dpaudit.formal.trial.joint import Coordinate, Joint
from dpaudit.formal.trial.laws import Maximum, Uniform
from dpaudit.formal.trial.outputs import Release
from dpaudit.neighbors import Neighbors, Pair


@dataclass(frozen=True, slots=True)
class Case:
    """All that is known about one refuted pair."""

    program: Program
    neighbors: Neighbors
    pair: Pair
    telling: Telling
    joint: Joint | None
    left: Sequence[Release]
    right: Sequence[Release]


@dataclass(frozen=True, slots=True)
class _Cause:
    id: str
    place: Place
    says: str
    also: tuple[str, ...] = ()


def blamed(case: Case) -> Finding:
    """Return the finding of a refuted pair.

    Notes
    -----
    Several ids may fit where only the intention would tell them apart (was the sensitivity
    understated or the noise miscalibrated?): the others are in `also`.
    """
    cause = next(cause for cause in _causes(case) if cause is not None)
    related = [(d.place.file, d.place.line, f"{d.family} noise") for d in _draws(case)]
    place = case.left[0].outcome.place
    related.append((place.file, place.line, "the output"))
    telling = case.telling
    because = f"{telling.because} exceeds the claim; " if telling.because else ""
    says = f"{cause.says}; {because}{telling.words}: {_chances(telling)}"
    return Finding(
        cause.id, "error", says, cause.also, cause.place.file, cause.place.line,
        tuple(dict.fromkeys(related)), "formal", (case.pair.left, case.pair.right),
    )  # fmt: skip


def _chances(telling: Telling) -> str:
    first, second = float(telling.p.mid()), float(telling.q.mid())
    return f"probability {first:.6g} on one dataset, {second:.6g} on the other"


def _draws(case: Case) -> list[Drawn]:
    places: dict[Place, Drawn] = {}
    for release in (*case.left, *case.right):
        for drawn in release.outcome.draws:
            places.setdefault(drawn.place, drawn)
    return list(places.values())


def _causes(case: Case) -> Iterator[_Cause | None]:
    yield _unbounded(case)
    yield _seeded(case)
    yield _catastrophe(case)
    yield _structure(case)
    yield _branch(case)
    yield _scale(case)
    yield _raw(case)
    yield _shared(case)
    yield _excess(case)


def _output(case: Case) -> Place:
    return case.left[0].outcome.place


def _domains(case: Case) -> list[Any]:
    records = getattr(case.neighbors, "records", None)
    return list(getattr(records, "domains", [records]))


def _unlimited(case: Case) -> bool:
    """Whether records may have values outside of the range that is named."""
    return any(
        not getattr(d, "enforced", True)
        or getattr(d, "allow_nan", False)
        or getattr(d, "allow_infinity", False)
        for d in _domains(case)
    )


def _outside(case: Case) -> bool:
    """Whether the pair has a value that the records' range does not name."""
    import numpy as np

    if not _unlimited(case):
        return False
    domains = _domains(case)
    ends = [(d.low, d.high) for d in domains if hasattr(d, "low")]
    if not ends:
        return False
    low, high = min(e[0] for e in ends), max(e[1] for e in ends)
    values = [v for side in (case.pair.left, case.pair.right) for v in _numbers(side)]
    return any(not np.isfinite(v) or not low <= v <= high for v in values)


def _numbers(data: Any) -> list[float]:
    import numpy as np

    if isinstance(data, dict):
        return [v for item in data.values() for v in _numbers(item)]
    array = np.asarray(data)
    if array.dtype.names:
        return [v for name in array.dtype.names for v in _numbers(array[name])]
    if array.dtype.kind in "if":
        return [float(v) for v in array.ravel()]
    return []


def _unbounded(case: Case) -> _Cause | None:
    """Look for a value outside of the range that reached the noise."""
    if not _outside(case) or case.telling.kind not in ("threshold", "orthant", "shape", "value"):
        return None
    place = _argument_of_noise(case) or _output(case)
    return _Cause("DPA104", place, "a value without bound reaches the noise", ("DPA105",))


def _seeded(case: Case) -> _Cause | None:
    for node in ir.walk(case.program.entry):
        if isinstance(node, ir.Generator) and node.origin == "seeded":
            return _Cause("DPA110", node.place, "the noise comes from a seed that is known")
    return None


def _catastrophe(case: Case) -> _Cause | None:
    telling = case.telling
    if telling.kind not in ("value", "shape") or len(case.left) == len(case.right) == 1:
        return None
    if telling.q > 0 or not telling.p < 1:
        return None
    side = case.right if telling.swapped else case.left
    if any(r.outcome.oracle.consumed for r in side):
        says = "a noisy choice has candidates that a neighbor does not have"
        return _Cause("DPA109", _output(case), says, ("DPA102",))
    place = next((r.outcome.place for r in side if not r.rows or not r.rows[0].terms), None)
    says = f"with probability {float(telling.p.mid()):.6g} an output is impossible for a neighbor"
    cut = {v for r in side for v in r.outcome.oracle.intervals if not isinstance(v.law, Uniform)}
    if cut:
        where = next(iter(cut)).place
        return _Cause("DPA106", where, f"noise is cut off: {says}", ("DPA102",))
    says = f"{says}: delta(epsilon) is at least that"
    return _Cause("DPA102", place or _output(case), says, ("DPA101",))


def _paths(side: Sequence[Release]) -> list[tuple[tuple[Place, bool], ...]]:
    return [release.outcome.path for release in side]


def _branch(case: Case) -> _Cause | None:
    ours, theirs = _paths(case.left), _paths(case.right)
    if len(ours) == len(theirs) and ours == theirs:
        return None
    if len(ours) != 1 or len(theirs) != 1:
        return None
    also = ("DPA101",) if case.telling.kind in ("value", "support") else ()
    for one, other in zip(ours[0], theirs[0], strict=False):
        if one != other:
            says = "a test on private data decides what is done"
            return _Cause("DPA108", one[0], says, (*also, "DPA109"))
    says = "a loop runs as often as the data say"
    return _Cause("DPA108", _output(case), says, (*also, "DPA109"))


def _structure(case: Case) -> _Cause | None:
    if case.telling.kind != "shape":
        return None
    raised = [r for r in (*case.left, *case.right) if r.outcome.raised]
    if raised:
        return _Cause("DPA108", raised[0].outcome.place, "an exception happens on one dataset only")
    branch = _branch(case)
    if branch is not None:
        return branch
    return _Cause("DPA109", _output(case), "which outputs there are comes from the data",
                  ("DPA101",))  # fmt: skip


def _scale(case: Case) -> _Cause | None:
    if not case.left or not case.right:
        return None
    ours, theirs = case.left[0].outcome.draws, case.right[0].outcome.draws
    for one, other in zip(ours, theirs, strict=False):
        if one.place == other.place and not _same(one.scale(), other.scale()):
            place = scale_place(case.program, one.place)
            return _Cause("DPA103", place, "the scale of the noise depends on the data")
    found = case.joint
    if found is not None and any(_rescaled(c) for c in found.coordinates):
        place = _argument_of_noise(case) or _output(case)
        return _Cause("DPA103", place, "noise is multiplied by a private value")
    if found is None and len(case.left) == len(case.right) == 1 and ours and (
        case.telling.kind == "threshold" or case.telling.kind == "value"
    ):  # fmt: skip
        row = case.left[0].rows[case.telling.row or 0], case.right[0].rows[case.telling.row or 0]
        factors = [sorted(map(abs, r.terms.values())) for r in row]
        if factors[0] != factors[1]:
            place = _argument_of_noise(case) or _output(case)
            return _Cause("DPA103", place, "noise is multiplied by a private value")
    return None


def _rescaled(coordinate: Coordinate) -> bool:
    """Whether noise is larger on one dataset; a maximum has its places in its law."""
    both = (coordinate.left, coordinate.right)
    return both[0] != both[1] and not any(isinstance(law, Maximum) for law in both)


def _same(a: Any, b: Any) -> bool:
    import numpy as np

    return bool(np.shape(a) == np.shape(b) and np.all(np.asarray(a) == np.asarray(b)))


def _raw(case: Case) -> _Cause | None:
    telling = case.telling
    if telling.kind == "value" and (
        telling.q > 0 or any(r.outcome.oracle.consumed for r in (*case.left, *case.right))
    ):
        return None
    if telling.kind == "value" and telling.row is not None:
        return _Cause("DPA101", _output(case), "a private value leaves without noise")
    if telling.kind == "value":
        return _Cause("DPA101", _output(case), "private values leave without noise", ("DPA106",))
    found = case.joint
    if found is None or found.disjoint is None:
        return None
    used = [i for i, c in enumerate(found.readings[0].factors) if c]
    if len(used) == 1 and not case.left[0].rows[used[0]].terms:
        return _Cause("DPA101", _output(case), "a private value leaves without noise")
    return None


def _shared(case: Case) -> _Cause | None:
    found = case.joint
    if case.telling.kind != "support" or found is None:
        return None
    if found.disjoint is None:
        place = _argument_of_noise(case) or _output(case)
        return _Cause("DPA106", place, "the noise is on a grid and the answer is not")
    draws = _draws(case)
    place = draws[0].place if draws else _output(case)
    return _Cause("DPA110", place, "one noise is added to several private values", ("DPA101",))


def _excess(case: Case) -> _Cause:
    cause = _too_little(case)
    if not _unlimited(case):
        return cause
    return replace(cause, also=tuple(dict.fromkeys((*cause.also, "DPA104"))))


def _too_little(case: Case) -> _Cause:
    """Explain noise of the right kind that is too small, or paid for too seldom."""
    place = _argument_of_noise(case) or _output(case)
    draws = _draws(case)
    if any(isinstance(law, Maximum) for r in case.left for law in r.laws.values()):
        says = "the largest noisy value leaves, and only its index is paid for"
        return _Cause("DPA107", place, says, ("DPA106", "DPA105"))
    moved = 1
    if case.joint is not None and case.joint.coordinates:
        moved = sum(1 for c in case.joint.coordinates if c.shift)
    calls = sum(len(r.outcome.draws) for r in case.left[:1])
    if calls > 1 and moved > 1 and len(draws) >= 1:
        says = "each part pays its share, together they cost more than the claim"
        return _Cause("DPA107", place, says, ("DPA105", "DPA106"))
    says = "the argument of the noise moves more than the noise pays for"
    if moved > 1:
        return _Cause("DPA105", place, says, ("DPA107", "DPA106"))
    direct = type(case.neighbors).__name__ in ("AnyPair", "QueryAnswers")
    if direct:
        miss = "the noise is too small, or of the wrong kind, for what it is added to"
        return _Cause("DPA106", place, miss, ("DPA105",))
    return _Cause("DPA105", place, says, ("DPA106",))


# --- places in the source


def scale_place(program: Program, place: Place) -> Place:
    """Return where the scale of the draw at a place is formed."""
    for function in _functions(program.entry):
        for node in ir.walk(function):
            if isinstance(node, ir.Draw) and node.place == place:
                scale = node.argument("p" if node.family == "geometric" else "scale")
                if scale is not None:
                    return _formed(function, scale)
    return place


def _argument_of_noise(case: Case) -> Place | None:
    """Return where that is formed which the noise of the first draw is added to."""
    for drawn in _draws(case):
        for function in _functions(case.program.entry):
            for node in ir.walk(function):
                other = _added_to(node, drawn.place)
                if other is not None:
                    return _formed(function, other)
    return None


def _added_to(node: Any, place: Place) -> Any:
    added = ("operator.add", "operator.sub")
    if not isinstance(node, ir.Call) or node.function not in added or len(node.arguments) != 2:
        return None
    for noise, other in (node.arguments, node.arguments[::-1]):
        if any(isinstance(n, ir.Draw) and n.place == place for n in ir.walk(noise)):
            return other
    return None


def _functions(entry: ir.Function) -> Iterator[ir.Function]:
    seen: set[int] = set()
    for node in ir.walk(entry):
        if isinstance(node, ir.Function) and id(node) not in seen:
            seen.add(id(node))
            yield node


def _formed(function: ir.Function, expression: Any) -> Place:
    """Follow a local variable to the line that assigns it."""
    place: Place = expression.place
    for _ in range(4):
        if not isinstance(expression, ir.Name):
            return place
        name = expression.id
        found = [
            node
            for node in ir.walk(function)
            if isinstance(node, ir.Assign)
            and isinstance(node.target, ir.Name)
            and node.target.id == name
        ]
        if len(found) != 1:
            return place
        expression, place = found[0].value, found[0].place
    return place


def warned(finding: Finding) -> Finding:
    """Return the finding as a warning."""
    return replace(finding, level="warning")
