"""Which flawed reference mechanisms have their defect in the glue, and in which line.

Glue is what a mechanism does around its randomness: what reaches the noise and how far it may move,
where its scale comes from, which way the code goes, what is listed and what leaves, seeds, budgets,
which records are drawn. Not glue is the law of the randomness itself: a wrong formula or scale
(DPA106), its low bits (DPA111), and the mechanisms of `LAW`, whose reference ids are others. Among
them are two whose amplification is wrong in its accounting alone: it is a property of the mixture
over all samples or orders, and every single path costs what one of the sound twin does.

`CAUSES` has, for each defect in the glue, how the text of the line begins that is its cause. Two
lines may be: the innermost one where the private value, scale, domain or branch that costs too much
is formed, and one in which the mechanism differs from its sound twin. Both come from the file's
statement of its defect, none from what the engine says.

`EITHER` has ids that fit the same defect as well as the reference id does, by what the ids mean,
with the reason.
"""

from __future__ import annotations

LAW: dict[str, str] = {
    "count_mean_sketch_one_entry": "which entries flip with which chance",
    "exponential_segments_without_length": "the density of what is chosen lacks a factor",
    "gradient_shuffled": "what a shuffle amplifies: a Poisson sample may take a record twice too",
    "noisy_max_value_exponential": "noise that is never negative, for a value that leaves",
    "permute_and_flip_gives_up": "the chance of a coin is 1 where a candidate is the best",
    "rappor_wrong_epsilon": "the chance of a bit to flip",
    "shuffled_reports_responders": "how much 25 reports in random order hide: as 100, on one path",
    "unary_encoding_one_bit": "the chance of a bit to flip",
}

EITHER: dict[str, dict[str, str]] = {
    "exponential_segments_data_range": {
        "DPA101": "where its ends meet the interval is the record, which leaves without noise"
    },
    "hadamard_response_column_from_value": {
        "DPA101": "the column is the value by another name, and leaves without noise"
    },
    "svt_side_by_side": {"DPA106": "the named half keeps to no ε either: svt_unbalanced's own id"},
}

