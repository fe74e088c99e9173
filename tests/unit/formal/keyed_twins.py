"""Twins of `keyed_programs`, each with one defect."""

import bisect
import math
from collections import defaultdict

import numpy as np

from dpaudit import ApproxDP, PureDP, ZeroConcentratedDP
from tests.unit.formal.keyed_nouns import (
    AGE,
    AMOUNT,
    COLOR,
    DAY,
    DIGIT,
    HOLES,
    POINT,
    SALES,
    SHADES,
    SIGNED,
    SIGNED_WHOLE,
    TENS,
    TENTH,
)

COLORS = ("red", "green", "blue")
TESTS = [("a", lambda v: v < 5), ("b", lambda v: v >= 2), ("c", lambda v: True)]


def both_bins(data, rng, eps=1.0):
    counts = [0] * 6
    for x in data:
        counts[int(x)] += 1
        counts[int(x) + 1] += 1
    return [c + rng.laplace(0, 1 / eps) for c in counts]


def alias_lists(data, rng, eps=1.0):
    groups = [[]] * 5
    for x in data:
        groups[int(x)].append(1)
    return [len(g) + rng.laplace(0, 1 / eps) for g in groups]


def alias_in_dict(data, rng, eps=1.0):
    shared = []
    groups = {"red": shared, "green": shared, "blue": []}
    for x in data:
        groups[x].append(1)
    return [len(g) + rng.laplace(0, 1 / eps) for g in groups.values()]


def alias_outer_read(data, rng, eps=1.0):
    groups = {c: [] for c in COLORS}
    reds = groups["red"]
    for x in data:
        groups[x].append(1)
    return len(reds), [len(g) + rng.laplace(0, 1 / eps) for g in groups.values()]


def keys_released(data, rng, eps=1.0):
    d = defaultdict(int)
    for x in data:
        d[x] += 1
    return {k: v + rng.laplace(0, 1 / eps) for k, v in d.items()}


def len_released(data, rng, eps=1.0):
    d = defaultdict(int)
    for x in data:
        d[x] += 1
    return len(d), [d[c] + rng.laplace(0, 1 / eps) for c in COLORS]


def in_released(data, rng, eps=1.0):
    d = {}
    for x in data:
        d[x] = d.get(x, 0) + 1
    return [d.get(c, 0) + rng.laplace(0, 1 / eps) if c in d else 0 for c in COLORS]


def plain_index(data, rng, eps=1.0):
    d = {}
    for x in data:
        d[x] = d.get(x, 0) + 1
    return [d[c] + rng.laplace(0, 1 / eps) for c in COLORS]


def get_default_nonzero(data, rng, eps=1.0):
    d = {}
    for x in data:
        d[x] = d.get(x, 0) + 1
    return [d.get(c, 50) + rng.laplace(0, 1 / eps) for c in COLORS]


def get_start_nonzero(data, rng, eps=1.0):
    d = {}
    for x in data:
        d[x] = d.get(x, 10) + 1
    return [d.get(c, 0) + rng.laplace(0, 1 / eps) for c in COLORS]


def get_or(data, rng, eps=1.0):
    d = {}
    for x in data:
        d[x] = d.get(x, 0) + 1
    return [(d.get(c) or 40) + rng.laplace(0, 1 / eps) for c in COLORS]


def index_missing(data, rng, eps=1.0):
    counts = [0] * 3
    for x in data:
        counts[COLORS.index(x)] += 1
    return [c + rng.laplace(0, 1 / eps) for c in counts]


