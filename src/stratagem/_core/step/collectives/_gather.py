"""Gathers values of all replicas inside a trace; their numbers of rows may differ."""

from typing import Any

import jax
import jax.numpy as jnp

from stratagem._base.errors import InvalidArgumentError
from stratagem._core.context import recording
from stratagem._core.mesh import AXIS


def gathered(value: Any) -> list[Any]:
    """Returns every replica's value in its own shape. Raises InvalidArgumentError for different ranks."""
    return _every(value, recording().shapes_everywhere(tuple(value.shape)))


def concatenated(value: Any, axis: int) -> Any:
    """Concatenates the replicas' values along `axis`. Raises InvalidArgumentError if other dimensions differ."""
    shapes = recording().shapes_everywhere(tuple(value.shape))
    if len({(len(s), *s[:axis], *s[axis + 1 :]) for s in shapes}) > 1:
        raise InvalidArgumentError(
            f"gather along axis {axis}: the values may differ in that dimension only, got {list(shapes)}."
        )
    if len(set(shapes)) == 1 and value.shape[axis]:
        return jax.lax.all_gather(value, AXIS, axis=axis, tiled=True)
    return jnp.concatenate(_every(value, shapes), axis)


def _every(value: Any, shapes: tuple[tuple[int, ...], ...]) -> list[Any]:
    if len({len(s) for s in shapes}) > 1:
        raise InvalidArgumentError(
            f"A value that is gathered has another rank on every replica: its shapes are {list(shapes)}."
        )
    widest = [max(sizes) for sizes in zip(*shapes, strict=True)]
    if 0 in widest:
        return [jnp.zeros(s, value.dtype) for s in shapes]
    # A collective needs one shape: values are padded before it and cut after it.
    full = jnp.pad(value, [(0, w - n) for w, n in zip(widest, value.shape, strict=True)]) if widest else value
    every = jax.lax.all_gather(full, AXIS)
    return [every[(i, *map(slice, s))] for i, s in enumerate(shapes)]
