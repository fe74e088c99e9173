"""Draws and choices that look like sound ones: no mechanism here keeps what it claims."""

# ruff: noqa: B007, B023, NPY002, PERF401, SIM, RUF
import math
import random
from collections.abc import Callable
from random import SystemRandom

import numpy as np
from scipy import stats
from scipy.stats import laplace

from dpaudit import (
    AddRemove,
    AnyPair,
    ApproxDP,
    Categorical,
    Integer,
    PureDP,
    QueryAnswers,
    Real,
    ReplaceOne,
)

ONE = PureDP(1.0)
TWO = PureDP(2.0)
ADP = ApproxDP(1.0, 1e-5)
SIG = math.sqrt(2 * math.log(1.25 / 1e-5))
V = AddRemove(Real(0, 100))
CAT = AddRemove(Categorical(["a", "b", "c"]))
BIT = AnyPair(Integer(0, 1))
BITS = ReplaceOne(Integer(0, 1), size=4)
YN = AnyPair(Categorical(["yes", "no"]))
COL = AnyPair(Categorical(["red", "green", "blue", "yellow"]))
K5 = AnyPair(Integer(0, 4))
Q3 = QueryAnswers(3)
Q5 = QueryAnswers(5)
PAL = ("red", "green", "blue", "yellow")
OPTS = ("red", "green", "blue")
_sys = SystemRandom()
CASES: list[tuple[Callable, object, object]] = []


def case(claim, neighbors):
    """Note a mechanism with what it claims."""

    def noted(function):
        CASES.append((function, claim, neighbors))
        return function

    return noted


@case(ONE, V)
def e_loc_scale(data):
    return stats.laplace.rvs(loc=len(data), scale=0.5)


@case(ONE, V)
def e_loc_positional(data):
    return stats.laplace.rvs(1.0, len(data))  # loc 1, scale from the data


@case(ONE, V)
def e_frozen_half(data):
    d = laplace(scale=0.5)
    return len(data) + d.rvs()


@case(ONE, V)
def e_frozen_reuse(data):
    d = laplace(scale=1.0)
    z = d.rvs()
    return [len(data) + z, 2 * len(data) + z]


@case(ONE, V)
def e_frozen_private_scale(data):
    d = laplace(scale=1 / (1 + len(data)))
    return len(data) + d.rvs()


@case(ONE, V)
def e_frozen_rebind(data):
    s = 1.0
    d = laplace(scale=s * 0.1)
    s = 10.0
    return len(data) + d.rvs()


@case(ONE, V)
def e_frozen_seed(data):
    d = laplace(scale=1.0)
    return len(data) + d.rvs(random_state=7)


@case(ONE, V)
def e_rvs_seed(data):
    return len(data) + stats.laplace.rvs(scale=1.0, random_state=7)


@case(ONE, V)
def e_frozen_set_state(data):
    d = laplace(scale=1.0)
    d.random_state = 3
    return len(data) + d.rvs()


@case(ONE, V)
def e_expon_loc(data):
    return stats.expon.rvs(loc=len(data), scale=1.0)


@case(ONE, V)
def e_dlap(data):
    return len(data) + stats.dlaplace.rvs(2.0)


@case(ONE, V)
def e_dlap_sum(data):
    return 2 * len(data) + stats.dlaplace.rvs(1.0)


@case(ONE, V)
def e_expo_scale(data, epsilon=1.0):
    return 2 * len(data) + random.expovariate(epsilon) - random.expovariate(epsilon)


@case(ONE, V)
def e_expo_rate(data):
    sens = 100
    rate = sens / 1.0
    return (
        sum(min(max(x, 0), 100) for x in data) + random.expovariate(rate) - random.expovariate(rate)
    )


@case(ONE, V)
def e_expo_one(data):
    return len(data) + random.expovariate(1.0)


@case(ONE, V)
def e_expo_same(data):
    e = random.expovariate(1.0)
    return len(data) + e - e


@case(ONE, Q3)
def e_randn(answers):
    return answers + np.random.randn(*answers.shape)


@case(ONE, Q3)
def e_one_draw(answers, rng):
    return answers + rng.laplace(scale=3.0)


