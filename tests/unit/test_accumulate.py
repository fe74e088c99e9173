"""Nights of an audit: what is kept, what is taken up, and what is refused."""

import copy
import json
import random
import sqlite3
from dataclasses import replace
from hashlib import sha256

import numpy as np
import pytest

from dpaudit import AddRemove, ApproxDP, Audit, Pairs, PureDP, Real, RenyiDP, Verdict, vectorized
from dpaudit.accumulate import OTHERS_SHARE, Tonight
from dpaudit.evidence import Budget, Evidence
from dpaudit.neighbors import Integer, Row
from dpaudit.nights import Night, NightsError, nights_file
from dpaudit.statistical import StatisticalEngine
from dpaudit.statistical.book import Stakes
from dpaudit.statistical.nightly import take_up
from dpaudit.statistical.packing import PackingError, pack, unpack
from dpaudit.statistical.race import Race
from dpaudit.store import Store
from dpaudit.subject import Subject
from dpaudit.worker import Task, WorkerError
from dpaudit.worker.trial import trial
from tests.nights import Quick

ONE_MORE = Pairs([([1.0], [1.0, 1.0])])
STATED = {"code": "a", "claim": "PureDP(1.0)"}


@vectorized
def number(data, size, rng):
    return len(data) + rng.laplace(size=size)


@vectorized
def entries(data, size, rng):
    noisy = rng.laplace(size=(size, 4))
    noisy[:, 1] += len(data)
    return noisy


def words(data, rng):
    if rng.random() < 0.02:
        return None if len(data) > 1 else "none"
    return ["yes", "no"][int(rng.random() < 0.3)]


class Kept:
    """A memory that is no file; it can be stopped before it keeps a batch."""

    def __init__(self):
        self.night, self.held, self.left = 1, {}, None

    def parts(self):
        return dict(self.held)

    def write(self, parts, calls, log_e_value):
        if self.left is not None and any(name.startswith("counts") for name in parts):
            if not self.left:
                raise KeyboardInterrupt
            self.left -= 1
        self.held.update(parts)


def begun(mechanism, claim, seed, neighbors=ONE_MORE, calls=2_000):
    subject = Subject.of(mechanism)
    modes = ("label", "coupled") if isinstance(claim, PureDP) else ("coupled", "independent")
    return Race(
        subject, claim, neighbors, Budget(0.05, calls, None, seed), Quick(subject), modes, None
    )


def played(race, batches):
    for _ in range(batches):
        for mode in race.modes:
            race.draw(race.entries[0], mode, 500)


def counted(contender):
    return [e.counts.tolist() for book in contender.books.values() for e in book.experts]


CASES = {
    "number": (number, PureDP(1.0)),
    "entries": (entries, PureDP(1.0)),
    "words": (words, PureDP(1.0)),
    "renyi": (number, RenyiDP(2, 0.5)),
    "approximate": (number, ApproxDP(1.0, 1e-3)),
}


@pytest.mark.parametrize("case", CASES)
def test_a_night_goes_on_with_all_that_the_last_one_knew(case):
    mechanism, claim = CASES[case]
    memory = Kept()
    first = begun(mechanism, claim, 1)
    take_up(first, memory, ())
    first.enter(next(iter(ONE_MORE.pairs(None))), 0.9)
    played(first, 9)
    memory.night = 2
    second = begun(mechanism, claim, 2)
    take_up(second, memory, ())
    before, after = first.entries[0], second.entries[0]
    assert counted(before.contender) == counted(after.contender)
    assert (second.pooled, second.calls) == (first.pooled, first.calls)
    assert after.threshold == pytest.approx(before.threshold, abs=1e-12)
    assert second.room == 2_000
    for other in (PureDP(0.3), PureDP(0.9), claim):
        stakes = Stakes.of(other)
        assert after.contender.log_wealth(stakes) == before.contender.log_wealth(stakes)
    rows = before.contender.pool.side(0)
    assert after.contender.pool.side(0).same_as(rows)
    assert after.contender.pool.draws == before.contender.pool.draws
    # What is learned tells the same outputs apart in the same way.
    for one, two in zip(
        before.contender.books.values(), after.contender.books.values(), strict=True
    ):
        for mine, other in zip(one.experts, two.experts, strict=True):
            assert np.mean(mine.partition.assign(rows) == other.partition.assign(rows)) > 0.999
    played(second, 2)
    assert second.calls > first.calls


