"""The kinds of violation: one taxonomy for every engine, whose ids never change meaning."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from textwrap import indent

# In place of an id where dpaudit is told wrongly what to leave out: these are no violations.
INVALID_IGNORE = "invalid-ignore"
UNUSED_IGNORE = "unused-ignore"

UNLOCATED = "DPA201"
NOT_LOCATED = "the cause is not located"


def once_located(message: str) -> str:
    """Return a message about outputs beside a cause: without the clause that there is none.

    Parameters
    ----------
    message : str
    """
    return message.replace(f": {NOT_LOCATED}; ", ": ").removesuffix(f": {NOT_LOCATED}")


@dataclass(frozen=True, slots=True)
class Violation:
    """One way to break a privacy claim.

    Attributes
    ----------
    id : str
        Stable id, ``"DPA103"``.
    name : str
        Short name, ``"leaked-local-sensitivity"``.
    statement : str
        What it is, in one sentence.
    why : str
        Why it breaks the claim.
    bad, good : str
        An example with the defect, and the same without.
    remedy : str
        What to change.
    references : tuple of str
        Where to read about it.
    """

    id: str
    name: str
    statement: str
    why: str
    bad: str
    good: str
    remedy: str
    references: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.id} {self.name}"

    def text(self) -> str:
        """Return the whole explanation for people."""
        parts = [
            f"{self.id}  {self.name}",
            self.statement,
            f"Why it matters\n{indent(self.why, '  ')}",
            f"Broken\n{indent(self.bad, '    ')}",
            f"Fixed\n{indent(self.good, '    ')}",
            f"Remedy\n{indent(self.remedy, '  ')}",
        ]
        if self.references:
            parts.append("References\n" + "\n".join(f"  {r}" for r in self.references))
        return "\n\n".join(parts)


def explain(id: str) -> Violation:
    """Look up one kind of violation.

    Parameters
    ----------
    id : str
        Its id or name, in any case: ``"DPA103"``, ``"leaked-local-sensitivity"``.

    Returns
    -------
    Violation

    Raises
    ------
    KeyError
        If there is no such kind; the message names the closest.

    Examples
    --------
    >>> explain("dpa103").name
    'leaked-local-sensitivity'
    """
    wanted = id.strip().casefold()
    for violation in VIOLATIONS.values():
        if wanted in (violation.id.casefold(), violation.name):
            return violation
    known = {v.id.casefold(): v for v in VIOLATIONS.values()}
    known |= {v.name: v for v in VIOLATIONS.values()}
    close = difflib.get_close_matches(wanted, known, 1)
    hint = f"did you mean {known[close[0]]}?" if close else f"ids run {_FIRST} to {_LAST}"
    raise KeyError(f"no kind of violation is called {id!r}; {hint}")


_DWORK_ROTH = (
    "Dwork & Roth, The Algorithmic Foundations of Differential Privacy, 2014, sections 3.3 and 3.5"
)
_NISSIM = (
    "Nissim, Raskhodnikova & Smith, Smooth Sensitivity and Sampling in Private Data Analysis, "
    "STOC 2007"
)
_LYU = "Lyu, Su & Li, Understanding the Sparse Vector Technique for Differential Privacy, VLDB 2017"
_MIRONOV = (
    "Mironov, On Significance of the Least Significant Bits for Differential Privacy, CCS 2012"
)

_CASACUBERTA = (
    "Casacuberta, Shoemate, Vadhan & Wagaman, Widespread Underestimation of Sensitivity in "
    "Differentially Private Libraries and How to Fix It, CCS 2022"
)
_BALLE_WANG = "Balle & Wang, Improving the Gaussian Mechanism for Differential Privacy, ICML 2018"
_KAIROUZ = "Kairouz, Oh & Viswanath, The Composition Theorem for Differential Privacy, ICML 2015"
_BALLE_BARTHE = "Balle, Barthe & Gaboardi, Privacy Amplification by Subsampling, NeurIPS 2018"
_GARFINKEL = (
    "Garfinkel & Leclerc, Randomness Concerns When Deploying Differential Privacy, WPES 2020"
)
_HAEBERLEN = "Haeberlen, Pierce & Narayan, Differential Privacy Under Fire, USENIX Security 2011"

_ALL = (
    Violation(
        "DPA101",
        "raw-release",
        "A private value leaves without noise.",
        "The output is a function of the data alone. One output can then tell two neighboring\n"
        "datasets apart with certainty, and no finite epsilon allows that.",
        "def release(data, rng):\n"
        "    return {'count': len(data), 'sum': data.sum() + rng.laplace(scale=100)}",
        "def release(data, rng):\n"
        "    return {'count': len(data) + rng.laplace(scale=2),\n"
        "            'sum': data.sum() + rng.laplace(scale=200)}",
        "Add noise to every part of the output, and give each part its share of epsilon.",
        (_DWORK_ROTH,),
    ),
    Violation(
        "DPA102",
        "catastrophe",
        "An output that is impossible on the neighboring dataset occurs with probability p, "
        "0 < p < 1, so delta(epsilon) >= p for every epsilon.",
        "Most outputs reveal nothing, and a few reveal a whole record. No epsilon allows that:\n"
        "the claim needs a delta of at least p. Sampling shows a finite epsilon only. It cannot\n"
        "show that an output is impossible on the other dataset.",
        "def release(data, rng):\n"
        "    if rng.random() < 0.001:\n"
        "        return data[0]\n"
        "    return data.sum() + rng.laplace(scale=100)",
        "def release(data, rng):\n    return data.sum() + rng.laplace(scale=100)",
        "Remove the branch, or claim ApproxDP with a delta of at least its probability.",
        (_DWORK_ROTH,),
    ),
    Violation(
        "DPA103",
        "leaked-local-sensitivity",
        "The scale of the noise depends on the private data.",
        "The spread of the outputs reveals the value that the scale was computed from. Noise\n"
        "scaled to the local sensitivity is not enough: if two neighbors have different scales,\n"
        "the privacy loss in the tails has no bound.",
        "def mean(data, rng):\n"
        "    n = max(1, len(data))\n"
        "    return data.clip(0, 100).sum() / n + rng.laplace(scale=100 / n)",
        "def mean(data, rng):\n"
        "    # Two releases: each has half of epsilon = 1, so each scale is doubled.\n"
        "    total = data.clip(0, 100).sum() + rng.laplace(scale=2 * 100)\n"
        "    n = len(data) + rng.laplace(scale=2)\n"
        "    return total / max(1, n)",
        "Use a sensitivity that holds for every dataset, spend part of the budget on a noisy\n"
        "scale, or use smooth sensitivity. If the scale depends on the number of records, and\n"
        "that number is public, say so in the audit: `ReplaceOne(records)`.",
        (_NISSIM,),
    ),
    Violation(
        "DPA104",
        "unbounded-sensitivity",
        "A value that is unbounded for some allowed record reaches the noise.",
        "Noise of a fixed scale hides bounded changes only. A value changes the result without\n"
        "limit if it is not clipped, or clipped on one side only. NaN, infinity and overflow pass\n"
        "some clips.",
        "def total(data, rng):\n    return data.clip(max=100).sum() + rng.laplace(scale=100)",
        "def total(data, rng):\n"
        "    return np.nan_to_num(data).clip(0, 100).sum() + rng.laplace(scale=100)",
        "Clip both sides, replace NaN before clipping, and sum in a type that cannot overflow.",
        (_CASACUBERTA,),
    ),
    Violation(
        "DPA105",
        "understated-sensitivity",
        "One record changes a released value by more than its noise is calibrated to.",
        "Noise of scale S/epsilon gives epsilon only if neighbors differ by at most S.",
        "def total(data, rng):  # records in [-100, 100], one replaced\n"
        "    return data.sum() + rng.laplace(scale=100)",
        "def total(data, rng):\n    return data.sum() + rng.laplace(scale=200)",
        "Derive the sensitivity for the neighboring relation of the claim. Replacing one record\n"
        "changes a sum by up to the width of the range. Adding or removing one changes it by\n"
        "up to the largest magnitude.",
        (_CASACUBERTA, _DWORK_ROTH),
    ),
    Violation(
        "DPA106",
        "miscalibrated-noise",
        "The noise has the wrong scale, family or formula, is used outside its range, or is "
        "truncated, rounded away or redrawn.",
        "Each theorem about noise has a formula and a range. For example, the classical Gaussian\n"
        "formula holds only for epsilon <= 1. Noise that is redrawn until the answer looks right\n"
        "has another distribution.",
        "def count(data, rng):\n    return len(data) + rng.laplace(scale=epsilon)",
        "def count(data, rng):\n    return len(data) + rng.laplace(scale=1 / epsilon)",
        "Use the scale of the theorem within its range. Do not reject or clamp the noise itself.\n"
        "To clamp the noisy answer is post-processing, and allowed.",
        (_BALLE_WANG, _DWORK_ROTH),
    ),
    Violation(
        "DPA107",
        "overspent-budget",
        "Each release keeps its own epsilon, and together they cost more than the claim.",
        "The costs of releases on the same data add up. Under basic composition, k releases of\n"
        "epsilon each cost k times epsilon.",
        "def pair(data, rng):  # claimed: epsilon\n"
        "    return (data.sum() + rng.laplace(scale=100 / epsilon),\n"
        "            len(data) + rng.laplace(scale=1 / epsilon))",
        "def pair(data, rng):\n"
        "    return (data.sum() + rng.laplace(scale=100 / (epsilon / 2)),\n"
        "            len(data) + rng.laplace(scale=1 / (epsilon / 2)))",
        "Split the budget over all releases, or claim what they cost together.",
        (_KAIROUZ,),
    ),
    Violation(
        "DPA108",
        "private-control-flow",
        "A branch, a loop count or an exception depends on private data at no cost to the budget.",
        "The output reveals the path that the code took: by its value, by its length, or by the\n"
        "exception that the code raised.",
        "def mean(data, rng):\n"
        "    if len(data) == 0:\n"
        "        raise ValueError('no data')\n"
        "    ...",
        "def mean(data, rng):\n    n = max(1, len(data) + rng.laplace(scale=2))\n    ...",
        "Branch on a noisy value that is charged to the budget, and return on every path.",
        (_LYU, _HAEBERLEN),
    ),
    Violation(
        "DPA109",
        "data-dependent-domain",
        "Bounds, bins, keys, candidates, chosen features, or the shape or type of the output come "
        "from the data.",
        "A key that occurs only because one record has it reveals that record, however noisy its\n"
        "count is.",
        "def histogram(data, rng):\n"
        "    return {v: (data == v).sum() + rng.laplace() for v in np.unique(data)}",
        "def histogram(data, rng):\n"
        "    return {v: (data == v).sum() + rng.laplace() for v in ('a', 'b', 'c')}",
        "Fix the domain in advance, or choose keys by a private selection (a noisy threshold with\n"
        "its delta).",
    ),
    Violation(
        "DPA110",
        "weak-randomness",
        "The seed is fixed or predictable, one noise hides two different values, or the state of "
        "the generator is shared.",
        "Noise hides nothing if others can compute it, or cancel it by a difference. To release\n"
        "the same noisy answer twice is allowed.",
        "def release(data, rng):\n"
        "    noise = np.random.default_rng(0).laplace(scale=100)\n"
        "    return data.sum() + noise",
        "def release(data, rng):\n    return data.sum() + rng.laplace(scale=100)",
        "Draw fresh noise for each value, from a generator that the caller seeds from the system.",
        (_GARFINKEL,),
    ),
    Violation(
        "DPA111",
        "floating-point",
        "The set of reachable outputs, or their low-order bits, tells neighbors apart.",
        "Floating-point noise reaches only some numbers, and which ones depends on the value that\n"
        "it is added to. A sum of floats depends on the order of its terms.",
        "def count(data, rng):\n    return len(data) + rng.laplace(scale=1 / epsilon)",
        "def count(data, rng):  # integer noise on an integer count\n"
        "    p = 1 - np.exp(-epsilon)\n"
        "    return len(data) + rng.geometric(p) - rng.geometric(p)",
        "Use discrete noise, the snapping mechanism, or round to a fixed grid after adding noise.",
        (_MIRONOV, _CASACUBERTA),
    ),
    Violation(
        "DPA112",
        "unstable-partition",
        "One record moves other records between parts, or into or out of a limit.",
        "Parallel composition needs each record to be in one part only. With chunks by position,\n"
        "head(k) or dropped duplicates, one record can change many parts.",
        "def chunk_means(data, rng):\n"
        "    return [release(part, rng) for part in np.array_split(data, 4)]",
        "def group_means(data, rng):\n"
        "    return [release(data[data['region'] == r], rng) for r in REGIONS]",
        "Partition by a property of each record alone.",
        (_CASACUBERTA,),
    ),
    Violation(
        "DPA113",
        "wrong-derivation",
        "A step of a stated sensitivity derivation is false.",
        "The noise is calibrated to the last line of the derivation. If a step is false, the\n"
        "noise of every release may be too small.",
        "|sum(D)/n - sum(D')/(n+1)| <= 1/(n+1)      # false: records reach B",
        "|sum(D)/n - sum(D')/(n+1)| <= 2*B/(n+1)",
        "Correct the step with the help of the counterexample in the report, and recalibrate.",
    ),
    Violation(
        "DPA114",
        "side-channel",
        "Time or memory depends on the data.",
        "Someone who measures the run learns more than the output. This is advice, since claims\n"
        "are about outputs. An exception is an output: DPA108, or DPA101 if it quotes a record.",
        "for record in data:\n    if is_rare(record):\n        slow_lookup(record)",
        "for record in data:\n    slow_lookup(record)",
        "Make the work independent of the values, or pad it to a fixed time.",
        (_HAEBERLEN,),
    ),
    Violation(
        "DPA115",
        "unearned-amplification",
        "The claim counts on sampling, shuffling or iteration that the code does not do as the "
        "theorem needs.",
        "Amplification by sampling needs a secret random sample of the right kind: Poisson for\n"
        "add/remove, fixed size for replacement. A fixed prefix or a reused batch earns none.",
        "def step(data, rng):  # claimed: amplified by rate 0.01\n"
        "    batch = data[: len(data) // 100]\n"
        "    return gradient(batch) + rng.normal(scale=sigma)",
        "def step(data, rng):\n"
        "    batch = data[rng.random(len(data)) < 0.01]\n"
        "    return gradient(batch) + rng.normal(scale=sigma)",
        "Sample as the theorem requires, or make the claim without amplification.",
        (_BALLE_BARTHE,),
    ),
    Violation(
        "DPA116",
        "state-between-calls",
        "State that an earlier dataset left behind changes a later output.",
        "A cache, a counter or a fitted object can outlive the call. It then carries information\n"
        "about one dataset into the release on another.",
        "@functools.cache\ndef bounds():\n    return current.min(), current.max()",
        "def bounds(data, rng):\n    return noisy_min(data, rng), noisy_max(data, rng)",
        "Keep nothing between calls that depends on the data.",
    ),
    Violation(
        "DPA201",
        "distribution",
        "The outputs violate the claim; the cause is not located.",
        "The probabilities of an event on the two datasets differ by more than the claim allows.\n"
        "The witness names both datasets and the event.",
        "release(witness.left)   # in the event too often\n"
        "release(witness.right)  # in the event too seldom",
        "# Replay the witness, which dpaudit run --scripts FOLDER writes as a script;\n"
        "# then look for what differs between the two datasets.",
        "Follow the two datasets of the witness through the code up to the noise.",
        (_KAIROUZ,),
    ),
)

VIOLATIONS: dict[str, Violation] = {violation.id: violation for violation in _ALL}
_FIRST, _LAST = _ALL[0].id, _ALL[-1].id
