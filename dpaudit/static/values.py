"""What is known of a value without running anything: what it tells of the data, and its noise."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from dpaudit.static.forms import Form

if TYPE_CHECKING:
    from dpaudit.static.modules import Function
    from dpaudit.static.objects import Instance

NOTHING: frozenset[str] = frozenset()
RECORDS = frozenset({"records"})
SIZE = frozenset({"size"})

# Marks that survive whatever is done to a value; the others end with the first operation.
STICKY = frozenset(
    {
        "shared",
        "picked",
        "rescaled",
        "sampled",
        "keyed",
        "weighed",
        "exp",
        "few",
        "kept",
        "domain",
        "answer",
        "norm",
        "late-norm",
    }
)
# Of a mask that leaves out records beyond a public bound, and those that are NaN.
KEEPS = frozenset({"keeps-low", "keeps-high"})
_OF_COVERED = frozenset({"shared", "exp", "few", "kept"})


@dataclass(frozen=True, slots=True)
class Maker:
    """A generator of random numbers.

    Attributes
    ----------
    kind : {"parameter", "secure", "global", "fresh", "seeded", "module-fresh", "module-seeded"}
        Handed in; of the system; the state that a module shares; seeded by the system; by `seed`;
        the same, once for all calls.
    loops : tuple of int
        Loops around the place where it was made.
    made : tuple of (str, int) or None
        The file and the line that seed it once for all calls.
    seeder : str
        The function that seeds it, for the state that a module shares.
    """

    kind: str
    loops: tuple[int, ...] = ()
    made: tuple[str, int] | None = None
    seeder: str = ""


class Value(NamedTuple):
    """What is known of a value.

    Attributes
    ----------
    tells : frozenset of {"records", "size"}
        What of the data it tells and no noise covers.
    shape : frozenset of {"records", "size"}
        What its length, its order or its keys tell.
    hidden : bool
        Whether it tells of the data through noise.
    draws : frozenset of int
        Draws that are in it, by their number.
    loops : frozenset of int
        Loops with whose rounds it varies.
    params : frozenset of str
        Parameters of the mechanism that it is made of.
    marks : frozenset of str
        ``"vector"``, ``"scalar"``; ``"own"``: the records themselves, ``"low"``, ``"high"`` and
        ``"nan"``: with a bound, and an end to NaN; ``"aggregate"``; ``"mask"``; ``"index"``;
        and what rules ask for.
    number : float or None
        Its value where parameters have their defaults.
    form : Form or None
        A public number in terms of parameters.
    branch : int
        The line of the branch on the data through which it tells; 0 where none.
    items : tuple of Value, optional
        Of a tuple that is written out.
    fields : tuple of (str, Value)
        Of a dictionary or a table: the entries and columns that are known by name.
    maker : Maker or None
        Of a generator.
    function : Function or None
        What a call runs.
    text : str
        Of a string constant; or the name of what was imported.
    instance : Instance or None
        An object of a class whose source is at hand.
    """

    tells: frozenset[str] = NOTHING
    shape: frozenset[str] = NOTHING
    hidden: bool = False
    draws: frozenset[int] = frozenset()
    loops: frozenset[int] = frozenset()
    params: frozenset[str] = NOTHING
    marks: frozenset[str] = NOTHING
    number: float | None = None
    form: Form | None = None
    branch: int = 0
    items: tuple[Value, ...] | None = None
    fields: tuple[tuple[str, Value], ...] = ()
    maker: Maker | None = None
    function: Function | None = None
    text: str = ""
    instance: Instance | None = None

    @property
    def noise(self) -> bool:
        """Whether it is noise alone."""
        return bool(self.draws) and not self.tells and not self.hidden

    @property
    def covered(self) -> bool:
        """Whether chance decides on it: noise, or the data through noise."""
        return (bool(self.draws) or self.hidden) and not self.tells

    @property
    def public(self) -> bool:
        """Whether neither data nor chance is in it."""
        return not (self.tells or self.hidden or self.draws)

    def has(self, *marks: str) -> bool:
        """Return whether all of these marks are there."""
        return self.marks.issuperset(marks)

    def marked(self, *marks: str) -> Value:
        """Return the value with more marks."""
        return changed(self, marks=self.marks | frozenset(marks))

    def plain(self) -> Value:
        """Return what survives an operation that is not known: no number, sticky marks alone."""
        return changed(
            self,
            marks=self.marks & STICKY,
            number=None,
            form=None,
            items=None,
            fields=(),
            maker=None,
            function=None,
            text="",
            instance=None,
        )


PUBLIC = Value()


def changed(value: Value, **fields: Any) -> Value:
    """Return a value with other fields; a named tuple since a run makes hundreds of thousands."""
    return value._replace(**fields)


def joined(*values: Value) -> Value:
    """Return what is known of a value that is one of these, or holds them all."""
    if len(values) == 1:
        return values[0]
    if not values:
        return PUBLIC
    first = values[0]
    if all(value == first for value in values):
        return first
    marks = frozenset.intersection(*(v.marks for v in values))
    sticky = frozenset.union(*(v.marks for v in values)) & STICKY
    items = None
    lengths = {None if v.items is None else len(v.items) for v in values}
    if len(lengths) == 1 and None not in lengths:
        written = [v.items or () for v in values]
        items = tuple(joined(*entries) for entries in zip(*written, strict=True))
    by_name = [dict(v.fields) for v in values]
    both = [name for name in by_name[0] if all(name in each for each in by_name)]
    fields = tuple((name, joined(*(each[name] for each in by_name))) for name in both)
    return Value(
        *_united(values),
        marks=marks | sticky,
        number=first.number if all(v.number == first.number for v in values) else None,
        form=first.form if all(v.form == first.form for v in values) else None,
        branch=next((v.branch for v in values if v.branch), 0),
        items=items,
        fields=fields,
        maker=next((v.maker for v in values if v.maker is not None), None),
        function=next((v.function for v in values if v.function is not None), None),
        instance=first.instance if all(v.instance is first.instance for v in values) else None,
    )


def switched_on(values: list[Value], claimed: bool) -> list[Value]:
    """Return which of values that a setting chooses from tell nothing, if any has noise.

    Where a claim is made for the settings, what they choose in place of the data needs none.
    """
    safe = any(v.covered or (claimed and not v.tells) for v in values)
    return [v for v in values if not (safe and v.tells)]


def mixed(values: Iterable[Value]) -> Value:
    """Return what is known of the result of an operation that nothing is known of.

    Where chance meets the data in it, the data are taken for covered: a rule that doubts it has
    to know better.
    """
    known = tuple(values)
    if not known:
        return PUBLIC
    tells, _, hidden, draws, loops, params = _united(known)
    if tells and any(v.covered for v in known):
        tells, hidden = NOTHING, True
    marks = frozenset.union(*(v.marks for v in known)) & (STICKY if tells else _OF_COVERED)
    branch = next((v.branch for v in known if v.branch and v.tells), 0) if tells else 0
    return Value(tells, NOTHING, hidden, draws, loops, params, marks, branch=branch)


def elementwise(values: Iterable[Value]) -> Value:
    """Return the same for an operation entry by entry: as long as what it is done to."""
    known = tuple(values)
    shape = frozenset[str]().union(*(v.shape for v in known))
    vector = {"vector"} if any(v.has("vector") for v in known) else set()
    return changed(mixed(known), shape=shape).marked(*vector)


def _united(
    values: tuple[Value, ...],
) -> tuple[frozenset[str], frozenset[str], bool, frozenset[int], frozenset[int], frozenset[str]]:
    return (
        frozenset().union(*(v.tells for v in values)),
        frozenset().union(*(v.shape for v in values)),
        any(v.hidden for v in values),
        frozenset().union(*(v.draws for v in values)),
        frozenset().union(*(v.loops for v in values)),
        frozenset().union(*(v.params for v in values)),
    )
