"""Draws a report: the panels that its evidence can fill, and in words why others are missing."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from dpaudit.estimates.observed import ObservedEvents
from dpaudit.evidence import Verdict
from dpaudit.plots.estimates import plot_estimate
from dpaudit.plots.outputs import draw_outputs
from dpaudit.plots.style import (
    BOUND,
    CLAIM,
    QUIET,
    SEEN,
    SMALL,
    logarithmic,
    new_figure,
    styled,
    text,
)
from dpaudit.report.numbers import lower
from dpaudit.sightings import Sightings, Trail

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from dpaudit.verdict import Report

WIDTH = 8.0  # inches: 800 pixels
LETTERS = 112  # of a line across the figure
SLIGHT = 0.05  # δ; smaller violations are drawn on a logarithmic scale
LINE = 0.17  # inches, of small print

ALL_BETS = (
    "The bets that refute weigh all outputs at once. The bands limit each rate of each event by "
    "itself, whichever pair was picked. They are wider, and may hold the claim that the bets rule "
    "out."
)

MOMENTS = (
    "Events alone cannot show every violation of a Rényi claim: the bets weigh functions of the "
    "outputs as well."
)

Panel = Callable[["Report", "Axes"], None]


def plot_report(report: Report, panels: Sequence[str] | None = None) -> Figure:
    """Draw what the evidence of a report shows.

    Parameters
    ----------
    report : Report
    panels : sequence of str, optional
        Any of `PANELS`; all that the report can fill where None.

    Returns
    -------
    matplotlib.figure.Figure
        800 pixels wide, and known to pyplot not at all. Panels that the report cannot fill are
        left out; a line below says why.

    Raises
    ------
    ImportError
        Where matplotlib is not installed.
    ValueError
        Where a panel has a name that there is none of.
    """
    wanted = tuple(PANELS) if panels is None else tuple(dict.fromkeys(panels))
    for name in wanted:
        if name not in PANELS:
            raise ValueError(f"`panels` must be among {', '.join(PANELS)}, got {name!r}")
    reasons = {name: _reason_against(name, report) for name in wanted}
    drawn = [name for name in wanted if not reasons[name]]
    missing: dict[str, list[str]] = {}
    for name in wanted:
        if reasons[name]:
            missing.setdefault(reasons[name], []).append(name)
    notes = [f"Not drawn: {', '.join(names)}; {why}." for why, names in missing.items()]
    if {"tradeoff", "profile"} & {*drawn}:
        assert report.claim is not None
        if report.claim.renyi_bounds():
            notes.append(MOMENTS)
        elif report.verdict is Verdict.REFUTED:
            notes.append(ALL_BETS)
    small_print = [part for note in notes for part in textwrap.wrap(text(note), LETTERS)]
    rows = (len(drawn) + 1) // 2
    figure = new_figure(WIDTH, 0.6 + 3.1 * rows + LINE * len(small_print))
    with styled():
        figure.suptitle(_headline(report), x=0.01, ha="left", fontsize=11)
        places = figure.add_gridspec(max(rows, 1), 2)
        for i, name in enumerate(drawn):
            alone = i == 0 and len(drawn) % 2  # an odd number: the first takes a row
            row, column = divmod(i + (len(drawn) % 2 if i else 0), 2)
            PANELS[name](report, figure.add_subplot(places[0, :] if alone else places[row, column]))
        if small_print:
            # The label of the figure's x-axis is what the layout leaves room for.
            figure.supxlabel("\n".join(small_print), x=0.01, ha="left", fontsize=SMALL, color=QUIET)
    return figure


def _headline(report: Report) -> str:
    claim = "no claim" if report.claim is None else text(report.claim, 40)
    return f"{report.verdict}: {text(report.mechanism, 56)}, claim {claim}"


def _trail(report: Report) -> Trail:
    return next((e.trail for e in report.evidence if e.trail), ())


def _sightings(report: Report) -> Sightings | None:
    """Return those of the engine that the witness came from, else the first there are."""
    kept = [e for e in report.evidence if e.sightings is not None]
    kept.sort(key=lambda e: e.witness is None)
    return kept[0].sightings if kept else None


def _reason_against(name: str, report: Report) -> str:
    """Return why a panel cannot be drawn; empty where it can."""
    trail, seen = _trail(report), _sightings(report)
    proved = report.verdict is Verdict.REFUTED and report.witness is None
    if proved and (name == "evidence" or seen is None):
        return "the refutation does not rest on bets on the outputs of one pair of datasets"
    if name == "evidence":
        return "" if trail else "no engine drew samples and bet on them"
    if seen is None:
        return "no engine kept outputs of a pair of datasets"
    if name == "outputs":
        return ""
    if report.claim is None:
        return "there is no claim to compare with"
    if seen.cells is None:
        return "no draw was left once events had been chosen"
    return ""


def draw_evidence(report: Report, ax: Axes) -> None:
    """Draw evidence against calls, and where it refutes."""
    calls, nats = (np.array(column, dtype=float) for column in zip(*_trail(report), strict=True))
    threshold = -math.log(report.alpha)
    ax.plot(calls, nats, color=SEEN, label="all pairs together")
    ax.plot(calls[-1:], nats[-1:], "o", color=SEEN, markersize=4)
    ax.axhline(
        threshold,
        color=CLAIM,
        linestyle="--",
        linewidth=1.4,
        label=f"refuted from ln(1/α) = {threshold:.3g} nats",
    )
    low, high = min(0.0, float(nats.min())) - 0.5, max(threshold, float(nats.max()))
    ax.set_ylim(low, high + 0.35 * (high - low))  # the legend has the upper part to itself
    ax.set_xlim(left=0)
    ax.xaxis.set_major_formatter("{x:,.0f}")
    ax.locator_params(axis="x", nbins=5)
    ax.locator_params(axis="y", nbins=6, integer=True)
    ax.set(xlabel="mechanism calls", ylabel="evidence (nats)")
    ax.set_title("Evidence against the claim")
    ax.legend(loc="upper left")


def draw_seen(report: Report, ax: Axes) -> None:
    """Draw the outputs on both datasets."""
    seen = _sightings(report)
    assert seen is not None
    draw_outputs(seen, ax)


def draw_tradeoff(report: Report, ax: Axes) -> None:
    """Draw the errors of the observed events against what the claim allows."""
    events = _events(report)
    plot_estimate(events.tradeoff(), ax, claim=report.claim, label="observed events")
    ax.set_title("Telling the datasets apart")


def draw_profile(report: Report, ax: Axes) -> None:
    """Draw δ(ε) of the observed events against what the claim allows."""
    assert report.claim is not None
    profile = _events(report).profile(report.claim, reaching=report.epsilon)
    plot_estimate(profile, ax, claim=report.claim, label="observed events")
    at, value = np.asarray(profile.at), np.asarray(profile.value)
    beyond = value[value > report.claim.delta(at)]
    if report.verdict is Verdict.REFUTED and len(beyond) and beyond.max() < SLIGHT:
        logarithmic(ax, float(beyond.max()) / 30, 30.0)
    if report.epsilon > 0:
        delta = report.claim.declared_delta
        ax.plot(
            [min(report.epsilon, float(at[-1]))],
            [max(delta, ax.get_ylim()[0])],  # on a logarithmic scale 0 is the lower end
            ">",
            color=BOUND,
            markersize=8,
            clip_on=False,
            zorder=4,
            label=f"all bets: ε ≥ {lower(report.epsilon)} at δ = {delta:g}",
        )
    ax.set_title("Privacy profile")
    ax.legend(loc="upper right")


def _events(report: Report) -> ObservedEvents:
    seen = _sightings(report)
    assert seen is not None
    assert seen.cells is not None
    return ObservedEvents.of(seen.cells)


PANELS: dict[str, Panel] = {
    "evidence": draw_evidence,
    "outputs": draw_seen,
    "tradeoff": draw_tradeoff,
    "profile": draw_profile,
}
