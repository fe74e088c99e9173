"""Hooks of the cost walk: what is done with noise and with released answers along a path."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from dpaudit.formal import (
    apart,
    masking,
    opening,
    responses,
    revealing,
    samples,
    selection,
    symmetric,
)
from dpaudit.formal import program as ir
from dpaudit.formal.calls import Application, apply
from dpaudit.formal.constants import public_array, unknown_public
from dpaudit.formal.dependence import is_public
from dpaudit.formal.domain import (
    Array,
    Foreign,
    Known,
    ListValue,
    Number,
    Rows,
    Tuple,
    Value,
)
from dpaudit.formal.drawn import SCALED, centred_shape, law_of, shape_of
from dpaudit.formal.findings import Unpaid
from dpaudit.formal.hooks import Hooks
from dpaudit.formal.noise import (
    Coins,
    Noise,
    Noisy,
    Ranking,
    Released,
    Share,
)
from dpaudit.formal.postprocessing import index_public, known, reapplied, wrapped
from dpaudit.formal.price.notions import Price
from dpaudit.formal.program import Place
from dpaudit.formal.responses import Answers
from dpaudit.formal.sampling import until
from dpaudit.formal.sampling.laws import Law
from dpaudit.formal.unsupported import Unsupported
from dpaudit.formal.walk import Flow, Walk

_ADD, _SUB, _NEG = "operator.add", "operator.sub", "operator.neg"
_LARGEST = frozenset({"numpy.argmax", "method.argmax"})
_SMALLEST = frozenset({"numpy.argmin", "method.argmin"})
SELECTIONS = _LARGEST | _SMALLEST
_RANKED = frozenset({"numpy.argsort", "method.argsort"})
MUTATING = frozenset(
    {
        "append", "extend", "insert", "pop", "popleft", "remove", "clear", "update", "setdefault",
        "sort", "reverse", "add", "discard", "fill", "put", "resize", "appendleft",
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Release:
    """One release on a path: what it costs, and whose records it is about.

    Attributes
    ----------
    price : Price
    rule : str
    place, noise : Place
        Where the value is formed that is released; the noise call.
    source : Rows or None
        The records that it is a function of, where that is known.
    sample : Coins or None
        The sample that these records are, or are taken from.
    vector : tuple of int
        The draw whose entry hides it, where others of that draw hide other values.
    """

    price: Price
    rule: str
    place: Place
    noise: Place
    source: Rows | None
    sample: Coins | None = None
    vector: tuple[int, ...] = ()


@dataclass(slots=True, eq=False)
class Ledger(Hooks):
    """Notes what is released along one path; refuses what has no price.

    Attributes
    ----------
    releases : list of Release
    used : dict of int to str
        What became of every draw: "masking" a private value, "seen", or "taken apart".
    apart : dict of tuple of int to list of tuple of int
        The draws of the entries of vectors of noise that were taken apart.
    samples : dict of int to (Coins, Rows)
        Samples by the id of their rows.
    shown : dict of int to (Noisy, Value)
        Noisy values that were paid for, by identity, and what was released.
    laws : dict of int to Law
        Of draws that a sampling loop returned.
    answered : dict of int to (Answers, Value)
        Responses that were paid for, by identity, and what was released.
    tossed : dict
        By the symbol of a test: the coin that it is (`revealing.toss`).
    selects : bool
        Whether the index of the largest in a list of noisy values is paid for, not all of them.
    """

    with_floats: ClassVar[bool] = True

    releases: list[Release] = field(default_factory=list)
    used: dict[int, str] = field(default_factory=dict)
    samples: dict[int, Coins] = field(default_factory=dict)
    generators: dict[int, ir.Generator] = field(default_factory=dict)
    count: int = 0
    walk: Walk | None = None
    shown: dict[int, tuple[Noisy, Value]] = field(default_factory=dict)
    sampled_rows: list[Rows] = field(default_factory=list)
    apart: dict[tuple[int, ...], list[tuple[int, ...]]] = field(default_factory=dict)
    laws: dict[int, Law] = field(default_factory=dict)
    answered: dict[int, tuple[Answers, Value]] = field(default_factory=dict)
    tossed: dict[Any, tuple[int, bool, Any]] = field(default_factory=dict)
    selects: bool = True

    # --- draws

    def generator(self, node: ir.Generator, walk: Walk) -> Value:
        """Accept every generator that is not seeded."""
        if node.origin == "seeded":
            seed = None if node.seed is None else walk.evaluate(node.seed)
            if isinstance(seed, Known) and seed.value is None:
                raise Unsupported("a generator that is made with the seed None", node.place)
            raise Unpaid("DPA110", "noise from a seed that is known", node.place)
        return Known(node)

    def draw(self, node: ir.Draw, arguments: dict[str, Value], walk: Walk) -> Value:
        """Return noise of a public scale."""
        self.walk = walk
        if walk.private:
            what = "whether noise is drawn depends on private data"
            raise Unpaid("DPA108", what, walk.private[-1][1], node.place)
        self._generated(walk.evaluate(node.generator), node)
        permuted = arguments.get("x") if node.family == "permutation" else None
        if isinstance(permuted, Answers) and len(arguments) == 1:
            mixed = responses.shuffled(permuted)
            if mixed is not None:
                return mixed
        centre = arguments.get("loc")
        if node.family in SCALED and centre is not None and not _is_zero(known(centre)):
            return self._around(centre, node, arguments, walk)
        given = {name: known(value) for name, value in arguments.items()}
        shape, rows = shape_of(given.pop("size", None), node)
        self.count += 1
        family, scale = law_of(node, given, walk)
        return Noise((self.count,), family, scale, shape, node.place, 1, rows)

    def _around(
        self, centre: Value, node: ir.Draw, arguments: dict[str, Value], walk: Walk
    ) -> Value:
        """Return ``loc + noise``, with a draw for each entry of the location."""
        rest = {name: value for name, value in arguments.items() if name != "loc"}
        size = known(rest["size"]) if "size" in rest else None
        noise = self.draw(node, rest, walk)
        assert isinstance(noise, Noise)
        if size is None or (isinstance(size, Known) and size.value is None):
            noise = replace(noise, shape=centred_shape(centre, node.place))
        return apply(walk, _ADD, [centre, noise], {}, node.place)

    def sampled(self, node: ir.While, walk: Walk) -> Flow | None:
        """Return the noise of a loop that draws until a coin says so."""
        self.walk = walk
        return until.returned(self, node, walk)

    def _generated(self, generator: Value, node: ir.Draw) -> None:
        known = isinstance(generator, Known) and isinstance(generator.value, ir.Generator)
        if not known:
            raise Unsupported("noise from a generator that is not understood", node.place)

    # --- calls

    def call(self, call: Application) -> Value | None:
        """Return the value of a call with noise or released answers in it."""
        values = [*call.args, *call.keywords.values()]
        mirrored = symmetric.triangle(call) or symmetric.summed(self, call)
        if mirrored is not None:
            return mirrored
        if call.name in (_ADD, _SUB) and len(call.args) == 2:
            found = masking.summed(call, call.args[0], call.args[1])
            if found is not None:
                return found
        if call.name == _NEG and isinstance(call.args[0], Noise | Noisy):
            return replace(call.args[0], sign=-call.args[0].sign)
        if call.name == "method.tolist" and len(values) == 1 and isinstance(values[0], Noise):
            listed = apart.entries(self, values[0])
            if listed is not None:
                return ListValue(list(listed))
        if call.name in apart.SIDE_BY_SIDE:
            return apart.side_by_side(call)
        kept = masking.kept(call)
        if kept is not None:
            return kept
        response = (
            responses.flipped(self, call) or responses.turned(call) or responses.counted(call)
        )
        if response is not None:
            return response
        selected = self._selected(call)
        if selected is not None:
            return selected
        sampled = self._sampled(call)
        if sampled is not None:
            return sampled
        method = call.name.removeprefix("method.")
        if call.name != method and method in MUTATING:
            return self._changed(call, method)
        tossed = revealing.toss(self, call)
        opened = [opening.opened(self, value, call.place, call.walk) for value in values]
        found = reapplied(call, opened)
        if tossed is not None:
            revealing.note(self, tossed, found)
        return found

    def _changed(self, call: Application, method: str) -> Value:
        """Let a list grow by a released answer."""
        holder, *rest = call.args
        if method != "append" or not isinstance(holder, ListValue) or len(rest) != 1:
            raise Unsupported(f"{call.name} of released answers", call.place)
        if call.walk.private:
            raise Unsupported("a list that grows by a test on private data", call.place)
        holder.items.append(rest[0])
        return Known(None, ("known", "NoneType", None))

    # --- selection

    def _selected(self, call: Application) -> Value | None:
        first = call.args[0] if call.args else None
        if isinstance(first, Noisy) and not call.keywords and len(call.args) == 1:
            if call.name in _LARGEST | _SMALLEST:
                return selection.winner(self, first, call, largest=call.name in _LARGEST)
            if call.name in _RANKED:
                return Ranking(first)
        if call.name in _LARGEST | _SMALLEST and len(call.args) == 1 and not call.keywords:
            entries = first.items if isinstance(first, ListValue | Tuple) else ()
            if self.selects and entries and all(isinstance(e, Noisy) for e in entries):
                largest = call.name in _LARGEST
                return selection.listed_winner(self, list(entries), call, largest=largest)  # type: ignore[arg-type]
        searched = call.name in ("method.searchsorted", "numpy.searchsorted")
        if searched and len(call.args) > 1 and isinstance(call.args[1], Share):
            return selection.chosen(self, call)
        return self._shared_out(call)

    def _shared_out(self, call: Application) -> Value | None:
        """Recognize ``rng.random() * cumulated[-1]``."""
        if call.name != "operator.mul" or len(call.args) != 2:
            return None
        for noise, other in (call.args, call.args[::-1]):
            term = getattr(other, "term", None)
            if not isinstance(noise, Noise) or noise.family != "random" or noise.shape is not None:
                continue
            if term is not None and not is_public(other):
                return Share(noise.draw[0], term, noise.place)
        return None

    # --- samples

    def _sampled(self, call: Application) -> Value | None:
        """Recognize ``rng.random(len(data)) < rate``, and counts of it."""
        if call.name in ("operator.lt", "operator.le") and len(call.args) == 2:
            noise, rate = call.args[0], known(call.args[1])
            if isinstance(noise, Noise) and noise.family == "random" and noise.rows is not None:
                return samples.coins(self, noise, rate, call)
        if call.name in ("numpy.count_nonzero", "numpy.sum", "method.sum") and not call.keywords:
            coins = call.args[0]
            if isinstance(coins, Coins) and len(call.args) == 1:
                return samples.sample(self, coins).length()
        return None

    # --- other uses

    def spend(self, noise: Noise, place: Place) -> None:
        """Use noise to hide a value, once."""
        for draw in noise.draw:
            self.spend_one(draw, noise.place)

    def spend_one(self, draw: int, place: Place) -> None:
        """Use one draw."""
        if self.walk is not None and self.walk.private:
            what = "whether a value is released depends on private data"
            raise Unpaid("DPA108", what, self.walk.private[-1][1], place)
        if self.used.get(draw) == apart.TAKEN_APART:
            raise Unsupported("noise that is used as a whole and entry by entry", place)
        if draw in self.used:
            raise Unpaid("DPA110", "one noise is used for several values", place, place)
        self.used[draw] = "masking"

    def pay(
        self,
        price: Price,
        rule: str,
        place: Place,
        noise: Place,
        value: Number | Array,
        vector: tuple[int, ...] = (),
    ) -> None:
        """Note a release."""
        rows, sample = value.source, None
        while rows is not None and sample is None:
            sample, rows = self.samples.get(rows.id), rows.parent
        made = Release(price, rule, place, noise, value.source, sample, vector)
        self.releases.append(made)

    # --- what else the walk asks

    def truth(self, value: Foreign, place: Place, walk: Walk) -> bool:
        """Return the outcome of a test on released values."""
        opened = opening.opened(self, value, place, walk)
        if isinstance(opened, Released):
            if opened.value is None:
                return walk.decide(opened, place)
            expr = getattr(opened.value, "expr", None)
            for before in walk.decisions:
                tested = getattr(known(before.test), "expr", None)
                if tested is not None and tested == expr:
                    return before.outcome  # one number is true or not
            outcome = walk.truth(opened.value, place)
            assert outcome is not None
            return outcome
        raise Unsupported("a test on a noisy value", place)

    def iterate(self, value: Foreign, place: Place, walk: Walk) -> list[Value]:
        """Return the items of released values."""
        from dpaudit.formal.loops import items_of

        listed = apart.entries(self, value) if isinstance(value, Noise) else None
        if listed is not None:
            return list(listed)
        opened = opening.opened(self, value, place, walk)
        if isinstance(opened, Released) and opened.value is not None:
            return [wrapped(item) for item in items_of(walk, opened.value, place)]
        raise Unsupported("a loop over what was computed from released answers", place)

    def subscript(self, value: Value, index: Value, place: Place, walk: Walk) -> Value | None:
        """Return ``value[index]`` where either holds noise or was released."""
        from dpaudit.formal.indexing import item

        if isinstance(value, Ranking):
            return selection.ranked(self, value, index, place)
        if isinstance(index, Coins):
            return samples.taken(self, value, index, place)
        if isinstance(value, Noise):
            one = apart.entry(self, value, index)
            if one is not None:
                return one
        opened = opening.opened(self, value, place, walk)
        at = self._index(index, place, walk)
        public = isinstance(opened, Released) or is_public(opened)
        inner = opened.value if isinstance(opened, Released) else opened
        if inner is None:
            return Released(None)
        try:
            found = item(walk, inner, at, place)
        except Unsupported:
            if public and index_public(at):
                return Released(None)
            raise
        return wrapped(found) if public and index_public(at) else found

    def _index(self, index: Any, place: Place, walk: Walk) -> Any:
        if isinstance(index, slice):
            ends = (index.start, index.stop, index.step)
            return slice(*(None if e is None else self._index(e, place, walk) for e in ends))
        if isinstance(index, tuple):
            return tuple(self._index(i, place, walk) for i in index)
        opened = opening.opened(self, index, place, walk)
        if isinstance(opened, Released):
            return unknown_public("position") if opened.value is None else opened.value
        return opened

    def attribute(self, value: Foreign, name: str, place: Place, walk: Walk) -> Value | None:
        """Return an attribute of what was released."""
        from dpaudit.formal.attributes import attribute

        if isinstance(value, Noise) and name in ("shape", "size") and value.shape is not None:
            known = attribute(walk, public_array(value.shape), name, place)
            return known
        if isinstance(value, symmetric.Triangle) and name == "T":
            return symmetric.turned(value)
        opened = opening.opened(self, value, place, walk)
        if isinstance(opened, Released) and opened.value is not None:
            return wrapped(attribute(walk, opened.value, name, place))
        return Released(None)

    def join(self, left: Value, right: Value, place: Place) -> Value | None:
        """Refuse: one of the two sides holds noise or a released answer."""
        return None


def _is_zero(value: Value) -> bool:
    return isinstance(value, Number) and value.expr == 0
