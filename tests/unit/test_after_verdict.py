"""Each step that comes after a verdict is made to fail: the verdict stays, the step is named."""

import json
import sys
from importlib import import_module

import numpy as np
import pytest
from click.testing import CliRunner

import dpaudit
from dpaudit import AddRemove, AnyPair, ApproxDP, GaussianDP, Pairs, PureDP, Real, Verdict
from dpaudit.cli import cli
from dpaudit.collect import CollectedAudit
from dpaudit.declare import Audit
from dpaudit.evidence import Evidence, Finding, Witness
from dpaudit.outcome import INTERRUPTED, Outcome, Status, exit_code, run_to_dict
from dpaudit.running import run_all
from dpaudit.trace.steered import conclude as steered
from dpaudit.verdict import Report
from dpaudit.worker import WorkerError
from tests.released import raw, sound
from tests.sweeps import sampled

LINE = AnyPair(Real(0, 1))
MANY = AddRemove(Real(0, 1), max_size=8)


class FaultError(Exception):
    """What nobody expects."""


def fail(*_, **__):
    raise FaultError("on purpose")


@pytest.fixture
def broken(monkeypatch):
    """Give what makes a function fail, by its place: ``module:name`` or ``module:Class.name``."""

    def break_it(place):
        module, _, path = place.partition(":")
        owner = import_module(module)
        *classes, name = path.split(".")
        for each in classes:
            owner = getattr(owner, each)
        assert callable(getattr(owner, name))
        monkeypatch.setattr(owner, name, fail)

    return break_it


def leaky(data, rng):
    return 10 * len(data) + data.sum() + rng.laplace()


def refuted_by_sampling(claim, function=leaky, neighbors=MANY):
    return dpaudit.audit(
        function, claim, neighbors, engines=["statistical"], max_calls=20_000, alpha=1e-3
    )


AFTER_BETS = {
    "dpaudit.statistical.engine:_smaller": "a smaller witness",
    "dpaudit.statistical.engine:_run_alone": "a smaller witness",
    "dpaudit.statistical.conclude:refutation": "the event and the witness",
    "dpaudit.statistical.refutation:telling_event": "the event and the witness",
    "dpaudit.statistical.refutation:attribute": "the kind of the violation",
    "dpaudit.statistical.refutation:reference": "the event and the witness",
    "dpaudit.statistical.refutation:dataset_to_text": "the event and the witness",
    "dpaudit.statistical.refutation:Witness": "the event and the witness",
    "dpaudit.statistical.bound:lower_bound": "the lower bound on epsilon",
    "dpaudit.statistical.conclude:sightings": "the picture of the outputs",
    "dpaudit.worker.in_place:InPlace.close": "an orderly end of the workers",
}


@pytest.mark.parametrize("place", sampled(AFTER_BETS, 2))
def test_a_refutation_by_sampling_outlives_whatever_is_made_of_it(broken, place):
    """A fresh seed misses the violation, of epsilon 10 against 0.5, less than once in 1,000."""
    broken(place)
    report = refuted_by_sampling(PureDP(0.5))
    assert report.verdict is Verdict.REFUTED
    assert [finding.level for finding in report.findings] == ["error"]
    named = [note for note in report.evidence[0].notes if "on purpose" in note]
    assert any(note.startswith(AFTER_BETS[place]) for note in named), named
    assert AFTER_BETS[place] in report.summary()
    assert json.dumps(report.to_dict(), allow_nan=False)


def test_a_bound_on_a_parameter_that_fails_leaves_the_bound_on_epsilon(monkeypatch):
    monkeypatch.setattr(GaussianDP, "with_parameter", fail)
    report = refuted_by_sampling(GaussianDP(0.5))
    assert report.verdict is Verdict.REFUTED
    assert report.epsilon > 0
    assert report.parameter_bound is None
    assert "the lower bound on mu could not be made (FaultError: on purpose)" in report.summary()


