"""Functions at the points where their derivative jumps, is infinite or depends on ties, for TensorFlow and for Stratagem.

Each row is a function of the library `tf` and of one or more tensors, and the points.
"""

from collections.abc import Callable
from typing import Any

Points = tuple[list[Any], ...]
Kink = tuple[Callable[..., Any], Points]

INFINITY = float("inf")
NAN = float("nan")
AROUND = [-2.0, -0.0, 0.0, 3.0]  # zero and both sides of it
TIES = ([0.0, 1.0, 2.0, 1.0, -0.0, NAN, 1.0], [0.0, 1.0, 1.0, 2.0, 0.0, 1.0, NAN])

ELEMENTWISE: dict[str, Kink] = {
    "abs": (lambda tf, x: tf.abs(x), ([*AROUND, NAN],)),
    "square of abs": (lambda tf, x: tf.square(tf.abs(x)), (AROUND,)),
    "abs of square": (lambda tf, x: tf.abs(tf.square(x)), (AROUND,)),
    "abs of abs": (lambda tf, x: tf.abs(tf.abs(x) - 2), (AROUND,)),
    "maximum": (lambda tf, x, y: tf.maximum(x, y), TIES),
    "minimum": (lambda tf, x, y: tf.minimum(x, y), TIES),
    "maximum of squares": (lambda tf, x, y: tf.maximum(x * x, y * y), TIES),
    "maximum with a constant": (lambda tf, x: tf.maximum(x, 0.0), (AROUND,)),
    "maximum of a constant": (lambda tf, x: tf.maximum(tf.zeros([], x.dtype), x), (AROUND,)),
    "minimum with a constant": (lambda tf, x: tf.minimum(x, 0.0), (AROUND,)),
    "minimum of a constant": (lambda tf, x: tf.minimum(tf.zeros([], x.dtype), x), (AROUND,)),
    "maximum, broadcast": (lambda tf, x, y: tf.maximum(x, y), ([[0.0, 1.0], [1.0, 0.0]], [0.0, 1.0])),
    "minimum, broadcast": (lambda tf, x, y: tf.minimum(x, y), ([0.0, 1.0], [[0.0, 1.0], [1.0, 0.0]])),
    "maximum with itself": (lambda tf, x: tf.maximum(x, x), (AROUND,)),
    "clip": (lambda tf, x: tf.clip_by_value(x, 0.0, 3.0), ([-1.0, 0.0, 1.0, 3.0, 4.0, NAN],)),
    "clip, squared": (lambda tf, x: tf.clip_by_value(x, 0.0, 3.0) ** 2, ([-1.0, 0.0, 1.0, 3.0, 4.0],)),
    "clip to tensors": (
        lambda tf, x, low, high: tf.clip_by_value(x, low, high),
        ([-1.0, 0.0, 1.0, 3.0, 4.0, 1.0], [0.0, 0.0, 0.0, 0.0, 0.0, 1.0], [3.0, 3.0, 3.0, 3.0, 3.0, 1.0]),
    ),
    "sign": (lambda tf, x: tf.sign(x) * x, (AROUND,)),
    "floor": (lambda tf, x: tf.floor(x) * x, (AROUND,)),
    "ceil": (lambda tf, x: tf.math.ceil(x) * x, (AROUND,)),
    "round": (lambda tf, x: tf.round(x) * x, ([-0.5, 0.0, 0.5, 1.5],)),
    "floormod": (lambda tf, x, y: tf.math.floormod(x, y), ([-2.0, 0.0, 2.0, 3.0], [2.0, 2.0, 2.0, 2.0])),
    "sqrt": (lambda tf, x: tf.sqrt(x), ([0.0, 4.0],)),
    "sqrt of square": (lambda tf, x: tf.sqrt(tf.square(x)), ([0.0, 4.0],)),
    "sqrt of abs": (lambda tf, x: tf.sqrt(tf.abs(x)), ([0.0, -4.0],)),
    "sqrt where positive": (lambda tf, x: tf.where(x > 0, tf.sqrt(x), tf.zeros_like(x)), ([0.0, 4.0],)),
    "sqrt times zero": (lambda tf, x: 0.0 * tf.sqrt(x), ([0.0, 4.0],)),
    "rsqrt": (lambda tf, x: tf.math.rsqrt(x), ([0.0, 4.0],)),
    "rsqrt where positive": (lambda tf, x: tf.where(x > 0, tf.math.rsqrt(x), tf.zeros_like(x)), ([0.0, 4.0],)),
    "reciprocal": (lambda tf, x: tf.math.reciprocal(x), ([0.0, 4.0],)),
    "log": (lambda tf, x: tf.math.log(x), ([0.0, 4.0],)),
    "log where positive": (lambda tf, x: tf.where(x > 0, tf.math.log(x), tf.zeros_like(x)), ([0.0, 4.0],)),
    "log1p": (lambda tf, x: tf.math.log1p(x), ([-1.0, 0.0],)),
    "divide": (lambda tf, x, y: x / y, ([0.0, 1.0, 1.0], [0.0, 0.0, 2.0])),
    "divide_no_nan": (lambda tf, x, y: tf.math.divide_no_nan(x, y), ([0.0, 1.0, 3.0], [0.0, 0.0, 2.0])),
    "multiply_no_nan": (
        lambda tf, x, y: tf.math.multiply_no_nan(x, y),
        ([0.0, 2.0, 3.0, INFINITY, NAN], [0.0, 0.0, 2.0, 0.0, 0.0]),
    ),
    "xlogy": (lambda tf, x, y: tf.math.xlogy(x, y), ([0.0, 0.0, 2.0, 2.0], [0.0, 3.0, 0.0, 3.0])),
    "xdivy": (lambda tf, x, y: tf.math.xdivy(x, y), ([0.0, 0.0, 2.0, 2.0], [0.0, 4.0, 0.0, 4.0])),
    "power 0": (lambda tf, x: tf.pow(x, 0.0), ([0.0, 2.0],)),
    "power 1": (lambda tf, x: tf.pow(x, 1.0), ([0.0, 2.0],)),
    "power 2": (lambda tf, x: tf.pow(x, 2.0), ([0.0, 2.0],)),
    "power 2, an operator": (lambda tf, x: x**2, ([0.0, -2.0],)),
    "power 0, an operator": (lambda tf, x: x**0, ([0.0, -2.0],)),
    "power 1, an operator": (lambda tf, x: x**1, ([0.0, -2.0],)),
    "power 0.5": (lambda tf, x: tf.pow(x, 0.5), ([0.0, 4.0],)),
    "power 1.5": (lambda tf, x: tf.pow(x, 1.5), ([0.0, 4.0],)),
    "power": (
        lambda tf, x, y: tf.pow(x, y),
        ([0.0, 0.0, 0.0, 0.0, 2.0, 2.0], [0.0, 1.0, 2.0, 0.5, 0.0, 2.0]),
    ),
    "power of a constant": (lambda tf, y: tf.pow(tf.zeros_like(y), y), ([0.0, 1.0, 2.0],)),
    "power of negative numbers": (lambda tf, x, y: tf.pow(x, y), ([-2.0, -1.0, -2.0, 3.0], [2.0, 3.0, 0.0, 0.5])),
    "power of negative numbers by a scalar": (lambda tf, x, y: x**y, ([-2.0, -1.0, 0.0, 2.0], 2.0)),
    "power of a negative scalar": (lambda tf, x, y: x**y, (-2.0, [0.0, 1.0, 2.0])),
    "asin": (lambda tf, x: tf.asin(x), ([-1.0, 0.0, 1.0],)),
    "acos": (lambda tf, x: tf.acos(x), ([-1.0, 0.0, 1.0],)),
    "acosh": (lambda tf, x: tf.acosh(x), ([1.0, 2.0],)),
    "atanh": (lambda tf, x: tf.atanh(x), ([-1.0, 0.0, 1.0],)),
    "atan2": (lambda tf, x, y: tf.atan2(x, y), ([0.0, 0.0, 1.0], [0.0, 1.0, 0.0])),
    "softplus": (lambda tf, x: tf.math.softplus(x), ([*AROUND, 200.0],)),
    "log_sigmoid": (lambda tf, x: tf.math.log_sigmoid(x), (AROUND,)),
    "squared_difference": (lambda tf, x, y: tf.math.squared_difference(x, y), ([0.0, 1.0], [0.0, 3.0])),
    "where": (lambda tf, x, y: tf.where(x >= y, x, y), ([0.0, 1.0, 2.0], [0.0, 1.0, 1.0])),
}

