"""What is computed from released numbers, arrays and series; twins leak, or change an array."""

import itertools
import json

import numpy as np
import pandas as pd

from dpaudit import AddRemove, Categorical, Integer, PureDP, Real, Row

KINDS = ["a", "b", "c"]
ONE = PureDP(np.nextafter(1.0, 2))
_ROW = Row(k=Categorical(KINDS), x=Real(0, 10), d=Integer(0, 6))
FRAME = AddRemove(_ROW, max_size=6, container="pandas")
NUMBERS = AddRemove(Real(0, 1), max_size=6)
COLUMNS = AddRemove(Row(a=Real(0, 1), b=Real(0, 2)), max_size=6, container="pandas")


def two_tables(frame):
    df = frame.copy()
    df["x"] = df["x"].clip(0, 10)
    counts = df.groupby("k").size().reindex(KINDS, fill_value=0)
    sums = df.groupby("k")["x"].sum().reindex(KINDS, fill_value=0)
    nc = counts + np.random.laplace(0, 2, size=3)
    ns = sums + np.random.laplace(0, 20, size=3)
    m = ns / nc.clip(lower=1)
    return {w: (round(nc[w], 1), round(m[w], 1)) for w in KINDS}


def query_with_a_variable(frame, rng):
    cut = 5  # noqa: F841
    return len(frame.query("x > @cut")) + rng.laplace()


def codes_of_words(frame, rng):
    v = frame["k"].map({"a": 1, "b": 2, "c": 3})
    return v.sum() + rng.laplace(scale=3)


def one_or_nothing(frame, rng):
    w = np.where(frame["k"] == "a", frame["x"], 0)
    return w.sum() + rng.laplace(0, 10)


def series_of_a_dict(frame, rng):
    out = {}
    for k in KINDS:
        g = frame[frame["k"] == k]
        out[k] = len(g) + rng.laplace()
    return pd.Series(out)


def running_totals(frame, rng):
    daily = frame.groupby("d").size().reindex(range(7), fill_value=0)
    return (daily + rng.laplace(0, 1, size=7)).cumsum().round(1).tolist()


def largest_label(frame, rng):
    c = frame["k"].value_counts().reindex(KINDS, fill_value=0)
    return (c + rng.laplace(0, 1, size=3)).idxmax()


def two_largest(frame, rng):
    c = frame["k"].value_counts().reindex(KINDS, fill_value=0)
    return (c + rng.laplace(0, 1, size=3)).nlargest(2).index.tolist()


def series_with_series(frame, rng):
    counts = pd.Series([(frame["k"] == k).sum() for k in KINDS], index=KINDS)
    noise = pd.Series(rng.laplace(size=3), index=KINDS)
    return counts + noise


def noise_by_label(frame):
    counts = frame["k"].value_counts().reindex(KINDS, fill_value=0)
    return counts.apply(lambda c: c + np.random.laplace(0, 1))


def frame_of_rows(frame, rng):
    rows = []
    for k in KINDS:
        rows.append({"k": k, "n": (frame.k == k).sum() + rng.laplace()})
    return pd.DataFrame(rows)


def shares(frame, rng):
    c = frame["k"].value_counts().reindex(KINDS, fill_value=0) + rng.laplace(size=3)
    c = c.clip(lower=0)
    return c / c.sum() if c.sum() > 0 else c


def array_of_a_series_changed(frame, rng):
    noisy = np.zeros(3)
    noisy[0] = len(frame) + rng.laplace()
    s = pd.Series(noisy, index=KINDS)
    noisy[1] = frame["x"].sum()
    return s


def view_of_it_changed(frame, rng):
    noisy = np.zeros(3) + rng.laplace(size=3)
    v = noisy[:2]
    s = pd.Series(noisy, index=KINDS)
    v[1] = frame["x"].sum()
    return s


def array_of_a_frame_changed(data, rng):
    noisy = np.zeros((2, 2)) + rng.laplace(size=(2, 2))
    w = pd.DataFrame(noisy)
    noisy[1, 1] = data.sum()
    return w


def codes_too_large(frame, rng):
    return frame["k"].map({"a": 30, "b": 2, "c": 1}).sum() + rng.laplace(scale=3)


def query_with_a_private_variable(frame, rng):
    cut = frame["x"].mean()  # noqa: F841
    return len(frame.query("x > @cut")) + rng.laplace(scale=0.3)


def query_with_a_column_of_that_name(frame, rng):
    x = 5  # noqa: F841
    return len(frame.query("@x > x")) + rng.laplace(scale=0.3)


def nothing_is_a_hundred(frame, rng):
    w = np.where(frame["k"] == "a", frame["x"], 100)
    return w.sum() + rng.laplace(0, 10)


def labels_of_data(frame, rng):
    ks = sorted(frame["k"].unique())
    return pd.Series([len(frame[frame["k"] == k]) + rng.laplace() for k in ks], index=ks)


def noise_for_few(frame):
    counts = frame["k"].value_counts().reindex(KINDS, fill_value=0)
    return counts.apply(lambda c: c if c > 5 else c + np.random.laplace(0, 1))