def test_two_nights_have_other_draws_and_one_wealth():
    memory = Kept()
    engine, subject = StatisticalEngine(memory=memory), Subject.of(number)
    found = []
    for night, seed in ((1, 5), (2, 6)):
        memory.night = night
        budget = Budget(0.05, 1_000, None, seed)
        found.append(engine.examine(subject, PureDP(1.0), ONE_MORE, budget, runner=Quick(subject)))
    assert [e.nights.number for e in found] == [1, 2]
    assert found[1].calls == found[0].calls + found[1].nights.calls
    alone = StatisticalEngine().examine(
        subject, PureDP(1.0), ONE_MORE, Budget(0.05, 1_000, None, 5), runner=Quick(subject)
    )
    assert found[0].log_e_value == alone.log_e_value
    assert found[1].log_e_value != found[0].log_e_value
    assert found[1].alpha_spent == found[0].alpha_spent <= 0.05


def seldom_copying(data, rng):
    noise = rng.laplace()
    if rng.random() < 0.06:
        noise = copy.deepcopy(rng).laplace()
    return len(data) + noise


def seldom_global(data, rng):
    return len(data) + (random.gauss() if rng.random() < 0.06 else rng.laplace())


def seldom_changing(data, rng):
    if rng.random() < 0.06:
        data[0] += 1.0
    return len(data) + data[0] + rng.laplace()


LOST = [number, seldom_copying, seldom_global, seldom_changing]


def planned(race, memory):
    index, [(mode, size, key)], _ = unpack(memory.held["race"])["planned"]
    pair = race.entries[index].contender.pair
    return Task(pair.left, pair.right, mode, size, key)


@pytest.mark.parametrize("mechanism", LOST)
def test_a_batch_that_was_booked_and_lost_is_drawn_again_with_its_own_seeds(mechanism):
    """With this seed no trial shows what it does seldom, and the first batch does."""
    whole, broken = Kept(), Kept()
    race = begun(mechanism, PureDP(1.0), 9)
    take_up(race, whole, ())
    race.enter(next(iter(ONE_MORE.pairs(None))), 0.9)
    played(race, 3)
    broken.left = 5  # of six batches
    race = begun(mechanism, PureDP(1.0), 9)
    take_up(race, broken, ())
    race.enter(next(iter(ONE_MORE.pairs(None))), 0.9)
    with pytest.raises(KeyboardInterrupt):
        played(race, 3)
    shown = race.runner.known.traits
    tried = trial(race.subject, planned(race, broken))
    broken.left, broken.night = None, 2
    again = begun(mechanism, PureDP(1.0), 4)
    take_up(again, broken, ())
    assert unpack(broken.held["race"])["planned"] is None
    one, two = (unpack(kept.held["race"])["earned"] for kept in (broken, whole))
    assert one.keys() == two.keys()
    for place in one:
        assert one[place].partitions == two[place].partitions
        assert np.array_equal(one[place].one_sided, two[place].one_sided)
    assert broken.held["outputs 0"] == whole.held["outputs 0"]
    assert again.runner.known.traits == shown
    for seldom, flag in zip(
        LOST[1:], (shown.copies, shown.states.python, shown.mutates), strict=True
    ):
        assert flag == (mechanism is seldom)
    assert (tried.copies, tried.states.python, tried.mutates) == (False, False, False)


def test_a_first_batch_that_was_lost_is_tried_out_again():
    memory = Kept()
    memory.left = 0
    race = begun(seldom_copying, PureDP(1.0), 9)
    take_up(race, memory, ())
    race.enter(next(iter(ONE_MORE.pairs(None))), 0.9)
    with pytest.raises(KeyboardInterrupt):
        played(race, 1)
    memory.left = None
    again = begun(seldom_copying, PureDP(1.0), 4)
    take_up(again, memory, ())
    assert again.calls == race.calls
    assert again.runner.known.traits == race.runner.known.traits


class Frail(Quick):
    """Fails from some batch on."""

    left = 3

    def run(self, tasks):
        Frail.left -= 1
        if Frail.left < 0:
            raise WorkerError("crashed", "the worker is gone")
        return super().run(tasks)


def secure(data, rng):
    return len(data) + np.random.default_rng().laplace()


def seeded(data, rng):
    return len(data) + rng.laplace()


