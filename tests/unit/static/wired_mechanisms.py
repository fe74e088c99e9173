"""Mechanisms as strangers wire them for an audit: what is sound, and a broken twin of many."""

import hashlib
import math
import random
from collections import Counter, defaultdict
from dataclasses import dataclass, field

import numpy as np

from dpaudit import AddRemove, AnyPair, Categorical, Integer, Real, ReplaceOne, Row

CITIES = ["north", "south"]
CONFIG = {"column": "city", "epsilon": 1.0, "categories": ["north", "south"], "debug": False}
PEOPLE = AddRemove(
    Row(city=Categorical(CITIES), age=Integer(0, 90)), max_size=6, container="pandas"
)
NUMBERS = AddRemove(Real(0, 10), max_size=6)
FIVE = ReplaceOne(Real(0, 1), size=5)
SOME = AddRemove(Real(0, 10), max_size=6, min_size=1)
WORDS = AddRemove(Categorical(["a", "b"]), max_size=6, container="list")
LETTERS = ReplaceOne(Categorical(["a", "b"]), size=5, container="list")
CODE = AnyPair(Integer(0, 3))
BIT = AnyPair(Categorical([True, False]))


# --- settings that the wiring fixes


def summarize(values, epsilon, mode="noisy", verbose=False):
    if verbose:
        print("true sum", sum(values))
    if mode == "exact":
        return sum(values)
    if epsilon <= 0:
        return sum(values)
    return sum(values) + np.random.laplace(0, 10 / epsilon)


def sanitized(total, sigma=None, epsilon=1.0):
    if sigma is None:
        sigma = 30 / epsilon
    if sigma > 0:
        out = total + np.random.laplace(0, sigma)
    else:
        out = total
    return out


def report(frame, config):
    column = frame[config["column"]]
    if config.get("categories") is not None:
        labels = [str(c) for c in config["categories"]]
    else:
        labels = sorted(column.unique())
    counts = [int((column == label).sum()) for label in labels]
    noisy = [c + np.random.laplace(0, 1 / config["epsilon"]) for c in counts]
    return {"labels": labels, "true": counts, "noisy": [max(0.0, c) for c in noisy]}


# --- checks that no record of the domain fails


def checked_variance(values, epsilon):
    import numpy as np

    if len(values) != np.size(values):
        return None
    if any(values < 0.0) or any(values > 1.0):
        raise ValueError("values must be in [0, 1]")
    return np.var(values) + np.random.laplace(0, 1 / (5 * epsilon))


def checked_mean(values, epsilon):
    if not values:
        raise ValueError("no values")
    cleaned = [v for v in values if v is not None]
    if len(cleaned) == 0:
        return 0.0
    return sum(cleaned) + np.random.laplace(0, 10 / epsilon)


class Encoder:
    """Unary encoding with a check at its door."""

    def __init__(self, size, epsilon):
        self.size = size
        self.p = 0.5
        self.q = 1 / (math.exp(epsilon) + 1)

    def encode(self, code):
        if not 0 <= code < self.size:
            raise ValueError(f"{code} is out of range")
        bits = np.zeros(self.size)
        bits[code] = 1
        out = np.zeros(self.size)
        for i in range(self.size):
            if bits[i] == 1:
                if random.random() < self.p:
                    out[i] = 1
            elif random.random() < self.q:
                out[i] = 1
        return out


# --- chance that decides whatever the record is


def by_matrix(code, epsilon=1.0):
    keep = math.exp(epsilon) / (math.exp(epsilon) + 3)
    matrix = np.full((4, 4), (1 - keep) / 3)
    np.fill_diagonal(matrix, keep)
    return np.random.choice(range(4), p=matrix[code])


def another_code(code, k, epsilon):
    if random.random() < math.exp(epsilon) / (math.exp(epsilon) + k - 1):
        return code
    other = random.randrange(k - 1)
    if other >= code:
        other += 1
    return other


def two_coins(bit):
    if random.uniform(0, 1) > 0.5:
        return bit
    if random.uniform(0, 1) > 0.5:
        return True
    return False


def coin_or_nothing(bit):
    if random.uniform(0, 1) > 0.5:
        return bit
    return None


def randomize_all(codes, k, p):
    for i, code in enumerate(codes):
        new = code
        if random.random() > p:
            while new == code:
                new = np.random.randint(0, k)
        codes[i] = new


def randomized_counts(codes, k):
    randomize_all(codes, k, 0.75)
    return np.bincount(codes, minlength=k)


