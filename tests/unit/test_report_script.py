"""A witness as a standalone script, run as its readers would."""

import functools
import math
import re
import subprocess
import sys
import textwrap

import numpy as np
import pytest

from dpaudit.claims import ApproxDP, GaussianDP, PureDP
from dpaudit.evidence import Event
from dpaudit.outputs.encode import encode
from dpaudit.reference import parse_reference, reference
from dpaudit.report.script import needs
from dpaudit.statistical.events import label_event
from tests.reporting import witness
from tests.sweeps import sampled

SHOP = """
import numpy as np

def count(data, rng):
    return len(data) + rng.laplace(scale=0.05)

def scaled(data, scale, rng):
    return len(data) + rng.laplace(scale=scale)

def many(data, size, rng):
    return len(data) + rng.laplace(scale=0.05, size=size)

def raising(data):
    if len(data) > 1:
        raise ValueError("two")
    return np.random.laplace()
"""


@pytest.fixture
def shop(tmp_path):
    package = tmp_path / "shop"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "release.py").write_text(SHOP)
    return tmp_path


def run(folder, script, *arguments):
    file = folder / "replay.py"
    file.write_text(script)
    return subprocess.run(
        [sys.executable, "-W", "error", str(file), *map(str, arguments)],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )


def seen(output):
    """Return (left, right) counts that a script printed."""
    rows = re.findall(r"^(?:left|right) +([\d,]+) of", output, re.M)
    return tuple(int(row.replace(",", "")) for row in rows)


def test_script_imports_the_mechanism_and_prints_counts_rates_and_bound(shop):
    done = run(shop, witness().script(), 2_000)
    assert done.stderr == ""
    left, right = seen(done.stdout)
    assert left > 1_950
    assert right < 50
    bound = float(re.search(r"epsilon is at least ([\d.]+)", done.stdout)[1])
    assert 3 < bound < 10
    assert "these counts contradict PureDP(1.0)" in done.stdout


def test_script_gives_the_same_counts_for_the_same_seed(shop):
    script = witness(event=Event("output > 2", "output > 2")).script()
    first, again = (run(shop, script, 500, 3).stdout for _ in range(2))
    assert first == again
    assert first != run(shop, script, 500, 4).stdout


@pytest.mark.parametrize(
    ("confidence", "said"),
    [(1.0, "both probabilities were computed"), (0.999, "noise was steered, and what came of it")],
)
def test_script_of_what_nobody_counted_says_so(shop, confidence, said):
    script = witness(counts=None, confidence=confidence).script()
    assert f"\nseen       not counted: {said}" in script
    assert "left against right" not in script
    assert seen(run(shop, script, 200).stdout)


RARE = """
def tail(data, rng):
    return rng.laplace(scale=1.0 + 0.2 * len(data))
"""


@pytest.mark.parametrize(("cut", "enough"), [(9.0, 100_000), (60.0, None)])
def test_default_calls_of_a_script_show_the_violation_or_it_says_that_none_do(
    tmp_path, cut, enough
):
    """Scales 1.2 and 1.4: events beyond `cut` have the ratio e^(cut/8.4). 1 seed in 10 fails."""
    p, q = (0.5 * math.exp(-cut / scale) for scale in (1.4, 1.2))
    claim = PureDP(0.2)
    told = witness(
        counts=None,
        confidence=1.0,
        mechanism="tail",
        source=RARE,
        claim=claim,
        left=[1.0, 1.0],
        right=[1.0],
        event=Event(f"output >= {cut}", f"output >= {cut}"),
        probabilities=(p, q),
    )
    script = told.script()
    calls = int(re.search(r'arguments\(calls="(\d+)"', script)[1])
    if enough is None:
        assert "too rare, or the difference too small" in script
        assert "too rare, or the difference too small" in needs(told)
        return
    assert enough <= calls < 10 * enough
    done = run(tmp_path, script)
    assert "these counts contradict PureDP(0.2)" in done.stdout


