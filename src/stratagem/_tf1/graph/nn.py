"""tf1.nn with TensorFlow 1's arguments and their order: keep_prob, dim, filter, value."""

from typing import Any

from stratagem import _ops as ops
from stratagem._base.exports import exported
from stratagem._base.types import ShapeLike
from stratagem._ops import Tensor, named, nn
from stratagem._ops import sparse as ops_sparse
from stratagem._ops.sampling import dropout as _dropped
from stratagem._ops.sparse import SparseTensor
from stratagem._tf1.graph.functions.reductions import one_of


@exported(v1=["nn.dropout"])
@named
def dropout(
    x: Any,
    keep_prob: Any = None,
    noise_shape: ShapeLike | None = None,
    seed: int | None = None,
    name: str | None = None,
    rate: Any = None,
) -> Tensor:
    """Zeroes elements with probability `rate`, or 1 - keep_prob, and scales the rest up. Raises ValueError without either."""
    share = rate if keep_prob is None else one_of(rate=rate, keep_prob=1 - keep_prob)
    if share is None:
        raise ValueError("tf1.nn.dropout: you must provide a rate to dropout (or keep_prob).")
    return _dropped(x, share, noise_shape, seed)


@exported(v1=["math.softmax", "nn.softmax"])
@named
def softmax(logits: Any, axis: Any = None, name: str | None = None, dim: Any = None) -> Tensor:
    """Returns probabilities along `axis` (formerly dim), by default the last."""
    return ops.softmax(logits, one_of(axis=axis, dim=dim))


@exported(v1=["math.log_softmax", "nn.log_softmax"])
@named
def log_softmax(logits: Any, axis: Any = None, name: str | None = None, dim: Any = None) -> Tensor:
    """Returns the logarithm of `softmax`."""
    return ops.log_softmax(logits, one_of(axis=axis, dim=dim))


@exported(v1=["math.l2_normalize", "nn.l2_normalize"])
@named
def l2_normalize(x: Any, axis: Any = None, epsilon: float = 1e-12, name: str | None = None, dim: Any = None) -> Tensor:
    """Returns `x` scaled to norm 1 along `axis` (formerly dim)."""
    return ops.l2_normalize(x, one_of(axis=axis, dim=dim), epsilon)


@exported(v1=["nn.softmax_cross_entropy_with_logits"])
@named
def softmax_cross_entropy_with_logits(
    labels: Any = None, logits: Any = None, dim: int = -1, name: str | None = None, axis: Any = None
) -> Tensor:
    """Returns the cross entropy of class probabilities; no gradient flows into the labels."""
    _need(labels=labels, logits=logits)
    return ops.softmax_cross_entropy_with_logits(ops.stop_gradient(labels), logits, dim if axis is None else axis)


@exported(v1=["nn.softmax_cross_entropy_with_logits_v2"])
@named
def softmax_cross_entropy_with_logits_v2(
    labels: Any, logits: Any, axis: Any = None, name: str | None = None, dim: Any = None
) -> Tensor:
    """Returns the cross entropy of class probabilities."""
    along = one_of(axis=axis, dim=dim)
    return ops.softmax_cross_entropy_with_logits(labels, logits, -1 if along is None else along)


@exported(v1=["nn.sparse_softmax_cross_entropy_with_logits"])
@named
def sparse_softmax_cross_entropy_with_logits(labels: Any = None, logits: Any = None, name: str | None = None) -> Tensor:
    """Returns the cross entropy of class indices."""
    _need(labels=labels, logits=logits)
    return ops.sparse_softmax_cross_entropy_with_logits(labels, logits)


@exported(v1=["nn.sigmoid_cross_entropy_with_logits"])
@named
def sigmoid_cross_entropy_with_logits(labels: Any = None, logits: Any = None, name: str | None = None) -> Tensor:
    """Returns the cross entropy of independent binary labels."""
    _need(labels=labels, logits=logits)
    return ops.sigmoid_cross_entropy_with_logits(labels, logits)


@exported(v1=["nn.weighted_cross_entropy_with_logits"])
@named
def weighted_cross_entropy_with_logits(
    labels: Any = None,
    logits: Any = None,
    pos_weight: Any = None,
    name: str | None = None,
    targets: Any = None,
) -> Tensor:
    """Returns the cross entropy of binary labels, the positive ones weighted by `pos_weight`."""
    return ops.weighted_cross_entropy_with_logits(one_of(labels=labels, targets=targets), logits, pos_weight)


@exported(v1=["nn.moments"])
@named
def moments(
    x: Any,
    axes: Any,
    shift: object = None,
    name: str | None = None,
    keep_dims: bool | None = None,
    keepdims: bool | None = None,
) -> tuple[Tensor, Tensor]:
    """Returns the mean and the variance over `axes`."""
    return ops.moments(x, axes, keepdims=bool(one_of(keepdims=keepdims, keep_dims=keep_dims)))


@exported(v1=["nn.conv2d"])
@named
def conv2d(
    input: Any,
    filter: Any = None,
    strides: Any = None,
    padding: Any = None,
    use_cudnn_on_gpu: bool = True,
    data_format: str = "NHWC",
    dilations: Any = (1, 1, 1, 1),
    name: str | None = None,
    filters: Any = None,
) -> Tensor:
    """Returns a convolution over two dimensions: (n, h, w, c) with filters (h, w, c, out)."""
    return nn.conv2d(input, one_of(filter=filter, filters=filters), strides, padding, data_format, dilations)


