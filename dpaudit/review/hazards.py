"""The hazards that an evaluation of a privacy guarantee asks about.

After NIST SP 800-226, Guidelines for Evaluating Differential Privacy Guarantees (2025), in our own
words: what is asked, what dpaudit can see of it, and what only the authors can say.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Reach = Literal["whole", "part", "none"]


@dataclass(frozen=True, slots=True)
class Hazard:
    """One question of a review.

    Attributes
    ----------
    key : str
        Its name in ``[tool.dpaudit.review]``.
    title, question : str
    reach : {"whole", "part", "none"}
        How much of it audits and the source can show.
    seen : str
        What they show.
    ids : tuple of str
        Kinds of violation that are this hazard come true.
    """

    key: str
    title: str
    question: str
    reach: Reach
    seen: str
    ids: tuple[str, ...] = ()


HAZARDS = (
    Hazard(
        "parameters",
        "Privacy parameters",
        "Are the parameters small enough for what is at stake, and what do they mean to people?",
        "part",
        "the claim of every audit; not whether it is enough",
    ),
    Hazard(
        "unit",
        "Unit of privacy",
        "Whom or what does one unit protect, and can one person contribute several?",
        "part",
        "the unit of every audit's neighbors; not whether records are people",
    ),
    Hazard(
        "neighbors",
        "Neighboring datasets",
        "Which datasets count as neighboring, and what is taken as public?",
        "whole",
        "the relation of every audit, with its assumptions",
    ),
    Hazard(
        "sensitivity",
        "Sensitivity",
        "Does one unit change what is released by no more than the noise pays for?",
        "whole",
        "violations of the claim on neighboring datasets, and proofs of sensitivity",
        ("DPA104", "DPA105", "DPA112", "DPA113"),
    ),
    Hazard(
        "clamping",
        "Clamping and domains",
        "Do bounds, bins, keys and candidates come from outside the data, and are they enforced?",
        "part",
        "bounds and domains taken from the data; not ranges that callers promise to enforce",
        ("DPA103", "DPA109"),
    ),
    Hazard(
        "calibration",
        "Calibration of the noise",
        "Is the noise of the family and the scale that the theorem asks for?",
        "whole",
        "violations of the claim, and proofs of it",
        ("DPA102", "DPA106", "DPA115", "DPA201"),
    ),
    Hazard(
        "budget",
        "Privacy budget",
        "What do all releases together cost, over time and over analysts?",
        "part",
        "what one mechanism spends within a call; not how often it is called",
        ("DPA107",),
    ),
    Hazard(
        "floating_point",
        "Floating point",
        "Do the low-order bits of what is released tell neighbors apart?",
        "part",
        "overflow, NaN and rounding on the searched datasets; noise is taken as real-valued unless "
        "an audit asks for float arithmetic",
        ("DPA111",),
    ),
    Hazard(
        "randomness",
        "Randomness",
        "Is the noise unpredictable, drawn anew each time, and from a secure source in production?",
        "part",
        "fixed and shared seeds in what was run and read; not the generator of the deployment",
        ("DPA110",),
    ),
    Hazard(
        "side_channels",
        "Side channels",
        "Do time, memory, errors, logs or caches depend on the data?",
        "part",
        "exceptions, branches, state between calls, and what the source logs or raises; not time",
        ("DPA101", "DPA108", "DPA114", "DPA116"),
    ),
    Hazard(
        "trust_model",
        "Trust model",
        "Who sees data before noise is added: a curator, a shuffler, several parties, nobody?",
        "none",
        "nothing",
    ),
    Hazard(
        "access",
        "Data security and access control",
        "Who can read the raw data, and what else is published from it?",
        "none",
        "nothing",
    ),
    Hazard(
        "collection",
        "Exposure at collection",
        "What is collected, how long is it kept, and is it needed?",
        "none",
        "nothing",
    ),
    Hazard(
        "utility",
        "Utility and bias",
        "Are results of use, and whose are made worse: small groups, rare values?",
        "none",
        "nothing",
    ),
)