def test_script_does_not_need_dpaudit(shop):
    script = witness().script()
    assert "import dpaudit" not in script
    blocked = "import sys\nsys.modules['dpaudit'] = None\n"
    assert seen(run(shop, blocked + script, 200).stdout)


def test_script_counts_exceptions_as_outputs_and_calls_without_a_generator(shop):
    raised = Event("output raises ValueError", "isinstance(output, ValueError)")
    script = witness(mechanism="shop.release:raising", takes_rng=False, event=raised).script()
    assert seen(run(shop, script, 100).stdout) == (100, 0)


def test_script_calls_a_vectorized_mechanism_in_batches(shop):
    script = witness(mechanism="shop.release:many", vectorized=True).script()
    left, right = seen(run(shop, script, 150_000).stdout)
    assert left > 149_000
    assert right < 1_000


def test_script_passes_what_a_partial_fixed(shop):
    named = "functools.partial(shop.release:scaled, scale=0.05)"
    left, right = seen(run(shop, witness(mechanism=named).script(), 1_000).stdout)
    assert left > 950
    assert right < 50


def test_script_of_a_lambda_embeds_its_source(tmp_path):
    source = "audit(lambda data, rng: len(data) + rng.laplace(scale=0.05), PureDP(1.0))\n"
    script = witness(mechanism="__main__:<lambda>", source=source).script()
    assert seen(run(tmp_path, script, 500).stdout)[0] > 450


def test_script_of_a_local_function_embeds_it_without_its_mark(tmp_path):
    source = """
        @dpaudit.vectorized
        def count(data, size, rng):
            noise = rng.laplace(scale=0.05, size=size)
            return len(data) + noise
    """
    script = witness(
        mechanism="tests.x:test.<locals>.count", vectorized=True, source=textwrap.indent(source, "")
    ).script()
    assert seen(run(tmp_path, script, 500).stdout)[0] > 450


@pytest.mark.parametrize(
    ("mechanism", "source", "told"),
    sampled(
        [
            (
                "shop:make.<locals>.count",
                "def count(data, rng):\n    return len(data) + rng.laplace(scale=scale)\n",
                "uses names from where it was defined: scale",
            ),
            (
                "shop:Release.count of an object",
                "    def count(self, data):\n        return 1\n",
                "cannot be imported",
            ),
            ("functools.partial(shop:count, …)", "def count(data): return 1", "cannot be imported"),
            ("shop:Release(…)", "", "cannot be imported"),
            ("shop:odd", "", None),
        ],
        3,
    ),
)
def test_script_that_cannot_find_the_mechanism_says_what_to_bind(tmp_path, mechanism, source, told):
    done = run(tmp_path, witness(mechanism=mechanism, source=source).script(), 10)
    assert done.returncode == 2
    if told is None:
        assert done.stderr.startswith("the mechanism cannot be imported (ModuleNotFoundError: No ")
    else:
        assert "bind `mechanism` at the top" in done.stderr
        assert told in (tmp_path / "replay.py").read_text()


def test_output_of_another_kind_is_outside_the_event(shop):
    script = witness(event=Event("third entry above 1", "output[2] > 1")).script()
    assert seen(run(shop, script, 50).stdout) == (0, 0)


@pytest.mark.parametrize("claim", [ApproxDP(1.0, 1e-3), GaussianDP(1.0)])
def test_script_judges_counts_by_any_claim(shop, claim):
    done = run(shop, witness(claim=claim).script(), 2_000)
    assert "these counts contradict" in done.stdout
    assert done.returncode == 0


@pytest.mark.parametrize(
    "broken", ["import nothing_of_the_kind", "raise SystemExit(0)", "count = 1 +", "def other(): 1"]
)
def test_script_ends_with_2_where_the_module_of_the_mechanism_cannot_be_imported(shop, broken):
    (shop / "shop" / "release.py").write_text(broken)
    done = run(shop, witness().script(), 10)
    assert done.returncode == 2
    assert done.stderr.startswith("the mechanism cannot be imported (")
    assert "Traceback" not in done.stderr