def test_a_worker_that_dies_while_the_witness_is_made_smaller_takes_nothing_away(monkeypatch):
    def dies(*_):
        raise WorkerError("died", "the worker died")

    monkeypatch.setattr("dpaudit.statistical.engine._run_alone", dies)
    report = refuted_by_sampling(PureDP(0.5))
    assert report.verdict is Verdict.REFUTED
    assert report.completed
    assert report.witness is not None
    assert "a smaller witness could not be made (WorkerError: the worker died)" in report.summary()


@pytest.mark.parametrize("place", ["lower_bound", "sightings"])
def test_an_audit_that_does_not_refute_outlives_its_bound_and_its_picture(broken, place):
    module = "bound" if place == "lower_bound" else "conclude"
    broken(f"dpaudit.statistical.{module}:{place}")
    report = refuted_by_sampling(PureDP(1.0), lambda data, rng: data + rng.laplace(), LINE)
    assert report.verdict is Verdict.NOT_REFUTED
    assert "(FaultError: on purpose); the verdict stands" in report.summary()


def test_a_cause_that_cannot_be_told_leaves_what_the_outputs_show(broken):
    broken("dpaudit.statistical.conclude:located")
    broken("dpaudit.trace.steered.conclude:located")
    report = dpaudit.audit(
        leaky, PureDP(0.5), MANY, engines=["trace"], max_calls=20_000, alpha=1e-3
    )
    assert report.verdict is Verdict.REFUTED
    assert any("the cause of the violation" in note for note in report.evidence[0].notes)


AFTER_STEERING = {
    "_bounds": "the lower bound on epsilon",
    "_finding": "the event and the witness",
    "dataset_to_text": "the event and the witness",
    "reference": "the event and the witness",
    "Witness": "the event and the witness",
}


def rarely(data, rng):
    return data.tolist() if rng.random() < 0.001 else 0


@pytest.mark.parametrize("name", sampled(AFTER_STEERING, 2))
def test_a_refutation_by_steered_noise_outlives_whatever_is_made_of_it(broken, name):
    """A fresh seed gives the same: the noise is steered to where the outcome is sure."""
    pairs = Pairs([(np.array([1.0]), np.array([2.0]))])
    broken(f"{steered.__name__}:{name}")
    report = dpaudit.audit(
        rarely, ApproxDP(1.0, 1e-6), pairs, engines=["trace"], max_calls=20_000, alpha=1e-3
    )
    assert report.verdict is Verdict.REFUTED
    assert any(note.startswith(AFTER_STEERING[name]) for note in report.evidence[0].notes)
    assert 1 - 1e-3 <= report.confidence < 1


AFTER_A_PROOF = {
    "dpaudit.claims.bound:parameter_at_least": "the lower bound on the claim's parameter",
    "dpaudit.formal.engine:Witness": "the witness",
    "dpaudit.formal.engine:_witness": "the witness",
    "dpaudit.worker.in_place:InPlace.close": "an orderly end of the workers",
}


@pytest.mark.parametrize("place", AFTER_A_PROOF)
def test_a_refutation_from_the_source_outlives_whatever_is_made_of_it(broken, place):
    broken(place)
    report = dpaudit.verify(raw, PureDP(1.0), LINE)
    assert report.verdict is Verdict.REFUTED
    assert f"{AFTER_A_PROOF[place]} could not be made (FaultError: on purpose)" in report.summary()


@pytest.mark.parametrize("place", ["dpaudit.checker:check", "dpaudit.proof_check:_other_statement"])
def test_a_proof_whose_check_fails_is_none(broken, place):
    broken(place)
    report = dpaudit.verify(sound, PureDP(1.0), LINE)
    assert report.verdict is Verdict.INCONCLUSIVE
    assert (
        "the check of the certificate could not be made (FaultError: on purpose)"
        in report.summary()
    )


