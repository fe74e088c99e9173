"""Evidence under a beacon: what the checker accepts, and every way to cheat that it sees."""

import copy
import functools
import itertools
import json
import math
import re
import shutil
import sqlite3
import sys

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from dpaudit import (
    AddRemove,
    AnyPair,
    ApproxDP,
    Categorical,
    GaussianDP,
    Integer,
    Pairs,
    PureDP,
    QueryAnswers,
    Real,
    ReplaceOne,
    Row,
    TradeOff,
)
from dpaudit.beacon.audited import audited
from dpaudit.beacon.datasets import NoDataError, as_data
from dpaudit.beacon.derive import digest, opening, run_seed
from dpaudit.beacon.log import FILE, EvidenceLog, LogError
from dpaudit.checker.evidence import _pair
from dpaudit.checker.evidence.data import dataset
from dpaudit.checker.file import NotCheckedError, RejectedError
from dpaudit.cli import cli
from dpaudit.evidence import Evidence, Verdict
from dpaudit.neighbors import Pair, dataset_to_source
from tests.checking import check
from tests.sweeps import sampled
from tests.unit.checker.mutations import mutations, sealed

MODULE = "released_for_beacons"
SOURCE = """
import random
import numpy as np

def sound(data, rng):
    return len(data) + rng.laplace(scale=1.0)

def broken(data, rng):
    return len(data) + rng.laplace(scale=0.4)

def scaled(data, rng, *, epsilon, unit="one"):
    return len(data) + rng.laplace(scale=1 / epsilon)

def vector(data, rng):
    return np.array([len(data), 1.0 + len(data)]) + rng.normal(scale=1.0, size=2)

def text(data, rng):
    return "yes" if rng.random() < (0.9 if len(data) else 0.1) else "no"

def overflows(data, rng):
    return 1000 * np.sum(data + np.int8(100) < 0) + rng.laplace()

def unseeded(data):
    return len(data) + random.SystemRandom().gauss(0, 2.0)
"""
CLAIM = PureDP(1.0)
PEOPLE = AddRemove(Real(0, 100), max_size=3)
AROUND = AddRemove.around([1.0, 2.0, 3.0], Real(0, 100))
PERSON = Row(age=Integer(0, 100, allow_missing=True), name=Categorical(["a", "b"]))
FEW = {"engines": ["statistical"], "max_calls": 20_000, "alpha": 1e-2}


