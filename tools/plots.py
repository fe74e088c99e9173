"""Draw the figures of the documents: error against epsilon, and privacy against utility."""

from __future__ import annotations

from collections.abc import Callable
from itertools import groupby
from math import exp
from pathlib import Path
from typing import Any

import click
import matplotlib as mpl
import numpy as np
from matplotlib import pyplot as plt
from matplotlib.figure import Figure

from dpaudit.claims import GaussianDP, PureDP
from mechanisms.laplace import laplace_many
from mechanisms.mean import mean_public_size
from tools.description import ROOT
from tools.utility import Utility, all_utilities

IMAGES = ROOT / "docs" / "images"
LEFT, RIGHT, INK = "#0072b2", "#d55e00", "#333333"  # distinguishable when colors are not
STYLE: Any = {  # of RcParams
    "svg.fonttype": "none",
    "svg.hashsalt": "dpaudit",  # the same figure is the same file
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "legend.frameon": False,
}


def utility_figure(utilities: list[Utility]) -> Figure:
    """Draw the loss of one mechanism against epsilon, in closed form and measured.

    Parameters
    ----------
    utilities : list of Utility
        Of one mechanism; each has a panel.

    Returns
    -------
    Figure
    """
    figure, panels = plt.subplots(
        1, len(utilities), figsize=(4.2 * len(utilities), 2.6), squeeze=False, layout="constrained"
    )
    for axes, utility in zip(panels[0], utilities, strict=True):
        at = np.geomspace(min(utility.epsilons), max(utility.epsilons), 60)
        curve = [utility.expected(float(e)) for e in at]
        label = "closed form" if utility.exact else "upper bound"
        axes.plot(at, curve, color=LEFT, label=label, linestyle="-" if utility.exact else "--")
        points = np.array([utility.measured(epsilon) for epsilon in utility.epsilons])
        axes.errorbar(
            utility.epsilons,
            points[:, 0],
            yerr=2 * points[:, 1],
            fmt="o",
            markersize=4,
            color=RIGHT,
            label=f"measured, {utility.draws:,} draws",
        )
        positive = min(points[:, 0]) > 0 and min(curve) > 0
        axes.set(xscale="log", yscale="log" if positive else "linear")
        axes.set(xlabel="ε", ylabel="expected loss")
        axes.set_title(utility.loss, fontsize=9, wrap=True)
        axes.legend(fontsize=8)
    return figure


def densities() -> Figure:
    """Draw the outputs of the Laplace mechanism on two neighbors."""
    figure, panels = plt.subplots(1, 3, figsize=(9, 2.6), layout="constrained", sharey=True)
    x = np.linspace(-6, 7, 261)
    for axes, epsilon in zip(panels, (0.5, 1.0, 2.0), strict=True):
        p, q = (epsilon / 2 * np.exp(-epsilon * np.abs(x - count)) for count in (0, 1))
        axes.plot(x, p, color=LEFT, label="without Ada: count 0")
        axes.plot(x, q, color=RIGHT, label="with Ada: count 1")
        axes.fill_between(x, p, q, color=INK, alpha=0.1, linewidth=0)
        axes.set(
            xlabel="released count", title=f"ε = {epsilon:g}: ratio at most {exp(epsilon):.2f}"
        )
    panels[0].set_ylabel("density")
    panels[0].legend(fontsize=8, loc="upper left")
    return figure


def trade_offs() -> Figure:
    """Draw the errors that an attacker who wants to tell two neighbors apart must make."""
    figure, panels = plt.subplots(1, 2, figsize=(7, 3.2), layout="constrained", sharey=True)
    alpha = np.linspace(0, 1, 400)
    families: tuple[tuple[str, str, Callable[[float], Any]], ...] = (
        ("ε-DP", "ε", PureDP),
        ("Gaussian DP", "μ", GaussianDP),
    )
    for axes, (title, symbol, claim) in zip(panels, families, strict=True):
        axes.plot(alpha, 1 - alpha, color=INK, linestyle=":", label="guessing")
        for value, shade in ((0.5, 0.35), (1.0, 0.65), (2.0, 1.0)):
            beta = claim(value).beta(alpha)
            axes.plot(alpha, beta, color=LEFT, alpha=shade, label=f"{symbol} = {value:g}")
        axes.set(title=title, xlabel="false alarms", aspect="equal")
        axes.legend(fontsize=8)
    panels[0].set_ylabel("misses")
    return figure


