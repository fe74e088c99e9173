"""Neighbors from pandera schemas and Pydantic models."""

import enum
import math
import re
from itertools import islice
from typing import Annotated, Literal

import numpy as np
import pandas as pd
import pandera.pandas as pa
import pandera.polars
import polars as pl
import pytest
from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    PositiveInt,
    StringConstraints,
    ValidationError,
    field_validator,
    model_validator,
)

from dpaudit import AddRemove, AnyPair, PureDP, ReplaceOne, Verdict, verify
from dpaudit.neighbors import Categorical, Integer, Real, Row, dataset_to_source


class City(enum.StrEnum):
    BERN = "Bern"
    ZUG = "Zug"


class Color(enum.Enum):
    RED = 1
    BLUE = 2


class Person(BaseModel):
    age: int = Field(ge=0, lt=120)
    income: float | None = Field(None, ge=0, le=1e6)
    city: City
    color: Color
    answer: Literal["yes", "no"] | None
    member: bool = False
    name: str = Field(max_length=5, min_length=1)
    code: Annotated[str, StringConstraints(pattern="^[a-c]{2}$")]


FIRST = {"age": 3, "income": None, "city": "Zug", "color": Color.RED, "answer": None,
         "member": True, "name": "a", "code": "ab"}  # fmt: skip
SCHEMA = pa.DataFrameSchema(
    {
        "age": pa.Column(int, pa.Check.in_range(0, 120, include_max=False)),
        "income": pa.Column(float, [pa.Check.gt(0), pa.Check.le(1e6)], nullable=True),
        "city": pa.Column(str, pa.Check.isin(["Bern", "Zug"])),
        "member": pa.Column(bool),
        "name": pa.Column(str, pa.Check.str_length(1, 5)),
        "code": pa.Column(str, pa.Check.str_matches("[a-c]{2}$")),
    }
)


class Visit(pa.DataFrameModel):
    minutes: float = pa.Field(ge=0, le=60)
    city: str = pa.Field(isin=["Bern", "Zug"])


def rows(neighbors, count=60):
    """Records of the first pairs."""
    for pair in islice(neighbors.pairs(np.random.default_rng(0)), count):
        yield from (*pair.left, *pair.right)


def test_a_pydantic_model_gives_the_domain_of_each_field():
    domain = AddRemove(Person, container="list").records
    assert dict(domain.fields) | {"name": None, "code": None} == {
        "age": Integer(0, 119),
        "income": Real(0, 1e6, allow_missing=True),
        "city": Categorical(["Bern", "Zug"]),
        "color": Categorical([Color.RED, Color.BLUE]),
        "answer": Categorical(["yes", "no"], allow_missing=True),
        "member": Categorical([False, True]),
        "name": None,
        "code": None,
    }


@pytest.mark.parametrize(
    "neighbors",
    [
        AddRemove(Person, container="list"),
        ReplaceOne(Person, size=3, container="list"),
        AddRemove.around([FIRST], Person),
    ],
    ids=lambda neighbors: type(neighbors).__name__,
)
def test_every_record_that_is_tried_is_one_of_the_pydantic_model(neighbors):
    seen = list(rows(neighbors))
    assert len(seen) > 20
    for row in seen:
        assert Person.model_validate(row).model_dump() == row
    assert all(dataset_to_source([row]) for row in seen[:20])


def test_two_records_of_a_model_are_any_pair():
    pair = next(AnyPair(Person).pairs(np.random.default_rng(0)))
    assert Person.model_validate(pair.left) != Person.model_validate(pair.right)


def test_a_pandera_schema_gives_the_domain_of_each_column_and_frames():
    neighbors = AddRemove(SCHEMA)
    assert neighbors.container == "pandas"
    assert dict(neighbors.records.fields) | {"name": None, "code": None} == {
        "age": Integer(0, 119),
        "income": Real(math.nextafter(0, 1), 1e6, allow_missing=True),
        "city": Categorical(["Bern", "Zug"]),
        "member": Categorical([False, True]),
        "name": None,
        "code": None,
    }


@pytest.mark.parametrize(
    "neighbors",
    [
        AddRemove(SCHEMA, min_size=1),
        ReplaceOne(Visit, size=4),
        AddRemove.around(pd.DataFrame({"minutes": [3.5], "city": ["Zug"]}), Visit, min_size=1),
    ],
    ids=lambda neighbors: type(neighbors).__name__,
)
def test_every_frame_that_is_tried_passes_the_pandera_schema(neighbors):
    schema = SCHEMA if "age" in neighbors.records.names else Visit.to_schema()
    for pair in islice(neighbors.pairs(np.random.default_rng(1)), 12):
        for side in (pair.left, pair.right):
            schema.validate(side)


def test_a_polars_schema_gives_polars_frames():
    schema = pandera.polars.DataFrameSchema(
        {"x": pandera.polars.Column(float, [pandera.polars.Check.in_range(0, 1)])}
    )
    pair = next(AddRemove(schema).pairs(np.random.default_rng(0)))
    assert isinstance(pair.left, pl.DataFrame)
    assert schema.validate(pair.left).equals(pair.left)


