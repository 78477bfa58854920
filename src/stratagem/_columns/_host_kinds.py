"""The columns whose methods compute on the host, as exports describe them: by their fields, and a vocabulary by its words."""

import dataclasses
from collections.abc import Mapping
from typing import Any

import numpy as np

from stratagem._base.types import UserFunction
from stratagem._columns._categories import (
    HashedCategoricalColumn,
    IdentityCategoricalColumn,
    VocabularyFileCategoricalColumn,
    VocabularyListCategoricalColumn,
)
from stratagem._columns._column import FeatureColumn
from stratagem._columns._crosses import entries_to_cross
from stratagem._columns._entries import positions, spread
from stratagem._columns._sequences import SequenceNumericColumn
from stratagem._core.step import HostKind, host_kind, named_host_function
from stratagem._ops import string, tensor


def _by_fields(column: FeatureColumn) -> dict[str, Any]:
    return {each.name: getattr(column, each.name) for each in dataclasses.fields(column)}  # type: ignore[arg-type]


def _kind(owner: type, method: str) -> HostKind:
    def make(facts: Mapping[str, Any]) -> UserFunction:
        found: UserFunction = getattr(owner(**facts), method)
        return found

    return HostKind(f"feature_column.{owner.__name__}", owner, method, _by_fields, make)


def _list_facts(column: VocabularyListCategoricalColumn) -> dict[str, Any]:
    words = np.asarray(tensor(column.words, None if column.dtype.is_integer else string))
    return {**_by_fields(column), "vocabulary_list": words}


def _list(facts: Mapping[str, Any]) -> UserFunction:
    words = tuple(facts["vocabulary_list"].tolist())
    return VocabularyListCategoricalColumn(**{**facts, "vocabulary_list": words})._identified


def _file_facts(column: VocabularyFileCategoricalColumn) -> dict[str, Any]:
    return _list_facts(column.for_files())


def _numeric_facts(column: SequenceNumericColumn) -> dict[str, Any]:
    # What the user's function makes of the feature comes before.
    return {**_by_fields(column), "normalizer_fn": None}


def _numeric(facts: Mapping[str, Any]) -> UserFunction:
    return SequenceNumericColumn(**facts)._spread


def describe_columns() -> None:
    """Let SavedModels describe feature columns, and be loaded with them by a process that has made none."""
    for each in (
        _kind(IdentityCategoricalColumn, "_identified"),
        _kind(HashedCategoricalColumn, "_identified"),
        HostKind("feature_column.Vocabulary", VocabularyListCategoricalColumn, "_identified", _list_facts, _list),
        HostKind("feature_column.VocabularyFile", VocabularyFileCategoricalColumn, "_identified", _file_facts, _list),
        HostKind("feature_column.SequenceNumeric", SequenceNumericColumn, "_spread", _numeric_facts, _numeric),
    ):
        host_kind(each)
    named_host_function("feature_column.entries", spread)
    named_host_function("feature_column.positions", positions)
    named_host_function("feature_column.entries_to_cross", entries_to_cross)
