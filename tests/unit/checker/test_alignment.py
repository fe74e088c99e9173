"""Certificates by randomness alignment: both runs are followed anew, and nothing is believed."""

from __future__ import annotations

import copy
import json
from fractions import Fraction
from functools import partial

import numpy as np
import pytest

from dpaudit import QueryAnswers
from dpaudit.formal.certificate import Certificate
from dpaudit.formal.hashing import to_dict
from dpaudit.formal.lift import lift
from mechanisms.above_threshold import above_threshold
from mechanisms.adaptive_sparse_vector import adaptive_sparse_vector
from mechanisms.flawed.svt_half_noise import svt_half_noise
from mechanisms.gap_sparse_vector import gap_sparse_vector
from mechanisms.numeric_sparse_vector import numeric_sparse_vector
from mechanisms.prefix_sums import partial_sum, prefix_sums
from mechanisms.smart_sum import smart_sum
from mechanisms.sparse_vector import sparse_vector, sparse_vector_refreshed
from tests import formal_programs as programs
from tests.alignments import ALL, certificate
from tests.checking import check
from tests.sweeps import sampled
from tests.unit.checker.mutations import leaves, mutations, sealed

pytest.importorskip("cvc5")

ONE = QueryAnswers(4, norm="l0")
ONE_WAY = QueryAnswers(4, monotone=True)

# Words, places and versions; statements that stay true, which are proved again: a weaker bound.
HARMLESS = (
    r"versions\..*",
    r"subject\.mechanism",
    r"assumptions\.\d+",
    r"program\..*place",
    r"program\.entry\.defaults\..*",
    r"program\.fixed\.threshold\..*",
    r"proof\.(solver|seconds)",
    r"proof\.relations\.0\.alignment\.\d+\.(where|shift)",
    r"proof\.relations\.0\.invariant\..*",
    r"proof\.relations\.0\.obligations\.\d+\.(name|smtlib)",
    r"proof\.relations\.0\.heads\.L0\.holds\..*",
)


@pytest.fixture(scope="module")
def threshold():
    return certificate(above_threshold)


@pytest.fixture(scope="module")
def one_sum():
    return certificate(partial_sum, neighbors=ONE)


MECHANISMS = [
    (above_threshold, ALL),
    (sparse_vector, ALL),
    (sparse_vector_refreshed, ALL),
    (numeric_sparse_vector, ALL),
    (gap_sparse_vector, ALL),
    (adaptive_sparse_vector, ALL),
    (partial_sum, ONE),
    (prefix_sums, QueryAnswers(4, norm="l1")),
    (smart_sum, ONE),
    (svt_half_noise, ONE_WAY),
    (partial(sparse_vector, hits=7, threshold=-3.5), ALL),
]


@pytest.mark.parametrize(("mechanism", "neighbors"), sampled(MECHANISMS, 3))
def test_certificates_of_reference_mechanisms_are_accepted(mechanism, neighbors):
    result = check(certificate(mechanism, neighbors=neighbors), mechanism=mechanism)
    assert result.accepted, result.reason
    assert any("lifting" in sentence for sentence in result.trusted)


@pytest.mark.parametrize("name", ["smart_sum", "svt_monotone", "num_svt", "adaptive_svt"])
def test_proofs_for_all_parameters_are_accepted_and_say_what_they_assume(name):
    neighbors, claim = programs.SOUND[name]
    result = check(certificate(getattr(programs, name), claim, neighbors))
    assert result.accepted, result.reason
    assert "the parameter epsilon is positive" in result.trusted


# --- changes


def test_every_change_of_a_leaf_is_rejected_or_does_no_harm(threshold):
    for name, harmless, changed in mutations(threshold, HARMLESS):
        assert harmless or not check(changed).accepted, name


def test_every_change_of_the_claim_or_the_unit_is_rejected(threshold):
    for path in leaves(threshold["proof"]):
        if path[0] in ("relations", "solver", "seconds"):
            continue
        changed = copy.deepcopy(threshold)
        place = changed["proof"]
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] = "3" if isinstance(place[path[-1]], str) else None
        assert not check(sealed(changed)).accepted, path


def rejected(certificate, change):
    """Return the reason why a changed certificate is not accepted."""
    changed = copy.deepcopy(certificate)
    change(changed)
    result = check(sealed(changed))
    assert not result.accepted
    return result.reason


def claims(epsilon):
    def change(found):
        found["subject"]["claim"] = found["proof"]["claim"] = f"PureDP({epsilon!r})"
        found["proof"]["epsilon"] = str(Fraction(epsilon))

    return change


def test_a_smaller_claim_costs_more_than_it_allows(threshold):
    assert "cost does not follow" in rejected(threshold, claims(0.5))