@case(ONE, Q3)
def e_one_size1(answers, rng):
    return answers + rng.laplace(scale=3.0, size=1)


@case(ONE, Q3)
def e_rand_loc(answers):
    return stats.laplace.rvs(loc=answers, scale=2.0, size=3)


@case(ONE, Q3)
def e_closure_once(answers, rng):
    z = rng.laplace(scale=3.0)

    def noise():
        return z

    return [a + noise() for a in answers]


@case(ONE, Q3)
def e_helper_cached(answers, rng):
    def noise(s, z=0):
        return z + rng.laplace(scale=s)

    n = noise(3.0)
    return [a + n for a in answers]


@case(ONE, Q3)
def e_late(answers, rng):
    s = 3.0

    def noise():
        return rng.laplace(scale=s)

    s = 0.1
    return [a + noise() for a in answers]


@case(ONE, Q3)
def e_late_loop(answers, rng):
    fs = []
    for s in (3.0, 3.0, 0.01):
        fs.append(lambda: rng.laplace(scale=s))
    return [a + f() for a, f in zip(answers, fs, strict=True)]


@case(ONE, Q3)
def e_shadow(answers, rng):
    s = 3.0

    def noise():
        return rng.laplace(scale=s)

    out = []
    for s in (0.1, 0.1, 0.1):
        out.append(answers[len(out)] + noise())
    return out


@case(ONE, Q3)
def e_shadow_comp(answers, rng):
    s = 0.1

    def noise():
        return rng.laplace(scale=s)

    return [answers[int(s)] + noise() for s in (0, 1, 2)]


@case(ONE, Q3)
def e_arg_twice(answers, rng):
    def both(x):
        return (x, x)

    p = both(answers[0] + rng.laplace(scale=3.0))
    return p[0], p[1], answers[0] + rng.laplace(scale=0.5)


@case(ONE, V)
def e_arg_draw_twice(data, rng):
    def mix(z):
        return len(data) + z - z

    return mix(rng.laplace(scale=1.0))


@case(ONE, V)
def e_arg_draw_cancel(data, rng):
    def mix(z):
        y = z
        return (len(data) + z, y)

    return mix(rng.laplace(scale=1.0))


@case(ONE, V)
def e_local_reassigned(data, rng):
    def noisy(x, s):
        s = s / 4
        return x + rng.laplace(scale=s)

    return noisy(len(data), 1.0)


@case(ONE, V)
def e_default_scale(data, rng):
    def noisy(x, s=0.25):
        return x + rng.laplace(scale=s)

    return noisy(len(data))


@case(ONE, V)
def e_kw_swap(data, rng):
    def noisy(s, x):
        return x + rng.laplace(scale=s)

    return noisy(x=len(data), s=0.5)


@case(ONE, Q5)
def e_svt_nothreshold(queries, rng):
    def noisy(x, s):
        return x + rng.laplace(scale=s)

    t = 10
    for i, q in enumerate(queries):
        if noisy(q, 4.0) >= t:
            return i
    return None


@case(ONE, Q5)
def e_svt_noqnoise(queries, rng):
    def noisy(x, s):
        return x + rng.laplace(scale=s)

    t = noisy(10, 1.0)
    for i, q in enumerate(queries):
        if q >= t:
            return i
    return None


@case(ONE, Q5)
def e_svt_halfscale(queries, rng):
    def noisy(x, s):
        return x + rng.laplace(scale=s)

    t = noisy(10, 2.0)
    for i, q in enumerate(queries):
        if noisy(q, 2.0) >= t:
            return i
    return None


@case(ONE, Q5)
def e_svt_value(queries, rng):
    def noisy(x, s):
        return x + rng.laplace(scale=s)

    t = noisy(10, 2.0)
    for i, q in enumerate(queries):
        v = noisy(q, 4.0)
        if v >= t:
            return i, v
    return None


@case(ONE, Q5)
def e_svt_nobreak(queries, rng):
    def run():
        t = 10 + rng.laplace(scale=2.0)
        for q in queries:
            yield q + rng.laplace(scale=4.0) > t

    return list(run())


