"""What calls of the library do to what is known of a value."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable

from dpaudit.static.conditions import decided, is_whole, truth
from dpaudit.static.expressions import choice, evaluate
from dpaudit.static.forms import Form, applied, constant, symbol
from dpaudit.static.frames import Frame
from dpaudit.static.library import AGGREGATES, ASKS_NOTHING, CONVERSIONS, EXTREMES, KEYED, SUMS
from dpaudit.static.parts import element, iterated
from dpaudit.static.values import (
    NOTHING,
    PUBLIC,
    STICKY,
    Value,
    changed,
    elementwise,
    joined,
    mixed,
)

_LOWER = frozenset({"maximum", "fmax"})
_UPPER = frozenset({"minimum", "fmin"})
_NAN_SAFE = frozenset({"fmax", "fmin", "nan_to_num"})
_RANGES = frozenset({"range", "arange", "zeros", "ones", "empty", "eye", "full", "tri", "identity"})
# Calls that go through a collection: of a dictionary, through its keys.
_GOING_THROUGH = frozenset({"list", "tuple", "set", "sorted", "zip", "enumerate", "iter"})
_TOTALS = frozenset({"sum", "nansum", "fsum"})
_DEVIATIONS = frozenset({"std", "nanstd", "stdev", "pstdev"})
_LIKE = frozenset({"zeros_like", "ones_like", "empty_like"})
_ROUNDING = frozenset({"round", "rint", "floor", "ceil", "around"})
_KEPT = frozenset(
    {
        "sorted", "sort", "abs", "fabs", "absolute", "cumsum", "diff", "triu", "tril", "reversed",
        "nan_to_num", "flip", "outer", "roll", "head", "tail", "nlargest", "array_split", "split",
        "column_stack", "delete", "repeat", "apply",
    }
)  # fmt: skip


def known_call(
    frame: Frame,
    node: ast.Call,
    name: str,
    dotted: str,
    receiver: Value | None,
    arguments: tuple[Value, ...],
    keywords: dict[str, Value],
) -> Value | None:
    """Return the result of a call that the library knows; None for another."""
    if name in ASKS_NOTHING:
        return PUBLIC
    given = (*(() if receiver is None else (receiver,)), *arguments)
    first = given[0] if given else keywords.get("a", PUBLIC)
    if name == "len":
        kept = {m for m in first.marks if m.startswith("part")}
        kept |= {"moves:count"} | ({"whole"} if is_whole(first) else set())
        listed = None if first.items is None or first.tells else float(len(first.items))
        return Value(tells=first.shape, params=first.params, marks=frozenset({"length", *kept}),
                     form=symbol("n"), loops=first.loops, number=listed)  # fmt: skip
    if name == "where" and len(given) == 3:
        test, one, other = given
        picked = choice(frame, node, test, one, other)
        return picked.marked("vector") if any(v.has("vector") for v in given) else picked
    found = None if receiver is None else _of_dictionary(name, receiver, arguments)
    if found is not None:
        return found
    if name in _GOING_THROUGH:
        given = tuple(iterated(each) for each in given)
        first = given[0] if given else first
    if name in ("zip", "enumerate", "items"):
        return _zipped(name, first, given)
    found = _best_keys(frame, node, name, given)
    if found is not None:
        return found
    if name == "dict" and not given and not keywords:
        return Value(marks=frozenset({"dict", "fields"}))
    if name == "fromkeys" and given and all(each.public for each in given):
        return Value(marks=frozenset({"dict"}))
    if name == "defaultdict" or (name == "Counter" and not given):
        return Value(marks=frozenset({"grows-by-key"}))
    if name == "dict" and first.has("zipped") and first.items is not None:
        whole = changed(joined(*first.items), items=None)
        return whole.marked("keyed") if first.items[0].tells else whole
    if name == "next":
        return element(first)
    if name == "shape":
        return Value(tells=first.shape, marks=frozenset({"shape"}))
    if name == "size" and receiver is None:
        return Value(tells=first.shape, params=first.params, marks=frozenset({"length"}))
    if name in ("any", "all", "bool") and decided(frame.facts, first) is not None:
        return truth(changed(first.plain(), shape=NOTHING), decided(frame.facts, first))
    if name in ("isnan", "isna", "isnull", "isfinite", "notna", "notnull") and first.tells:
        there = name in ("isfinite", "notna", "notnull")
        known = there if frame.facts.relation.nan is False else None
        return truth(elementwise((first,)).marked("mask"), known)
    if name == "clip" or name in _LOWER | _UPPER:
        return _clipped(node, name, receiver, arguments, keywords)
    if name in ("min", "max") and receiver is None and len(arguments) > 1 and not dotted.count("."):
        return _bounded(name, arguments)
    for step in _STEPS:
        value = step(node, name, given, keywords)
        if value is not None:
            return value
    return None


def _of_dictionary(name: str, held: Value, arguments: tuple[Value, ...]) -> Value | None:
    """Return an entry of a dictionary, its keys or its values; the columns of a table."""
    if name == "keys" and held.has("raw", "vector"):
        return PUBLIC
    if name == "keys" and held.has("dict"):
        return iterated(held)
    if name == "values":
        marks = (held.marks - {"dict", "fields"}) | {"vector"}
        return changed(held, marks=marks, fields=())
    if name not in ("get", "pop", "setdefault") or not arguments or not held.has("dict"):
        return None
    key, *default = arguments
    if not key.public or not key.text:
        return None
    missing = default[0] if default else Value(marks=frozenset({"none"}))
    return dict(held.fields).get(key.text, missing if held.has("fields") else None)


def _best_keys(frame: Frame, node: ast.Call, name: str, given: tuple[Value, ...]) -> Value | None:
    """Return the keys that noisy values order, as in ``max(noisy, key=noisy.get)``; else None."""
    key = next((k.value for k in node.keywords if k.arg == "key"), None)
    if name not in ("max", "min", "sorted", "nlargest", "nsmallest") or key is None:
        return None
    if isinstance(key, ast.Lambda) and len(key.args.args) == 1:
        bound, parameter = dict(frame.names), key.args.args[0].arg
        frame.names[parameter] = element(iterated(given[0])) if given else PUBLIC
        values = evaluate(frame, key.body)
        frame.names = bound
    elif isinstance(key, ast.Attribute) and key.attr in ("get", "__getitem__"):
        values = evaluate(frame, key.value)
    else:
        return None
    if not values.covered:
        return None
    marks = {"index"} if name in ("max", "min") else {"index", "vector"}
    return changed(values.plain(), shape=NOTHING, marks=frozenset(marks))


def _zipped(name: str, first: Value, given: tuple[Value, ...]) -> Value:
    """Return what goes through several collections side by side."""
    keys = first if first.has("keyed") or first.has("keys") else Value(tells=first.shape)
    parts = {"zip": given, "items": (keys, first)}.get(name, (Value(shape=first.shape), first))
    whole = joined(*parts)
    shape = frozenset[str]().union(*(p.shape for p in parts))
    return changed(whole, items=parts, shape=shape, marks=whole.marks | {"zipped"})


_OF_GROUPS = frozenset({"size", "count", "nunique", "agg", "aggregate", "first", "last"})
_Step = Callable[[ast.Call, str, tuple[Value, ...], dict[str, Value]], Value | None]


def _clipped(
    node: ast.Call,
    name: str,
    receiver: Value | None,
    arguments: tuple[Value, ...],
    keywords: dict[str, Value],
) -> Value:
    """Clip: which ends have a bound, and whether NaN has one."""
    if receiver is None and name != "clip":
        pair = arguments[:2]
        value = next((a for a in pair if not a.public), pair[0] if pair else PUBLIC)
        sides = {"low"} if name in _LOWER else {"high"}
        bounds = tuple(a for a in pair if a is not value)
    else:
        value = receiver if receiver is not None else (arguments or (PUBLIC,))[0]
        rest = arguments if receiver is not None else arguments[1:]
        nodes = node.args if receiver is not None else node.args[1:]
        sides = {s for s, n in zip(("low", "high"), nodes, strict=False) if not _none(n)}
        for keyword in node.keywords:
            if keyword.arg in ("min", "lower", "a_min") and not _none(keyword.value):
                sides.add("low")
            if keyword.arg in ("max", "upper", "a_max") and not _none(keyword.value):
                sides.add("high")
        bounds = (*rest, *keywords.values())
    return _with_bounds(value, bounds, sides, name in _NAN_SAFE)


def _none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _bounded(name: str, arguments: tuple[Value, ...]) -> Value:
    """Clip by Python's `min` and `max`, which pass NaN on where it comes first."""
    at = next((i for i, a in enumerate(arguments) if not a.public), None)
    if at is None:
        return _folded(name, arguments)
    value = arguments[at]
    rest = (*arguments[:at], *arguments[at + 1 :])
    sides = {"low"} if name == "max" else {"high"}
    return _with_bounds(value, rest, sides, safe=at > 0)


