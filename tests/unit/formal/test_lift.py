import functools
import math

import numpy as np
import pytest

from dpaudit import vectorized
from dpaudit.collect import collect
from dpaudit.formal.hashing import to_dict
from dpaudit.formal.lift import lift
from dpaudit.formal.lifting.calibrations import run
from dpaudit.formal.lifting.known import may_run
from dpaudit.formal.program import Assign, Call, Constant, Draw, Function, Generator, walk
from dpaudit.formal.unsupported import Unsupported
from mechanisms.gaussian import analytic_sigma
from mechanisms.mean import mean_public_size
from tests.unit.formal import lifted


def reseeds(data):
    np.random.seed(0)  # noqa: NPY002
    return data


def draws_after_a_seed(data, again=lambda: reseeds(0)):
    return np.random.laplace()  # noqa: NPY002


def names_code(data):
    total = 0
    for x in data:
        if x > 1:
            rounding = math.floor
            total += rounding(x)
    return total


def calls(program):
    return {n.function for n in walk(program.entry) if isinstance(n, Call)}


def draws(program):
    return [node for node in walk(program.entry) if isinstance(node, Draw)]


def line_of(function):
    return function.__code__.co_firstlineno


def test_a_variable_of_code_that_nobody_reads_is_left_out_of_inner_blocks():
    assigned = [n.target.id for n in walk(lift(names_code).entry) if isinstance(n, Assign)]
    assert assigned == ["total"]


def test_names_of_libraries_are_canonical_whichever_way_they_were_imported():
    expected = {"numpy.clip", "method.sum", "math.exp", "math.log", "operator.add"}
    assert expected | {"numpy.linalg.norm", "numpy.add.outer"} == calls(
        lift(lifted.canonical_names)
    )


def test_arguments_of_draws_have_the_names_that_numpy_gives_them():
    laplace, integers, normal, choice = sorted(
        draws(lift(lifted.draws)),
        key=lambda d: ["laplace", "integers", "normal", "choice"].index(d.family),
    )
    assert [name for name, _ in laplace.arguments] == ["loc", "scale"]
    assert laplace.argument("scale").value == 2.0
    assert [name for name, _ in integers.arguments] == ["low", "high", "endpoint"]
    assert [name for name, _ in normal.arguments] == ["scale", "size"]
    assert [name for name, _ in choice.arguments] == ["a", "p"]
    assert laplace.generator.origin == "argument"


def test_numpy_s_names_of_positional_arguments_are_those_of_its_signatures():
    import inspect

    from dpaudit.formal.lifting.draws import GENERATOR

    for name, parameters in GENERATOR.items():
        signature = inspect.signature(getattr(np.random.Generator, name))
        positional = [p.name for p in signature.parameters.values() if p.kind is not p.KEYWORD_ONLY]
        assert tuple(positional[1:]) == parameters, name


def test_draws_of_numpy_s_shared_generator_are_draws():
    found = draws(lift(lifted.legacy))
    assert {draw.family for draw in found} == {"laplace", "random", "integers"}
    assert {draw.generator.origin for draw in found} == {"global"}


def test_draws_of_the_standard_library_are_translated():
    found = {draw.family: draw for draw in draws(lift(lifted.standard_library))}
    scale = found["exponential"].argument("scale")
    assert (scale.function, scale.arguments[0].value) == ("operator.truediv", 1)
    assert [name for name, _ in found["normal"].arguments] == ["loc", "scale"]
    origins = [d.generator.origin for d in draws(lift(lifted.standard_library))]
    assert sorted(origins) == ["fresh", "global", "global", "global"]


@pytest.mark.parametrize(
    ("mechanism", "origin"), [(lifted.fresh, "fresh"), (lifted.seeded, "seeded")]
)
def test_generators_made_inside_are_told_apart(mechanism, origin):
    made = [node for node in walk(lift(mechanism).entry) if isinstance(node, Generator)]
    assert [node.origin for node in made] == [origin]


def test_a_generator_that_may_be_given_is_followed():
    program = lift(lifted.given_or_fresh)
    assert program.rng == "rng"
    assert [draw.family for draw in draws(program)] == ["laplace"]


