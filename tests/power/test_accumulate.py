"""A violation that is too small for a night is found in several."""

from dpaudit import Pairs, PureDP, Verdict, vectorized
from dpaudit.evidence import Budget
from dpaudit.statistical import StatisticalEngine
from dpaudit.subject import Subject
from tests.nights import Kept, Quick

NIGHTS, CALLS = 24, 3_000


@vectorized
def too_little_noise(x, size, rng):
    """Laplace noise for ε = 1.1 in place of 1."""
    return x + rng.laplace(scale=1 / 1.1, size=size)


def night(memory, seed):
    subject = Subject.of(too_little_noise)
    return StatisticalEngine(memory=memory).examine(
        subject, PureDP(1.0), Pairs([(0, 1)]), Budget(1e-6, CALLS, None, seed),
        runner=Quick(subject),
    )  # fmt: skip


def test_nights_together_find_what_each_alone_misses():
    """With fresh seeds six rows took 4 to 11 nights, and none of 18 nights refuted alone."""
    alone = [night(None, seed) for seed in range(3)]
    assert all(found.verdict is not Verdict.REFUTED for found in alone)
    memory, together = Kept(), None
    for memory.night in range(1, NIGHTS + 1):
        together = night(memory, 100 + memory.night)
        if together.verdict is Verdict.REFUTED:
            break
    assert together.verdict is Verdict.REFUTED
    assert together.nights.number == memory.night > 1
    assert together.epsilon >= 1.0
    assert all(together.calls > found.calls for found in alone)
