"""How far a query may move between neighboring datasets: bounded, attained, refuted."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from dpaudit.evidence import Verdict
from dpaudit.neighbors import Neighbors, Pair, dataset_to_text

NORMS = ("l1", "l2", "linf", "l0")


@dataclass(frozen=True, slots=True)
class SensitivityReport:
    """What is known of a query's sensitivity.

    Attributes
    ----------
    bound : sympy expression or None
        The query moves by at most this; infinite where nothing bounds it, None where the query
        was not understood (`reason` says where). `n` is the size of the larger dataset.
    norm : str
    attained_by : Pair or None
        Neighboring datasets on which the query, when run, moves by the bound; None where none are
        known.
    derivation : tuple of str
        The rules that were applied, with their places.
    certificate : Certificate or None
    verdict : Verdict or None
        Of the claimed bound: VERIFIED, REFUTED or INCONCLUSIVE; None where none was claimed.
    refuted_by : Pair or None
        Neighboring datasets on which the query, when run, moves by more than was claimed.
    reason : str
    assumptions : tuple of str
    parameters : mapping of str to number
        Values of symbolic parameters at which the pairs were run.
    """

    bound: Any
    norm: str
    attained_by: Pair | None = None
    derivation: tuple[str, ...] = ()
    certificate: Any = None
    verdict: Verdict | None = None
    refuted_by: Pair | None = None
    reason: str = ""
    assumptions: tuple[str, ...] = ()
    parameters: Mapping[str, Any] | None = None

    def __str__(self) -> str:
        from dpaudit.formal.bounds import shown

        lines = [f"sensitivity in {self.norm}: {shown(self.bound)}"]
        if self.verdict is not None:
            lines.append(f"claim: {self.verdict}")
        for word, pair in (("attained by", self.attained_by), ("refuted by", self.refuted_by)):
            if pair is not None:
                left, right = dataset_to_text(pair.left), dataset_to_text(pair.right)
                lines.append(f"{word} {left} and {right}")
        return "\n".join([*lines, *([self.reason] if self.reason else []), *self.derivation])


def sensitivity(
    query: Callable[..., Any],
    neighbors: Neighbors,
    norm: str = "l1",
    *,
    claimed: Any = None,
) -> SensitivityReport:
    """Bound how far a query's answer moves between neighboring datasets.

    Parameters
    ----------
    query : callable
        Takes the data, and perhaps parameters: those without a value stay symbolic, and the bound
        holds for all their values. It draws no noise.
    neighbors : Neighbors
        Which datasets are neighboring, and what records may be. Nothing is taken to be clipped
        that is not.
    norm : {"l1", "l2", "linf", "l0"}
        In which the answer's change is measured.
    claimed : number, str or sympy expression, optional
        A bound to be verified or refuted, in the query's symbolic parameters and `n`.

    Returns
    -------
    SensitivityReport

    Raises
    ------
    ValueError, TypeError
        For another norm, or a claimed bound that is no expression.

    Examples
    --------
    >>> from dpaudit import AddRemove, Real
    >>> from mechanisms.sequential_composition import counts_above
    >>> report = sensitivity(counts_above, AddRemove(Real(0, 100)), claimed=1)
    >>> report.bound, str(report.verdict)
    (3, 'REFUTED')
    """
    if norm not in NORMS:
        known = ", ".join(map(repr, NORMS))
        raise ValueError(f"`norm` must be one of {known}, got {norm!r}")
    from dpaudit.formal.sensitivity_analysis import measured
    from dpaudit.worker.quiet import own_float_errors

    with own_float_errors():
        return measured(query, neighbors, norm, claimed)
