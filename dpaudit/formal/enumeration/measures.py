"""The exact distribution of a mechanism's output on one dataset."""

from __future__ import annotations

import itertools
import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from dpaudit.formal.enumeration.interpreter import Raised, Run
from dpaudit.formal.enumeration.noise import Atom, Line, Lottery, NotFiniteError, combine, listed
from dpaudit.formal.enumeration.numbers import Exact, Opaque, identity
from dpaudit.formal.enumeration.paths import ConstantError, Path, check_time, every_path
from dpaudit.formal.enumeration.published import is_publishable, published
from dpaudit.formal.enumeration.rounding_noise import Laplacian
from dpaudit.formal.enumeration.tailed import Tailed
from dpaudit.formal.enumeration.varying import Varying
from dpaudit.formal.program import Program
from dpaudit.formal.unsupported import Unsupported

_EXPANDED = 1 << 14
_COMPARED = 64
_GIVEN = 1024
Key = Hashable


@dataclass(slots=True, eq=False)
class Measure:
    """Probabilities of outputs, and of families of outputs that an integer runs through.

    Attributes
    ----------
    points : dict of Key to number
    families : dict of Key to Tailed
        Outputs that hold one integer without bound; its place in the key is `HOLE`.
    """

    points: dict[Key, Any] = field(default_factory=dict)
    families: dict[Key, Tailed] = field(default_factory=dict)

    def add(self, key: Key, mass: Any) -> None:
        """Add to the probability of an output."""
        self.points[key] = self.points.get(key, Fraction(0)) + mass

    def add_family(self, key: Key, law: Tailed) -> None:
        """Add a family of outputs."""
        if key in self.families:
            raise NotFiniteError("integers without bound on several paths")
        self.families[key] = law