def _with_bounds(value: Value, bounds: tuple[Value, ...], sides: set[str], safe: bool) -> Value:
    result = elementwise((value, *bounds))
    if value.noise and all(b.public for b in bounds):
        return changed(result, marks=result.marks | value.marks | {"cut"})
    kept = value.marks & {"own", "low", "high", "nan", "float", "scalar", "vector", "aggregate",
                          "integer", "entry", "blended", "length", "one", "broadcast", "shared",
                          "summed", "running", "counts", "one-sided", "flat", "cut",
                          "rounded", "late", "unclipped", "range", "deviation"}  # fmt: skip
    marks = kept | sides | ({"nan"} if safe or value.has("integer") else set())
    if value.has("unclipped"):
        marks |= {"late"}
    marks |= {m for m in value.marks if m.startswith(("part", "bound:"))}
    ends = sorted(b.number for b in bounds if b.number is not None)
    if len(ends) == 1:
        marks |= {_capped(m, next(iter(sides)), ends[0]) for m in value.marks if "extreme:" in m}
    if value.has("raw") and len(ends) == 2 and not any(m.startswith("part") for m in marks):
        marks |= {f"span:{ends[0]!r}:{ends[1]!r}"}
    params = {f"bound:{name}" for b in bounds for name in b.params}
    return changed(result, marks=result.marks | marks | (params if value.has("own") else set()))


