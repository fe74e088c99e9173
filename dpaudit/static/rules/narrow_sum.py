"""A sum in a narrow type."""

from __future__ import annotations

from collections.abc import Iterator

from dpaudit.static.facts import Facts
from dpaudit.static.rule import Hit, Rule

_NARROW = frozenset(f"{kind}{bits}" for kind in ("int", "uint") for bits in (8, 16, 32))
_NARROW |= {"intc", "short", "byte", "ubyte", "ushort", "single", "half", "float16"}


def look(facts: Facts) -> Iterator[Hit]:
    """Yield sums of private values that name a type of 32 bits or less."""
    for call in facts.calls:
        if call.name not in ("sum", "cumsum", "dot", "prod", "mean") or not call.result.tells:
            continue
        dtype = call.keywords.get("dtype")
        if dtype is not None and dtype.text.rpartition(".")[2] in _NARROW:
            yield Hit(call.place, f"a sum in {dtype.text.rpartition('.')[2]} wraps or rounds")


RULE = Rule(
    "DPA104",
    "narrow-sum",
    "Records are added up in an integer type that wraps.",
    bad="""\
def noisy_sum(data, rng, epsilon=1.0):
    total = data.clip(0, 1000).sum(dtype=np.int16)
    return total + rng.laplace(scale=1000 / epsilon)
""",
    good="""\
def noisy_sum(data, rng, epsilon=1.0):
    total = data.astype(np.int64).clip(0, 1000).sum()
    return total + rng.laplace(scale=1000 / epsilon)
""",
    look=look,
)
