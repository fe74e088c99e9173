"""Events about emitted texts, in words."""

import logging

import pytest

import dpaudit
from dpaudit import AddRemove, PureDP, Real, Verdict

PEOPLE = AddRemove(Real(0, 1), max_size=4)
LOG = logging.getLogger(__name__)


def logs_a_count(data, rng):
    LOG.info("read %d rows", len(data))
    return len(data) + rng.laplace()


def prints_a_count(data, rng):
    print("rows:", len(data))
    return len(data) + rng.laplace()


def prints_now_and_then(data, rng):
    if len(data) > 1:
        print("many rows")
    return len(data) + rng.laplace()


def returns_a_count(data, rng):
    print("noisy", len(data) + rng.laplace())
    return {"n": len(data), "also": 0}


@pytest.mark.parametrize(
    ("mechanism", "words", "also"),
    [
        (
            logs_a_count,
            "value 1 of emitted text 1 (log record of level INFO: 'read %d rows') = ",
            (),
        ),
        (prints_a_count, "value 1 of emitted text 1 (printed line: 'rows: {}') = ", ()),
        (prints_now_and_then, "the list of emitted texts is ", ("DPA108", "DPA109")),
        (returns_a_count, "returned['n'] = ", None),
    ],
)
def test_an_event_says_which_text_and_which_of_its_values(mechanism, words, also):
    """All calls on one dataset show it; a fresh seed misses it less than once in 1,000."""
    engines = ["trace", "statistical"]
    report = dpaudit.audit(mechanism, PureDP(1.0), PEOPLE, engines=engines, max_calls=8_000)
    assert report.verdict is Verdict.REFUTED
    event = report.witness.event
    assert words in event.words
    assert "output[" not in event.words
    assert "output[" in event.source
    assert words in report.findings[0].message
    assert also is None or report.findings[0].also == also
