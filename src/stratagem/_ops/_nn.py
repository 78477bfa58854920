"""Activations, losses on logits, normalization and lookups under the names of `tf.nn`."""

import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from stratagem._base.errors import InvalidArgumentError
from stratagem._base.exports import exported
from stratagem._ops._convert import Tensor, allow_x64, operands, static_axes, tensor
from stratagem._ops._indexing import ShardedTable, gather
from stratagem._ops._symbolic import accept_symbols
from stratagem._ops.linalg import clip_by_norm
from stratagem._private import KerasVariable

# --- Activations ------------------------------------------------------------------------------------------------------


@exported("nn.relu")
def relu(features: Any, name: str | None = None) -> Tensor:
    """max(x, 0)."""
    return jax.nn.relu(tensor(features))


@exported("nn.relu6")
def relu6(features: Any, name: str | None = None) -> Tensor:
    """min(max(x, 0), 6)."""
    return jax.nn.relu6(tensor(features))


@exported("nn.crelu", v1=())
def crelu(features: Any, axis: int = -1, name: str | None = None) -> Tensor:
    """relu(x) and relu(-x), concatenated along `axis`."""
    array = tensor(features)
    return jnp.concatenate([jax.nn.relu(array), jax.nn.relu(-array)], axis)


@exported("nn.elu", "keras.backend.elu")
def elu(features: Any, name: str | None = None) -> Tensor:
    """x where positive, else exp(x) - 1."""
    return jax.nn.elu(tensor(features))


@exported("nn.selu")
def selu(features: Any, name: str | None = None) -> Tensor:
    """The scaled `elu` that keeps mean 0 and variance 1."""
    x = tensor(features)
    with allow_x64(x.dtype):
        return jax.nn.selu(x)


@exported("nn.gelu", v1=())
def gelu(features: Any, approximate: bool = False, name: str | None = None) -> Tensor:
    """x times the cumulative normal distribution of x; `approximate` uses tanh."""
    x = tensor(features)
    if not approximate:
        root = jnp.asarray(np.float32(1.4142135623730951), x.dtype)  # rounded as in TensorFlow
        return 0.5 * x * jax.lax.erfc(-x / root)
    with allow_x64(x.dtype):
        cubic = jnp.asarray(np.float32(0.044715), x.dtype)  # rounded as in TensorFlow
        return x * (0.5 * (1.0 + jnp.tanh(0.7978845608028654 * (x + cubic * x**3))))


@exported("nn.leaky_relu")
def leaky_relu(features: Any, alpha: float = 0.2, name: str | None = None) -> Tensor:
    """x where positive, else alpha * x."""
    return jax.nn.leaky_relu(tensor(features), float(np.float32(alpha)))  # an attribute of TensorFlow's, in 32 bits


@exported("nn.silu", "nn.swish")
def silu(features: Any, beta: Any = 1.0) -> Tensor:
    """x * sigmoid(beta * x); also called swish."""
    array = tensor(features)
    return array * jax.nn.sigmoid(tensor(beta).astype(array.dtype) * array)


@exported("math.softsign", "nn.softsign", "keras.backend.softsign")
def softsign(features: Any, name: str | None = None) -> Tensor:
    """x / (abs(x) + 1)."""
    return _softsign(tensor(features))


@jax.custom_jvp
def _softsign(x: Tensor) -> Tensor:
    return jax.nn.soft_sign(x)


@_softsign.defjvp
def _softsign_rule(primals: tuple[Tensor], tangents: tuple[Tensor]) -> tuple[Tensor, Tensor]:
    """The derivative as one quotient, so that it is 0 at infinities."""
    (x,), (dx,) = primals, tangents
    return _softsign(x), dx / jnp.square(1 + jnp.abs(x))


@exported("math.softmax", "nn.softmax", v1=())
def softmax(logits: Any, axis: int | None = None, name: str | None = None) -> Tensor:
    """Probabilities along `axis`, by default the last one."""
    return jax.nn.softmax(tensor(logits), -1 if axis is None else axis)


@exported("math.log_softmax", "nn.log_softmax", v1=())
def log_softmax(logits: Any, axis: int | None = None, name: str | None = None) -> Tensor:
    """Log-probabilities along `axis`, by default the last one."""
    return jax.nn.log_softmax(tensor(logits), -1 if axis is None else axis)


