"""A line that forms nothing itself gives way to the one that does."""

import time
from dataclasses import replace
from pathlib import Path

import pytest

from dpaudit.evidence import Evidence, Finding, Verdict
from dpaudit.subject import Subject
from dpaudit.trace.after import with_roles
from dpaudit.trace.roles import by_role

# `>` begins the line that an engine has told, `~` one that draws noise, `=` that of the cause.
MOVED = {
    "an accumulator is filled": (
        "DPA105",
        """
def f(data):
>   counts = np.zeros(3)
    for x in data:
=       counts[x] += 2
    return counts
""",
    ),
    "an attribute is filled by another method": (
        "DPA109",
        """
class A:
    def __init__(self):
>       self.seen = {}
    def add(self, x):
=       self.seen[x] = 1
""",
    ),
    "a sampler is right for its parameter": (
        "DPA105",
        """
def noise(width):
>~  return random.expovariate(1 / width)
def f(data):
=   spread = 1.0 / 8
    return len(data) + noise(spread)
""",
    ),
    "a helper divides what it is told by a budget": (
        "DPA103",
        """
def noised(value, sensitivity, epsilon):
>   scale = sensitivity / epsilon
~   return value + np.random.laplace(0, scale)
def f(data, epsilon):
    width = 10
    n = len(data)
=   sensitivity = width / n
    return noised(sum(data) / n, sensitivity, epsilon)
""",
    ),
    "labels of the data are drawn": (
        "DPA109",
        """
def f(data):
=   labels, places = np.unique(data, return_inverse=True)
    k = len(labels)
~   drawn = np.random.randint(0, k, len(data))
    released = labels[drawn]
>   return released
""",
    ),
    "a coin is right for its chance": (
        "DPA106",
        """
def flip(p):
>~  return secrets.randbelow(N) < p * N
def f(bit):
=   keep = 0.99
    if flip(keep):
        return bit
    return 1 - bit
""",
    ),
    "the scale is a property": (
        "DPA106",
        """
class A:
    @property
    def std(self):
=       return self.clip / 7
    def f(self, x):
>~      return x + np.random.normal(0, self.std)
""",
    ),
    "the scale is an entry of a table": (
        "DPA106",
        """
def f(x):
=   config = {"std": 3.0 * 2}
>~  return x + np.random.normal(0, config["std"])
""",
    ),
    "what noise is added to has a name": (
        "DPA105",
        """
def f(x, std):
=   g = shorten(x.mean())
>~  g = g + np.random.normal(0, std)
    return g
""",
    ),
    "a function limits what each record adds": (
        "DPA105",
        """
def limit(v):
=   return np.clip(v, -1, 1)
def f(rows):
    total = 0
    for v in rows:
>       total = total + limit(v)
    return total
""",
    ),
    "labels are no values": (
        "DPA105",
        """
def f(frame):
=   means = frame.groupby("a").mean()
>   shown = means.reindex(KEYS).fillna(0.0)
    return shown
""",
    ),
    "a helper is given its scale": (
        "DPA103",
        """
def add(value, sensitivity, epsilon):
>~  return value + np.random.laplace(0, sensitivity / epsilon)
def f(data, epsilon):
    best = max(data)
=   return add(sum(data), best + 1, epsilon)
""",
    ),
    "what nothing bounds is divided": (
        "DPA104",
        """
def f(data):
=   weights = 1.0 / data
>~  return weights.sum() + np.random.laplace(scale=10.0)
""",
    ),
    "a sensitivity is computed where it is handed over": (
        "DPA105",
        """
def width(sensitivity, epsilon):
    return sensitivity / epsilon
def f(data, top, n):
=   scale = width(top / (n * n), 1.0)
>~  return data.mean() + np.random.laplace(0, scale)
""",
    ),
    "a sensitivity is computed for a helper that adds the noise": (
        "DPA105",
        """
def noisy(value, sensitivity, epsilon):
>~  return value + np.random.laplace(0, sensitivity / epsilon)
def f(data, low, high):
=   width = abs(high - low)
    return noisy(data.sum(), width, 1.0)
""",
    ),
    "a constructor is given the scale": (
        "DPA106",
        """
class A:
    def __init__(self, scale):
        self.scale = scale
    def add(self, x):
>~      return x + np.random.laplace(0, self.scale)
def f(data):
=   return A(1 / 3).add(sum(data))
""",
    ),
    "noise has a name before it is added": (
        "DPA106",
        """
def noisy(value, scale):
>~  noise = np.random.laplace(0, scale)
    return value + noise
def f(data):
=   width = 1 / 3
    return noisy(sum(data), width)
""",
    ),
    "two draws in one statement": (
        "DPA106",
        """
def f(data):
    one = 1 / 2
=   two = 1 / 3
    return [
        sum(data) + np.random.laplace(0, one),
>~      len(data) + np.random.laplace(0, two),
    ]
""",
    ),
    "a limit of several lines, behind a form feed": (
        "DPA105",
        """
def limit(v):
    "\f"
=   return np.clip(
        v, -1, 1
    )
def f(rows):
    total = 0
    for v in rows:
>       total = total + limit(v)
    return total
""",
    ),
    "a lambda adds the noise": (
        "DPA106",
        """
def f(data):
=   width = 1 / 3
    add = lambda x: x + np.random.laplace(
>~      0, width)
    return add(sum(data))
""",
    ),
    "a function with a decorator adds the noise": (
        "DPA106",
        """
def f(data):
=   width = 1 / 3
    @wrapped
    def add(x, w=width):
>~      return x + np.random.laplace(0, w)
    return add(sum(data))
""",
    ),
}
MISBOOKED = """
class Ledger:
    def pay(self, epsilon):
        if self.spent > self.total or epsilon > self.total:
            raise ValueError(epsilon)
BOOKED
        return epsilon
class Query:
    def count(self, data, epsilon):
        eps = self.ledger.pay(epsilon)
>~      return len(data) + np.random.laplace(0, 1 / eps)
"""
MOVED |= {
    "the largest price is booked": (
        "DPA107", MISBOOKED.replace("BOOKED", "=       self.spent = max(self.spent, epsilon)")
    ),
    "the last price is booked": (
        "DPA107", MISBOOKED.replace("BOOKED", "=       self.spent = epsilon")
    ),
}  # fmt: skip
MOVED |= {
    "a method limits the mean of all records": (
        "DPA105",
        """
class Average:
    def __init__(self, bound=1.0):
        self.bound = bound
    def clip(self, v):
>       return v * min(1.0, self.bound / norm(v))
    def f(self, data, mu):
        n = len(data)
=       mean = self.clip(data.mean(axis=0))
~       return mean + np.random.normal(0, 2 * self.bound / (n * mu))
""",
    ),
}
TURNED = {
    "a budget over a sensitivity": (
        "DPA106",
        """
def width(epsilon, sensitivity):
=   return epsilon / sensitivity
def f(data):
>   total = np.clip(data, 0, 4).sum()
~   return total + np.random.laplace(scale=width(1.0, 4.0))
""",
    ),
    "the sum is limited, and not what each record adds": (
        "DPA105",
        """
def f(data):
    mean = np.mean(data)
=   mean = np.clip(mean, -1, 1)
>~  return mean + np.random.laplace(scale=0.1)
""",
    ),
}
KEPT = {
    "a number of records is no mistake": (
        "DPA103",
        """
def f(data):
    n = max(1, len(data))
=>~ return data.sum() / n + rng.laplace(scale=100 / n)
""",
    ),
    "the sum of the prices is booked": (
        "DPA107",
        MISBOOKED.replace("BOOKED", "        self.spent += epsilon").replace(">~", "=>~"),
    ),
    "a factor whose name only begins like a budget": (
        "DPA105",
        """
def f(data, eps_inverse, sensitivity, rho):
>=  total = sum(data)
~   return total + np.random.laplace(0, eps_inverse * sensitivity * rho)
""",
    ),
    "a multiple of the budget beside it that is wide enough": (
        "DPA105",
        """
def f(data, epsilon):
~   a = len(data) + np.random.laplace(0, 1 * epsilon)
>=  total = sum(data)
~   return a, total + np.random.laplace(0, 1 / epsilon)
""",
    ),
    "a function of a library with the name of one of the file": (
        "DPA105",
        """
import numpy as np
def limit(v):
    return np.clip(v, 0, 1)
def f(data):
    total = 0
    for v in data:
>=      total = total + np.limit(v)
    return total
""",
    ),
    "two methods of one name": (
        "DPA106",
        """
class A:
    def noise(self, s):
>=~     return np.random.laplace(0, s)
class B:
    def noise(self, s):
        return np.random.laplace(0, 2 * s)
def f(data, a):
    width = 3
    return sum(data) + a.noise(width)
""",
    ),
    "an attribute of a module": (
        "DPA106",
        """
import config
class A:
    def __init__(self):
        self.scale = 2 * 3
def f(data):
>=~ return sum(data) + np.random.laplace(0, config.scale)
""",
    ),
    "the values of an array": (
        "DPA105",
        """
class A:
    def __init__(self):
        self.values = [1] * 3
def f(data):
>=  x = data.values
~   return x + np.random.laplace(0, 1)
""",
    ),
    "a mean over at least one record": (
        "DPA106",
        """
def f(data):
    mean = np.sum(data) / max(1, len(data))
>=~ return mean + np.random.laplace(0, 0.1)
""",
    ),
    "a sensitivity that is computed for another answer": (
        "DPA105",
        """
def noisy(value, sensitivity):
~   return value + np.random.laplace(0, sensitivity / 1.0)
def f(data, top, n):
    a = noisy(np.clip(data, 0, top).mean(), top / n)
>=  b = noisy(data.sum(), 1)
    return a, b
""",
    ),
    "a sampler that makes its noise smaller": (
        "DPA106",
        """
HALF = 0.5
def noise(scale):
>=~ return HALF * np.random.laplace(0, scale)
def f(data):
    width = 1 / 3
    return sum(data) + noise(width)
""",
    ),
    "functions that call one another": (
        "DPA106",
        """
def noise(x):
>=~ return np.random.laplace(0, x)
def f(x):
    return noise(x) + g(x) + g(x) + g(x) + g(x) + g(x) + g(x)
def g(x):
    return noise(x) + f(x) + f(x) + f(x) + f(x) + f(x) + f(x)
""",
    ),
    "a product of thousands of factors": (
        "DPA106",
        f"""
def f(data, x):
>=~ return sum(data) + np.random.laplace(0, x{" * 2" * 3000})
""",
    ),
    "a sampler that is wrong by itself": (
        "DPA106",
        """
def noise(scale):
>=~ return random.expovariate(1 / scale) / 2
def f(data):
    return len(data) + noise(1.0 / 8)
""",
    ),
    "noise that is redrawn with another scale": (
        "DPA106",
        """
def noise(scale):
>=~ return random.expovariate(1 / (2 * scale))
def f(data):
    spread = 1.0 / 8
    return len(data) + noise(spread)
""",
    ),
    "a value that leaves": (
        "DPA101",
        """
def f(data):
    total = sum(data)
>=  return total
""",
    ),
    "a rate that is a budget over a sensitivity": (
        "DPA105",
        """
def f(data, epsilon, top):
>=  total = sum(data)
~   return total + random.expovariate(epsilon / top)
""",
    ),
    "a scale that is formed on the line of the noise": (
        "DPA106",
        """
def f(data, epsilon):
>=~ return len(data) + np.random.laplace(0, 0.5 / epsilon)
""",
    ),
    "a sampler that is asked for several scales": (
        "DPA105",
        """
def noise(scale):
>=~ return np.random.laplace(0, scale)
def f(data):
    a = 1 / 2
    b = 1 / 3
    return len(data) + noise(a), sum(data) + noise(b)
""",
    ),
}


