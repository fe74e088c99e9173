"""What the linter takes for noise, bounds and keys in code as others write it."""

import pytest

from dpaudit.static.lint import lint

HEAD = "from collections import Counter\nimport numpy as np\nimport pandas as pd\n"

# The body of a function of the records, sound and broken by one change; and the id of that.
TWINS = {
    "keys that a noisy test lets through": (
        """
    counts, table = Counter(data), []
    for word in sorted(counts):
        noisy = counts[word] + rng.laplace(scale=1 / epsilon)
        if noisy > 1 + np.log(1 / (2 * delta)) / epsilon:
            table.append((str(word), noisy))
    return table
""",
        ("> 1 + np.log(1 / (2 * delta)) / epsilon:", "> 1:"),
        "DPA109",
    ),
    "a bit or its complement by a coin": (
        """
    out = []
    for bit in data:
        if rng.random() < 0.75:
            out.append(bit)
        else:
            out.append(1 - bit)
    return out
""",
        ("if rng.random() < 0.75:", "if epsilon < rng.laplace() and False or bit > 0:"),
        "DPA101",
    ),
    "records that a mask bounds": (
        """
    data = np.asarray(data, dtype=float)
    kept = data[(data >= 0) & (data <= 10)]
    return kept.sum() + rng.laplace(scale=10 / epsilon)
""",
        ("(data >= 0) & (data <= 10)", "data <= 10"),
        "DPA104",
    ),
    "noise in place, entry by entry": (
        """
    sums = np.zeros(2)
    for row in data:
        sums += np.clip(row, 0, 1)
    sums[0] += rng.laplace(scale=2 / epsilon)
    sums[1] += rng.laplace(scale=2 / epsilon)
    return sums
""",
        ("    sums[0] += rng.laplace(scale=2 / epsilon)\n"
         "    sums[1] += rng.laplace(scale=2 / epsilon)\n", "    rng.laplace()\n"),
        "DPA101",
    ),
    "noise in place, in a column of statistics": (
        """
    table = data["kind"].value_counts().reindex(KINDS, fill_value=0).reset_index()
    table["count"] = table["count"] + rng.laplace(scale=1 / epsilon, size=2)
    return table
""",
        ('table["count"] + rng', 'rng'),
        "DPA101",
    ),
    "an entry that a noisy index picks": (
        """
    tally = {kind: 0 for kind in KINDS}
    for row in data:
        tally[row] += 1
    noisy = {kind: n + rng.laplace(scale=4 / epsilon) for kind, n in tally.items()}
    best = max(noisy, key=noisy.get)
    return best, tally[best] + rng.laplace(scale=2 / epsilon)
""",
        (" + rng.laplace(scale=2 / epsilon)\n", "\n"),
        "DPA101",
    ),
    "cells that a noisy test suppresses": (
        """
    table = {}
    for kind in KINDS:
        exact = sum(1 for row in data if row == kind)
        noisy = exact + rng.laplace(scale=1 / epsilon)
        if noisy < 3:
            table[kind] = "*"
            continue
        table[kind] = noisy
    return table
""",
        ("if noisy < 3:", "if exact < 3:"),
        "DPA108",
    ),
    "a list that grew before a loop over the records": (
        """
    answers = [len(data) + rng.laplace(scale=2 / epsilon)]
    answers.append(0.0)
    total = 0.0
    for x in data:
        total += min(max(x, 0), 1)
    answers.append(total + rng.laplace(scale=2 / epsilon))
    return answers
""",
        ("    for x in data:\n", "    for x in set(data):\n        answers.append(0.0)\n"),
        "DPA109",
    ),
}  # fmt: skip


def errors(folder, text):
    file = folder / "release.py"
    file.write_text(HEAD + text)
    report = lint([file])
    assert not report.failures
    return {finding.id for finding in report.findings if finding.level == "error"}


@pytest.mark.parametrize("name", TWINS)
def test_what_covers_a_value_is_known_and_its_absence_is_found(name, tmp_path):
    body, (old, new), id = TWINS[name]
    assert old in body
    head = 'KINDS = ("a", "b")\ndef release(data, rng, epsilon=1.0, delta=1e-6):\n'
    assert not errors(tmp_path, head + body.lstrip("\n"))
    assert id in errors(tmp_path, head + body.lstrip("\n").replace(old, new))


def test_a_sampler_is_no_mechanism_and_a_constructor_may_keep_its_data(tmp_path):
    text = """
def noise(width):
    return np.random.laplace(0, width)

class Threshold:
    def __init__(self, data, threshold, epsilon):
        self.data = data
        self.limit = threshold + np.random.laplace(0, 2 / epsilon)
"""
    assert not errors(tmp_path, text)
    text = text.replace("self.data = data", "self.total_ = len(data)")
    assert errors(tmp_path, text) == {"DPA116"}


def test_methods_of_classes_of_an_imported_module_are_followed(tmp_path):
    (tmp_path / "models.py").write_text(
        HEAD
        + """
class Model:
    def __init__(self, epsilon):
        self.epsilon = epsilon

    def fit(self, data):
        total = np.fmin(np.fmax(data, 0), 1).sum()
        return total + np.random.laplace(scale=1 / self.epsilon)
"""
    )
    text = """
import models
def release(data, epsilon=1.0):
    np.random.laplace()
    return models.Model(epsilon).fit(data)
"""
    assert not errors(tmp_path, text)
    file = tmp_path / "models.py"
    file.write_text(file.read_text().replace("return total + np", "return total, np"))
    assert "DPA101" in errors(tmp_path, text)