def _folded(name: str, arguments: tuple[Value, ...]) -> Value:
    """Return `min` or `max` of public numbers."""
    result = mixed(arguments)
    numbers = [a.number for a in arguments]
    forms = [a.form for a in arguments]
    number = None
    if numbers and all(n is not None for n in numbers):
        number = (min if name == "min" else max)(n for n in numbers if n is not None)
    form = None
    if number is not None and all(f is not None and not f.powers for f in forms):
        form = constant(number)
    elif all(f is not None for f in forms):
        form = applied(name, *(f for f in forms if f is not None))
    return changed(result, number=number, form=form)


def _aggregate(
    _: ast.Call, name: str, given: tuple[Value, ...], keywords: dict[str, Value]
) -> Value | None:
    """Sum and the like: they tell what the entries tell, and how many there are."""
    if not given or name not in AGGREGATES | (_OF_GROUPS if given[0].has("grouped") else set()):
        return None
    value = given[0]
    result = mixed((*given, *keywords.values()))
    if value.has("grouped"):
        return changed(result, shape=value.shape).marked("vector", "keys", "aggregate")
    shape = NOTHING if "axis" not in keywords else frozenset[str]()
    tells = result.tells
    if not value.covered or value.noise:
        tells = tells | (value.shape if name != "median" or value.tells else NOTHING)
    if value.hidden:
        tells = result.tells
    marks = {"aggregate"} | ({"boolean"} if name in ("any", "all") else set())
    if value.public and not value.tells and value.shape and name in ("max", "min", "argmax"):
        tells = value.shape
    if name in ("max", "min", "amax", "amin") and value.has("decayed"):
        marks |= {"smooth"}
    if name in SUMS and value.has("own"):
        marks |= {"summed"} | (value.marks & {"low", "high", "nan", "float", "squared"})
        marks |= {m for m in value.marks if m.startswith("bound:")}
        marks |= {"unclipped"} if not value.marks & {"low", "high"} else set()
    marks |= {m for m in value.marks if m.startswith(("factor:", "part"))}
    marks |= {"deviation"} if name in _DEVIATIONS and value.tells else set()
    marks |= {"running"} if name in _TOTALS and value.has("prefix") and value.tells else set()
    if value.has("mask") or name == "count_nonzero":
        marks |= {"counted"} | (value.marks & {"overlapping", "pairs"})
        marks |= {"counts"} if value.has("one-hot") and "axis" in keywords else set()
    marks |= _moved(name, value) if "axis" not in keywords else set()
    if name in EXTREMES and value.tells:
        marks |= {"extreme"}
    marks |= {"index"} if name in ("argmax", "argmin") else set()
    whole = value.has("aggregate") if name == "norm" else value.has("squares")
    marks |= {"norm"} if whole and name in ("norm", "sum") and "axis" not in keywords else set()
    marks |= value.marks & {"blended", "one-sided"} if name not in ("argmax", "argmin") else set()
    if "axis" in keywords:
        marks |= value.marks & {"vector"}
    sampled = value.noise and bool(tells)
    result = changed(result, tells=tells, shape=shape, marks=(result.marks - {"vector"}) | marks)
    if sampled:
        return changed(result, draws=frozenset()).marked("sampled")
    return result


def _capped(mark: str, side: str, end: float) -> str:
    """Return the mark of a largest or smallest record that has a bound."""
    what, kind, low, high = mark.split(":")
    low, high = (
        (repr(max(float(low), end)), high) if side == "low" else (low, repr(min(float(high), end)))
    )
    return ":".join((what, kind, low, high))


