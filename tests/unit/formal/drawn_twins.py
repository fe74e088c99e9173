"""Draws and choices that look like sound ones: no mechanism here keeps what it claims."""

# ruff: noqa: B007, B023, NPY002, PERF401, SIM, RUF
import math
import random
from random import SystemRandom

import numpy as np
from scipy import stats
from scipy.stats import laplace

from dpaudit import PureDP
from tests.unit.formal.drawn_nouns import CAT, COL, K4, ONE, Q3, Q5, Cases, V, noting

SIG = math.sqrt(2 * math.log(1.25 / 1e-5))
PAL = ("red", "green", "blue", "yellow")
OPTS = ("red", "green", "blue")
_sys = SystemRandom()
CASES: Cases = []
case = noting(CASES)


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


@case(ONE, Q3)
def e_randn(answers):
    return answers + np.random.randn(*answers.shape)


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
def e_em_k2_first_last(scores):
    w = [math.exp(s / 2) for s in scores]
    return random.choices([0, 1, 2], weights=w, k=2)[0], random.choices([0, 1, 2], weights=w, k=1)[
        0
    ]


@case(ONE, CAT)
def e_em_str(data):
    c = [sum(1 for d in data if d == o) for o in "abc"]
    w = [math.exp(2 * x) for x in c]
    return random.choices("abc", weights=w)[0]


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


@case(ONE, V)
def e_text_raw(data, rng):
    n = len(data) + rng.laplace(scale=1.0)
    return f"{n:.1f} of {len(data)}"


@case(ONE, V)
def e_text_sum(data, rng):
    return f"{np.clip(data, 0, 100).sum():.0f}"


@case(ONE, V)
def e_fmt_private(data, rng):
    n = len(data)
    return f"{rng.laplace():.{n}f}"


@case(ONE, CAT)
def f_sum_same(data, rng):
    z = rng.laplace(scale=1)
    a = np.sum(data == "a") + z
    b = np.sum(data == "b") + z
    return a + b


@case(ONE, CAT)
def f_sum_diff_same(data, rng):
    z = rng.laplace(scale=1)
    a = np.sum(data == "a") + z
    b = np.sum(data == "b") + z
    return a - b


@case(ONE, CAT)
def f_sum_overlap(data, rng):
    a = np.sum(data == "a") + rng.laplace(scale=1)
    b = len(data) + rng.laplace(scale=1)
    return a, a + b


@case(ONE, CAT)
def f_float_noise(data, rng):
    z = rng.laplace(scale=1)
    a = float(np.sum(data == "a")) + z
    b = float(np.sum(data == "b")) + z
    return float(a), float(b)


@case(ONE, CAT)
def f_share_total(data, rng):
    out = {k: np.sum(data == k) + rng.laplace(scale=1) for k in "abc"}
    return sum(out.values()), len(data) + rng.laplace(scale=1)


@case(ONE, CAT)
def f_str_index(data, rng):
    return "abcdefghijklmnopqrstuvwxyz"[len(data)]


@case(ONE, CAT)
def f_fmt_mix(data, rng):
    n = len(data) + rng.laplace(scale=1.0)
    return f"{n:.1f}" + str(len(data))


@case(ONE, Q5)
def f_gen_early(queries, rng):
    def run():
        t = 10 + rng.laplace(scale=2.0)
        for q in queries:
            if q > 50:
                return
            yield q + rng.laplace(scale=4.0) > t

    for i, a in enumerate(run()):
        if a:
            return i
    return -1


@case(PureDP(0.9), COL)
def f_rej_dep(c):
    L = list(PAL)
    y = random.choice(L)
    while y == c:
        y = random.choice(L)
        L = ["red"]
    return y


@case(PureDP(0.5), K4)
def f_rej_int(c):
    y = random.randrange(4)
    while y < c:
        y = random.randrange(4)
    return y


@case(ONE, Q3)
def f_helper_state(answers, rng):
    seen = []

    def noise():
        seen.append(1)
        return rng.laplace(scale=3.0 / len(seen))

    return [a + noise() for a in answers]