def test_script_ends_with_2_where_counting_fails(shop):
    done = run(shop, witness().script(), 10, 2**40)
    assert done.returncode == 2
    assert done.stderr.startswith("nothing could be counted (ValueError: ")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({}, "all its bets together"),
        ({"counts": None, "confidence": 1.0}, "the audit computed both probabilities"),
        ({"counts": None}, "the audit steered the noise to this event"),
        ({"first_calls": True}, "the audit counted this event alone"),
    ],
)
def test_script_says_what_the_audit_did_beyond_its_counts(changes, said):
    script = witness(**changes).script()
    assert said in script
    assert ("bets" in script) is (not changes)


def test_script_counts_an_exit_as_an_output(shop):
    (shop / "shop" / "release.py").write_text("def count(data, rng):\n    raise SystemExit(0)\n")
    left = Event("output raises SystemExit", "isinstance(output, SystemExit)")
    assert seen(run(shop, witness(event=left).script(), 10).stdout) == (10, 10)


def test_script_does_not_accuse_on_few_calls(shop):
    done = run(shop, witness().script(), 2)
    said = done.stdout
    assert done.returncode == 1
    assert "do not contradict" in said
    assert "more calls" not in said


@pytest.mark.parametrize(
    "arguments", sampled([("many",), (0,), (10, -1), (10, "x"), (10, 0, 0)], 2)
)
def test_script_answers_bad_arguments_with_its_usage(shop, arguments):
    done = run(shop, witness().script(), *arguments)
    assert done.returncode == 2
    assert done.stderr.startswith("usage: python FILE [CALLS] [SEED]")


@pytest.mark.parametrize("missing", ["numpy", "scipy"])
def test_script_names_the_library_that_is_missing(shop, missing):
    script = witness().script()
    blocked = script.replace("import sys\n", f"import sys\nsys.path[:0] = ['{missing}-less']\n", 1)
    (shop / f"{missing}-less" / missing).mkdir(parents=True)
    fake = f"raise ModuleNotFoundError('none', name={missing!r})"
    (shop / f"{missing}-less" / missing / "__init__.py").write_text(fake)
    done = run(shop, blocked, 10)
    assert done.returncode == 2
    assert done.stderr == (
        f"this replay needs {missing}: install it with python -m pip install {missing}\n"
    )


def test_script_of_a_function_in_its_source_leaves_out_its_examples(tmp_path):
    source = "@dpaudit.example([1.0, 2.0], [1.0])\ndef count(data, rng):\n    return 0\n"
    script = witness(mechanism="<locals>:f.<locals>.count", source=source).script()
    assert "dpaudit.example" not in script
    assert seen(run(tmp_path, script, 10).stdout)


def test_untrusted_words_cannot_break_out_of_the_script(shop):
    words = '"""\nimport os; os.abort()\n"""\\'
    script = witness(event=Event(words, "output > 1.5"), how=words).script()
    assert run(shop, script, 10).returncode in (0, 1)


def test_reference_names_what_an_import_finds():
    def local(data):
        return data

    assert reference(np.linspace) == "numpy:linspace"
    assert reference("a.b:c") == "a.b:c"
    assert reference(functools.partial(np.linspace, 0, num=3)) == (
        "functools.partial(numpy:linspace, 0, num=3)"
    )
    assert parse_reference(reference(functools.partial(np.linspace, 0))) == (
        "numpy",
        "linspace",
        "0",
    )
    for unnamed in (local, lambda data: data, [].append, functools.partial(local, print)):
        assert parse_reference(reference(unnamed)) is None


@pytest.mark.parametrize("output", [{}, {3: 1.0}, {"a": 1.0, (2, None): 2.0}])
def test_the_event_of_the_keys_of_a_dictionary_holds_of_it_alone(output):
    columns = encode([output, {"other": 1.0}])
    codes, words = columns.labels[".keys"]
    event = label_event(".keys", words[codes[0]])
    assert eval(event.source, {"output": output})
    assert not any(eval(event.source, {"output": other}) for other in ({"other": 1.0}, 2.0))
    assert not event.words.endswith(" ")
