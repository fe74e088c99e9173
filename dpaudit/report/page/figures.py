"""The pictures of an audit: evidence against calls, trade-off, privacy profile, the event."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from dpaudit.report.audited import number as value_of
from dpaudit.report.curves import observed_curves
from dpaudit.report.numbers import lower
from dpaudit.report.page.chart import Axis, Chart, upright


class Figure(NamedTuple):
    """A picture with its title, and the key of its colors as (kind, words)."""

    title: str
    chart: Chart
    keys: Sequence[tuple[str, str]]


def figures(report: Mapping[str, Any]) -> list[Figure]:
    """Return the pictures that an audit's evidence can fill.

    Parameters
    ----------
    report : mapping
        As JSON holds it.

    Returns
    -------
    list of Figure
    """
    drawn = [_evidence(report)]
    curves = report.get("claim_curves")
    if curves:
        seen = _sightings(report)
        shown = None if seen is None else observed_curves(seen, curves["epsilons"])
        drawn += [_tradeoff(curves, shown), _profile(report, curves, shown)]
    return [figure for figure in drawn if figure is not None]


def _sightings(report: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return those of the engine that refuted, else the first there are."""
    kept = [e for e in report["evidence"] if e.get("sightings")]
    kept.sort(key=lambda e: e["verdict"] != "REFUTED")
    return kept[0]["sightings"] if kept else None


def _evidence(report: Mapping[str, Any]) -> Figure | None:
    trail = next((e["trail"] for e in report["evidence"] if e.get("trail")), None)
    if not trail:
        return None
    calls = [value_of(c) for c, _ in trail]
    nats = [_finite(value_of(n)) for _, n in trail]
    threshold = -math.log(value_of(report["alpha"]))
    low, high = min(0.0, *nats), max(threshold, *nats)
    room = 0.08 * (high - low)
    chart = Chart(
        f"Evidence against calls: {nats[-1]:.3g} nats after {calls[-1]:,.0f} calls; "
        f"{threshold:.3g} refute.",
        Axis("mechanism calls", 0.0, calls[-1]),
        upright("evidence (nats)", low - room, high + room),
    )
    chart.level(threshold, "limit")
    chart.line(calls, nats, "seen")
    chart.point(calls[-1], nats[-1], "seen-point")
    return Figure(
        "Evidence against calls",
        chart,
        [("seen", "all pairs together"), ("limit", f"refuted from ln(1/α) = {threshold:.3g} nats")],
    )


def _tradeoff(curves: Mapping[str, Any], shown: Mapping[str, Any] | None) -> Figure:
    chart = Chart(
        "Trade-off curve: the least rate of misses at each rate of false alarms.",
        Axis("false alarms α", 0.0, 1.0),
        upright("misses β", 0.0, 1.0),
    )
    alphas, betas = curves["alphas"], curves["betas"]
    chart.area(alphas, [0.0] * len(alphas), betas, "excluded")
    keys = [("claim", "the claim allows nothing below")]
    if shown is not None:
        errors = shown["tradeoff"]
        chart.area(errors["at"], errors["low"], errors["high"], "band")
        chart.line(errors["at"], errors["value"], "seen")
        keys = [("seen", f"observed events, {_percent(shown['confidence'])} band"), *keys]
    chart.line(alphas, betas, "claim")
    return Figure("Trade-off against the claim", chart, keys)


def _profile(
    report: Mapping[str, Any], curves: Mapping[str, Any], shown: Mapping[str, Any] | None
) -> Figure:
    epsilons, deltas = curves["epsilons"], curves["deltas"]
    tops = [max(deltas)]
    if shown is not None:
        tops.append(float(max(shown["profile"]["value"])))
    top = max(1e-12, 1.1 * max(tops))
    chart = Chart(
        "Privacy profile: the least delta at each epsilon.",
        Axis("ε (nats)", 0.0, max(epsilons)),
        upright("δ", 0.0, min(1.0, top)),
    )
    chart.area(epsilons, deltas, [1.0] * len(epsilons), "excluded")
    keys = [("claim", "the claim allows nothing above")]
    if shown is not None:
        profile = shown["profile"]
        chart.area(profile["at"], profile["low"], profile["high"], "band")
        chart.line(profile["at"], profile["value"], "seen")
        keys = [("seen", f"observed events, {_percent(shown['confidence'])} band"), *keys]
    chart.line(epsilons, deltas, "claim")
    bound = value_of(report["epsilon"])
    if bound > 0:
        stated = (report.get("claim") or {}).get("delta")
        delta = float(stated) if isinstance(stated, int | float) else 0.0
        chart.point(min(bound, max(epsilons)), delta, "bound-point")
        keys.append(("bound", f"all evidence: ε ≥ {lower(bound)} at δ = {delta:g}"))
    return Figure("Privacy profile against the claim", chart, keys)


def caught(rows: Sequence[Mapping[str, Any]]) -> Figure | None:
    """Return the smallest epsilons that would have been caught as curves; None where none is.

    Parameters
    ----------
    rows : sequence of mapping
        One a probability of the event, as JSON holds them.
    """
    found = [
        (column, kind, words, [r for r in rows if r[column] is not None])
        for column, kind, words in (
            ("independent", "seen", "independent draws"),
            ("coupled", "claim", "coupled draws"),
        )
    ]
    found = [each for each in found if each[3]]
    if not found:
        return None
    places = [math.log10(value_of(row["probability"])) for row in rows]
    top = max(value_of(row[column]) for column, _, _, shown in found for row in shown)
    chart = Chart(
        "Smallest epsilon that would have been caught, by the probability of the event.",
        Axis("probability of the event (log10)", min(places), max(places)),
        upright("ε (nats)", 0.0, 1.1 * top),
    )
    for column, kind, _, shown in found:
        xs = [math.log10(value_of(row["probability"])) for row in shown]
        chart.line(xs, [value_of(row[column]) for row in shown], kind)
    keys = [(kind, f"least searched pair, {words}") for _, kind, words, _ in found]
    return Figure("What would have been caught", chart, keys)


class Side(NamedTuple):
    """How often the event was seen on one dataset: a bar, as long as the share in per cent."""

    name: str
    width: float
    said: str


def rates(counts: Mapping[str, Any] | None) -> list[Side]:
    """Return how often the event was seen on each dataset.

    Parameters
    ----------
    counts : mapping or None
        ``left`` of ``left_calls`` and ``right`` of ``right_calls``.
    """
    sides = []
    for name in ("left", "right") if counts else ():
        seen, calls = counts[name], counts[f"{name}_calls"]  # type: ignore[index]
        share = 100 * min(1.0, seen / max(1, calls))
        said = f"{seen:,} of {calls:,} ({share:.3g} %)"
        sides.append(Side(name, round(max(share, 0.3), 2), said))
    return sides


def _percent(share: float) -> str:
    return f"{lower(100 * share)} %"


def _finite(value: float) -> float:
    if math.isnan(value):
        return 0.0
    return min(max(value, -1e4), 1e4)
