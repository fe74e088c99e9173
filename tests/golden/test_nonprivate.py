"""Anonymization gives what it promises, and the attack that each file names works all the same."""

from __future__ import annotations

import ast
import importlib
import re
import runpy
from collections import Counter
from itertools import product
from math import exp
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from dpaudit.violations import VIOLATIONS
from mechanisms.nonprivate.encryption import encrypt, encryption
from mechanisms.nonprivate.hashing import hashing
from mechanisms.nonprivate.k_anonymity import k_anonymity
from mechanisms.nonprivate.l_diversity import l_diversity
from mechanisms.nonprivate.pseudonymization import pseudonymization
from mechanisms.nonprivate.sampling import sampling
from mechanisms.nonprivate.shuffling import shuffling
from mechanisms.nonprivate.substitution import NAMES, substitution
from mechanisms.nonprivate.suppression import suppress_rare_values, suppress_small_cells
from mechanisms.nonprivate.t_closeness import t_closeness
from mechanisms.nonprivate.truncation import truncation
from tests.sweeps import sampled
from tools.information import hockey_stick, information_limit

ROOT = Path(__file__).parents[2]
FILES = sorted((ROOT / "mechanisms/nonprivate").glob("[!_]*.py"))
FIELDS = ("Promises", "Attack", "Violation", "Known from", "True epsilon", "Information limit")
ATTACKS = ("linkage", "homogeneity", "skewness", "background knowledge")
QUASI = ["age", "zip"]
each = pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
any_frame = pytest.mark.parametrize("seed", range(12))


def patients(rows: list[tuple[Any, ...]]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["name", "age", "zip", "condition"])


