"""Functions of Python and NumPy, as far as lemmas are about them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from dpaudit.checker.cost.constants import DTYPES, Named
from dpaudit.checker.lemma import cells, noise, segments
from dpaudit.checker.lemma.arithmetic import CLIPS, FEW_BITS, absolute, extreme, operator
from dpaudit.checker.lemma.closed import ONE, ZERO
from dpaudit.checker.lemma.smt_context import Order
from dpaudit.checker.lemma.values import (
    FITS,
    Beyond,
    Column,
    Counts,
    Cut,
    FirstBeyond,
    HowMany,
    InOrder,
    Items,
    Largest,
    Mixed,
    Noise,
    NoisyCounts,
    Num,
    Raised,
    Steps,
    public,
)

if TYPE_CHECKING:
    from dpaudit.checker.lemma.follow import Follower

Handler = Callable[["Follower", "list[Any]", "dict[str, Any]"], Any]
OfOne = Callable[["Follower", Any], Any]  # of a function of one argument


def called(at: Follower, name: str, args: list[Any], named: dict[str, Any]) -> Any:
    """Return what a library's function returns.

    Raises
    ------
    NotCheckedError
        Where that is not known here.
    """
    found: Any = None
    word = name.removeprefix("operator.")
    if word != name and not named:
        found = segments.operated(at, word, args)
        found = operator(at, word, args) if found is None else found
    elif name in (*CLIPS, "builtins.max", "builtins.min") and len(args) == 2 and not named:
        found = segments.sparse(lambda a, b: extreme(at, name, a, b), args)
        found = extreme(at, name, *args) if found is None else found
    elif name in _FUNCTIONS:
        found = _FUNCTIONS[name](at, args, named)
    elif name in _OF_ONE and len(args) == 1 and not named:
        found = _OF_ONE[name](at, args[0])
    if found is None:
        raise at.refused(f"`{name:.40}` of these, of which no lemma speaks")
    return found


def entry(at: Follower, value: Any, index: Any) -> Any:
    """Return an entry."""
    of_segments = segments.entry(value, index)
    if of_segments is not None:
        return of_segments
    known = None
    if isinstance(index, Num) and index.whole and index.closed is not None:
        known = index.closed.fraction
    if isinstance(value, Items) and known is not None:
        if -len(value.items) <= known < len(value.items):
            return value.items[int(known)]
    elif isinstance(value, InOrder) and isinstance(index, Num) and index.whole:
        found = Num(None, at.scene.entry(value, at.side, index), False)
        at.scene.exist()
        return found
    elif isinstance(value, InOrder) and isinstance(index, Steps) and index.whole:
        if not index.decay.sign():
            side = at.side

            def looked_up(place: str) -> Num:
                return Num(None, at.scene.entry(value, side, index.entry(place)), False)

            return at.scene.exist_in(Steps(index.length, looked_up, False))
    elif isinstance(value, Steps) and known is not None and not value.decay.sign():
        return value.entry(_from_start(at, value, int(known)))
    elif isinstance(value, Beyond) and known is not None:
        return _outcome(at, value, _from_start(at, value.steps, int(known)))
    elif _cuts(value, index):
        return replace(index, parts=(value,))
    raise at.refused("an entry of which no lemma speaks")


def _cuts(value: Any, index: Any) -> bool:
    """Whether an index says which of these values or noisy counts are kept."""
    counts = isinstance(value, Counts | NoisyCounts) and isinstance(index, Cut)
    return counts and not index.parts and value.column.key == index.noisy.column.key


def _from_start(at: Follower, steps: Steps, index: int) -> str:
    """Return a known place as counted from the start; it must exist."""
    length = steps.length.text
    at.scene.prove(f"(>= {length} {-index if index < 0 else index + 1})", (), "an entry exists")
    return f"(- {length} {-index})" if index < 0 else str(index)


def _outcome(at: Follower, value: Beyond, place: str) -> bool:
    """Return a test that must come out as true, for every dataset."""
    at.scene.prove(above(value, place), (), "a test is always passed")
    return True


def above(value: Beyond, place: str) -> str:
    """Return that an entry is above the bound."""
    sign = ">" if value.strict else ">="
    return f"({sign} {value.steps.entry(place).real} {public(value.bound).text})"


# --- functions by their names


def _len(at: Follower, value: Any) -> Any:
    match value:
        case Column():
            return at.size
        case InOrder(length=length) | Steps(length=length) | Beyond(steps=Steps(length=length)):
            return length
        case Counts(column=column):
            return HowMany(column)
        case cells.Cells(full=False, order=order) | cells.Logs(full=False, order=order):
            return Num(None, f"(- {order.length.text} 1)", True)
        case cells.Powers(logs=cells.Logs(full=False, order=order)):
            return Num(None, f"(- {order.length.text} 1)", True)
        case Items(items=items):
            return public(len(items), whole=True)
    return None


def _float(_at: Follower, value: Any) -> Any:
    if isinstance(value, Num):
        return public(value.closed) if value.closed is not None else Num(None, value.real, False)
    kept = Largest | FirstBeyond | Noise | Raised | cells.Inside
    return value if isinstance(value, kept) else None


def _int(_at: Follower, value: Any) -> Any:
    match value:
        case cells.Pick() | FirstBeyond() | Num(whole=True):
            return value
    return None


def _abs(at: Follower, value: Any) -> Any:
    if isinstance(value, cells.Sparse):
        return segments.sparse(lambda a, _b: absolute(at, a), [value, value])
    return absolute(at, value)


def _arange(at: Follower, args: list[Any], named: dict[str, Any]) -> Any:
    whole = all(isinstance(a, Num) and a.whole and a.text for a in args)
    if named or not whole:
        return None
    down, most = None, sum((a.size for a in args), Fraction(0))
    match [a.text for a in args]:
        case [stop]:
            length = stop
        case [start, stop, "(- 1)"]:
            length, down = f"(- {start} {stop})", start
        case _:
            return None

    def counted(place: str) -> Num:
        return Num(None, place if down is None else f"(- {down} {place})", True, most)

    if most > FITS:
        return None
    at.scene.prove(f"(>= {length} 0)", (), "a range is as long as it says")
    known = Num(None, _simple(length), True)
    return Steps(known, counted, True)


def _simple(text: str) -> str:
    """Write n + 1 in one way, so that equal lengths are equal texts."""
    for size in ("n", "(+ n 1)"):
        text = text.replace(f"(- {size} (- 1))", f"(+ {size} 1)")
    return text


def _full(at: Follower, args: list[Any], named: dict[str, Any]) -> Any:
    match args:
        case [Num(whole=True) as length, Num() as value] if not named and value.text:
            if value.whole and value.size > FITS:
                return None
            at.scene.prove(f"(>= {length.text} 0)", (), "a length is one")
            return Steps(length, lambda _place: value, value.whole)
    return None if named else segments.never(args)


def _exp(_at: Follower, value: Any) -> Any:
    match value:
        case Noise() as drawn:
            return Raised(drawn, None)
        case Num(closed=closed) if closed is not None:
            return public(closed.exp())
        case noise.Falling(length=length, rate=rate):
            one = public(1)
            return Steps(length, lambda _place: one, False, rate)
    return None


def _of_array(number: OfOne, array: Handler) -> Handler:
    """Return a function of NumPy, which takes arrays too; those of `math` do not."""

    def either(at: Follower, args: list[Any], named: dict[str, Any]) -> Any:
        found = number(at, args[0]) if len(args) == 1 and not named else None
        return array(at, args, named) if found is None else found

    return either


def _log(_at: Follower, value: Any) -> Any:
    if not isinstance(value, Num) or value.closed is None or value.closed.sign() <= 0:
        return None
    return public(value.closed.log())


def _max(at: Follower, value: Any) -> Any:
    if not isinstance(value, Steps):
        return segments.largest(value)
    at.scene.prove(f"(>= {value.length.text} 1)", (), "a vector has an entry")
    return Largest(value, ONE)


def _argmax(at: Follower, value: Any) -> Any:
    if not isinstance(value, Beyond):
        return segments.first_largest(value)
    at.scene.prove(f"(>= {value.steps.length.text} 1)", (), "a vector has an entry")
    return FirstBeyond(value, ZERO)


def _sum(at: Follower, column: Any) -> Any:
    if not isinstance(column, Column) or column.nan:
        return segments.total(column)
    at.scene.added()
    if not _bounded(column):
        return None
    sums = at.scene.sums
    name = next((s for s, c in sums.items() if c.key == column.key), f"t{len(sums)}")
    sums[name] = column
    return Num(None, name if at.side == "x" else f"(+ {name} {name}r)", False)


def _sort(at: Follower, value: Any) -> Any:
    if not isinstance(value, Column | Mixed):
        return None
    mixed = Mixed(value, ()) if isinstance(value, Column) else value
    column, numbers = mixed.column, mixed.numbers
    if column.nan or not _bounded(column, *numbers):
        return None
    first = min(numbers, default=None)
    last = max(numbers, default=None)
    ends = Order(
        first if first is not None and first <= column.low else None,
        last if last is not None and last >= column.high else None,
    )
    key = (column.key, tuple(sorted(map(str, numbers))))
    name = at.scene.order(key, ends)
    length = f"(+ {at.size.text} {len(numbers)})"
    return InOrder(name, len(numbers), Num(None, length, True), mixed)


def _bounded(column: Column, *numbers: Fraction) -> bool:
    """Whether numbers are finite; integers of 64 bits, so that they do not overflow either."""
    most = FEW_BITS if column.whole else math.inf
    ends: tuple[Any, ...] = (column.low, column.high)
    return all(map(math.isfinite, ends)) and all(abs(end) <= most for end in (*ends, *numbers))


def _clip(at: Follower, args: list[Any], named: dict[str, Any]) -> Any:
    if len(args) != 3 or named or not isinstance(args[0], Column):
        return None
    raised = extreme(at, "numpy.maximum", args[0], args[1])
    return None if raised is None else extreme(at, "numpy.minimum", raised, args[2])


def _asarray(_at: Follower, args: list[Any], named: dict[str, Any]) -> Any:
    """Return an array, whose numbers are floats where that is asked for."""
    match [*args, *named.values()]:
        case [(Column() | InOrder() | cells.Powers()) as same] if not named:
            return same
        case [Column() as column, Named(name=name)] if list(named) in ([], ["dtype"]):
            if DTYPES.get(name) == "float" and (not column.whole or _bounded(column)):
                return replace(column, key=("float", column.key), whole=False)
    return None


def _ravel(_at: Follower, value: Any) -> Any:
    if isinstance(value, Num):
        return Items((value,))
    return value if isinstance(value, Items | Column | InOrder) else None


def _hstack(at: Follower, value: Any) -> Any:
    if not isinstance(value, Items):
        return None
    lines = tuple(_ravel(at, item) for item in value.items)
    return None if None in lines else _concatenate(at, Items(lines))


def _concatenate(at: Follower, value: Any) -> Any:
    if not isinstance(value, Items):
        return None
    sorted_between = segments.between(value.items)
    if sorted_between is not None:
        return _sort(at, Mixed(*sorted_between))
    columns = [item for item in value.items if isinstance(item, Column)]
    rest = [item for item in value.items if not isinstance(item, Column)]
    if len(columns) != 1 or not all(isinstance(item, Items) for item in rest):
        return None
    numbers = [each for item in rest for each in item.items]
    known = all(isinstance(n, Num) and n.closed is not None and n.text for n in numbers)
    return Mixed(columns[0], tuple(n.closed.fraction for n in numbers)) if known else None


def _unique(_at: Follower, args: list[Any], named: dict[str, Any]) -> Any:
    counted = len(args) == 1 and list(named) == ["return_counts"] and named["return_counts"] is True
    if not counted or not isinstance(args[0], Column) or args[0].nan:
        return None
    column = args[0]
    if not column.whole and column.key[0] != "add":  # -0 and 0 would be told apart
        return None
    return Items((Counts(column, True), Counts(column, False)))


def _same(_at: Follower, value: Any) -> Any:
    return value if isinstance(value, Cut) and value.parts else None


_OF_ONE: dict[str, OfOne] = {
    "builtins.abs": _abs,
    "builtins.float": _float,
    "builtins.int": _int,
    "builtins.len": _len,
    "builtins.max": _max,
    "builtins.sum": _sum,
    "math.exp": _exp,
    "math.fsum": _sum,
    "math.log": _log,
    "method.argmax": _argmax,
    "method.max": _max,
    "method.sum": _sum,
    "method.tolist": _same,
    "numpy.argmax": _argmax,
    "numpy.concatenate": _concatenate,
    "numpy.hstack": _hstack,
    "numpy.max": _max,
    "numpy.ravel": _ravel,
    "numpy.sort": _sort,
    "numpy.sum": _sum,
}
_FUNCTIONS: dict[str, Handler] = {
    "builtins.dict": noise.histogram,
    "builtins.range": _arange,
    "builtins.zip": noise.zipped,
    "method.clip": _clip,
    "numpy.clip": _clip,
    "numpy.arange": _arange,
    "numpy.array": _asarray,
    "numpy.asarray": _asarray,
    "numpy.exp": _of_array(_exp, segments.exponential),
    "numpy.full": _full,
    "numpy.log": _of_array(_log, segments.logarithm),
    "numpy.unique": _unique,
    **segments.FUNCTIONS,
}