# --- Losses on logits -------------------------------------------------------------------------------------------------


@exported("nn.softmax_cross_entropy_with_logits", v1=())
def softmax_cross_entropy_with_logits(labels: Any, logits: Any, axis: int = -1, name: str | None = None) -> Tensor:
    """The cross entropy of class probabilities (cast to the dtype of the logits), reduced over `axis`.

    Its derivative by the logits is softmax - labels, as in TensorFlow also where the labels do not sum to 1.
    """
    scores = tensor(logits)
    truth = tensor(labels).astype(scores.dtype)
    return _cross_entropy(axis, truth, scores)


@functools.partial(jax.custom_jvp, nondiff_argnums=(0,))
def _cross_entropy(axis: int, truth: Tensor, scores: Tensor) -> Tensor:
    return -jnp.sum(truth * _log_probabilities(scores, axis), axis).astype(scores.dtype)


@_cross_entropy.defjvp
def _cross_entropy_rule(
    axis: int, primals: tuple[Tensor, Tensor], tangents: tuple[Tensor, Tensor]
) -> tuple[Tensor, Tensor]:
    (truth, scores), (dtruth, dscores) = primals, tangents
    logs = _log_probabilities(scores, axis)
    slope = jnp.sum((jnp.exp(logs) - truth) * dscores - logs * dtruth, axis)
    return _cross_entropy(axis, truth, scores), slope.astype(scores.dtype)


def _log_probabilities(scores: Tensor, axis: int) -> Tensor:
    """Log-probabilities in float32 at least: half precision loses small probabilities."""
    return jax.nn.log_softmax(scores.astype(jnp.promote_types(scores.dtype, np.float32)), axis)


@exported("nn.sparse_softmax_cross_entropy_with_logits", v1=())
def sparse_softmax_cross_entropy_with_logits(labels: Any, logits: Any, name: str | None = None) -> Tensor:
    """The cross entropy of class numbers (n...,) and logits (n..., classes); NaN for an invalid class number.

    Raises ValueError for labels of another rank, InvalidArgumentError for labels that are not integers.
    """
    truth, scores = tensor(labels), tensor(logits)
    if truth.ndim != scores.ndim - 1:
        raise ValueError(f"labels have one dimension less than logits, got shapes {truth.shape} and {scores.shape}.")
    if not jnp.issubdtype(truth.dtype, np.integer):
        raise InvalidArgumentError(f"labels are class numbers of an integer dtype, got {truth.dtype}.")
    inside = (truth >= 0) & (truth < scores.shape[-1])
    place = jnp.where(inside, truth, 0)[..., None]
    own = jnp.take_along_axis(_log_probabilities(scores, -1), place, axis=-1)[..., 0]
    return jnp.where(inside, -own, jnp.nan).astype(scores.dtype)


@exported("nn.sigmoid_cross_entropy_with_logits", v1=())
def sigmoid_cross_entropy_with_logits(labels: Any, logits: Any, name: str | None = None) -> Tensor:
    """The cross entropy of independent binary labels, element by element. Raises ValueError for different shapes."""
    scores, truth = _same_shape(labels, logits)
    # Not maximum(scores, 0) and abs(scores), whose derivatives jump at 0.
    positive = scores >= 0
    minus_size = jnp.where(positive, -scores, scores)
    return jnp.where(positive, scores, 0) - scores * truth + jnp.log1p(jnp.exp(minus_size))


@exported("nn.weighted_cross_entropy_with_logits", v1=())
def weighted_cross_entropy_with_logits(labels: Any, logits: Any, pos_weight: Any, name: str | None = None) -> Tensor:
    """Like `sigmoid_cross_entropy_with_logits`, with the positive labels weighted. Raises ValueError for different shapes."""
    scores, truth = _same_shape(labels, logits)
    weight = 1 + (tensor(pos_weight).astype(scores.dtype) - 1) * truth
    return (1 - truth) * scores + weight * (jnp.log1p(jnp.exp(-jnp.abs(scores))) + jax.nn.relu(-scores))