def test_functions_that_are_called_are_read_and_nested_ones_see_what_is_around():
    program = lift(lifted.through_functions)
    called = {f.name for f in calls(program) if isinstance(f, Function)}
    assert called == {"scaled", "calibrated"}
    assert len(program.sources) == 4


def test_a_short_function_that_draws_stands_where_it_is_called():
    assert "operator.call" not in calls(lift(lifted.through_functions))
    assert not [f for f in calls(lift(lifted.passes_generator)) if isinstance(f, Function)]


def test_a_generator_that_is_passed_on_is_followed_under_its_new_name():
    (draw,) = draws(lift(lifted.passes_generator))
    assert draw.family == "laplace"
    assert draw.generator.origin == "argument"


def test_chains_of_comparisons_evaluate_the_middle_once():
    assert len(draws(lift(lifted.chained))) == 1


def test_a_callable_object_is_lifted_with_its_attributes_as_constants():
    (draw,) = draws(lift(lifted.Mechanism(3.0)))
    assert draw.argument("scale").value == 3.0


def test_a_function_that_is_a_default_is_read_with_the_mechanism():
    def shown(data, rng, *, query=lifted.scaled):
        return query(data, rng)

    [call] = [n for n in walk(lift(shown).entry) if isinstance(n, Call)][:1]
    assert call.function.name == "scaled"
    given = lift(functools.partial(shown, query=len))
    assert calls(given) == {"builtins.len"}


def test_a_function_that_is_a_default_and_replaced_is_not_taken_for_it():
    def shown(data, rng, *, query=lifted.scaled):
        query = data[0]
        return query(data)

    [call] = [n for n in walk(lift(shown).entry) if isinstance(n, Call)]
    assert call.function == "operator.call"


def test_partial_and_default_values_are_fixed_and_others_symbolic():
    program = lift(functools.partial(lifted.scaled, scale=5.0))
    assert program.fixed["scale"].value == 5.0
    program = lift(lifted.symbolic)
    assert program.symbolic == ("epsilon",)
    assert set(program.fixed) == {"clip"}
    assert lift(mean_public_size, symbolic=["epsilon"]).symbolic == ("epsilon",)


def test_of_a_vectorized_mechanism_one_output_is_lifted():
    @vectorized
    def many(data, size, rng):
        return rng.laplace(size=size)

    program = lift(many)
    assert (program.data, program.rng, program.fixed["size"].value) == ("data", "rng", 1)


def test_values_of_closures_and_globals_are_those_of_the_live_function():
    def made(scale):
        return lambda data, rng: data.sum() + rng.laplace(scale=scale)

    (draw,) = draws(lift(made(7.0)))
    assert draw.argument("scale").value == 7.0


def test_of_two_lambdas_on_a_line_the_one_that_runs_is_lifted():
    assert len(draws(lift(lifted.first))) == 1
    assert not draws(lift(lifted.second))


def test_a_decorator_s_wrapper_is_lifted_with_what_it_wraps():
    program = lift(lifted.decorated)
    assert program.entry.name == "wrapper"
    assert [draw.family for draw in draws(program)] == ["laplace"]


def test_errstate_that_only_silences_warnings_is_read_through():
    (returned,) = lift(lifted.quiet).entry.body
    assert returned.value.function == "operator.truediv"


BAD = {
    lifted.writes_global: "global",
    lifted.changes_container: "which other calls see",
    lifted.changes_by_method: "which other calls see",
    lifted.changes_under_another_name: "another name for 'ANSWERS'",
    lifted.changes_default: "which other calls see",
    lifted.adds_to_default: "which other calls see",
    functools.partial(lifted.adds, np.zeros(2)): "a change to 'total'",
    lifted.sets_attribute: "attribute set on an object",
    lifted.yields: "yield",
    lifted.opens: "with",
    lifted.blames: "a cause that is computed",
    lifted.imports: "the import of 'lifted' inside a function",
    lifted.evaluates: "builtins.eval",
    lifted.defines_class: "a class inside a function that uses its variable",
    lifted.seeded_generator: "a generator that outlives the call",
    lifted.cached_noise: "remembers its results",
    lifted.recursive: "recursion",
    lifted.expands: "** in a call",
    draws_after_a_seed: "noise of a module's generator, and this file seeds one",
    lifted.uses_unknown: "'not_defined_anywhere' is not defined",
    lifted.keywords: "** among the parameters",
    lifted.Mechanism(1.0).counts_calls: "attribute set on an object",
    lifted.same: "several functions '<lambda>' start on this line",
}