def noise_by_label_twice(frame):
    counts = frame["k"].value_counts().reindex(KINDS, fill_value=0)
    return counts.apply(lambda c: c + np.random.laplace(0, 1)), counts.apply(
        lambda c: c + np.random.laplace(0, 1)
    )


def totals_before_noise(frame, rng):
    counts = frame["k"].value_counts().reindex(KINDS, fill_value=0).cumsum()
    return counts + rng.laplace(0, 1, size=3)


def largest_label_of_data(frame, rng):
    c = frame["k"].value_counts().reindex(KINDS, fill_value=0)
    return c.idxmax(), (c + rng.laplace(size=3)).to_dict()


def largest_count(frame, rng):
    c = frame["k"].value_counts().reindex(KINDS, fill_value=0)
    top = c.nlargest(1)
    return top + rng.laplace(size=1)


def sorted_counts(frame, rng):
    c = frame["k"].value_counts().reindex(KINDS, fill_value=0).sort_values()
    return c + rng.laplace(size=3)


def shares_of_a_private_total(frame, rng):
    c = frame["k"].value_counts().reindex(KINDS, fill_value=0)
    n = c + rng.laplace(size=3)
    return n / c.sum()


def array_seen_twice_changed(data, rng):
    noisy = np.zeros(3) + rng.laplace(size=3)
    w = np.atleast_2d(noisy)
    noisy[1] = data.sum()
    return w


def zipped_list_changed(data, rng):
    values = [data.sum() + rng.laplace()]
    z = zip(values, [1], strict=True)
    values[0] = data.sum()
    return list(z)


def inner_list_changed(data, rng):
    inner = [rng.laplace()]
    s = max([inner, [-1e9]])
    inner.append(data.sum())
    return s


def listed_entry_changed(data, rng):
    d = {"a": [rng.laplace()]}
    s = d.get("a")
    d["a"].append(data.sum())
    return s


def result_into_an_array(data, rng):
    noisy = np.array([rng.laplace(), rng.laplace()])
    x = np.array([float(data.sum()), 0.0])
    np.negative(noisy, x)
    np.negative(x, noisy)
    return x, data.sum() > 2


def private_median(data, rng):
    a = np.array([data.sum(), 1.0])
    b = np.array([rng.laplace(), rng.laplace()])
    np.cumsum(b, out=b)
    return np.median(a)


def private_text(data, rng):
    return json.dumps({"n": float(data.sum())})


def private_in_a_sorted_list(data, rng):
    out = sorted([data.sum() + rng.laplace(), 1.0])
    out.append(data.sum())
    return out


def private_least_squares(data, rng):
    return np.linalg.lstsq(np.array([[1.0]]), np.array([data.sum()]), rcond=None)[0]


def one_of_two_noisy(data, rng):
    x = np.array([data.sum() + rng.laplace(), data.sum()])
    return np.percentile(x, 50)


def solved(frame, rng):
    n = len(frame) + rng.laplace(0, 2)
    s = frame["x"].sum() + rng.laplace(0, 20)
    a = np.array([[n, 1.0], [1.0, 2.0]])
    return np.linalg.solve(a, np.array([s, n]))


def smoothed(data, rng):
    h = np.histogram(data, bins=4, range=(0, 1))[0] + rng.laplace(size=4)
    return np.convolve(h, [0.25, 0.5, 0.25], mode="same")


def as_many_as_released(data, rng):
    n = int(max(0, round(len(data) + rng.laplace())))
    return [rng.random() for _ in range(n)]


def as_many_private_sums(data, rng):
    n = int(max(0, round(len(data) + rng.laplace())))
    return [data.sum() + rng.laplace() for _ in range(n)]


def as_many_appended(data, rng):
    n = int(max(0, round(len(data) + rng.laplace())))
    out = []
    _ = [out.append(data.sum()) for _ in range(n)]
    return out


def as_many_by_a_helper(data, rng):
    def f():
        return data.sum() + rng.laplace()

    n = int(max(0, round(len(data) + rng.laplace())))
    return [f() for _ in range(n)]


def as_many_where_private(data, rng):
    n = int(max(0, round(len(data) + rng.laplace())))
    return [i for i in range(n) if data.sum() > 1]


def private_added_in_place(data, rng):
    s = np.convolve(np.zeros(3) + rng.laplace(size=3), [1.0, 2.0])
    s += data.sum()
    return s


def scale_changed_through_a_view(data, rng):
    a = np.zeros(3) + rng.laplace(size=3)
    c = np.clip(a, 0, 1)
    d = c.reshape(1, 3)
    d /= 1000
    return data.sum() + rng.laplace(scale=max(c.max(), 1.0))


def filled_entry_by_entry(data, rng):
    out = np.empty(3)
    for i in range(3):
        out[i] = np.sum((data >= i / 3) & (data < (i + 1) / 3)) + rng.laplace()
    return out


def copy_by_a_slice(data, rng):
    t = data[:]
    return t.sum() + rng.laplace()


def one_axis(data, rng):
    assert data.ndim == 1
    return data.sum() + rng.laplace()