def told(folder, kind, text):
    """Write a program and return its finding with the line of the cause."""
    lines = text.lstrip("\n").split("\n")
    path = folder / "program.py"
    marks = [set(line) & set(">=~") if line[:1] in ">=~" else set() for line in lines]
    for number, line in enumerate(lines):
        if marks[number]:
            head = line[:4].translate(str.maketrans(">=~", "   "))
            lines[number] = head + line[4:]
            marks[number] = set(line[:4])
    path.write_text("\n".join(lines) + "\n")

    def marked(sign):
        return [n for n, mark in enumerate(marks, 1) if sign in mark]

    noise = tuple((str(path), n, "the laplace noise") for n in marked("~"))
    [line], [cause] = marked(">"), marked("=")
    return Finding(kind, "error", "f", (), str(path), line, noise), cause


@pytest.mark.parametrize(("kind", "text"), MOVED.values(), ids=MOVED)
def test_a_line_that_forms_nothing_gives_way(kind, text, tmp_path):
    finding, cause = told(tmp_path, kind, text)
    assert (by_role(finding).id, by_role(finding).line) == (kind, cause)


@pytest.mark.parametrize(("kind", "text"), TURNED.values(), ids=TURNED)
@pytest.mark.parametrize("given", ["DPA105", "DPA106"])
def test_the_side_that_is_wrong_is_named(kind, text, given, tmp_path):
    finding, cause = told(tmp_path, given, text)
    found = by_role(finding)
    assert (found.id, found.line) == (kind, cause)
    assert kind == given or given in found.also