@pytest.mark.parametrize("mechanism", BAD, ids=lambda m: getattr(m, "__name__", "object"))
def test_what_is_not_lifted_is_named_with_its_line(mechanism):
    with pytest.raises(Unsupported) as raised:
        lift(mechanism)
    assert BAD[mechanism] in raised.value.what
    place = raised.value.place
    assert place.file.endswith(("lifted.py", "test_lift.py"))
    assert place.line >= line_of(getattr(mechanism, "func", mechanism))
    assert str(raised.value).startswith(f"{place.file}:{place.line}: ")


def test_a_wrapper_that_passes_anything_on_is_what_it_wraps():
    program = lift(lifted.decorated_blindly)
    assert program.entry.name == "decorated_blindly"
    assert any(name.endswith("wrapper") for name in program.sources)


@pytest.mark.parametrize(
    "mechanism", [len, np.sort, sum, str.upper, np.add], ids=lambda m: m.__name__
)
def test_functions_without_python_source_are_not_lifted(mechanism):
    with pytest.raises(Unsupported):
        lift(mechanism)


def test_a_recursive_function_that_is_called_stays_a_function_that_can_only_be_run():
    (function,) = calls(lift(lifted.recursive_on_data))
    assert isinstance(function, Constant)
    assert run(function.value, [5], {}, "error") == (120,)


def test_a_function_that_changes_what_it_gets_is_run_for_no_value():
    assert run(lifted.adds, [np.zeros(2), np.ones(2)], {}, "error") is None


def test_a_global_that_a_called_function_changes_is_no_constant():
    with pytest.raises(Unsupported, match="'GRID', which may change"):
        lift(lifted.adds_through_a_call)


def test_a_function_that_passes_for_numpy_s_is_read(monkeypatch):
    def clip(data, low, high):
        return data

    clip.__module__, clip.__qualname__ = "numpy", "clip"
    monkeypatch.setattr("numpy.clip", clip)
    (function,) = calls(lift(lambda data: np.clip(data, 0, 1)))
    assert isinstance(function, Function)


def test_only_functions_of_the_same_result_in_every_process_may_be_run():
    assert may_run(analytic_sigma)
    assert run(analytic_sigma, [1.0, 1e-5], {}, "error") == (analytic_sigma(1.0, 1e-5),)
    for function in (np.random.laplace, hash, open, id, lifted.fresh, lifted.writes_global):
        assert not may_run(function)


# Every audited mechanism that is not lifted, and why.
NOT_LIFTED = {
    "audits/additive.py::seed_from_data": "a call of builtins.hash",
    "audits/additive.py::raw_cache": "the global variable '_answers', which may change: "
    "pass it in as a parameter",
    "audits/nonprivate.py::pseudonyms": "** in a call",
    "audits/nonprivate.py::shuffled_conditions": "** in a call",
    "audits/nonprivate.py::truncated_identifiers": "** in a call",
    "audits/summary_statistics.py::count_of_earlier_calls": (
        "a change to '_seen', which other calls see; change a copy"
    ),
}


def reason_not_lifted(audit):
    mechanism = getattr(audit, "mechanism", None)
    if not callable(mechanism):
        return None
    try:
        program = lift(mechanism)
    except Unsupported as unsupported:
        return unsupported.what if unsupported.place else "nowhere"
    assert to_dict(program)
    return None


def test_every_audited_mechanism_is_lifted_but_for_those_that_are_listed():
    missing = {}
    for collected in collect(["audits"]).audits:
        if collected.audit.over is not None:
            continue
        what = reason_not_lifted(collected.audit)
        if what is not None:
            missing[collected.name] = what
    assert missing == NOT_LIFTED