def test_a_repair_that_fails_leaves_the_refutation(broken):
    broken("dpaudit.formal.repair:repair")
    report = dpaudit.verify(raw, PureDP(1.0), LINE, fix=True)
    assert report.verdict is Verdict.REFUTED
    assert "a repair could not be made (FaultError: on purpose)" in report.summary()


class Unshown:
    """A dataset of somebody's that cannot be shown, compared, sent or written."""

    def __repr__(self):
        raise FaultError("no repr")

    __str__ = __repr__

    def __reduce__(self):
        raise FaultError("no pickle")


def refuted():
    """Return a report with all that can be rendered of one."""
    event = dpaudit.evidence.Event("output > 1", "output > 1")
    witness = Witness(0.0, 1.0, event, None, "a change", "m:f", PureDP(1.0), 2.0, 1.0)
    finding = Finding("DPA101", "error", "raw", file=__file__, line=1, pair=(0.0, 1.0))
    evidence = Evidence("formal", Verdict.REFUTED, findings=(finding,), witness=witness)
    return Report("m:f", PureDP(1.0), "", ("assumed",), (evidence,), file=__file__, line=1)


AFTER_A_REPORT = {
    "dpaudit.report.json:excerpt": "`excerpt` of the report",
    "dpaudit.report.curves:claim_curves": "`claim_curves` of the report",
    "dpaudit.report.json:finding_to_dict": "`finding` of the report",
    "dpaudit.report.json:evidence_to_dict": "`evidence` of the report",
    "dpaudit.report.json:witness_to_dict": "`witness` of the report",
    "dpaudit.report.json:_certificate": "`certificate` of the report",
    "dpaudit.report.json:_repair": "`repair` of the report",
    "dpaudit.report.json:_trail": "`evidence` of the report",
    "dpaudit.report.json:shown": "`file` of the report",
    "dpaudit.report.json:local": "`mechanism` of the report",
    "dpaudit.report.text:sentence": "`sentence` of the report",
    "dpaudit.claims:PureDP.to_dict": "`claim` of the report",
}


@pytest.mark.parametrize("place", AFTER_A_REPORT)
def test_a_report_in_json_holds_its_verdict_whichever_part_fails(broken, place):
    whole = refuted().to_dict()
    assert whole["not_made"] == []
    broken(place)
    found = json.loads(json.dumps(refuted().to_dict(), allow_nan=False))
    assert found["verdict"] == "REFUTED"
    assert found["findings"][0]["id"] == "DPA101"
    assert any(said.startswith(AFTER_A_REPORT[place]) for said in found["not_made"])
    assert set(found) == set(whole)


SECTIONS = {
    "_where": "the first lines",
    "_contradiction": "the contradiction",
    "sentence": "the verdict as a sentence",
    "_findings": "the list of findings",
    "_witness": "the description of the witness",
    "_evidence": "the description of the evidence",
    "_repair": "the description of the repair",
}


@pytest.mark.parametrize("name", SECTIONS)
def test_a_summary_begins_with_its_verdict_whichever_section_fails(broken, name):
    broken(f"dpaudit.report.text:{name}")
    said = refuted().summary()
    assert said.startswith("REFUTED  m:f")
    assert f"{SECTIONS[name]} could not be made (FaultError: on purpose)" in said


HOUSE = """
def raw(data, rng):
    return data

def sound(data, rng):
    return data + rng.laplace()
"""
AUDITS = """
from dpaudit import AnyPair, Audit, PureDP, Real
from spared_house import raw, sound

GIVEN = {"claim": PureDP(1.0), "neighbors": AnyPair(Real(0, 1)), "engines": ["formal"]}
first = Audit(raw, **GIVEN, expect="REFUTED")
second = Audit(sound, **GIVEN, expect="VERIFIED")
"""
FILES = ("run.sarif", "run.html", "run.xml", "run.md")