@pytest.mark.parametrize(("kind", "text"), KEPT.values(), ids=KEPT)
def test_a_line_that_forms_what_is_wrong_stays(kind, text, tmp_path):
    finding, cause = told(tmp_path, kind, text)
    assert by_role(finding) == finding
    assert finding.line == cause


# The same marks; the first kind is that which an engine has told, the second that of the cause.
OF_KEYS = {
    "a wrapper is given the rows of a helper": (
        "DPA109",
        "DPA109",
        """
import pandas as pd
def table(visits, epsilon):
=   grouped = visits.groupby("site").size()
    rows = []
    for site, n in grouped.items():
~       noisy = n + np.random.laplace(0, 1 / epsilon)
        if noisy < 1:
            continue
        rows.append({"site": site, "n": noisy})
    return rows
def report(visits):
>   return pd.DataFrame(table(visits, 1.0), columns=["site", "n"])
""",
    ),
    "an entry that noise lets through has its key from the loop": (
        "DPA109",
        "DPA109",
        """
def f(df, epsilon, tau):
    released = {}
=   for place, n in df["place"].value_counts().items():
~       noisy = n + np.random.laplace(0.0, 1.0 / epsilon)
        if noisy >= tau:
            released[place] = noisy
>   return dict(sorted(released.items()))
""",
    ),
    "a table of public keys is filled by a private test": (
        "DPA109",
        "DPA108",
        """
KINDS = ["a", "b"]
def f(data, epsilon):
    counts = Counter(data)
>   table = {}
    for kind in KINDS:
        n = counts.get(kind, 0)
=       if n < 3:
            table[kind] = "*"
            continue
~       table[kind] = n + np.random.laplace(0, 1 / epsilon)
    return table
""",
    ),
    "a test of what a helper with noise has returned": (
        "DPA108",
        "DPA108",
        """
NAMES = ["a", "b"]
def hot(data, epsilon):
    tally = Counter(data)
~   limit = 5 + np.random.laplace(scale=1 / epsilon)
    found = []
    for name in NAMES:
=       if tally.get(name, 0) >= limit:
            found.append(name)
    return found
def message(data):
    over = hot(data, 1.0)
>   return "ok" if not over else ", ".join(over)
""",
    ),
    "a grid between the ends of the data": (
        "DPA109",
        "DPA109",
        """
def f(data):
=   low, high = data.min(), data.max()
>   edges = np.linspace(low, high, 5)
    counts, _ = np.histogram(data, bins=edges)
~   return edges, counts + np.random.laplace(0, 1, 4)
""",
    ),
    "noise is left out where its scale is zero": (
        "DPA108",
        "DPA103",
        """
def gap(x):
    return max(np.diff(x))
def f(x, epsilon):
=   width = gap(x)
>~  noise = np.random.laplace(scale=width / epsilon) if width > 0 else 0.0
    return x[2] + noise
""",
    ),
    "each attribute is given the whole budget": (
        "DPA107",
        "DPA107",
        """
def f(rows, epsilon):
    tables = {}
    for column in COLUMNS:
        counts = {v: 0 for v in VALUES}
=       scale = 1.0 / epsilon
        for v in VALUES:
>~          tables[column, v] = counts[v] + np.random.laplace(0, scale)
    return tables
""",
    ),
    "a method gives two others its budget": (
        "DPA107",
        "DPA107",
        """
class Desk:
    def both(self, eps):
        total = self.total(eps)
=       n = self.count(eps)
        return total / n
    def count(self, eps):
>~      return len(self.rows) + np.random.laplace(0, 1.0 / eps)
    def total(self, eps):
        return sum(self.rows) + np.random.laplace(0, 9.0 / eps)
""",
    ),
    "noise for each entry of one vector": (
        "DPA107",
        "DPA105",
        """
def f(rows):
    total = rows.sum(axis=0)
=   total = rows.sum(axis=0)
    out = []
    for j in range(4):
>~      out.append(total[j] + np.random.laplace(0, 2.0))
    return out
""",
    ),
    "entries are limited and the norm is not": (
        "DPA105",
        "DPA105",
        """
def f(rows, sigma):
=   rows = np.clip(rows, 0, 5)
>   totals = rows.sum(axis=0)
~   return totals + np.random.normal(0, sigma, 6)
""",
    ),
    "a limit of what is computed without one": (
        "DPA104",
        "DPA104",
        """
def bounded(value):
>   return min(max(value, 0), 80)
def f(data, noise):
=   average = bounded(np.mean(data))
    return bounded(average + noise())
""",
    ),
    "a chance is computed of the budget alone": (
        "DPA106",
        "DPA106",
        """
def chance(epsilon):
=   return 1.0 / (1.0 + math.exp(epsilon))
def f(bits, epsilon):
>   p = chance(epsilon)
~   return [b if random.random() < p else 1 - b for b in bits]
""",
    ),
    "a scale of a part that the data makes": (
        "DPA103",
        "DPA103",
        """
def f(x, epsilon):
=   s = np.diff(x).max()
>~  return x[0] + np.random.laplace(0, (s + 1) / epsilon)
""",
    ),
    "keys that another method has set": (
        "DPA109",
        "DPA109",
        """
import numpy as np
class A:
    def fit(self, values):
=       self.levels_ = np.unique(values)
>       self.counts_ = np.array([(values == v).sum() for v in self.levels_])
    def release(self):
~       return self.counts_ + np.random.laplace(0, 1, self.counts_.shape)
""",
    ),
    "a label that is chosen without noise": (
        "DPA109",
        "DPA101",
        """
ITEMS = ["a", "b"]
def f(data):
    votes = np.bincount(data)
=   best = int(np.argmax(votes))
~   amount = votes[best] + np.random.laplace(0, 1)
>   return ITEMS[best], amount
""",
    ),
    "a test whether the data have keys": (
        "DPA108",
        "DPA109",
        """
def f(data):
=   kinds = sorted(set(data))
>   if not kinds:
        return None
~   return random.choice(kinds)
""",
    ),
    "a value that a test with noise lets through": (
        "DPA108",
        "DPA101",
        """
def f(data, limit):
    found = []
    for value in data:
>~      if value + np.random.laplace(scale=4.0) >= limit:
=           found.append(float(value))
    return found
""",
    ),
    "rounds that a private test ends": (
        "DPA101",
        "DPA108",
        """
def f(x):
    w, steps = 0.0, 0
    for _ in range(3):
=       if loss(w, x) < 0.1:
            break
~       w -= 0.1 * (x.sum() + np.random.laplace(0, 3))
>       steps += 1
    return w, steps
""",
    ),
    "a budget that is tested before it is spent": (
        "DPA107",
        "DPA107",
        """
class Ledger:
    def spend(self, eps):
=       if self.used > self.total:
            raise RuntimeError
        self.used += eps
class Desk:
    def ask(self, eps):
        self.ledger.spend(eps)
>~      return sum(self.rows) + np.random.laplace(0, 1 / eps)
""",
    ),
    "a formula of a budget and a delta": (
        "DPA106",
        "DPA106",
        """
def width(epsilon, delta):
=   return 2 * math.log(1.25 / delta) / epsilon**2
def f(x, epsilon, delta):
    sigma = width(epsilon, delta)
>~  return len(x) + np.random.normal(0, sigma)
""",
    ),
    "a scale of a part of the data and their number": (
        "DPA103",
        "DPA103",
        """
class A:
    def f(self, x):
=       width = max(x) - min(x)
>~      return np.mean(x) + np.random.laplace(0, (width + 1) / (len(x) * self.epsilon))
""",
    ),
    "a constant for no keys": (
        "DPA101",
        "DPA109",
        """
def count(rows):
    c = defaultdict(int)
    for r in rows:
=       c[r["tag"]] += 1
    return dict(c)
def f(rows):
    c = count(rows)
    tags = list(c)
    if len(tags) == 0:
>       return ""
~   return random.choice(tags)
""",
    ),
    "a constant for a private test": (
        "DPA101",
        "DPA108",
        """
def f(data):
    n = len(data)
=   if n < 3:
>       return "few"
~   return n + np.random.laplace()
""",
    ),
    "noise for all entries in one line": (
        "DPA107",
        "DPA107",
        """
def f(rows, eps):
=   b = 5.0 / eps
    s = by_month(rows)
>~  return [v + np.random.laplace(0, b) for v in s]
""",
    ),
    "a line that limits to what the scale is made of": (
        "DPA103",
        "DPA103",
        """
def f(rows, epsilon):
=   limit = max(rows)
>   s = sum(min(x, limit) for x in rows)
~   return s + np.random.laplace(0, limit / epsilon)
""",
    ),
    "a sample that is none": (
        "DPA115",
        "DPA115",
        """
def some(data, k):
=   return data[:k]
def f(data):
    part = some(data, len(data) // 2)
>   n = sum(1 for x in part if x > 3)
~   return n + np.random.laplace(0, 1)
""",
    ),
}