def noisy_means() -> Figure:
    """Draw how the mean of 200 incomes comes out, with noise and without."""
    figure, panels = plt.subplots(1, 3, figsize=(9, 2.6), layout="constrained", sharex=True)
    rng = np.random.default_rng(0)
    people = rng.gamma(4.0, 10.0, size=(4000, 200)).clip(0, 100)  # 4,000 surveys of 200 people
    plain = people.mean(axis=1)
    bins = np.linspace(30, 50, 41)
    for axes, epsilon in zip(panels, (0.1, 0.5, 2.0), strict=True):
        noisy = [mean_public_size(survey, rng, epsilon=epsilon) for survey in people]
        axes.hist(plain, bins=bins, color=LEFT, alpha=0.6, label="without noise", density=True)
        axes.hist(noisy, bins=bins, color=RIGHT, alpha=0.5, label="with noise", density=True)
        axes.set(title=f"ε = {epsilon:g}", xlabel="mean income of 200 people, thousands")
    panels[0].set_ylabel("density")
    panels[0].legend(fontsize=8)
    return figure


def sampled_ratio() -> Figure:
    """Draw what an auditor sees: two histograms of outputs and their ratio."""
    figure, panels = plt.subplots(1, 2, figsize=(8, 2.6), layout="constrained")
    bins = np.linspace(-4, 5, 31)
    middles = (bins[:-1] + bins[1:]) / 2
    for axes, scale, title in (
        (panels[0], 1.0, "Laplace noise of scale 1: claim of ε = 1 holds"),
        (panels[1], 0.5, "half the noise: claim of ε = 1 is broken"),
    ):
        rng = np.random.default_rng(0)
        p, q = (
            np.histogram(laplace_many(count, 200_000, rng, epsilon=1 / scale), bins)[0]
            for count in (0.0, 1.0)
        )
        axes.plot(middles, np.log(p / q), ".", color=RIGHT)
        axes.axhline(1, color=INK, linewidth=0.8)
        axes.axhline(-1, color=INK, linewidth=0.8)
        axes.set(title=title, xlabel="released count", ylim=(-2.6, 2.6))
        axes.title.set_fontsize(9)
    panels[0].set_ylabel("log-ratio of frequencies")
    return figure


def save(figure: Figure, path: Path) -> None:
    """Write a figure as SVG without date and close it.

    Parameters
    ----------
    figure : Figure
    path : Path
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, format="svg", metadata={"Date": None})
    plt.close(figure)
    # matplotlib leaves blanks at the ends of lines
    lines = path.read_text(encoding="utf-8").splitlines()
    path.write_text("".join(f"{line.rstrip()}\n" for line in lines), encoding="utf-8")


@click.command()
@click.argument("names", nargs=-1)
def main(names: tuple[str, ...]) -> None:
    """Draw every figure, or those of the mechanisms NAMES alone."""
    mpl.use("svg")
    with plt.rc_context(STYLE):
        ordered = sorted(all_utilities(), key=lambda utility: utility.mechanism)
        for mechanism, group in groupby(ordered, key=lambda utility: utility.mechanism):
            if not names or mechanism in names:
                save(utility_figure(list(group)), IMAGES / "utility" / f"{mechanism}.svg")
        for draw in () if names else (densities, trade_offs, noisy_means, sampled_ratio):
            save(draw(), IMAGES / f"{draw.__name__}.svg")


if __name__ == "__main__":
    main()
