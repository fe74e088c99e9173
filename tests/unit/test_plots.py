"""Pictures show what the report says; every artist is looked up and its numbers are compared."""

from __future__ import annotations

import json
import math
import pickle
import subprocess
import sys
from dataclasses import replace
from io import BytesIO
from itertools import pairwise

import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.patches import Rectangle, StepPatch

import dpaudit
from dpaudit import (
    AddRemove,
    AnyPair,
    ApproxDP,
    Categorical,
    GaussianDP,
    Pairs,
    PureDP,
    Real,
    RenyiDP,
    Verdict,
)
from dpaudit.estimates.estimate import Estimate, Interval
from dpaudit.estimates.observed import ObservedEvents
from dpaudit.outputs import encode
from dpaudit.plots import PANELS, plot_estimate, plot_report
from dpaudit.plots.style import LEFT, RIGHT, text
from dpaudit.sightings import CellCounts
from dpaudit.statistical import race
from dpaudit.statistical.binning import binned
from tests import reporting
from tests.sweeps import repeated

ONE_PAIR = Pairs([(np.array([0.0]), np.array([1.0]))])


@dpaudit.vectorized
def gaussian(data, size, rng):
    return data.sum() + rng.normal(size=size)


@dpaudit.vectorized
def several(data, size, rng):
    return data.sum() / 4 + rng.laplace(size=(size, 6))


def answer(bit, rng):
    return "yes" if bit == (rng.random() < 0.9) else "no $ \u4e2d"


def fails_when_empty(data, rng):
    if not len(data):
        raise ValueError("no data")
    return rng.laplace()


@pytest.fixture(scope="module")
def refuted():
    return dpaudit.audit(
        gaussian, GaussianDP(0.5), ONE_PAIR, max_calls=100_000, engines=["statistical"]
    )


@pytest.fixture(scope="module")
def sound():
    return dpaudit.audit(
        gaussian, GaussianDP(1.0), ONE_PAIR, max_calls=20_000, engines=["statistical"]
    )


def drawn(figure):
    """Draw a figure, warnings being errors; return its width and height in pixels."""
    buffer = BytesIO()
    figure.savefig(buffer, format="png")
    header = buffer.getvalue()[16:24]
    return int.from_bytes(header[:4]), int.from_bytes(header[4:])


def panel(figure, title):
    return next(ax for ax in figure.axes if ax.get_title(loc="left").startswith(title))


def words(figure):
    legends = [t.get_text() for ax in figure.axes if ax.get_legend() for t in ax.get_legend().texts]
    return "\n".join([figure.get_suptitle(), figure.get_supxlabel(), *legends])


def line(ax, label):
    return next(drawn for drawn in ax.lines if drawn.get_label().startswith(label))


def test_report_of_an_audit_has_all_four_panels_at_800_pixels(refuted):
    assert refuted.verdict is Verdict.REFUTED
    figure = refuted.plot()
    assert len(figure.axes) == len(PANELS)
    assert drawn(figure)[0] == 800
    assert "Not drawn" not in words(figure)
    assert "REFUTED" in figure.get_suptitle()
    assert "GaussianDP(0.5)" in figure.get_suptitle()


def test_every_panel_names_its_axes(refuted):
    for ax in refuted.plot().axes:
        assert ax.get_xlabel()
        assert ax.get_ylabel()
    assert panel(refuted.plot(), "Evidence").get_ylabel() == "evidence (nats)"


def test_evidence_is_the_trail_of_the_audit_and_its_threshold_is_the_level(refuted):
    ax = panel(refuted.plot(), "Evidence")
    (found,) = refuted.evidence
    curve = line(ax, "all pairs")
    np.testing.assert_array_equal(curve.get_xdata(), [calls for calls, _ in found.trail])
    np.testing.assert_array_equal(curve.get_ydata(), [nats for _, nats in found.trail])
    assert found.trail[-1] == (refuted.calls, found.log_e_value)
    threshold = line(ax, "refuted from")
    np.testing.assert_allclose(threshold.get_ydata(), -math.log(refuted.alpha))
    assert found.trail[-1][1] >= -math.log(refuted.alpha)