REDUCTIONS: dict[str, Kink] = {
    "reduce_max": (lambda tf, x: tf.reduce_max(x, 1), ([[1.0, 3.0, 3.0], [0.0, 0.0, 0.0], [1.0, NAN, 2.0]],)),
    "reduce_min": (lambda tf, x: tf.reduce_min(x, 1), ([[3.0, 1.0, 1.0], [0.0, 0.0, 0.0]],)),
    "reduce_max, squared": (lambda tf, x: tf.reduce_max(x, 1) ** 2, ([[1.0, 3.0, 3.0], [0.0, 0.0, 0.0]],)),
    "reduce_max of all": (lambda tf, x: tf.reduce_max(x), ([1.0, 3.0, 3.0],)),
    "reduce_prod": (lambda tf, x: tf.reduce_prod(x, 1), ([[2.0, 3.0, 4.0], [2.0, 0.0, 4.0], [0.0, 0.0, 4.0]],)),
    "cumprod": (lambda tf, x: tf.math.cumprod(x, 1), ([[2.0, 3.0, 4.0], [2.0, 0.0, 4.0], [0.0, 0.0, 4.0]],)),
    "cumsum of abs": (lambda tf, x: tf.cumsum(tf.abs(x)), (AROUND,)),
    "reduce_logsumexp": (lambda tf, x: tf.reduce_logsumexp(x, 1), ([[1.0, 3.0, 3.0], [-INFINITY, 0.0, 0.0]],)),
    "reduce_std": (lambda tf, x: tf.math.reduce_std(x, 1), ([[1.0, 1.0], [0.0, 2.0]],)),
    "reduce_variance": (lambda tf, x: tf.math.reduce_variance(x, 1), ([[1.0, 1.0], [0.0, 2.0]],)),
    "reduce_euclidean_norm": (
        lambda tf, x: tf.math.reduce_euclidean_norm(x, 1),
        ([[0.0, 0.0], [3.0, 4.0], [0.0, 2.0]],),
    ),
    "top_k": (lambda tf, x: tf.math.top_k(x, 2).values, ([[1.0, 3.0, 3.0, 3.0], [0.0, 0.0, 0.0, 0.0]],)),
    "sort": (lambda tf, x: tf.sort(x), ([[1.0, 3.0, 1.0, 3.0], [0.0, 0.0, 0.0, 0.0]],)),
    "sort, descending": (
        lambda tf, x: tf.sort(x, direction="DESCENDING"),
        ([[1.0, 3.0, 1.0, 3.0], [0.0, 0.0, 0.0, 0.0]],),
    ),
    "segment_max": (lambda tf, x: tf.math.segment_max(x, tf.constant([0, 0, 0, 1])), ([3.0, 1.0, 3.0, 2.0],)),
    "segment_min": (lambda tf, x: tf.math.segment_min(x, tf.constant([0, 0, 0, 1])), ([1.0, 3.0, 1.0, 2.0],)),
    "unsorted_segment_max": (
        lambda tf, x: tf.math.unsorted_segment_max(x, tf.constant([0, 1, 0, 0]), 2),
        ([3.0, 1.0, 3.0, 2.0],),
    ),
    "unsorted_segment_min": (
        lambda tf, x: tf.math.unsorted_segment_min(x, tf.constant([0, 1, 0, 0]), 2),
        ([1.0, 3.0, 1.0, 2.0],),
    ),
    "norm": (lambda tf, x: tf.norm(x, axis=1), ([[0.0, 0.0], [3.0, 4.0], [0.0, 2.0]],)),
    "norm of all": (lambda tf, x: tf.norm(x), ([0.0, 0.0],)),
    "norm of all, not zero": (lambda tf, x: tf.norm(x), ([0.0, 2.0],)),
    "norm 1": (lambda tf, x: tf.norm(x, 1, axis=1), ([[0.0, 0.0], [3.0, -4.0], [0.0, 2.0]],)),
    "norm 3": (lambda tf, x: tf.norm(x, 3, axis=1), ([[0.0, 0.0], [3.0, -4.0], [0.0, 2.0]],)),
    "norm inf": (lambda tf, x: tf.norm(x, float("inf"), axis=1), ([[0.0, 0.0], [3.0, -3.0], [0.0, 2.0]],)),
    "global_norm": (lambda tf, x: tf.linalg.global_norm([x, x]), ([0.0, 0.0],)),
    "l2_normalize": (lambda tf, x: tf.math.l2_normalize(x, 1), ([[0.0, 0.0], [3.0, 4.0], [0.0, 2.0]],)),
    "l2_normalize at epsilon": (lambda tf, x: tf.math.l2_normalize(x, 1, epsilon=4.0), ([[0.0, 2.0], [0.0, 1.0]],)),
    "clip_by_norm": (lambda tf, x: tf.clip_by_norm(x, 2.0, 1), ([[0.0, 0.0], [0.0, 2.0], [3.0, 4.0]],)),
    "clip_by_global_norm": (lambda tf, x: tf.clip_by_global_norm([x], 2.0)[0][0], ([0.0, 2.0],)),
    "clip_by_global_norm of zeros": (lambda tf, x: tf.clip_by_global_norm([x], 2.0)[0][0], ([0.0, 0.0],)),
    "max_pool2d": (
        lambda tf, x: tf.nn.max_pool2d(tf.reshape(x, [1, 2, 4, 1]), 2, 2, "VALID"),
        ([[1.0, 3.0, 0.0, 0.0], [3.0, 3.0, 0.0, 0.0]],),
    ),
    "max_pool2d, overlapping": (
        lambda tf, x: tf.nn.max_pool2d(tf.reshape(x, [1, 2, 4, 1]), 2, 1, "SAME"),
        ([[1.0, 3.0, 0.0, 0.0], [3.0, 3.0, 0.0, 0.0]],),
    ),
}

