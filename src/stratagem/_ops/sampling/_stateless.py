"""`tf.random.stateless_*`: random tensors that depend on a seed alone, TensorFlow's numbers to the bit or nearly."""

from typing import Any

from stratagem._base.exports import exported
from stratagem._base.types import DTypeLike, ShapeLike
from stratagem._ops._arrays import stack
from stratagem._ops._convert import Tensor, tensor
from stratagem._ops._dtypes import float32, int64
from stratagem._ops._symbolic import name_results
from stratagem._ops.sampling._algorithms import stateless_stream
from stratagem._ops.sampling._orders_and_classes import draw_classes, shuffled
from stratagem._ops.sampling._stream_draws import draw_full_range, draw_normal, draw_truncated_normal, draw_uniform


@exported("random.stateless_normal")
def stateless_normal(
    shape: ShapeLike,
    seed: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: DTypeLike = float32,
    name: str | None = None,
    alg: Any = "auto_select",
) -> Tensor:
    """Returns normally distributed numbers, within 2 units in the last place of TensorFlow's (float64: equal).

    seed: two integers. Raises InvalidArgumentError for another seed, ValueError for an unknown algorithm or dtype.
    """
    return draw_normal(stateless_stream(seed, alg), shape, mean, stddev, dtype)


@exported("random.stateless_uniform")
def stateless_uniform(
    shape: ShapeLike,
    seed: Any,
    minval: Any = 0,
    maxval: Any = None,
    dtype: DTypeLike = float32,
    name: str | None = None,
    alg: Any = "auto_select",
) -> Tensor:
    """Returns TensorFlow's uniform numbers of [minval, maxval); integers over their whole range if both are None.

    seed: two integers. Raises InvalidArgumentError for another seed and for an empty range, ValueError for integers
    with one bound and for an unknown algorithm or dtype.
    """
    return draw_uniform(stateless_stream(seed, alg), shape, minval, maxval, dtype)


@exported("random.stateless_truncated_normal")
def stateless_truncated_normal(
    shape: ShapeLike,
    seed: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: DTypeLike = float32,
    name: str | None = None,
    alg: Any = "auto_select",
) -> Tensor:
    """Returns normal numbers within two standard deviations, nearly TensorFlow's, as `stateless_normal` does."""
    return draw_truncated_normal(stateless_stream(seed, alg), shape, mean, stddev, dtype)


@exported("random.stateless_categorical")
def stateless_categorical(
    logits: Any, num_samples: Any, seed: Any, dtype: DTypeLike = int64, name: str | None = None
) -> Tensor:
    """Draws class numbers with these unnormalized log-probabilities: (batch, classes) to (batch, num_samples).

    Raises InvalidArgumentError for logits that are no matrix, ValueError for a dtype other than int32 and int64.
    """
    return draw_classes(stateless_stream(seed), logits, num_samples, dtype)


@exported("random.experimental.stateless_shuffle")
def stateless_shuffle(value: Any, seed: Any, alg: Any = "auto_select", name: str | None = None) -> Tensor:
    """Returns the rows in TensorFlow's order for this seed (two integers). The swaps follow each other: a loop over rows."""
    return shuffled(stateless_stream(seed, alg), tensor(value))


@exported("random.split", "random.experimental.stateless_split")
def split(seed: Any, num: int = 2, alg: Any = "auto_select") -> Tensor:
    """Returns `num` new seeds, those of TensorFlow: (num, 2), of the seed's dtype."""
    given = tensor(seed)
    return draw_full_range(stateless_stream(given, alg), (num, 2), given.dtype)


@exported("random.fold_in", "random.experimental.stateless_fold_in")
def fold_in(seed: Any, data: Any, alg: Any = "auto_select") -> Tensor:
    """Combines a seed and an integer scalar to TensorFlow's new seed: (2,), of the integer's dtype."""
    number = tensor(data)
    return stack([draw_full_range(stateless_stream(seed, alg), (), number.dtype), number])


name_results(globals())