def test_trail_is_thinned_and_keeps_its_last_point(monkeypatch):
    monkeypatch.setattr(race, "LONGEST_TRAIL", 8)
    report = dpaudit.audit(
        gaussian, GaussianDP(1.0), ONE_PAIR, max_calls=20_000, engines=["statistical"]
    )
    trail = report.evidence[0].trail
    assert 4 <= len(trail) <= 8
    assert trail[-1][0] == report.calls
    assert all(a < b for (a, _), (b, _) in pairwise(trail))


def test_histograms_are_the_counts_and_the_event_is_filled(refuted):
    bins = refuted.evidence[0].sightings.bins
    ax = panel(refuted.plot(), "Outputs")
    outlines = [p for p in ax.patches if isinstance(p, StepPatch) and not p.get_fill()]
    fills = [p for p in ax.patches if isinstance(p, StepPatch) and p.get_fill()]
    assert [to_hex(p.get_edgecolor()) for p in outlines] == [LEFT, RIGHT]
    draws = bins.left_draws, bins.right_draws
    inside = [(counts, n) for counts, n in zip(_inside(bins), draws, strict=True) if any(counts)]
    shown = [*zip((bins.left, bins.right), draws, strict=True), *inside]
    for patch, (counts, n) in zip(outlines + fills, shown, strict=True):
        np.testing.assert_allclose(patch.get_data().values * n, counts, rtol=1e-9)
        np.testing.assert_array_equal(patch.get_data().edges, bins.edges)


def _inside(bins):
    return bins.left_in_event, bins.right_in_event


def test_filled_draws_are_the_counts_of_the_witness(refuted):
    bins, counts = refuted.evidence[0].sightings.bins, refuted.witness.counts
    assert sum(bins.left_in_event) == counts.left
    assert sum(bins.right_in_event) == counts.right
    assert (bins.left_draws, bins.right_draws) == (counts.left_calls, counts.right_calls)
    assert sum(bins.left) == counts.left_calls


def test_background_is_where_the_event_is(refuted):
    """The witness of two Gaussians is a half-line; the background ends at its end."""
    ax = panel(refuted.plot(), "Outputs")
    (span,) = [p for p in ax.patches if isinstance(p, Rectangle)]
    source = refuted.witness.event.source
    start, stop = span.get_x(), span.get_x() + span.get_width()
    inside = np.linspace(start, stop, 101)[2:-2]
    assert all(eval(source, {"output": output}) for output in inside)
    low, high = ax.get_xlim()
    near = 0.05 * (high - low)
    for output in np.linspace(low, high, 100):
        if not start - near < output < stop + near:
            assert not eval(source, {"output": output})
    assert f"event: {refuted.witness.event.words}" in words(ax.figure)


def test_tradeoff_is_drawn_against_the_claim_with_its_band(refuted):
    ax = panel(refuted.plot(), "Telling")
    claim, curve = line(ax, "claim"), line(ax, "observed")
    np.testing.assert_array_equal(claim.get_ydata(), refuted.claim.beta(claim.get_xdata()))
    expected = ObservedEvents.of(refuted.evidence[0].sightings.cells).tradeoff()
    np.testing.assert_array_equal(curve.get_ydata(), expected.value)
    band = next(c for c in ax.collections if c.get_label() == "95 % band")
    corners = band.get_paths()[0].vertices
    assert corners[:, 1].min() == pytest.approx(expected.confidence_interval.low.min())
    for x, y in zip(expected.at, expected.confidence_interval.high, strict=True):
        assert np.isclose(corners, [x, y]).all(axis=1).any()


def test_profile_is_drawn_against_the_claim_with_the_bound_of_all_bets(refuted):
    ax = panel(refuted.plot(), "Privacy")
    claim, bound = line(ax, "claim"), line(ax, "all bets")
    np.testing.assert_array_equal(claim.get_ydata(), refuted.claim.delta(claim.get_xdata()))
    assert bound.get_xdata() == [refuted.epsilon]
    assert bound.get_ydata() == [0.0]