@pytest.fixture
def project(tmp_path, monkeypatch):
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "audits").mkdir()
    (tmp_path / "audits" / "all.py").write_text(AUDITS)
    (tmp_path / "spared_house.py").write_text(HOUSE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    for name in ("spared_house", "audits.all"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    return tmp_path


def run(*more):
    options = ("--isolation", "none", "--json", "run.json", "--certificates", "proofs",
               "--scripts", "scripts")  # fmt: skip
    reports = [word for name in FILES for word in ("--report", name)]
    return CliRunner().invoke(cli, ["run", *options, *reports, *more])


AFTER_AN_AUDIT = {
    "dpaudit.store:Store.keep": "its entry in the store",
    "dpaudit.store:Store.finish": "the end of the run in the store",
    "dpaudit.outcome:Outcome.to_keep": "its entry in the store",
    "dpaudit.baseline.runs:judged": "its entry in the baseline",
    "dpaudit.baseline.runs:troubles": "the comparison with the baseline",
    "dpaudit.report.audited:baseline_lines": "what the baseline accepts",
    "dpaudit.report.progress:Lines.ended": "its end in the display of progress",
    "dpaudit.report.table:print_table": "the table",
    "dpaudit.outcome:row": "the table",
    "dpaudit.verdict:Report.to_dict": "`report` of the result",
    "dpaudit.outcome:_declared_at": "`declared_at` of the result",
    "dpaudit.report.json:finding_to_dict": "`finding` of the report",
    "dpaudit.report.json:_certificate": "`certificate` of the report",
    "dpaudit.report.formats:render": "run.sarif",
    "dpaudit.formal.certificate:Certificate.save": "audits_all.py_second.json",
    "dpaudit.evidence:Witness.script": "audits_all.py_first.py",
}


@pytest.mark.parametrize("place", sampled(AFTER_AN_AUDIT, 2))
def test_a_run_keeps_its_verdicts_names_what_failed_and_does_not_pass(project, broken, place):
    broken(place)
    done = run()
    assert done.exit_code == 3, done.output
    assert f"{AFTER_AN_AUDIT[place]} could not be made (FaultError: on purpose)" in done.output
    assert "REFUTED" in done.output
    assert "VERIFIED" in done.output
    found = json.loads((project / "run.json").read_text())
    assert found["exit_code"] == 3
    assert [a["report"]["verdict"] for a in found["audits"]] == ["REFUTED", "VERIFIED"]
    assert [a["status"] for a in found["audits"]] == ["OK", "OK"]
    assert any("on purpose" in said for said in found["not_made"])


def test_a_run_of_which_all_can_be_made_passes_and_says_nothing_of_it(project):
    done = run()
    assert done.exit_code == 0, done.output
    assert json.loads((project / "run.json").read_text())["not_made"] == []
    assert "could not be made" not in done.output
    assert all((project / name).exists() for name in FILES)


@pytest.mark.parametrize("form", ["sarif", "html", "junit", "markdown"])
def test_a_report_that_cannot_be_written_leaves_the_others(project, monkeypatch, form):
    from dpaudit.report.formats import RUN_FORMATS

    monkeypatch.setitem(RUN_FORMATS, form, fail)
    done = run()
    assert done.exit_code == 3
    assert done.output.count("could not be made") == 1
    assert sum((project / name).exists() for name in FILES) == len(FILES) - 1
    assert len(list((project / "proofs").iterdir())) == 1
    assert len(list((project / "scripts").iterdir())) == 1


def test_a_disk_that_is_full_leaves_every_other_output(project, monkeypatch):
    from dpaudit.cli import files

    def full(name, text):
        if str(name).endswith(".json"):
            raise OSError(28, "No space left on device")
        written(name, text)

    written = files.write
    monkeypatch.setattr(files, "write", full)
    done = run()
    assert done.exit_code == 3
    assert "run.json could not be made (OSError: [Errno 28] No space left" in done.output
    assert all((project / name).exists() for name in FILES)


def test_an_unexpected_verdict_and_an_interrupt_keep_their_codes(project, broken):
    broken("dpaudit.report.formats:render")
    file = project / "audits" / "all.py"
    file.write_text(AUDITS.replace('"REFUTED"', '"VERIFIED"'))
    assert run().exit_code == 1
    audit = CollectedAudit("a", Audit(sound, PureDP(1.0), LINE))
    interrupted = Outcome(audit, interrupted=True)
    assert exit_code([interrupted]) == INTERRUPTED
    assert run_to_dict([interrupted], (), INTERRUPTED)["verdict"] == "INCONCLUSIVE"


@pytest.mark.parametrize(
    ("option", "place"),
    [("--script", "dpaudit.evidence:Witness.script"), ("--json", "dpaudit.cli.files:write_json"),
     ("--report", "dpaudit.report.formats:render")],
)  # fmt: skip
def test_one_audit_keeps_its_verdict_where_its_file_cannot_be_made(project, broken, option, place):
    broken(place)
    nouns = ("--claim", "PureDP(1.0)", "--neighbors", "AnyPair(Real(0, 1))", "--expect", "REFUTED")
    ways = ("--isolation", "none", "--engines", "formal", option, "file.sarif")
    done = CliRunner().invoke(cli, ["audit", "spared_house:raw", *nouns, *ways])
    assert done.exit_code == 3
    assert done.output.startswith("REFUTED") or "\nREFUTED" in done.output
    assert "could not be made (FaultError: on purpose); the verdict stands" in done.output


def test_a_dataset_that_nothing_can_be_made_of_leaves_verdict_table_and_json():
    strange = Unshown()
    event = dpaudit.evidence.Event("all", "True")
    witness = Witness(strange, strange, event, None, "how", "m:f", PureDP(1.0), 2.0, 1.0)
    finding = Finding("DPA101", "error", "raw", pair=(strange, strange))
    evidence = Evidence("formal", Verdict.REFUTED, findings=(finding,), witness=witness)
    report = Report("m:f", PureDP(1.0), "", (), (evidence,))
    outcome = Outcome(CollectedAudit("a", Audit(sound, PureDP(1.0), LINE)), report)
    assert report.summary().startswith("REFUTED  m:f")
    assert outcome.status is Status.UNEXPECTED
    found = json.loads(json.dumps(run_to_dict([outcome], (), 1)))
    assert found["verdict"] == found["audits"][0]["report"]["verdict"] == "REFUTED"
    assert {"`finding`", "`witness`"} <= {w for said in found["not_made"] for w in said.split()}


def test_a_report_that_cannot_be_sent_between_processes_is_sent_without_its_witness():
    import cloudpickle

    from dpaudit.apart import _packed
    from dpaudit.staged import Stage

    strange = Unshown()
    event = dpaudit.evidence.Event("all", "True")
    witness = Witness(strange, strange, event, None, "how", "m:f", PureDP(1.0), 2.0, 1.0)
    evidence = Evidence("formal", Verdict.REFUTED, witness=witness, certificate=strange)
    stage = Stage(Report("m:f", PureDP(1.0), "", (), (evidence,)), 0, 0, None)
    report = cloudpickle.loads(_packed(stage)).report
    assert report.verdict is Verdict.REFUTED
    assert "a copy of the whole report could not be made (FaultError" in report.summary()


def test_who_watches_and_who_stores_cannot_end_a_run():
    class Watches:
        started = progress = staticmethod(lambda *_: None)
        ended = staticmethod(fail)

    collected = [CollectedAudit(n, Audit(raw, PureDP(1.0), LINE, engines=["formal"])) for n in "ab"]
    made = run_all(collected, jobs=1, options={}, watch=Watches(), keep=fail)
    assert [outcome.verdict for outcome in made] == [Verdict.REFUTED] * 2
    assert all(len(outcome.not_made) == 2 for outcome in made)