_LINE = [1.0, 3.0, 3.0, 3.0, 0.0, 0.0, 0.0, 0.0, 2.0, 2.0, 5.0, 5.0, 5.0, 1.0, 1.0, 1.0]

POOLS: dict[str, Kink] = {
    "max_pool1d": (lambda tf, x: tf.nn.max_pool1d(tf.reshape(x, [1, 16, 1]), 3, 2, "SAME"), (_LINE,)),
    "pool with gaps": (
        lambda tf, x: tf.nn.pool(tf.reshape(x, [1, 4, 4, 1]), [2, 2], "MAX", padding="VALID", dilations=[2, 2]),
        (_LINE,),
    ),
    "max_pool3d": (lambda tf, x: tf.nn.max_pool3d(tf.reshape(x, [1, 2, 2, 4, 1]), 2, 2, "VALID"), (_LINE,)),
    "max_pool3d, overlapping": (
        lambda tf, x: tf.nn.max_pool3d(tf.reshape(x, [1, 2, 4, 2, 1]), (2, 3, 2), 1, "SAME"),
        (_LINE,),
    ),
    "max_pool3d of planes": (
        lambda tf, x: tf.nn.max_pool3d(tf.reshape(x, [1, 4, 2, 2, 1]), (1, 2, 2), (1, 2, 2), "VALID"),
        (_LINE,),
    ),
    "max_pool3d in large windows": (
        lambda tf, x: tf.nn.max_pool3d(tf.reshape(x, [1, 4, 2, 2, 1]), (3, 3, 3), 1, "SAME"),
        (_LINE,),
    ),
    "keras MaxPooling2D": (lambda tf, x: tf.keras.layers.MaxPooling2D()(tf.reshape(x, [1, 4, 4, 1])), (_LINE,)),
    "keras MaxPooling3D": (
        lambda tf, x: tf.keras.layers.MaxPooling3D((1, 2, 2))(tf.reshape(x, [1, 4, 2, 2, 1])),
        (_LINE,),
    ),
    "keras GlobalMaxPooling2D": (
        lambda tf, x: tf.keras.layers.GlobalMaxPooling2D()(tf.reshape(x, [1, 4, 4, 1])),
        (_LINE,),
    ),
}

