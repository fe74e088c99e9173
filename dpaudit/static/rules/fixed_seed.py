"""A seed that everybody can guess."""

from __future__ import annotations

from collections.abc import Iterator

from dpaudit.static.facts import Draw, Facts, Place, Seeding
from dpaudit.static.library import ADDITIVE
from dpaudit.static.rule import Hit, Rule


def look(facts: Facts) -> Iterator[Hit]:
    """Yield generators with a constant seed, or one that a default makes constant."""
    for seeding in facts.seeds:
        seed = seeding.seed
        if seed is None or not seed.public or not _makes_noise(facts, seeding):
            continue
        if seed.number is not None or seed.has("global"):
            said = "" if seed.number is None else f" {seed.number:g}"
            yield Hit(seeding.place, f"the generator has the fixed seed{said}")
    for draw in facts.draws:
        if draw.maker.made is not None:
            said = "the generator is seeded once, with a fixed seed"
            yield Hit(Place(*draw.maker.made), said, related=((draw.place, "the noise"),))


def _makes_noise(facts: Facts, seeding: Seeding) -> bool:
    """Whether noise may come from what is seeded, and not hashes or an order alone."""
    kinds = ("global", "module-seeded") if seeding.seeder else ("seeded",)
    own: list[Draw] = []
    others: list[Draw] = []
    for draw in facts.draws:
        maker = draw.maker
        is_own = maker.kind in kinds and (maker.seeder or seeding.seeder) == seeding.seeder
        (own if is_own else others).append(draw)
    if seeding.seeder and not own:
        return False
    return any(d.family not in _ORDERS for d in own) or all(
        d.family not in ADDITIVE for d in others
    )


_ORDERS = ("integers", "permutation", "choice", "shuffle")

RULE = Rule(
    "DPA110",
    "fixed-seed",
    "Noise comes from a generator with a fixed seed, so that anybody can compute it.",
    bad="""\
def noisy_count(data, epsilon=1.0):
    rng = np.random.default_rng(0)
    return len(data) + rng.laplace(scale=1 / epsilon)
""",
    good="""\
def noisy_count(data, epsilon=1.0):
    rng = np.random.default_rng()
    return len(data) + rng.laplace(scale=1 / epsilon)
""",
    look=look,
)