_MOVES = {
    "sum": "sum", "fsum": "sum", "nansum": "sum", "mean": "mean", "fmean": "mean",
    "average": "mean", "nanmean": "mean", "var": "variance", "std": "mean", "max": "extreme",
    "min": "extreme", "amax": "extreme", "amin": "extreme", "median": "mean",
}  # fmt: skip


def _moved(name: str, value: Value) -> set[str]:
    """Return marks for how far one record moves a statistic; they end with the next operation."""
    if name == "mean" and value.has("mask") and value.tells:
        return {"moves:share:0:1"}
    if name in ("sum", "count_nonzero") and value.has("mask") and value.tells:
        nested = value.loops and value.marks & {"ordered-above", "ordered-below"}
        return {"moves:nested" if nested else "moves:count"}
    spans = [m for m in value.marks if m.startswith("span:")]
    spans = spans or (["span:-inf:inf"] if value.has("raw", "vector") else [])
    return {f"moves:{_MOVES[name]}:{span[5:]}" for span in spans if name in _MOVES}


def _converted(
    node: ast.Call, name: str, given: tuple[Value, ...], _: dict[str, Value]
) -> Value | None:
    """Return a value in other clothes; a cast to int cuts noise."""
    if name not in CONVERSIONS or not given:
        return None
    value = given[0]
    if name == "str":
        return changed(mixed(given).plain(), marks=value.marks & (STICKY | {"key"}))
    if len(given) > 1 and name in ("concatenate", "hstack", "vstack", "stack"):
        value = joined(*given)
    if name in ("concatenate", "hstack", "vstack", "stack", "list", "tuple", "array"):
        marks = (value.marks - {"scalar"}) | {"vector"}
        items = value.items if name in ("list", "tuple", "array") else None
        value = changed(value, marks=marks, items=items)
    if name == "int" and value.noise:
        return value.marked("cut")
    if name in ("int", "astype", "asarray") and _to_integers(node, name):
        value = changed(value, marks=value.marks | {"nan", "integer"})
    if name in ("float", "int", "Fraction", "Decimal", "item"):
        return changed(value, items=None, shape=NOTHING, marks=value.marks - {"vector"})
    return value


def _to_integers(node: ast.Call, name: str) -> bool:
    if name == "int":
        return True
    written = [*node.args, *(k.value for k in node.keywords if k.arg == "dtype")]
    return any("int" in ast.unparse(part) for part in written if not isinstance(part, ast.Call))


def _collected(
    node: ast.Call, name: str, given: tuple[Value, ...], keywords: dict[str, Value]
) -> Value | None:
    """Return collections with an entry for each value that occurs, and those of a given size."""
    value = given[0] if given else PUBLIC
    if name in KEYED and value.tells:
        result = changed(mixed(given), shape=value.tells, items=None).marked("vector", "keys")
        result = result.marked("grouped") if name == "groupby" else result
        counted = any(k.arg == "return_counts" for k in node.keywords)
        return changed(result, items=(result, result)) if counted else result
    if name == "bincount" and value.tells:
        grows = "minlength" not in keywords and len(given) < 3
        shape = value.tells if grows else NOTHING
        return changed(mixed(given), shape=shape).marked("vector", "counts")
    if name == "histogram" and value.tells:
        counts = changed(mixed(given), shape=NOTHING).marked("vector", "counts")
        bins = given[1] if len(given) > 1 else keywords.get("bins", PUBLIC)
        given_edges = bins.public and bins.number is None and bins is not PUBLIC
        edges = PUBLIC if given_edges or "range" in keywords else counts.marked("domain")
        return changed(counts, items=(counts, edges))
    if name in _RANGES:
        fill = given[1:] if name == "full" else ()
        tells = frozenset[str]().union(*(v.tells for v in given[:2])) if given else NOTHING
        return Value(mixed(fill).tells, tells, params=mixed(given).params, loops=value.loops,
                     marks=frozenset({"vector", "array"}))  # fmt: skip
    if name in _LIKE:
        return Value(shape=value.shape, marks=frozenset({"vector", "array"}))
    if name == "linspace" and value.tells | mixed(given[1:2]).tells:
        return mixed(given).marked("vector", "domain")
    if name == "searchsorted" and given:
        return _searched(given)
    if name in ("argsort", "argpartition", "flatnonzero", "nonzero"):
        return changed(mixed(given), shape=value.tells if "non" in name else value.shape).marked(
            "vector", "index"
        )
    return None