def test_the_last_bit_of_a_claim_decides(threshold):
    change = claims(float(np.nextafter(1.0, 0)))
    assert "cost does not follow" in rejected(threshold, change)


def neighbors(text, relation=None):
    def change(found):
        found["subject"]["neighbors"] = text
        if relation is not None:
            found["proof"]["relations"][0]["relation"] = relation

    return change


def test_neighbors_farther_apart_are_not_those_that_were_proved(threshold):
    change = neighbors("QueryAnswers(4, 2.0)", "each answer changes by at most 2")
    assert "does not follow" in rejected(threshold, change)


def test_a_proof_for_one_entry_is_none_for_all(one_sum):
    change = neighbors("QueryAnswers(4)", "each answer changes by at most 1")
    assert "does not follow" in rejected(one_sum, change)


def test_monotone_neighbors_need_a_proof_each_way():
    found = certificate(svt_half_noise, neighbors=ONE_WAY)

    def change(found):
        del found["proof"]["relations"][1]

    assert "1 of 2 relations" in rejected(found, change)

    def general(found):
        del found["proof"]["relations"][1]
        neighbors("QueryAnswers(4)", "each answer changes by at most 1")(found)

    assert "does not follow" in rejected(found, general)


@pytest.mark.parametrize("wanted", ["cost", "same", "="])
def test_an_invariant_that_says_less_does_not_suffice(threshold, wanted):
    def change(found):
        head = found["proof"]["relations"][0]["heads"]["L0"]
        head["holds"] = [form for form in head["holds"] if wanted not in str(form)]

    assert "does not follow" in rejected(threshold, change)


@pytest.mark.parametrize(
    "form", [["<=", ["cost"], ["number", "-1"]], ["=", ["change", "answer"], ["cost"]]]
)
def test_an_invariant_that_says_too_much_does_not_hold(threshold, form):
    assert rejected(threshold, lambda f: part(f)["heads"]["L0"]["holds"].append(form))


def part(certificate):
    return certificate["proof"]["relations"][0]


@pytest.mark.parametrize("at", [0, 1, 2])
def test_shifts_that_are_left_out_are_missed(threshold, at):
    def change(found):
        paths = [path for path in part(found)["paths"] if path["shifts"]]
        paths[at]["shifts"][0]["shift"] = ["number", "1/3"]

    assert "does not follow" in rejected(threshold, change)


def test_paths_that_are_left_out_or_made_up_are_seen(threshold):
    assert "lacks the path" in rejected(threshold, lambda f: part(f)["paths"].pop(3))
    extra = {"start": "L0", "tests": [], "shifts": []}
    assert "has not" in rejected(threshold, lambda f: part(f)["paths"].append(extra))


@pytest.mark.parametrize("unit", ["0", "-1/4", "epsilon", "1/0", "1/4/"])
def test_a_unit_must_be_a_positive_number(threshold, unit):
    assert rejected(threshold, lambda f: f["proof"].update(unit=unit))


def test_what_the_proof_assumes_must_be_said():
    found = certificate(programs.svt, "epsilon")
    sentence = "the parameter N is a positive whole number"

    def change(found):
        found["assumptions"].remove(sentence)

    assert sentence in rejected(found, change)


def test_names_of_the_checker_s_own_are_no_variables(one_sum):
    def change(found):
        found["program"]["entry"]["parameters"][0] = "%i0"
        found["program"]["data"] = "%i0"

    assert "no name" in rejected(one_sum, change)


# --- certificates made by hand


def by_hand(mechanism, *, unit, epsilon="1", neighbors=ONE, shifts=(), heads=None, paths=None):
    """Return a certificate that nobody proved; by default its program has one path."""
    program = lift(mechanism)
    relations = {"linf": "each answer changes by", "l0": "the changes add up to"}
    sentences = [
        "numbers are real, and draws are independent and have exactly their stated distributions",
        "answers are finite numbers",
    ]
    described = to_dict(program)
    if paths is None:
        moved = [{"place": p, "family": "laplace", "shift": s} for p, s in shifts]
        paths = [{"start": "start", "tests": [], "shifts": moved}]
    told = [
        {
            "family": shift["family"],
            "scale": "1",
            "file": shift["place"].rpartition(":")[0],
            "line": int(shift["place"].rpartition(":")[2]),
            "where": "",
            "shift": "",
        }
        for path in paths
        for shift in path["shifts"]
    ]
    claim = f"PureDP({epsilon})"
    proof = {
        "kind": "alignment",
        "claim": claim,
        "epsilon": epsilon,
        "unit": unit,
        "parameters": [],
        "relations": [
            {
                "relation": f"{relations[neighbors.norm]} at most 1",
                "alignment": told,
                "invariant": {},
                "obligations": [],
                "heads": heads or {},
                "paths": paths,
            }
        ],
        "assumptions": sentences,
        "solver": "none",
        "seconds": 0.0,
    }
    made = Certificate(
        "alignment",
        {"mechanism": "m:f", "claim": claim, "neighbors": str(neighbors)},
        described,
        program.sources,
        proof,
        tuple(sentences),
    )
    return json.loads(json.dumps(made.to_dict()))