@pytest.fixture(scope="module")
def released(tmp_path_factory):
    folder = tmp_path_factory.mktemp("released")
    (folder / f"{MODULE}.py").write_text(SOURCE)
    sys.path.insert(0, str(folder))
    yield __import__(MODULE)
    sys.path.remove(str(folder))
    del sys.modules[MODULE]


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A project whose log is empty."""
    (tmp_path / "pyproject.toml").write_text("")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(mechanism, beacon="round 1", claim=CLAIM, neighbors=PEOPLE, **options):
    return audited(mechanism, claim, neighbors, beacon=beacon, **{**FEW, **options})


def certified(mechanism, beacon="round 1", **options):
    return run(mechanism, beacon, **options).certificate.to_dict()


@pytest.fixture(scope="module")
def kept(released, tmp_path_factory):
    """Certificates of a sound and of a broken mechanism, and the folder of their log."""
    folder = tmp_path_factory.mktemp("log")
    made = {name: certified(getattr(released, name), folder=folder) for name in ("sound", "broken")}
    return {**made, "folder": folder}


def identity(certificate):
    return {name: certificate["subject"][name] for name in ("source", "claim", "neighbors")}


def rejected(certificate, *, decided=True):
    found = check(certificate)
    assert not found.accepted
    assert found.decided is decided, found.reason
    return found.reason


def test_good_certificates_are_accepted_and_say_what_was_reached(kept, here):
    for name, verdict in (("sound", "NOT REFUTED"), ("broken", "REFUTED")):
        found = check(kept[name])
        assert found.accepted, found.reason
        assert found.says[0].startswith(f"{verdict}: {MODULE}:{name} against PureDP(1.0); ")
        assert "the beacon 'round 1'" in found.says[0]


def test_the_same_run_in_an_empty_log_gives_the_same_certificate(kept, released, tmp_path):
    assert certified(released.broken, folder=tmp_path) == kept["broken"]


@pytest.mark.parametrize(
    ("mechanism", "claim", "neighbors"),
    [
        ("vector", GaussianDP(0.5), PEOPLE),
        ("text", ApproxDP(1.0, 1e-3), PEOPLE),
        ("text", CLAIM, Pairs([([1.0], [])])),
        ("text", CLAIM, Pairs([(np.array([1.0]), np.array([]))])),
    ],
)
def test_vectors_and_texts_are_bet_on_too(released, here, mechanism, claim, neighbors):
    report = run(getattr(released, mechanism), claim=claim, neighbors=neighbors)
    found = check(report.certificate.to_dict())
    assert found.accepted, found.reason
    assert found.says[0].startswith("REFUTED: ")


@pytest.mark.parametrize("container", ["pandas", "polars"])
@pytest.mark.parametrize("records", sampled([Real(0, 100), PERSON], 1), ids=str)
def test_frames_are_drawn_from_again(released, here, container, records):
    neighbors = AddRemove(records, max_size=3, container=container)
    for name, verdict in (("sound", "NOT REFUTED"), ("broken", "REFUTED")):
        certificate = certified(getattr(released, name), neighbors=neighbors)
        json.dumps(certificate, allow_nan=False)
        found = check(certificate)
        assert found.accepted, found.reason
        assert found.says[0].startswith(f"{verdict}: ")


@pytest.mark.parametrize(
    "neighbors",
    [
        AddRemove(Real(0, 100, allow_nan=True), max_size=3),
        AddRemove(PERSON, max_size=3),
        ReplaceOne(Categorical(["a", "bcd"]), size=2),
        *(
            AddRemove(records, max_size=3, container=container)
            for container in ("list", "pandas", "polars")
            for records in (Real(0, 100, allow_missing=True), Categorical(["a", "b"]), PERSON)
        ),
        QueryAnswers(3),
        AnyPair(PERSON),
        AnyPair(Real(0, 1)),
    ],
    ids=str,
)
def test_what_is_written_of_a_dataset_is_read_again_as_the_mechanism_receives_it(neighbors):
    for pair in itertools.islice(neighbors.pairs(np.random.default_rng(0)), 8):
        for given in (pair.left, pair.right):
            read = neighbors.received(dataset(json.loads(json.dumps(as_data(given)))))
            assert type(read) is type(given)
            assert dataset_to_source(read) == dataset_to_source(given)
            for form in () if isinstance(given, list) else ("dtype", "dtypes", "index"):
                assert str(getattr(read, form, None)) == str(getattr(given, form, None))


def test_frames_whose_index_may_tell_something_are_not_written():
    with pytest.raises(NoDataError, match="whose index is not 0, 1, 2"):
        as_data(pd.Series([1.0, 2.0], index=[5, 7]))
    with pytest.raises(NoDataError, match="that no text names"):
        as_data(pd.DataFrame({3: [1.0]}))


def test_records_in_another_type_of_number_are_drawn_from_as_the_mechanism_receives_them(
    released, here, monkeypatch
):
    """In eight bits 100 + 100 is below 0: a mechanism that holds would seem to be refuted."""
    whole = AddRemove(Integer(0, 100), max_size=3)
    narrow = Pair(np.array([100, 100], np.int8), np.array([100], np.int8))
    monkeypatch.setattr(AddRemove, "pairs", lambda self, rng: iter([narrow]))
    forged = certified(released.overflows, neighbors=whole, engines=[Blind()])
    assert forged["subject"]["verdict"] == "REFUTED"
    assert "the derived seed draws" in rejected(forged)


# What people read, and no more: the digest alone binds it.
HARMLESS = (r"assumptions(\.\d+)?", r"trusted(\.\d+)?", r"versions\..*")


def test_no_leaf_can_be_edited(kept, here):
    """All but the bets, which are edited below; digests are made to fit again."""
    leaves = [
        (path, edited)
        for path, free, edited in mutations(kept["broken"], HARMLESS)
        if not free and not path.startswith("proof.bets")
    ]
    assert len(leaves) > 30
    for path, edited in leaves:
        assert not check(edited).accepted, path


def bet(certificate):
    return certificate["proof"]["bets"][0]


def stake(certificate, value):
    bet(certificate)["stakes"][0][0] = value


def flipped(certificate):
    inside = bet(certificate)["event"]["inside"]
    inside[0] = 1 - inside[0]


def as_if(certificate, value, **more):
    certificate["proof"] |= {"log_e_value": value, **more}
    certificate["subject"]["verdict"] = "REFUTED"


FORGED = {
    "a stake that is no bet": (lambda c: stake(c, 0.9), "could pay less than nothing"),
    "a negative stake": (lambda c: stake(c, -0.1), "could pay less than nothing"),
    "a legal stake": (lambda c: stake(c, bet(c)["stakes"][0][0] * 1.01), "the derived seed draws"),
    "more capital": (lambda c: bet(c)["stakes"][0].__setitem__(1, 1.5), "of a capital of 1"),
    "a negative share": (lambda c: bet(c)["stakes"][0].__setitem__(1, -0.1), "a share of"),
    "another event": (flipped, "the derived seed draws"),
    "a score for half a cell": (
        lambda c: bet(c)["event"]["inside"].__setitem__(0, 7), "no set of outputs"),
    "another half-plane": (lambda c: bet(c).__setitem__("epsilon", 1.01), "the derived seed draws"),
    "a half-plane that is none": (lambda c: bet(c).__setitem__("epsilon", -3.0), "0 to 100 nats"),
    "the other dataset": (
        lambda c: bet(c).__setitem__("favours", {"left": "right"}.get(bet(c)["favours"], "left")),
        "the derived seed draws"),
    "a bet left out": (
        lambda c: (c["proof"]["bets"].pop(), c["proof"]["counts"].pop()), "the derived seed draws"),
    "better counts": (
        lambda c: c["proof"]["counts"].__setitem__(0, [0, 0, c["proof"]["pairs"], 0]),
        "the derived seed draws"),
    "fewer draws": (
        lambda c: c["proof"].update(
            pairs=1, counts=[[1, 0, 0, 0] for _ in c["proof"]["counts"]]), "`pairs` is 1"),
    "a last batch of another size, whose draws are others": (
        lambda c: c["proof"].update(
            pairs=200, counts=[[200, 0, 0, 0] for _ in c["proof"]["counts"]]),
        "`pairs` is 200"),
    "a last batch of another size that refutes": (
        lambda c: as_if(
            c, 60.0, pairs=200, counts=[[0, 0, 200, 0] for _ in c["proof"]["counts"]]),
        "none of their batches ends there"),
    "counts of fewer draws": (
        lambda c: c["proof"]["counts"].__setitem__(0, [0, 0, 9, 0]), "are not those of"),
    "a better e-value": (lambda c: as_if(c, 60.0), "the draws and the bets give"),
    "a better verdict": (lambda c: as_if(c, c["proof"]["log_e_value"]), "`verdict` is REFUTED"),
    "another beacon": (lambda c: c["proof"].__setitem__("beacon", "round 2"), "`seed` is not"),
    "another option": (lambda c: c["proof"]["options"].__setitem__("seed", 7), "`seed` is not"),
    "another claim": (lambda c: c["subject"].__setitem__("claim", "PureDP(0.5)"), "`seed` is not"),
    "another seed": (lambda c: c["proof"].__setitem__("seed", "0" * 64), "`seed` is not"),
    "no neighbors": (
        lambda c: c["proof"]["pair"].__setitem__(
            "left", ["array", "<f8", [3], ["list", 1.0, 2.0, 3.0]]), "not neighboring"),
    "no dataset": (lambda c: c["proof"]["pair"].__setitem__("left", ["eval", "1"]), "no dataset"),
}  # fmt: skip


@pytest.mark.parametrize("what", FORGED)
def test_what_is_edited_is_rejected(kept, here, what):
    forge, reason = FORGED[what]
    forged = copy.deepcopy(kept["sound"])
    forge(forged)
    assert reason in rejected(sealed(forged))


def test_a_seed_that_is_not_the_beacons_is_rejected_though_all_hashes_fit(kept, here):
    """The log is written anew for a beacon of one's own choice, the counts are kept."""
    forged = copy.deepcopy(kept["broken"])
    proof = forged["proof"]
    proof["beacon"] = "mine"
    proof["seed"] = run_seed(identity(forged), proof["options"], "mine")
    proof["log"] = relinked(
        [{**proof["log"][0], "content": {**proof["log"][0]["content"], "beacon": "mine"}}],
        identity(forged),
    )
    assert "the derived seed draws" in rejected(sealed(forged))


