"""Connectionist temporal classification (CTC) under the names of `tf.nn`: the loss of label sequences, and preparing them."""

from typing import Any

import jax.numpy as jnp
import keras
import numpy as np

from stratagem._base.errors import InvalidArgumentError
from stratagem._base.exports import exported
from stratagem._ops._convert import Tensor, allow_x64, static_int, tensor
from stratagem._ops._dtypes import int64
from stratagem._ops._symbolic import accept_symbols


@exported("nn.ctc_loss", v1=())
def ctc_loss(
    labels: Any,
    logits: Any,
    label_length: Any,
    logit_length: Any,
    logits_time_major: bool = True,
    unique: object = None,
    blank_index: int | None = None,
    name: str | None = None,
) -> Tensor:
    """The negative log-probability of each label sequence, summed over all its alignments with the logits: (batch,).

    labels: class numbers (batch, labels), of which `label_length` (batch,) count. logits: (time, batch, classes), or
    (batch, time, classes) without `logits_time_major`, of which `logit_length` (batch,) steps count. blank_index: the class
    between labels, 0 by default; negative numbers count from the end. A sequence with no alignment has a large finite loss.
    Raises InvalidArgumentError for labels or logits of another rank.
    """
    classes, scores = tensor(labels), tensor(logits)
    if classes.ndim != 2 or scores.ndim != 3:
        raise InvalidArgumentError(
            "tf.nn.ctc_loss takes labels (batch, labels) and logits of three dimensions, got the shapes "
            f"{classes.shape} and {scores.shape}."
        )
    blank = (blank_index or 0) % scores.shape[2]
    by_example = jnp.swapaxes(scores, 0, 1) if logits_time_major else scores
    with allow_x64(scores.dtype):
        loss: Tensor = keras.ops.ctc_loss(classes, by_example, tensor(label_length), tensor(logit_length), blank)
    return loss.astype(scores.dtype)


@exported("nn.ctc_unique_labels")
def ctc_unique_labels(labels: Any, name: str | None = None) -> tuple[Tensor, Tensor]:
    """The different labels of each row in the order of their first places, and for each label its place among them.

    Returns (batch, labels), int64, filled up with 0, and (batch, labels), int32.
    """
    rows = tensor(labels)
    if rows.ndim != 2:
        raise InvalidArgumentError(f"labels are of shape (batch, labels), got {rows.shape}.")
    first = jnp.argmax(rows[:, :, None] == rows[:, None, :], 2).astype(np.int32) if rows.size else rows.astype(np.int32)
    is_first = first == np.arange(rows.shape[1], dtype=np.int32)
    place = jnp.take_along_axis(jnp.cumsum(is_first, 1, dtype=np.int32) - 1, first, 1)
    batch = np.arange(rows.shape[0])[:, None]
    with allow_x64(np.int64):
        wide = rows.astype(int64.dtype)
        return jnp.zeros_like(wide).at[batch, place].set(wide), place


@exported("nn.collapse_repeated")
def collapse_repeated(labels: Any, seq_length: Any, name: str | None = None) -> tuple[Tensor, Tensor]:
    """Makes one of each run of equal labels: returns the labels (batch, longest), filled up with 0, and their new lengths.

    seq_length: how many labels of each row count. The shape of the result depends on values, which must be known.
    """
    rows, lengths = tensor(labels), tensor(seq_length)
    counts = np.arange(rows.shape[1]) < lengths[:, None]
    kept = counts & jnp.concatenate([jnp.ones_like(counts[:, :1]), rows[:, 1:] != rows[:, :-1]], 1)
    new_lengths = jnp.sum(kept, 1).astype(lengths.dtype)
    longest = static_int(jnp.max(new_lengths, initial=0), "the longest row without repeated labels")
    place = jnp.where(kept, jnp.cumsum(kept, 1) - 1, rows.shape[1])
    batch = np.arange(rows.shape[0])[:, None]
    with allow_x64(rows.dtype):
        empty = jnp.zeros((rows.shape[0], longest), rows.dtype)
        return empty.at[batch, place].set(rows, mode="drop"), new_lengths


accept_symbols(globals())
