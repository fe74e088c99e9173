"""Mechanisms that print, log and warn: `SOUND` ones of noisy numbers, `BROKEN` ones of others."""

import itertools
import json
import logging
import os
import random
import sys
import tempfile
import time
import uuid
import warnings
from datetime import datetime
from pathlib import Path
from time import perf_counter

import numpy as np
import pandas as pd

log = logging.getLogger(__name__)


def noisy_count(data, rng):
    return len(data) + rng.laplace(scale=1.0)


class Accountant:
    def __init__(self, epsilon):
        self.left = epsilon
        self.logger = logging.getLogger("accountant")

    def count(self, data, rng):
        self.left -= 1.0
        self.logger.info("budget left: %s", self.left)
        noisy = noisy_count(data, rng)
        self.logger.debug("count %.1f", noisy)
        return noisy


def prints_the_answer(data, rng):
    noisy = noisy_count(data, rng)
    print(f"noisy count: {noisy:.2f}")
    return noisy


def prints_the_answer_alone(data, rng):
    print(noisy_count(data, rng))


def prints_in_pieces(data, rng):
    noisy = noisy_count(data, rng)
    print("count", end=" = ")
    print(round(noisy), flush=True)
    return noisy


def writes_to_a_stream(data, rng):
    noisy = noisy_count(data, rng)
    sys.stderr.write(f"{noisy}\n")
    return noisy


def logs_arguments(data, rng):
    noisy = noisy_count(data, rng)
    log.info("count %d of scale %s", noisy, 1.0)
    return noisy


def logs_at_every_level(data, rng):
    log.debug("begins")
    noisy = noisy_count(data, rng)
    log.warning("noisy %s", noisy)
    log.error("done")
    return noisy


def logs_by_the_module(data, rng):
    noisy = noisy_count(data, rng)
    logging.info("noisy %s", noisy)
    return noisy


def logs_the_time_that_it_took(data, rng):
    start = time.perf_counter()
    noisy = noisy_count(data, rng)
    log.info("released %.3f after %.9f s", noisy, time.perf_counter() - start)
    return noisy


def times_by_an_imported_clock(data, rng):
    start = perf_counter()
    total = sum(float(x) for x in data for _ in range(50))
    noisy = min(max(total, 0), 0) + noisy_count(data, rng)
    print("took", perf_counter() - start)
    return noisy


def prints_the_date(data, rng):
    noisy = noisy_count(data, rng)
    print(f"[{datetime.now().isoformat()}] {noisy:.1f}")
    return noisy


def prints_an_identifier(data, rng):
    print("run", uuid.uuid4(), "object", object())
    return noisy_count(data, rng)


def warns_of_a_negative_count(data, rng):
    noisy = noisy_count(data, rng)
    if noisy < 0:
        warnings.warn("the count is negative", stacklevel=2)
    return max(noisy, 0.0)


def warns_as_deprecated(data, rng):
    warnings.warn("use noisy_count", DeprecationWarning, stacklevel=2)
    return noisy_count(data, rng)


def logs_an_exception(data, rng):
    noisy = noisy_count(data, rng)
    try:
        return 1 / int(noisy)
    except ZeroDivisionError:
        log.exception("no count")
        return 0.0


def prints_now_and_then(data, rng):
    noisy = noisy_count(data, rng)
    if rng.random() < 0.1:
        print("a sample:", round(noisy, 1))
    return noisy


def prints_as_many_lines_as_the_noise_says(data, rng):
    noisy = noisy_count(data, rng)
    for line in range(min(max(round(noisy), 0), 9)):
        print(line)
    return noisy


def logs_a_histogram(data, rng):
    counts = np.histogram(data, bins=2, range=(0, 100))[0] + rng.laplace(scale=1.0, size=2)
    log.info("bins: %s", counts)
    return counts


def prints_of_shared_noise(data):
    noisy = len(data) + random.expovariate(1.0) - random.expovariate(1.0)
    print("count", noisy)
    return noisy


def logs_the_budget(data, rng):
    return Accountant(3.0).count(data, rng)


def prints_a_table(data, rng):
    noisy = noisy_count(data, rng)
    print("name", "value", sep="\t")
    print("count", f"{noisy:10.3e}", sep="\t", file=sys.stderr)
    return noisy


def raises_when_negative(data, rng):
    noisy = noisy_count(data, rng)
    print("looking")
    if noisy < 0:
        raise ValueError("negative")
    return noisy


def writes_a_file(data, rng):
    noisy = noisy_count(data, rng)
    with open("count.txt", "w", encoding="utf-8") as file:
        file.write(f"{noisy:.3f}\n")
    return noisy


def writes_beside_the_project(data, rng):
    noisy = noisy_count(data, rng)
    folder = Path(tempfile.gettempdir()) / "releases"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{uuid.uuid4()}.json").write_text(json.dumps({"count": noisy}), encoding="utf-8")
    return noisy


def writes_an_array(data, rng):
    counts = np.histogram(data, bins=2, range=(0, 100))[0] + rng.laplace(scale=1.0, size=2)
    np.savetxt("histogram.csv", counts, delimiter=",")
    np.save("histogram.npy", counts)
    return counts