def relinked(log, about):
    """Return entries with numbers and hashes that fit."""
    head, made = digest("chain", about), []
    for number, entry in enumerate(log, 1):
        rest = {"number": number, "previous": head, "kind": entry["kind"]}
        rest["content"] = entry["content"]
        head = digest("entry", rest)
        made.append({**rest, "hash": head})
    return made


def test_a_sound_mechanism_cannot_be_made_to_look_refuted_by_fitting_bets(kept, here, released):
    """With the draws of the certificate at hand, a set is fitted to them that would refute."""
    from dpaudit.beacon.bets import best_bets
    from dpaudit.beacon.derive import batch_key
    from dpaudit.beacon.play import Draws
    from dpaudit.checker.evidence.data import dataset
    from dpaudit.neighbors import Pair
    from dpaudit.subject import Subject
    from dpaudit.worker import InPlace

    forged = copy.deepcopy(kept["sound"])
    proof = forged["proof"]
    opened = opening(proof["seed"], proof["log"][-1]["hash"], proof["pair"], proof["bets"])
    pair = Pair(*(dataset(proof["pair"][side]) for side in ("left", "right")))
    draws = Draws(InPlace(Subject.of(released.sound)), pair)
    left, right = draws.drawn(batch_key(opened, 0), 128)
    [first, *_] = best_bets(left, right, [(1.0, 0.0)])
    counts = list(first.counts(left, right))
    fitted = [0, 0, counts[2] + counts[0], 0]
    proof["bets"] = [first.to_dict(1.0)]
    proof |= {"pairs": 128, "counts": [[0, 128 - sum(fitted), sum(fitted), 0]]}
    paid = first.log_wealth(proof["counts"][0])
    as_if(forged, paid)
    assert "the derived seed draws" in rejected(sealed(forged))


