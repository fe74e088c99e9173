"""Frames that code goes through, by columns and by rows, and numbers that no search follows."""

import numpy as np
import pandas as pd
import pytest

import dpaudit
from dpaudit import PureDP, Verdict
from tests.proving import is_proved
from tests.sweeps import thinned
from tests.unit.formal import frame_container_programs as programs


def named(table):
    return [pytest.param(*entry, id=entry[0].__name__) for entry in table]


@pytest.mark.parametrize(("mechanism", "neighbors"), thinned(named(programs.SOUND)))
def test_what_goes_through_a_frame_is_proved(mechanism, neighbors):
    assert is_proved(mechanism, programs.ONE, neighbors)


@pytest.mark.parametrize(("mechanism", "neighbors"), thinned(named(programs.BROKEN)))
def test_an_evil_twin_is_not_proved(mechanism, neighbors):
    assert not is_proved(mechanism, programs.ONE, neighbors)


def total_beside_a_ratio(df, rng):
    total = df["b"].sum()
    return total, (total + rng.laplace(0, 50)) / (len(df) + rng.laplace(0, 50))


def largest_beside_a_power(df, rng):
    noisy = df["a"].sum() + rng.laplace(0, 50)
    return {"square": noisy * noisy, "power": np.exp(noisy), "largest": df["b"].max()}


def labels_beside_counts(df, rng):
    labels = df["ward"].unique()
    counts = df["ward"].value_counts().reindex(labels, fill_value=0).values
    return counts + rng.laplace(0, 1, size=len(counts)), labels


def categories_of_the_data(df, rng):
    return pd.Categorical(df["ward"]).categories, rng.laplace()


def too_little_noise_for_each(df, rng):
    return df["a"].apply(lambda x: x + rng.laplace(0, 5))


@pytest.mark.parametrize(
    ("mechanism", "neighbors", "id_"),
    [
        (total_beside_a_ratio, programs.FOUR, "DPA101"),
        (largest_beside_a_power, programs.FOUR, "DPA101"),
        (labels_beside_counts, programs.ANY, "DPA109"),
        (categories_of_the_data, programs.ANY, "DPA109"),
        (too_little_noise_for_each, programs.FOUR, "DPA105"),
    ],
)
def test_what_lies_beside_a_number_that_is_not_followed_is_a_counterexample(
    mechanism, neighbors, id_
):
    report = dpaudit.verify(mechanism, PureDP(1.0), neighbors)
    assert report.verdict is Verdict.REFUTED
    assert report.findings[0].id == id_


def number_beside_its_square(df, rng):
    noisy = df["b"].sum() + rng.laplace(0, 5)
    return noisy, noisy * noisy, 1 / noisy, "public"


def branch_on_a_ratio(df, rng):
    noisy = df["b"].sum() + rng.laplace(0, 5)
    return 1.0 if 1 / noisy > 0.1 else 0.0


@pytest.mark.parametrize("mechanism", [number_beside_its_square, branch_on_a_ratio])
def test_a_number_that_is_not_followed_refutes_nothing_by_itself(mechanism):
    report = dpaudit.verify(mechanism, PureDP(1.0), programs.FOUR)
    assert report.verdict is not Verdict.REFUTED


def counts_in_a_dict(df, rng):
    counts = dict(df["ward"].value_counts())
    return [counts.get(ward, 0) + rng.laplace(0, 1) for ward in ("east", "west")]


def test_a_dict_of_counts_is_no_fault_of_the_prover():
    assert "failed" not in dpaudit.verify(counts_in_a_dict, programs.ONE, programs.ANY).reason
