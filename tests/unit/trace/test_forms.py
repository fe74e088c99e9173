"""Forms of lines of source that tell where a value is formed."""

import pytest

from dpaudit.evidence import Finding
from dpaudit.trace.after import explained
from dpaudit.trace.forms import condition_around, copies, in_branch, loop_over, takes_end

SOURCE = """\
def f(data, rng):
    counts = {}
    for key, group in data.groupby("region"):
        counts[key] = len(group)
    for x in data:
        if x > 90:
            raise ValueError(x)
    return counts
"""
PAIR = ([0.0], [])


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(SOURCE)
    return str(path)


@pytest.mark.parametrize("source", ["self.total_ = total", "return float(x)", "a = (b, c.d)"])
def test_a_line_that_names_converts_or_returns_what_there_is_copies(source):
    assert copies(source)


@pytest.mark.parametrize("source", ["total = x.sum()", "return x + 1", "if x:", "a = x[0]"])
def test_a_line_that_computes_copies_nothing(source):
    assert not copies(source)


@pytest.mark.parametrize("source", ["low = data.min()", "c = np.quantile(x, 0.9)", "a = max(xs)"])
def test_the_least_the_largest_or_a_quantile_of_a_collection_is_an_end(source):
    assert takes_end(source)


@pytest.mark.parametrize("source", ["y = max(x, 0)", "y = min(max(x, 0), 10)", "y = max((1, 2))"])
def test_a_clip_takes_no_end(source):
    assert not takes_end(source)


def test_branches_and_loops_are_found_around_a_line(file):
    assert loop_over(file, 4) == 3
    assert condition_around(file, 7) == 6
    assert condition_around(file, 4) is None
    assert in_branch(file, 6, file, 7)
    assert not in_branch(file, 6, file, 8)


def test_of_two_causes_the_more_specific_id_is_told(file):
    proof = Finding("DPA105", "error", "f", ("DPA106",), file, 8, engine="formal", pair=PAIR)
    traces = [
        Finding("DPA101", "error", "raw", (), file, 8),
        Finding("DPA104", "error", "no bound", (), file, 4),
    ]
    told = explained(proof, traces)
    assert (told.id, told.line) == ("DPA104", 4)
    assert explained(proof, [traces[0]]) is proof


def test_a_line_that_a_proof_has_followed_stays_and_that_of_the_noise_gives_way(file):
    trace = [Finding("DPA105", "error", "moves", (), file, 4)]
    noise = ((file, 8, "laplace noise"),)
    for line, told in ((3, 3), (8, 4)):
        proof = Finding("DPA105", "error", "f", (), file, line, noise, "formal", PAIR)
        assert explained(proof, trace).line == told