def sum_by_column(frame, rng):
    out = {}
    for c in frame.columns:
        out[c] = frame[c].clip(0, 1).sum() + rng.laplace(0, 2)
    return out


def entry_never_put(data, rng):
    out = np.empty(3)
    for i in range(2):
        out[i] = rng.laplace()
    return out


def sum_of_what_was_not_put(data, rng):
    out = np.empty(3)
    out[0] = data.sum()
    return out.sum() + rng.laplace()


def noise_on_what_was_not_put(data, rng):
    out = np.empty(3)
    return out[1] + rng.laplace() + data.sum()


def view_by_a_slice_changed(data, rng):
    t = data[:]
    t[0] = 100 * t[0]
    return data.sum() + rng.laplace()


def sum_by_column_unclipped(frame, rng):
    return {c: frame[c].sum() + rng.laplace(0, 2) for c in frame.columns}


def list_of_a_chain_changed(data, rng):
    values = [rng.laplace()]
    later = itertools.chain(values, [1.0])
    values[0] = data.sum()
    return list(later)


def list_of_running_sums_changed(data, rng):
    values = [rng.laplace(), 2.0]
    later = itertools.accumulate(values)
    values[1] = data.sum()
    return sum(later)


def list_of_a_part_changed(data, rng):
    values = [rng.laplace(), rng.laplace()]
    later = itertools.islice(values, 2)
    values[0] = data.sum()
    return list(later)


def list_that_is_repeated_changed(data, rng):
    values = [rng.laplace()]
    later = itertools.repeat(values, 2)
    values.append(data.sum())
    return list(later)


def largest_of_what_was_not_put(data, rng):
    return int(np.argmax(np.empty(3))), data.sum() + rng.laplace()


SOUND = [
    (two_tables, ONE, FRAME),
    (query_with_a_variable, ONE, FRAME),
    (codes_of_words, ONE, FRAME),
    (one_or_nothing, ONE, FRAME),
    (series_of_a_dict, ONE, FRAME),
    (running_totals, ONE, FRAME),
    (largest_label, ONE, FRAME),
    (two_largest, ONE, FRAME),
    (series_with_series, ONE, FRAME),
    (noise_by_label, ONE, FRAME),
    (frame_of_rows, ONE, FRAME),
    (shares, ONE, FRAME),
    (solved, ONE, FRAME),
    (smoothed, ONE, NUMBERS),
    (as_many_as_released, ONE, NUMBERS),
    (filled_entry_by_entry, ONE, NUMBERS),
    (copy_by_a_slice, ONE, NUMBERS),
    (one_axis, ONE, NUMBERS),
    (sum_by_column, ONE, COLUMNS),
]
BROKEN = [
    (array_of_a_series_changed, ONE, FRAME),
    (view_of_it_changed, ONE, FRAME),
    (array_of_a_frame_changed, ONE, FRAME),
    (codes_too_large, ONE, FRAME),
    (query_with_a_private_variable, ONE, FRAME),
    (query_with_a_column_of_that_name, ONE, FRAME),
    (nothing_is_a_hundred, ONE, FRAME),
    (labels_of_data, ONE, FRAME),
    (noise_for_few, ONE, FRAME),
    (noise_by_label_twice, ONE, FRAME),
    (totals_before_noise, ONE, FRAME),
    (largest_label_of_data, ONE, FRAME),
    (largest_count, ONE, FRAME),
    (sorted_counts, ONE, FRAME),
    (shares_of_a_private_total, ONE, FRAME),
    (array_seen_twice_changed, ONE, NUMBERS),
    (zipped_list_changed, ONE, NUMBERS),
    (inner_list_changed, ONE, NUMBERS),
    (listed_entry_changed, ONE, NUMBERS),
    (result_into_an_array, ONE, NUMBERS),
    (private_median, ONE, NUMBERS),
    (private_text, ONE, NUMBERS),
    (private_in_a_sorted_list, ONE, NUMBERS),
    (private_least_squares, ONE, NUMBERS),
    (one_of_two_noisy, ONE, NUMBERS),
    (as_many_private_sums, ONE, NUMBERS),
    (as_many_appended, ONE, NUMBERS),
    (as_many_by_a_helper, ONE, NUMBERS),
    (as_many_where_private, ONE, NUMBERS),
    (private_added_in_place, ONE, NUMBERS),
    (scale_changed_through_a_view, ONE, NUMBERS),
    (entry_never_put, ONE, NUMBERS),
    (sum_of_what_was_not_put, ONE, NUMBERS),
    (noise_on_what_was_not_put, ONE, NUMBERS),
    (view_by_a_slice_changed, ONE, NUMBERS),
    (sum_by_column_unclipped, ONE, COLUMNS),
    (list_of_a_chain_changed, ONE, NUMBERS),
    (list_of_running_sums_changed, ONE, NUMBERS),
    (list_of_a_part_changed, ONE, NUMBERS),
    (list_that_is_repeated_changed, ONE, NUMBERS),
    (largest_of_what_was_not_put, ONE, NUMBERS),
]