KEPT_KEYS = {
    "keys that records make in a loop through them": (
        "DPA109",
        """
def f(data):
    counts = {}
    for x in data:
>=      counts[x] = counts.get(x, 0) + 1
    return counts
""",
    ),
    "keys that a line forms": (
        "DPA109",
        """
def f(data):
    counts = Counter(data)
>=  kept = counts[counts >= 3]
~   return {k: n + np.random.laplace() for k, n in kept.items()}
""",
    ),
    "a private test": (
        "DPA108",
        """
def f(data):
    n = len(data)
>=  if n < 3:
        return None
~   return n + np.random.laplace()
""",
    ),
    "public keys that a comprehension goes through": (
        "DPA109",
        """
def f(df):
    levels = ["a", "b"]
>=  scores = [df["x"].value_counts().get(level, 0) for level in levels]
~   return [s + np.random.laplace() for s in scores]
""",
    ),
    "rounds that the records make": (
        "DPA101",
        """
def f(data):
    n = 0
    for x in data:
        if x > 3:
>=          n += 1
    return n
""",
    ),
    "an index that a test with noise lets through": (
        "DPA108",
        """
def f(counts, limit):
    found = []
    for i in range(3):
>=~     if counts[i] + np.random.laplace(scale=4.0) >= limit:
            found.append(i)
    return found
""",
    ),
    "a budget that is tested with its price": (
        "DPA107",
        """
class Desk:
    def ask(self, eps):
        if self.used + eps > self.total:
            raise RuntimeError
        self.used += eps
>=~     return sum(self.rows) + np.random.laplace(0, 1 / eps)
""",
    ),
    "a scale that is right for what it is given": (
        "DPA106",
        """
def width(sensitivity, epsilon):
    return sensitivity / epsilon
def f(data, epsilon):
>=  b = width(1.0, epsilon)
~   return len(data) + np.random.normal(0, b)
""",
    ),
    "several answers of one line each": (
        "DPA107",
        """
def noisy(value, eps):
    return value + np.random.laplace(0, 1 / eps)
def f(data):
    a = noisy(len(data), 1.0)
>=~ b = sum(data) + np.random.laplace(0, 1.0)
    return a, b
""",
    ),
}