def test_a_schema_of_a_series_gives_bare_records():
    neighbors = AddRemove(pa.SeriesSchema(float, pa.Check.in_range(0, 9)))
    assert neighbors.records == Real(0, 9)
    assert isinstance(next(neighbors.pairs(np.random.default_rng(0))).left, pd.Series)


def test_given_records_keep_their_dtypes_which_bound_integers():
    frame = pd.DataFrame({"n": np.array([3], np.int8), "c": pd.Categorical(["u"], ["u", "v"])})
    schema = pa.DataFrameSchema({"n": pa.Column("int8"), "c": pa.Column(pa.Category(["u", "v"]))})
    around = AddRemove.around(frame, schema)
    assert around.records == Row(n=Integer(-128, 127), c=Categorical(["u", "v"]))
    with pytest.raises(ValueError, match=r"`n` .* dtype int8, .*around"):
        AddRemove(schema)


def test_what_an_enumeration_is_dumped_as_is_what_the_records_hold():
    class Plain(BaseModel):
        model_config = ConfigDict(use_enum_values=True)
        color: Color

    assert AddRemove(Plain).records == Row(color=Categorical([1, 2]))


def test_limits_hold_at_their_very_ends():
    class Tight(BaseModel):
        x: float = Field(gt=0.1, lt=0.3)
        n: int = Field(gt=-2, le=2)

    x, n = AddRemove(Tight).records.domains
    assert (n.low, n.high) == (-1, 2)
    for value, admitted in ((x.low, True), (x.high, True), (0.1, False), (0.3, False)):
        assert x.contains(value) == admitted
        try:
            Tight(x=value, n=0)
        except ValidationError:
            assert not admitted
        else:
            assert admitted
    assert math.nextafter(x.low, 0) == 0.1
    assert math.nextafter(x.high, 1) == 0.3


def _doubled(value):
    return value


class _Field(BaseModel):
    x: bool

    @field_validator("x")
    @classmethod
    def check(cls, value):
        return value


class _Whole(BaseModel):
    x: bool

    @model_validator(mode="after")
    def check(self):
        return self


class _Open(BaseModel):
    model_config = ConfigDict(extra="allow")
    x: bool


class _Nested(BaseModel):
    person: _Field


def _model(annotation):
    return type("Model", (BaseModel,), {"__annotations__": {"x": annotation}})


def _frame(*arguments, **options):
    return pa.DataFrameSchema({"x": pa.Column(*arguments, **options)}, name="Frame")


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        (_model(int), "`x` of `Model` is of type int without lower bound; give it ge="),
        (_model(PositiveInt), "`x` of `Model` is of type int without upper bound; give it le="),
        (_model(Annotated[float, Field(ge=0)]), "float without upper bound"),
        (_model(str), "holds any text; list its values, or give it max_length="),
        (_model(Annotated[int, Field(ge=0, le=9, multiple_of=3)]), "multiple_of=3"),
        (_model(Annotated[bool, AfterValidator(_doubled)]), "a validator of its own"),
        (_model(Annotated[str, StringConstraints(max_length=3, to_lower=True)]), "to_lower"),
        (_model(list[bool]), "the type 'list'"),
        (_model(bool | Literal["x"]), "the type 'union'"),
        (_Field, "a validator of its own"),
        (_Whole, "`_Whole` has more than fields"),
        (_Open, "extra='allow'"),
        (_Nested, "the type 'model'"),
        (_frame(float), "`x` of `Frame` is of type float without lower bound"),
        (_frame(int, pa.Check.ge(0, raise_warning=True)), "int without lower bound"),
        (_frame(int, [pa.Check.in_range(0, 9), pa.Check(lambda s: s > 0)]), "check '<lambda>'"),
        (_frame(str), "holds any text"),
        (_frame(pa.Category, pa.Check.isin(["a"])), "dtype category"),
        (_frame("float32", pa.Check.in_range(0, 9)), "dtype float32"),
        (_frame("datetime64[ns]"), "dtype datetime64"),
        (_frame(bool, unique=True), "unique=True"),
        (_frame(bool, required=False), "required=False"),
        (pa.DataFrameSchema({"x": pa.Column(bool)}, unique=["x"]), "unique"),
        (pa.DataFrameSchema({"x": pa.Column(bool)}, pa.Check(lambda f: f.x.any())), "checks"),
        (pa.DataFrameSchema({"x": pa.Column(bool)}, index=pa.Index(int)), "index"),
    ],
)
def test_what_bounds_no_record_is_refused_with_the_fact_and_the_remedy(schema, words):
    with pytest.raises(ValueError, match=re.escape(words)) as caught:
        AddRemove(schema)
    assert "or write the records yourself: Row(" in str(caught.value)


def test_a_mechanism_on_frames_is_proved_and_refuted_for_what_the_schema_bounds():
    def total(data, rng):
        return data["minutes"].sum() + rng.laplace(scale=60.0)

    assert verify(total, PureDP(1.0), AddRemove(Visit)).verdict is Verdict.VERIFIED
    assert verify(total, PureDP(0.5), AddRemove(Visit)).verdict is Verdict.REFUTED
