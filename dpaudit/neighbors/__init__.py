"""Which datasets are neighboring, and the pairs worth trying."""

from dpaudit.neighbors.add_remove import AddRemove
from dpaudit.neighbors.any_pair import AnyPair
from dpaudit.neighbors.around import Around
from dpaudit.neighbors.categorical import Categorical
from dpaudit.neighbors.listed import Pairs
from dpaudit.neighbors.numbers import Integer, Real
from dpaudit.neighbors.pair import Neighbors, Pair
from dpaudit.neighbors.queries import QueryAnswers
from dpaudit.neighbors.records import Records
from dpaudit.neighbors.replace_one import ReplaceOne, ZeroOut
from dpaudit.neighbors.row import Row
from dpaudit.neighbors.source import dataset_to_source, dataset_to_text

__all__ = [
    "AddRemove",
    "AnyPair",
    "Around",
    "Categorical",
    "Integer",
    "Neighbors",
    "Pair",
    "Pairs",
    "QueryAnswers",
    "Real",
    "Records",
    "ReplaceOne",
    "Row",
    "ZeroOut",
    "dataset_to_source",
    "dataset_to_text",
]