def test_event_of_a_refutation_shows_beyond_what_the_claim_allows(refuted):
    ax = panel(refuted.plot(), "Privacy")
    claim, curve = line(ax, "claim"), line(ax, "observed")
    assert np.any(curve.get_ydata() > claim.get_ydata())


def test_audit_that_did_not_refute_shows_no_event(sound):
    assert sound.verdict is Verdict.NOT_REFUTED
    figure = sound.plot()
    assert drawn(figure)[0] == 800
    assert len(figure.axes) == len(PANELS)
    bins = sound.evidence[0].sightings.bins
    assert not any(bins.left_in_event + bins.right_in_event)
    assert "event:" not in words(figure)
    assert not [p for p in panel(figure, "Outputs").patches if isinstance(p, Rectangle)]


def test_ends_of_bands_that_hold_for_the_mechanism_do_hold():
    """Limits at 95 % with a union bound over all that could be picked: they nearly never miss."""
    truth = GaussianDP(1.0)
    for seed in range(repeated(4, full=10)):
        report = dpaudit.audit(
            gaussian,
            GaussianDP(0.7),
            ONE_PAIR,
            max_calls=3_000,
            seed=seed,
            alpha=0.05,
            engines=["statistical"],
        )
        events = ObservedEvents.of(report.evidence[0].sightings.cells)
        tradeoff, profile = events.tradeoff(), events.profile(truth)
        assert np.all(tradeoff.confidence_interval.high >= truth.beta(tradeoff.at) - 1e-12)
        assert np.all(profile.confidence_interval.low <= truth.delta(profile.at) + 1e-12)


@pytest.mark.parametrize(
    ("report", "why"),
    [
        (reporting.refuted(), "no engine kept outputs"),
        (reporting.refuted(witness=None), "does not rest on bets"),
        (reporting.not_refuted(), "no engine drew samples"),
        (reporting.inconclusive(), "no engine drew samples"),
        (reporting.report(reporting.evidence(Verdict.VERIFIED)), "no engine drew samples"),
        (reporting.report(), "no engine drew samples"),
    ],
    ids=["refuted", "refuted-by-state", "not-refuted", "inconclusive", "verified", "no-engine"],
)
def test_panels_without_data_are_left_out_with_the_reason(report, why):
    figure = report.plot()
    assert figure.axes == []
    assert str(report.verdict) in figure.get_suptitle()
    assert why in " ".join(figure.get_supxlabel().split())
    assert drawn(figure)[0] == 800


def test_panels_that_there_are_are_drawn_beside_reasons_for_the_others(refuted):
    (found,) = refuted.evidence
    uncounted = replace(found.sightings, cells=None)
    figure = replace(refuted, evidence=(replace(found, sightings=uncounted),)).plot()
    assert len(figure.axes) == 2
    assert "Not drawn: tradeoff, profile; no draw was left" in figure.get_supxlabel()
    drawn(figure)
    without = replace(refuted, claim=None).plot()
    assert len(without.axes) == 2
    assert "there is no claim to compare with" in without.get_supxlabel()


def test_panels_can_be_chosen(refuted):
    figure = refuted.plot(["outputs"])
    assert [ax.get_title(loc="left") for ax in figure.axes] == ["Outputs on the two datasets"]
    assert len(plot_report(refuted, ["evidence", "outputs", "profile"]).axes) == 3
    with pytest.raises(ValueError, match="`panels` must be among evidence"):
        refuted.plot(["histogram"])


def test_labels_are_bars_and_their_letters_do_not_break_the_picture():
    report = dpaudit.audit(
        answer, PureDP(1.0), AnyPair(Categorical([False, True])), engines=["statistical"]
    )
    figure = report.plot()
    drawn(figure)
    ax = panel(figure, "Outputs")
    assert [t.get_text() for t in ax.get_xticklabels()] == ["no $ \\u{4e2d}", "yes"]
    bins = report.evidence[0].sightings.bins
    heights = [p.get_height() for bars in ax.containers[:1] for p in bars]
    np.testing.assert_allclose(heights, np.array(bins.left) / bins.left_draws)


