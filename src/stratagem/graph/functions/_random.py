"""Random numbers with TensorFlow 1's names and arguments."""

from typing import Any

from stratagem import ops
from stratagem.graph.functions._named import named
from stratagem.ops import Tensor
from stratagem.ops.sampling import categorical
from stratagem.ops.sampling import poisson as _poisson


def multinomial(
    logits: Any, num_samples: Any, seed: int | None = None, name: str | None = None, output_dtype: Any = None
) -> Tensor:
    """Class numbers drawn with the probabilities softmax(logits): (n, classes) to (n, num_samples), int64 if not given."""
    return categorical(logits, num_samples, ops.int64 if output_dtype is None else output_dtype, seed)


@named
def poisson(lam: Any, shape: Any, dtype: Any = ops.float32, seed: int | None = None, name: str | None = None) -> Tensor:
    """Counts of events that come at the rate `lam`: (*shape, *lam.shape). TensorFlow 2 has the shape first."""
    return _poisson(shape, lam, dtype, seed)
