"""Draws and choices as people write them: each mechanism keeps what it claims."""

import math
import random
from random import SystemRandom

import numpy as np
from scipy import stats

from dpaudit import PureDP
from tests.unit.formal.drawn_nouns import (
    ADP,
    BIT,
    CAT,
    COL,
    K5,
    ONE,
    Q3,
    Q5,
    TWO,
    YN,
    Cases,
    V,
    noting,
)

SIG = math.sqrt(2 * math.log(1.25 / 1e-5))
PAL = ("red", "green", "blue", "yellow")
OPTS = ("red", "green", "blue")
_sys = SystemRandom()
CASES: Cases = []
case = noting(CASES)


def _heads():
    return _sys.random() < 0.5


def _lap(s):
    u = random.random() - 0.5
    return -s * math.copysign(1.0, u) * math.log(1 - 2 * abs(u))


@case(ONE, V)
def scipy_rvs_loc(data):
    count = len(data)
    return stats.laplace.rvs(loc=count, scale=1 / 1.0)


@case(ONE, V)
def scipy_frozen_kw(data):
    dist = stats.laplace(loc=0, scale=100.0)
    return np.clip(data, 0, 100).sum() + dist.rvs()


@case(ONE, V)
def scipy_frozen_size(data):
    dist = stats.laplace(scale=1.0)
    return len(data) + dist.rvs(size=1)[0]


@case(ADP, Q3)
def randn_vec(answers):
    return answers + np.random.randn(*answers.shape) * (SIG * math.sqrt(3))


@case(ONE, V)
def dlaplace(data):
    return len(data) + stats.dlaplace.rvs(1.0)


@case(ONE, BIT)
def rr_choices(bit):
    p = math.exp(1) / (1 + math.exp(1))
    return random.choices([bit, 1 - bit], weights=[p, 1 - p])[0]


@case(ONE, K5)
def krr_while(x):
    k = 5
    p = math.exp(1) / (math.exp(1) + k - 1)
    if random.random() < p:
        return x
    y = random.randrange(k)
    while y == x:
        y = random.randrange(k)
    return y


@case(ONE, Q3)
def em_softmax_fn(scores, rng):
    def softmax(x):
        e = np.exp(x - np.max(x))
        return e / e.sum()

    return OPTS[rng.choice(3, p=softmax(scores / 2))]


@case(ONE, Q5)
def svt_helper(queries, rng):
    def noisy(x, s):
        return x + rng.laplace(scale=s)

    t = noisy(10, 2.0)
    res = []
    for q in queries:
        above = noisy(q, 4.0) > t
        res.append(above)
        if above:
            break
    return res


@case(ONE, Q5)
def svt_helper2(queries):
    t = 10 + _lap(2.0)
    answers = []
    for q in queries:
        if q + _lap(4.0) >= t:
            answers.append("above")
            return answers
        answers.append("below")
    return answers


@case(ONE, Q5)
def svt_gen(queries, rng):
    def run():
        t = 10 + rng.laplace(scale=2.0)
        for q in queries:
            if q + rng.laplace(scale=4.0) > t:
                yield True
                return
            yield False

    return list(run())


@case(ONE, V)
def post_dict(data, rng):
    noisy = len(data) + rng.laplace(scale=1.0)
    return {
        "count": round(noisy, 2),
        "text": f"about {noisy:.1f}",
        "ok": noisy > 10,
        "list": [noisy, str(noisy)],
    }


@case(PureDP(math.log(3)), YN)
def coin_survey(answer):
    if _heads():
        return str(answer)
    return "yes" if _heads() else "no"


@case(TWO, COL)
def unary_index(b, epsilon=2.0):
    bits = [0] * len(PAL)
    bits[PAL.index(b)] = 1
    half = math.exp(epsilon / 2)
    keep = half / (half + 1)
    for i in range(len(bits)):
        if random.random() > keep:
            bits[i] = 1 - bits[i]
    return tuple(bits)


@case(PureDP(1.5), COL)
def rej_seed(colour, palette=("red", "green", "blue", "yellow"), epsilon=1.5, seed=None):
    rng = np.random.default_rng(seed)
    k = len(palette)
    p = np.exp(epsilon) / (np.exp(epsilon) + k - 1)
    if rng.random() < p:
        return str(colour)
    other = colour
    while other == colour:
        other = palette[rng.integers(k)]
    return str(other)


@case(PureDP(1.5), COL)
def rej_true(colour, epsilon=1.5):
    k = len(PAL)
    p = math.exp(epsilon) / (math.exp(epsilon) + k - 1)
    if random.random() < p:
        return colour
    while True:
        y = random.choice(PAL)
        if y != colour:
            return y


@case(PureDP(1.5), COL)
def choices_weights(c, epsilon=1.5):
    w = [math.exp(epsilon) if p == c else 1.0 for p in PAL]
    return _sys.choices(PAL, weights=w, k=1)[0]


@case(PureDP(1.5), COL)
def truth_choices(c, epsilon=1.5):
    e = math.exp(epsilon)
    k = len(PAL)
    truth = random.choices([True, False], weights=[e, k - 1])[0]
    if truth:
        return c
    return random.choice([x for x in PAL if x != c])


@case(PureDP(1.5), COL)
def others_remove(c, epsilon=1.5):
    e = math.exp(epsilon)
    k = len(PAL)
    if random.random() < e / (e + k - 1):
        return c
    rest = list(PAL)
    rest.remove(c)
    return random.choice(rest)


@case(ONE, V)
def d_text(data, rng):
    n = len(data) + rng.laplace(scale=1)
    return f"about {n:.1f} people ({round(n)})"


@case(ONE, V)
def d_str(data, rng):
    n = len(data) + rng.laplace(scale=1)
    return "n=" + str(round(n, 2))


@case(ONE, CAT)
def d_loop(data, epsilon=1.0):
    rows = []
    for c in ["a", "b"]:
        n = np.sum(data == c) + np.random.laplace(scale=2 / epsilon)
        s = np.sum(data == c) + np.random.laplace(scale=2 / epsilon)
        rows.append((c, s / n if n > 1 else s))
    return rows


@case(ONE, CAT)
def d_share(data, rng):
    out = {k: np.sum(data == k) + rng.laplace(scale=1) for k in "abc"}
    total = sum(out.values())
    return {k: v / total for k, v in out.items()}


@case(ONE, CAT)
def q3(data, rng):
    a = np.sum(data == "a") + rng.laplace(scale=1)
    b = np.sum(data == "b") + rng.laplace(scale=1)
    return a + b


@case(ONE, CAT)
def q6(data, rng):
    a = len(data[data == "a"]) + rng.laplace(scale=1)
    b = len(data[data == "b"]) + rng.laplace(scale=1)
    return a + b


@case(ONE, CAT)
def em_counts_list(data):
    counts = [sum(1 for d in data if d == o) for o in "abc"]
    top = max(counts)
    w = [math.exp(0.5 * (c - top)) for c in counts]
    return random.choices("abc", weights=w)[0]