def test_exception_is_an_outcome_with_a_bar():
    report = dpaudit.audit(
        fails_when_empty, PureDP(1.0), AddRemove(Real(0, 1), max_size=2), engines=["statistical"]
    )
    assert report.evidence[0].sightings.bins.names == ("float", "raises ValueError")
    drawn(report.plot())


def test_vector_outputs_are_shown_by_a_learned_score():
    report = dpaudit.audit(several, PureDP(2.0), ONE_PAIR, max_calls=6_000, engines=["statistical"])
    bins = report.evidence[0].sightings.bins
    assert bins.what == "learned log-odds of the left dataset (nats)"
    middles = (np.array(bins.edges[1:]) + np.array(bins.edges[:-1])) / 2
    left, right = (np.average(middles, weights=c) for c in (bins.left, bins.right))
    assert left > right
    drawn(report.plot())


@pytest.mark.parametrize("claim", [ApproxDP(0.8, 1e-5), RenyiDP(2, 0.3), PureDP(0.5)], ids=str)
def test_every_family_of_claims_can_be_drawn(claim):
    report = dpaudit.audit(gaussian, claim, ONE_PAIR, max_calls=20_000, engines=["statistical"])
    figure = report.plot()
    assert len(figure.axes) == len(PANELS)
    assert ("Rényi claim" in words(figure)) == isinstance(claim, RenyiDP)
    drawn(figure)


def test_pictures_of_the_evidence_are_small_and_smaller_in_json(refuted):
    (found,) = refuted.evidence
    assert len(pickle.dumps((found.trail, found.sightings))) < 10_000
    restored = pickle.loads(pickle.dumps(refuted))
    assert restored.evidence[0].sightings == found.sightings
    written = refuted.to_dict()["evidence"][0]
    assert len(json.dumps((written["trail"], written["sightings"]))) < 10_000
    assert written["sightings"]["cells"]["left"] == [*found.sightings.cells.left]


def test_no_draw_that_shaped_cells_is_counted_in_them():
    report = dpaudit.audit(
        answer, PureDP(1.0), AnyPair(Categorical([False, True])), engines=["statistical"]
    )
    found = report.evidence[0].sightings.cells
    assert 0 < sum(found.left) + sum(found.right) <= report.calls - 32
    assert 0 < found.share < 1


# Bins.


def test_bins_begin_where_the_event_does():
    rng = np.random.default_rng(0)
    left, right = rng.normal(size=500), rng.normal(1, size=500)
    sides = encode(list(left)), encode(list(right))
    on = (left > -0.5) & (left <= 0.75), (right > -0.5) & (right <= 0.75)
    bins = binned(sides, on, ("",), sides)
    assert (bins.what, bins.names) == ("output", ())
    total, part = (
        np.array(bins.left) + bins.right,
        np.array(bins.left_in_event) + bins.right_in_event,
    )
    assert set(part[total > 0] / total[total > 0]) == {0.0, 1.0}
    assert sum(bins.left) == 500
    assert sum(bins.left_in_event) == on[0].sum()


def test_event_far_out_is_within_the_shown_range():
    rng = np.random.default_rng(0)
    values = rng.normal(size=20_000)
    values[:20] = 50.0 + rng.random(20)
    sides = encode(list(values)), encode(list(rng.normal(size=20_000)))
    bins = binned(sides, (values > 40, np.zeros(20_000, bool)), ("",), sides)
    assert bins.edges[-1] > 50
    assert sum(bins.left_in_event) == 20


def test_few_values_are_bars_and_what_is_no_number_is_in_none():
    left, right = [1, 2, 2, math.nan], [1, 1, 2, 10]
    sides = encode(left), encode(right)
    none = np.zeros(4, bool), np.zeros(4, bool)
    bins = binned(sides, none, (), sides)
    assert bins.names == ("1", "2", "10")
    assert bins.left == (1, 2, 0)
    assert bins.left_draws == 4


