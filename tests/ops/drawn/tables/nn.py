"""`tf.nn` without windows: activations, losses, moments and normalization, lookups."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from tests.ops.drawn.draws import FLOATS, Draw, Function

Drawn = tuple[Sequence[Any], Mapping[str, Any]]
WITHIN = {"float32": 5e-6, "float64": 1e-12}


def activation(name: str, count: int = 5, **options: Any) -> Function:
    """A function of the features alone."""

    def call(draw: Draw) -> Drawn:
        return [draw.array(draw.shape(max_rank=2), draw.choice(FLOATS), -4, 4)], {}

    return Function(f"nn.{name}", call, count, gradients=True, **options)


def with_option(name: str, *values: Any) -> Callable[[Draw], Drawn]:
    """A tensor, and one option."""

    def call(draw: Draw) -> Drawn:
        return [draw.array(draw.shape(max_rank=2), draw.choice(FLOATS), -4, 4)], {name: draw.choice(values)}

    return call


def squared(tf: Any, result: Any, *_: Any) -> Any:
    """The squares of a result whose sum has no gradient."""
    return result * result


def along_axis(draw: Draw) -> Drawn:
    """A tensor, and a dimension or none."""
    shape = draw.shape(1, 3)
    kwargs = {"axis": draw.axis(len(shape))} if draw.flag() else {}
    return [draw.array(shape, draw.choice(FLOATS), -5, 5)], kwargs


# --- Losses -----------------------------------------------------------------------------------------------------------


def of_probabilities(draw: Draw) -> Drawn:
    shape, dtype = draw.shape(1, 3), draw.choice(FLOATS)
    kwargs = {"axis": draw.axis(len(shape))} if draw.flag() else {}
    return [draw.array(shape, dtype, 0, 1, special=False), draw.array(shape, dtype, -5, 5, special=False)], kwargs


def of_classes(draw: Draw) -> Drawn:
    shape, dtype = draw.shape(0, 2), draw.choice(FLOATS)
    labels = draw.array(shape if draw.number != 5 else (*shape, 1), draw.choice(("int32", "int64")), 0, 2)
    return [labels, draw.array((*shape, 3), dtype, -5, 5, special=False)], {}


def of_binary(*more: float) -> Callable[[Draw], Drawn]:
    """Labels and logits of one shape, in one call in six of another, and further arguments."""

    def call(draw: Draw) -> Drawn:
        shape, dtype = draw.shape(0, 2, min_size=1), draw.choice(FLOATS)
        labels = draw.array((*shape, 2) if draw.number == 5 else shape, dtype, 0, 1, special=False)
        return [labels, draw.array(shape, dtype, -6, 6), *more], {}

    return call


def of_counts(draw: Draw) -> Drawn:
    shape, dtype = draw.shape(0, 2, min_size=1), draw.choice(FLOATS)
    targets = draw.array((*shape, 2) if draw.number == 5 else shape, dtype, 0, 5, special=False)
    return [targets, draw.array(shape, dtype, -2, 2, special=False)], {"compute_full_loss": draw.flag()}


# --- Moments and normalization ----------------------------------------------------------------------------------------


def axes(draw: Draw, rank: int) -> list[int]:
    """Some of the dimensions."""
    return sorted({draw.integer(0, rank - 1) for _ in range(draw.integer(1, rank))})


def of_moments(draw: Draw) -> Drawn:
    shape = draw.shape(1, 3, min_size=1)
    array = draw.array(shape, draw.choice(FLOATS), special=False)
    return [array, axes(draw, len(shape))], {"keepdims": draw.flag()}


def of_statistics(draw: Draw) -> Drawn:
    args, kwargs = of_moments(draw)
    return [*args, draw.choice([None, np.full((), 0.5, args[0].dtype)])], kwargs


def without_shift(tf: Any, result: Any, *_: Any) -> Any:
    """Statistics without their last part, which may be None."""
    return list(result[:3])


def of_sums(draw: Draw) -> Drawn:
    shape, dtype = draw.shape(0, 2, min_size=1), draw.choice(FLOATS)
    sums = [draw.array(shape, dtype, low, high, special=False) for low, high in ((-3, 3), (10, 20))]
    return [draw.array((), dtype, 1, 9, special=False), *sums, draw.choice([None, 0.5])], {}


def of_weights(draw: Draw) -> Drawn:
    shape, dtype = draw.shape(2, 3, min_size=2), draw.choice(FLOATS)
    weights = draw.array(shape[-1:] if draw.number == 5 else shape, dtype, 0.5, 2, special=False)
    over = [len(shape) - 1] if draw.number == 5 else axes(draw, len(shape))
    return [draw.array(shape, dtype, special=False), over, weights], {"keepdims": draw.flag()}


def of_batch(draw: Draw) -> Drawn:
    dtype, channels = draw.choice(FLOATS), draw.integer(1, 3)
    mean, variance, offset, scale = (
        draw.array((channels,), dtype, low, 2, special=False) for low in (-2, 0.5, -2, 0.5)
    )
    x = draw.array((draw.integer(1, 3), channels), dtype)
    return [x, mean, variance, draw.choice([None, offset]), draw.choice([None, scale]), 0.001], {}


def of_global(draw: Draw) -> Drawn:
    dtype, channels = draw.choice(FLOATS), draw.integer(1, 3)
    four = [draw.array((channels,), dtype, low, 2, special=False) for low in (-2, 0.5, -2, 0.5)]
    x = draw.array((1, 2, draw.integer(1, 2), channels), dtype, special=False)
    return [x, *four, 0.001, draw.flag()], {}


def of_response(draw: Draw) -> Drawn:
    array = draw.array((1, draw.integer(1, 2), 1, draw.integer(1, 5)), "float32", special=False)
    kwargs = {"depth_radius": draw.integer(1, 3), "bias": draw.choice([1.0, 2.0]), "alpha": draw.choice([1.0, 0.5])}
    return [array], {**kwargs, "beta": draw.choice([0.5, 0.75])}


def of_bias(draw: Draw) -> Drawn:
    shape, dtype = draw.shape(2, 4, min_size=1), draw.choice(FLOATS)
    layout = draw.choice([None, "NC..", "N..C"]) if len(shape) > 2 else None
    channels = shape[1] if layout == "NC.." else shape[-1]
    bias = draw.array((channels + 5,) if draw.number == 5 else (channels,), dtype)
    return [draw.array(shape, dtype), bias], {"data_format": layout}


def of_lookup(draw: Draw) -> Drawn:
    ids = draw.array(draw.shape(0, 2), draw.choice(("int32", "int64")), 0, 3)
    table = draw.array((4, draw.integer(1, 3)), draw.choice(FLOATS), special=False)
    return [table, ids], {"max_norm": draw.choice([None, 1.5])}


def row(name: str, call: Callable[[Draw], Drawn], count: int = 5, **options: Any) -> Function:
    return Function(f"nn.{name}", call, count, WITHIN, gradients=True, **options)


# Functions of one line and of others here are thorough.
FUNCTIONS: list[Function] = [
    *(
        activation(name, quick=None if name == "softsign" else ())
        for name in ("relu", "relu6", "elu", "selu", "softsign", "l2_loss")
    ),
    row("gelu", with_option("approximate", True, False), 3),
    row("leaky_relu", with_option("alpha", 0.2, 0.3, 0.0), quick=()),
    row("silu", with_option("beta", 1.0, 0.5), quick=()),
    row("crelu", along_axis, quick=()),
    row("softmax", along_axis, compared=squared, quick=()),
    row("log_softmax", along_axis, quick=()),
    row("l2_normalize", along_axis, quick=()),
    row("softmax_cross_entropy_with_logits", of_probabilities, 3),
    row("sparse_softmax_cross_entropy_with_logits", of_classes, 6, quick=()),
    row("sigmoid_cross_entropy_with_logits", of_binary(), 6, quick=()),
    row("weighted_cross_entropy_with_logits", of_binary(2.5), 6, quick=()),
    row("log_poisson_loss", of_counts, 6, quick=()),
    row("moments", of_moments, quick=()),
    row("sufficient_statistics", of_statistics, 3, compared=without_shift),
    row("normalize_moments", of_sums, 3, quick=()),
    row("weighted_moments", of_weights, 6, quick=()),
    row("batch_normalization", of_batch, 3),
    row("batch_norm_with_global_normalization", of_global, 3, quick=()),
    row("local_response_normalization", of_response, 3),
    row("bias_add", of_bias, 6, quick=()),
    Function("nn.embedding_lookup", of_lookup, 5, quick=()),  # its gradient is of another class
]
