"""What is wrong with broken glue is named, with its line; `bench_causes.py` counts over all."""

from __future__ import annotations

import linecache

import pytest

import dpaudit
from dpaudit import Verdict
from tests.sweeps import sampled
from tests.wild.causes import CAUSES

# One of each kind that takes no more than some seconds; none rests on draws that could come out
# otherwise: each is proved, or its outputs on the two datasets never meet.
NAMED = (
    "glue_classes:mean_by_estimator",
    "glue_classes:scaled_sum",
    "glue_classes:model_total",
    "glue_classes:variance_report",
    "glue_classes:best_seller",
    "glue_scripts:income_by_region",
    "glue_scripts:total_unclipped",
    "glue_scripts:python_sum",
    "glue_training:sgd_private_batch",
    "glue_training:check_outliers",
    "glue_training:winsorized",
    "glue_releases:one_side",
    "glue_releases:clip_nan",
    "glue_releases:column_sums",
    "glue_releases:private_mode",
    "glue_releases:popular_words",
    "glue_releases:own_sampler",
    "glue_releases:rounded_noise",
    "glue_releases:chunk_sums",
    "glue_releases:debug_sample",
    "glue_releases:winner_and_votes",
    "glue_releases:settled_estimate",
    "glue_helpers:adults_by_survey",
    "glue_helpers:late_fees",
    "glue_helpers:marked_vote",
    "glue_helpers:popular_page",
    "glue_helpers:bounded_error",
    "glue_helpers:stepped",
    "glue_helpers:amounts_profile",
    "glue_statistics:response_of_four",
    "glue_statistics:dashboard",
    "glue_statistics:typical_record",
    "glue_statistics:limited_by_the_largest_user",
    "glue_statistics:votes_in_favor",
    "glue_scales:sum_with_settings",
    "glue_scales:sum_by_helper",
    "glue_scales:sum_by_plan",
    "glue_scales:doubled_counts",
    "glue_scales:gaussian_mean",
    "glue_scales:asked",
    "glue_scales:report",
    "glue_scales:mean_step",
)


@pytest.mark.parametrize(
    "cause", sampled([c for c in CAUSES if c.name in NAMED], 3), ids=lambda c: c.name
)
def test_an_audit_names_the_kind_and_the_line_of_the_cause(cause):
    report = dpaudit.audit(cause.mechanism, cause.claim, cause.neighbors, max_calls=20_000)
    assert report.verdict is Verdict.REFUTED
    error = report.findings[0]
    line = linecache.getline(error.file, error.line)
    assert error.id in cause.ids, report.findings
    assert any(part in line for part in cause.lines), (error.line, line)