def some_patients(seed: int) -> pd.DataFrame:
    """Return up to forty patients, with ties in all columns."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(0, 41))
    illnesses = np.array(["cancer", "cold", "diabetes"])
    return pd.DataFrame(
        {
            "name": rng.choice(NAMES, n),
            "age": rng.integers(20, 20 + int(rng.integers(1, 60)), n),
            "zip": rng.integers(10_000, 10_000 + int(rng.integers(1, 1000)), n),
            "condition": illnesses[rng.choice(3, n, p=rng.dirichlet(np.ones(3)))],
        }
    )


def field(path: Path, name: str) -> str:
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    found = re.findall(rf"^{name}: (.*(?:\n(?!\w[\w ]*: ).*)*)", text, re.MULTILINE)
    assert len(found) == 1, f"{path.stem} states {name} {len(found)} times"
    return str(found[0])


def classes_of(released: pd.DataFrame) -> list[pd.Series]:
    return [group["condition"] for _, group in released.groupby(QUASI)]


def covers(label: str, values: pd.Series) -> pd.Series:
    low, high = map(float, label.split(".."))
    return values.between(low, high)


# The collection


@each
def test_a_practice_states_what_it_promises_and_how_it_is_attacked(path: Path) -> None:
    stated = {name: field(path, name) for name in FIELDS}
    assert stated["Violation"].strip() in VIOLATIONS
    assert stated["Attack"].startswith(ATTACKS)
    assert stated["True epsilon"].startswith("infinite")
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 60


@each
def test_a_practice_is_audited_with_the_violation_that_it_states(path: Path) -> None:
    module = importlib.import_module("audits.nonprivate")
    functions = {node.name for node in ast.parse(path.read_text()).body if hasattr(node, "name")}
    expected = set()
    for audit in vars(module).values():
        mechanism = getattr(audit, "mechanism", None)
        function: Any = getattr(mechanism, "func", mechanism)
        if getattr(function, "__module__", "") == f"mechanisms.nonprivate.{path.stem}":
            functions.discard(function.__name__)
            expected.add(audit.expect)
    stated = field(path, "Violation").strip()
    assert stated in expected <= {stated, "NOT_REFUTED", "VERIFIED"}
    assert path.stem not in functions, "the function of the file's name is not audited"


@each
def test_a_practice_imports_neither_the_auditor_nor_the_flawed(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    modules = {n.module or "" for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)}
    modules |= {a.name for n in ast.walk(tree) if isinstance(n, ast.Import) for a in n.names}
    assert not any(m.startswith(("dpaudit", "mechanisms.flawed")) for m in modules)


@each
def test_the_stated_information_limit_is_that_of_its_witness(path: Path) -> None:
    stated = re.match(r"([\d,]+) calls", field(path, "Information limit"))
    assert stated is not None
    if path.stem == "sampling":  # a record against none, rate .2
        p, q = np.array([0.8, 0.2]), np.array([1.0, 0.0])
    else:  # every output belongs to one neighbor alone
        p, q = np.array([1.0, 0.0]), np.array([0.0, 1.0])
    limit = information_limit(p, q, 1.0)
    assert float(stated[1].replace(",", "")) == pytest.approx(limit, rel=0.02)


@pytest.mark.parametrize("release", [k_anonymity, l_diversity, t_closeness, truncation])
def test_a_generalizer_runs_on_no_records_and_leaves_its_input_alone(release: Any) -> None:
    nobody = patients([]).astype({"age": int, "zip": int, "condition": str})
    assert release(nobody).empty
    frame = some_patients(3)
    before = frame.copy()
    release(frame)
    pd.testing.assert_frame_equal(frame, before)


def test_the_other_practices_run_on_no_records() -> None:
    rng = np.random.default_rng(0)
    nobody = some_patients(3).iloc[:0]
    for release in (pseudonymization, shuffling):
        assert release(nobody, rng).empty
    assert len(sampling(nobody.to_records(), rng)) == 0
    assert suppress_small_cells(np.array([], dtype=str)) == {"total": 0}
    no_names = np.array([], dtype=str)
    assert suppress_rare_values(no_names) == hashing(no_names) == substitution(no_names, rng) == ()
    assert encryption(np.array([], dtype=np.int64), rng) == ()


# What they promise holds


@any_frame
@pytest.mark.parametrize("k", [1, 2, 5])
def test_every_released_range_is_shared_by_k_records(seed: int, k: int) -> None:
    frame = some_patients(seed)
    released = k_anonymity(frame, k=k)
    assert len(released) == (len(frame) if len(frame) >= k else 0)
    assert all(len(group) >= k for group in classes_of(released))


@any_frame
@pytest.mark.parametrize("ell", [1, 2, 3])
def test_every_class_has_l_different_values(seed: int, ell: int) -> None:
    frame = some_patients(seed)
    released = l_diversity(frame, ell=ell)
    assert len(released) == (len(frame) if frame["condition"].nunique() >= ell else 0)
    assert all(group.nunique() >= ell for group in classes_of(released))


@any_frame
@pytest.mark.parametrize("t", [0.0, 0.1, 0.3])
def test_every_class_is_as_close_to_the_whole_as_promised(seed: int, t: float) -> None:
    frame = some_patients(seed)
    released = t_closeness(frame, t=t)
    assert len(released) == len(frame)
    whole = frame["condition"].value_counts(normalize=True)
    for group in classes_of(released):
        shares = group.value_counts(normalize=True).reindex(whole.index, fill_value=0)
        assert (whole - shares).clip(lower=0).sum() <= t + 1e-12


@any_frame
@pytest.mark.parametrize("release", [k_anonymity, l_diversity, t_closeness])
def test_generalized_ranges_are_disjoint_and_hold_the_records_they_stand_for(
    seed: int, release: Any
) -> None:
    frame = some_patients(seed)
    seen = 0
    for (age, zip_code), group in release(frame).groupby(QUASI):
        inside = frame[covers(age, frame["age"]) & covers(zip_code, frame["zip"])]
        assert Counter(inside["condition"]) == Counter(group["condition"])
        seen += len(inside)
    assert seen in (0, len(frame))


def test_small_k_keeps_more_detail_than_large_k() -> None:
    frame = pd.concat([some_patients(seed) for seed in range(4)], ignore_index=True)
    assert len(frame) > 40
    classes = [len(classes_of(k_anonymity(frame, k=k))) for k in (1, 2, 5, len(frame))]
    assert classes == sorted(classes, reverse=True)
    assert classes[0] > classes[2] > classes[3] == 1


def test_suppression_prints_no_small_cell_and_no_rare_value() -> None:
    data = np.array(["a"] * 5 + ["b"] * 4 + ["c"])
    assert suppress_small_cells(data, k=5) == {"total": 10, "a": 5}
    assert suppress_rare_values(data, k=2) == ("a",) * 5 + ("b",) * 4 + ("*",)


def test_pseudonyms_and_substitutes_are_consistent_and_new_in_every_release() -> None:
    frame, rng = some_patients(6), np.random.default_rng(1)
    releases = [pseudonymization(frame, rng) for _ in range(50)]
    for released in releases:
        pairs = set(zip(frame["name"], released["name"], strict=True))
        assert len(pairs) == frame["name"].nunique() == released["name"].nunique()
    assert len({tuple(r["name"]) for r in releases}) > 10
    names = np.array(["Ada", "Kurt", "Ada"])
    masked = {substitution(names, rng) for _ in range(300)}
    assert masked == {(a, b, a) for a, b in product(NAMES, NAMES) if a != b}


def test_encryption_is_a_permutation_under_each_key() -> None:
    numbers = range(2**32 - 3000, 2**32)
    for key in (b"one", b"two"):
        images = {encrypt(number, key) for number in numbers}
        assert len(images) == 3000
        assert all(0 <= image < 2**32 for image in images)
    assert encrypt(7, b"one") != encrypt(7, b"two")


@pytest.mark.parametrize("epsilon", [0.0, 1.0, 5.0])
def test_raw_sampling_is_private_with_delta_equal_to_its_rate_and_no_less(epsilon: float) -> None:
    rate = 0.2
    kept = [(True, True), (True, False), (False, True), (False, False)]
    both = [rate ** sum(s) * (1 - rate) ** (2 - sum(s)) for s in kept]
    one = [0.0, rate, 0.0, 1 - rate]  # the second record is not there
    p, q = np.array(both), np.array(one)
    least = hockey_stick(p, q, epsilon)
    assert least >= rate - 1e-12
    assert (p - exp(epsilon) * q).clip(0).sum() == pytest.approx(rate)
    if epsilon == 0:
        assert least == pytest.approx(rate)
    assert information_limit(p, q, 0.0, rate) > 1e12


# The attacks


def test_linkage_finds_the_row_behind_a_pseudonym() -> None:
    frame = patients(
        [("Ada", 34, 10_117, "cancer"), ("Emmy", 34, 10_245, "cold"), ("Kurt", 61, 10_117, "cold")]
    )
    voters = frame[["name", "age", "zip"]]
    released = pseudonymization(frame, np.random.default_rng(2))
    linked = voters.merge(released.drop(columns="name"), on=QUASI)
    assert dict(zip(linked["name"], linked["condition"], strict=True)) == {
        "Ada": "cancer",
        "Emmy": "cold",
        "Kurt": "cold",
    }


def test_linkage_survives_truncation_where_a_cell_holds_one_person() -> None:
    frame = patients(
        [("Ada", 34, 10_117, "cancer"), ("Emmy", 38, 10_245, "cold"), ("Kurt", 61, 10_117, "cold")]
    )
    voters = truncation(frame[["name", "age", "zip"]])
    released = truncation(frame).drop(columns="name")
    matches = voters.merge(released, on=QUASI).groupby("name")["condition"].agg(list)
    assert matches["Ada"] == ["cancer"]


def test_linkage_by_dictionary_inverts_a_hash() -> None:
    names = np.array(["Kurt", "Ada"])
    listed = np.array(NAMES)
    dictionary = dict(zip(hashing(listed), listed.tolist(), strict=True))
    assert [dictionary[h] for h in hashing(names)] == ["Kurt", "Ada"]


def test_linkage_finds_whoever_is_in_the_sample() -> None:
    frame = some_patients(6).assign(zip=np.arange(10_000, 10_000 + len(some_patients(6))))
    records = frame.to_records(index=False)
    sample = pd.DataFrame(sampling(records, np.random.default_rng(4), rate=0.3))
    assert 0 < len(sample) < len(frame)
    linked = frame[["name", "zip"]].merge(sample[["zip", "condition"]], on="zip")
    truth = frame.set_index("zip")["condition"]
    assert (linked["condition"].to_numpy() == truth[linked["zip"]].to_numpy()).all()


def test_a_homogeneous_class_gives_its_members_away() -> None:
    frame = patients(
        [
            ("Ada", 31, 10_000, "cancer"),
            ("Emmy", 33, 10_009, "cancer"),
            ("Kurt", 61, 10_500, "cold"),
            ("Rózsa", 66, 10_501, "diabetes"),
        ]
    )
    released = k_anonymity(frame, k=2)
    about_ada = [
        row.condition
        for row in released.itertuples()
        if covers(row.age, pd.Series([31])).all() and covers(row.zip, pd.Series([10_000])).all()
    ]
    assert about_ada == ["cancer", "cancer"]
    assert all(group.nunique() >= 2 for group in classes_of(l_diversity(frame)))


def test_a_skewed_class_raises_a_suspicion_that_the_whole_does_not() -> None:
    young = [("x", 25, 10_000 + i, "cancer" if i < 9 else "cold") for i in range(10)]
    old = [("x", 70, 10_000 + i, "cancer" if i == 0 else "cold") for i in range(90)]
    frame = patients(young + old)
    assert (frame["condition"] == "cancer").mean() == pytest.approx(0.1)
    diverse, close = l_diversity(frame), t_closeness(frame, t=0.1)
    assert all(group.nunique() == 2 for group in classes_of(diverse))
    assert max((group == "cancer").mean() for group in classes_of(diverse)) >= 0.8
    assert max((group == "cancer").mean() for group in classes_of(close)) <= 0.2 + 1e-12


@pytest.mark.parametrize("release", [k_anonymity, l_diversity, t_closeness])
@pytest.mark.parametrize("seed", [6, 9, 11])
def test_knowledge_of_all_others_leaves_the_last_value(release: Any, seed: int) -> None:
    frame = some_patients(seed)
    released = release(frame)
    assert len(released) == len(frame) > 0
    target, others = frame.iloc[0], frame.iloc[1:]
    left = Counter(released["condition"]) - Counter(others["condition"])
    assert left == Counter([target["condition"]])


def test_knowledge_of_all_others_leaves_the_last_value_of_a_shuffled_column() -> None:
    frame = some_patients(9)
    released = shuffling(frame, np.random.default_rng(0))
    assert Counter(released["condition"]) == Counter(frame["condition"])
    left = Counter(released["condition"]) - Counter(frame["condition"].iloc[1:])
    assert left == Counter([frame["condition"].iloc[0]])


def test_the_total_gives_the_suppressed_cell_back() -> None:
    table = suppress_small_cells(np.array(["cold"] * 20 + ["diabetes"] * 7 + ["cancer"] * 3))
    assert table["total"] - table["cold"] - table["diabetes"] == 3
    assert "cancer" not in table


@pytest.mark.parametrize("seed", range(5))
def test_known_frequencies_undo_substitution_and_deterministic_encryption(seed: int) -> None:
    rng = np.random.default_rng(seed)
    known = ["Ada"] * 8 + ["Emmy"] * 4 + ["Kurt"] * 2 + ["Rózsa"]
    data = rng.permutation(known)
    by_frequency = [value for value, _ in Counter(known).most_common()]
    for masked in (
        substitution(data, rng),
        encryption(np.array([NAMES.index(v) for v in data]), rng),
    ):
        ranked = [value for value, _ in Counter(masked).most_common()]
        table = dict(zip(ranked, by_frequency, strict=True))
        assert [table[value] for value in masked] == data.tolist()


# The page about the attacks


@pytest.mark.parametrize("number", sampled(range(6), 1))
def test_the_page_about_attacks_prints_what_it_says(
    number: int, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    page = (ROOT / "docs/attacks.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```\n```text\n(.*?)```", page, re.DOTALL)
    assert len(blocks) == 6
    code, printed = blocks[number]
    file = tmp_path / "attack.py"  # as a reader saves it: the source is read too
    file.write_text(code, encoding="utf-8")
    runpy.run_path(str(file))
    assert capsys.readouterr().out == printed
