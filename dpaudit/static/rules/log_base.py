"""A logarithm to another base."""

from __future__ import annotations

from collections.abc import Iterator

from dpaudit.static.facts import Facts
from dpaudit.static.rule import Hit, Rule


def look(facts: Facts) -> Iterator[Hit]:
    """Yield logarithms of noise, and scales with a logarithm, to another base than e."""
    for call in facts.calls:
        if not any(a.noise for a in call.arguments[:1]):
            continue
        base = call.arguments[1].number if len(call.arguments) > 1 else None
        if call.name == "log10" or (call.name == "log" and base is not None and base > 2.7183):
            yield Hit(call.place, "noise by inversion needs the natural logarithm")
        elif call.name == "log2" or (call.name == "log" and base == 2):
            yield Hit(call.place, "noise by inversion needs the natural logarithm", "warning")
    for draw in facts.draws:
        form = None if draw.scale is None else draw.scale.form
        names = [] if form is None else [name for name, _ in form.powers]
        if any(name.startswith("log10(") for name in names):
            yield Hit(draw.place, "the scale of the noise has a logarithm to base ten")
        elif any(name.startswith("log2(") for name in names):
            said = "the scale of the noise has a logarithm to base two, where ε is in nats"
            yield Hit(draw.place, said, "warning")


RULE = Rule(
    "DPA106",
    "log-base",
    "A logarithm to base two or ten is used, and the formula has the natural one.",
    bad="""\
def noisy_answer(answer, rng, sensitivity=1.0, epsilon=1.0):
    sign = 1 if rng.random() < 0.5 else -1
    return answer + sign * sensitivity / epsilon * math.log10(rng.random())
""",
    good="""\
def noisy_answer(answer, rng, sensitivity=1.0, epsilon=1.0):
    sign = 1 if rng.random() < 0.5 else -1
    return answer + sign * sensitivity / epsilon * math.log(rng.random())
""",
    look=look,
)
