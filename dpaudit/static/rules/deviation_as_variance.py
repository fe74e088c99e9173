"""A standard deviation where a variance is asked."""

from __future__ import annotations

from collections.abc import Iterator

from dpaudit.static.facts import Facts
from dpaudit.static.forms import Form
from dpaudit.static.library import DEVIATIONS, VARIANCES
from dpaudit.static.rule import Hit, Rule


def look(facts: Facts) -> Iterator[Hit]:
    """Yield covariances and variances of the first power of a deviation, and roots of one."""
    for call in facts.calls:
        if (
            call.name == "multivariate_normal"
            and len(call.arguments) > 1
            and call.arguments[1].marks & {"factor:sigma", "factor:std", "deviation"}
        ):
            yield Hit(call.place, "a standard deviation stands on the diagonal of a covariance")
        for name, value in call.parameters.items():
            if VARIANCES.match(name) and _is_deviation(value.form):
                yield Hit(call.place, f"a standard deviation is passed for `{name}`")
    for operation in facts.operations:
        for value, noise in (
            (operation.left, operation.right),
            (operation.right, operation.left),
        ):
            normal = any(d.family == "standard_normal" for d in facts.drawn(noise))
            if operation.operator == "Mult" and noise.noise and normal and _is_root(value.form):
                yield Hit(operation.place, "the root of a standard deviation scales the noise")
    for draw in facts.draws:
        if draw.family == "normal" and draw.scale is not None and _is_root(draw.scale.form):
            yield Hit(draw.place, "the root of a standard deviation is the scale of the noise")


def _is_root(form: Form | None) -> bool:
    if form is None or len(form.powers) != 1:
        return False
    name, power = form.powers[0]
    return power == 0.5 and bool(DEVIATIONS.match(name))


def _is_deviation(form: Form | None) -> bool:
    if form is None or len(form.powers) != 1:
        return False
    name, power = form.powers[0]
    return (power == 1 and bool(DEVIATIONS.match(name))) or (
        power == 0.5 and bool(VARIANCES.match(name))
    )


RULE = Rule(
    "DPA106",
    "deviation-as-variance",
    "A standard deviation is passed where a variance is asked, or its root is taken again.",
    bad="""\
def noisy_answers(answers, rng, sigma=2.0):
    return rng.multivariate_normal(answers, sigma * np.eye(3))

def noisy_answer(answer, rng, sigma=2.0):
    return answer + math.sqrt(sigma) * rng.standard_normal()
""",
    good="""\
def noisy_answers(answers, rng, sigma=2.0):
    return rng.multivariate_normal(answers, sigma**2 * np.eye(3))
""",
    look=look,
)
