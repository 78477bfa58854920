"""Parses serialized Examples to tensors: `tf.io.parse_example` and its relatives."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from google.protobuf.message import DecodeError

from stratagem._base.errors import InvalidArgumentError
from stratagem._base.exports import exported
from stratagem._core.step import host_function, joint
from stratagem._data.elements._nest import Array
from stratagem._data.files._columns import columns_of
from stratagem._data.files._features import (
    FeatureParser,
    FixedLenFeature,
    FixedLenSequenceFeature,
    VarLenFeature,
    sparse_rows,
)
from stratagem._data.files._host_tensor import numbers, text
from stratagem._data.files._messages import Example, SequenceExample
from stratagem._data.files._ragged_feature import RaggedFeature


def _parse_stacked(
    serialized: Array,
    features: Mapping[str, FeatureParser],
    example_names: Any = None,
    name: str | None = None,
) -> dict[str, Any] | None:
    """Returns the results of `parse_single_example` and `parse_example` for many tensors of strings, stacked.

    None if the sizes of results depend on the records. Raises LookupError for records that are not laid out alike.
    """
    if example_names is not None or not features:
        return None
    if not all(isinstance(expected, FixedLenFeature) for expected in features.values()):
        return None
    found = _of_columns(serialized.ravel().tolist(), features)
    if found is None:
        raise LookupError("The records are no columns.")
    return {key: np.asarray(made).reshape(*serialized.shape, *made.shape[1:]) for key, made in found.items()}


@exported("io.parse_single_example", v1=())
@host_function
@joint(_parse_stacked)
def parse_single_example(
    serialized: Any, features: Mapping[str, FeatureParser], example_names: object = None, name: str | None = None
) -> dict[str, Any]:
    """The features of one serialized Example by name: tensors, and what VarLenFeature and RaggedFeature say.

    serialized: a scalar string. Numbers stay in host memory until they are used in a computation.

    Raises:
        ValueError: `features` is empty or holds something else, `serialized` is not a scalar.
        InvalidArgumentError: not an Example, or a feature is missing or has another type or length; the text names it.
    """
    _check(features)
    found = parsed_message(Example, _scalar(serialized)).features.feature
    return {key: expected.of_example(key, found) for key, expected in features.items()}


@exported("io.parse_example", v1=())
@host_function
@joint(_parse_stacked)
def parse_example(
    serialized: Any,
    features: Mapping[str, FeatureParser],
    example_names: Any = None,
    name: str | None = None,
) -> dict[str, Any]:
    """The features of a vector of serialized Examples, stacked; for a scalar, those of `parse_single_example`.

    example_names: strings, one per Example, for errors.

    Raises:
        ValueError, InvalidArgumentError: in the same cases as `parse_single_example`.
    """
    _check(features)
    array = text(serialized, "parse_example", ValueError)
    if array.ndim == 0:
        return parse_single_example(array, features)
    if array.ndim != 1:
        raise InvalidArgumentError(f"Expected serialized to be a scalar or vector, got shape: {list(array.shape)}")
    names = ["<unknown>"] * len(array)
    if example_names is not None:
        names = [n.decode() for n in text(example_names, "parse_example", ValueError).tolist()]
    records = array.tolist()
    made = _of_columns(records, features)
    if made is not None:
        return made
    found = [parsed_message(Example, data).features.feature for data in records]
    return {key: expected.of_examples(key, found, names) for key, expected in features.items()}


def _of_columns(records: Sequence[bytes], features: Mapping[str, FeatureParser]) -> dict[str, Any] | None:
    """The features of several Examples, stacked; None if they are not laid out alike, or lack some."""
    needed = {name for key, expected in features.items() for name in expected.keys(key)}
    columns = columns_of(records, needed)
    if columns is None or needed != columns.keys():
        return None
    made = {key: expected.of_columns(key, columns) for key, expected in features.items()}
    return made if all(tensor is not None for tensor in made.values()) else None


@exported("io.parse_single_sequence_example", v1=["parse_single_sequence_example", "io.parse_single_sequence_example"])
@host_function
def parse_single_sequence_example(
    serialized: Any,
    context_features: Mapping[str, FeatureParser] | None = None,
    sequence_features: Mapping[str, FeatureParser] | None = None,
    example_name: object = None,
    name: str | None = None,
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The context and the feature lists of one serialized SequenceExample.

    sequence_features: FixedLenSequenceFeature gives (steps, *shape), VarLenFeature a sparse matrix (steps, longest),
    RaggedFeature a ragged one.

    Raises:
        ValueError, InvalidArgumentError: in the same cases as `parse_single_example`.
    """
    if not context_features and not sequence_features:
        raise ValueError("At least one of context_features and sequence_features is needed.")
    message = parsed_message(SequenceExample, _scalar(serialized))
    context, lists = message.context.feature, message.feature_lists.feature_list
    _check(context_features or {}, empty=True)
    parsed = {key: expected.of_example(key, context) for key, expected in (context_features or {}).items()}
    steps = {key: parsed_steps(key, expected, lists.get(key)) for key, expected in (sequence_features or {}).items()}
    return parsed, steps


