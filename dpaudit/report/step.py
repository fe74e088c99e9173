"""What makes a step of a derivation false, as text, JSON and Python."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from dpaudit.report.escape import plain

if TYPE_CHECKING:
    from dpaudit.evidence import StepWitness


def step_lines(witness: StepWitness) -> list[str]:
    """Return the witness as lines of text.

    Parameters
    ----------
    witness : StepWitness

    Returns
    -------
    list of str
    """
    lines = ["Witness", f"  step   {witness.step}"]
    lines += [f"  {plain(name)} = {number}" for name, number in witness.values.items()]
    for name, side in (("left", witness.left), ("right", witness.right)):
        if side is not None:
            lines.append(f"  {name:<6} {plain(_side(side, witness.datasets))}")
    return lines


def step_to_dict(witness: StepWitness) -> dict[str, Any]:
    """Return the witness as JSON-able values.

    Parameters
    ----------
    witness : StepWitness

    Returns
    -------
    dict
    """
    return {
        "step": witness.step,
        "values": {name: str(number) for name, number in witness.values.items()},
        "left": None if witness.left is None else _side(witness.left, witness.datasets),
        "right": None if witness.right is None else _side(witness.right, witness.datasets),
        "event": witness.event.words,
        "how": witness.how,
    }


def step_script(witness: StepWitness) -> str:
    """Return Python that holds the numbers or the datasets.

    Parameters
    ----------
    witness : StepWitness

    Returns
    -------
    str
    """
    lines = [f"# {line}" for line in witness.how.splitlines()]
    if witness.datasets:
        from dpaudit.neighbors import dataset_to_source

        lines += ["import numpy as np", ""]
        lines += [
            f"{name} = {dataset_to_source(side)}"
            for name, side in (("left", witness.left), ("right", witness.right))
        ]
    else:
        lines += ["from fractions import Fraction", ""]
        lines += [f"{name} = {number!r}" for name, number in witness.values.items()]
    return "\n".join(lines) + "\n"


def _side(side: Any, is_dataset: bool) -> str:
    if is_dataset:
        from dpaudit.neighbors import dataset_to_text

        return dataset_to_text(side)
    return str(side) if isinstance(side, Fraction | str) else repr(side)