ACTIVATIONS: dict[str, Kink] = {
    "relu": (lambda tf, x: tf.nn.relu(x), ([*AROUND, NAN],)),
    "relu, squared": (lambda tf, x: tf.nn.relu(x) ** 2, (AROUND,)),
    "sqrt of relu": (lambda tf, x: tf.sqrt(tf.nn.relu(x)), ([-1.0, 0.0, 4.0],)),
    "relu6": (lambda tf, x: tf.nn.relu6(x), ([*AROUND, 6.0, 7.0, NAN],)),
    "crelu": (lambda tf, x: tf.nn.crelu(x), (AROUND,)),
    "leaky_relu": (lambda tf, x: tf.nn.leaky_relu(x, 0.25), ([*AROUND, NAN],)),
    "elu": (lambda tf, x: tf.nn.elu(x), ([*AROUND, NAN],)),
    "selu": (lambda tf, x: tf.nn.selu(x), ([*AROUND, NAN],)),
    "softsign": (lambda tf, x: tf.nn.softsign(x), (AROUND,)),
    "softmax of ties": (lambda tf, x: tf.nn.softmax(x), ([0.0, 0.0, 1.0],)),
    "keras relu": (lambda tf, x: tf.keras.activations.relu(x), (AROUND,)),
    "keras relu, 6": (lambda tf, x: tf.keras.activations.relu(x, max_value=6.0), ([*AROUND, 6.0, 7.0],)),
    "keras relu, 5": (lambda tf, x: tf.keras.activations.relu(x, max_value=5.0), ([*AROUND, 5.0, 7.0],)),
    "keras relu, threshold": (lambda tf, x: tf.keras.activations.relu(x, threshold=1.0), ([*AROUND, 1.0],)),
    "keras elu": (lambda tf, x: tf.keras.activations.elu(x, 0.5), (AROUND,)),
    "keras selu": (lambda tf, x: tf.keras.activations.selu(x), (AROUND,)),
    "keras softsign": (lambda tf, x: tf.keras.activations.softsign(x), (AROUND,)),
    "keras LeakyReLU": (lambda tf, x: tf.keras.layers.LeakyReLU(0.25)(x), (AROUND,)),
    "keras ReLU": (lambda tf, x: tf.keras.layers.ReLU(6.0, 0.25)(x), ([*AROUND, 6.0, 7.0],)),
    "keras softplus": (lambda tf, x: tf.keras.activations.softplus(x), (AROUND,)),
}

