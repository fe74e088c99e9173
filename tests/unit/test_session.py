"""A session asks one object several queries: proofs, traces and draws see all of its answers."""

import json
import re
import subprocess
import sys
from pathlib import Path

import cloudpickle
import numpy as np
import pytest

import dpaudit
from dpaudit import AddRemove, PureDP, Real, Session, Verdict
from dpaudit.checker import check
from dpaudit.reference import reference
from dpaudit.session import session_of
from dpaudit.subject import Subject, marks_of
from tests.proving import is_proved
from tests.unit.catching_programs import (
    LEAKING,
    SOUND,
    Bare,
    BudgetExceededError,
    Engine,
    Forgetful,
    Late,
)

VALUES = AddRemove(Real(0, 10), max_size=6)
ONE = PureDP(np.nextafter(1.0, 2))


def of(kind, *queries, **options):
    return Session(lambda data, rng: kind(data, 1.0, rng), queries, **options)


def chosen_by_the_last(engine, answers):
    return engine.total() if answers[-1] > 3 else engine.count()


def exact_after_a_refusal(engine, answers):
    return engine.exact() if isinstance(answers[-1], Exception) else 0.0


def ended_or_not(answers):
    """Return a session that goes on after its first query, with classes of its own."""

    class Stop(Exception):  # noqa: N818
        pass

    class Stopping(Engine):
        def stop(self):
            raise Stop

    return of(Stopping, "stop", *answers, refusals=Stop)


class Blanked(Engine):
    def raw(self):
        self.held = [float(len(self._data))]
        return self.held

    def blank(self):
        self.held[0] = 0.0
        return 1.0


KEPT = {
    "as many as are paid for": of(Engine, "count", ("total", 0.5)),
    "one more is refused": of(Engine, "count", "total", "count", ("count", {"epsilon": 0.25})),
    "adaptive": of(Engine, "count", chosen_by_the_last, "total"),
    "ended by Python's own": of(Bare, "count", "total", "count", "exact"),
}
BROKEN = {
    "an answer that is blanked later": of(Blanked, "raw", "blank"),
    "a late check": of(Late, *["count"] * 5),
    "nothing is spent": of(Forgetful, *["count"] * 4),
    "an exact answer": of(Engine, "count", "exact"),
    "an exact answer after a refusal": of(Engine, *["count"] * 3, "exact"),
    "after a named refusal": of(Bare, *["count"] * 3, "exact", refusals=ValueError),
}


@pytest.mark.parametrize("session", KEPT.values(), ids=KEPT)
def test_a_session_within_its_budget_is_proved(session):
    report = dpaudit.verify(session, ONE, VALUES)
    assert report.verdict is Verdict.VERIFIED, report.reason
    assert report.checked


asked_twice = of(Engine, "count", "total")


def test_a_session_of_a_module_is_proved_and_its_certificate_is_checked_against_it():
    report = dpaudit.verify(asked_twice, ONE, VALUES)
    assert report.verdict is Verdict.VERIFIED, report.reason
    assert report.certificate.subject["mechanism"] == "tests.unit.test_session:asked_twice"
    certificate = report.certificate.to_dict()
    assert check(certificate, mechanism="tests.unit.test_session:asked_twice").accepted
    other = check(certificate, mechanism=of(Engine, "count", "count"))
    assert other.rejected
    assert check(certificate).not_checked  # a session is made as its module runs