@case(ONE, Q5)
def e_svt_gen_continue(queries, rng):
    def run():
        t = 10 + rng.laplace(scale=2.0)
        for q in queries:
            if q + rng.laplace(scale=4.0) > t:
                yield True
                return
            yield False

    out = []
    for x in run():
        if x:
            continue
        out.append(x)
    return out, rng.laplace() * 0 + sum(queries[:1])


@case(ONE, Q5)
def e_svt_gen_scale(queries, rng):
    def run(s):
        t = 10 + rng.laplace(scale=2.0)
        for q in queries:
            if q + rng.laplace(scale=s) > t:
                yield True
                return
            yield False

    return list(run(2.0))


@case(ONE, Q5)
def e_svt_gen_twice(queries, rng):
    def run():
        t = 10 + rng.laplace(scale=2.0)
        for q in queries:
            if q + rng.laplace(scale=4.0) > t:
                yield True
                return
            yield False

    return list(run()), list(run())


@case(ONE, Q5)
def e_svt_gen_count(queries, rng):
    def run():
        t = 10 + rng.laplace(scale=2.0)
        for q in queries:
            if q + rng.laplace(scale=4.0) > t:
                yield q

    for i, q in enumerate(run()):
        return i, q
    return None


@case(ONE, Q5)
def e_gen_shared_thr(queries, rng):
    def run(t):
        for q in queries:
            yield q + rng.laplace(scale=4.0) > t

    t = 10 + rng.laplace(scale=2.0)
    for i, a in enumerate(run(t)):
        if a:
            return i, t
    return None


@case(ONE, Q3)
def e_em_nohalf(scores, rng):
    w = np.exp(scores)
    return rng.choice(3, p=w / w.sum())


@case(ONE, Q3)
def e_em_choices_nohalf(scores):
    w = [math.exp(s) for s in scores]
    return random.choices([0, 1, 2], weights=w)[0]


@case(ONE, Q3)
def e_em_softmax(scores, rng):
    def softmax(x):
        e = np.exp(x - np.max(x))
        return e / e.sum()

    return int(rng.choice(3, p=softmax(scores)))


@case(ONE, Q3)
def e_em_softmax_mut(scores, rng):
    def softmax(x):
        x = x * 2
        e = np.exp(x - np.max(x))
        return e / e.sum()

    return int(rng.choice(3, p=softmax(scores / 2)))


@case(ONE, Q3)
def e_em_k2(scores):
    w = [math.exp(s / 2) for s in scores]
    return random.choices([0, 1, 2], weights=w, k=2)


@case(ONE, Q3)
def e_em_k2_first_last(scores):
    w = [math.exp(s / 2) for s in scores]
    return random.choices([0, 1, 2], weights=w, k=2)[0], random.choices([0, 1, 2], weights=w, k=1)[
        0
    ]


@case(ONE, Q3)
def e_em_shift(scores, rng):
    w = np.exp(scores / 2 - scores)
    return rng.choice(3, p=w / w.sum()) * 0 + int(np.argmax(scores))


@case(ONE, CAT)
def e_em_str(data):
    c = [sum(1 for d in data if d == o) for o in "abc"]
    w = [math.exp(2 * x) for x in c]
    return random.choices("abc", weights=w)[0]


@case(ONE, Q3)
def e_rnm_value(counts, rng):
    noisy = counts + rng.laplace(0, 2.0, size=3)
    i = int(np.argmax(noisy))
    return i, float(noisy[i])


@case(ONE, Q3)
def e_rnm_scale1(counts, rng):
    noisy = {i: counts[i] + rng.laplace(0, 1.0) for i in range(3)}
    return max(noisy, key=noisy.get)


@case(ONE, COL)
def e_rej_p(c, epsilon=1.0):
    if random.random() < math.exp(epsilon) / (1 + math.exp(epsilon)):
        return c
    y = random.choice(PAL)
    while y == c:
        y = random.choice(PAL)
    return y


@case(ONE, COL)
def e_rej_same(c):
    y = random.choice(PAL)
    while y == c:
        y = random.choice(PAL)
    return y


