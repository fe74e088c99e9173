"""The text of an exception is an output: no proof leaves it out."""

import itertools

import pytest

import dpaudit
from dpaudit import AddRemove, AnyPair, PureDP, Real, Verdict
from tests.proving import is_proved
from tests.sweeps import thinned

MANY = AddRemove(Real(0, 1), max_size=4)
TEXTS = {
    "a number of records": "len(data)",
    "a sum": "data.sum()",
    "a record": "data[0] if len(data) else 0",
    "the data": "data",
    "a text made of data": "f'bad {data}'",
    "a second argument": "'bad', len(data)",
    "a noisy value beside the released one": "len(data) + rng.laplace(scale=0.5)",
}
ENDS = {
    "always": "raise ValueError({text})",
    "behind paid noise": "x = len(data) + rng.laplace()\n    if x > 1:\n"
    "        raise ValueError({text})\n    return x",
    "in an assertion": "x = len(data) + rng.laplace()\n    assert x > 1, ({text})\n    return x",
    "behind a coin": "if rng.random() < 0.5:\n        raise KeyError({text})\n    return 0",
    "in a helper": "x = len(data) + rng.laplace()\n    helper(x, ({text}))\n    return x",
    "made before": "error = ValueError({text})\n    raise error",
}


@pytest.fixture
def made(tmp_path, monkeypatch):
    """Give what makes a mechanism of a body."""

    def of(body):
        text = "def helper(x, said):\n    if x > 1:\n        raise ValueError(said)\n\n"
        text += f"def mechanism(data, rng):\n    {body}\n"
        file = tmp_path / "raising_texts.py"
        file.write_text(text)
        space = {"__name__": "raising_texts"}
        exec(compile(text, str(file), "exec"), space)
        return space["mechanism"]

    return of


@pytest.mark.parametrize(("end", "text"), thinned(itertools.product(ENDS, TEXTS)))
def test_an_exception_that_quotes_data_is_never_proved_private(made, end, text):
    mechanism = made(ENDS[end].format(text=TEXTS[text]))
    assert not is_proved(mechanism, PureDP(1.0), MANY)


@pytest.mark.parametrize("text", ["", "'too many'", "'too many', 3"])
def test_an_exception_whose_text_is_fixed_costs_what_its_test_costs(made, text):
    mechanism = made(ENDS["behind paid noise"].format(text=text))
    report = dpaudit.verify(mechanism, PureDP(1.0), MANY)
    assert report.verdict is Verdict.VERIFIED
    assert report.checked


def test_an_exception_that_quotes_a_record_of_a_single_person_is_never_proved_private(made):
    mechanism = made("x = data + rng.laplace()\n    if x > 1:\n        raise ValueError(data)\n"
                     "    return x")  # fmt: skip
    assert not is_proved(mechanism, PureDP(1.0), AnyPair(Real(0, 1)))


def test_an_exception_that_is_raised_as_a_class_says_nothing_of_the_data(made):
    mechanism = made(
        "x = len(data) + rng.laplace()\n    if x > 1:\n        raise ValueError\n    return x"
    )
    report = dpaudit.verify(mechanism, PureDP(1.0), MANY)
    assert report.verdict is Verdict.INCONCLUSIVE
    assert "an error whose text is not constant" in report.reason


def test_an_exception_of_the_users_own_class_is_not_taken_for_one_without_a_text(made):
    mechanism = made(
        "x = len(data) + rng.laplace()\n    if x > 1:\n        raise Quoting\n    return x"
    )
    mechanism.__globals__["Quoting"] = type("Quoting", (Exception,), {"__str__": lambda _: "?"})
    assert not is_proved(mechanism, PureDP(1.0), MANY)