def test_few_outcomes_of_many_entries_are_written_out():
    rows = [(True, False, False, True), (False, False, False, True)] * 20
    sides = encode(rows), encode(rows)
    bins = binned(sides, (np.ones(40, bool), np.ones(40, bool)), (), sides)
    assert bins.names == ("0001", "1001")
    assert bins.left == bins.left_in_event == (20, 20)


def test_many_labels_are_shortened_to_the_frequent_ones_in_natural_order():
    words = [f"k{i}" for i in range(30) for _ in range(30 - i)]
    sides = encode(words), encode(words)
    none = np.zeros(len(words), bool), np.zeros(len(words), bool)
    bins = binned(sides, none, ("",), sides)
    assert bins.names == (*(f"k{i}" for i in range(12)), "others")
    assert sum(bins.left) == len(words)


# Observed events.

CELLS = CellCounts((900, 100), (100, 900), ((0, 1),), 1.0)


def test_one_event_gives_the_tradeoff_through_its_errors():
    curve = ObservedEvents.of(CELLS).tradeoff()
    at = np.searchsorted(curve.at, 0.1)
    assert curve.at[at] == pytest.approx(0.1)
    assert curve.value[at] == pytest.approx(0.1)
    low, high = curve.confidence_interval
    assert np.all((low <= curve.value) & (curve.value <= high))


def test_profile_of_one_event_is_its_excess():
    curve = ObservedEvents.of(CELLS).profile(PureDP(1.0))
    np.testing.assert_allclose(curve.value, np.maximum(0.9 - 0.1 * np.exp(curve.at), 0), atol=1e-12)


def test_band_widens_with_the_number_of_cells_that_could_have_been_picked():
    one, some = (ObservedEvents.of(replace(CELLS, share=s)).tradeoff() for s in (1.0, 0.01))
    assert np.all(some.confidence_interval.high >= one.confidence_interval.high)
    assert some.confidence_interval.high[50] > one.confidence_interval.high[50]


# Estimates.


def number(value, low, high, **more):
    given = {"unit": "nats", "quantity": "a divergence", **more}
    return Estimate(
        value, Interval(low, high), "method", 100, confidence=0.9, valid_for="", **given
    )


def curve(low, high, **more):
    at = np.array([0.0, 0.5, 1.0])
    given = {"axis": "α", "unit": "probability", **more}
    return Estimate(
        np.array([1.0, 0.3, 0.0]), Interval(np.array(low), np.array(high)), "", 10, "a curve", 0.95,
        "", at=at, **given,
    )  # fmt: skip


def test_number_is_a_point_with_its_interval_and_the_bound_of_a_claim():
    ax = number(0.4, 0.3, 0.6, bound=0.5).plot()
    drawn(ax.figure)
    assert [0.3, 0.6] in [list(drawn.get_xdata()) for drawn in ax.lines]
    assert [0.4] in [list(drawn.get_xdata()) for drawn in ax.lines]
    assert [0.5, 0.5] in [list(drawn.get_xdata()) for drawn in ax.lines]
    assert ax.get_xlabel() == "nats, 90 % interval"
    assert "claim: at most 0.5" in [t.get_text() for t in ax.texts]


def test_end_that_is_infinite_is_an_arrow_and_no_number():
    ax = number(0.4, 0.3, math.inf).plot()
    drawn(ax.figure)
    assert [t.get_text() for t in ax.texts] == ["no upper bound"]
    assert all(np.isfinite(drawn.get_xdata()).all() for drawn in ax.lines)
    beyond = number(math.inf, 0.3, math.inf).plot()
    drawn(beyond.figure)


def test_numbers_drawn_into_one_picture_are_rows():
    ax = number(0.4, 0.3, 0.6).plot(label="first")
    assert number(1.4, 1.3, 1.6).plot(ax, label="second") is ax
    drawn(ax.figure)
    assert [t.get_text() for t in ax.get_yticklabels()] == ["first", "second"]
    low, high = ax.get_ylim()
    assert low > high, "the first row is on top"


