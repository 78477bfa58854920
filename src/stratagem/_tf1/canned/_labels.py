"""The labels and the weights of heads: their shapes, their range, and the ids of labels that are strings."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, final

import jax.numpy as jnp
import numpy as np

from stratagem._columns import NumericColumn
from stratagem._core.step import TracedStrings, host_function
from stratagem._core.values import CompositeTensor
from stratagem._ops import Assert, Tensor, tensor

_NO_LABELS = (
    "You must provide a labels Tensor. Given: None. Check that the input_fn returns (features, labels), and that the data has "
    "the label."
)


@final
@dataclass(frozen=True)
class LabelVocabulary:
    """The strings that labels may be, in the order of their ids."""

    words: tuple[str | bytes, ...]

    @property
    def encoded(self) -> tuple[bytes, ...]:
        """The strings as tensors have them."""
        return tuple(word.encode() if isinstance(word, str) else word for word in self.words)

    def ids(self, labels: Any) -> Tensor:
        """Returns the ids of labels, int64; -1 for a label that is none of the words."""
        return host_function(self._found)(labels)

    def _found(self, labels: Any) -> Any:
        places = {word: place for place, word in enumerate(self.encoded)}
        flat = [places.get(label, -1) for label in np.asarray(labels).ravel().tolist()]
        return np.array(flat, np.int64).reshape(np.shape(labels))


def checked_vocabulary(label_vocabulary: Sequence[str] | None, n_classes: int | None = None) -> LabelVocabulary | None:
    """Returns the vocabulary; None for none. Raises ValueError for no list or tuple, another length, and repetitions."""
    if label_vocabulary is None:
        return None
    if not isinstance(label_vocabulary, list | tuple):
        raise ValueError(f"label_vocabulary should be a list or a tuple. Given type: {type(label_vocabulary)}")
    if n_classes is not None and len(label_vocabulary) != n_classes:
        raise ValueError(
            f"Length of label_vocabulary must equal to n_classes ({n_classes}). Given: {len(label_vocabulary)}, "
            f"{label_vocabulary}."
        )
    if len(set(label_vocabulary)) != len(label_vocabulary):
        raise ValueError(f"label_vocabulary has a label twice: {label_vocabulary}")
    return LabelVocabulary(tuple(label_vocabulary))


def are_strings(labels: Any) -> bool:
    """Returns True for a tensor of strings."""
    return isinstance(labels, TracedStrings) or np.dtype(getattr(labels, "dtype", np.float32)).hasobject


def checked_logits(logits: Any, dimension: int) -> Tensor:
    """Returns logits as float32. Raises ValueError unless they are (batch, ..., dimension)."""
    found = tensor(logits).astype(np.float32)
    if found.ndim < 2 or found.shape[-1] != dimension:
        raise ValueError(
            f"logits shape must be [D0, D1, ... DN, logits_dimension], here with a logits_dimension of {dimension}, got "
            f"{tuple(found.shape)}."
        )
    return found


def dense_labels(labels: Any, logits: Tensor, dimension: int) -> Any:
    """Returns labels as (batch, ..., dimension); a dimension of 1 that is missing is added.

    Raises ValueError for no labels, for sparse ones, and for another shape.
    """
    if labels is None:
        raise ValueError(_NO_LABELS)
    if isinstance(labels, Mapping):
        raise ValueError(f"labels must be a Tensor, for one head. Given a dict of {sorted(map(str, labels))}.")
    if isinstance(labels, CompositeTensor):
        raise ValueError(
            f"{type(labels).__name__} labels are not supported. Labels must be a Tensor of shape [D0, D1, ..., DN, "
            f"{dimension}], e.g. [batch_size, {dimension}]: use tf.sparse.to_dense in the input_fn."
        )
    given = labels if are_strings(labels) else tensor(labels)
    found = given
    if len(found.shape) == logits.ndim - 1 and logits.ndim > 1:
        found = found[..., None]
    wanted = (*logits.shape[:-1], dimension)
    if tuple(found.shape) != wanted:
        raise ValueError(
            f"Mismatched label shape. Expected labels dimension={dimension}, a shape of {wanted}. Received "
            f"{tuple(given.shape)}. Check n_classes or label_dimension of the Estimator, and the shape of the labels."
        )
    return found


def in_range(ids: Tensor, n_classes: int, message: str | None = None) -> Tensor:
    """Returns labels that are from 0 to n_classes - 1; others raise InvalidArgumentError, in a step when it runs."""
    fine = jnp.all((ids >= 0) & (ids <= n_classes - 1))
    Assert(fine, [message or f"Labels must be in the range [0, {n_classes - 1}].", ids])
    return ids


def class_ids(labels: Any, vocabulary: LabelVocabulary | None, n_classes: int) -> Tensor:
    """Returns the ids of labels, which are checked when the step runs. Raises ValueError for strings without a vocabulary."""
    if vocabulary is None:
        if are_strings(labels):
            raise ValueError("Labels are strings: give the head or the Estimator a label_vocabulary.")
        return in_range(labels, n_classes)
    if not are_strings(labels):
        raise ValueError(
            f"Labels dtype should be string if there is a vocabulary. Instead got {getattr(labels, 'dtype', labels)}."
        )
    return in_range(
        vocabulary.ids(labels), n_classes, f"Labels must be in the label_vocabulary {list(vocabulary.words)}."
    )


def checked_weight_column(weight_column: Any) -> NumericColumn | str | None:
    """Returns the column of weights, by its key or as a numeric one. Raises TypeError for anything else."""
    if weight_column is None or isinstance(weight_column, str | NumericColumn):
        return weight_column
    raise TypeError(f"Weight column must be either a string or NumericColumn. Given type: {type(weight_column)}.")


def example_weights(
    features: Mapping[str, Any] | None, weight_column: Any, logits: Tensor, *, per_logit: bool = False
) -> Tensor | float:
    """Returns the weights of examples, (batch, ..., 1), float32; 1.0 without a column.

    per_logit: (batch, ..., dimension) are weights, too. Raises ValueError for features without the key and other shapes.
    """
    column: Any = checked_weight_column(weight_column)
    if column is None:
        return 1.0
    key, normalize = (column, None) if isinstance(column, str) else (column.key, column.normalizer_fn)
    if features is None or key not in features:
        raise ValueError(f"weight_column {key!r} is not in the features, which are {sorted(features or {})}.")
    given = tensor(features[key])
    weights = tensor(given if normalize is None else normalize(given))
    if weights.dtype == object or weights.dtype == bool:
        raise ValueError(f"Weight column {key!r} should be castable to float. Given dtype: {weights.dtype}.")
    weights = weights.astype(np.float32)
    if weights.ndim == logits.ndim - 1:
        weights = weights[..., None]
    wanted = [(*logits.shape[:-1], 1), *([tuple(logits.shape)] if per_logit else [])]
    if tuple(weights.shape) not in wanted:
        raise ValueError(
            f"weights shape must be {' or '.join(map(str, wanted))}, or without the last dimension, for logits of the shape "
            f"{tuple(logits.shape)}. weight_column {key!r} has {tuple(given.shape)}."
        )
    return weights
