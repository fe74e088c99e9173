"""The user's code is watched line by line, by whatever the interpreter has for it."""

import sys
import threading

import pytest

from dpaudit.trace import watching as module

WAYS = [
    "settrace",
    pytest.param(
        "monitoring",
        marks=pytest.mark.skipif(
            sys.version_info < (3, 12), reason="sys.monitoring is there from Python 3.12"
        ),
    ),
]


@pytest.fixture(params=WAYS)
def watching(request, monkeypatch):
    if request.param == "settrace":
        monkeypatch.setattr(module, "_free_tool", lambda: None, raising=False)
    return module.watching


class Log:
    """A trace function that notes what it is told of the code in this file."""

    def __init__(self, leaving_out=()):
        self.told = []
        self.leaving_out = leaving_out

    def __call__(self, frame, event, argument):
        code = frame.f_code
        if code.co_filename != __file__ or code.co_name in self.leaving_out:
            return None
        if event != "exception":
            self.told.append((code.co_name, event, frame.f_lineno - code.co_firstlineno, argument))
        return self


def doubled(x):
    y = 2 * x
    return y


def twice(x):
    a = doubled(x)
    return doubled(a)


def numbers():
    yield 1
    yield 2


def of_a_generator():
    return sum(numbers())


def raising():
    raise ValueError("no")


def caught():
    try:
        raising()
    except ValueError:
        return "caught"


DOUBLED = [
    ("doubled", "call", 0, None),
    ("doubled", "line", 1, None),
    ("doubled", "line", 2, None),
]


def seen(watching, function, *arguments, **options):
    log = Log(**options)
    with watching(log):
        function(*arguments)
    return log.told


def test_calls_lines_and_returns_are_told_in_order(watching):
    assert seen(watching, twice, 3) == [
        ("twice", "call", 0, None),
        ("twice", "line", 1, None),
        *DOUBLED,
        ("doubled", "return", 2, 6),
        ("twice", "line", 2, None),
        *DOUBLED,
        ("doubled", "return", 2, 12),
        ("twice", "return", 2, 12),
    ]


def test_a_generator_returns_what_it_yields_and_is_called_again(watching):
    told = [each for each in seen(watching, of_a_generator) if each[0] == "numbers"]
    assert [(event, argument) for _, event, _, argument in told if event != "line"] == [
        ("call", None), ("return", 1), ("call", None), ("return", 2), ("call", None),
        ("return", None),
    ]  # fmt: skip


def test_what_raises_returns_nothing(watching):
    told = [each[:2] + each[3:] for each in seen(watching, caught) if each[1] != "line"]
    assert told == [
        ("caught", "call", None),
        ("raising", "call", None),
        ("raising", "return", None),
        ("caught", "return", "caught"),
    ]


def test_what_is_not_followed_is_not_told(watching):
    assert seen(watching, twice, 3, leaving_out={"doubled"}) == [
        ("twice", "call", 0, None),
        ("twice", "line", 1, None),
        ("twice", "line", 2, None),
        ("twice", "return", 2, 12),
    ]


def test_other_threads_are_not_seen(watching):
    def apart():
        thread = threading.Thread(target=doubled, args=(1,))
        thread.start()
        thread.join()

    assert not any(name == "doubled" for name, *_ in seen(watching, apart))


def test_nothing_is_left_behind(watching):
    before = sys.gettrace()
    log = Log()
    with pytest.raises(ValueError, match="no"), watching(log):
        raising()
    told = len(log.told)
    doubled(1)
    assert len(log.told) == told
    assert sys.gettrace() is before
    if sys.version_info >= (3, 12):
        assert all(sys.monitoring.get_tool(i) != "dpaudit" for i in range(6))


def test_one_may_watch_within_another(watching):
    inner = []

    def within():
        inner.extend(seen(watching, doubled, 1))
        return doubled(5)

    outer = seen(watching, within)
    assert inner[:1] == [("doubled", "call", 0, None)]
    assert ("doubled", "return", 2, 10) in outer