_LEFT, _RIGHT = [[0.0, 1.0, 2.0], [1.0, 1.0, 4.0]], [[0.0, 1.0, 1.0], [0.0, 1.0, 1.0]]
_PROBABLE = [[0.0, 1.0, 0.5], [1.0, 0.0, 0.25]]
_TRUTH = [[0.0, 1.0, 1.0], [0.0, 1.0, 0.0]]

LOSSES: dict[str, Kink] = {
    "MAE": (lambda tf, t, p: tf.keras.losses.mean_absolute_error(t, p), (_LEFT, _RIGHT)),
    "MSE": (lambda tf, t, p: tf.keras.losses.mean_squared_error(t, p), (_LEFT, _RIGHT)),
    "MAPE": (lambda tf, t, p: tf.keras.losses.mean_absolute_percentage_error(t, p), (_LEFT, _RIGHT)),
    "MSLE": (lambda tf, t, p: tf.keras.losses.mean_squared_logarithmic_error(t, p), (_LEFT, _RIGHT)),
    "huber": (lambda tf, t, p: tf.keras.losses.huber(t, p), (_LEFT, _RIGHT)),
    "log_cosh": (lambda tf, t, p: tf.keras.losses.log_cosh(t, p), (_LEFT, _RIGHT)),
    "hinge": (lambda tf, p: tf.keras.losses.hinge(tf.cast(_TRUTH, p.dtype), p), (_RIGHT,)),
    "squared_hinge": (lambda tf, p: tf.keras.losses.squared_hinge(tf.cast(_TRUTH, p.dtype), p), (_RIGHT,)),
    "categorical_hinge": (lambda tf, p: tf.keras.losses.categorical_hinge(tf.cast(_TRUTH, p.dtype), p), (_RIGHT,)),
    "poisson": (lambda tf, p: tf.keras.losses.poisson(tf.cast(_TRUTH, p.dtype), p), (_PROBABLE,)),
    "KLD": (lambda tf, t, p: tf.keras.losses.kl_divergence(t, p), (_TRUTH, _PROBABLE)),
    "cosine": (lambda tf, t, p: tf.keras.losses.cosine_similarity(t, p), (_LEFT, [[0.0] * 3, [1.0] * 3])),
    "binary_crossentropy": (
        lambda tf, p: tf.keras.losses.binary_crossentropy(tf.cast(_TRUTH, p.dtype), p),
        (_PROBABLE,),
    ),
    "binary_crossentropy of logits": (
        lambda tf, p: tf.keras.losses.binary_crossentropy(tf.cast(_TRUTH, p.dtype), p, from_logits=True),
        ([[0.0, 0.0, 1.0], [-1.0, 0.0, 0.0]],),
    ),
    "sigmoid_cross_entropy_with_logits": (
        lambda tf, t, p: tf.nn.sigmoid_cross_entropy_with_logits(labels=t, logits=p),
        (_TRUTH, [[0.0, 0.0, 1.0], [-1.0, 0.0, 0.0]]),
    ),
    "weighted_cross_entropy_with_logits": (
        lambda tf, t, p: tf.nn.weighted_cross_entropy_with_logits(labels=t, logits=p, pos_weight=2.0),
        (_TRUTH, [[0.0, 0.0, 1.0], [-1.0, 0.0, 0.0]]),
    ),
    "categorical_crossentropy": (
        lambda tf, p: tf.keras.losses.categorical_crossentropy(tf.cast(_TRUTH, p.dtype), p),
        ([[0.0, 1.0, 0.0], [0.5, 0.0, 0.5]],),
    ),
    "L1": (lambda tf, x: tf.keras.regularizers.L1(0.5)(x), (AROUND,)),
    "L2": (lambda tf, x: tf.keras.regularizers.L2(0.5)(x), (AROUND,)),
    "L1L2": (lambda tf, x: tf.keras.regularizers.L1L2(0.5, 0.25)(x), (AROUND,)),
}

