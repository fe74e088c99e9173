# ruff: noqa: PERF401 - one notation for all
"""The programs of CheckDP's and ShadowDP's benchmark, in their papers' notation.

Each takes query answers q, and N where it stops after N hits. ALL: every answer may move by 1.
ONE: one answer may. ONE_WAY: all may, in one direction. SOUND: those that keep their claim.
"""

from dpaudit import QueryAnswers

ALL = QueryAnswers(5)
ONE = QueryAnswers(5, norm="l0")
ONE_WAY = QueryAnswers(5, monotone=True)

SOUND = {
    "partial_sum": (ONE, "epsilon"),
    "smart_sum": (ONE, "2*epsilon"),
    "svt": (ALL, "epsilon"),
    "svt_monotone": (ONE_WAY, "epsilon"),
    "gap_svt": (ALL, "epsilon"),
    "num_svt": (ALL, "epsilon"),
    "adaptive_svt": (ALL, "epsilon"),
    "report_noisy_max": (ALL, "epsilon"),
}


def partial_sum(q, rng, *, epsilon):
    return sum(q) + rng.laplace(scale=1 / epsilon)


def smart_sum(q, rng, *, epsilon, M=3):
    out = []
    next = total = 0
    for i, x in enumerate(q):
        if (i + 1) % M == 0:
            next = total + x + rng.laplace(scale=1 / epsilon)
            total = 0
        else:
            next = next + x + rng.laplace(scale=1 / epsilon)
            total = total + x
        out.append(next)
    return out


def svt(q, rng, *, epsilon, N, threshold=0):
    out = []
    count = 0
    noisy = threshold + rng.laplace(scale=2 / epsilon)
    for x in q:
        if count >= N:
            break
        above = x + rng.laplace(scale=4 * N / epsilon) >= noisy
        out.append(above)
        if above:
            count += 1
    return out


def svt_monotone(q, rng, *, epsilon, N, threshold=0):
    out = []
    count = 0
    noisy = threshold + rng.laplace(scale=2 / epsilon)
    for x in q:
        if count >= N:
            break
        above = x + rng.laplace(scale=2 * N / epsilon) >= noisy
        out.append(above)
        if above:
            count += 1
    return out


def gap_svt(q, rng, *, epsilon, N, threshold=0):
    out = []
    count = 0
    noisy = threshold + rng.laplace(scale=2 / epsilon)
    for x in q:
        if count >= N:
            break
        eta = rng.laplace(scale=4 * N / epsilon)
        if x + eta >= noisy:
            out.append(x + eta - noisy)
            count += 1
        else:
            out.append(False)
    return out


def num_svt(q, rng, *, epsilon, N, threshold=0):
    out = []
    count = 0
    noisy = threshold + rng.laplace(scale=3 / epsilon)
    for x in q:
        if count >= N:
            break
        if x + rng.laplace(scale=6 * N / epsilon) >= noisy:
            out.append(x + rng.laplace(scale=3 * N / epsilon))
            count += 1
        else:
            out.append(False)
    return out


def adaptive_svt(q, rng, *, epsilon, N, threshold=0):
    out = []
    spent = 2 * N  # in units of ε/(4N)
    noisy = threshold + rng.laplace(scale=2 / epsilon)
    for x in q:
        if spent > 4 * N - 2:
            break
        eta = rng.laplace(scale=8 * N / epsilon)
        if x + eta >= noisy + 16:
            out.append(x + eta - noisy)
            spent += 1
        else:
            eta = rng.laplace(scale=4 * N / epsilon)
            if x + eta >= noisy:
                out.append(x + eta - noisy)
                spent += 2
            else:
                out.append(False)
    return out


def report_noisy_max(q, rng, *, epsilon):
    best = winner = 0
    for i, x in enumerate(q):
        noisy = x + rng.laplace(scale=2 / epsilon)
        if i == 0 or noisy > best:
            best, winner = noisy, i
    return winner


def bad_partial_sum(q, rng, *, epsilon):
    return sum(q) + rng.laplace(scale=1 / (2 * epsilon))


def bad_smart_sum(q, rng, *, epsilon, M=3):
    out = []
    next = total = 0
    for i, x in enumerate(q):
        if (i + 1) % M == 0:
            next = total + x
            total = 0
        else:
            next = next + x + rng.laplace(scale=1 / epsilon)
            total = total + x
        out.append(next)
    return out


def bad_svt1(q, rng, *, epsilon, threshold=0):
    out = []
    noisy = threshold + rng.laplace(scale=2 / epsilon)
    for x in q:
        out.append(x >= noisy)
    return out


def bad_svt2(q, rng, *, epsilon, threshold=0):
    out = []
    noisy = threshold + rng.laplace(scale=2 / epsilon)
    for x in q:
        out.append(x + rng.laplace(scale=2 / epsilon) >= noisy)
    return out


def bad_svt3(q, rng, *, epsilon, N=1, threshold=0):
    out = []
    count = 0
    noisy = threshold + rng.laplace(scale=4 / epsilon)
    for x in q:
        if count >= N:
            break
        above = x + rng.laplace(scale=4 / (3 * epsilon)) >= noisy
        out.append(above)
        if above:
            count += 1
    return out


def bad_gap_svt(q, rng, *, epsilon, N=1, threshold=0):
    out = []
    count = 0
    noisy = threshold + rng.laplace(scale=2 / epsilon)
    for x in q:
        if count >= N:
            break
        eta = rng.laplace(scale=4 * N / epsilon)
        if x + eta >= noisy:
            out.append(x + eta)
            count += 1
        else:
            out.append(False)
    return out


def bad_report_noisy_max(q, rng, *, epsilon):
    best = 0
    for i, x in enumerate(q):
        noisy = x + rng.laplace(scale=2 / epsilon)
        if i == 0 or noisy > best:
            best = noisy
    return best


def bad_adaptive_svt(q, rng, *, epsilon, N=1, threshold=0):
    out = []
    spent = 2 * N  # in units of ε/(4N)
    noisy = threshold + rng.laplace(scale=2 / epsilon)
    for x in q:
        if spent > 4 * N - 2:
            break
        eta = rng.laplace(scale=8 * N / epsilon)
        if x + eta >= noisy + 16:
            out.append(x + eta)
            spent += 1
        else:
            eta = rng.laplace(scale=4 * N / epsilon)
            if x + eta >= noisy:
                out.append(x + eta - noisy)
                spent += 2
            else:
                out.append(False)
    return out
