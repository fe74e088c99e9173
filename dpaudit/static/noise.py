"""Reads draws of random numbers, and the making of generators."""

from __future__ import annotations

import ast

from dpaudit.static.arithmetic import combined
from dpaudit.static.expressions import is_generator
from dpaudit.static.facts import Draw, Operation, Seeding
from dpaudit.static.frames import Frame
from dpaudit.static.kept_seeds import draws_shared, kept_seeds
from dpaudit.static.library import (
    FAMILIES,
    MAKERS,
    PYTHON_FAMILIES,
    RAW_DRAWS,
    RESAMPLING,
    SCALED,
    SCIPY,
    SECURE_MAKERS,
    SEEDERS,
    SYSTEM_DEVICES,
    SYSTEM_DRAWS,
)
from dpaudit.static.parts import element
from dpaudit.static.values import NOTHING, PUBLIC, Maker, Value, changed, mixed

_TORCH = {"randn": "standard_normal", "normal": "normal", "rand": "random"}


def make(
    frame: Frame,
    node: ast.Call,
    name: str,
    dotted: str,
    receiver: Value | None,
    arguments: tuple[Value, ...],
    keywords: dict[str, Value],
) -> Value | None:
    """Return the generator that a call makes; None where it makes none."""
    device = dotted == "open" and bool(arguments) and arguments[0].text in SYSTEM_DEVICES
    if device or dotted in SECURE_MAKERS:
        return Value(maker=Maker("secure", frame.loops))
    if receiver is not None and receiver.maker is not None and name in ("spawn", "jumped"):
        return changed(receiver, marks=frozenset({"vector"}))
    if dotted not in MAKERS and dotted not in SEEDERS:
        return None
    last = dotted.rpartition(".")[2]
    seed = next((v for k, v in keywords.items() if k in ("seed", "entropy", "a")), None)
    if seed is None and arguments:
        seed = arguments[0]
    given = node.args[0] if node.args else next((k.value for k in node.keywords), None)
    if isinstance(given, ast.Constant) and given.value is None:
        seed = None
    if seed is not None and seed.maker is not None:
        return Value(maker=seed.maker)
    if last == "check_random_state" or (seed is not None and _open(seed, given)):
        return Value(maker=Maker("parameter", frame.loops))
    seeder = dotted if dotted in SEEDERS else ""
    seeding = Seeding(frame.place(node), seed, frame.loops, _span(frame, seed), seeder)
    frame.facts.seeds.append(seeding)
    if dotted in SEEDERS:
        return PUBLIC
    kind = "fresh" if seed is None else "seeded"
    return Value(maker=Maker(kind, frame.loops), draws=frozenset() if seed is None else seed.draws)


def _open(seed: Value, given: ast.expr | None) -> bool:
    """Return whether a seed is a parameter that nothing fixes."""
    if seed.tells or seed.hidden or seed.draws or seed.number is not None:
        return False
    if isinstance(given, ast.Constant):
        return False
    return not seed.has("global") or bool(seed.params)


def _span(frame: Frame, seed: Value | None) -> float | None:
    """Return how many values a drawn seed has, where one draw of integers says so."""
    if seed is None or not seed.draws:
        return None
    spans = [width_of(draw) for draw in frame.facts.drawn(seed)]
    return None if None in spans else float(min(s for s in spans if s is not None))


def width_of(draw: Draw) -> float | None:
    """Return how many whole numbers a draw is one of, at least; None where that is unknown."""
    if draw.family != "integers":
        return None
    low, high = draw.arguments.get("low"), draw.arguments.get("high")
    if "bits" in draw.arguments:
        bits = draw.arguments["bits"].number
        return None if bits is None else 2.0 ** min(bits, 1000)
    if high is None:
        return None if low is None else low.number
    if low is None or low.number is None or high.number is None:
        return None
    return high.number - low.number


def draw(
    frame: Frame,
    node: ast.Call,
    name: str,
    dotted: str,
    receiver: Value | None,
    arguments: tuple[Value, ...],
    keywords: dict[str, Value],
) -> Value | None:
    """Return what a call draws; None where it draws nothing."""
    found = _family(node, name, dotted, receiver)
    if found is None:
        return None
    family, names, maker = found
    if maker.kind == "global":
        maker = _seeded(frame, dotted) or maker
    weighed = {
        "p" if name in ("weights", "cum_weights") else name: v for name, v in keywords.items()
    }
    given = dict(zip(names, arguments, strict=False)) | weighed
    sized = given.get("size") if "size" in names or "size" in given else None
    vector = "size" in given and not _is_none(node, "size")
    scale = given.get("scale") if family in SCALED else given.get("cov")
    if family in SCALED and scale is None:
        scale = Value(number=1.0)
    number = len(frame.facts.draws)
    frame.facts.draws.append(
        Draw(
            frame.place(node),
            family,
            scale,
            given,
            vector,
            maker,
            frame.loops,
            (*frame.path, id(node)),
        )
    )
    marks = {"vector"} if vector or family in ("bytes", "multivariate_normal") else set()
    marks |= {"drawn"}
    marks |= {"one-sided"} if family in ("exponential", "standard_exponential") else set()
    marks |= {"flat"} if family == "uniform" else set()
    marks |= {"drawn-index"} if family in ("integers", "permutation") else set()
    noise = Value(
        draws=frozenset({number}),
        shape=NOTHING if sized is None else sized.tells | sized.shape,
        loops=frozenset(frame.loops),
        params=mixed(given.values()).params,
        marks=frozenset(marks),
    )
    if family in RESAMPLING:
        return _resampled(frame, family, given, noise)
    return _around(frame, node, family, given, noise)


