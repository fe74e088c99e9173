"""Arithmetic on what is known of values: addition covers, multiplication scales."""

from __future__ import annotations

from dpaudit.static.forms import constant, symbol
from dpaudit.static.frames import Frame
from dpaudit.static.library import ADDITIVE, EPSILON
from dpaudit.static.values import KEEPS, NOTHING, SIZE, Value, changed, elementwise, mixed


def combined(frame: Frame, operator: str, left: Value, right: Value) -> Value:
    """Return the result of an arithmetic operation."""
    if left.public and right.public:
        result = _calculated(operator, left, right)
        falls = operator == "Mult" and (left.has("decay") or right.has("decay"))
        return result.marked("decayed") if falls else result
    if operator in ("Add", "Sub"):
        result = _added(frame, left, right)
        both = operator == "Sub" and left.has("extreme") and right.has("extreme")
        wide = (left.marks | right.marks) & {"range", "deviation"}
        stays = wide if left.public or right.public else NOTHING  # with a little to divide by
        return result.marked(*stays, *(("range",) if both else ()))
    if operator in ("Mult", "Div", "FloorDiv", "MatMult"):
        return _scaled(frame, operator, left, right)
    result = elementwise((left, right))
    if operator == "Pow" and left.has("own"):
        marks = {m for m in left.marks if m in ("low", "high", "nan", "own")}
        return result.marked("squared", *marks)
    if operator == "Pow" and left.has("aggregate"):
        return result.marked("squares")
    if left.has("mask") or right.has("mask"):
        kept = (left.marks | right.marks) & KEEPS if operator == "BitAnd" else NOTHING
        return result.marked("mask", *kept)
    return result


def _calculated(operator: str, left: Value, right: Value) -> Value:
    result = elementwise((left, right))
    result = changed(result, number=_number(operator, left.number, right.number))
    one, two = left.form, right.form
    if one is None or two is None:
        return changed(result, form=None if result.number is None else constant(result.number))
    match operator:
        case "Add":
            return changed(result, form=one + two)
        case "Sub":
            return changed(result, form=one + constant(-1.0) * two)
        case "Mult":
            return changed(result, form=one * two)
        case "Div":
            return changed(result, form=one / two)
        case "Pow" if right.number is not None and not two.powers:
            return changed(result, form=one.raised(right.number))
    return changed(result, form=symbol(f"({one} {operator} {two})"))


def _number(operator: str, left: float | None, right: float | None) -> float | None:
    if left is None or right is None:
        return None
    try:
        match operator:
            case "Add":
                return left + right
            case "Sub":
                return left - right
            case "Mult":
                return left * right
            case "Div":
                return left / right
            case "FloorDiv":
                return left // right
            case "Mod":
                return left % right
            case "Pow":
                power = left**right if abs(right) < 1e3 else None
                return power if isinstance(power, float) else None
    except (ArithmeticError, ValueError):
        return None
    return None


def _added(frame: Frame, left: Value, right: Value) -> Value:
    """Add: noise covers what it is added to."""
    result = elementwise((left, right))
    private, noise = (left, right) if left.tells or left.hidden else (right, left)
    marks: set[str] = set()
    if noise.noise and (private.tells or private.hidden):
        marks.add("blended")
        marks |= noise.marks & {"cut", "rounded", "one-sided", "flat"}
        if private.has("integer"):
            marks.add("integer")
        stale = _stale(frame, private, noise)
        marks |= {"shared"} if stale and private.tells else set()
        if not stale:
            result = changed(result, marks=result.marks - {"shared"})
    elif noise.noise or private.public or noise.public:
        marks |= (left.marks | right.marks) & {"cut", "rounded", "one-sided", "float"}
        if left.noise and right.noise:
            marks -= {"one-sided"}
        if private.has("length") and (noise.number or 0) > 0:
            marks |= {"more"}
        if private.has("own") and noise.public:
            marks |= private.marks & {"own", "nan", "low", "high", "float"}
    return result.marked(*marks)


def _stale(frame: Frame, private: Value, noise: Value) -> bool:
    """Return whether one noise meets several values: made before the loop, or one for a vector."""
    draws = [frame.facts.draws[i] for i in noise.draws]
    additive = [d for d in draws if d.family in ADDITIVE]
    if not additive:
        return False
    if private.has("vector") and not noise.has("vector") and not private.has("one"):
        return not any(d.sized for d in draws) and not set(noise.loops) & set(frame.loops)
    varying = private.loops & set(frame.loops)
    return bool(varying - noise.loops)


def _scaled(frame: Frame, operator: str, left: Value, right: Value) -> Value:
    """Multiply or divide: noise that a private value scales is no cover for that value."""
    result = (mixed if operator == "MatMult" else elementwise)((left, right))
    for private, other in ((left, right), (right, left)):
        if not private.tells or other.tells:
            continue
        if private.tells == SIZE and other.covered and not frame.facts.relation.size_private:
            return changed(result, tells=NOTHING, hidden=other.hidden, draws=other.draws)
        if other.noise:
            families = {frame.facts.draws[i].family for i in other.draws}
            if private.has("smooth") or not families & ADDITIVE or other.has("sign"):
                hidden = Value(draws=other.draws, params=result.params, marks=result.marks,
                               loops=result.loops)  # fmt: skip
                return hidden if private.has("smooth") else changed(hidden, hidden=True)
            return changed(result, tells=private.tells, hidden=False, draws=frozenset(),
                           marks=result.marks | {"rescaled"})  # fmt: skip
        if other.hidden:
            return changed(result, tells=private.tells, hidden=False, draws=frozenset(),
                           marks=result.marks | {"rescaled"})  # fmt: skip
    main = left if left.tells and (not right.tells or left.tells != SIZE) else right
    kept = main.marks & _PASSED
    kept |= {"over-more"} if operator == "Div" and right.has("more") else set()
    public = right if left.tells else left
    both = left.tells and right.tells and {"size"} not in (left.tells, right.tells)
    if operator == "Div" and right.has("length"):
        kept |= {m.replace("moves:sum", "moves:mean") for m in left.marks if "moves:sum" in m}
        kept |= {"moves:share:0:1"} if left.marks & {"moves:count", "moves:nested"} else set()
    if operator == "MatMult" or both:
        kept &= {"smooth", "float"}
        kept |= {"aggregate"} if operator == "MatMult" and both else set()
        late = {
            one.has("aggregate") and by.has("norm") for one, by in ((left, right), (right, left))
        }
        kept |= {"late-norm"} if True in late else set()
    if (left.has("decay") and right.tells) or (right.has("decay") and left.tells):
        kept |= {"decayed"}
    if left.noise or right.noise:
        kept |= (left.marks | right.marks) & {"one-sided", "cut", "rounded", "flat"}
    if public.public and (left.tells or right.tells) and operator == "Mult" and public.form:
        names = {n for n, p in public.form.powers if p > 0}
        kept |= {f"factor:{name}" for name in names if name in public.params | EPSILON}
    return result.marked(*kept)


_PASSED = frozenset(
    {
        "own", "low", "high", "nan", "aggregate", "smooth", "unclipped", "summed", "counts",
        "float", "overlapping", "running", "counted", "decayed", "more",
    }
)  # fmt: skip