@pytest.mark.parametrize("mechanism", [seeded, secure])
def test_a_batch_that_failed_goes_on_only_where_its_draws_can_be_made_again(mechanism):
    memory, subject, verdicts = Kept(), Subject.of(mechanism), []
    for night, runner in ((1, Frail), (2, Quick), (3, Quick)):
        memory.night, Frail.left = night, 3
        budget = Budget(0.05, 400, None, night)
        found = StatisticalEngine(memory=memory).examine(
            subject, PureDP(1.0), ONE_MORE, budget, runner=runner(subject)
        )
        verdicts.append((found.verdict, found.completed, "takes no seed" in found.reason))
    assert verdicts[0] == (None, False, False)
    stopped = (Verdict.INCONCLUSIVE, True, True)
    assert (stopped in verdicts[1:]) == (mechanism is secure)
    assert (verdicts[1] == verdicts[2]) or mechanism is seeded
    if mechanism is seeded:
        assert found.calls > 800


def test_what_has_refuted_stays_refuted_without_a_draw():
    memory = Kept()
    engine, subject = StatisticalEngine(memory=memory), Subject.of(number)
    found = []
    for night in (1, 2):
        memory.night = night
        budget = Budget(0.05, 20_000, None, night)
        runner = Quick(subject)
        found.append(engine.examine(subject, PureDP(0.3), ONE_MORE, budget, runner=runner))
    assert [e.verdict for e in found] == [Verdict.REFUTED] * 2
    assert found[1].nights.calls == 0
    assert found[1].log_e_value == found[0].log_e_value
    assert found[1].witness is not None


def test_smaller_pairs_are_looked_for_once():
    memory = Kept()
    engine, subject = StatisticalEngine(memory=memory), Subject.of(number)
    for night in (1, 2):
        memory.night = night
        budget = Budget(0.05, 20_000, None, night)
        found = engine.examine(
            subject, PureDP(0.1), AddRemove(Real(0, 1)), budget, runner=Quick(subject)
        )
        kinds = [kind for _, kind in unpack(memory.held["race"])["entries"]]
        assert found.alpha_spent <= 0.05
        assert kinds.count("smaller") <= 12
    assert found.verdict is Verdict.REFUTED


def test_tests_that_each_night_makes_anew_share_one_part_of_alpha():
    race = begun(number, PureDP(1.0), 1)
    assert race.tonight(0.01) == 0.01
    memory = Kept()
    take_up(race, memory, ())
    shares = []
    for memory.night in range(1, 1_001):  # the race reads it
        shares.append(race.tonight(0.01))
    assert 0.0099 < sum(shares) < 0.01


ROWS = AddRemove(Row(age=Integer(0, 99), name=Real(0, 1)), max_size=3)


@pytest.mark.parametrize("container", ["array", "list", "pandas", "polars"])
def test_datasets_come_back_as_they_were(container):
    pytest.importorskip(container) if container in ("pandas", "polars") else None
    for neighbors in (
        replace(ROWS, container=container),
        AddRemove(Real(0, 1), container=container),
    ):
        memory = Kept()
        race = begun(number, PureDP(1.0), 1, neighbors)
        take_up(race, memory, ())
        race.enter(next(race.proposals), 0.5)
        race.draw(race.entries[0], "label", 100)
        again = begun(number, PureDP(1.0), 2, neighbors)
        take_up(again, memory, ())
        assert repr(again.entries[0].contender.pair.left) == repr(
            race.entries[0].contender.pair.left
        )


def test_what_is_no_plain_data_is_refused():
    for value in (object(), lambda: 0, np.array([object()]), {"a": Kept()}):
        with pytest.raises(PackingError, match="is no plain data"):
            pack(value)


@pytest.mark.parametrize(
    "text",
    [
        '{"object": ["os.system", 0, {}]}',
        '{"object": ["subprocess.Popen", 0, {"args": "true"}]}',
        '{"call": "print"}',
        '{"array": ["|O", [1], 0]}',
        '{"frame": ["os", "DataFrame", []]}',
        '{"generator": {"dict": [["bit_generator", "MT19937"]]}}',
        '{"apart": "what is not there"}',
        '{"same": 7}',
        "[1, 2",
    ],
)
def test_bytes_of_somebody_else_are_refused(text):
    content = text.encode()
    with pytest.raises(PackingError):
        unpack(len(content).to_bytes(8, "little") + content)


@pytest.mark.parametrize(
    "value",
    [
        None, True, 2**100, 0.1, float("inf"), "é", b"\0", [1, (2, "a")], {(1, "a"): [None]},
        frozenset({"a", "b"}),
    ],
)  # fmt: skip
def test_plain_values_come_back(value):
    assert unpack(pack(value)) == value