def test_the_log_is_written_before_the_first_draw(here):
    def looks(data, rng):
        base = sqlite3.connect(here / ".dpaudit" / FILE)
        [(entry,)] = base.execute("SELECT entry FROM log").fetchall()
        assert json.loads(entry)["kind"] == "start"
        return 1.0

    report = run(looks, max_calls=100)
    assert report.evidence[0].verdict is not None
    assert not any("AssertionError" in note for note in report.evidence[0].notes)


def test_a_log_that_was_edited_is_refused_by_the_next_run_and_by_the_checker(released, here):
    certificate = certified(released.sound)
    base = sqlite3.connect(here / ".dpaudit" / FILE)
    with base:
        base.execute("UPDATE log SET entry = replace(entry, 'round 1', 'round 7')")
    assert "was edited: entry 1" in rejected(certificate)
    with pytest.raises(LogError, match="was edited: entry 1 does not follow"):
        run(released.sound, "round 2")
    with base:
        base.execute("DELETE FROM log WHERE number = 1")
    assert "was edited" in rejected(certificate)


def test_an_edited_or_a_dropped_entry_of_the_chain_is_rejected(released, here):
    run(released.sound, "round 1")
    certificate = certified(released.sound, "round 2")
    log = certificate["proof"]["log"]
    assert [entry["kind"] for entry in log] == ["start", "end", "start"]
    assert check(certificate).accepted
    for edit, reason in (
        (lambda log: log[0]["content"].__setitem__("beacon", "round 7"), "was edited"),
        (lambda log: log[1]["content"].__setitem__("verdict", "VERIFIED"), "was edited"),
        (lambda log: log.pop(0), "does not follow"),
        (lambda log: log.pop(1), "does not follow"),
        (lambda log: log.pop(), "is not the start of this run"),
        (lambda log: log.clear(), "knows no run"),
    ):
        forged = copy.deepcopy(certificate)
        edit(forged["proof"]["log"])
        assert reason in rejected(sealed(forged))
    forged = copy.deepcopy(certificate)
    forged["proof"]["log"] = relinked(log[-1:], identity(forged))
    assert "the derived seed draws" in rejected(sealed(forged))


