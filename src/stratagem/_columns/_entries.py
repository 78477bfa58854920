"""The entries of a feature in a form whose shape does not depend on their number, and what is made of them."""

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

import jax.numpy as jnp
import numpy as np

from stratagem._core.step import TracedStrings, pure_host_function
from stratagem._core.values import CompositeTensor
from stratagem._ops import Tensor, allow_x64, embedding_lookup, is_traced, need_value
from stratagem._ops.ragged import RaggedTensor
from stratagem._ops.sparse import SparseTensor

T = TypeVar("T")


class Entries(NamedTuple):
    """The entries of each row, filled up to the longest: values and `present`, bool, are (batch, ..., longest).

    TensorFlow has sparse tensors here, whose shapes depend on how many entries a batch has. weights: of each entry, or None.
    """

    values: Any
    present: Any
    weights: Any = None


def prepared(function: Callable[[Any], T], feature: Any) -> T:
    """Calls a function with a feature: where a step takes it as strings or as a composite tensor, before the program runs."""
    on_host = isinstance(feature, CompositeTensor | TracedStrings)
    return (pure_host_function(function) if on_host else function)(feature)


def spread(feature: Any, fill: Any = None) -> Entries:
    """Returns all entries of a dense tensor, or those of a sparse or ragged one; `fill` stands where there are none."""
    if not isinstance(feature, CompositeTensor):
        known = not is_traced(feature)
        values = np.asarray(feature) if known else feature
        return Entries(values, (np if known else jnp).ones(values.shape, bool))
    if is_traced(feature):
        need_value("the entries of a sparse or ragged feature are counted")
    composite: Any = feature
    nothing: Any = fill
    if fill is None:
        nothing = b"" if composite.dtype == object else 0
    if not isinstance(feature, SparseTensor):
        return _of_ragged(composite, nothing)
    shape, places = feature.known_shape("a feature"), tuple(feature.known_indices("a feature").T)
    values, there = np.full(shape, nothing, feature.dtype), np.zeros(shape, bool)
    values[places], there[places] = np.asarray(feature.values), True
    return Entries(values, there)


def positions(feature: SparseTensor) -> Entries:
    """Returns the number of each entry among all entries in place of its value, 0 where there are none."""
    return spread(SparseTensor(feature.indices, np.arange(np.shape(feature.values)[0]), feature.dense_shape), 0)


def placed(numbers: Entries, values: Any, fill: float) -> Entries:
    """Returns values at their positions, `fill` where there are none."""
    given: Any = jnp.asarray(values)
    found = given[jnp.asarray(numbers.values)] if given.size else jnp.zeros(np.shape(numbers.values), given.dtype)
    return Entries(jnp.where(jnp.asarray(numbers.present), found, fill), numbers.present)


def _of_ragged(feature: RaggedTensor, nothing: Any) -> Entries:
    present = feature.with_flat_values(np.ones(np.shape(feature.flat_values), bool)).to_tensor(False)
    return Entries(np.asarray(feature.to_tensor(nothing)), np.asarray(present))


def select(condition: Any, values: Any, other: Any) -> Tensor:
    """Returns int64 values where the condition holds, and the other ones elsewhere."""
    with allow_x64(np.int64):
        if is_traced([condition, values, other]):
            return jnp.where(condition, values.astype(np.int64), jnp.asarray(other, np.int64))
        return np.where(np.asarray(condition), np.asarray(values), np.asarray(other)).astype(np.int64)  # type: ignore[return-value]


def _factors(entries: Entries, *, positive: bool) -> tuple[Any, Any]:
    """Returns which entries count, and how much each does, float32. positive: only those with a positive weight count."""
    with allow_x64(np.int64):
        valid = jnp.asarray(entries.present) & (jnp.asarray(entries.values) >= 0)
    if entries.weights is None:
        return valid, valid.astype(np.float32)
    weights = jnp.asarray(entries.weights)
    valid = valid & (weights > 0) if positive else valid
    return valid, jnp.where(valid, weights, 0)


def combined(
    table: Any, entries: Entries, combiner: str, max_norm: float | None = None, *, safe: bool = True
) -> Tensor:
    """Returns the rows of a table for the ids of each row, combined to one, 0 where there are none: (batch, ..., dimension).

    Negative ids do not count, nor, if `safe`, ids whose weight is not positive unless they are summed. Raises
    InvalidArgumentError for ids that the table does not have, where they are known, and ValueError for another combiner.
    """
    if combiner not in ("mean", "sqrtn", "sum"):
        raise ValueError(f"combiner must be one of 'mean', 'sqrtn' or 'sum', got {combiner!r}.")
    valid, factors = _factors(entries, positive=safe and combiner != "sum")
    rows = embedding_lookup(table, select(valid, entries.values, _own_ids(valid, entries.values)), max_norm)
    factors = factors.astype(rows.dtype)
    total = jnp.sum(rows * factors[..., None], axis=-2)
    if combiner == "sum":
        return total
    divisor = factors.sum(-1) if combiner == "mean" else jnp.sqrt((factors * factors).sum(-1))
    divisor = divisor[..., None]
    return jnp.where(divisor == 0, jnp.zeros_like(total), total / jnp.where(divisor == 0, 1, divisor))


def _own_ids(valid: Any, values: Any) -> Any:
    """Returns an id of each row that counts, 0 where none does: (batch, ..., 1).

    It is looked up in place of those that do not count, so that no other row of the table is; TensorFlow, too, looks up 0
    for a row without ids, and optimizers change what was looked up.
    """
    counting: Any = select(valid, values, 0)
    with allow_x64(np.int64):
        return counting.max(axis=-1, keepdims=True, initial=np.int64(0))


def counted(entries: Entries, depth: int) -> Tensor:
    """Returns how often each id below `depth` is among the entries of a row, or their weights' sums: (batch, ..., depth)."""
    _, factors = _factors(entries, positive=False)
    with allow_x64(np.int64):
        same = jnp.asarray(entries.values)[..., None] == np.arange(depth, dtype=np.int64)
    return jnp.sum(same * factors[..., None], axis=-2)


def sequence_lengths(present: Tensor, elements: int = 1) -> Tensor:
    """Returns the number of steps of each row, int64: up to its last entry. present: (batch, steps, ...).

    elements: how many values make one step.
    """
    with allow_x64(np.int64):
        array = jnp.asarray(present)
        there = array.reshape((*array.shape[:2], -1)).any(axis=-1)
        ends = jnp.where(there, np.arange(1, there.shape[1] + 1, dtype=np.int64), np.int64(0))
        return -(-ends.max(axis=1, initial=np.int64(0)) // np.int64(elements))