def _searched(given: tuple[Value, ...]) -> Value:
    """Look up a position; by chance among private weights that is a draw from the weights."""
    value, rest = given[0], given[1:]
    result = mixed(given)
    drawn = any(r.covered for r in rest)
    if value.tells and drawn and not value.has("exp"):
        return changed(result, tells=value.tells, hidden=False).marked("weighed", "index")
    vectors = [r for r in rest if r.has("vector")]
    shape = frozenset[str]().union(*(v.shape for v in vectors)) if vectors else NOTHING
    return changed(result, shape=shape).marked("index", *(("vector",) if vectors else ()))


def _kept(
    node: ast.Call, name: str, given: tuple[Value, ...], __: dict[str, Value]
) -> Value | None:
    """Return entries in another order, or each for itself changed."""
    value = given[0] if given else PUBLIC
    if name in _ROUNDING and value.noise:
        return changed(value, items=None).marked("rounded")
    if name in ("trunc", "fix") and value.noise:
        return changed(value, items=None).marked("cut")
    sums = name == "accumulate" and len(given) == 1 and len(node.args) == 1
    if not given or not (name in _KEPT or sums):
        return None
    if value.public:
        return _folded_call(name, given)
    marks = set(value.marks)
    if name == "nan_to_num":
        marks |= {"nan"}
    if name in ("cumsum", "accumulate") and value.tells:
        marks = {"vector", "running"} | (marks & {"exp"})
    if name in ("cumsum", "diff"):
        marks -= {"drawn"}
    if name in ("abs", "fabs", "absolute"):
        marks |= {"one-sided"} if value.noise else set()
        marks -= {"own"}
    shape = value.shape
    if name in ("array_split", "split"):
        marks |= {"nested", "parts"}
        shape = frozenset[str]().union(*(v.tells for v in given[1:2]))
    if name in ("head", "tail"):
        marks |= {"slice-of"}
    if name in ("apply", "outer", "delete", "repeat"):
        marks &= {"vector", "float"}
    return changed(mixed((value, *given[1:])), shape=shape, marks=frozenset(marks))


def _mathematics(
    node: ast.Call, name: str, given: tuple[Value, ...], _: dict[str, Value]
) -> Value | None:
    """Return logarithms, roots and exponentials, calculated where they are public."""
    if name not in ("exp", "log", "log2", "log10", "sqrt", "log1p", "expm1", "pow", "erfc", "ceil",
                    "floor", "round", "float_power", "square", "abs"):  # fmt: skip
        return None
    value = given[0] if given else PUBLIC
    if value.public and all(v.public for v in given):
        folded = _folded_call(name, given)
        falls = name == "exp" and any(isinstance(n, ast.USub) for n in ast.walk(node))
        return folded.marked("decay") if falls else folded
    result = elementwise(given)
    kept = value.marks & {"float", "smooth"}
    if name == "exp" or (name == "pow" and value.public):
        kept |= {"exp"}
        if not value.tells and any(isinstance(n, ast.USub) for n in ast.walk(node)):
            kept |= {"decay"}
    if name == "square" and value.has("aggregate"):
        kept |= {"squares"}
    if name == "square" and value.has("own"):
        kept |= {"squared"} | (value.marks & {"own", "low", "high", "nan"})
    return changed(result, marks=result.marks | kept)


def _folded_call(name: str, given: tuple[Value, ...]) -> Value:
    result = elementwise(given)
    decay = frozenset({"decay"}) if name == "exp" and any(v.shape for v in given) else NOTHING
    result = changed(result, marks=result.marks | decay)
    numbers = [v.number for v in given]
    number = None
    function = getattr(math, {"abs": "fabs"}.get(name, name), None)
    if function is not None and all(n is not None for n in numbers):
        try:
            number = float(function(*numbers))
        except (ArithmeticError, ValueError, TypeError):
            number = None
    return changed(result, number=number, form=_form(name, given))


def _form(name: str, given: tuple[Value, ...]) -> Form | None:
    forms = [v.form for v in given]
    if not forms or any(f is None for f in forms):
        return None
    known = [f for f in forms if f is not None]
    if name == "sqrt":
        return known[0].raised(0.5)
    if all(not f.powers for f in known) and given[0].number is not None:
        function = getattr(math, name, None)
        try:
            return constant(function(*(f.coefficient for f in known))) if function else None
        except (ArithmeticError, ValueError, TypeError):
            return None
    return applied(name if len(known) == 1 else f"{name}_to_base", *known)


_STEPS: tuple[_Step, ...] = (_aggregate, _converted, _collected, _kept, _mathematics)