def test_arrays_come_back_bit_by_bit_and_shared_objects_once():
    arrays = [
        np.array([0.1, np.nan, -0.0]), np.zeros((2, 0), np.int64), np.array(3, np.uint64),
        np.array([(1, 2.0)], dtype=[("a", "i4"), ("b", "f8")]), np.array(["é", ""]),
        np.zeros(2**15), np.array([None, "a"], dtype=object), -np.zeros(2**15),
        np.eye(200, dtype=np.uint64) * np.uint64(2**63), np.ones((100, 100), np.int32),
    ]  # fmt: skip
    for one, two in zip(arrays, unpack(pack(arrays)), strict=True):
        assert (one.dtype, one.shape) == (two.dtype, two.shape)
        assert one.tolist() == two.tolist() or one.tobytes() == two.tobytes()
    rng = np.random.default_rng(3)
    again = unpack(pack(rng))
    assert again.random() == rng.random()


def test_a_fitted_score_is_kept_as_plain_arrays():
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.linear_model import LogisticRegression

    from dpaudit.statistical.models import plain_model

    rng = np.random.default_rng(0)
    x = np.round(rng.normal(size=(600, 3)), 1)  # values on the thresholds too
    y = x[:, 0] + rng.normal(size=600) > 0
    for model in (LogisticRegression(), HistGradientBoostingClassifier(max_iter=10)):
        model.fit(x, y)
        kept = unpack(pack(plain_model(model)))
        np.testing.assert_allclose(kept.decision_function(x), model.decision_function(x), atol=1e-9)


def opened(root, stated=STATED, seed=None, **more):
    return Night(root, "counts.py::first", stated, 1, seed, **more)


def test_nights_are_numbered_and_a_seed_is_used_once(tmp_path):
    with opened(tmp_path, seed=4) as first:
        assert first.night == 1
        with pytest.raises(NightsError, match=r"run accumulates evidence on counts\.py::fi"):
            opened(tmp_path, seed=5)
    for seed in (4, 4):
        with pytest.raises(NightsError, match="the seed 4 was used in night 1 of"):
            opened(tmp_path, seed=seed)
    with pytest.raises(NightsError, match="the seed 9 was used in a run that is stored"):
        opened(tmp_path, seed=9, used={9}.__contains__)
    with opened(tmp_path) as second, opened(tmp_path / "..", seed=4) as elsewhere:
        assert (second.night, elsewhere.night) == (2, 1)
        assert second.seed not in (4, 5)


def test_what_was_written_last_is_there_the_next_night_though_nobody_closed(tmp_path):
    night = opened(tmp_path)
    night.write({"a": b"1", "b": b"2"}, 10, 0.5)
    night.write({"a": b"3"}, 20, 0.25)
    night._base.close()  # as when the process is gone
    with opened(tmp_path) as after:
        assert after.parts() == {"a": b"3", "b": b"2"}
        assert after.night == 2


def test_what_has_changed_starts_anew_and_what_comes_back_goes_on(tmp_path):
    with opened(tmp_path) as night:
        night.write({"a": b"1"}, 10, 0.5)
    with opened(tmp_path, {**STATED, "code": "b"}) as other:
        assert (other.night, other.parts(), other.anew) == (1, {}, ("code",))
    with opened(tmp_path) as back:
        assert (back.night, back.parts(), back.anew) == (2, {"a": b"1"}, ())
    with pytest.raises(NightsError, match="of an earlier test"):
        opened(tmp_path, {**STATED, "code": "c"}, seed=other.seed)


def test_a_file_that_was_tampered_with_is_named_and_not_read(tmp_path):
    with opened(tmp_path) as night:
        night.write({"race": b"1"}, 10, 0.5)
    file = nights_file(tmp_path, "counts.py::first")
    with sqlite3.connect(file) as base:
        base.execute("UPDATE parts SET content = ?", (b"2",))
    base.close()
    with opened(tmp_path) as night, pytest.raises(NightsError, match="move it away"):
        night.parts()
    with sqlite3.connect(file) as base:
        base.execute("PRAGMA user_version = 7")
    base.close()
    with pytest.raises(NightsError, match="has layout 7, this version of dpaudit knows 1"):
        opened(tmp_path)
    file.write_bytes(b"not a database" * 1_000)
    with pytest.raises(NightsError, match="cannot be read"):
        opened(tmp_path)


