"""Buckets of similar lengths, for `bucket_by_sequence_length`."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, final

import jax.numpy as jnp
import numpy as np

from stratagem._base.errors import InvalidArgumentError
from stratagem._core.values import TensorShape
from stratagem._data.elements._nest import map_leaves


@final
@dataclass(frozen=True)
class BucketBoundaries:
    """Assigns elements to buckets, and determines how each bucket is batched.

    length: the length of an element; the members of a tuple are its arguments. boundaries: lengths at which the next
    bucket begins. sizes: the batch size of every bucket. to_boundary: elements are padded to the greatest length of
    their bucket.

    Raises:
        ValueError: the numbers of boundaries and sizes do not fit.
    """

    length: Callable[..., Any]
    boundaries: tuple[int, ...]
    sizes: tuple[int, ...]
    to_boundary: bool

    def __post_init__(self) -> None:
        if len(self.sizes) != len(self.boundaries) + 1:
            raise ValueError(
                "`len(bucket_batch_sizes)` must equal `len(bucket_boundaries) + 1` but "
                f"`len(bucket_batch_sizes)={len(self.sizes)}` and `len(bucket_boundaries)={len(self.boundaries)}`."
            )

    def bucket(self, *element: Any) -> Any:
        """The index of an element's bucket."""
        return jnp.sum(jnp.asarray(np.asarray(self.boundaries, np.int32)) <= self.length(*element))

    def size(self, bucket: Any) -> int:
        """The batch size of a bucket."""
        return self.sizes[int(bucket)]

    def shapes(self, bucket: Any, specs: Any, given: Any) -> Any:
        """The shapes to which the elements of a bucket are padded; None leaves them to their specs.

        Raises:
            InvalidArgumentError: the bucket has no boundary to pad to.
        """
        if not self.to_boundary:
            return given
        if int(bucket) == len(self.boundaries):
            raise InvalidArgumentError(
                "When pad_to_bucket_boundary=True, elements must have length < max(bucket_boundaries), which is "
                f"{self.boundaries[-1]}."
            )
        longest = self.boundaries[int(bucket)] - 1
        wanted = map_leaves(lambda spec: spec.shape, specs) if given is None else given
        return map_leaves(lambda _, shape: _filled(shape, longest), specs, wanted)


def _filled(shape: Any, size: int) -> TensorShape:
    sizes = [shape] if shape is None or (np.ndim(shape) == 0 and not isinstance(shape, TensorShape)) else list(shape)
    return TensorShape([size if s is None or int(s) == -1 else int(s) for s in sizes])
