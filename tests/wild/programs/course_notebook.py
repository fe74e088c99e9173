# Privacy lab, week 5: noise by hand

import random

import numpy as np
import pandas as pd

epsilon = 1.0


def laplace_mech(v, sensitivity, epsilon):
    return v + np.random.laplace(loc=0, scale=sensitivity / epsilon)


def laplace_mech_vec(vec, sensitivity, epsilon):
    return [v + np.random.laplace(loc=0, scale=sensitivity / epsilon) for v in vec]


def gaussian_mech(v, sensitivity, epsilon, delta):
    sigma = sensitivity * np.sqrt(2 * np.log(1.25 / delta)) / epsilon
    return v + np.random.normal(loc=0, scale=sigma)


def over_forty(ages):
    return laplace_mech(np.sum(ages > 40), 1, epsilon)


def over_forty_strong(ages):
    return laplace_mech(np.sum(ages > 40), 1, 2 * epsilon)


def over_forty_of_half(ages):
    half = [a for a in ages if random.random() < 0.5]
    return laplace_mech(sum(1 for a in half if a > 40), 1, epsilon)


def over_forty_of_the_other_tenth(ages):
    others = [a for a in ages if random.random() > 0.1]
    return laplace_mech(sum(1 for a in others if a > 40), 1, epsilon)


def average_age(ages):
    ages = np.clip(ages, 0, 120)
    return ages.mean() + np.random.laplace(0, 120 / len(ages) / epsilon)


def average_age_split(ages, eps=1.0):
    noisy_sum = laplace_mech(ages.clip(0, 120).sum(), 120, eps / 2)
    noisy_count = laplace_mech(len(ages), 1, eps / 2)
    return noisy_sum / max(1, noisy_count)


def average_age_not_split(ages, eps=1.0):
    noisy_sum = laplace_mech(ages.clip(0, 120).sum(), 120, eps)
    noisy_count = laplace_mech(len(ages), 1, eps)
    return noisy_sum, noisy_count


def total_gain(gains):
    """Capital gains are at most 5000 in this data set."""
    return laplace_mech(np.sum(gains), 5000, epsilon)


def total_gain_clipped(gains):
    upper = 5000
    clipped = [min(max(g, 0), upper) for g in gains]
    return laplace_mech(sum(clipped), upper, epsilon)


def age_histogram(ages):
    counts, edges = np.histogram(ages, bins=10)
    return laplace_mech_vec(counts, 1, epsilon), edges


def age_histogram_decades(ages):
    counts, _ = np.histogram(ages, bins=np.arange(0, 121, 10))
    return laplace_mech_vec(counts, 1, epsilon)


def education_counts(df):
    levels = ["HS", "BSc", "MSc", "PhD"]
    return {level: laplace_mech(len(df[df["education"] == level]), 1, epsilon) for level in levels}


def education_value_counts(df):
    hist = df["education"].value_counts()
    return hist.apply(lambda c: laplace_mech(c, 1, epsilon)).to_dict()


def most_common_education(df):
    levels = ["HS", "BSc", "MSc", "PhD"]
    scores = [df["education"].value_counts().get(level, 0) for level in levels]
    probabilities = [np.exp(epsilon * s / 2) for s in scores]
    probabilities = probabilities / np.linalg.norm(probabilities, ord=1)
    return np.random.choice(levels, 1, p=probabilities)[0]


def report_noisy_max(df):
    levels = ["HS", "BSc", "MSc", "PhD"]
    noisy = [laplace_mech((df["education"] == level).sum(), 1, epsilon) for level in levels]
    return levels[noisy.index(max(noisy))]


def report_noisy_max_with_value(answers):
    noisy = [a + np.random.laplace(0, 2 / epsilon) for a in answers]
    best = np.argmax(noisy)
    return best, noisy[best]


def coin_survey(answer):
    if np.random.randint(0, 2) == 0:
        return answer
    return np.random.randint(0, 2) == 0


def loaded_coin_survey(answer):
    return answer if random.random() < 0.8 else random.random() < 0.5


def mean_bill_gaussian(bills):
    clipped = bills.clip(0, 10)
    return gaussian_mech(clipped.sum(), 10, 1.0, 1e-5) / 100


def histogram_gaussian(answers):
    """Five counting queries about the same people, L1 sensitivity 5."""
    return [gaussian_mech(a, 1, 1.0, 1e-5) for a in answers]


def above_threshold(queries, T=3.0):
    T_hat = T + np.random.laplace(loc=0, scale=2 / epsilon)
    for idx, q in enumerate(queries):
        nu_i = np.random.laplace(loc=0, scale=4 / epsilon)
        if q + nu_i >= T_hat:
            return idx
    return -1


def above_threshold_all(queries, T=3.0):
    T_hat = T + np.random.laplace(loc=0, scale=2 / epsilon)
    out = []
    for q in queries:
        nu_i = np.random.laplace(loc=0, scale=4 / epsilon)
        out.append(bool(q + nu_i >= T_hat))
    return out


def auto_clip(ages):
    """Find a clipping parameter with the sparse vector technique, then sum."""
    bs = range(0, 150, 10)
    best = 0
    for b in bs:
        if ages.clip(0, b).sum() == ages.clip(0, b + 10).sum():
            best = b
            break
    return laplace_mech(ages.clip(0, best).sum(), best + 1, epsilon)


def pivot(df):
    """A contingency table with all cells, so that none shows who is there."""
    cells = []
    for sex in ["F", "M"]:
        for level in ["HS", "BSc", "MSc", "PhD"]:
            cells.append(((df["sex"] == sex) & (df["education"] == level)).sum())
    return np.array(cells) + np.random.laplace(0, 1 / epsilon, size=len(cells))


def crosstab(df):
    table = pd.crosstab(df["sex"], df["education"])
    return table.to_numpy() + np.random.laplace(0, 1 / epsilon, size=table.shape)