def hashed_bits(word, rng):
    digest = hashlib.sha256(word.encode()).digest()
    bits = [(digest[0] >> i) & 1 for i in range(4)]
    return [b if rng.random() < 0.8 else 1 - b for b in bits]


# --- objects that are changed in place, or that hold other things beside


def add_to_all(counts, epsilon):
    for key in counts.keys():
        counts[key] += np.random.laplace(0, 1 / epsilon)


def counted_words(words):
    counts = {w: words.count(w) for w in ("a", "b")}
    add_to_all(counts, 1.0)
    return counts


def blurred(frame):
    table = frame.copy()
    table["age"] = table["age"].clip(0, 90) + np.random.laplace(0, 90, len(table))
    table["city"] = [random.choice(CITIES) for _ in range(len(table))]
    return table


def chosen_word(words, epsilon):
    weights = {}
    for word in ("a", "b"):
        weights[word] = math.exp(epsilon * words.count(word) / 2)
    total = sum(weights.values())
    for word in weights:
        weights[word] /= total
    return random.choices(list(weights.keys()), weights=list(weights.values()))[0]


def present_word(words, epsilon):
    weights = Counter()
    for word in words:
        weights[word] += 1
    odds = {}
    for word, count in weights.items():
        odds[word] = math.exp(epsilon * count / 2)
    return random.choices(list(odds.keys()), weights=list(odds.values()))[0]


def spoken_of():
    return TABLE["age"].clip(0, 90).sum() + np.random.laplace(0, 90)


def through_a_global(data):
    global TABLE
    TABLE = data
    return spoken_of()


@dataclass
class Engine:
    """A query engine with a budget and a history."""

    rows: list
    budget: float = 1.0
    history: list = field(default_factory=list)

    def count(self, test, epsilon):
        if epsilon > self.budget:
            raise RuntimeError("no budget left")
        self.budget -= epsilon
        answer = sum(1 for row in self.rows if test(row)) + np.random.laplace(0, 1 / epsilon)
        self.history.append({"epsilon": epsilon, "answer": answer})
        return answer


# --- noise that is made by hand, and seeds of something else


def sample_laplace(scale, source):
    while True:
        sign = source.read(1)[0] & 1
        size = 0
        while source.read(1)[0] > 256 / math.e:
            size += 1
        if sign and size == 0:
            continue
        return -scale * size if sign else scale * size


def shuffled_then_noised(values, seed=0):
    random.seed(seed)
    order = list(range(3))
    random.shuffle(order)
    return sum(values) + np.random.laplace(0, 10), order


def sketched(words, rng):
    hashing = np.random.RandomState(7)
    a, b = hashing.randint(1, 97, 2)
    table = np.zeros(4)
    for word in words:
        table[(a * len(word) + b) % 97 % 4] += 1
    return table + rng.laplace(0, 1, 4)


class Sparse:
    """Above threshold, as long as hits are left."""

    def __init__(self, limit):
        self.limit, self.hits = limit, 0
        self.threshold = 3 + np.random.laplace(0, 4)

    def ask(self, answer):
        if self.hits >= self.limit:
            return False
        if answer + np.random.laplace(0, 16) >= self.threshold:
            self.hits += 1
            return True
        return False

    def ask_all(self, answers):
        return [self.ask(answer) for answer in answers]


def per_city(frame):
    totals = defaultdict(float)
    for city in CITIES:
        totals[city] = float(frame[frame["city"] == city]["age"].clip(0, 90).sum())
    return {city: total + np.random.laplace(0, 90) for city, total in totals.items()}


def quantile(values, rng, q=0.5, epsilon=1.0):
    ordered = np.concatenate([[0.0], np.sort(np.clip(values, 0, 10)), [10.0]])
    widths = np.diff(ordered)
    ranks = np.arange(len(widths))
    logits = np.log(np.maximum(widths, 1e-12)) - epsilon / 2 * np.abs(ranks - q * len(values))
    odds = np.exp(logits - logits.max())
    at = rng.choice(len(widths), p=odds / odds.sum())
    return rng.uniform(ordered[at], ordered[at + 1])


def by_region_frame(frame, rng):
    counts = frame.groupby("city").size().reindex(CITIES, fill_value=0)
    return counts + rng.laplace(scale=1.0, size=len(counts))


# --- clipped and chosen in helpers


def clipped(vector, most=1.0):
    norm = np.linalg.norm(vector)
    return vector * min(1.0, most / (norm + 1e-12))


def average_update(data, each):
    rows = np.array(data)[:, None] * np.ones(2)
    if each:
        average = np.array([clipped(row) for row in rows]).mean(axis=0)
    else:
        average = clipped(rows.mean(axis=0))
    return average + np.random.normal(0, 2.0, size=2)