def decade_missing(data, rng, eps=1.0):
    counts = dict.fromkeys(range(0, 100, 10), 0)
    for x in data:
        counts[int(x) // 10 * 10] += 1
    return [c + rng.laplace(0, 1 / eps) for c in counts.values()]


def bin_outside(data, rng, eps=1.0):
    counts = [0] * 4
    for x in data:
        counts[int(x // 2.5)] += 1
    return [c + rng.laplace(0, 1 / eps) for c in counts]


def tenth_bins_nine(data, rng, eps=1.0):
    counts = [0] * 9
    for x in data:
        counts[int(x // 0.1)] += 1
    return [c + rng.laplace(0, 1 / eps) for c in counts]


def nan_bins(data, rng, eps=1.0):
    counts = [0] * 5
    for x in data:
        counts[int(x // 100)] += 1
    return [c + rng.laplace(0, 1 / eps) for c in counts]


def iterate_changing(data, rng, eps=1.0):
    items = list(data)
    n = 0
    for x in items:
        n += 1
        if x < 0 and len(items) < 100:
            items.append(x)
    return n + rng.laplace(0, 1 / eps)


def sum_no_cap(data, rng, eps=1.0):
    t = defaultdict(float)
    for r in data:
        t[r["k"]] += max(r["v"], 0.0)
    return [t[c] + rng.laplace(0, 10 / eps) for c in COLORS]


def sum_two_keys(data, rng, eps=1.0):
    t = defaultdict(float)
    for r in data:
        v = min(max(r["v"], 0.0), 10.0)
        t[r["k"]] += v
        t["red"] += v
    return [t[c] + rng.laplace(0, 10 / eps) for c in COLORS]


def setdefault_value(data, rng, eps=1.0):
    t = {}
    for r in data:
        t.setdefault(r["k"], r["v"])
    return [t.get(c, 0) + rng.laplace(0, 10 / eps) for c in COLORS]


def last_value(data, rng, eps=1.0):
    t = {}
    for r in data:
        t[r["k"]] = min(max(r["v"], 0), 10)
    return [t.get(c, 0) + rng.laplace(0, 1 / eps) for c in COLORS]


def groups_twice(data, rng, eps=1.0):
    g = {}
    for r in data:
        g.setdefault(r["k"], []).append(1)
        g.setdefault("red", []).append(1)
    return [len(g.get(c, [])) + rng.laplace(0, 1 / eps) for c in COLORS]


def group_raise(data, rng, eps=1.0):
    g = {}
    for r in data:
        g.setdefault(r["k"], []).append(1)
    return [len(g[c]) + rng.laplace(0, 1 / eps) for c in COLORS]


def first_only(data, rng, eps=1.0):
    t = {}
    for r in data:
        if r["k"] not in t:
            t[r["k"]] = min(max(r["v"], 0), 10)
    return [t.get(c, 0) + rng.laplace(0, 5 / eps) for c in COLORS]


def first_only_reset(data, rng, eps=1.0):
    t = {}
    for r in data:
        if r["k"] in t:
            t[r["k"]] += 1
        else:
            t[r["k"]] = 5
    return [t.get(c, 0) + rng.laplace(0, 1 / eps) for c in COLORS]


def helper_mutates(data, rng, eps=1.0):
    d = dict.fromkeys(COLORS, 0)

    def bump(x):
        d[x] += 1
        d["red"] += 1

    for x in data:
        bump(x)
    return [v + rng.laplace(0, 1 / eps) for v in d.values()]


def helper_appends(data, rng, eps=1.0):
    out = []

    def add(x):
        out.append(x)
        out.append(x)

    for x in data:
        add(x)
    return len(out) + rng.laplace(0, 1 / eps)


def nested_rebind(data, rng, eps=1.0):
    scale = 1 / eps

    def noise():
        return rng.laplace(0, scale)

    n = 0
    for _x in data:
        n += 1
    scale = 0.01
    return n + noise()


def nested_cond(data, rng, eps=1.0):
    def noise():
        return rng.laplace(0, 1 / eps)

    if eps > 0.5:

        def noise():
            return rng.laplace(0, 0.1 / eps)

    return len(data) + noise()


def set_twice(data, rng, eps=1.0):
    n = m = 0
    for d in data:
        if d in {5, 6}:
            n += 1
        if d in {6, 0}:
            m += 1
    return n + rng.laplace(0, 1 / eps), m + rng.laplace(0, 1 / eps)


def set_grows(data, rng, eps=1.0):
    s = {5, 6}
    n = 0
    for d in data:
        if d in s:
            n += 1
            s.add(0)
    return n + rng.laplace(0, 1 / eps)


def str_key_twice(data, rng, eps=1.0):
    d = {str(i): 0 for i in range(7)}
    for x in data:
        d[str(x)] += 1
        d[str(int(x) // 2)] += 1
    return [v + rng.laplace(0, 1 / eps) for v in d.values()]


def neg_index(data, rng, eps=1.0):
    c = [0] * 7
    for x in data:
        c[int(x) - 7] += 1
        c[int(x)] += 1
    return [v + rng.laplace(0, 1 / eps) for v in c]


def position_index(data, rng, eps=1.0):
    c = [0] * 8
    for i, x in enumerate(data):
        c[i] += int(x)
    return [v + rng.laplace(0, 6 / eps) for v in c]


def vec_alias(data, rng, C=1.0):
    total = np.zeros(2)
    other = total
    for r in data:
        row = np.array([r["x"], r["y"]])
        total += row / max(1.0, np.linalg.norm(row) / C)
        other += row / max(1.0, np.linalg.norm(row) / C)
    return total + rng.normal(0, 1.0, size=2)


def vec_changed_after(data, rng, C=1.0):
    rows = []
    for r in data:
        row = np.array([r["x"], r["y"]])
        n = np.linalg.norm(row)
        row[0] = row[0] * 2
        rows.append(row / max(1.0, n / C))
    return np.sum(rows, axis=0) + rng.normal(0, 1.0, size=2)


def vec_if_inverted(data, rng, C=1.0):
    rows = []
    for r in data:
        row = np.array([r["x"], r["y"]])
        n = np.linalg.norm(row)
        if n < C:
            row = row * (C / max(n, 1e-3))
        rows.append(row)
    return np.sum(rows, axis=0) + rng.normal(0, 1.0, size=2)


def vec_partial_norm(data, rng, C=1.0):
    rows = []
    for r in data:
        row = np.array([r["x"], r["y"]])
        n = np.linalg.norm(row[:1])
        if n > C:
            row = row * (C / n)
        rows.append(row)
    return np.sum(rows, axis=0) + rng.normal(0, 1.0, size=2)


def vec_two_sums(data, rng, C=1.0):
    a = np.zeros(2)
    b = np.zeros(2)
    for r in data:
        row = np.array([r["x"], r["y"]])
        row = row / max(1.0, np.linalg.norm(row) / C)
        a += row
        b += row
    return a + rng.normal(0, 1.0, size=2), b + rng.normal(0, 1.0, size=2)


def kmeans_private_start(points, rng, epsilon=1.0):
    centres = [min(points), max(points)] if len(points) else [0, 10]
    groups = [[], []]
    for p in points:
        d = [abs(p - c) for c in centres]
        groups[d.index(min(d))].append(p)
    return [len(g) + rng.laplace(0, 1 / epsilon) for g in groups]


def kmeans_budget(points, rng, epsilon=1.0, rounds=3):
    centres = [2.5, 7.5]
    for _ in range(rounds):
        counts = [0, 0]
        sums = [0.0, 0.0]
        for p in points:
            j = int(np.argmin([abs(p - c) for c in centres]))
            counts[j] += 1
            sums[j] += p
        centres = [
            (sums[j] + rng.laplace(0, 20 / epsilon))
            / max(1.0, counts[j] + rng.laplace(0, 2 / epsilon))
            for j in range(2)
        ]
    return centres


def sorted_private(points, rng, epsilon=1.0):
    counts = [0, 0, 0]
    for p in points:
        counts[min(int(p // 4), 2)] += 1
    return sorted(counts), [c + rng.laplace(0, 1 / epsilon) for c in counts]


def bisect_two(points, rng, epsilon=1.0):
    counts = [0] * 5
    for p in points:
        counts[bisect.bisect([2, 4, 6, 8], p)] += 1
        counts[bisect.bisect_left([2, 4, 6, 8], p)] += 1
    return [c + rng.laplace(0, 1 / epsilon) for c in counts]


def argmin_twice(points, rng, epsilon=1.0):
    counts = [0] * 2
    for p in points:
        counts[int(np.argmin([abs(p - 2), abs(p - 8)]))] += 1
        counts[int(np.argmax([abs(p - 2), abs(p - 8)]))] += 1
    return [c + rng.laplace(0, 1 / epsilon) for c in counts]


def questions_overspent(points, rng, epsilon=1.0, tests=TESTS):
    return [sum(1 for p in points if t(p)) + rng.laplace(0, 1 / epsilon) for _, t in tests]


def questions_one_noise(points, rng, epsilon=1.0, tests=TESTS):
    out = []
    z = rng.laplace(0, 3 / epsilon)
    for _name, t in tests:
        n = 0
        for p in points:
            if t(p):
                n += 1
        out.append(n + z)
    return out


def questions_break(points, rng, epsilon=1.0, tests=TESTS):
    out = []
    for _name, t in tests:
        n = 0
        for p in points:
            if t(p):
                n += 1
        if n > 3:
            break
        out.append(n + rng.laplace(0, 3 / epsilon))
    return out


def append_then_mutate(data, rng, eps=1.0):
    rows = []
    for x in data:
        v = np.zeros(1)
        rows.append(v)
        v[0] = x
    return np.sum(rows, axis=0) + rng.laplace(0, 1 / eps, size=1)


def append_then_scale(data, rng, eps=1.0):
    rows = []
    for x in data:
        v = np.array([min(max(x, 0), 1)])
        rows.append(v)
        v *= 10
    return np.sum(rows, axis=0) + rng.laplace(0, 1 / eps, size=1)


def append_then_mutate_key(data, rng, eps=1.0):
    rows = defaultdict(list)
    for x in data:
        v = np.zeros(1)
        rows["a"].append(v)
        v[0] = x
    return np.sum(rows["a"], axis=0) + rng.laplace(0, 1 / eps, size=1)


def append_then_mutate_groups(data, rng, eps=1.0):
    rows = [[], []]
    for x in data:
        v = np.zeros(1)
        rows[1].append(v)
        w = v
        w[0] += x
    return np.sum(rows[1], axis=0) + rng.laplace(0, 1 / eps, size=1)


def two_sums_of_list(data, rng, C=1.0):
    rows = []
    for r in data:
        row = np.array([r["x"], r["y"]])
        n = np.linalg.norm(row)
        if n > C:
            row = row * (C / n)
        rows.append(row)
    return np.sum(rows, axis=0) + rng.normal(0, 1.0, size=2), np.sum(rows, axis=0) + rng.normal(
        0, 1.0, size=2
    )


def norm_then_bigger(data, rng, C=1.0):
    rows = []
    for r in data:
        row = np.array([r["x"], r["y"]])
        n = np.linalg.norm(row)
        if n > C:
            row = row * (C / n)
        row = row + row
        rows.append(row)
    return np.sum(rows, axis=0) + rng.normal(0, 1.0, size=2)


def norm_of_other(data, rng, C=1.0):
    rows = []
    for r in data:
        row = np.array([r["x"], r["y"]])
        n = np.linalg.norm(np.array([r["x"], r["x"]]))
        if n > C:
            row = row * (C / n)
        rows.append(row)
    return np.sum(rows, axis=0) + rng.normal(0, 1.0, size=2)


def norm_repeat_entry(data, rng, C=1.0):
    rows = []
    for r in data:
        row = np.array([r["x"], r["y"]])
        n = np.linalg.norm(row)
        if n > C:
            row = row * (C / n)
        rows.append(np.array([row[0], row[1], row[0], row[1]]))
    return np.sum(rows, axis=0) + rng.normal(0, 1.0, size=4)


def rows_and_norm_released(data, rng, C=1.0):
    rows = []
    ns = []
    for r in data:
        row = np.array([r["x"], r["y"]])
        n = np.linalg.norm(row)
        if n > C:
            continue
        rows.append(row)
        ns.append(n)
    return np.sum(rows, axis=0) + rng.normal(0, 1.0, size=2), np.sum(ns) + rng.normal(0, 1.0)


def short_entries_apart(data, rng, C=1.0):
    a = []
    b = []
    for r in data:
        x, y = r["x"], r["y"]
        n = math.sqrt(x * x + y * y)
        if n > C:
            continue
        a.append(x)
        b.append(x + y)
    return sum(a) + rng.normal(0, 1.0), sum(b) + rng.normal(0, 1.0)


def keyed_alias(data, rng, eps=1.0):
    d = defaultdict(int)
    e = d
    for x in data:
        d[x] += 1
        e[x] += 1
    return [d[c] + rng.laplace(0, 1 / eps) for c in COLORS]


def keyed_alias_plain(data, rng, eps=1.0):
    d = {}
    e = d
    for x in data:
        d[x] = d.get(x, 0) + 1
    return len(e), [d.get(c, 0) + rng.laplace(0, 1 / eps) for c in COLORS]


def keyed_two_loops(data, rng, eps=1.0):
    d = defaultdict(int)
    for x in data:
        d[x] += 1
    for x in data:
        d[x] += 1
    return [d[c] + rng.laplace(0, 1 / eps) for c in COLORS]


def keyed_second_loop_reads(data, rng, eps=1.0):
    d = defaultdict(int)
    for x in data:
        d[x] += 1
    n = 0
    for x in data:
        if d[x] > 2:
            n += 1
    return n + rng.laplace(0, 1 / eps)


def keyed_returned_inside(data, rng, eps=1.0):
    d = defaultdict(int)
    for x in data:
        d[x] += 1
    return {"counts": [d[c] + rng.laplace(0, 1 / eps) for c in COLORS], "raw": d}


def keyed_mult(data, rng, eps=1.0):
    d = defaultdict(int)
    for x in data:
        d[x] = d[x] * 2 + 1
    return [d[c] + rng.laplace(0, 1 / eps) for c in COLORS]


def keyed_other_slot(data, rng, eps=1.0):
    d = defaultdict(int)
    for x in data:
        d[x] = d["red"] + 1
    return [d[c] + rng.laplace(0, 1 / eps) for c in COLORS]


def keyed_factory(data, rng, eps=1.0):
    d = defaultdict(lambda: 50)
    for x in data:
        d[x] += 1
    return [d.get(c, 0) + rng.laplace(0, 1 / eps) for c in COLORS]


def steps_collide(data, rng, eps=1.0):
    d = dict.fromkeys(range(0, 14), 0)
    for x in data:
        d[int(x) * 2] += 1
        d[int(x) + 1] += 1
    return [v + rng.laplace(0, 1 / eps) for v in d.values()]


def mod_fork(data, rng, eps=1.0):
    d = [0] * 7
    for x in data:
        d[int(x) % 7] += 1
        d[(int(x) + 1) % 7] += 1
    return [v + rng.laplace(0, 1 / eps) for v in d]


def floor_negative(data, rng, eps=1.0):
    d = [0] * 5
    for x in data:
        d[int(x // 2)] += 1
    return [v + rng.laplace(0, 1 / eps) for v in d]


def mod_value(data, rng, eps=1.0):
    t = 0.0
    for x in data:
        t += x % 4
    return t + rng.laplace(0, 3 / eps)


def nested_nonlocal_list(data, rng, eps=1.0):
    scale = [1 / eps]

    def noise():
        return rng.laplace(0, scale[0])

    def reset():
        scale[0] = 0.05

    reset()
    return len(data) + noise()


def nested_loop_var(data, rng, eps=1.0):
    def noise():
        return rng.laplace(0, b)

    out = []
    for b in (5.0, 0.5):  # noqa: B007
        out.append(len(data) + noise())  # noqa: PERF401
    return out


def nested_in_nested(data, rng, eps=1.0):
    def noise(b):
        return rng.laplace(0, b)

    def release(v, b):
        return v + noise(0.1 * b)

    b = 1 / eps
    return release(len(data), b)


def nested_private_scale(data, rng, eps=1.0):
    n = len(data)

    def noise():
        return rng.laplace(0, 1 / max(n, 1))

    return n + noise()


def nested_shared_noise(data, rng, eps=1.0):
    def pair():
        z = rng.laplace(0, 2 / eps)
        return len(data) + z, 2 * len(data) + z

    return pair()


def swap_groups(data, rng, eps=1.0):
    g = {c: [] for c in COLORS}
    for x in data:
        g["red"], g["green"] = g["green"], g["red"]
        g[x].append(1)
    return [len(v) + rng.laplace(0, 1 / eps) for v in g.values()]


def swap_list(data, rng, eps=1.0):
    g = [[], []]
    for x in data:
        a = g[0]
        g[0] = g[1]
        g[1] = a
        g[0 if x == "red" else 1].append(1)
    return [len(v) + rng.laplace(0, 1 / eps) for v in g]


def move_list(data, rng, eps=1.0):
    g = {c: [] for c in COLORS}
    for _x in data:
        g["red"] = g["green"]
        g["blue"].append(1)
    return [len(v) + rng.laplace(0, 1 / eps) for v in g.values()]


def swap_keyed(data, rng, eps=1.0):
    g = defaultdict(list)
    for x in data:
        g["red"], g["green"] = g["green"], g["red"]
        g[x].append(1)
    return [len(g[c]) + rng.laplace(0, 1 / eps) for c in COLORS]


def alias_into_dict(data, rng, eps=1.0):
    a = []
    g = {"red": [], "green": [], "blue": []}
    for x in data:
        g["red"] = a
        a.append(1)
        g[x].append(1)
    return [len(v) + rng.laplace(0, 1 / eps) for v in g.values()]


def entry_kept(data, rng, eps=1.0):
    g = {"red": [], "green": [], "blue": []}
    t = g["red"]
    for x in data:
        t.append(1)
        t = g[x]
    return [len(v) + rng.laplace(0, 1 / eps) for v in g.values()]


def groups_read_other(data, rng, eps=1.0):
    g = {c: [] for c in COLORS}
    h = {"g": g}
    for x in data:
        g[x].append(1)
    return [len(h["g"][c]) for c in COLORS]


def groups_of_groups(data, rng, eps=1.0):
    a = []
    g = [a, []]
    for x in data:
        g[0 if x == "red" else 1].append(1)
    return len(a) + rng.laplace(0, 1 / eps), [len(v) + rng.laplace(0, 1 / eps) for v in g]


def private_index(data, rng, eps=1.0):
    totals = [sum(1 for x in data if x > 5), 3]
    n = [0, 0]
    for _x in data:
        n[int(np.argmax(totals))] += 1
    return [c + rng.laplace(0, 1 / eps) for c in n]


def neg_floor(data, rng, eps=1.0):
    d = [0] * 3
    for x in data:
        d[x // 4] += 1
        d[x % 3] += 1
    return [v + rng.laplace(0, 1 / eps) for v in d]


def _whole(rng):
    return rng.geometric(0.632) - rng.geometric(0.632)


def float_where_it_occurs(data, rng):
    counts = {}
    for color in data:
        counts[color] = counts.get(color, 0.0) + 1
    return counts.get("red", 0) + _whole(rng)


def float_that_is_set(data, rng):
    counts = {}
    for color in data:
        counts.setdefault(color, 0.0)
        counts[color] += 1
    return counts.get("red", 0) + _whole(rng)


def float_or_int_in_an_array(data, rng):
    counts = {}
    for color in data:
        counts[color] = counts.get(color, 0.0) + 1
    noisy = np.array([counts.get("red", 0)])
    noisy += rng.laplace(size=1)  # an error where it is an array of integers
    return noisy


def norm_list_shape(data, rng, C=1.0, eps=1.0, delta=1e-5):
    rows = []
    for r in data:
        row = np.array([r["x"], r["y"]])
        rows.append(row / max(1.0, np.linalg.norm(row) / C))
    total = np.sum(rows, axis=0)  # the number 0.0 where there are no records
    sigma = C * math.sqrt(2 * math.log(1.25 / delta)) / eps
    return total + rng.normal(0, sigma, size=np.shape(total))


BROKEN = (
    (norm_list_shape, ApproxDP(1.0, 1e-5), POINT),
    (both_bins, PureDP(1.0), DIGIT),
    (alias_lists, PureDP(1.0), DIGIT),
    (alias_in_dict, PureDP(1.0), COLOR),
    (alias_outer_read, PureDP(1.0), COLOR),
    (keys_released, PureDP(1.0), COLOR),
    (len_released, PureDP(1.0), COLOR),
    (in_released, PureDP(1.0), COLOR),
    (plain_index, PureDP(1.0), COLOR),
    (get_default_nonzero, PureDP(1.0), COLOR),
    (get_start_nonzero, PureDP(1.0), COLOR),
    (get_or, PureDP(1.0), COLOR),
    (index_missing, PureDP(1.0), SHADES),
    (decade_missing, PureDP(1.0), AGE),
    (bin_outside, PureDP(1.0), TENS),
    (tenth_bins_nine, PureDP(1.0), TENTH),
    (nan_bins, PureDP(1.0), HOLES),
    (iterate_changing, PureDP(1.0), AMOUNT),
    (sum_no_cap, PureDP(1.0), SALES),
    (sum_two_keys, PureDP(1.0), SALES),
    (setdefault_value, PureDP(1.0), SALES),
    (last_value, PureDP(1.0), SALES),
    (groups_twice, PureDP(1.0), SALES),
    (group_raise, PureDP(1.0), SALES),
    (first_only, PureDP(1.0), SALES),
    (first_only_reset, PureDP(1.0), SALES),
    (helper_mutates, PureDP(1.0), COLOR),
    (helper_appends, PureDP(1.0), COLOR),
    (nested_rebind, PureDP(1.0), COLOR),
    (nested_cond, PureDP(1.0), COLOR),
    (set_twice, PureDP(1.0), DAY),
    (set_grows, PureDP(1.0), DAY),
    (str_key_twice, PureDP(1.0), DAY),
    (neg_index, PureDP(1.0), DAY),
    (position_index, PureDP(1.0), DAY),
    (vec_alias, ZeroConcentratedDP(0.5), POINT),
    (vec_changed_after, ZeroConcentratedDP(0.5), POINT),
    (vec_if_inverted, ZeroConcentratedDP(0.5), POINT),
    (vec_partial_norm, ZeroConcentratedDP(0.5), POINT),
    (vec_two_sums, ZeroConcentratedDP(0.5), POINT),
    (kmeans_private_start, PureDP(1.0), TENS),
    (kmeans_budget, PureDP(1.0), TENS),
    (sorted_private, PureDP(1.0), TENS),
    (bisect_two, PureDP(1.0), TENS),
    (argmin_twice, PureDP(1.0), TENS),
    (questions_overspent, PureDP(1.0), TENS),
    (questions_one_noise, PureDP(1.0), TENS),
    (questions_break, PureDP(1.0), TENS),
    (append_then_mutate, PureDP(1.0), AMOUNT),
    (append_then_scale, PureDP(1.0), AMOUNT),
    (append_then_mutate_key, PureDP(1.0), AMOUNT),
    (append_then_mutate_groups, PureDP(1.0), AMOUNT),
    (two_sums_of_list, ZeroConcentratedDP(0.5), POINT),
    (norm_then_bigger, ZeroConcentratedDP(0.5), POINT),
    (norm_of_other, ZeroConcentratedDP(0.5), POINT),
    (norm_repeat_entry, ZeroConcentratedDP(0.5), POINT),
    (rows_and_norm_released, ZeroConcentratedDP(0.5), POINT),
    (short_entries_apart, ZeroConcentratedDP(0.5), POINT),
    (keyed_alias, PureDP(1.0), COLOR),
    (keyed_alias_plain, PureDP(1.0), COLOR),
    (keyed_two_loops, PureDP(1.0), COLOR),
    (keyed_second_loop_reads, PureDP(1.0), COLOR),
    (keyed_returned_inside, PureDP(1.0), COLOR),
    (keyed_mult, PureDP(1.0), COLOR),
    (keyed_other_slot, PureDP(1.0), COLOR),
    (keyed_factory, PureDP(1.0), COLOR),
    (steps_collide, PureDP(1.0), DAY),
    (mod_fork, PureDP(1.0), DAY),
    (floor_negative, PureDP(1.0), SIGNED),
    (mod_value, PureDP(1.0), SIGNED),
    (nested_nonlocal_list, PureDP(1.0), COLOR),
    (nested_loop_var, PureDP(1.0), COLOR),
    (nested_in_nested, PureDP(1.0), COLOR),
    (nested_private_scale, PureDP(1.0), COLOR),
    (nested_shared_noise, PureDP(1.0), COLOR),
    (swap_groups, PureDP(1.0), COLOR),
    (swap_list, PureDP(1.0), COLOR),
    (move_list, PureDP(1.0), COLOR),
    (swap_keyed, PureDP(1.0), COLOR),
    (alias_into_dict, PureDP(1.0), COLOR),
    (entry_kept, PureDP(1.0), COLOR),
    (groups_read_other, PureDP(1.0), COLOR),
    (groups_of_groups, PureDP(1.0), COLOR),
    (private_index, PureDP(1.0), TENS),
    (neg_floor, PureDP(1.0), SIGNED_WHOLE),
    (float_where_it_occurs, PureDP(1.0), COLOR),
    (float_that_is_set, PureDP(1.0), COLOR),
    (float_or_int_in_an_array, PureDP(1.0), COLOR),
)