def _same_shape(labels: Any, logits: Any) -> tuple[Tensor, Tensor]:
    scores, truth = operands("nn.sigmoid_cross_entropy_with_logits", tensor(logits), labels)
    if scores.shape != truth.shape:
        raise ValueError(f"logits and labels have one shape, got {scores.shape} and {truth.shape}.")
    return scores, truth


@exported("nn.log_poisson_loss")
def log_poisson_loss(targets: Any, log_input: Any, compute_full_loss: bool = False, name: str | None = None) -> Tensor:
    """The negative log-likelihood of counts under a Poisson distribution with this logarithm of its mean, up to a constant.

    compute_full_loss: adds the constant log(z!) by Stirling's approximation, for counts above 1.
    Raises ValueError for different shapes.
    """
    scores, truth = _same_shape(targets, log_input)
    loss = jnp.exp(scores) - scores * truth
    if not compute_full_loss:
        return loss
    stirling = truth * jnp.log(truth) - truth + 0.5 * jnp.log(2 * np.pi * truth)
    return loss + jnp.where((truth >= 0) & (truth <= 1), jnp.zeros_like(truth), stirling)


@exported("nn.l2_loss")
def l2_loss(t: Any, name: str | None = None) -> Tensor:
    """Half the sum of squares."""
    return jnp.sum(jnp.square(tensor(t))) / 2


# --- Normalization and lookups ----------------------------------------------------------------------------------------


@exported("nn.moments", v1=())
def moments(
    x: Any, axes: Any, shift: object = None, keepdims: bool = False, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """The mean and variance over these axes; half precision is computed in float32."""
    array = tensor(x)
    wide = array.astype(jnp.promote_types(array.dtype, np.float32))
    mean = jnp.mean(wide, static_axes(axes), keepdims=keepdims)
    variance = jnp.var(wide, static_axes(axes), keepdims=keepdims)
    return mean.astype(array.dtype), variance.astype(array.dtype)


@exported("nn.batch_normalization")
def batch_normalization(
    x: Any,
    mean: Any,
    variance: Any,
    offset: Any,
    scale: Any,
    variance_epsilon: Any,
    name: str | None = None,
) -> Tensor:
    """(x - mean) / sqrt(variance + epsilon) * scale + offset; scale and offset may be None."""
    array = tensor(x)
    spread, epsilon = operands("nn.batch_normalization", tensor(variance), variance_epsilon)
    factor = jax.lax.rsqrt(spread + epsilon)
    factor = factor if scale is None else factor * tensor(scale)
    result = (array - tensor(mean)) * factor
    return (result if offset is None else result + tensor(offset)).astype(array.dtype)


@exported("nn.bias_add")
def bias_add(value: Any, bias: Any, data_format: str | None = None, name: str | None = None) -> Tensor:
    """Adds a vector along the channels: the last dimension, or the second one if the format starts with `NC`."""
    array, vector = operands("nn.bias_add", tensor(value), bias)
    if vector.ndim != 1:
        raise ValueError(f"bias is a vector, got a tensor of shape {vector.shape}.")
    if data_format is not None and data_format.startswith("NC"):
        vector = vector.reshape((-1, *(1,) * (array.ndim - 2)))
    return array + vector


@exported("nn.embedding_lookup", v1=())
def embedding_lookup(params: Any, ids: Any, max_norm: float | None = None, name: str | None = None) -> Tensor:
    """The rows of a table (one tensor or variable) with these indices, scaled down to `max_norm` if given."""
    rows = gather(_table(params), ids)
    return rows if max_norm is None else clip_by_norm(rows, max_norm, axes=list(range(tensor(ids).ndim, rows.ndim)))


def _table(params: Any) -> Any:
    """The table as one object; if it is given in parts, these may be the shards of one variable."""
    if not isinstance(params, list | tuple):
        return params
    if len(params) == 1:
        return params[0]
    whole = params[0]._sharded_variable if isinstance(params[0], KerasVariable) else None
    if isinstance(whole, ShardedTable) and list(map(id, whole.variables)) == list(map(id, params)):
        return whole
    return jnp.concatenate([tensor(p) for p in params])


@exported("math.zero_fraction", "nn.zero_fraction")
def zero_fraction(value: Any, name: str | None = None) -> Tensor:
    """The fraction of the entries that are zero, float32."""
    return jnp.mean(tensor(value) == 0, dtype=np.float32)


accept_symbols(globals())