def tonight(root, seed=None):
    return Tonight(root, "counts.py::first", 1, "code", seed, frozenset())


def test_what_is_kept_but_cannot_be_taken_up_is_no_verdict(tmp_path):
    audit = Audit(number, PureDP(1.0), ONE_MORE, engines=["statistical"], max_calls=60)
    audit.run(accumulate=tonight(tmp_path))
    file = nights_file(tmp_path, "counts.py::first")
    with sqlite3.connect(file) as base:
        content = pack({"entries": [[1.0, "first"]]})
        digest = sha256(content).hexdigest()
        base.execute(
            "UPDATE parts SET content = ?, digest = ? WHERE name = 'race'", (content, digest)
        )
    base.close()
    with pytest.raises(NightsError, match="cannot go from night to night: it is not as it was"):
        audit.run(accumulate=tonight(tmp_path))


def test_options_of_the_bet_start_anew_and_those_of_a_night_do_not(tmp_path):
    def night(**changes):
        options = {"engines": ["statistical"], "max_calls": 60, "alpha": 0.01, **changes}
        report = Audit(number, PureDP(1.0), ONE_MORE, seed=3, **options).run(
            accumulate=tonight(tmp_path)
        )
        return report.nights.number, any(
            "starts anew" in n for e in report.evidence for n in e.notes
        )

    assert night() == (1, False)
    assert night(max_calls=40, max_seconds=60.0) == (2, False)
    assert night(alpha=0.02) == (1, True)
    assert night(arithmetic="float") == (1, True)
    assert night() == (3, False)


class Samples:
    """An engine whose evidence does not accumulate; it spends all that it may."""

    name = "samples"
    allowed = ()

    def examine(self, subject, claim, neighbors, budget, suspects=(), *, runner, progress=None):
        Samples.allowed += (budget.alpha,)
        return Evidence("samples", None, "it only spends", alpha_spent=budget.alpha)


def test_engines_that_sample_anew_spend_no_more_over_all_nights_than_their_part(tmp_path):
    Samples.allowed = ()
    audit = Audit(number, PureDP(1.0), ONE_MORE, engines=["statistical", Samples()], max_calls=60,
                  alpha=0.01)  # fmt: skip
    reports = [audit.run(accumulate=tonight(tmp_path)) for _ in range(3)]
    parts = [1 / 2, 1 / 6, 1 / 12]
    assert Samples.allowed == pytest.approx([0.01 * OTHERS_SHARE * part for part in parts])
    assert [r.evidence[-1].engine for r in reports] == ["statistical"] * 3
    assert {r.evidence[-1].confidence for r in reports} == {1 - 0.01 * (1 - OTHERS_SHARE)}
    assert all(r.alpha_spent <= 0.01 for r in reports)


def test_pairs_that_are_others_every_time_are_refused(tmp_path):
    class Restless:
        fixed_count = None

        def __init__(self):
            self.asked = 0

        def pairs(self, rng):
            self.asked += 1
            yield from Pairs([([float(self.asked)], [0.0])]).pairs(rng)

        shrink = mutate = contains = assumptions = to_dict = lambda *_: ()

    audit = Audit(number, PureDP(1.0), Restless(), engines=["statistical"], max_calls=60)
    with pytest.raises(NightsError, match="gives other pairs for the same seed"):
        audit.run(accumulate=tonight(tmp_path))


def test_seeds_of_plain_runs_are_known(tmp_path):
    store = Store(tmp_path)
    run = store.begin({}, {})
    store.keep(run, {"name": "a", "report": {"seed": 7}})
    store.keep(run, {"name": "b", "report": None})
    assert (store.seeds("a"), store.seeds("b")) == ({7}, frozenset())


def test_the_report_says_over_how_many_nights(tmp_path):
    audit = Audit(number, PureDP(1.0), ONE_MORE, engines=["statistical"], max_calls=3_000,
                  alpha=0.01)  # fmt: skip
    reports = [audit.run(accumulate=tonight(tmp_path)) for _ in range(2)]
    last = reports[-1]
    assert "calls on 1 pair of 2 nights. This run would have detected" in last.summary()
    assert "calls and evidence of 2 nights; " in last.summary()
    written = json.loads(json.dumps(last.to_dict()))["evidence"][0]
    assert written["nights"] == {"number": 2, "calls": last.nights.calls}
    assert written["calls"] == reports[0].calls + last.nights.calls
