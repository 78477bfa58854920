"""Parses batches of serialized SequenceExamples: `tf.io.parse_sequence_example`."""

import functools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from stratagem._base.errors import InvalidArgumentError
from stratagem._base.exports import exported
from stratagem._core.step import host_function
from stratagem._data.elements._nest import Array
from stratagem._data.files._features import FeatureParser, FixedLenSequenceFeature, VarLenFeature, each
from stratagem._data.files._host_tensor import numbers, text
from stratagem._data.files._messages import SequenceExample
from stratagem._data.files._parse import parse_single_sequence_example, parsed_message, parsed_steps
from stratagem._data.files._ragged_feature import RaggedFeature
from stratagem._ops.sparse import SparseTensor

_Parsed = dict[str, Any]


@exported("io.parse_sequence_example")
@host_function
def parse_sequence_example(
    serialized: Any,
    context_features: Mapping[str, FeatureParser] | None = None,
    sequence_features: Mapping[str, FeatureParser] | None = None,
    example_names: Any = None,
    name: str | None = None,
) -> tuple[_Parsed, _Parsed, _Parsed]:
    """The contexts, the feature lists and the lengths of a vector of serialized SequenceExamples; or of a scalar.

    sequence_features: FixedLenSequenceFeature gives (n, longest, *shape), filled up with zeros or "", and lengths (n,), int64;
    VarLenFeature gives a SparseTensor (n, longest, most values of a step), RaggedFeature a RaggedTensor.
    example_names: strings, for errors.

    Raises:
        ValueError: no features, or ones that are not of these kinds, or a default value of a sequence.
        InvalidArgumentError: not a vector of SequenceExamples, or a feature is missing or has another type or length.
    """
    context, sequences = context_features or {}, sequence_features or {}
    _check(context, sequences)
    array = text(serialized, "parse_sequence_example", ValueError)
    if array.ndim == 0:
        one, lists = parse_single_sequence_example(array, context, sequences)
        lengths = {key: numbers(np.asarray(len(lists[key]), np.int64)) for key in _fixed(sequences)}
        return one, lists, lengths
    if array.ndim != 1:
        raise InvalidArgumentError(f"Expected serialized to be a scalar or vector, got shape: {list(array.shape)}")
    names = ["<unknown>"] * len(array)
    if example_names is not None:
        names = [n.decode() for n in text(example_names, "parse_sequence_example", ValueError).tolist()]
    messages = [parsed_message(SequenceExample, data) for data in array.tolist()]
    contexts = {
        key: expected.of_examples(key, [m.context.feature for m in messages], names)
        for key, expected in context.items()
    }
    found: _Parsed = {}
    sizes: _Parsed = {}
    for key, expected in sequences.items():
        lists_of_key = [m.feature_lists.feature_list.get(key) for m in messages]
        if isinstance(expected, RaggedFeature):
            read = functools.partial(parsed_steps, key, expected)
            found[key] = expected.in_rows(each(read, lists_of_key, names))
        elif isinstance(expected, VarLenFeature):
            found[key] = _sparse(key, expected, lists_of_key, names)
        else:
            found[key], sizes[key] = _padded(key, expected, lists_of_key, names)
    return contexts, found, sizes


def _fixed(sequences: Mapping[str, FeatureParser]) -> list[str]:
    return [key for key, expected in sequences.items() if isinstance(expected, FixedLenSequenceFeature)]


def _check(context: Mapping[str, FeatureParser], sequences: Mapping[str, FeatureParser]) -> None:
    if not context and not sequences:
        raise ValueError("At least one of context_features and sequence_features is needed.")
    for key, expected in context.items():
        if not isinstance(expected, FeatureParser) or isinstance(expected, FixedLenSequenceFeature):
            raise ValueError(
                f"Unsupported {expected!r:.100} for the context's key {key!r}. Use FixedLenFeature, VarLenFeature or "
                "RaggedFeature."
            )
    for key, expected in sequences.items():
        if not isinstance(expected, FixedLenSequenceFeature | VarLenFeature | RaggedFeature):
            raise ValueError(
                f"Unsupported {expected!r:.100} for the feature list {key!r}. Use FixedLenSequenceFeature, VarLenFeature "
                "or RaggedFeature."
            )
        if isinstance(expected, FixedLenSequenceFeature) and expected.default_value is not None:
            raise ValueError(
                f"The default_value of the feature list {key!r} must be None: sequences are filled up with zeros."
            )


def _padded(key: str, expected: Any, lists: Sequence[Any], names: Sequence[str]) -> tuple[Array, Array]:
    """The steps of all examples, filled up to the longest, and their numbers."""
    rows = each(lambda found: parsed_steps(key, expected, found), lists, names)
    lengths = np.asarray([len(row) for row in rows], np.int64)
    result = np.full((len(rows), lengths.max(initial=0), *expected.dims), expected.kind.zero, expected.kind.dtype)
    for i, row in enumerate(rows):
        result[i, : len(row)] = row
    return numbers(result), numbers(lengths)


def _sparse(key: str, expected: VarLenFeature, lists: Sequence[Any], names: Sequence[str]) -> SparseTensor:
    """The values of all steps by example, step and place."""
    examples: list[SparseTensor] = each(lambda found: parsed_steps(key, expected, found), lists, names)
    parts = [np.asarray(example.indices) for example in examples]
    indices = [np.insert(part, 0, i, axis=1) for i, part in enumerate(parts)]
    values = [np.asarray(example.values) for example in examples]
    shapes = [np.asarray(example.dense_shape) for example in examples]
    largest = np.max(np.stack([np.zeros(2, np.int64), *shapes]), axis=0)
    shape = np.concatenate([np.asarray([len(examples)], np.int64), largest])
    joined = np.concatenate([np.empty((0, 3), np.int64), *indices])
    return SparseTensor(
        numbers(joined), numbers(np.concatenate([np.empty(0, expected.kind.dtype), *values])), numbers(shape)
    )