@pytest.mark.parametrize(("said", "kind", "text"), OF_KEYS.values(), ids=OF_KEYS)
def test_keys_budgets_and_steps_have_the_line_that_forms_them(said, kind, text, tmp_path):
    finding, cause = told(tmp_path, said, text)
    found = by_role(finding)
    assert (found.id, found.line) == (kind, cause)
    assert said == kind or said in found.also


@pytest.mark.parametrize(("kind", "text"), KEPT_KEYS.values(), ids=KEPT_KEYS)
def test_a_line_that_forms_keys_or_a_test_stays(kind, text, tmp_path):
    finding, cause = told(tmp_path, kind, text)
    assert by_role(finding).line == cause
    assert by_role(finding).id == kind


def test_a_call_on_a_line_that_did_not_run_is_no_cause(tmp_path):
    finding, _ = told(tmp_path, *KEPT["a sampler that is asked for several scales"])
    path = finding.file
    [text] = [KEPT["a sampler that is asked for several scales"][1]]
    rewritten = text.replace("noise(a), sum(data)", "noise(a)\n    return sum(data)")
    (tmp_path / "other").mkdir()
    finding, _ = told(tmp_path / "other", "DPA105", rewritten)
    ran = {(finding.file, n) for n in (2, 4, 6)}
    assert path != finding.file
    assert by_role(finding, ran=lambda: ran).line == 4


