# ruff: noqa: ARG001 - all handlers have one signature
"""The library functions and the noise that a path may meet."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from dpaudit.formal.alignment import decays, vectors
from dpaudit.formal.alignment.arithmetic import binary, maximum, reciprocal, truth
from dpaudit.formal.alignment.blocks import Block, BlockNoise, Derived, Written
from dpaudit.formal.alignment.cuts import total_of
from dpaudit.formal.alignment.poly import ONE, ZERO, Poly
from dpaudit.formal.alignment.trace import Atom, Drawn
from dpaudit.formal.alignment.values import (
    Array,
    Flag,
    Items,
    Noise,
    Range,
    Rng,
    Scan,
    Stream,
    number,
)
from dpaudit.formal.clock import charge
from dpaudit.formal.program import Call, Draw, Place
from dpaudit.formal.unsupported import Unsupported

if TYPE_CHECKING:
    from dpaudit.formal.alignment.interpret import Interpreter

FAMILIES = {
    "laplace": ("loc", "scale"),
    "exponential": ("scale",),
    "gumbel": ("loc", "scale"),
    "geometric": ("p",),
}


def draw(run: Interpreter, node: Draw) -> Any:
    """Return a draw of noise, or a vector of draws."""
    if node.family not in FAMILIES:
        raise Unsupported(f"noise of the family {node.family!r}", node.place)
    if not isinstance(run.value(node.generator), Rng):
        raise Unsupported("noise from a generator that is not known", node.place)
    given = {name: run.value(value) for name, value in node.arguments}
    unknown = set(given) - {*FAMILIES[node.family], "size"}
    if unknown:
        raise Unsupported(f"the argument {min(unknown)} of a draw", node.place)
    scale = given.get("scale", ONE)
    if node.family == "geometric":
        scale = reciprocal(decays.rate_of(given.get("p"), node.place), node.place)
    if not isinstance(scale, Poly):
        raise Unsupported("a scale that is no number", node.place)
    if any(s.kind != "parameter" for s in scale.symbols()):
        raise Unsupported("a scale that depends on data or noise", node.place)
    if (known := scale.constant) is not None and known <= 0:
        raise Unsupported(f"a scale of {known}", node.place)
    loc, size = given.get("loc", ZERO), given.get("size")
    if not isinstance(loc, Poly):
        raise Unsupported("a location that is no number", node.place)

    def sample() -> Poly:
        name = f"{node.family}{run.world.site(node)}:{node.place.line}"
        symbol = run.fresh(name, "draw")
        run.script.events.append(Drawn(symbol, node.family, scale, node.place))
        return loc + Poly.of(symbol)

    return _sized(run, node, sample, size, loc)


def _sized(run: Interpreter, node: Draw, sample: Any, size: Any, loc: Poly) -> Any:
    charge(200)
    if size is None:
        return sample()
    if isinstance(size, tuple) and len(size) == 1:
        size = size[0]
    if not isinstance(size, Poly):
        raise Unsupported("noise of this shape", node.place)
    count = size.constant
    if count is not None:
        if count < 0 or count > 4096:
            raise Unsupported(f"{count} draws at once", node.place)
        return Array([sample() for _ in range(int(count))])
    if (lengths := size.symbols()) and all(s.name.startswith("len(") for s in lengths):
        if node.family != "laplace" or loc.symbols():
            raise Unsupported("this noise on a stretch of the data", node.place)
        return BlockNoise(sample(), size)
    if size != run.length or any(s.kind != "parameter" for s in loc.symbols()):
        raise Unsupported("as many draws as neither a number nor the data says", node.place)
    site = f"{'/'.join(run.calls)}:{node.place.line}:{id(node)}"
    run.made[site] = run.made.get(site, 0) + 1
    site += f"#{run.made[site]}"
    return Stream("noise", value=Noise(site, sample, tuple(run.loops)))


def call(run: Interpreter, node: Call) -> Any:
    """Call a library function by its canonical name."""
    name = str(node.function)
    arguments = [run.value(a) for a in node.arguments]
    keywords = {key: run.value(value) for key, value in node.keywords}
    known = TABLE.get(name)
    if known is None:
        if name.startswith("operator.") and len(arguments) == 2 and not keywords:
            return binary(run, name, arguments[0], arguments[1], node.place)
        raise Unsupported(f"the function {name}", node.place)
    if keywords:
        raise Unsupported(f"keyword arguments of {name}", node.place)
    return known(run, arguments, node.place)


Handler = Callable[["Interpreter", list[Any], Place], Any]
TABLE: dict[str, Handler] = {}


def _named(*names: str) -> Callable[[Handler], Handler]:
    def register(handler: Handler) -> Handler:
        TABLE.update(dict.fromkeys(names, handler))
        return handler

    return register


def _only(arguments: list[Any], count: int, place: Place) -> Any:
    if len(arguments) != count:
        raise Unsupported("this number of arguments", place)
    return arguments[0] if count == 1 else arguments


@_named(
    "builtins.float",
    "numpy.float64",
    "numpy.asarray",
    "numpy.array",
    "method.item",
    "method.copy",
)
def _same(run: Interpreter, arguments: list[Any], place: Place) -> Any:
    value = _only(arguments, 1, place) if arguments else Items()
    if isinstance(value, bool):
        raise Unsupported("a truth value made a number", place)
    if isinstance(value, Items):
        return Items(list(value.items), value.prefix)
    return Array(list(value.items)) if isinstance(value, Array) else value


@_named("builtins.bool", "numpy.bool")
def _bool(run: Interpreter, arguments: list[Any], place: Place) -> Any:
    value = _only(arguments, 1, place)
    return value if isinstance(value, Flag) else truth(run, value, place)


@_named("builtins.list", "builtins.tuple", "method.tolist")
def _listed(run: Interpreter, arguments: list[Any], place: Place) -> Any:
    """Make a list: its + joins, where that of an array adds."""
    charge(2000)
    value = _only(arguments, 1, place) if arguments else Items()
    if isinstance(value, tuple):
        return Items(list(value))
    if not isinstance(value, Items | Array):
        raise Unsupported("a list of a vector of unknown length", place)
    return Items(list(value.items), value.prefix if isinstance(value, Items) else None)


@_named("operator.not_")
def _not(run: Interpreter, arguments: list[Any], place: Place) -> Any:
    return not truth(run, _only(arguments, 1, place), place)


def _negated(run: Interpreter, value: Any, place: Place) -> Any:
    if isinstance(value, float):
        return -value
    if isinstance(value, decays.Decay):
        return decays.negated(value)
    if isinstance(value, Stream | Array):
        return vectors.apply(run, "operator.neg", (value,), place)
    as_number = number(value)
    if as_number is None or isinstance(value, bool | Flag):
        raise Unsupported("minus of a value that is no number", place)
    return -as_number


TABLE["operator.neg"] = lambda run, args, place: _negated(run, _only(args, 1, place), place)
vectors.UNARY["operator.neg"] = _negated


@_named("builtins.int", "numpy.int64")
def _int(run: Interpreter, arguments: list[Any], place: Place) -> Any:
    value = number(_only(arguments, 1, place))
    if value is None or not value.integer:
        raise Unsupported("a number cut to its integer part", place)
    return value


@_named("math.exp", "numpy.exp")
def _exp(run: Interpreter, arguments: list[Any], place: Place) -> Any:
    return decays.exponential(_only(arguments, 1, place), place)


@_named("math.expm1", "numpy.expm1")
def _expm1(run: Interpreter, arguments: list[Any], place: Place) -> Any:
    return decays.exponential(_only(arguments, 1, place), place, less=1)


@_named("builtins.abs", "numpy.abs", "math.fabs")
def _abs(run: Interpreter, arguments: list[Any], place: Place) -> Any:
    value = number(_only(arguments, 1, place))
    if value is None:
        raise Unsupported("the absolute value of this", place)
    return value if run.script.decide(Atom(value, ">="), place) else -value


@_named("builtins.len", "numpy.size")
def _len(run: Interpreter, arguments: list[Any], place: Place) -> Any:
    return vectors.length_of(run, _only(arguments, 1, place), place)


@_named("builtins.range")
def _range(run: Interpreter, arguments: list[Any], place: Place) -> Any:
    ends = [number(a) for a in arguments]
    if not 1 <= len(ends) <= 3 or any(e is None or not e.integer for e in ends):
        raise Unsupported("a range of values that are no integers", place)
    known = [e for e in ends if e is not None]
    if len(known) > 1 and ((first := known[0].constant) is None or first < 0):
        raise Unsupported("a range whose start may be negative: entries would wrap", place)
    start, stop = (ZERO, known[0]) if len(known) == 1 else (known[0], known[1])
    return Range(start, stop, known[2] if len(known) == 3 else ONE)


def _validate_fixed(values: Iterable[Any], place: Place) -> None:
    """Refuse what is read while it may change: iterators see what is appended later."""
    if any(isinstance(value, Items) for value in values):
        raise Unsupported("an iterator over a list", place)


@_named("builtins.enumerate")
def _enumerate(run: Interpreter, arguments: list[Any], place: Place) -> Any:
    value = arguments[0]
    _validate_fixed((value,), place)
    start = arguments[1] if len(arguments) > 1 else ZERO
    known = vectors.listed(value, place)
    if known is not None:
        return tuple((start + Poly.of(i), item) for i, item in enumerate(known))
    return Stream("tuple", parts=(Stream("index", value=start), value))


@_named("builtins.zip")
def _zip(run: Interpreter, arguments: list[Any], place: Place) -> Any:
    _validate_fixed(arguments, place)
    known = [vectors.listed(value, place) for value in arguments]
    lists = [k for k in known if k is not None]
    if len(lists) == len(known):
        return tuple(zip(*lists, strict=False))
    if lists or not all(isinstance(a, Stream) for a in arguments):
        raise Unsupported("a zip of vectors of different lengths", place)
    return Stream("tuple", parts=tuple(arguments))


@_named("method.append")
def _append(run: Interpreter, arguments: list[Any], place: Place) -> Any:
    box, item = _only(arguments, 2, place)
    if not isinstance(box, Items) or box is item:
        raise Unsupported("append to this value", place)
    box.items.append(item)


@_named("builtins.sum", "numpy.sum", "method.sum")
def _sum(run: Interpreter, arguments: list[Any], place: Place) -> Any:
    value = _only(arguments, 1, place)
    if isinstance(value, Block):
        return value.total
    if isinstance(value, Items) and value.prefix:
        total = total_of(value)
        if total is None:
            raise Unsupported("a sum of values that are no numbers", place)
        return total

    def step(state: dict[str, Any], at: Poly, item: Any) -> None:
        state["sum"] = binary(run, "operator.add", state["sum"], item, place)

    return vectors.fold(run, value, {"sum": ZERO}, step, place)["sum"]


@_named("builtins.max", "numpy.max", "method.max")
def _max(run: Interpreter, arguments: list[Any], place: Place) -> Any:
    return _extreme(run, arguments, place, least=False)[0]


@_named("builtins.min", "numpy.min", "method.min")
def _min(run: Interpreter, arguments: list[Any], place: Place) -> Any:
    return _extreme(run, arguments, place, least=True)[0]


@_named("numpy.argmax", "method.argmax")
def _argmax(run: Interpreter, arguments: list[Any], place: Place) -> Any:
    return _extreme(run, arguments, place, least=False)[1]


@_named("numpy.argmin", "method.argmin")
def _argmin(run: Interpreter, arguments: list[Any], place: Place) -> Any:
    return _extreme(run, arguments, place, least=True)[1]


@_named("numpy.maximum")
def _maximum(run: Interpreter, arguments: list[Any], place: Place) -> Any:
    return maximum(run, _only(arguments, 2, place), place)


def _extreme(
    run: Interpreter, arguments: list[Any], place: Place, *, least: bool
) -> tuple[Any, Any]:
    """Return the extreme and its first place."""
    if len(arguments) > 1:
        return maximum(run, arguments, place, least=least), None
    less = "operator.lt" if least else "operator.gt"

    def step(state: dict[str, Any], at: Poly, item: Any) -> None:
        first = run.script.decide(Atom(at, "=="), place)
        if first or binary(run, less, item, state["best"], place):
            state["best"], state["winner"] = item, at

    last = vectors.fold(run, arguments[0], {"best": ZERO, "winner": ZERO}, step, place)
    return last["best"], last["winner"]


@_named("numpy.zeros")
def _zeros(run: Interpreter, arguments: list[Any], place: Place) -> Any:
    size = _only(arguments, 1, place)
    count = size.constant if isinstance(size, Poly) else None
    if count is not None:
        return Array([ZERO] * int(count))
    if size != run.length:
        raise Unsupported("an array of another length than the data", place)
    return Written(Items())


@_named("numpy.cumsum", "method.cumsum")
def _cumsum(run: Interpreter, arguments: list[Any], place: Place) -> Any:
    value = _only(arguments, 1, place)
    if isinstance(value, Stream):
        return Scan(value)
    if isinstance(value, Derived):
        return value
    known = vectors.listed(value, place) or []
    total, sums = ZERO, []
    for item in known:
        total = binary(run, "operator.add", total, item, place)
        sums.append(total)
    return Array(sums)