def content(certificate, beacon):
    return {**certificate["proof"]["log"][-1]["content"], "beacon": beacon}


def test_beacons_that_are_tried_until_one_does_not_refute_are_seen(kept, released, here):
    log = EvidenceLog(here / ".dpaudit")
    about = identity(kept["sound"])
    log.start(about, content(kept["sound"], "round 0"))
    log.end(about, {"run": 1, "verdict": "REFUTED"})
    log.close()
    reason = rejected(certified(released.sound, "round 1"))
    assert reason.startswith("run 1 of `log`, with the beacon 'round 0', refuted the claim")


def test_a_dropped_run_is_seen_until_it_is_repeated(kept, released, here):
    log = EvidenceLog(here / ".dpaudit")
    log.start(identity(kept["sound"]), content(kept["sound"], "round 0"))
    log.close()
    reason = rejected(certified(released.sound, "round 1"))
    assert "with the beacon 'round 0', never ended" in reason
    run(released.sound, "round 0")
    found = check(certified(released.sound, "round 2"))
    assert found.accepted, found.reason
    assert found.says[1] == (
        "it is run 4 of this source, claim and neighbors; beacons: 'round 0', 'round 1', 'round 2'"
    )


def test_a_refutation_pays_for_the_beacons_that_were_tried(kept, released, here):
    """The third run needs ln(3 · 4) − ln(1 · 2) nats more than the first."""
    log = EvidenceLog(here / ".dpaudit")
    about = identity(kept["broken"])
    for beacon in ("a", "b"):
        log.start(about, content(kept["broken"], beacon))
    log.close()
    certificate = certified(released.broken, "c")
    assert certificate["subject"]["verdict"] == "REFUTED"
    needed = math.log(12) - math.log(0.25 * FEW["alpha"])
    assert certificate["proof"]["log_e_value"] >= needed
    found = check(certificate)
    assert found.accepted, found.reason
    assert f"of {needed:.2f} that refute" in found.says[0]


def test_a_refutation_of_a_later_run_is_told_with_the_log_at_hand(kept, released, here):
    certificate = certified(released.sound)
    log = EvidenceLog(here / ".dpaudit")
    log.start(identity(certificate), content(certificate, "round 2"))
    log.end(identity(certificate), {"run": 3, "verdict": "REFUTED"})
    log.close()
    assert "run 3 of this project's log refuted the claim afterwards" in rejected(certificate)


def test_another_log_at_hand_is_told(kept, released, here):
    run(released.sound, "round 7")
    found = check(kept["sound"])
    assert found.accepted
    assert "the log of this project holds other runs" in found.says[1]


def test_a_partial_of_a_function_that_a_name_imports_is_checked_with_its_arguments(released, here):
    mechanism = functools.partial(released.scaled, epsilon=2.5, unit="a, b)")
    certificate = certified(mechanism)
    assert certificate["subject"]["verdict"] == "REFUTED"
    assert check(certificate).accepted
    name = certificate["subject"]["mechanism"]
    assert name == f"functools.partial({MODULE}:scaled, epsilon=2.5, unit='a, b)')"
    forged = copy.deepcopy(certificate)
    forged["subject"]["mechanism"] = name.replace("2.5", "1.0")
    assert "is not the one that was audited" in rejected(sealed(forged), decided=False)
    forged["subject"]["mechanism"] = name.replace("2.5", "__import__('os').getpid()")
    assert "not at hand" in rejected(sealed(forged), decided=False)


def test_a_source_that_is_another_or_not_at_hand_is_not_checked(kept, here, released):
    for name, said in (("broken", "is not the one that was audited"), ("gone", "not at hand")):
        found = check(kept["sound"], mechanism=f"{MODULE}:{name}")
        assert found.not_checked
        assert said in found.reason
    hashes = (kept["sound"]["subject"]["source"], kept["broken"]["subject"]["source"])
    reason = check(kept["sound"], mechanism=released.broken).reason
    assert all(each in reason for each in hashes)


