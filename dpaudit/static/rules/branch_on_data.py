"""A branch that the data take."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dpaudit.static.facts import Exit, Facts
from dpaudit.static.rule import Hit, Level, Rule


def look(facts: Facts) -> Iterator[Hit]:
    """Yield branches on private values of which an arm has no noise, and values they chose."""
    if not facts.released:
        return
    for way in facts.exits:
        if way.kind == "return" and way.value.branch and facts.private(way.value.tells):
            yield Hit(
                way.place, f"what is returned was chosen by the data (line {way.value.branch})"
            )
            continue
        if way.kind not in ("return", "raise") or not _without_noise(way):
            continue
        under = [c for c in way.under if facts.private(c.value.tells)]
        if under and not any(c.value.covered for c in way.under):
            what = "an exception" if way.kind == "raise" else "a return without noise"
            level: Level = "warning" if _is_validation(facts, way) else "error"
            yield Hit(under[0].place, f"{what} depends on the data", level)


def _is_validation(facts: Facts, way: Exit) -> bool:
    """Whether an exception is of a single record that is out of its range, or of an assertion."""
    if way.kind != "raise":
        return False
    return facts.relation.kind == "local" or isinstance(way.node, ast.Assert)


def _without_noise(way: Exit) -> bool:
    return way.kind == "raise" or not (way.value.draws or way.value.hidden)


RULE = Rule(
    "DPA108",
    "branch-on-data",
    "Whether noise is added, what is returned, or whether an exception is raised depends "
    "on the data.",
    bad="""\
def noisy_mean(data, rng, epsilon=1.0):
    if data.max() > 1000:
        return 0.0
    return np.fmin(np.fmax(data, 0), 1).sum() + rng.laplace(scale=1 / epsilon)
""",
    good="""\
def noisy_sum(data, rng, epsilon=1.0):
    noisy = np.fmin(np.fmax(data, 0), 1).sum() + rng.laplace(scale=1 / epsilon)
    if noisy < 0:
        return 0.0
    return noisy
""",
    look=look,
    also=("DPA109",),
)