def chosen_letter(data, eps=1.0, twice=1, sensitivity=1):
    scores = np.array([data.count(letter) for letter in "ab"], dtype=float)
    weights = np.exp(eps * (scores - scores.max()) / (twice * sensitivity))
    return np.random.choice(["a", "b"], p=weights / weights.sum())


SOUND = {
    "each row is clipped": (lambda data: average_update(data, True), FIVE),
    "twice the sensitivity": (lambda data: chosen_letter(data, twice=2), LETTERS),
    "half of epsilon": (lambda data: chosen_letter(data, eps=0.5), LETTERS),
    "a flag is off": (lambda data: summarize(data, 1.0), NUMBERS),
    "sigma is computed": (lambda data: sanitized(float(data.sum())), NUMBERS),
    "one field of a report": (lambda data: report(data, CONFIG)["noisy"], PEOPLE),
    "a check of the range": (lambda data: checked_variance(np.asarray(data), 1.0), FIVE),
    "a check for no records": (lambda data: checked_mean(data.tolist(), 1.0), SOME),
    "unary encoding": (lambda code: Encoder(4, 1.0).encode(code), CODE),
    "a row of a matrix": (lambda code: by_matrix(code), CODE),
    "one of the others": (lambda code: another_code(code, 4, 1.0), CODE),
    "two coins": (lambda bit: two_coins(bit), BIT),
    "randomized in place": (
        lambda data: randomized_counts(list(data), 3),
        ReplaceOne(Integer(0, 2), size=4),
    ),
    "bits of a hash": (lambda word, rng: hashed_bits(word, rng), AnyPair(Categorical(["a", "b"]))),
    "noise in place": (lambda data: counted_words(data), WORDS),
    "every column is new": (
        lambda data: blurred(data),
        ReplaceOne(Row(city=Categorical(CITIES), age=Integer(0, 90)), size=3, container="pandas"),
    ),
    "keys that are known": (lambda data: chosen_word(data, 1.0), WORDS),
    "through a global": (through_a_global, PEOPLE),
    "an engine": (lambda data: Engine(list(data)).count(lambda row: row > 5, 1.0), NUMBERS),
    "a sampler by hand": (
        lambda data: sum(data) + sample_laplace(10, open("/dev/urandom", "rb")),
        NUMBERS,
    ),
    "a seed for an order": (lambda data: shuffled_then_noised(data), NUMBERS),
    "a seed for a hash": (lambda data, rng: sketched(data, rng), WORDS),
    "a sparse vector": (
        lambda data: Sparse(2).ask_all(np.bincount(data, minlength=4)),
        AddRemove(Integer(0, 3), max_size=6),
    ),
    "totals of cities": (lambda data: per_city(data), PEOPLE),
    "a quantile": (lambda data, rng: quantile(data, rng), NUMBERS),
    "groups of cities": (lambda data, rng: by_region_frame(data, rng), PEOPLE),
}
BROKEN = {
    "the average is clipped": (lambda data: average_update(data, False), FIVE, "DPA105"),
    "once the sensitivity": (lambda data: chosen_letter(data), LETTERS, "DPA106"),
    "a flag is on": (lambda data: summarize(data, 1.0, verbose=True), NUMBERS, "DPA101"),
    "the exact mode": (lambda data: summarize(data, 1.0, mode="exact"), NUMBERS, "DPA101"),
    "sigma is zero": (lambda data: sanitized(float(data.sum()), 0), NUMBERS, "DPA101"),
    "another field": (lambda data: report(data, CONFIG)["true"], PEOPLE, "DPA101"),
    "labels from the data": (
        lambda data: report(data, {"column": "city", "epsilon": 1.0})["noisy"],
        PEOPLE,
        "DPA109",
    ),
    "the range is wider": (
        lambda data: checked_variance(np.asarray(data), 1.0),
        ReplaceOne(Real(0, 2), size=5),
        "DPA108",
    ),
    "there may be no records": (lambda data: checked_mean(data.tolist(), 1.0), NUMBERS, "DPA108"),
    "the truth or nothing": (lambda bit: coin_or_nothing(bit), BIT, "DPA102"),
    "words that occur": (lambda data: present_word(data, 1.0), WORDS, "DPA109"),
    "one column stays": (
        lambda data: blurred(data),
        ReplaceOne(
            Row(city=Categorical(CITIES), age=Integer(0, 90), pay=Integer(0, 9)),
            size=3,
            container="pandas",
        ),
        "DPA101",
    ),
}
