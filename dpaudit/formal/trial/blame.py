"""Which kind of violation a counterexample is, and the line that causes it."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from dpaudit.evidence import Finding
from dpaudit.formal import program as ir
from dpaudit.formal.clock import charge
from dpaudit.formal.program import Place, Program
from dpaudit.formal.trial.affine import Variable, exact_number
from dpaudit.formal.trial.asking import asking_place
from dpaudit.formal.trial.composition import (
    called_again,
    effective_scale,
    late_check,
    leaves_sample_unused,
    overspending,
    paid_alone,
    restarted,
    tests_paid_alone,
)
from dpaudit.formal.trial.dependence import executed
from dpaudit.formal.trial.draws import Drawn
from dpaudit.formal.trial.events import Telling
from dpaudit.formal.trial.joint import Coordinate, Joint
from dpaudit.formal.trial.laws import Exponential, Geometric, Maximum, Uniform
from dpaudit.formal.trial.outputs import Release
from dpaudit.formal.trial.places import (
    candidates_place,
    chance_place,
    cut_place,
    entry_place,
    factor_place,
    has_private_scale,
    hidden_by,
    is_public_noise,
    keys_place,
    only_hands_on,
    only_noise,
    picks_by_position,
    returns_records,
    scale_place,
    sensitivity_place,
    split_place,
    tests_coin,
    tests_data,
    uses_exp,
)
from dpaudit.formal.trial.selections import (
    chosen_by_noise,
    is_winner,
    numbers_of,
    shows_answers,
)
from dpaudit.neighbors import Neighbors, Pair

_OWN_ERRORS = frozenset({"AttributeError", "ImportError", "NameError", "TypeError"})
_LOCATED = frozenset({"laplace", "normal", "gumbel", "logistic"})
_WHOLE = frozenset({"geometric", "binomial", "poisson", "integers"})
_OFF_GRID = "the noise is on a grid and the answer is not"
_COINS = frozenset({"random", "uniform", "integers", "binomial", "choice"})


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
    emits: bool = False  # whether the output is a pair, of which the texts are the second part
    wiring: str = ""  # the file of the mechanism, where that module declares audits
    epsilon: float | None = None  # of a pure claim
    whole: Program | None = None  # with what no run came to


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
    tests = (step for path in (*_paths(case.left), *_paths(case.right)) for step in path)
    case = replace(case, program=executed(case.program, tests), whole=case.program)
    cause = next(cause for cause in (_emitted(case), *_causes(case)) if cause is not None)
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


def _emitted(case: Case) -> _Cause | None:
    """Return the line whose text tells the datasets apart, where the event is one of texts."""
    entry = re.match(r"\(?output\[1\]\[(\d+)\]", case.telling.source)
    if not case.emits or entry is None:
        return None
    texts = case.left[0].outcome.output[1]
    number = int(entry.group(1))
    written = texts[number] if number < len(texts) else ()
    for node in ir.walk(case.program.entry):
        match node:
            case ir.Call(
                function="method.append",
                arguments=(ir.Name(id=ir.EMITTED), ir.Sequence(items=(first, *rest))),
            ) if [getattr(first, "value", None), len(rest)] == [*written[:1], len(written) - 1]:
                says = "what is printed, logged or warned of is private"
                return _Cause("DPA101", node.place, says, ("DPA109",))
    return None


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
    charge(400)
    yield _unbounded(case)
    yield _seeded(case)
    yield _raising(case)
    yield _catastrophe(case)
    yield _structure(case)
    yield _scale(case)
    yield _branch(case)
    yield _wrapped(case)
    yield _domain(case)
    yield _raw(case)
    yield _shared(case)
    yield _excess(case)


def _argument_of_noise(case: Case) -> Place:
    """Return where that is formed which noise should hide.

    Where the wiring of an audit forms it, the scale of the noise is what is wrong, or the line that
    adds it: who declares an audit hands over what the code under audit asks for.
    """
    found = hidden_by(case.program, [drawn.place for drawn in _draws(case)])
    if found is None:
        return _output(case)
    if found.formed.file != case.wiring or found.drawn.file == case.wiring:
        return found.formed
    scale = scale_place(case.program, found.drawn, case.wiring)
    formed = [] if only_hands_on(case.program, scale) else [scale]
    return next(p for p in (*formed, found.added, found.drawn) if p.file != case.wiring)


def _entry(case: Case, place: Place, path: str) -> Place:
    """Return the line of an entry of what is returned at a place, in the code under audit."""
    found = entry_place(case.program, place, path)
    return place if found.file == case.wiring != place.file else found


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
    values = [v for side in (case.pair.left, case.pair.right) for v in numbers_of(side)]
    return any(not np.isfinite(v) or not low <= v <= high for v in values)


def _unbounded(case: Case) -> _Cause | None:
    """Look for a value outside of the range that reached the noise."""
    if not _outside(case) or case.telling.kind not in ("threshold", "orthant", "shape", "value"):
        return None
    found = hidden_by(case.program, [drawn.place for drawn in _draws(case)])
    place = _argument_of_noise(case)
    place = found.limited if found is not None and place == found.formed else place
    return _Cause("DPA104", place, "a value without bound reaches the noise", ("DPA105",))


def _seeded(case: Case) -> _Cause | None:
    for node in ir.walk(case.program.entry):
        if isinstance(node, ir.Generator) and node.origin == "seeded":
            if isinstance(getattr(node.seed, "value", None), str):
                continue  # what a call of `seed` has seeded: a run would end there
            return _Cause("DPA110", node.place, "the noise comes from a seed that is known")
    return None


def _catastrophe(case: Case) -> _Cause | None:
    telling = case.telling
    if telling.kind not in ("value", "shape") or len(case.left) == len(case.right) == 1:
        return None
    if telling.q > 0 or not telling.p < 1:
        return None
    sides = (case.right, case.left) if telling.swapped else (case.left, case.right)
    side, other = sides
    flat = [d for r in side if not any(row.terms for row in r.rows)
            for d in r.outcome.draws if _has_no_width(d)]  # fmt: skip
    if flat and telling.kind == "value":
        says = "the noise has no width, and hides nothing"
        place = asking_place(case.program, flat[0])
        return _Cause("DPA106", place, says, ("DPA101", "DPA102"))
    decided = _decided(side, other)
    private = [place for place in decided if tests_data(case.program, place)]
    tested = next(iter((*private, *decided)), None)
    listed = None if tested else candidates_place(case.program)
    if not listed and chosen_by_noise(*sides) and shows_answers(case.neighbors, case.pair, side):
        says = "noise chooses which exact answer is released"
        return _Cause("DPA101", _output(case), says, ("DPA102", "DPA109"))
    if listed or chosen_by_noise(*sides):
        says = "a noisy choice has candidates that a neighbor does not have"
        where = listed or candidates_place(case.program) or _output(case)
        return _Cause("DPA109", where, says, ("DPA102", "DPA101"))
    bare = [r.outcome.place for r in side if not any(row.terms for row in r.rows)]
    raw = [at for at in bare if returns_records(case.program, at)]
    place = next(iter((*raw, *bare)), _output(case))
    if telling.row is not None and side[0].paths:
        place = _entry(case, place, side[0].paths[telling.row])
    says = f"with probability {float(telling.p.mid()):.6g} an output is impossible for a neighbor"
    cut = {v for r in side for v in r.outcome.oracle.intervals if not isinstance(v.law, Uniform)}
    if telling.kind == "shape" and all(map(_has_keys, side)) and not _keys_written(case, *sides):
        also = ("DPA102", "DPA106") if cut else ("DPA102",)
        where = keys_place(case.program, place)
        return _Cause("DPA109", where, f"the keys of the output come from the data: {says}", also)
    if raw:
        found = f"private data leave without noise: {says}"
        return _Cause("DPA102", place, found, ("DPA101", "DPA108"))
    if not private and cut & {v for r in side for row in r.rows for v in row.terms}:
        where = cut_place(case.program, next(iter(cut)).place)
        return _Cause("DPA106", where, f"noise is cut off: {says}", ("DPA102",))
    if not set(_paths(side)) <= set(_paths(other)):
        only = next(path for path in _paths(side) if path not in _paths(other))
        parting = _parting_from(only, _paths(other))
        if parting is None or parting not in private:
            parting = tested or (only[-1][0] if only else place)
        where = parting
        ended = _ended(side, other)
        if ended:
            located = next((v.place for v in ended if isinstance(v.law, Uniform)), where)
            found = f"the noise ends somewhere: {says}"
            return _Cause("DPA106", located, found, ("DPA108", "DPA102"))
        if tests_coin(case.program, where, _COINS):
            found = f"private data are compared with a coin: {says}"
            where = chance_place(case.program, case.wiring, private=True) or where
            return _Cause("DPA102", where, found, ("DPA106", "DPA108"))
        also = ("DPA102", "DPA106") if cut else ("DPA102",)
        return _Cause("DPA108", where, f"private data decide which way is taken: {says}", also)
    if cut:
        paths = [path for path in _paths(side) if path]
        leaving = {v for r in (*side, *other) for row in r.rows for v in row.terms}
        if not cut & leaving and paths and not _ended(side, other):
            found = f"private values are compared with one noise: {says}"
            return _Cause("DPA108", paths[-1][-1][0], found, ("DPA106", "DPA102"))
        where = cut_place(case.program, next(iter(cut)).place)
        where = paths[-1][-1][0] if paths and not cut & leaving else where
        return _Cause("DPA106", where, f"noise is cut off: {says}", ("DPA102",))
    says = f"{says}: delta(epsilon) is at least that"
    return _Cause("DPA102", place, says, ("DPA101",))


def _has_keys(release: Release) -> bool:
    return isinstance(release.shape, tuple) and release.shape[:1] == ("dict",)


def _keys_written(case: Case, side: Sequence[Release], other: Sequence[Release]) -> bool:
    """Whether each key that only outputs of one dataset have is a text of the source."""
    theirs, keys = ({k for r in each for k in _keys_in(r.shape)} for each in (other, side))
    texts = {n.value for n in ir.walk(case.program.entry) if isinstance(n, ir.Constant)
             and isinstance(n.value, str)}  # fmt: skip
    return bool(keys - theirs) and keys - theirs <= set(map(repr, texts))


def _keys_in(shape: Any) -> Iterator[str]:
    match shape:
        case ("dict", items):
            yield from (key for key, _ in items)


def _paths(side: Sequence[Release]) -> list[tuple[tuple[Place, bool], ...]]:
    return [release.outcome.path for release in side]


def _ended(side: Sequence[Release], other: Sequence[Release]) -> list[Variable]:
    """Return the noise that decides each test which comes out otherwise, where no data does.

    It is drawn from an interval that the data set, or compared with the same numbers on both sides.
    """
    tests = [_outcomes(each) for each in (side, other)]
    if any(len(ways) == 1 == len(tests[1].get(at, ())) and ways != tests[1][at]
           for at, ways in tests[0].items()):  # fmt: skip
        return []  # data alone decide it
    compared = [[(v, held) for r in each for v, held in r.outcome.oracle.intervals.items()]
                for each in (side, other)]  # fmt: skip
    known = {(v.place, v.law) for v, _ in compared[1]}
    drawn = {d.place for r in other for d in r.outcome.draws}  # there as well, from other ends
    located = [v for v, _ in compared[0] if isinstance(v.law, Uniform) and v.place in drawn
               and (v.place, v.law) not in known]  # fmt: skip
    ends = [{(v.place, held.low, held.high) for v, held in each} for each in compared]
    if located or ends[0] != ends[1]:
        return located
    return [v for v, _ in compared[0] if not isinstance(v.law, Uniform)]


def _parting_from(
    path: Sequence[tuple[Place, bool]], others: Sequence[Sequence[tuple[Place, bool]]]
) -> Place | None:
    """Return the test of a path that comes out as on none of the others which go as far as it."""
    for number, (place, _) in enumerate(path):
        if not any(tuple(path[: number + 1]) == tuple(each[: number + 1]) for each in others):
            return place
    return None


def _decided(side: Sequence[Release], other: Sequence[Release]) -> list[Place]:
    """Return the tests that come out in other ways than on the other dataset."""
    theirs = _outcomes(other)
    return [at for at, ways in _outcomes(side).items() if ways != theirs.get(at, ways)]


def _outcomes(side: Sequence[Release]) -> dict[Place, set[bool]]:
    found: dict[Place, set[bool]] = {}
    for path in _paths(side):
        for place, way in path:
            found.setdefault(place, set()).add(way)
    return found


def _branch(case: Case) -> _Cause | None:
    ours, theirs = _paths(case.left), _paths(case.right)
    if len(ours) == len(theirs) and ours == theirs:
        return None
    if len(ours) != 1 or len(theirs) != 1 or _moves_only(case):
        return None
    also = ("DPA101",) if case.telling.kind in ("value", "support") else ()
    where = _parting(ours[0], theirs[0])
    if where is not None and tests_coin(case.program, where, _COINS):
        where = chance_place(case.program, case.wiring, private=True) or where
        says = "a coin whose chance private data set never falls one way on one dataset"
        return _Cause("DPA106", where, says, (*also, "DPA102", "DPA108"))
    if where is not None:
        says = "a test on private data decides what is done"
        return _Cause("DPA108", where, says, (*also, "DPA109"))
    if case.telling.kind == "shape" and all(map(_has_keys, (*case.left, *case.right))):
        says = "the keys of the output come from the data"
        return _Cause("DPA109", _keys(case), says, ("DPA108",))
    says = "a loop runs as often as the data say"
    return _Cause("DPA108", _output(case), says, (*also, "DPA109"))


def _decided_first(case: Case) -> _Cause | None:
    """Look for a test on private data before which noise decides nothing on either dataset."""
    beginnings = (_beginning(_paths(side)) for side in (case.left, case.right))
    for one, other in zip(*beginnings, strict=False):
        if one != other:
            where = one[0]
            private = where == other[0] and tests_data(case.program, where)
            private = private and not tests_coin(case.program, where, _COINS)
            says = "a test on private data decides what is done"
            return _Cause("DPA108", where, says, ("DPA101", "DPA109")) if private else None
    return None


def _beginning(paths: Sequence[tuple[tuple[Place, bool], ...]]) -> list[tuple[Place, bool]]:
    """Return the tests that all paths begin with."""
    alike = []
    for steps in zip(*paths, strict=False):
        if len(set(steps)) > 1:
            break
        alike.append(steps[0])
    return alike


def _parting(ours: Sequence[tuple[Place, bool]], theirs: Sequence[tuple[Place, bool]]) -> Any:
    """Return the place of the first test that comes out otherwise, None where there is none.

    A test of each record is made as often as there are records: one that both paths make as often
    is meant before it.
    """
    counts = Counter(place for place, _ in ours), Counter(place for place, _ in theirs)
    as_often = [p for p, n in counts[0].items() if counts[1][p] == n]
    for kept in (as_often, None):
        paths = [[step for step in path if kept is None or step[0] in kept]
                 for path in (ours, theirs)]  # fmt: skip
        for one, other in zip(*paths, strict=False):
            if one != other:
                return one[0]
    return None


def _same_draws(case: Case) -> bool:
    ours, theirs = ([d.place for d in side[0].outcome.draws] for side in (case.left, case.right))
    return ours == theirs


def _moves_only(case: Case) -> bool:
    """Whether the same noise is drawn on both datasets, and all that differs is what it hides."""
    found = case.joint
    return (
        found is not None
        and found.disjoint is None
        and bool(found.coordinates or found.squared_mu)
        and _same_draws(case)
    )


def _raising(case: Case) -> _Cause | None:
    """Look for a dataset on which every call raises, and none on its neighbor."""
    raised = [[r for r in side if r.outcome.raised] for side in (case.left, case.right)]
    for ours, side, theirs in zip(raised, (case.left, case.right), raised[::-1], strict=True):
        if ours and len(ours) == len(side) and not theirs:
            return _raised(case, ours[0])
    return None


def _raised(case: Case, release: Release) -> _Cause:
    outcome = release.outcome
    stated = (n for n in ir.walk(case.program.entry) if isinstance(n, ir.Raise))
    tested = outcome.path and outcome.place in [node.place for node in stated]
    where = outcome.path[-1][0] if tested else outcome.place
    kind = outcome.output
    says = f"{kind} is raised on one dataset only"
    if kind in _OWN_ERRORS:
        says = (
            f"{says}, and looks like a mistake in the code: every dataset that comes here raises it"
        )
    return _Cause("DPA108", where, says)


def _structure(case: Case) -> _Cause | None:
    if case.telling.kind != "shape":
        return None
    raised = [r for r in (*case.left, *case.right) if r.outcome.raised]
    if not raised and case.telling.q > 0:
        return None  # noise decides which outputs there are
    if raised:
        return _raised(case, raised[0])
    branch = _branch(case) or _decided_first(case) or _other_entry(case)
    if branch is not None:
        return branch
    odd = [next(_not_finite(side[0].shape), None) for side in (case.left, case.right)]
    if odd[0] != odd[1]:
        says = f"{odd[0] or odd[1]} reaches the output on one dataset and not on its neighbor"
        return _Cause("DPA104", _argument_of_noise(case), says, ("DPA108", "DPA109"))
    return _Cause("DPA109", _keys(case), "which outputs there are comes from the data", ("DPA101",))


def _other_entry(case: Case) -> _Cause | None:
    """Look for a test on private data that decides what an entry is, where the keys are alike."""
    one, other = case.left[0].shape, case.right[0].shape
    path = _differing(one, other)
    one, other = _part(one, path), _part(other, path)
    if _parts(one) != _parts(other):
        return None
    tested = [at for at in _decided(case.left, case.right) if tests_data(case.program, at)]
    says = "a test on private data decides what an entry of the output is"
    also = ("DPA101", "DPA102", "DPA109")
    if tested:
        return _Cause("DPA108", tested[0], says, also)
    if not all(shape[:2] == ("value", "bool") for shape in (one, other)):
        return None
    says = "a private value leaves without noise"
    return _Cause("DPA101", _entry(case, _output(case), path), says, ("DPA108", "DPA109"))


def _part(shape: Any, path: str) -> Any:
    """Return the shape of the part of an output at a path, which has such a part."""
    while path:
        match shape:
            case ("dict", items):
                key, shape = next((k, v) for k, v in items if path.startswith(f"[{k}]"))
                path = path[len(f"[{key}]") :]
            case (_, items):
                number, _, path = path[1:].partition("]")
                shape = items[int(number)]
    return shape


def _parts(shape: Any) -> Any:
    """Return the keys, or the number, of the parts of an output."""
    match shape:
        case ("dict", items):
            return [key for key, _ in items]
        case ("list" | "tuple" as kind, items):
            return kind, len(items)
    return None


def _not_finite(shape: Any) -> Iterator[str]:
    """Yield the numbers of an output that are NaN or infinite."""
    match shape:
        case ("value", "float", str(text)):
            yield text
        case tuple():
            for part in shape:
                yield from _not_finite(part)


def _keys(case: Case) -> Place:
    """Return where that part of the output is formed which has another structure."""
    path = _differing(case.left[0].shape, case.right[0].shape)
    return keys_place(case.program, _output(case), path)


def _differing(one: Any, other: Any) -> str:
    """Return the path of the first part of two outputs that has another type, length or keys."""
    match one, other:
        case ("dict", items), ("dict", others) if [k for k, _ in items] == [k for k, _ in others]:
            pairs = zip(items, others, strict=True)
            return next((f"[{k}]{_differing(a, b)}" for (k, a), (_, b) in pairs if a != b), "")
        case ("list" | "tuple", items), ("list" | "tuple", others) if len(items) == len(others):
            parts = enumerate(zip(items, others, strict=True))
            return next((f"[{i}]{_differing(a, b)}" for i, (a, b) in parts if a != b), "")
    return ""


def _scale(case: Case) -> _Cause | None:
    if not case.left or not case.right:
        return None
    ours, theirs = case.left[0].outcome.draws, case.right[0].outcome.draws
    for one, other in zip(ours, theirs, strict=False):
        if _same(one.scale(), other.scale()):
            continue
        # Behind a test of the data, the noise of one branch may be as wide as the data say.
        private = (d.place for d in (one, other) if has_private_scale(case.program, d.place))
        drawn = one.place if one.place == other.place else next(private, None)
        if drawn is not None:
            place = scale_place(case.program, drawn, case.wiring)
            says = "the scale of the noise depends on the data"
            paths = ("DPA108",) if _paths(case.left) != _paths(case.right) else ()
            # Where exp makes it smooth, the formula may be at fault, and not that it is used.
            smooth = ("DPA106",) if uses_exp(case.program) else ()
            return _Cause("DPA103", place, says, (*paths, *smooth))
    if not _same_draws(case):
        return None
    found = case.joint
    if found is not None and any(_rescaled(c) for c in found.coordinates):
        place = factor_place(case.program) or _argument_of_noise(case)
        return _Cause("DPA103", place, "noise is multiplied by a private value")
    if found is None and len(case.left) == len(case.right) == 1 and ours and (
        case.telling.kind == "threshold" or case.telling.kind == "value"
    ):  # fmt: skip
        row = case.left[0].rows[case.telling.row or 0], case.right[0].rows[case.telling.row or 0]
        factors = [sorted(map(abs, r.terms.values())) for r in row]
        if factors[0] != factors[1]:
            place = factor_place(case.program) or _argument_of_noise(case)
            return _Cause("DPA103", place, "noise is multiplied by a private value")
    return None


def _rescaled(coordinate: Coordinate) -> bool:
    """Whether noise is larger on one dataset; a maximum has its places in its law."""
    left, right = both = (coordinate.left, coordinate.right)
    if isinstance(left, Uniform) and isinstance(right, Uniform):
        return left.high - left.low != right.high - right.low
    return both[0] != both[1] and not any(isinstance(law, Maximum) for law in both)


def _same(a: Any, b: Any) -> bool:
    import numpy as np

    return bool(np.shape(a) == np.shape(b) and np.all(np.asarray(a) == np.asarray(b)))


def _wrapped(case: Case) -> _Cause | None:
    """Look for whole numbers that left the range of their type."""
    for release in (*case.left, *case.right):
        for seen in release.outcome.noticed:
            if seen.kind == "wrapped":
                says = f"a number leaves the range of {seen.what} and wraps around"
                return _Cause("DPA104", seen.place, says, ("DPA105",))
    return None


def _domain(case: Case) -> _Cause | None:
    """Look for bins, edges or candidates that differ between the datasets."""
    used: list[dict[Place, set[str]]] = []
    for side in (case.left, case.right):
        found: dict[Place, set[str]] = {}
        for release in side:
            for seen in release.outcome.noticed:
                if seen.kind == "domain":
                    found.setdefault(seen.place, set()).add(seen.what)
        used.append(found)
    for place, what in used[0].items():
        if used[1].get(place, what) != what:
            says = "bins, edges or candidates come from the data"
            return _Cause("DPA109", place, says, ("DPA105",))
    return None


def _raw(case: Case) -> _Cause | None:
    telling, place = case.telling, _output(case)
    if telling.kind == "value" and (
        telling.q > 0 or any(r.outcome.oracle.consumed for r in (*case.left, *case.right))
    ):
        return None
    if telling.kind == "value" and telling.row is None:
        return _Cause("DPA101", place, "private values leave without noise", ("DPA106",))
    # What stands beside other answers may say what they are about: a key, an index, a choice.
    several = len(case.left[0].rows) > 1 or _has_keys(case.left[0])
    also = ("DPA109",) if several else ()
    paths = case.left[0].paths
    if telling.row is not None and telling.row < len(paths):
        place = _entry(case, place, paths[telling.row])
    raw = _Cause("DPA101", place, "a private value leaves without noise", also)
    draws = _draws(case)
    if draws and all(map(_has_no_width, draws)):
        says = "the noise has no width, and hides nothing"
        raw = _Cause("DPA106", draws[0].place, says, ("DPA101", *also))
    if telling.kind == "value":
        return raw
    found = case.joint
    if found is None or found.disjoint is None:
        return None
    used = [i for i, c in enumerate(found.readings[0].factors) if c]
    return raw if len(used) == 1 and not case.left[0].rows[used[0]].terms else None


def _has_no_width(drawn: Drawn) -> bool:
    """Whether a draw is one and the same number always."""
    if drawn.family == "binomial":
        return drawn.arguments.get("p") in (0, 1) or drawn.arguments.get("n") == 0
    return drawn.family in _LOCATED and exact_number(drawn.scale()) == 0


def _shared(case: Case) -> _Cause | None:
    found = case.joint
    if case.telling.kind != "support" or found is None:
        return None
    if found.disjoint is None:
        place = _argument_of_noise(case)
        return _Cause("DPA106", place, _OFF_GRID)
    draws = _draws(case)
    place = draws[0].place if draws else _output(case)
    paths = case.left[0].paths
    alone = case.emits or any(only_noise(case.program, _output(case), path) for path in paths)
    also = ("DPA101",) if alone else ()  # noise leaves beside what it hides
    return _Cause("DPA110", place, "one noise is added to several private values", also)


def _excess(case: Case) -> _Cause:
    cause = _too_little(case)
    also = [*cause.also]
    draws = [drawn.place for drawn in _draws(case)] if cause.id == "DPA105" else []
    stated = filter(None, (sensitivity_place(case.program, drawn) for drawn in draws))
    cause = replace(cause, place=next(stated, cause.place))
    if _unlimited(case):
        also.append("DPA104")
    if len(case.left) == 1 and _sizes_differ(case.pair) and picks_by_position(case.program):
        also.append("DPA112")
    return replace(cause, also=tuple(dict.fromkeys(also)))


def _sizes_differ(pair: Pair) -> bool:
    try:
        return len(pair.left) != len(pair.right)
    except TypeError:  # single records
        return False


def _too_little(case: Case) -> _Cause:
    """Explain noise of the right kind that is too small, or paid for too seldom."""
    place = _argument_of_noise(case)
    draws = _draws(case)
    if any(is_winner(law) for release in case.left for law in release.laws.values()):
        says = "the largest noisy value is released, and only its index is charged to the budget"
        return _Cause("DPA107", _output(case), says, ("DPA106", "DPA105"))
    hidden = hidden_by(case.program, [drawn.place for drawn in draws])
    coins = draws and all(drawn.family in _COINS for drawn in draws)
    if coins and _is_local(case.neighbors) and not (hidden and is_public_noise(case.program)):
        says = "the coins that hide a record fall with other chances than the claim allows"
        whole = case.whole or case.program  # on one record a test of the data may be no test
        private = chance_place(whole, case.wiring, private=True)
        where = private or chance_place(case.program, case.wiring) or draws[0].place
        return _Cause("DPA106", where, says, ("DPA105", "DPA107"))
    if not _is_noisy_answer(case):
        says = "the outputs differ by more than the claim allows"
        also = ("DPA105", "DPA106", "DPA107")
        tests = tests_paid_alone(case.left, case.right, case.epsilon)
        if tests:
            says = f"{tests} tests of noisy numbers cost the claim or less each, and more together"
            where = place if hidden is None else hidden.added
            return _Cause("DPA107", where, says, ("DPA106", "DPA108", "DPA105"))
        begun = restarted(case.left, case.right, case.epsilon)
        if begun is not None:
            drawn, times = begun
            says = f"a threshold with new noise {times} times costs the claim or less each time"
            where = called_again(case.program, drawn) or drawn
            return _Cause("DPA107", where, says, ("DPA106", "DPA108", "DPA105"))
        told = paid_alone(case.left, case.right, case.epsilon)
        if told is not None:
            says = "noise chooses, and an answer leaves with other noise: each is charged alone"
            return _Cause("DPA107", told, says, ("DPA105", "DPA106"))
        chance = chance_place(case.program, case.wiring, private=True) if coins else None
        if draws and all(d.family == "gumbel" and d.place != place for d in draws):
            chance = place  # the exponents of a choice by weights
        if chance is not None:
            says = "the chances of a choice differ by more than the claim allows"
            return _Cause("DPA106", chance, says, ("DPA105", "DPA107"))
        if _samples_in_vain(case):
            says = "a sample is drawn and not used, so that nothing makes up for the small noise"
            return _Cause("DPA115", place, says, ("DPA105", "DPA106"))
        if case.telling.p == 1 and case.telling.kind == "value":
            return _Cause("DPA201", place, says, ("DPA101", *also))
        if hidden is None:
            return _Cause("DPA201", place, says, also)
        if is_public_noise(case.program):
            if _pays_for_written_number(case):
                says = "the argument of the noise moves more than the noise pays for"
                return _Cause("DPA105", place, says, ("DPA106", "DPA107"))
            says = "the noise that is computed from several draws does not hide what it is added to"
            return _Cause("DPA106", hidden.drawn, says, ("DPA105", "DPA201"))
        return _Cause("DPA105", place, says, ("DPA106", "DPA107", "DPA201"))
    if case.telling.kind == "threshold" and case.telling.q == 0 and _ends(case):
        says = "the noise ends somewhere, and one record moves the answer beyond"
        return _Cause("DPA106", draws[0].place, says, ("DPA105",))
    shifts = [] if case.joint is None else [c.shift for c in case.joint.coordinates if c.shift]
    counted = bool(draws) and all(drawn.family in _WHOLE for drawn in draws)
    if counted and any(shift.denominator > 1 for shift in shifts):
        return _Cause("DPA106", place, _OFF_GRID, ("DPA102", "DPA105"))
    moved = len(shifts) or 1
    calls = sum(len(r.outcome.draws) for r in case.left[:1])
    if sorted(shifts) == [-1, 1] and len(draws) == 1:
        says = "a record leaves one count and enters another, and the noise pays for one of them"
        return _Cause("DPA105", place, says, ("DPA107", "DPA106"))
    split = split_place(case.program) if moved > 1 and _sizes_differ(case.pair) else None
    if split is not None:
        says = "one record moves others between parts, and changes more than one"
        return _Cause("DPA112", split, says, ("DPA105", "DPA107"))
    if calls > 1 and moved > 1 and len(draws) >= 1:
        says = "each part pays its share, together they cost more than the claim"
        beyond = overspending(case.left[0], case.joint, case.epsilon)
        passed = {test for test, _ in case.left[0].outcome.path}
        late = late_check(case.whole or case.program, passed)
        place = late or (place if beyond is None else asking_place(case.program, beyond))
        return _Cause("DPA107", place, says, ("DPA105", "DPA106"))
    says = "the argument of the noise moves more than the noise pays for"
    if moved > 1:
        return _Cause("DPA105", place, says, ("DPA107", "DPA106"))
    if hidden is not None and hidden.counted and list(map(abs, shifts)) == [1]:
        # Nobody takes the sensitivity of a count for less than one.
        says = "the noise is too small for a count, which one record changes by one"
        return _Cause("DPA106", hidden.drawn, says, ("DPA105", "DPA115"))
    if _is_local(case.neighbors) or type(case.neighbors).__name__ == "QueryAnswers":
        miss = "the noise is too small, or of the wrong kind, for what it is added to"
        return _Cause("DPA106", place, miss, ("DPA105",))
    # A claim that counts on a sample looks like one that counts on a smaller sensitivity.
    return _Cause("DPA105", place, says, ("DPA106", "DPA115"))


def _samples_in_vain(case: Case) -> bool:
    """Whether the code draws a sample, and its outputs are the same whatever the sample is."""
    sides = (case.left, case.pair.left), (case.right, case.pair.right)
    sized = [(side, len(data)) for side, data in sides if hasattr(data, "__len__") and len(data)]
    return bool(sized) and all(leaves_sample_unused(side, size) for side, size in sized)


def _pays_for_written_number(case: Case) -> bool:
    """Whether the noise would keep the claim if its argument moved by a number of the source.

    The sampler is right then, and the number is what the argument was thought to move by.
    """
    telling, row = case.telling, case.telling.row
    if case.epsilon is None or telling.kind != "threshold" or not telling.q > 0:
        return False
    loss = abs(float((telling.p / telling.q).log().mid()))
    scale = effective_scale(case.left, case.right, row or 0, loss)
    numbers = (n.value for n in ir.walk(case.program.entry) if isinstance(n, ir.Constant))
    written = {1.0} | {abs(float(n)) for n in numbers if type(n) in (int, float)}
    return scale is not None and any(
        math.isclose(scale * case.epsilon, n, rel_tol=1e-6) for n in written
    )


def _ends(case: Case) -> bool:
    """Whether there is noise that is nowhere below, or nowhere above, some number."""
    laws = [law for release in (*case.left, *case.right) for law in release.laws.values()]
    return any(isinstance(law, Exponential | Geometric | Uniform) for law in laws)


def _is_local(neighbors: Neighbors) -> bool:
    """Whether each dataset is one record, which any other one may replace."""
    name = type(neighbors).__name__
    return name == "AnyPair" or (name == "ReplaceOne" and getattr(neighbors, "size", 0) == 1)


def _is_noisy_answer(case: Case) -> bool:
    """Whether the output is one answer, or several, with noise added: no choice, no test."""
    return case.joint is not None or (len(case.left) == len(case.right) == 1)