KINKS: dict[str, Kink] = ELEMENTWISE | REDUCTIONS | POOLS | ACTIVATIONS | LOSSES


def first_order(tf: Any, function: Callable[..., Any], *points: Any) -> list[Any]:
    """The derivatives of a weighted sum of the function's values."""
    with tf.GradientTape() as tape:
        tape.watch(points)
        target = _weighted(tf, function(tf, *points))
    return list(tape.gradient(target, points, unconnected_gradients=tf.UnconnectedGradients.ZERO))


def second_order(tf: Any, function: Callable[..., Any], *points: Any) -> list[Any]:
    """The derivatives of a weighted sum of the first ones."""
    with tf.GradientTape() as tape:
        tape.watch(points)
        total = tf.add_n([_weighted(tf, g) for g in first_order(tf, function, *points)])
    return list(tape.gradient(total, points, unconnected_gradients=tf.UnconnectedGradients.ZERO))


def connections(tf: Any, function: Callable[..., Any], *points: Any) -> list[Any]:
    """For the second derivative by each tensor 1, or 0 if it is None."""
    with tf.GradientTape() as tape:
        tape.watch(points)
        with tf.GradientTape() as inner:
            inner.watch(points)
            target = _weighted(tf, function(tf, *points))
        total = tf.add_n([_weighted(tf, g) for g in inner.gradient(target, points) if g is not None])
    return [tf.constant(float(g is not None)) for g in tape.gradient(total, points)]


def forward(tf: Any, function: Callable[..., Any], *points: Any) -> list[Any]:
    """The tangents that tangents of the tensors are pushed forward to."""
    tangents = [tf.reshape(tf.cumsum(tf.ones_like(tf.reshape(p, [-1]))), tf.shape(p)) for p in points]
    with tf.autodiff.ForwardAccumulator(list(points), tangents) as accumulator:
        value = function(tf, *points)
    return [accumulator.jvp(value)]


ORDERS = {"first": first_order, "second": second_order, "connections": connections, "forward": forward}

# Why a derivative is not TensorFlow's, by function and order.
AFTER_POLES = "a second derivative where the first is infinite or NaN"
FLAT_RELU = "an infinite gradient that meets the flat side of a relu is 0, in TensorFlow NaN"
WITHOUT_POWER = "x**0 and x**1 are not computed as powers here: their derivatives do not depend on x"
KERAS_3 = "Keras 3 and tf.keras 2.15 have different epsilons"
DIFFERENT = {
    ("log where positive", "second"): AFTER_POLES,
    ("atanh", "second"): AFTER_POLES,
    ("sqrt of relu", "first"): FLAT_RELU,
    ("sqrt of relu", "second"): FLAT_RELU,
    ("cosine", "first"): KERAS_3,
    ("cosine", "second"): KERAS_3,
    ("cosine", "forward"): KERAS_3,
    ("power 0, an operator", "connections"): WITHOUT_POWER,
    ("power 1, an operator", "connections"): WITHOUT_POWER,
    (
        "clip_by_global_norm of zeros",
        "forward",
    ): "for the norm 0 the scale is not computed by a division: its tangent is not NaN",
}


def _weighted(tf: Any, value: Any) -> Any:
    flat = tf.reshape(value, [-1])
    return tf.reduce_sum(flat * tf.cumsum(tf.ones_like(flat)))