def line(function, at):
    return f"{function.__code__.co_filename}:{function.__code__.co_firstlineno + at}"


FIRST = ["input", "q[0]"]
MOVED = ["*", ["number", "-1"], ["input change", "q[0]"]]


def one_answer(q, rng):
    return q[0] + rng.laplace(scale=1.0)


def stretched(q, rng):
    return rng.laplace(scale=1.0) * (1 + 9 * q[0])


def two_draws(q, rng):
    first = q[0] + rng.laplace(scale=1.0)
    return first + rng.laplace(scale=1.0)


def no_noise(q, rng):
    return [q]


def exception(q, rng):
    raise ValueError(q[0])


def test_a_certificate_by_hand_is_accepted_where_it_is_right():
    found = by_hand(one_answer, unit="1", neighbors=ALL, shifts=[(line(one_answer, 1), MOVED)])
    assert check(found).accepted, check(found).reason


def test_a_shift_must_not_depend_on_its_own_draw():
    stretch = ["*", ["number", "-9/10"], ["draw", 0]]
    place = line(stretched, 1)
    for shift in (stretch, ["*", ["number", "-9/10"], ["shift", 0]]):
        found = by_hand(stretched, unit="1", neighbors=ALL, shifts=[(place, shift)])
        assert "no meaning" in check(found).reason


def test_a_shift_may_depend_on_earlier_draws_and_not_on_later_ones():
    places = line(two_draws, 1), line(two_draws, 2)
    zero = ["number", "0"]
    back = ["+", MOVED, ["*", ["number", "-1"], ["shift", 0]]]
    later = by_hand(
        two_draws, unit="1", neighbors=ALL, shifts=[(places[0], ["draw", 1]), (places[1], back)]
    )
    assert "no meaning" in check(later).reason
    earlier = by_hand(
        two_draws, unit="1", neighbors=ALL, shifts=[(places[0], zero), (places[1], back)]
    )
    assert check(earlier).accepted


@pytest.mark.parametrize("mechanism", [no_noise, exception])
def test_data_that_leaves_without_noise_is_not_the_same_output(mechanism):
    reason = check(by_hand(mechanism, unit="1", neighbors=ALL)).reason
    assert "same output does not follow" in reason or "not constant" in reason


def test_a_good_certificate_proves_nothing_of_another_program(threshold):
    def swapped(name, at, other):
        def change(found):
            body = found["program"]["entry"]["body"]
            draws = [node for node in nodes(body) if node.get("kind") == "Draw"]
            dict(draws[at]["arguments"])[name]["arguments"][0]["value"] = {"int": other}
            for told in part(found)["alignment"]:
                if told["line"] == int(draws[at]["place"].rpartition(":")[2]):
                    told["scale"] = other

        return change

    for at in (0, 1):
        assert "does not follow" in rejected(threshold, swapped("scale", at, "1"))


def nodes(value):
    if isinstance(value, dict):
        yield value
        value = list(value.values())
    if isinstance(value, list):
        for inside in value:
            yield from nodes(inside)


# --- what Python does, and a model of it may get wrong


def concatenated(q, rng):
    noise = rng.laplace(scale=2.0, size=len(q))
    return int(np.argmax(list(q) + list(noise)))


def logical_sum(q, rng):
    noisy = rng.laplace(scale=2.0)
    flags = []
    for x in q:
        above = x + rng.laplace(scale=4.0) >= noisy
        flags.append(above)
        if above + above >= 2:
            break
    return flags


def growing(q, rng):
    noisy = rng.laplace(scale=2.0)
    work, flags = [0], []
    for _ in work:
        flags.append(q[0] + rng.laplace(scale=4.0) >= noisy)
        if len(flags) < 50:
            work.append(0)
    return flags


def kept_iterator(q, rng):
    pairs = enumerate(q)
    noisy = rng.laplace(scale=2.0)
    flags = []
    for _, x in pairs:
        above = x + rng.laplace(scale=4.0) >= noisy
        flags.append(above)
        if above:
            break
    return flags


@pytest.mark.parametrize("mechanism", [concatenated, logical_sum, growing, kept_iterator])
def test_what_python_does_otherwise_than_mathematics_is_not_accepted(mechanism):
    described = to_dict(lift(mechanism))
    found = certificate(above_threshold)
    found["program"], found["sources"] = described, described["sources"]
    result = check(sealed(json.loads(json.dumps(found))))
    assert not result.decided
    assert result.reason.startswith("not checked")
