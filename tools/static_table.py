"""Write what the linter finds in each flawed mechanism: a page of its own, and its counts."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path

from dpaudit.evidence import Finding
from dpaudit.static.lint import lint
from tools.description import ROOT
from tools.markdown import table_row

PAGE, FLAWED = ROOT / "docs" / "static.md", ROOT / "mechanisms" / "flawed"
TABLE = FLAWED / "FOUND_BY_LINT.md"
HEAD = """# What the linter finds in the flawed mechanisms

This page lists the findings of `dpaudit lint` in each mechanism of this folder. If it finds
nothing, the last column says why. `make readme` writes this page.
"""
BEGIN, END = "<!-- static: begin -->", "<!-- static: end -->"
_DECLARED = re.compile(r"^Violation: (?P<id>DPA\d+)", re.M)

# What keeps a defect out of the text: one line for each mechanism that no rule finds.
NUMBERS = "its constants are wrong: only arithmetic on the distributions shows it"
MATHEMATICS = "the step that is wrong is in the derivation; the code does what it says"
CLAIM = "the code is right for another claim or relation, which its text does not name"
HIDDEN = {
    "binomial_too_few_coins": NUMBERS,
    "count_distinct_per_user": CLAIM,
    "count_mean_sketch_one_entry": MATHEMATICS,
    "count_type_of_column": CLAIM,
    "exponential_segments_without_length": MATHEMATICS,
    "exponential_wrong_score_sensitivity": MATHEMATICS,
    "gaussian_linf_sensitivity": CLAIM,
    "gradient_centered": MATHEMATICS,
    "gradient_clipped_mean": MATHEMATICS,
    "gradient_final_noise": MATHEMATICS,
    "gradient_rate_times_noise": NUMBERS,
    "gradient_replace": CLAIM,
    "local_hashing_resampled": NUMBERS,
    "matrix_factorization_linf": MATHEMATICS,
    "noisy_vote_overlapping_teachers": MATHEMATICS,
    "objective_perturbation_small_gaussian": MATHEMATICS,
    "objective_perturbation_unconverged": MATHEMATICS,
    "objective_perturbation_without_jacobian": MATHEMATICS,
    "odometer_refunds": MATHEMATICS,
    "optimized_unary_encoding_mixed": NUMBERS,
    "output_perturbation_free_intercept": MATHEMATICS,
    "output_perturbation_raw_features": MATHEMATICS,
    "output_perturbation_weak_regularization": NUMBERS,
    "parallel_replace_one": CLAIM,
    "permute_and_flip_gives_up": MATHEMATICS,
    "piecewise_mean_wrong_c": NUMBERS,
    "principal_components_centred": MATHEMATICS,
    "principal_components_unnormalized": MATHEMATICS,
    "ptr_forgets_removal": MATHEMATICS,
    "ptr_low_threshold": NUMBERS,
    "randomized_response_among_decoys": NUMBERS,
    "randomized_response_hidden_parity": NUMBERS,
    "randomized_response_skips_missing": CLAIM,
    "randomized_response_parity": NUMBERS,
    "randomized_response_rare_code": NUMBERS,
    "randomized_response_wrong_coin": NUMBERS,
    "rappor_without_memo": MATHEMATICS,
    "rappor_wrong_epsilon": CLAIM,
    "sample_and_aggregate_fewer_parts": MATHEMATICS,
    "secure_aggregation_all_shares": NUMBERS,
    "sequential_one_more": NUMBERS,
    "shuffled_reports_in_order": CLAIM,
    "shuffled_reports_responders": CLAIM,
    "smooth_median_large_epsilon": NUMBERS,
    "smooth_median_without_end": MATHEMATICS,
    "smooth_median_wrong_beta": NUMBERS,
    "stability_histogram_low_threshold": NUMBERS,
    "stable_mode_off_by_one": MATHEMATICS,
    "staircase_from_one": NUMBERS,
    "subsampled_all_rows": CLAIM,
    "subsampled_first_rows": CLAIM,
    "subsampled_fixed_size": CLAIM,
    "sum_parallel_replace": CLAIM,
    "sum_per_row_for_user": CLAIM,
    "svt_exact_threshold": MATHEMATICS,
    "svt_half_noise": NUMBERS,
    "tree_counter_missing_level": NUMBERS,
    "truncated_geometric_rounded": NUMBERS,
    "unary_encoding_one_bit": NUMBERS,
}


def declared(path: Path) -> str | None:
    """Return the id of the violation that a flawed mechanism declares."""
    match = _DECLARED.search(path.read_text(encoding="utf-8"))
    return None if match is None else match["id"]


def found() -> dict[str, list[Finding]]:
    """Return what the rules find in each flawed mechanism: errors, and warnings of its own id.

    Each is read under the neighbors of the audits that expect its refutation, and as it stands
    where there is none.
    """
    report = lint([FLAWED], everything=True, refuted=True)
    by_file: dict[str, list[Finding]] = defaultdict(list)
    for finding in report.findings:
        stem = Path(finding.file or "").stem
        if finding.level == "error" or declared(FLAWED / f"{stem}.py") == finding.id:
            by_file[stem].append(finding)
    return dict(by_file)


def table(found_in: dict[str, list[Finding]]) -> str:
    """Return the flawed mechanisms with what was found, as a table in Markdown."""
    rows = [("flawed mechanism", "defect", "found in its text"), ("---",) * 3]
    for path in sorted(FLAWED.glob("*.py")):
        id = declared(path)
        if id is None:
            continue
        findings = found_in.get(path.stem, [])
        said = "; ".join(
            f"{f.id}{'' if f.level == 'error' else ' (warning)'}, line {f.line}: "
            f"{f.message.partition(': ')[2]}"
            for f in findings
        )
        hidden = HIDDEN.get(path.stem, "")
        rows.append((path.stem, id, said or f"not visible in its text: {hidden}"))
    return "\n".join(map(table_row, rows))


def counts(found_in: dict[str, list[Finding]]) -> str:
    """Return the sentence that says how many flawed mechanisms are found."""
    known = [p.stem for p in FLAWED.glob("*.py") if declared(p) is not None]
    same = sum(
        any(declared(FLAWED / f"{stem}.py") in (f.id, *f.also) for f in findings)
        for stem, findings in found_in.items()
    )
    return (
        f"In {len(found_in)} of {len(known)} flawed reference mechanisms the linter finds an error "
        f"or a warning, in {same} of them with the declared id."
    )


def pages(found_in: dict[str, list[Finding]]) -> dict[Path, str]:
    """Return the page of the linter with its counts made anew, and the page of the table."""
    head, rest = PAGE.read_text(encoding="utf-8").split(BEGIN)
    counted = f"{head}{BEGIN}\n{counts(found_in)}\n{END}{rest.split(END)[1]}"
    return {PAGE: counted, TABLE: f"{HEAD}\n{table(found_in)}\n"}


def main() -> None:
    """Write both pages anew."""
    for path, text in pages(found()).items():
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