@case(ONE, COL)
def e_rej_ne(c):
    y = random.choice(PAL)
    while y != c:
        y = random.choice(PAL)
    return y


@case(PureDP(0.1), COL)
def e_rej_other_list(c):
    y = random.choice(PAL)
    while y == c:
        y = random.choice(PAL[:2])
    return y


@case(PureDP(0.5), COL)
def e_rej_true(c):
    while True:
        y = random.choice(PAL)
        if y == c or y == "red":
            return y


@case(PureDP(1.0), COL)
def e_rej_multi(c):
    L = ["red", "red", "red", "green", "blue", "yellow"]
    while True:
        y = random.choice(L)
        if y != c:
            return y


@case(ONE, COL)
def e_w_rr(c):
    w = [math.exp(1.1) if p == c else 1.0 for p in PAL]
    return random.choices(PAL, weights=w)[0]


@case(ONE, COL)
def e_w_zero(c):
    w = [math.exp(1.0) if p == c else 0.0 for p in PAL]
    return random.choices(PAL, weights=w)[0]


@case(ONE, COL)
def e_w_two(c):
    w = [math.exp(1.0) if p == c else 1.0 for p in PAL]
    return random.choices(PAL, weights=w, k=2)[0], random.choices(PAL, weights=w, k=1)[0]


@case(ONE, COL)
def e_w_list(c):
    w = [math.exp(1.0) if p == c else 1.0 for p in PAL]
    return random.choices(PAL, weights=w, k=2)


@case(ONE, COL)
def e_index(c):
    i = PAL.index(c)
    return i if random.random() < 0.9 else random.randrange(4)


@case(ONE, COL)
def e_remove(c):
    rest = list(PAL)
    rest.remove(c)
    return random.choice(rest)


@case(ONE, COL)
def e_unary(c, epsilon=1.0):
    bits = [0] * 4
    bits[PAL.index(c)] = 1
    keep = math.exp(epsilon) / (math.exp(epsilon) + 1)
    return [b if random.random() < keep else 1 - b for b in bits]


@case(ONE, COL)
def e_unary_shared(c, epsilon=2.0):
    bits = [0] * 4
    bits[PAL.index(c)] = 1
    u = random.random()
    keep = math.exp(epsilon / 2) / (math.exp(epsilon / 2) + 1)
    return [b if u < keep else 1 - b for b in bits]


@case(ONE, BITS)
def e_vec_one(data, rng):
    keep = rng.random() < math.exp(1) / (1 + math.exp(1))
    return np.where(keep, data, 1 - data)


@case(ONE, BITS)
def e_vec_p(data):
    return data ^ np.random.binomial(1, 0.1, size=len(data))


@case(ONE, BIT)
def e_round_p(bit):
    p = round(math.exp(1) / (1 + math.exp(1)), 1) + 0.05
    return bit if random.random() < p else 1 - bit


@case(ONE, V)
def e_text_raw(data, rng):
    n = len(data) + rng.laplace(scale=1.0)
    return f"{n:.1f} of {len(data)}"


@case(ONE, V)
def e_text_sum(data, rng):
    return f"{np.clip(data, 0, 100).sum():.0f}"


@case(ONE, V)
def e_round_raw(data):
    return round(float(len(data)), 1)


@case(ONE, V)
def e_round_private_dec(data, rng):
    return round(rng.laplace(scale=1.0), len(data))


@case(ONE, V)
def e_fmt_private(data, rng):
    n = len(data)
    return f"{rng.laplace():.{n}f}"


@case(ONE, V)
def e_div_private(data, rng):
    n = len(data) + rng.laplace(scale=1.0)
    return np.clip(data, 0, 100).sum() / n


@case(ONE, V)
def e_div_by_private(data, rng):
    s = np.clip(data, 0, 100).sum() + rng.laplace(scale=100)
    return s / max(1, len(data))


@case(ONE, V)
def e_div_zero_flag(data, rng):
    n = len(data) + int(rng.geometric(1 - math.exp(-0.5)) - rng.geometric(1 - math.exp(-0.5)))
    s = np.clip(data, 0, 100).sum() + rng.laplace(scale=100)
    return s / n if n != 0 else float(len(data))