def parsed_steps(key: str, expected: Any, found: Any) -> Any:
    """The steps of one feature list: (steps, *shape), or a SparseTensor (steps, longest). found: None if it is missing.

    Raises:
        ValueError, InvalidArgumentError: in the same cases as `parse_single_sequence_example`.
    """
    steps = [] if found is None else found.feature
    if isinstance(expected, RaggedFeature) and not expected.partitions:
        return expected.in_rows([expected.one(key, step) for step in steps])
    if isinstance(expected, VarLenFeature):
        return sparse_rows([expected.values(key, step) for step in steps], expected.kind)
    if not isinstance(expected, FixedLenSequenceFeature):
        raise ValueError(
            f"Unsupported {type(expected).__name__} for the feature list {key!r}. "
            "Use FixedLenSequenceFeature, VarLenFeature, or RaggedFeature without partitions."
        )
    if found is None and not expected.allow_missing:
        raise InvalidArgumentError(
            f"Feature list '{key}' is required but could not be found. With allow_missing=True it would be empty."
        )
    result = np.empty((len(steps), *expected.dims), expected.kind.dtype)
    for i, step in enumerate(steps):
        values = expected.values(key, step)
        if values is None or len(values) != math.prod(expected.dims):
            raise InvalidArgumentError(
                f"Key: {key}, Index: {i}.  Number of values != expected.  values size: "
                f"{0 if values is None else len(values)} but output shape: {list(expected.dims)}"
            )
        result[i, ...] = values.reshape(expected.dims)
    return numbers(result)


def _check(features: Mapping[str, FeatureParser], *, empty: bool = False) -> None:
    if not features and not empty:
        raise ValueError("Invalid argument: features cannot be None or empty. Name the features to parse.")
    for key, expected in features.items():
        if not isinstance(expected, FeatureParser):
            raise ValueError(
                f"Unsupported {type(expected).__name__} {expected!r:.100} for key {key!r}. Use tf.io.FixedLenFeature, "
                "FixedLenSequenceFeature, VarLenFeature or RaggedFeature."
            )


def _scalar(serialized: Any) -> bytes:
    if isinstance(serialized, bytes):
        return serialized
    array: Array = text(serialized, "parse_single_example", ValueError)
    if array.ndim:
        raise ValueError(
            f"Input serialized must be a scalar, got shape {list(array.shape)}. Use parse_example for a batch."
        )
    value: bytes = array.item()
    return value


def parsed_message(kind: Any, data: bytes) -> Any:
    """A serialized message. Raises InvalidArgumentError if it is none of this kind."""
    try:
        return kind.FromString(data)
    except DecodeError as error:
        raise InvalidArgumentError(
            f"Could not parse example input: {len(data)} bytes that start with {data[:20]!r} are no serialized "
            f"{kind.DESCRIPTOR.name}."
        ) from error