def test_a_certificate_of_files_outside_of_the_repository_holds_no_absolute_path(
    tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    certificate = dpaudit.verify(asked_twice, ONE, VALUES).certificate.to_dict()
    assert any("session-" in place for place in certificate["sources"])
    assert not re.findall(r'"/[^"]*\.py', json.dumps(certificate))
    assert check(certificate, mechanism="tests.unit.test_session:asked_twice").accepted


@pytest.mark.parametrize("session", BROKEN.values(), ids=BROKEN)
def test_a_session_beyond_its_budget_is_not_proved(session):
    assert not is_proved(session, ONE, VALUES)


@pytest.mark.parametrize("name", ["a late check", "an exact answer after a refusal"])
def test_a_trace_finds_what_a_session_gives_too_much(name):
    """Refuted by an e-process at 1e-6: five counts at half of epsilon, and 1 against 0."""
    report = dpaudit.audit(BROKEN[name], PureDP(1.0), VALUES, engines=["trace"], max_calls=100_000)
    assert report.verdict is Verdict.REFUTED
    finding = next(f for f in report.findings if f.level == "error")
    assert finding.id == ("DPA107" if name == "a late check" else "DPA101")
    assert finding.file.endswith("catching_programs.py")


@pytest.mark.parametrize("mechanism", SOUND, ids=lambda m: m.__name__)
def test_exceptions_of_the_users_own_are_followed(mechanism):
    report = dpaudit.verify(mechanism, ONE, VALUES)
    assert report.verdict is Verdict.VERIFIED, report.reason
    assert report.checked


@pytest.mark.parametrize("mechanism", LEAKING, ids=lambda m: m.__name__)
def test_what_a_handler_leaks_is_not_proved(mechanism):
    assert not is_proved(mechanism, ONE, VALUES)


def test_answers_and_refusals_stand_in_their_order():
    rng = np.random.default_rng(0)
    answers = KEPT["one more is refused"](np.zeros(3), rng)
    assert [type(answer) for answer in answers[2:]] == [BudgetExceededError] * 2
    ended = KEPT["ended by Python's own"](np.zeros(3), rng)
    assert len(ended) == 3
    assert isinstance(ended[-1], ValueError)
    assert answers[2].__traceback__ is None


def test_a_session_of_data_alone_takes_no_generator():
    session = Session(lambda data: [len(data)], [("count", 3)])
    assert session([3, 3]) == [0]


@pytest.mark.parametrize(
    ("queries", "error"),
    [([], ValueError), ("count", ValueError), ([3], TypeError), (["a b"], ValueError)],
)
def test_what_is_no_query_is_refused(queries, error):
    with pytest.raises(error, match="quer"):
        Session(Engine, queries)


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("cuont", "names 'cuont', and Engine has none; did you mean 'count'?"),
        (("count", {"epsilom": 0.5}), "does not fit its method: .*'epsilom'"),
        (("count", 1, 2, 3), "does not fit its method: .*takes"),
    ],
)
def test_a_query_that_calls_no_method_is_an_error_and_no_answer(query, said):
    with pytest.raises(TypeError, match=said):
        of(Engine, "count", query)(np.zeros(3), np.random.default_rng(0))


def test_an_attribute_that_a_method_misses_is_an_answer():
    class Unready(Engine):
        def total(self):
            return self.missing

    *_, last = of(Unready, "count", "total")(np.zeros(3), np.random.default_rng(0))
    assert isinstance(last, AttributeError)


def test_a_session_is_where_it_was_made():
    subject = Subject.of(of(Engine, "count"))
    assert (subject.file, subject.line) == (__file__, of.__code__.co_firstlineno + 1)


def test_a_finding_names_the_line_that_makes_the_session_and_no_file_that_is_not_there():
    session = Session(lambda data, rng: Engine(data, 2.0, rng), ["count"] * 4)
    report = dpaudit.audit(session, PureDP(1.0), VALUES, engines=["formal"])
    assert report.verdict is Verdict.REFUTED
    named = [(f.file, f.line) for f in report.findings]
    named += [(file, line) for f in report.findings for file, line, _ in f.related]
    assert all(Path(file).exists() for file, _ in named)
    made = session_of(session.__code__.co_filename).place
    assert made in named


def test_a_session_goes_on_though_another_one_has_a_refusal_of_the_same_name():
    first, second = ended_or_not(["exact"]), ended_or_not(["exact"])
    files = [session.__code__.co_filename for session in (first, second)]
    assert files[0] != files[1]
    for session, file in zip((first, second), files, strict=True):
        refusal, exact = session(np.ones(3), np.random.default_rng(0))
        assert session_of(file).goes_on(type(refusal))
        assert exact == 3
        assert not is_proved(session, ONE, VALUES)


def test_a_session_that_another_process_is_sent_is_proved_there_too(tmp_path):
    """Jobs of `dpaudit run` are processes: a verdict must not depend on their number."""
    sent = tmp_path / "session.pickle"
    session = KEPT["as many as are paid for"]
    sent.write_bytes(cloudpickle.dumps((session, marks_of(session))))
    script = (
        "import cloudpickle, sys, dpaudit\n"
        "from dpaudit.subject import put_marks\n"
        "session, marks = cloudpickle.load(open(sys.argv[1], 'rb'))\n"
        "put_marks(session, marks)\n"
        "values = dpaudit.AddRemove(dpaudit.Real(0, 10), max_size=6)\n"
        "report = dpaudit.verify(session, dpaudit.PureDP(1.0), values)\n"
        "print(report.verdict.name, report.mechanism)\n"
    )
    made = [sys.executable, "-c", script, str(sent)]
    done = subprocess.run(made, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["VERIFIED", reference(session)]