def test_of_two_branches_that_is_meant_which_a_run_came_to(tmp_path):
    text = """
def f(data, wide):
    if wide:
=       scale = 2.0 / 3
    else:
        scale = 1.0 / 8
>~  return sum(data) + np.random.laplace(0, scale)
"""
    finding, cause = told(tmp_path, "DPA106", text)
    ran = {(finding.file, n) for n in (2, 3, 6)}
    assert by_role(finding, ran=lambda: ran).line == cause


def test_lines_end_as_they_do_on_any_system(tmp_path):
    finding, cause = told(tmp_path, *MOVED["a sampler is right for its parameter"])
    path = Path(finding.file)
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert by_role(finding).line == cause


def test_what_a_user_adds_several_times_is_not_the_fault_of_its_limit(tmp_path):
    finding, _ = told(tmp_path, *MOVED["a function limits what each record adds"])
    assert by_role(finding, rows=3) == finding


def test_without_a_source_nothing_is_moved():
    finding = Finding("DPA105", "error", "f", (), "nowhere.py", 3)
    assert by_role(finding) == finding


MISUSED = {
    "a scale is the only argument of the noise": (
        "DPA105",
        """
def f(data, epsilon):
    width = 2 / epsilon
>   total = sum(data)
=~  return total + np.random.laplace(width)
""",
    ),
    "a scale is the location, by its name alone": (
        "DPA109",
        """
def f(data, scale):
>   top = max(data)
=~  return top + np.random.normal(scale, size=1)[0]
""",
    ),
    "noise of either sign is cut": (
        "DPA105",
        """
def noise(b):
~   u = np.random.random()
    if np.random.random() < 0.5:
        n = -b * np.log(1.0 - u)
    else:
        n = b * np.log(u)
=   return int(n)
def f(data):
    for i in range(len(data)):
>       data[i] += noise(2.0)
    return data
""",
    ),
    "noise is cut where it is added": (
        "DPA106",
        """
def f(data):
~   noise = np.random.laplace(0, 2.0)
=   return len(data) + math.trunc(noise)
>   # the end
""",
    ),
    "the noise of an array is cut": (
        "DPA105",
        """
def f(data):
>=~ return data + np.random.laplace(0, 2.0, size=3).astype(int)
""",
    ),
    "what a helper draws is cut by its caller": (
        "DPA105",
        """
def noise(b):
~   return np.random.laplace(0, b)
def f(data):
>   n = len(data)
=   return n + int(noise(2.0))
""",
    ),
}
RIGHT_NOISE = {
    "noise around a value": "n = len(data)\n>=~ return np.random.laplace(n)",
    "the mean of noise": "mu = 3.0\n>=~ return len(data) + np.random.normal(mu)",
    "a noisy answer is cut": "n = len(data)\n>=~ return int(n + np.random.laplace(0, 2.0))",
    "an answer that noise is around": "n = len(data)\n>=~ return int(np.random.laplace(n, 2.0))",
    "geometric noise": "u = np.random.random()\n>=~ return int(np.log(1.0 - u) / 0.5) + len(data)",
    "an index": "n = len(data)\n>=~ return data[int(n * np.random.random())]",
    "noise is rounded down": (
        "n = len(data)\n>=~ return n + math.floor(np.random.laplace(0, 2.0))"
    ),
}


