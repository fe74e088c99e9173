"""What it costs to move a draw, by its law."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from dpaudit.trace.draws import Draw, Request
from dpaudit.trace.switch import plain
from dpaudit.trace.tape import Floats

Family = Literal["pure", "gaussian", "bounded", "fixed"]
_NORMAL = ("normal", "standard_normal", "gauss", "normalvariate", "randn", "discrete_gaussian")
ONE_SIDED = ("exponential", "gumbel", "gamma", "standard_exponential", "expovariate", "geometric")
# Parameters that set how wide the noise is, in the order in which they are asked for.
_SCALES = ("scale", "sigma", "lambd", "p", "lam", "q", "high", "shape", "df", "pvals", "n", "b")


@dataclass(frozen=True, slots=True, eq=False)
class Law:
    """How the density of a draw changes when its value moves.

    Attributes
    ----------
    family : {"pure", "gaussian", "bounded", "fixed"}
        ``"pure"``: a move by t costs at most ``rate·|t|`` nats. ``"gaussian"``: its loss is that
        of a Gaussian mechanism with ``μ = rate·|t|``. ``"bounded"``: noise on a bounded interval,
        which moves out of it with some probability. ``"fixed"``: a choice, a seed, an order,
        which cannot be moved by a little.
    rate : ndarray of float
        One over the scale, for each number drawn.
    upwards : bool
        Whether it can move upwards alone, like noise with a least value.
    """

    family: Family
    rate: Floats
    upwards: bool = False


def law_of(draw: Draw) -> Law:
    """Return the law of a draw.

    Notes
    -----
    The densities of Laplace, logistic and Cauchy noise of scale b change by a factor of at most
    ``exp(|t|/b)`` when they move by t. That of exponential, gamma (shape at least 1) and geometric
    noise does for moves upwards; one downwards leaves the support with some probability. Gumbel
    noise that moves upwards loses at most t/b as well, since exp(−x/b) only shrinks. Two-sided
    geometric ("discrete Laplace") noise loses |t|/b at most. Staircase noise, and Laplace noise
    that is redrawn until the result lies in a public range, lose it where t is the sensitivity
    that they were made for, which is what their b is. Discrete Gaussian noise is priced as the
    continuous one, with which it shares its zCDP (Canonne, Kamath & Steinke, NeurIPS 2020).
    """
    kind, arguments = draw.kind, {k: plain(v) for k, v in draw.request.arguments.items()}
    size = np.shape(draw.value)

    def rate(scale: Any) -> Floats:
        with np.errstate(all="ignore"):
            return np.broadcast_to(1 / np.abs(np.asarray(scale, dtype=np.float64)), size).ravel()

    if kind in ("laplace", "logistic", "discrete_laplace", "staircase", "bounded_laplace"):
        return Law("pure", rate(arguments["scale"]))
    if kind == "standard_cauchy":
        return Law("pure", rate(1.0))
    if kind in ("exponential", "gumbel") or (kind == "gamma" and np.all(arguments["shape"] >= 1)):
        return Law("pure", rate(arguments["scale"]), upwards=True)
    if kind in ("standard_exponential", "expovariate"):
        return Law("pure", rate(1 / arguments.get("lambd", 1.0)), upwards=True)
    if kind == "geometric":
        with np.errstate(all="ignore"):
            return Law("pure", rate(-1 / np.log1p(-np.asarray(arguments["p"]))), upwards=True)
    if kind in (
        "normal",
        "standard_normal",
        "gauss",
        "normalvariate",
        "randn",
        "discrete_gaussian",
    ):
        return Law("gaussian", rate(arguments.get("scale", arguments.get("sigma", 1.0))))
    if kind in ("uniform", "triangular", "binomial", "beta", "random", "random_sample", "rand"):
        return Law("bounded", rate(1.0))
    return Law("fixed", rate(1.0))


def scale_of(draw: Draw) -> tuple[str, Any] | None:
    """Return the name and the value of the parameter that sets how wide the noise is."""
    for name in _SCALES:
        if name in draw.request.arguments:
            return name, plain(draw.request.arguments[name])
    return None


def asks_alike(one: Request, two: Request) -> bool:
    """Return whether two noise calls of one kind ask for the same."""
    ours, others = ({name: plain(each) for name, each in request.arguments.items()}
                    for request in (one, two))  # fmt: skip
    return ours.keys() == others.keys() and all(
        np.array_equal(np.asarray(ours[name]), np.asarray(others[name])) for name in ours
    )