def _seeded(frame: Frame, dotted: str) -> Maker | None:
    """Return the generator of the process, where the file that draws from it seeds it for ever."""
    head, _, last = dotted.rpartition(".")
    for seed in kept_seeds(frame.module):
        if seed.seeder and draws_shared(head, last, seed.seeder):
            return Maker("module-seeded", made=(frame.module.shown, seed.line))
    return None


def _around(
    frame: Frame, node: ast.Call, family: str, given: dict[str, Value], noise: Value
) -> Value:
    """Return noise around a private number as that number with noise."""
    center = given.get("mean") if family == "multivariate_normal" else given.get("loc")
    if center is not None and (center.tells or center.hidden):
        result = combined(frame, "Add", center, noise)
        note = Operation(frame.place(node), "Add", center, noise, result, frame.loops)
        frame.facts.operations.append(note)
        return result
    others = [v for k, v in given.items() if k not in ("size", "loc", "mean", "scale")]
    if family != "gamma" and any(v.tells or v.hidden for v in others):
        return changed(noise, hidden=True)
    if center is not None and center.number not in (None, 0.0):
        return changed(noise, marks=noise.marks - {"one-sided"})
    return noise


def mechanism(frame: Frame, node: ast.Call, value: Value) -> Value:
    """Return what a mechanism without a definition makes of a value: it is hidden by a draw."""
    draws = value.draws | unread_noise(frame, node).draws
    return changed(value, tells=NOTHING, hidden=True, draws=draws)


def unread_noise(frame: Frame, node: ast.Call) -> Value:
    """Return the noise of a call that is known by its name alone."""
    number = len(frame.facts.draws)
    made = Maker("parameter")
    drawn = Draw(frame.place(node), "mechanism", None, {}, False, made, frame.loops, (id(node),))
    frame.facts.draws.append(drawn)
    return Value(draws=frozenset({number}), loops=frozenset(frame.loops))


def _resampled(frame: Frame, family: str, given: dict[str, Value], noise: Value) -> Value | None:
    """Return what is drawn from given values: data in another order, or a part of them."""
    source = given.get("a") or given.get("x") or PUBLIC
    weights = given.get("p")
    local = frame.facts.relation.kind == "local" or any(c.value.noise for c in frame.under)
    if local and family == "choice" and (weights is not None or source.has("of-public")):
        return changed(noise, hidden=True)  # a record decides how likely each value is
    private = source.tells - {"size"} if not source.has("vector") else source.tells
    if source.tells and private:
        if weights is not None and weights.tells and weights.has("exp"):
            return source.marked("picked")
        if weights is not None and weights.public and source.items is not None:
            return changed(noise, hidden=True)  # one of values that are written out: a coin
        kept = changed(source, items=None, number=None)
        if family == "choice" and not given.get("size"):
            kept = element(kept)
        replaced = given.get("replace")
        again = family == "choice" and (replaced is None or replaced.public)
        return kept.marked("sampled", *(("again",) if again and given.get("size") else ()))
    if weights is not None and weights.tells:
        if weights.has("exp"):
            return changed(noise, hidden=True)
        return changed(noise, tells=weights.tells, draws=frozenset()).marked("weighed")
    hidden = source.hidden or (weights is not None and weights.hidden)
    return changed(noise, hidden=hidden, shape=noise.shape | source.tells | source.shape)


def _family(
    node: ast.Call, name: str, dotted: str, receiver: Value | None
) -> tuple[str, tuple[str, ...], Maker] | None:
    """Return the distribution that a call draws from, its parameters, and its generator."""
    head, _, last = dotted.rpartition(".")
    if head == "numpy.random" and last in (*FAMILIES, "randn", "rand"):
        family = {"randn": "standard_normal", "rand": "random", "randint": "integers",
                  "random_sample": "random"}.get(last, last)  # fmt: skip
        names = ("size",) if last in ("randn", "rand") else FAMILIES[last]
        return family, names, Maker("global", seeder="numpy.random.seed")
    if head == "random" and last in PYTHON_FAMILIES:
        return *PYTHON_FAMILIES[last], Maker("global", seeder="random.seed")
    if dotted in SYSTEM_DRAWS:
        return "integers", ("high",), Maker("secure")
    if head == "torch" and last in _TORCH:
        return _TORCH[last], ("loc", "scale", "size"), Maker("global", seeder="torch.manual_seed")
    if head.startswith("scipy.stats.") and last == "rvs":
        known = SCIPY.get(head.rpartition(".")[2])
        return None if known is None else (*known, Maker("global", seeder="numpy.random.seed"))
    maker = None if receiver is None else receiver.maker
    made = maker is not None
    if maker is None:
        if not isinstance(node.func, ast.Attribute) or (receiver is not None and receiver.tells):
            return None
        if receiver is None and not dotted.startswith("self."):
            return None
        if not is_generator(node.func.value):
            return None
        maker = Maker("parameter")
    if name in FAMILIES:
        family = {"randint": "integers", "random_sample": "random"}.get(name, name)
        return family, FAMILIES[name], maker
    if name in PYTHON_FAMILIES:
        return *PYTHON_FAMILIES[name], maker
    return ("integers", ("high",), maker) if made and name in RAW_DRAWS else None


def _is_none(node: ast.Call, keyword: str) -> bool:
    found = next((k.value for k in node.keywords if k.arg == keyword), None)
    return isinstance(found, ast.Constant) and found.value is None
