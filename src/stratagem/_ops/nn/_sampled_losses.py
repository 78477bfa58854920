"""Losses over many classes, of which some are sampled: noise-contrastive estimation and sampled softmax, under `tf.nn`."""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from stratagem._base.errors import InvalidArgumentError
from stratagem._base.exports import exported
from stratagem._ops._convert import Tensor, is_traced, need_value, tensor
from stratagem._ops._nn import (
    embedding_lookup,
    sigmoid_cross_entropy_with_logits,
    softmax_cross_entropy_with_logits,
)
from stratagem._ops._symbolic import accept_symbols
from stratagem._ops.sampling import log_uniform_candidate_sampler

# What is added to the logits of candidates that are among the true classes: as good as minus infinity, but a number.
_EXCLUDED = float(np.finfo(np.float32).min)


class AccidentalHits(NamedTuple):
    """The candidates that are true classes: the row, the place among the candidates, and what to add to the logit."""

    indices: Tensor
    ids: Tensor
    weights: Tensor


@exported("nn.compute_accidental_hits")
def compute_accidental_hits(
    true_classes: Any,
    sampled_candidates: Any,
    num_true: int,
    seed: int | None = None,
    name: str | None = None,
) -> AccidentalHits:
    """Finds the candidates that are among the true classes (batch, num_true) of a row, one result for each pair.

    Returns rows (int32), places among the candidates (int64) and the smallest float32 for each. The number of results depends
    on values, which must be known.
    """
    truth, drawn = _true(true_classes, num_true), tensor(sampled_candidates)
    if is_traced((truth, drawn)):
        need_value("the candidates that are true classes")
    found = np.argwhere(np.asarray(truth)[:, :, None] == np.asarray(drawn))
    rows, places = found[:, 0].astype(np.int32), found[:, 2].astype(np.int64)
    return AccidentalHits(tensor(rows), tensor(places), tensor(np.full(len(rows), _EXCLUDED, np.float32)))


def _true(labels: Any, num_true: int) -> Tensor:
    classes = tensor(labels)
    if classes.ndim != 2 or classes.shape[1] != num_true:
        raise InvalidArgumentError(f"The true classes are of shape (batch, {num_true}), got {classes.shape}.")
    return classes


@exported("nn.nce_loss", v1=())
def nce_loss(
    weights: Any,
    biases: Any,
    labels: Any,
    inputs: Any,
    num_sampled: int,
    num_classes: int,
    num_true: int = 1,
    sampled_values: tuple[Any, Any, Any] | None = None,
    remove_accidental_hits: bool = False,
    name: str = "nce_loss",
) -> Tensor:
    """The loss of noise-contrastive estimation (Gutmann and Hyvarinen 2010): true classes are told apart from sampled ones.

    weights: (classes, dim), one tensor or parts of it; biases: (classes,); labels: (batch, num_true); inputs: (batch, dim).
    sampled_values: what a candidate sampler has drawn, by default `tf.random.log_uniform_candidate_sampler`.
    remove_accidental_hits: sampled classes that are true ones do not count. Returns (batch,).
    """
    logits, truth = _logits(
        weights, biases, labels, inputs, num_true, sampled_values or _drawn(labels, num_true, num_sampled, num_classes),
        remove_accidental_hits,
    )  # fmt: skip
    return jnp.sum(sigmoid_cross_entropy_with_logits(truth, logits), 1)


@exported("nn.sampled_softmax_loss", v1=())
def sampled_softmax_loss(
    weights: Any,
    biases: Any,
    labels: Any,
    inputs: Any,
    num_sampled: int,
    num_classes: int,
    num_true: int = 1,
    sampled_values: tuple[Any, Any, Any] | None = None,
    remove_accidental_hits: bool = True,
    seed: int | None = None,
    name: str = "sampled_softmax_loss",
) -> Tensor:
    """The cross entropy of the softmax over the true and the sampled classes (Jean et al. 2015, arXiv 1412.2007): (batch,).

    It is smaller than that over all classes: use it for training alone. Arguments as of `nce_loss`.
    """
    drawn = sampled_values or _drawn(labels, num_true, num_sampled, num_classes, seed)
    logits, truth = _logits(weights, biases, labels, inputs, num_true, drawn, remove_accidental_hits)
    return softmax_cross_entropy_with_logits(jax.lax.stop_gradient(truth), logits)


def _drawn(
    labels: Any, num_true: int, num_sampled: int, num_classes: int, seed: int | None = None
) -> tuple[Tensor, Tensor, Tensor]:
    return log_uniform_candidate_sampler(labels, num_true, num_sampled, True, num_classes, seed)


def _logits(
    weights: Any,
    biases: Any,
    labels: Any,
    inputs: Any,
    num_true: int,
    sampled: tuple[Any, Any, Any],
    without_hits: bool,
) -> tuple[Tensor, Tensor]:
    """The logits of the true and the sampled classes, less the logarithm of how often each is expected, and their labels."""
    truth, rows = _true(labels, num_true), tensor(inputs)
    drawn, true_count, drawn_count = (jax.lax.stop_gradient(tensor(v)) for v in sampled)
    of_true, of_drawn = ((embedding_lookup(weights, ids), embedding_lookup(biases, ids)) for ids in (truth, drawn))
    true_logits = jnp.sum(rows[:, None, :] * of_true[0], 2) + of_true[1]
    drawn_logits = rows @ of_drawn[0].T + of_drawn[1]
    if without_hits:
        hits = jnp.any(truth[:, :, None] == drawn.astype(truth.dtype), 1)
        drawn_logits = drawn_logits + jnp.where(hits, _EXCLUDED, 0).astype(rows.dtype)
    true_logits = true_logits - jnp.log(true_count).astype(rows.dtype)
    drawn_logits = drawn_logits - jnp.log(drawn_count).astype(rows.dtype)
    shares = jnp.concatenate([jnp.full_like(true_logits, 1 / num_true), jnp.zeros_like(drawn_logits)], 1)
    return jnp.concatenate([true_logits, drawn_logits], 1), shares


accept_symbols(globals())