def test_without_a_mechanism_that_the_reader_names_nothing_is_drawn(kept, here, monkeypatch):
    monkeypatch.delitem(sys.modules, MODULE)
    found = check(kept["sound"], mechanism=None)
    assert found.not_checked
    assert "nothing was drawn anew. Name the mechanism" in found.reason
    assert MODULE not in sys.modules
    forged = copy.deepcopy(kept["sound"])
    forged["proof"]["log_e_value"] += 1
    assert check(sealed(forged), mechanism=None).rejected


@pytest.mark.parametrize(
    ("mechanism", "more", "said"),
    [
        ("unseeded", {}, "takes no seed"),
        ("broken", {"claim": TradeOff(GaussianDP(0.5).beta)}, "cannot be read from a text"),
        ("broken", {"neighbors": AROUND}, "its claim or its neighbors cannot be read from a text"),
    ],
)
def test_what_cannot_be_replayed_gets_no_certificate_and_a_reason(
    released, here, mechanism, more, said
):
    report = run(getattr(released, mechanism), **more)
    assert report.certificate is None
    assert any(said in note for e in report.evidence for note in e.notes), report.summary()


class Blind:
    """An engine that sees nothing."""

    name = "blind"

    def examine(self, subject, claim, neighbors, budget, suspects=(), *, runner, progress=None):
        return Evidence("blind", Verdict.NOT_REFUTED, detectable_epsilon=1.5)


def test_what_the_draws_for_the_certificate_refute_is_refuted(released, here):
    report = run(released.broken, engines=[Blind()])
    assert report.verdict is Verdict.REFUTED
    assert [finding.id for finding in report.findings] == ["DPA201"]
    assert report.certificate.subject["verdict"] == "REFUTED"
    assert check(report.certificate.to_dict()).accepted
    certificate = certified(released.broken, "round 2")
    assert [e["content"].get("verdict") for e in certificate["proof"]["log"]] == [
        None, "REFUTED", None
    ]  # fmt: skip


def test_a_local_function_gets_no_certificate(here):
    def local(data, rng):
        return len(data) + rng.laplace()

    report = run(local)
    assert report.certificate is None
    assert "cannot be imported by that name" in report.summary()


def test_error_probability_and_calls_stay_within_what_is_asked(released, here):
    report = run(released.sound)
    assert report.alpha == FEW["alpha"]
    assert report.alpha_spent <= report.alpha
    assert report.calls <= FEW["max_calls"] + 64  # trials of the workers


def test_an_empty_beacon_is_refused(released, here):
    with pytest.raises(ValueError, match="`beacon` is empty"):
        run(released.sound, " ")


def test_the_commands_write_a_certificate_and_check_it(released, here):
    shutil.copy(released.__file__, here)
    asked = ("--claim", "PureDP(1.0)", "--neighbors", "AddRemove(Real(0, 100), max_size=3)")
    few = ("--engines", "statistical", "--max-calls", "4000", "--isolation", "none")
    certify = ("--beacon", "abc", "--certificate", "c.json", "--report", "run.md")
    done = CliRunner().invoke(cli, ["audit", f"{MODULE}:broken", *asked, *few, *certify])
    assert done.exit_code == 1, done.output
    [noted] = re.findall(r"([\d,]+) draws seeded by the beacon 'abc'", done.output)
    assert " --beacon abc" in (here / "run.md").read_text(encoding="utf-8")
    assert CliRunner().invoke(cli, ["check", "c.json"]).exit_code == 3
    done = CliRunner().invoke(cli, ["check", "c.json", "--mechanism", f"{MODULE}:broken"])
    assert done.exit_code == 0, done.output
    assert "accepted (evidence" in done.output
    assert re.findall(r"([\d,]+) draws seeded by the beacon 'abc'", done.output) == [noted]
    assert "on trust: that nobody could choose the beacon" in done.output


def test_a_number_that_no_record_can_be_is_rejected():
    found = {"left": ["list", 10**400], "right": ["list"]}
    with pytest.raises(RejectedError) as caught:
        _pair(found, "AddRemove(Real(0, 1), container='list')")
    assert not isinstance(caught.value, NotCheckedError)