CAUSES: dict[str, tuple[str, ...]] = {
    "advanced_sqrt_k": ("return np.count_nonzero(data[:, None] >= thresholds, axi",),
    "averaging_attack": ("return float(np.mean(len(data) +",),
    "catastrophe": ("return float(answer)",),
    "census_small_cells": ("return [int(n) if t >= least else None for n, t in zip(n",),
    "census_undeclared_totals": ("return np.hstack([true.sum(axis=1, keepdims=True), true",),
    "contingency_occurring_cells": ('counts = Counter(", ".join(row) for row in data.tolist()',),
    "count_accumulates": ('_seen["records"] += len(data)',),
    "count_after_join": ("matches = int((data[:, None] == data).sum())",),
    "count_distinct_per_user": ('return len(np.unique(data["item"])) + rng.laplace(scale=',),
    "count_raises_on_empty": ("if len(data) == 0:",),
    "count_spares_one_record": ("if TEST_ACCOUNT in data",),
    "count_suppresses_small": ("if len(data) < least:",),
    "count_type_of_column": ("kind = float if np.isnan(data).any() else int",),
    "count_zero_without_noise": ("if len(data) == 0:",),
    "covariance_raw_means": ('x_mean, y_mean = float(data["x"].sum()) / n, float(data[',),
    "differencing_attack": ("everybody = np.count_nonzero(ill)",),
    "duchi_mean_unclipped": ("return b if rng.random() < 1 / 2 + value / (2 * b) else",),
    "exponential_empirical_score_range": ("largest = max(1.0, max(bids",),
    "exponential_private_candidates": ("candidates, scores = np.unique(data",),
    "exponential_segments_data_range": ("low, high = min(data",),
    "exponential_wrong_score_sensitivity": (
        "revenues = PRICES *",
        "return float(PRICES[exponential(revenues",
    ),
    "federated_no_clip": ("return update + rng.normal(",),
    "federated_one_sided_clip": ("cut = np.minimum(update, clip / max(1, len(update)) ** 0",),
    "federated_private_weights": ("return federated_client(update, rng, clip=clip, mu=mu),",),
    "federated_reused_noise": ("noise = rng.normal(scale=scale, size=rounds.shape[1])",),
    "filter_checks_late": (
        "answers.append(geometric(",
        "return int(np.count_nonzero(data)) + int(noise)",
    ),
    "filter_fixed_price": ("return int(np.count_nonzero(data)) + int(noise)",),
    "gaussian_linf_sensitivity": ("return answers + rng.normal(scale=sigma, size=len(answer",),
    "geometric_int8_overflow": ("return int((data != 0).sum(dtype=np.int8)) + int(noise)",),
    "gradient_batch_mean": ("return -learning_rate * noisy / max",),
    "gradient_best_of_runs": ("models = [", "return models[int(np.argmin("),
    "gradient_centered": ("total =",),
    "gradient_clipped_mean": (
        "gradient = clipped(mean, clip)[0] + rng.normal(scale=noi",
        "return vectors / np.maximum(",
    ),
    "gradient_early_stopping": ("while len(path) < 5 and (len(path) == 0 or losses[-1] <",),
    "gradient_final_noise": ("theta = theta - learning_rate",),
    "gradient_median_clip": ("clip = max(float(np.median(norms)), 1e-6) if len(norms)",),
    "gradient_raw_loss": ("return theta, float(np.logaddexp(",),
    "gradient_replace": (
        "gradient = noisy_gradient(",
        "return total + rng.normal(",
        "total = clipped(gradients(theta, batch)",
    ),
    "gradient_same_noise": ("shared = rng.normal(",),
    "gradient_unclipped": ("total =",),
    "hadamard_response_column_from_value": ("column = (7 * value + 3)",),
    "histogram_data_keys": ("counts = Counter(data.tolist())",),
    "histogram_data_range": ("edges = np.linspace(low, high, k + 1)[1:-1]",),
    "histogram_open_ended": ("counts = np.bincount(data)",),
    "histogram_replace": ('counts = np.bincount(edges.searchsorted(data, side="righ',),
    "histogram_shares": ("return histogram(",),
    "histogram_sorted_by_count": ("order = np.argsort(",),
    "histogram_threshold_first": ("return np.where(counts < least, 0, counts) + rng.laplace",),
    "k_means_data_centres": ("centres = np.vstack([points, CENTRES])",),
    "k_means_epsilon_each_round": (
        "return k_means(data, rng, rounds=rounds",
        "released += (nearest ==",
    ),
    "laplace_few_seeds": ("rng = np.random.default_rng(int(rng.integers(256)))",),
    "laplace_fixed_seed": ("rng = np.random.default_rng(0)",),
    "laplace_linf_sensitivity": ("return answers + rng.laplace(scale=largest_change / epsi",),
    "laplace_raw_cache": ("_answers[answer] = answer",),
    "laplace_relative_noise": ("return answer * (1 + rng.laplace(scale=1 / epsilon))",),
    "laplace_repeated_seed": ("noises = [np.random.default_rng(seed).laplace(scale=scal",),
    "laplace_seed_from_data": ("rng = np.random.default_rng(abs(hash(answer)))",),
    "laplace_shared_noise": ("return answers + rng.laplace(scale=sensitivity / epsilon",),
    "linear_regression_private_denominator": (
        "return float(x @ y) / nvar + rng.laplace(scale=(1 - 1 /",
    ),
    "linear_regression_raw_x": ("x_mean, y_mean = float(x.sum()) / n, float(y.sum()) / n",),
    "local_hashing_seed_from_value": ("seeded = np.random.default_rng(value)",),
    "matrix_factorization_linf": ("return half @ (half @ answers + rng.normal(scale=sigma,",),
    "maximum_local_sensitivity": ("second, largest = np.sort([low, low, *np.fmin(np.fmax(da",),
    "mean_clip_after": ("clipped = min(max(float((data / n).sum()), low), high)",),
    "mean_data_bounds": ("return float(data.sum()) / n + rng.laplace(scale=spread",),
    "mean_epsilon_twice": ("noisy_count = len(data) + rng.laplace(",),
    "mean_forgets_removal": ("return total / n + rng.laplace(scale=(high - low) / ((n",),
    "mean_local_sensitivity": ("return float(data.clip(low, high).sum()) / n + rng.lapla",),
    "mean_raw_count": ("return noisy_sum / max(1.0, noisy_count), len(data)",),
    "median_laplace_local_sensitivity": (
        "return float(x[m]) + rng.laplace(scale=max(x[m + 1] - x[",
    ),
    "mode_noise_on_ties": ("return int(rng.choice(RATINGS[counts",),
    "mode_replace": ("counts =",),
    "multiplicative_weights_epsilon_each_round": (
        "total = rounds * epsilon",
        "return multiplicative_weights(",
        "answer = truth[chosen] +",
    ),
    "multiplicative_weights_true_start": ("histogram = counts(data", "return updated(histogram"),
    "noisy_max_shared_noise": ("return int(np.argmax(answers + rng.laplace(",),
    "noisy_max_value": ("return float(np.max(answers +",),
    "noisy_vote_one_count": (
        "return int(np.argmax(counts(votes, labels) + rng.laplace",
        "return np.count_nonzero(votes[:, None]",
    ),
    "noisy_vote_overlapping_teachers": (
        "return int(np.argmax(counts(votes, labels) + rng.laplace",
        "return np.count_nonzero(votes[:, None]",
    ),
    "noisy_vote_raw_check": ("if counts(votes, labels).max() < threshold:",),
    "noisy_vote_teachers_by_position": ("parts = np.array_split(data, teachers)",),
    "odometer_refunds": ("return int(np.count_nonzero(data)) + int(noise)",),
    "output_perturbation_free_intercept": ("ridge[-1] = 1e-6", "f = np.clip(f - np.linalg.solve("),
    "output_perturbation_raw_features": ("f = minimizer(",),
    "output_perturbation_weak_regularization": ("f = minimizer(",),
    "parallel_overlapping": ("return len(data) + rng.laplace(scale=1 / epsilon)",),
    "parallel_replace_one": ("total = float(np.fmin(np.fmax(data, low), high).sum())",),
    "piecewise_mean_debug_build": ("return min(1.0, max(-1.0, value))",),
    "prefix_sums_all_move": ("return np.cumsum(answers + rng.laplace(scale=1 / epsilon",),
    "prefix_sums_fresh_noise": ("return np.cumsum(answers) + rng.laplace(scale=1 / epsilo",),
    "principal_components_centred": ("return a @ a.T + noise + np.triu(noise, 1).T",),
    "principal_components_unnormalized": ("return a @ a.T + noise + np.triu(noise, 1).T",),
    "ptr_forgets_removal": (
        "profile = (high - low) /",
        "distance = distance_to_instability",
        "return low + float((np.fmin(np.fmax(data, low), high)",  # the mean, which moves too far
    ),
    "ptr_overspent": ("if distance + rng.laplace(scale=1 / epsilon) <= log(1 /",),
    "ptr_unnoised_test": ("if distance <= 2 * log(1 / (2 * delta)) / epsilon:",),
    "quantile_data_candidates": ("candidates = np.sort(data)",),
    "randomized_response_dont_know": ("return int(bit)",),
    "randomized_response_skips_missing": ("if bit is None:",),
    "randomized_response_user_seed": ("return randomized_response(bit, np.random.default_rng",),
    "rappor_without_memo": ("return (rng.random((reports, BITS))",),
    "sample_and_aggregate_by_position": ("members = [x[part == j] for j in range(parts)]",),
    "sample_and_aggregate_fewer_parts": (
        "mean = float(np.clip(estimates, low, high).mean()) if es",
    ),
    "scale_inference": ("answers = mean + rng.laplace(scale=k * (high - low) / (n",),
    "sequential_one_more": (
        "return np.count_nonzero(data[:, None] >= thresholds, axi",
        "counts = counts_above(data, np.linspace",
    ),
    "sequential_without_split": ("return np.count_nonzero(data[:, None] >= thresholds, axi",),
    "shuffled_reports_in_order": ("return data ^ lies",),
    "smart_sum_raw_blocks": ("finished += float(part.sum())",),
    "smooth_median_at_zero": ("return median(data, low, high) + rng.laplace(scale=2 * l",),
    "smooth_median_sample_range": ("return median(data, low, high) + rng.laplace(scale=2 * s",),
    "smooth_median_without_end": ("return median(data, low, high) + rng.laplace(scale=2 * s",),
    "smooth_median_wrong_beta": ("return median(data, low, high) + rng.laplace(scale=2 * s",),
    "stability_histogram_threshold_before_noise": ("kept = counts > 1",),
    "stability_histogram_without_threshold": ("values, counts = np.unique(", "kept = noisy > 0"),
    "stable_mode_off_by_one": ("mode = counts.argmax()",),
    "subsampled_all_rows": ("return len(data) + rng.laplace(scale=1 / epsilon)",),
    "subsampled_batch_size": ("return total + rng.laplace(scale=1 / epsilon), len(sample)",),
    "subsampled_bootstrap": ("sample = data[rng.integers(", "return float(np.fmin(np.fmax(sample"),
    "subsampled_first_rows": ("return float(clipped.sum()) + rng.laplace(scale=2 / epsi",),
    "subsampled_fixed_size": (
        "return subsampled_without_replacement(",
        "return float(clipped.sum())",
    ),
    "subsampled_private_size": (
        "sample = rng.permutation(data)[: int(rate",
        "return float(np.fmin(np.fmax(sample",
    ),
    "subsampled_same_sample": ("size = int(np.count_nonzero(rng.random",),
    "subsampled_without_noise": (
        "sampled = rng.random(len(data))",
        "return int(np.count_nonzero(sampled))",
    ),
    "sum_empirical_bound": ("largest = float(data.max(initial=1.0))",),
    "sum_minmax_nan": ("total = float(np.minimum(np.maximum(data, low), high).su",),
    "sum_of_squares_same_sensitivity": (
        "total = float((np.fmin(np.fmax(data, low), high) ** 2).s",
    ),
    "sum_one_sided_clip": ("total = float(data.clip(max=high).sum())",),
    "sum_overflow": ("total = data.clip(low, high).astype(np.int32).sum(dtype=",),
    "sum_parallel_replace": ("total = float(np.fmin(np.fmax(data, low), high).sum())",),
    "sum_per_row_for_user": ("total = float(np.fmin(np.fmax(data, low), high).sum())",),
    "sum_range_sensitivity": ("total = float(data.clip(low, high).sum())",),
    "sum_scaled_by_n": ("total = weight * float(np.fmin(np.fmax(data, low), high)",),
    "svt_exact_threshold": ("above = answer + rng.laplace(scale=4 / epsilon) >= thres",),
    "svt_gap_value": ("noisy = float(answer +", "released.append(noisy"),
    "svt_half_noise_no_stop": ("noise = rng.laplace(scale=2", "return tuple((answers + noise"),
    "svt_no_query_noise": ("above = answer >= noisy_threshold",),
    "svt_no_stop": ("above = answer + rng.laplace(", "noisy_threshold = threshold + rng.laplace("),
    "svt_pays_for_one_hit": ("flags.append(bool(answer + rng.laplace(scale=4 / epsilon",),
    "svt_releases_comparison": ("noisy = float(answer + rng.laplace(scale=2 * hits / epsi",),
    "svt_reuses_threshold_noise": ("noise = rng.laplace(scale=3 / epsilon)",),
    "svt_side_by_side": (
        "svt_releases_comparison(answers, rng",
        "svt_unbalanced(answers, rng",
        "above = answer +",
        "noisy = float(answer +",
    ),
    "synthetic_histogram_occurring_cells": ("return cells_at(rng.random(size), np.where(exact",),
    "synthetic_histogram_private_size": (
        "return synthetic_histogram(data, rng, cells=cells, size=",
    ),
    "synthetic_histogram_raw": (
        "return cells_at(rng.random(size), counts",
        "return cumulated.searchsorted(",
    ),
    "top_k_pays_once": ("noisy = scores + rng.gumbel(", "return tuple(np.argsort("),
    "tree_counter_missing_level": (
        "noise = rng.laplace(",
        "noisy[j] = raw[j] + noise[t - 1]",
        "raw[j] = x + sum(raw[:j])",
        "sums.append(sum(noisy))",
    ),
    "tree_counter_shared_noise": ("noise = [rng.laplace(scale=levels / epsilon)] * len(answ",),
    "variance_local_sensitivity": ("local = np.maximum(kept, farthest - kept).max(initial=0.",),
}