HOLE = "·"


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """Outputs of one shape, made of independent parts.

    Attributes
    ----------
    weight : number
        Their probability.
    shape : Key
        The output with the number of its part in place of each value that is random.
    parts : tuple of Measure
    """

    weight: Any
    shape: Key
    parts: tuple[Measure, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Distribution:
    """The distribution of an output: parts that no output belongs to two of.

    Attributes
    ----------
    branches : tuple of Part
        Either one of shape `JOINT`, whose measure is of whole outputs, or several of shapes that
        exclude each other.
    ran : tuple of str
        Functions of the program that were run for real.
    published : bool
        Whether it is that given the values of some draws.
    """

    branches: tuple[Part, ...]
    ran: tuple[str, ...] = ()
    published: bool = False


Given = tuple[dict[str, int], Distribution]


JOINT = "joint"


def distribution(program: Program, data: Any) -> Distribution:
    """Return the distribution of a program's output on a dataset.

    Raises
    ------
    Unsupported
        Where the program is not one that is gone through path by path.
    OutOfTimeError
        Where the deadline passes.
    """
    [(_, law)] = distributions(program, data, publish=False)
    return law


def distributions(program: Program, data: Any, *, publish: bool = True) -> list[Given]:
    """Return the distributions of a program's output on a dataset, given what is published.

    Parameters
    ----------
    program : Program
    data : Any
    publish : bool, optional
        Whether draws may be published; without them there is one distribution.

    Returns
    -------
    list of (dict of str to int, Distribution)
        One for each way that constants can be which published draws decide.

    Raises
    ------
    Unsupported
        Where the program is not one that is gone through path by path.
    OutOfTimeError
        Where the deadline passes.
    """
    waiting: list[dict[str, int]] = [{}]
    found: list[Given] = []
    while waiting:
        constants = waiting.pop()
        try:
            law = _given(program, data, constants)
        except ConstantError as asked:
            waiting += [{**constants, asked.name: value} for value in range(asked.count)]
            if len(waiting) + len(found) > _GIVEN:
                raise Unsupported("too many public constants", program.entry.place) from None
            continue
        found.append((constants, law))
        if law.published and not publish:
            raise Unsupported("a draw from very many integers", program.entry.place)
    return found


def _given(program: Program, data: Any, constants: dict[str, int]) -> Distribution:
    """Return the distribution, given constants that published draws decide."""
    ran: dict[str, None] = {}
    given = False
    try:
        found = []
        for path, output in every_path(lambda: Run(program, ran).output(data), constants):
            found.append(Part(path.weight, *_parts(path, output)))
            given = given or bool(path.published)
        if not _exclusive(found):
            found = [_joint(found)]
        return Distribution(tuple(found), tuple(ran), given)
    except NotFiniteError as error:
        raise Unsupported(str(error), program.entry.place) from None


def expanded(law: Distribution) -> Measure:
    """Return a distribution as one measure of whole outputs."""
    if len(law.branches) == 1 and law.branches[0].shape == JOINT:
        return law.branches[0].parts[0]
    return _joint(law.branches).parts[0]


def without_kinds(law: Distribution) -> Distribution:
    """Return a distribution of outputs as numbers: 1, 1.0 and True are one output."""
    found = [
        Part(part.weight, _bare(part.shape), tuple(map(_measure_bare, part.parts)))
        for part in law.branches
    ]
    if not _exclusive(found):
        found = [_joint(found)]
    return Distribution(tuple(found), law.ran, law.published)


def _measure_bare(measure: Measure) -> Measure:
    total = Measure()
    for key, mass in measure.points.items():
        total.add(_bare(key), mass)
    for key, family in measure.families.items():
        total.add_family(_bare(key), family)
    return total


def _bare(key: Any) -> Key:
    if isinstance(key, tuple) and len(key) == 2 and key[0] in ("bool", "int", "real"):
        return ("number", int(key[1]) if isinstance(key[1], bool) else key[1])
    return tuple(map(_bare, key)) if isinstance(key, tuple) else key


def law_text(law: Distribution) -> str:
    """Return a distribution as text: equal texts are equal distributions."""
    return repr(
        [
            (identity(part.weight), part.shape, [_measure_text(m) for m in part.parts])
            for part in law.branches
        ]
    )


def _measure_text(measure: Measure) -> str:
    points = sorted((repr(key), identity(mass)) for key, mass in measure.points.items())
    families = [
        (
            repr(key),
            law.start,
            *map(identity, (*law.middle, *(law.low or ()), "|", *(law.high or ()))),
        )
        for key, law in measure.families.items()
    ]
    return repr((points, sorted(families)))


def _exclusive(parts: Sequence[Part]) -> bool:
    """Return whether every two shapes differ in a value that is not random."""
    if len(parts) > _COMPARED:
        return False
    return all(apart(a.shape, b.shape) for i, a in enumerate(parts) for b in parts[:i])


def apart(one: Any, other: Any) -> bool:
    """Return whether outputs of two shapes are never equal."""
    holes = [isinstance(s, tuple) and len(s) == 3 and s[0] == HOLE for s in (one, other)]
    if any(holes):
        return False
    if isinstance(one, tuple) and isinstance(other, tuple) and one[:1] == other[:1]:
        if len(one) != len(other):
            return True
        return any(apart(a, b) for a, b in zip(one, other, strict=True))
    return bool(one != other)


def _joint(found: Sequence[Part]) -> Part:
    """Return the mixture of independent parts over all paths."""
    total = Measure()
    for branch in found:
        weight, shape, parts = branch.weight, branch.shape, branch.parts
        size = math.prod(len(part.points) + len(part.families) for part in parts)
        if size > _EXPANDED:
            raise NotFiniteError(f"{size} outputs on one path")
        check_time()
        choices = [[*part.points.items(), *part.families.items()] for part in parts]
        for chosen in itertools.product(*choices):
            key = (shape, tuple(key for key, _ in chosen))
            mass, laws = weight, []
            for _, share in chosen:
                if isinstance(share, Tailed):
                    laws.append(share)
                else:
                    mass = mass * share
            if len(laws) > 1:
                raise NotFiniteError("several integers without bound in one output")
            if laws:
                total.add_family(key, laws[0].times(mass))
            else:
                total.add(plugged(shape, [k for k, _ in chosen]), mass)
    return Part(Fraction(1), JOINT, (total,))


def plugged(shape: Any, keys: list[Any]) -> Key:
    """Return the key of an output, its parts put in place."""
    if isinstance(shape, tuple) and len(shape) == 3 and shape[0] == HOLE:
        return keys[shape[1]][shape[2]]  # type: ignore[no-any-return]
    if isinstance(shape, tuple):
        return tuple(plugged(item, keys) for item in shape)
    return shape  # type: ignore[no-any-return]


def _parts(path: Path, output: Any) -> tuple[Key, tuple[Measure, ...]]:
    """Return the shape of an output on one path, and its independent parts."""
    leaves: list[Any] = []
    shape = _shape(path, output, leaves)
    groups = _groups(leaves)
    place: dict[int, tuple[int, int]] = {}
    for number, group in enumerate(groups):
        for at, leaf in enumerate(group):
            place[leaf] = (number, at)
    parts = tuple(_measure(path, [leaves[i] for i in group]) for group in groups)
    return _numbered(shape, place), parts


def _shape(path: Path, value: Any, leaves: list[Any]) -> Key:
    """Return an output as a key; what is random in it goes into `leaves`."""
    value = path.settled(value)
    if is_publishable(value):
        return ("public", published(path, value).text)
    if isinstance(value, Line | Lottery):
        leaves.append(value)
        return (HOLE, len(leaves) - 1)
    if isinstance(value, list | tuple):
        return (type(value).__name__, *(_shape(path, item, leaves) for item in value))
    if isinstance(value, np.ndarray):
        items = tuple(_shape(path, item, leaves) for item in value.reshape(-1).tolist())
        return ("array", value.shape, *items)
    if isinstance(value, dict):
        pairs = ((_shape(path, k, leaves), _shape(path, v, leaves)) for k, v in value.items())
        return ("dict", *pairs)  # in their order, which an output shows
    return key_of(value)


def key_of(value: Any) -> Key:
    """Return a value that is not random as a key; equal numbers of one kind have equal keys."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool):
        return ("bool", value)
    if isinstance(value, int):
        return ("int", value)
    if isinstance(value, Fraction):
        return ("real", value)
    if isinstance(value, float):
        return ("real", str(value))
    if isinstance(value, Varying):
        raise NotFiniteError("an output that depends on the record without noise")
    if isinstance(value, Laplacian):
        raise NotFiniteError("a continuous output")
    if isinstance(value, Opaque):
        raise NotFiniteError("an output that is known by balls alone")
    if isinstance(value, Exact):
        return ("real", value)
    if value is None or isinstance(value, str | bytes):
        return (type(value).__name__, value)
    if isinstance(value, Raised):
        return ("raised", value.kind)
    if isinstance(value, frozenset):
        return ("set", frozenset(map(key_of, value)))
    raise NotFiniteError(f"an output of type {type(value).__name__}")


def _groups(leaves: list[Any]) -> list[list[int]]:
    """Group leaves that share an atom."""
    groups: list[tuple[set[Atom], list[int]]] = []
    for i, leaf in enumerate(leaves):
        atoms = {leaf.atom} if isinstance(leaf, Line) else set(leaf.cuts)
        members = [i]
        rest = []
        for known, inside in groups:
            if known & atoms:
                atoms |= known
                members += inside
            else:
                rest.append((known, inside))
        groups = [*rest, (atoms, sorted(members))]
    return [inside for _, inside in sorted(groups, key=lambda g: g[1])]


def _numbered(shape: Any, place: dict[int, tuple[int, int]]) -> Key:
    if isinstance(shape, tuple) and len(shape) == 2 and shape[0] == HOLE:
        return (HOLE, *place[shape[1]])
    if isinstance(shape, tuple):
        return tuple(_numbered(item, place) for item in shape)
    return shape  # type: ignore[no-any-return]


def _measure(path: Path, leaves: list[Any]) -> Measure:
    """Return the joint distribution of leaves that share atoms."""
    measure = Measure()
    if len(leaves) == 1 and isinstance(leaves[0], Line):
        line = leaves[0]
        if line.atom.tailed is not None:
            return _family(path, line)
    finite = [listed(leaf) if isinstance(leaf, Line) else leaf for leaf in leaves]
    joined: Any = combine(lambda *values: values, *finite)
    if not isinstance(joined, Lottery):
        measure.add(tuple(map(key_of, joined)), Fraction(1))
        return measure
    cuts = {atom: path.cells(atom, own) for atom, own in joined.cuts.items()}
    for cells in itertools.product(*cuts.values()):
        check_time()
        mass: Any = Fraction(1)
        for *_, share in cells:
            mass = mass * share
        values = joined.table[tuple(cell[0] for cell in cells)]
        measure.add(tuple(map(key_of, values)), mass)
    return measure


def _within(line: Line, low: int, high: int) -> Measure:
    """Return an integer that is known to lie in a range."""
    measure, whole = Measure(), line.atom.measure(low, high)
    for z in range(low, high):
        mass = line.atom.measure(z, z + 1) / whole
        measure.add((key_of(line.scale * z + line.shift),), mass)
    return measure


def _family(path: Path, line: Line) -> Measure:
    """Return an integer without bound as a family."""
    law = line.atom.tailed
    assert law is not None
    low, high = path.range_of(line.atom)
    if high - low < _EXPANDED:
        return _within(line, low, high)
    if (low, high) != line.atom.whole():
        raise NotFiniteError("an integer without bound that was compared before")
    if line.scale not in (1, -1) or line.shift != int(line.shift):
        raise NotFiniteError("an integer without bound that was scaled")
    measure = Measure()
    kind = "int" if isinstance(line.scale, int) and isinstance(line.shift, int) else "real"
    measure.add_family(((kind, HOLE),), law.affine(int(line.scale), int(line.shift)))
    return measure
