import functools
import random
import sys
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from dpaudit.reference import reference
from dpaudit.subject import Subject, imported, vectorized


def noisy_sum(data, rng):
    return data.sum() + rng.laplace()


def count(data):
    return len(data)


def scaled(data, rng, scale):
    return data.sum() + scale * rng.laplace()


class Server:
    def __init__(self, data, rng):
        self.data, self.rng = data, rng

    def count(self):
        return len(self.data) + self.rng.laplace()


class Settings:
    def __init__(self, epsilon=1.0):
        self.epsilon = epsilon

    def _scale(self):
        return 1 / self.epsilon

    def release(self, data, rng):
        return data.sum() + rng.laplace(scale=self._scale())

    def total(self, data):
        return data.sum()


class Mechanism:
    def __init__(self, scale):
        self.scale = scale

    def __call__(self, data, rng):
        return data.sum() + rng.laplace(scale=self.scale)

    def release(self, data, rng):
        return self(data, rng)


@vectorized
def many(data, size, rng):
    return data.sum() + rng.laplace(size=size)


DATA = np.array([1.0, 2.0])


def call(subject):
    rng = np.random.default_rng(0)
    return subject.function(DATA, rng) if subject.takes_rng else subject.function(DATA)


@pytest.mark.parametrize(
    ("mechanism", "takes_rng"),
    [
        (noisy_sum, True),
        (count, False),
        (lambda data: 1.0, False),
        (lambda data, generator: generator.random(), True),
        (lambda data, epsilon=1.0: epsilon, False),
        (lambda data, rng=None: rng.random(), True),
        (lambda data, *, rng: rng.random(), True),
        (lambda data, rng=42: float(rng), False),
        (lambda data, generator, rng=42: generator.random() + rng, True),
        (functools.partial(scaled, scale=2.0, rng=42), True),
        (lambda data, epsilon=1.0, rng=None: rng.random() + epsilon, True),
        (functools.partial(scaled, scale=2.0), True),
        (functools.partial(scaled, scale=2.0, rng=None), True),
        (Mechanism(1.0), True),
        (Mechanism(1.0).release, True),
        (lambda *args: len(args), False),
        (np.mean, False),
        (len, False),
    ],
)
def test_any_callable_of_data_or_data_and_generator_is_a_subject(mechanism, takes_rng):
    subject = Subject.of(mechanism)
    assert subject.takes_rng is takes_rng
    assert np.isfinite(call(subject))
    assert subject.name
    assert len(subject.source_hash) == 64


def test_a_subject_knows_its_source():
    subject = Subject.of(functools.partial(scaled, scale=2.0))
    assert subject.name == "scaled"
    assert subject.source is not None
    assert subject.source.startswith("def scaled(data, rng, scale):")
    assert subject.file == __file__
    lines = Path(__file__).read_text().splitlines()
    assert lines[subject.line - 1].startswith("def scaled")


def test_the_hash_of_the_source_tells_fixed_arguments_apart():
    once, again, other = (
        Subject.of(functools.partial(scaled, scale=scale)).source_hash for scale in (1.0, 1.0, 2.0)
    )
    assert once == again != other


def test_a_subject_without_source_still_has_a_hash():
    space = {}
    exec("def hidden(data):\n    return 1.0", space)
    subject = Subject.of(space["hidden"])
    assert subject.source is None
    assert len(subject.source_hash) == 64


def test_a_partial_is_made_again_from_what_is_written_of_it():
    name = f"functools.partial({__name__}:scaled, scale=-2.0)"
    again = imported(name)
    assert (again.func, again.args, again.keywords) == (scaled, (), {"scale": -2.0})
    assert reference(again) == name
    assert Subject.of(name).source_hash == Subject.of(again).source_hash


@pytest.mark.parametrize(
    "arguments",
    ["scale=print('no')", "*[1]", "**{'scale': 1}", "scale=np.array([1])", "…", "1)(2", "1), f(2"],
)
def test_a_partial_whose_arguments_are_no_literals_is_refused(arguments):
    with pytest.raises(ValueError, match="its arguments must be literals"):
        imported(f"functools.partial({__name__}:scaled, {arguments})")


def test_a_vectorized_mechanism_is_marked_through_partial_too():
    assert Subject.of(many).vectorized
    assert Subject.of(functools.partial(many)).vectorized
    assert not Subject.of(noisy_sum).vectorized


def test_a_subject_is_its_own_subject():
    subject = Subject.of(count)
    assert Subject.of(subject) is subject


def test_module_and_function_are_found_by_name():
    assert Subject.of("statistics:mean").name == "mean"
    assert Subject.of("collections:OrderedDict.fromkeys").name == "fromkeys"


@pytest.mark.parametrize("place", ["statistics", "statistics:", ":mean", "statistics:a b"])
def test_a_malformed_place_is_refused_with_an_example(place):
    with pytest.raises(ValueError, match=r"must read 'module:function'.*for example"):
        Subject.of(place)


def test_a_missing_module_is_refused_with_a_remedy():
    with pytest.raises(ImportError, match=r"'no_such_module'.*PYTHONPATH"):
        Subject.of("no_such_module:release")