@pytest.mark.parametrize(("said", "text"), MISUSED.values(), ids=MISUSED)
def test_noise_that_is_misused_is_the_cause(said, text, tmp_path):
    finding, cause = told(tmp_path, said, text)
    found = by_role(finding)
    assert (found.id, found.line) == ("DPA106", cause)


@pytest.mark.parametrize("text", RIGHT_NOISE.values(), ids=RIGHT_NOISE)
def test_noise_that_is_used_as_it_is_drawn_is_no_misuse(text, tmp_path):
    finding, _ = told(tmp_path, "DPA107", f"\ndef f(data):\n    {text}\n")
    assert by_role(finding).id != "DPA106"


def test_what_the_source_shows_at_the_noise_of_a_refutation_has_the_line_that_forms_it(tmp_path):
    text = """
def f(x, epsilon):
=   width = np.diff(x).max() / len(x)
>~  return np.mean(x) + np.random.laplace(0, width / epsilon)
"""
    finding, cause = told(tmp_path, "DPA103", text)
    refuted = Evidence("formal", Verdict.REFUTED, findings=(replace(finding, id="DPA105"),))
    source = Evidence("static", None, findings=(replace(finding, related=()),))
    subject = Subject.of(len)
    assert [f.line for f in with_roles(source, refuted, subject).findings] == [cause]
    assert with_roles(source, replace(refuted, verdict=None), subject) == source


def test_keys_that_the_source_shows_at_their_return_are_told_where_they_form(tmp_path):
    finding, cause = told(tmp_path, *MOVED["labels of the data are drawn"])
    refuted = Evidence("formal", Verdict.REFUTED, findings=(replace(finding, id="DPA105"),))
    source = Evidence("static", None, findings=(replace(finding, related=()),))
    assert [f.line for f in with_roles(source, refuted, Subject.of(len)).findings] == [cause]


def test_a_function_of_thousands_of_branches_is_read_once(tmp_path):
    lines = ["def f(data, rng):", "    a = b = c = 1.0"]
    for number in range(830):
        for name in "abc":
            set_to = f"        {name} = a * b + c / {number + 2}"
            lines += [f"    if len(data) > {number}:", set_to]
    lines += ["    scale = a + b + c", "    return len(data) + rng.laplace(scale=scale)"]
    file = tmp_path / "branches.py"
    file.write_text("\n".join(lines) + "\n")
    drawn = str(file), len(lines), "laplace noise"
    began = time.process_time()
    for kind in ("DPA103", "DPA107"):
        by_role(Finding(kind, "error", "", file=drawn[0], line=drawn[1], related=(drawn,)))
    assert time.process_time() - began < 10  # it took minutes