def writes_a_frame(data, rng):
    noisy = noisy_count(data, rng)
    pd.DataFrame({"count": [noisy]}).to_csv("count.csv", index=False)
    return pd.read_csv("count.csv")["count"].iloc[0]


def replaces_a_file(data, rng):
    noisy = noisy_count(data, rng)
    Path("count.tmp").write_text(str(noisy), encoding="utf-8")
    os.replace("count.tmp", "count.txt")
    return float(Path("count.txt").read_text(encoding="utf-8"))


def dates_a_file(data, rng):
    noisy = noisy_count(data, rng)
    name = f"count-{datetime.now():%Y-%m-%d}-{os.getpid()}.txt"
    Path(name).write_text(f"{time.time()} {noisy}", encoding="utf-8")
    return noisy


def logs_process_and_object(data, rng):
    log.info("process %d, data %d", os.getpid(), id(data))
    return noisy_count(data, rng)


def logs_seconds_since_1970(data, rng):
    log.info("at %.6f, %s", datetime.now().timestamp(), time.strftime("%H:%M:%S"))
    return noisy_count(data, rng)


RUNS = itertools.count()


def logs_the_number_of_the_call(data, rng):
    log.info("release %d", next(RUNS))
    return noisy_count(data, rng)


def leaves_a_scratch_file(data, rng):
    noisy = noisy_count(data, rng)
    with tempfile.NamedTemporaryFile("w", suffix=".txt", delete=False) as file:
        file.write(str(noisy))
    return noisy


def removes_its_scratch_file(data, rng):
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write(str(len(data)))
    return noisy_count(data, rng)


SOUND = [
    writes_a_file, writes_beside_the_project, writes_an_array, writes_a_frame, replaces_a_file,
    dates_a_file, logs_process_and_object, logs_seconds_since_1970, logs_the_number_of_the_call,
    leaves_a_scratch_file, removes_its_scratch_file,
    prints_the_answer, prints_the_answer_alone, prints_in_pieces, writes_to_a_stream,
    logs_arguments, logs_at_every_level, logs_by_the_module, logs_the_time_that_it_took,
    times_by_an_imported_clock, prints_the_date, prints_an_identifier, warns_of_a_negative_count,
    warns_as_deprecated, logs_an_exception, prints_now_and_then,
    prints_as_many_lines_as_the_noise_says, logs_a_histogram, prints_of_shared_noise,
    logs_the_budget, prints_a_table, raises_when_negative,
]  # fmt: skip


def prints_the_size(data, rng):
    print("records:", len(data))
    return noisy_count(data, rng)


def logs_below_the_level(data, rng):
    log.debug("exact count %d", len(data))
    return noisy_count(data, rng)


def formats_the_size(data, rng):
    exact = len(data)
    log.info(f"{exact} records read")
    return noisy_count(data, rng)


def writes_the_error(data, rng):
    exact = len(data)
    noisy = exact + rng.laplace(scale=1.0)
    sys.stderr.write(f"error {noisy - exact:.6f}\n")
    return noisy


def warns_of_no_records(data, rng):
    if len(data) == 0:
        warnings.warn("no records", stacklevel=2)
    return noisy_count(data, rng)


def says_it_before_it_raises(data, rng):
    print(len(data))
    raise ValueError("not today")


def logs_a_record(data, rng):
    if len(data):
        log.warning("first record %s", data[0])
    return noisy_count(data, rng)


def prints_a_frame_of_counts(data, rng):
    print({"records": len(data), "scale": 1.0})
    return noisy_count(data, rng)


def writes_the_size(data, rng):
    with open("size.txt", "w", encoding="utf-8") as file:
        file.write(str(len(data)))
    return noisy_count(data, rng)


def writes_records_elsewhere(data, rng):
    path = Path(tempfile.gettempdir()) / "records.json"
    path.write_text(json.dumps(list(map(float, data))), encoding="utf-8")
    return noisy_count(data, rng)


def saves_the_data(data, rng):
    np.savetxt("data.csv", data)
    return noisy_count(data, rng)


def writes_the_frame(data, rng):
    pd.DataFrame({"x": data}).to_csv("frame.csv")
    return noisy_count(data, rng)


def names_a_file_by_the_size(data, rng):
    Path(f"of-{len(data)}.txt").write_text("done", encoding="utf-8")
    return noisy_count(data, rng)


def appends_the_size(data, rng):
    with open("sizes.log", "a", encoding="utf-8") as file:
        print(datetime.now(), len(data), file=file)
    return noisy_count(data, rng)


def logs_the_time_and_the_size(data, rng):
    log.info("at %s: %d records", datetime.now(), len(data))
    return noisy_count(data, rng)


BROKEN = [
    writes_the_size, writes_records_elsewhere, saves_the_data, writes_the_frame,
    names_a_file_by_the_size, appends_the_size, logs_the_time_and_the_size,
    prints_the_size, logs_below_the_level, formats_the_size, writes_the_error, warns_of_no_records,
    says_it_before_it_raises, logs_a_record, prints_a_frame_of_counts,
]  # fmt: skip