@exported(v1=["nn.conv1d"])
@named
def conv1d(
    value: Any = None,
    filters: Any = None,
    stride: Any = None,
    padding: Any = None,
    use_cudnn_on_gpu: bool | None = None,
    data_format: str | None = None,
    name: str | None = None,
    input: Any = None,
    dilations: Any = None,
) -> Tensor:
    """Returns a convolution over one dimension: (n, w, c) with filters (w, c, out)."""
    layout = {"NHWC": "NWC", "NCHW": "NCW", None: "NWC"}.get(data_format, data_format)
    return nn.conv1d(one_of(value=value, input=input), filters, stride, padding, str(layout), dilations)


@exported(v1=["nn.conv3d"])
@named
def conv3d(
    input: Any,
    filter: Any = None,
    strides: Any = None,
    padding: Any = None,
    data_format: str = "NDHWC",
    dilations: Any = (1, 1, 1, 1, 1),
    name: str | None = None,
    filters: Any = None,
) -> Tensor:
    """Returns a convolution over three dimensions: (n, d, h, w, c) with filters (d, h, w, c, out)."""
    return nn.conv3d(input, one_of(filter=filter, filters=filters), strides, padding, data_format, dilations)


@exported(v1=["nn.depthwise_conv2d"])
@named
def depthwise_conv2d(
    input: Any,
    filter: Any,
    strides: Any,
    padding: Any,
    rate: Any = None,
    name: str | None = None,
    data_format: str | None = None,
    dilations: Any = None,
) -> Tensor:
    """Returns a convolution of each channel with its own filters."""
    return nn.depthwise_conv2d(input, filter, strides, padding, data_format, one_of(dilations=dilations, rate=rate))


@exported(v1=["nn.max_pool"])
@named
def max_pool(
    value: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    name: str | None = None,
    input: Any = None,
) -> Tensor:
    """Returns the maximum of each window of (n, h, w, c)."""
    return nn.max_pool(one_of(value=value, input=input), ksize, strides, padding, data_format)


@exported(v1=["nn.avg_pool", "nn.avg_pool2d"])
@named
def avg_pool(
    value: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    name: str | None = None,
    input: Any = None,
) -> Tensor:
    """Returns the mean of each window of (n, h, w, c), padding excluded."""
    return nn.avg_pool(one_of(value=value, input=input), ksize, strides, padding, data_format)


@exported(v1=["nn.embedding_lookup"])
@named
def embedding_lookup(
    params: Any,
    ids: Any,
    partition_strategy: str = "mod",
    name: str | None = None,
    validate_indices: bool = True,
    max_norm: Any = None,
) -> Tensor:
    """Returns rows of a table. Raises ValueError for a table in several parts whose rows alternate between them ("mod")."""
    return ops.embedding_lookup(_whole(params, partition_strategy), ids, max_norm)


@exported(v1=["nn.embedding_lookup_sparse"])
@named
def embedding_lookup_sparse(
    params: Any,
    sp_ids: Any,
    sp_weights: Any,
    partition_strategy: str = "mod",
    name: str | None = None,
    combiner: str | None = None,
    max_norm: float | None = None,
    allow_fast_lookup: object = False,
) -> Tensor:
    """Returns what `tf.nn.embedding_lookup_sparse` does. Raises ValueError for a table in parts, as `embedding_lookup`."""
    return ops_sparse.embedding_lookup_sparse(
        _whole(params, partition_strategy), sp_ids, sp_weights, combiner, max_norm
    )


@exported(v1=["nn.safe_embedding_lookup_sparse"])
@named
def safe_embedding_lookup_sparse(
    embedding_weights: Any,
    sparse_ids: SparseTensor,
    sparse_weights: SparseTensor | None = None,
    combiner: str = "mean",
    default_id: Any = None,
    name: str | None = None,
    partition_strategy: str = "div",
    max_norm: float | None = None,
    allow_fast_lookup: object = False,
) -> Tensor:
    """Returns what `tf.nn.safe_embedding_lookup_sparse` does. Raises ValueError for a table in several parts, see there."""
    table = _whole(embedding_weights, partition_strategy)
    return ops_sparse.safe_embedding_lookup_sparse(table, sparse_ids, sparse_weights, combiner, default_id, max_norm)


def _whole(params: Any, partition_strategy: str) -> Any:
    """Returns a table. Raises ValueError for one in several parts whose rows alternate between them ("mod")."""
    if isinstance(params, list | tuple) and len(params) > 1 and partition_strategy != "div":
        raise ValueError(
            "tf1.nn.embedding_lookup: a table in parts needs partition_strategy='div'; or pass one variable."
        )
    return params


@exported(v1=["nn.xw_plus_b"])
@named
def xw_plus_b(x: Any, weights: Any, biases: Any, name: str | None = None) -> Tensor:
    """Returns x @ weights + biases."""
    return ops.bias_add(ops.matmul(x, weights), biases)


@exported(v1=["math.in_top_k", "nn.in_top_k"])
@named
def in_top_k(predictions: Any, targets: Any, k: int, name: str | None = None) -> Tensor:
    """Returns, for each row, whether the class `targets` is among the k most probable ones."""
    return ops.in_top_k(targets, predictions, k)


def _need(**given: Any) -> None:
    missing = [name for name, value in given.items() if value is None]
    if missing:
        raise ValueError(
            f"Only call this with named arguments (labels=..., logits=...): {', '.join(missing)} is missing."
        )
