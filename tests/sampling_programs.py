"""Exact samplers with one change each: what breaks them, and what says the same otherwise."""

import importlib.util
import itertools
from fractions import Fraction
from pathlib import Path

from mechanisms.discrete_laplace import bernoulli_exp, two_sided_geometric

_NUMBERS = itertools.count()


def changed(module, old, new, folder):
    """Return a module whose source has `new` in the place of the first `old`."""
    source = Path(module.__file__).read_text()
    assert old in source
    path = folder / f"changed_sampler_{next(_NUMBERS)}.py"
    path.write_text(source.replace(old, new, 1))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


WRONG_LAPLACE = [
    ("numerator > denominator", "numerator >= denominator"),
    ("numerator > denominator", "denominator > numerator"),
    ("not bernoulli_exp(1, 1, coins)", "bernoulli_exp(1, 1, coins)"),
    ("not bernoulli_exp(1, 1, coins)", "not bernoulli_exp(1, 2, coins)"),
    ("not bernoulli_exp(1, 1, coins)", "not bernoulli_exp(0, 0, coins)"),
    ("return False", "return True"),
    ("numerator -= denominator", "numerator -= 1"),
    ("numerator -= denominator", "numerator += denominator"),
    ("    k = 1", "    k = 0"),
    ("    k = 1", "    k = 2"),
    ("k += 1", "k += 2"),
    ("coins.integers(k * denominator) < numerator", "coins.integers(denominator) < numerator"),
    ("coins.integers(k * denominator) < numerator", "coins.integers(k + denominator) < numerator"),
    ("coins.integers(k * denominator) < numerator", "coins.integers(k * denominator) <= numerator"),
    ("coins.integers(k * denominator)", "coins.integers(k * denominator, endpoint=True)"),
    ("k % 2 == 1", "k % 2 == 0"),
    ("k % 2 == 1", "k % 3 == 1"),
    ("int(coins.integers(t))", "int(coins.integers(s))"),
    ("int(coins.integers(t))", "int(coins.integers(t + 1))"),
    ("int(coins.integers(t))", "int(coins.integers(1, t))"),
    ("int(coins.integers(t))", "coins.integers(t)"),
    ("if not bernoulli_exp(u, t, coins)", "if bernoulli_exp(u, t, coins)"),
    ("bernoulli_exp(u, t, coins)", "bernoulli_exp(u, s, coins)"),
    ("bernoulli_exp(u, t, coins)", "bernoulli_exp(t, u + 1, coins)"),
    ("bernoulli_exp(u, t, coins)", "bernoulli_exp(u - 1, t, coins)"),
    ("        v = 0", "        v = 1"),
    ("v += 1", "v += 2"),
    ("while bernoulli_exp(1, 1, coins)", "while bernoulli_exp(1, 2, coins)"),
    ("while bernoulli_exp(1, 1, coins)", "while not bernoulli_exp(1, 1, coins)"),
    ("while bernoulli_exp(1, 1, coins)", "while bernoulli_exp(0, 1, coins)"),
    ("u + t * v", "u + s * v"),
    ("u + t * v", "u - t * v"),
    ("u + t * v", "u + t * u"),
    ("// s", "// t"),
    ("// s", "* s"),
    ("coins.integers(2)", "coins.integers(3)"),
    ("if magnitude or not negative", "if magnitude"),
    ("if magnitude or not negative", "if magnitude and not negative"),
    ("if magnitude or not negative", "if magnitude or not magnitude or not negative"),
    ("if magnitude or not negative", "if not negative"),
    ("-magnitude if negative else magnitude", "magnitude if negative else magnitude"),
    ("-magnitude if negative else magnitude", "-magnitude if negative else v"),
    ("-magnitude if negative else magnitude", "-u if negative else u"),
    ("        u = int(", "        u = t if True else int("),
    ("s, t = decay.numerator, decay.denominator", "t, s = decay.numerator, decay.denominator"),
    ("    while True:\n        u", "    u = 0\n    while True:\n        s += u\n        u"),
]

REWRITTEN = [
    ("        u = int(", "        u = t if False else int("),
    ("numerator > denominator", "denominator < numerator"),
    ("not bernoulli_exp(1, 1, coins)", "not bernoulli_exp(2, 2, coins)"),
    ("k * denominator", "denominator * k"),
    ("k % 2 == 1", "k % 2 != 0"),
    ("u + t * v", "t * v + u"),
    ("magnitude or not negative", "magnitude or negative"),
    ("magnitude or not negative", "not (negative and magnitude == 0)"),
    ("-magnitude if negative else magnitude", "magnitude if negative else -magnitude"),
    ("u + t * v", "v * t + u"),
]

WRONG_GAUSSIAN = [
    ("Fraction(1, t)", "Fraction(2, t)"),
    ("Fraction(1, t)", "Fraction(1, t + 1)"),
    ("abs(z) * t * b - a", "abs(z) * t * b + a"),
    ("abs(z) * t * b - a", "abs(z) * t - a"),
    ("abs(z) * t * b - a", "abs(z) * b - a"),
    ("abs(z) * t * b - a", "z * t * b - a"),
    (") ** 2, 2 * a", ") ** 3, 2 * a"),
    ("** 2, 2 * a * b * t * t", "** 2, a * b * t * t"),
    ("** 2, 2 * a * b * t * t", "** 2, 2 * b * t * t"),
    ("** 2, 2 * a * b * t * t", "** 2, 2 * a * b * t"),
    ("if bernoulli_exp((", "if not bernoulli_exp(("),
    ("int(answer) + z", "int(answer) + abs(z)"),
    ("int(answer) + z", "int(answer) + z // 2"),
    ("int(answer) + z", "int(answer)"),
]


def laplace_of_the_rate_kept(kept, coins):
    """Return discrete Laplace noise of another rate each time: it is kept in a list."""
    s, t = kept[-1], 10
    kept.append(1000)
    while True:
        u = int(coins.integers(t))
        if not bernoulli_exp(u, t, coins):
            continue
        v = 0
        while bernoulli_exp(1, 1, coins):
            v += 1
        magnitude = (u + t * v) // s
        negative = bool(coins.integers(2))
        if magnitude or not negative:
            return -magnitude if negative else magnitude


def gaussian_in_the_first_round(answer, rng):
    """Return discrete Gaussian noise of variance 100 if the first round returns, and 0 later."""
    kept = [1]
    while True:
        z = laplace_of_the_rate_kept(kept, rng)
        if bernoulli_exp((abs(z) * 10 - 100) ** 2, 20000, rng):
            return int(answer) + z


def gaussian_of_rates_taken_one_by_one(answer, rng):
    """Return noise of a rate that is taken off a list in each round."""
    rates = [Fraction(100)] * 50 + [Fraction(1, 10)]
    while True:
        z = two_sided_geometric(rates.pop(), rng)
        if bernoulli_exp((abs(z) * 10 - 100) ** 2, 20000, rng):
            return int(answer) + z
