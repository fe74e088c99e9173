"""Mechanisms that fill dicts, lists and arrays by key in loops over records."""

import bisect
import math
from collections import Counter, defaultdict

import numpy as np

from dpaudit import ApproxDP, PureDP
from tests.unit.formal.keyed_nouns import AGE, AMOUNT, COLOR, DAY, POINT, SALES, SOME_POINT, TENS

COLORS = ("red", "green", "blue")
WEEKEND = {5, 6}
QUESTIONS = [("minors", lambda a: a < 18), ("adults", lambda a: 18 <= a < 65)]


def clip_norm(v, bound):
    norm = np.linalg.norm(v)
    if norm > bound:
        return v * (bound / norm)
    return v


def float_bins(data, rng, eps=1.0, w=2.5):
    bins = [0, 0, 0, 0]
    for x in data:
        i = min(int(x // w), 3)
        bins[i] += 1
    return [b + rng.laplace(0, 1 / eps) for b in bins]


def np_bins(data, rng, eps=1.0, w=2.5):
    bins = np.zeros(5)
    for x in data:
        bins[int(x / w)] += 1
    return bins + rng.laplace(0, 1 / eps, size=5)


def by_default(data, rng, eps=1.0):
    d = defaultdict(int)
    for x in data:
        d[str(x)] += 1
    out = []
    for c in COLORS:
        out.append(d[c] + rng.laplace(0, 1 / eps))
    return out


def setdefault(data, rng, eps=1.0):
    d = {}
    for x in data:
        d.setdefault(x, 0)
        d[x] += 1
    return [d.get(c, 0) + rng.laplace(0, 1 / eps) for c in COLORS]


def index_list(data, rng, eps=1.0):
    counts = [0] * len(COLORS)
    for x in data:
        counts[COLORS.index(str(x))] += 1
    return [c + rng.laplace(0, 1 / eps) for c in counts]


def bisected(data, rng, eps=1.0):
    edges = [2, 4, 6, 8]
    counts = [0] * 5
    for x in data:
        counts[bisect.bisect(edges, x)] += 1
    return [c + rng.laplace(0, 1 / eps) for c in counts]


def searchsorted(data, rng, eps=1.0):
    edges = np.array([2, 4, 6, 8])
    counts = np.zeros(5, dtype=int)
    for x in data:
        counts[np.searchsorted(edges, x)] += 1
    return counts + rng.laplace(0, 1 / eps, size=5)


def group_lists(data, rng, eps=0.5, cap=10.0):
    groups = {c: [] for c in COLORS}
    for r in data:
        groups[r["k"]].append(min(max(r["v"], 0.0), cap))
    return {k: sum(v) + rng.laplace(0, cap / eps) for k, v in groups.items()}


def group_dd_list_len(data, rng, eps=1.0):
    groups = defaultdict(list)
    for r in data:
        groups[r["k"]].append(r["v"])
    return [len(groups[c]) + rng.laplace(0, 1 / eps) for c in COLORS]


def in_get_init(data, rng, eps=1.0):
    d = {}
    for k in data:
        if k in d:
            d[k] += 1
        else:
            d[k] = 1
    res = {}
    for c in COLORS:
        res[c] = (d[c] if c in d else 0) + rng.laplace(0, 1 / eps)  # noqa: SIM401
    return res


def decade(data, rng, eps=1.0):
    decades = dict.fromkeys(range(0, 110, 10), 0)
    for age in data:
        decades[(int(age) // 10) * 10] += 1
    return {d: n + rng.laplace(0, 1 / eps) for d, n in decades.items()}


def onehot(data, rng, eps=1.0):
    total = np.zeros(3)
    for x in data:
        v = np.zeros(3)
        v[COLORS.index(x)] = 1
        total += v
    return total + rng.laplace(0, 1 / eps, 3)


def sum_by_key_list(data, rng, eps=0.5, cap=10.0):
    t = defaultdict(float)
    for r in data:
        t[r["k"]] += min(max(r["v"], 0.0), cap)
    return {k: t[k] + rng.laplace(0, cap / eps) for k in COLORS}


def lists_parts(data, rng, eps=1.0):
    parts = [[], []]
    for x in data:
        if x < 50:
            parts[0].append(max(x, 0))
        else:
            parts[1].append(min(x, 100))
    return [sum(p) + rng.laplace(0, 100 / eps) for p in parts]


def norm_list(data, rng, C=1.0, eps=1.0, delta=1e-5):
    rows = []
    for r in data:
        row = np.array([r["x"], r["y"]])
        norm = np.linalg.norm(row)
        rows.append(row / max(1.0, norm / C))
    sigma = C * math.sqrt(2 * math.log(1.25 / delta)) / eps
    return np.sum(rows, axis=0) + rng.normal(0, sigma, size=2)


def acc(data, rng, C=1.0, eps=0.9, delta=1e-5):
    total = np.zeros(2)
    for r in data:
        row = np.array([r["x"], r["y"]])
        norm = np.linalg.norm(row)
        total += row / max(1.0, norm / C)
    sigma = C * math.sqrt(2 * math.log(1.25 / delta)) / eps
    return total + rng.normal(0, sigma, size=2)


def helper(data, rng, C=1.0, eps=0.9, delta=1e-5):
    total = np.zeros(2)
    for r in data:
        total = total + clip_norm(np.array([r["x"], r["y"]]), C)
    sigma = C * math.sqrt(2 * math.log(1.25 / delta)) / eps
    return total + rng.normal(0, sigma, size=2)


def kmeans(points, rng, epsilon=1.0, rounds=3, width=10.0):
    centres = [0.25 * width, 0.75 * width]
    eps_round = epsilon / rounds
    for _ in range(rounds):
        groups = [[] for _ in centres]
        for p in points:
            distances = [abs(p - c) for c in centres]
            groups[distances.index(min(distances))].append(min(max(p, 0.0), width))
        updated = []
        for members in groups:
            size = len(members) + rng.laplace(0, 2 / eps_round)
            mass = sum(members) + rng.laplace(0, 2 * width / eps_round)
            updated.append(float(np.clip(mass / max(size, 1.0), 0.0, width)))
        centres = sorted(updated)
    return centres


def kmeans_argmin(points, rng, epsilon=1.0, rounds=3, width=10.0):
    centres = [0.25 * width, 0.75 * width]
    eps_round = epsilon / rounds
    for _ in range(rounds):
        counts = [0, 0]
        sums = [0.0, 0.0]
        for p in points:
            j = int(np.argmin([abs(p - c) for c in centres]))
            counts[j] += 1
            sums[j] += p
        centres = [
            (sums[j] + rng.laplace(0, 2 * width / eps_round))
            / max(1.0, counts[j] + rng.laplace(0, 2 / eps_round))
            for j in range(2)
        ]
    return centres


def get_sum(data, rng, eps=1.0):
    sums = {}
    for r in data:
        k = r["k"]
        sums[k] = sums.get(k, 0) + max(0.0, min(10.0, r["v"]))
    return [sums.get(k, 0) + rng.laplace(0, 10 / eps) for k in COLORS]


def notin_sum(data, rng, eps=1.0):
    sums = {}
    for r in data:
        if r["k"] not in sums:
            sums[r["k"]] = 0
        sums[r["k"]] += max(0.0, min(10.0, r["v"]))
    return [sums.get(k, 0) + rng.laplace(0, 10 / eps) for k in COLORS]


def setdefault_list(data, rng, eps=1.0):
    g = {}
    for r in data:
        g.setdefault(r["k"], []).append(max(0.0, min(10.0, r["v"])))
    return [sum(g.get(k, [])) + rng.laplace(0, 10 / eps) for k in COLORS]


def set_local(data, rng, eps=1.0):
    warm = {"red", "blue"}
    return sum(1 for r in data if r["k"] in warm) + rng.laplace(0, 1 / eps)


def strip_lower(data, rng, eps=1.0):
    counts = dict.fromkeys(COLORS, 0)
    for r in data:
        c = str(r["k"]).lower().strip()
        if c in counts:
            counts[c] += 1
    return {k: s + rng.laplace(0, 1 / eps) for k, s in counts.items()}


def tuple_key(data, rng, eps=1.0):
    table = {(c, h): 0 for c in COLORS for h in (True, False)}
    for r in data:
        table[(r["k"], r["v"] > 10)] += 1
    return {k: v + rng.laplace(0, 1 / eps) for k, v in table.items()}


def batch(ages, rng, epsilon=1.0, questions=QUESTIONS):
    eps_each = epsilon / len(questions)
    answers = {}
    for title, predicate in questions:
        n = 0
        for age in ages:
            if predicate(age):
                n += 1
        answers[title] = n + rng.laplace(0, 1 / eps_each)
    return answers


def decade_text(data, rng, eps=1.0):
    c = Counter(f"{int(a) // 10 * 10}s" for a in data)
    return {d: c[d] + rng.laplace(0, 1 / eps) for d in ("0s", "10s", "20s", "30s")}


def weekend(data, rng, eps=1.0):
    n = m = 0
    for d in data:
        if d in WEEKEND:
            n += 1
        else:
            m += 1
    return n + rng.laplace(0, 1 / eps), m + rng.laplace(0, 1 / eps)


def per_group_mean(data, rng, eps=1.0):
    groups = defaultdict(list)
    for r in data:
        groups[r["k"]].append(min(max(r["v"], 0), 10))
    out = {}
    for c in COLORS:
        vals = groups[c]
        n = len(vals) + rng.laplace(0, 2 / eps)
        s = sum(vals) + rng.laplace(0, 20 / eps)
        out[c] = s / n if n > 1 else 0.0
    return out


def values_of_keys(data, rng):
    tally = dict.fromkeys(COLORS, 0)
    for vote in data:
        if vote not in tally:
            raise ValueError("unknown")
        tally[vote] += 1
    return [n + rng.laplace() for n in tally.values()]


def greatest_of_items(data, rng):
    tally = {color: 0 for color in COLORS}  # noqa: C420 - as it is written
    for vote in data:
        if vote not in tally:
            raise ValueError("unknown")
        tally[vote] += 1
    noisy = {color: n + rng.laplace() for color, n in tally.items()}
    return max(noisy, key=noisy.get)


SOUND = (
    (float_bins, PureDP(1.0), TENS),
    (np_bins, PureDP(1.0), TENS),
    (by_default, PureDP(1.0), COLOR),
    (setdefault, PureDP(1.0), COLOR),
    (index_list, PureDP(1.0), COLOR),
    (bisected, PureDP(1.0), TENS),
    (searchsorted, PureDP(1.0), TENS),
    (group_lists, PureDP(0.5), SALES),
    (group_dd_list_len, PureDP(1.0), SALES),
    (in_get_init, PureDP(1.0), COLOR),
    (decade, PureDP(1.0), AGE),
    (onehot, PureDP(1.0), COLOR),
    (sum_by_key_list, PureDP(0.5), SALES),
    (lists_parts, PureDP(1.0), AMOUNT),
    (norm_list, ApproxDP(1.0, 1e-5), SOME_POINT),
    (acc, ApproxDP(0.9, 1e-5), POINT),
    (helper, ApproxDP(0.9, 1e-5), POINT),
    (kmeans, PureDP(1.0), TENS),
    (kmeans_argmin, PureDP(1.0), TENS),
    (get_sum, PureDP(1.0), SALES),
    (notin_sum, PureDP(1.0), SALES),
    (setdefault_list, PureDP(1.0), SALES),
    (set_local, PureDP(1.0), SALES),
    (strip_lower, PureDP(1.0), SALES),
    (tuple_key, PureDP(1.0), SALES),
    (batch, PureDP(1.0), AGE),
    (decade_text, PureDP(1.0), AGE),
    (weekend, PureDP(1.0), DAY),
    (per_group_mean, PureDP(1.0), SALES),
    (values_of_keys, PureDP(1.0), COLOR),
    (greatest_of_items, PureDP(1.0), COLOR),
)
