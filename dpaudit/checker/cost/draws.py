"""Draws of noise, of public laws and shapes."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from dpaudit.checker.cost.arithmetic import binary
from dpaudit.checker.cost.arrays import Arr, cells_of, filled, is_shared, mapped
from dpaudit.checker.cost.ends import end
from dpaudit.checker.cost.ledger import Draw
from dpaudit.checker.cost.noise import drawn, shown
from dpaudit.checker.cost.relative import Form
from dpaudit.checker.cost.responses import permutation
from dpaudit.checker.cost.run import Run
from dpaudit.checker.cost.sampling import per_record, without_replacement
from dpaudit.checker.cost.values import SHARED, Unknown, is_number
from dpaudit.checker.cost.weights import Total, drawn_by
from dpaudit.checker.exact.numbers import Number, number
from dpaudit.checker.wording import described

_MOST = 10_000  # items of a choice


def _validated_scale(run: Run, value: Any, law: str) -> Number | Form:
    form = value.form if isinstance(value, Unknown) and law in ("laplace", "normal") else None
    if form is not None and form.constant.sign() > 0:
        return form  # type: ignore[no-any-return]
    if not is_number(value):
        raise run.refused("noise of a scale that is not known")
    scale = number(value)
    if scale.sign() <= 0:
        raise run.refused("noise of a scale that is not positive")
    return scale


def shape_of(run: Run, size: Any) -> tuple[int, ...] | None:
    """Return the shape that a draw is given, None for one number."""
    if size is None:
        return None
    shape = size if isinstance(size, tuple | list) else (size,)
    if not all(type(n) is int and n >= 0 for n in shape):
        raise run.refused("as many draws as are not known")
    return tuple(shape)


def _many(run: Run, law: str, scale: Any, size: Any, loc: Any = None) -> Any:
    run.ledger.calls += 1
    call = run.ledger.calls
    shape = shape_of(run, size)
    if isinstance(scale, list | tuple) or isinstance(loc, list | tuple):
        raise run.refused("noise of listed scales")
    scales = cells_of(scale)
    if shape is None:
        shape = scales.shape
        if loc is not None:
            shape = tuple(map(int, mapped(lambda a, b: 0, scales, cells_of(loc)).shape))
    if shape == ():
        run.ledger.single.add(call)
    noise = filled(shape, lambda: None)
    given = mapped(lambda s, _: s, scales, noise)
    if given.shape != noise.shape:
        raise run.refused("scales that do not fit the shape of the noise")
    noise = mapped(
        lambda s: drawn(Draw(law, _validated_scale(run, s, law), run.place, call)), given
    )
    if loc is not None:
        noise = mapped(lambda a, b: binary(run, "add", a, b), cells_of(loc), noise)
    return Arr(noise, "int" if law == "geometric" else "float") if noise.ndim else noise[()]


def laplace(run: Run, loc: Any = None, scale: Any = 1, size: Any = None) -> Any:
    """Draw from a Laplace distribution."""
    return _many(run, "laplace", scale, size, loc)


def normal(run: Run, loc: Any = None, scale: Any = 1, size: Any = None) -> Any:
    """Draw from a normal distribution."""
    return _many(run, "normal", scale, size, loc)


def gumbel(run: Run, loc: Any = None, scale: Any = 1, size: Any = None) -> Any:
    """Draw from a Gumbel distribution."""
    return _many(run, "gumbel", scale, size, loc)


def exponential(run: Run, scale: Any = 1, size: Any = None) -> Any:
    """Draw from an exponential distribution."""
    return _many(run, "exponential", scale, size)


def geometric(run: Run, p: Any = None, size: Any = None) -> Any:
    """Draw the number of the first success."""
    return _many(run, "geometric", p, size)


def uniform(run: Run, size: Any = None) -> Any:
    """Draw from [0, 1); one for each record where there are as many as records."""
    alone = size[0] if isinstance(size, tuple) and len(size) == 1 else size
    if isinstance(alone, Unknown):
        coins = per_record(alone)
        if coins is not None:
            return coins
    return _many(run, "random", 1, size)


def standard_normal(run: Run, size: Any = None) -> Any:
    """Draw from the standard normal distribution."""
    return _many(run, "normal", 1, size)


def integers(
    run: Run, low: Any = None, high: Any = None, size: Any = None, *, endpoint: Any = False
) -> Any:
    """Draw whole numbers between public ends, the same in both runs."""
    if high is None:
        low, high = 0, low
    if type(low) is not int or type(high) is not int or type(endpoint) is not bool:
        raise run.refused("whole numbers drawn between ends that are not known")
    top = high if endpoint else high - 1
    if top < low:
        raise run.refused("whole numbers drawn from a range that is empty")
    shape = shape_of(run, size)
    if shape is None:
        return Unknown("int", end(low), end(top))
    return Arr(filled(shape, lambda: Unknown("int", end(low), end(top))), "int")


def choice(run: Run, a: Any = None, size: Any = None, replace: Any = True, p: Any = None) -> Any:
    """Draw one of known items by weights."""
    from dpaudit.checker.cost.indexing import any_of

    if replace is False and p is None and type(size) is int:
        taken = without_replacement(run, a, size)
        if taken is not None:
            return taken
    among = range(a) if type(a) is int and 0 < a <= _MOST else a
    if p is None:
        return _alike_likely(run, among, size, replace)
    cells = list(cells_of(p).flat) if isinstance(p, Arr) and p.cells.ndim == 1 else p
    if size is not None or replace is not True or not isinstance(cells, list | tuple):
        raise run.refused("a choice of several items, or without a list of weights")
    items = list(among.cells) if isinstance(among, Arr) and among.cells.ndim == 1 else among
    if not isinstance(items, list | tuple | range) or len(items) != len(cells):
        raise run.refused("an item drawn from these")
    drawn_by(run, cells)
    return any_of(run, [shown(run, item) for item in items])


def _alike_likely(run: Run, among: Any, size: Any, replace: Any) -> Any:
    """Draw from what both runs hold alike, each item with the same chance in both."""
    from dpaudit.checker.cost.indexing import any_of

    items = list(among.cells) if isinstance(among, Arr) and among.cells.ndim == 1 else among
    if not isinstance(items, list | tuple | range) or not items:
        raise run.refused("an item drawn from these")
    found = [shown(run, item) for item in items]
    again = bool(replace) if type(replace) in (bool, list, tuple) else None
    count = math.prod(shape_of(run, size) or ())
    if not all(map(is_shared, found)) or again is None or (count > len(items) and not again):
        raise run.refused("a choice of several items, or of private ones")
    if size is None:
        return any_of(run, found)
    if any(isinstance(item, Arr | list | dict) for item in found):
        raise run.refused("a choice of several lists or arrays")
    return SHARED


def shuffle(run: Run, x: Any = None) -> None:
    """Put what both runs hold alike in an order that both draw alike."""
    from dpaudit.checker.cost import indexing

    plain = type(x) is list
    if run.lane is not None or not (plain or (isinstance(x, Arr) and x.cells.ndim == 1)):
        raise run.refused(f"a shuffle of {described(x)}")
    items = [shown(run, item) for item in (x if plain else x.cells)]
    if run.is_lent(x) or any(isinstance(item, Arr | list | dict) for item in items):
        raise run.refused("a shuffle of lists or arrays")
    if not all(map(is_shared, items)):
        raise run.refused("a shuffle of private values")
    if len(items) < 2:
        return
    # each place holds an item of its own: one that stood for all would be equal to itself
    if plain:
        x[:] = [indexing.any_of(run, items) for _ in items]
    else:
        found = filled((len(items),), lambda: indexing.any_of(run, items))
        indexing.change(run, x, Arr(found, x.dtype))


def between(run: Run, low: Any = 0, high: Any = 1, size: Any = None) -> Any:
    """Draw from [0, 1), or from 0 to a sum of weights."""
    if is_number(low) and is_number(high) and low == 0 and high == 1:
        return uniform(run, size)
    if size is not None or not is_number(low) or low != 0 or not isinstance(high, Total):
        raise run.refused("a draw between these ends")
    return binary(run, "mul", uniform(run), high)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "draw.laplace": laplace,
    "draw.normal": normal,
    "draw.gumbel": gumbel,
    "draw.exponential": exponential,
    "draw.geometric": geometric,
    "draw.random": uniform,
    "draw.standard_normal": standard_normal,
    "draw.integers": integers,
    "draw.permutation": permutation,
    "draw.shuffle": shuffle,
    "draw.choice": choice,
    "draw.uniform": between,
}
