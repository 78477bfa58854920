"""Random numbers under names that only TensorFlow 1 has."""

from typing import Any

from stratagem import ops
from stratagem.ops import Tensor
from stratagem.ops.sampling import categorical


def multinomial(
    logits: Any, num_samples: Any, seed: int | None = None, name: str | None = None, output_dtype: Any = None
) -> Tensor:
    """Class numbers drawn with the probabilities softmax(logits): (n, classes) to (n, num_samples), int64 if not given."""
    return categorical(logits, num_samples, ops.int64 if output_dtype is None else output_dtype, seed)