def test_a_module_that_raises_is_to_be_mended_not_to_be_looked_for(tmp_path, monkeypatch):
    (tmp_path / "unparsable_module.py").write_text("def f(:\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ImportError, match=r"SyntaxError.*mend it first"):
        Subject.of("unparsable_module:f")


def test_a_module_that_fails_while_it_is_imported_is_refused(tmp_path, monkeypatch):
    (tmp_path / "fails_on_import.py").write_text("raise RuntimeError('broken module')")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    with pytest.raises(ImportError, match=r"RuntimeError: broken module"):
        Subject.of("fails_on_import:release")


def test_a_missing_function_is_refused_with_those_that_exist():
    with pytest.raises(ImportError, match=r"has no 'median_of_means'; it defines .*mean"):
        Subject.of("statistics:median_of_means")


@pytest.mark.parametrize("thing", [3, None, [1.0], b"text"])
def test_what_is_not_callable_is_refused(thing):
    with pytest.raises(TypeError, match=r"must be callable, got .*pass a function"):
        Subject.of(thing)


@pytest.mark.parametrize(
    "mechanism",
    [
        lambda: 1.0,
        lambda data, rng, scale: scale,
        lambda data, *, scale: scale,
        scaled,
    ],
)
def test_other_required_parameters_are_refused_with_the_remedy(mechanism):
    with pytest.raises(TypeError, match=r"must take \(data\) or \(data, rng\).*partial"):
        Subject.of(mechanism)


def test_a_vectorized_mechanism_must_take_data_size_and_generator():
    with pytest.raises(TypeError, match=r"must take \(data, size, rng\)"):
        Subject.of(vectorized(lambda data: data))


def test_a_vectorized_generator_function_is_refused():
    with pytest.raises(TypeError, match=r"vectorized, and a generator function or async"):
        Subject.of(vectorized(lambda data, size, rng: (yield)))


@pytest.mark.parametrize("place", ["shop/release.py:f", "./release.py:f", "release.py:f"])
def test_a_file_where_a_module_is_to_be_is_told_how_modules_are_named(place):
    with pytest.raises(ImportError, match=r"as import names it, such as 'mypackage\.release'"):
        imported(place)


def test_a_module_that_is_not_found_is_told_where_to_run():
    with pytest.raises(ImportError, match="run where 'import nowhere_at_all' works"):
        imported("nowhere_at_all:f")


NUMBERS = [1, 1.0, True, 1j, Fraction(1, 2), Decimal("0.5"), np.float64(1), np.float32(1),
           np.int64(1), np.bool_(1)]  # fmt: skip


@pytest.mark.parametrize("default", NUMBERS, ids=lambda each: f"{type(each).__name__}")
@pytest.mark.parametrize("name", ["epsilon", "scale", "x"])
@pytest.mark.parametrize("rest", ["", ", rng=None", ", *rest", ", *, rng"])
def test_a_first_parameter_whose_default_is_a_number_is_no_dataset(default, name, rest):
    scope = {"default": default}
    exec(f"def release({name}=default{rest}): return 0", scope)
    with pytest.raises(TypeError, match=f"first parameter {name}=.*wrap it, such as lambda data"):
        Subject.of(scope["release"])


@pytest.mark.parametrize("name", ["rng", "generator", "random_state", "seed"])
@pytest.mark.parametrize("default", [None, 7, np.random.default_rng(1), random.Random(1)])
def test_a_first_parameter_with_a_default_that_is_named_as_randomness_is_no_dataset(name, default):
    scope = {"default": default}
    exec(f"def release({name}=default, other=None): return 0", scope)
    with pytest.raises(TypeError, match=r"wrap it, such as lambda data"):
        Subject.of(scope["release"])


def test_a_first_parameter_with_a_default_that_may_be_a_dataset_is_the_dataset():
    for default in (None, (), [], np.zeros(3), "text"):
        assert not Subject.of(lambda data=default: 0).takes_rng
    fixed = functools.partial(lambda data, rng, epsilon: 0, epsilon=1.0)
    assert Subject.of(fixed).takes_rng
    with pytest.raises(TypeError, match="wrap it"):
        Subject.of(functools.partial(lambda rows, epsilon=1.0: 0, [1, 2]))


def test_a_third_parameter_is_vectorized_only_if_it_is_a_size():
    def own(data, epsilon, rng):
        return data

    with pytest.raises(TypeError, match=r"functools.partial$"):
        Subject.of(lambda data, rng, epsilon: data)
    with pytest.raises(
        TypeError, match=r"as in `lambda data, rng: own\(data, epsilon=…, rng=rng\)`"
    ):
        Subject.of(own)
    with pytest.raises(TypeError, match=r"or mark it with @dpaudit.vectorized$"):
        Subject.of(lambda data, size, rng: data)


@pytest.mark.parametrize("method", [Settings.release, Settings.total, Server.count])
def test_a_method_without_an_object_is_refused_with_a_function_that_makes_one(method):
    with pytest.raises(TypeError, match="is a method without an object; write a function") as told:
        Subject.of(method)
    assert f"return {method.__qualname__.replace('.', '(…).')}(…)" in str(told.value)


def test_a_class_whose_constructor_takes_settings_is_refused_with_a_function_that_makes_one():
    with pytest.raises(TypeError, match=r"return Settings\(…\)\.release\(…\)"):
        Subject.of(Settings)


def test_an_object_that_is_not_callable_is_refused_with_the_name_of_a_method():
    with pytest.raises(TypeError, match="or a method of the object, such as release"):
        Subject.of(Settings())


def test_an_assumption_says_that_the_output_of_a_class_is_the_whole_object():
    said = "the observer sees the object Server with all its attributes"
    assert any(said in sentence for sentence in Subject.of(Server).assumptions())
    assert Subject.of(Settings().release).assumptions() == ()