def test_tradeoff_curve_is_drawn_with_a_claim():
    ax = curve([0.9, 0.2, 0.0], [1.0, 0.5, 0.1]).plot(claim=PureDP(1.0))
    drawn(ax.figure)
    claim = line(ax, "claim")
    np.testing.assert_array_equal(claim.get_ydata(), PureDP(1.0).beta(claim.get_xdata()))
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("false alarms α", "misses β")


def test_band_that_is_open_above_leaves_the_picture():
    ax = curve([0.9, 0.2, 0.0], [1.2, np.inf, np.inf], axis="order α", unit="nats").plot()
    drawn(ax.figure)
    assert "95 % band, open above" in [t.get_text() for t in ax.get_legend().texts]
    assert ax.get_ylim()[1] == pytest.approx(1.2 * 1.3)


def test_curve_of_bounds_is_drawn_where_a_claim_gave_them():
    bounds = np.array([1.0, 0.9, 0.8])
    ax = curve([0.9, 0.2, 0.0], [1.0, 0.5, 0.1], axis="order α", bound=bounds).plot()
    np.testing.assert_array_equal(line(ax, "claim: at most").get_ydata(), bounds)


def test_claim_beside_an_estimate_that_it_says_nothing_of_is_an_error():
    with pytest.raises(ValueError, match="`claim` goes with a trade-off curve"):
        number(0.4, 0.3, 0.6).plot(claim=PureDP(1.0))


def test_estimates_from_samples_are_drawn():
    rng = np.random.default_rng(0)
    p, q = rng.normal(1, 1, 4_000), rng.normal(0, 1, 4_000)
    for found in (
        dpaudit.tradeoff_curve(p, q),
        dpaudit.privacy_profile(p, q, epsilons=[0.0, 1.0]),
        dpaudit.privacy_profile(p, q, epsilons=[1.0]),
    ):
        ax = plot_estimate(found, claim=GaussianDP(1.0))
        np.testing.assert_array_equal(ax.lines[0].get_ydata(), found.value)
        drawn(ax.figure)
    drawn(dpaudit.renyi_divergence(p, q, [1.5, 2.0]).plot().figure)


# The house.


def test_text_that_the_font_lacks_is_escaped():
    assert text("δ ≥ e^ε ‖ $x$ \u4e2d\x1b[31m") == "δ ≥ e^ε ‖ $x$ \\u{4e2d}\\x1b[31m"


def test_figures_show_themselves_in_notebooks(refuted):
    figure = refuted.plot(["evidence"])
    assert figure._repr_png_().startswith(b"\x89PNG")
    assert pickle.loads(pickle.dumps(figure)).axes


def test_without_matplotlib_the_error_says_what_to_install(refuted, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r"pip install 'dpaudit\[plot\]'"):
        refuted.plot()
    with pytest.raises(ImportError, match=r"pip install 'dpaudit\[plot\]'"):
        number(0.4, 0.3, 0.6).plot()


def test_plots_need_no_screen_and_leave_pyplot_and_settings_alone():
    code = (
        "import sys, numpy as np, dpaudit, dpaudit.plots\n"
        "assert 'matplotlib' not in sys.modules\n"
        "from dpaudit.estimates.estimate import Estimate, Interval\n"
        "e = Estimate(.4, Interval(.3, .5), '', 10, 'a divergence', .95, '')\n"
        "import matplotlib as mpl\n"
        "before = dict(dict.items(mpl.rcParams))\n"
        "e.plot().figure.savefig('/dev/null', format='png')\n"
        "assert dict(dict.items(mpl.rcParams)) == before\n"
        "assert 'matplotlib.pyplot' not in sys.modules\n"
    )
    environment = {"PATH": "/usr/bin:/bin", "MPLCONFIGDIR": "/tmp"}
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True, env=environment)
