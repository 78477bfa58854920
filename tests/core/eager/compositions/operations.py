"""The differentiable operations of generated programs, with the shapes that they give."""

import math
from collections.abc import Callable
from dataclasses import dataclass

from tests.differential.drawing import Draw

Shape = tuple[int, ...]
SHAPES: tuple[Shape, ...] = ((), (3,), (2, 3), (3, 3), (2, 1, 3))
MOST = 24  # elements of a tensor

# Constants are exact in float32: what an eager float64 tensor is multiplied by is rounded to it (docs/decisions.md).
SMOOTH = (
    "tf.sin({})",
    "tf.cos({})",
    "tf.tanh({})",
    "tf.sigmoid({})",
    "tf.exp(0.5 * {})",
    "tf.square({})",
    "-{}",
    "1.0 - {}",
    "{} / 2.0",
    "1.5 * {}",
    "{} ** 2",
    "{} ** 3.0",
    "tf.identity({})",
    "tf.math.softplus({})",
    "tf.nn.silu({})",
    "tf.nn.gelu({})",
    "tf.nn.gelu({}, approximate=True)",
    "tf.math.erf({})",
    "tf.math.erfc({})",
    "tf.math.atan({})",
    "tf.math.asinh({})",
    "tf.math.sinh(0.5 * {})",
    "tf.math.cosh(0.5 * {})",
    "tf.math.expm1(0.5 * {})",
    "tf.math.log_sigmoid({})",
    "tf.math.log(tf.square({}) + 0.75)",
    "tf.sqrt(tf.square({}) + 0.5)",
    "tf.math.rsqrt(tf.square({}) + 0.5)",
    "tf.math.reciprocal(tf.square({}) + 0.5)",
    "1.0 / (tf.square({}) + 1.0)",
    "2.0 ** tf.tanh({})",
    "tf.math.log1p(tf.square({}))",
    "tf.math.asin(0.5 * tf.tanh({}))",
    "tf.math.acos(0.5 * tf.tanh({}))",
    "tf.math.atanh(0.5 * tf.tanh({}))",
    "tf.math.acosh(tf.square({}) + 1.5)",
    "tf.tan(0.5 * tf.tanh({}))",
    "tf.math.lgamma(tf.square({}) + 0.75)",
    "tf.math.digamma(tf.square({}) + 0.75)",
    "tf.math.erfinv(0.5 * tf.tanh({}))",
    "tf.pow(tf.square({}) + 0.5, 1.5)",
    "tf.math.polyval([0.5, -1.0, 0.25], {})",
    "tf.cast(tf.cast({}, other), main)",
    "tf.convert_to_tensor({})",
    "tf.ensure_shape({0}, {0}.shape)",
    "tf.math.scalar_mul(0.5, {})",
    "tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, tf.sin(a) + 0.5 * a), (0, {}))[1]",
    "tf.cond(tf.reduce_sum({0}) > 0.25, lambda: tf.sin({0}), lambda: tf.cos({0}) * {0})",
    "tf.switch_case(tf.constant(1), [lambda: tf.sin({0}), lambda: tf.tanh({0}) + {0}])",
)
KINKED = (  # the slope jumps where two values are equal, or at a round number
    "tf.abs({})",
    "tf.nn.relu({})",
    "tf.nn.relu6({})",
    "tf.nn.leaky_relu({})",
    "tf.nn.leaky_relu({}, alpha=0.125)",
    "tf.nn.elu({})",
    "tf.nn.selu({})",
    "tf.math.softsign({})",
    "tf.maximum({}, 0.25)",
    "tf.minimum({}, 0.25)",
    "tf.clip_by_value({}, -0.75, 0.5)",
    "tf.where({0} > 0.125, {0} * 2.0, tf.sin({0}))",
    "tf.where({0} > 0.125, {0}, 0.0)",
    "tf.sign({0}) * {0}",
    "tf.clip_by_norm({}, 0.75)",
    "tf.math.floormod({}, 0.75)",
)
CUT = (  # what gives no gradient, added to what does
    "{0} + tf.floor({0})",
    "{0} + tf.math.ceil({0})",
    "{0} * tf.stop_gradient(tf.sin({0}))",
    "{0} + tf.ones_like({0})",
    "{0} * tf.cast({0} > 0.125, main)",
    "tf.stop_gradient({0}) + 0.5",
    "tf.floor({0}) + 0.25",
    "tf.round(4.0 * {0}) + {0}",
    "tf.cast(tf.cast(3.0 * {0}, tf.int32), main) + 0.5",
    "tf.zeros_like({0}) + 0.5",
    "tf.cast(tf.argmax(tf.reshape({0}, [-1])), main) + {0}",
    "tf.sign({0}) + 0.5",
)
BINARY = (
    "{} + {}",
    "{} - {}",
    "{} * {}",
    "{} / (tf.square({}) + 0.75)",
    "tf.math.squared_difference({}, {})",
    "tf.pow(tf.square({}) + 0.5, tf.tanh({}))",
    "tf.atan2({}, tf.square({}) + 0.5)",
    "tf.math.divide_no_nan({}, tf.square({}) + 0.75)",
    "tf.math.xlogy({}, tf.square({}) + 0.75)",
    "tf.math.xdivy({}, tf.square({}) + 0.75)",
    "tf.subtract(tf.sin({}), {})",
    "tf.truediv({}, tf.exp(0.25 * {}))",
)
BINARY_KINKED = (
    "tf.math.multiply_no_nan({}, {})",
    "tf.maximum({}, {})",
    "tf.minimum({}, {})",
    "tf.where({0} > {1}, tf.sin({0}), {1})",
)
REDUCTIONS = (
    "tf.reduce_sum({}{})",
    "tf.reduce_mean({}{})",
    "tf.reduce_logsumexp({}{})",
    "tf.math.reduce_std({}{})",
    "tf.math.reduce_variance({}{})",
    "tf.math.reduce_euclidean_norm({}{})",
    "tf.norm({}{})",
    "tf.reduce_prod({}{})",
)
REDUCTIONS_KINKED = ("tf.reduce_max({}{})", "tf.reduce_min({}{})", "tf.norm({}, ord=1{})")
ALONG_ROWS = (  # of at least one dimension
    "tf.nn.softmax({})",
    "tf.nn.log_softmax({})",
    "tf.cumsum({}, axis=-1)",
    "tf.cumsum({}, axis=-1, exclusive=True)",
    "tf.cumsum({}, axis=-1, reverse=True)",
    "tf.math.cumprod({}, axis=-1)",
    "tf.math.cumulative_logsumexp({}, axis=-1)",
    "tf.math.l2_normalize({}, axis=-1)",
    "tf.reverse({}, axis=[-1])",
    "{}[..., ::-1]",
)
ALONG_ROWS_KINKED = (
    "tf.sort({}, axis=-1)",
    '-tf.sort({}, axis=-1, direction="DESCENDING")',
)
OF_ROWS = ("tf.map_fn(lambda a: tf.sin(a) * a, {})", "tf.scan(lambda a, b: tf.tanh(a + b), {})")
SQUARE = (
    "tf.linalg.inv({0} + 4.0 * tf.eye(3, dtype=main))",
    "tf.linalg.cholesky(tf.matmul({0}, {0}, transpose_b=True) + tf.eye(3, dtype=main))",
    "tf.linalg.band_part({}, -1, 0)",
    "tf.linalg.matmul({0}, {0}, transpose_a=True)",
    "tf.transpose({})",
    "tf.linalg.solve({0} + 4.0 * tf.eye(3, dtype=main), {0})",
    "tf.linalg.triangular_solve({0} + 4.0 * tf.eye(3, dtype=main), {0})",
)
SQUARE_TO = (
    ("tf.linalg.det({0} + 4.0 * tf.eye(3, dtype=main))", ()),
    ("tf.linalg.trace({})", ()),
    ("tf.linalg.diag_part({})", (3,)),
    ("tf.linalg.eigh({0} + tf.transpose({0}))[0]", (3,)),
    ("tf.linalg.svd({}, compute_uv=False)", (3,)),
    ("tf.linalg.qr({0} + 4.0 * tf.eye(3, dtype=main))[1]", (3, 3)),
)
PRODUCTS: tuple[tuple[str, Shape, Shape, Shape], ...] = (
    ("tf.matmul({}, {})", (2, 3), (3, 3), (2, 3)),
    ("{} @ {}", (3, 3), (3, 3), (3, 3)),
    ("tf.matmul({}, {}, transpose_b=True)", (2, 3), (3, 3), (2, 3)),
    ("tf.matmul({}, {}, transpose_a=True)", (2, 3), (2, 3), (3, 3)),
    ("tf.linalg.matvec({}, {})", (2, 3), (3,), (2,)),
    ("tf.tensordot({}, {}, axes=1)", (2, 3), (3,), (2,)),
    ("tf.tensordot({}, {}, axes=0)", (3,), (3,), (3, 3)),
    ("tf.tensordot({}, {}, axes=[[0, 1], [0, 1]])", (2, 3), (2, 3), ()),
    ('tf.einsum("i,i->", {}, {})', (3,), (3,), ()),
    ('tf.einsum("ij,kj->ik", {}, {})', (2, 3), (3, 3), (2, 3)),
    ('tf.einsum("ij,j->ji", {}, {})', (2, 3), (3,), (3, 2)),
    ('tf.einsum("aij,jk->aik", {}, {})', (2, 1, 3), (3, 3), (2, 1, 3)),
    ("tf.matmul({}, {})", (2, 1, 3), (3, 3), (2, 1, 3)),
    ("tf.linalg.cross({}, {})", (3,), (3,), (3,)),
    ("tf.linalg.solve({} + 4.0 * tf.eye(3, dtype=main), tf.transpose({}))", (3, 3), (2, 3), (3, 2)),
    ("tf.nn.bias_add({}, {})", (2, 3), (3,), (2, 3)),
    ("tf.nn.conv1d({}, tf.reshape({}, [1, 3, 3]), stride=1, padding='SAME')", (2, 1, 3), (3, 3), (2, 1, 3)),
    (
        "tf.reshape(tf.nn.conv2d(tf.reshape({}, [1, 3, 3, 1]), tf.reshape({}, [1, 3, 1, 1]), strides=1,"
        " padding='SAME'), [3, 3])",
        (3, 3),
        (3,),
        (3, 3),
    ),
    ("tf.tensor_scatter_nd_update({}, [[1], [0]], {})", (3, 3), (2, 3), (3, 3)),
    ("tf.tensor_scatter_nd_add({}, [[1], [1]], {})", (3, 3), (2, 3), (3, 3)),
    ("tf.tensor_scatter_nd_sub({}, [[0], [2]], {})", (3, 3), (2, 3), (3, 3)),
    ("tf.nn.softmax_cross_entropy_with_logits(labels=tf.nn.softmax({}), logits={})", (2, 3), (2, 3), (2,)),
    ("tf.nn.sigmoid_cross_entropy_with_logits(labels=tf.sigmoid({}), logits={})", (2, 3), (2, 3), (2, 3)),
    (
        "tf.nn.weighted_cross_entropy_with_logits(labels=tf.sigmoid({}), logits={}, pos_weight=1.5)",
        (2, 3),
        (2, 3),
        (2, 3),
    ),
    ("tf.keras.losses.mean_squared_error({}, {})", (2, 3), (2, 3), (2,)),
    ("tf.keras.losses.MeanSquaredError()({}, {})", (2, 3), (2, 3), ()),
    ("tf.keras.losses.Huber(delta=0.75)({}, {})", (2, 3), (2, 3), ()),
    ("tf.keras.losses.cosine_similarity({}, {})", (2, 3), (2, 3), (2,)),
    ("tf.keras.losses.KLDivergence()(tf.nn.softmax({}), tf.nn.softmax({}))", (2, 3), (2, 3), ()),
    ("tf.keras.losses.CategoricalCrossentropy(from_logits=True)(tf.nn.softmax({}), {})", (2, 3), (2, 3), ()),
    ("tf.keras.losses.CategoricalCrossentropy()(tf.nn.softmax({}), tf.nn.softmax({}))", (2, 3), (2, 3), ()),
    ("tf.keras.losses.BinaryCrossentropy(from_logits=True)(tf.sigmoid({}), {})", (2, 3), (2, 3), ()),
    ("tf.keras.losses.Poisson()(tf.sigmoid({}), tf.exp(0.5 * {}))", (2, 3), (2, 3), ()),
    ("tf.keras.losses.log_cosh({}, {})", (2, 3), (2, 3), (2,)),
    ("tf.math.segment_sum({} * {}, [0, 0])", (2, 3), (2, 3), (1, 3)),
    (
        "tf.nn.batch_normalization({0}, *tf.nn.moments({0}, axes=[0]), {1}, None, 0.125)",
        (2, 3),
        (3,),
        (2, 3),
    ),
)
# Of one operand of a certain shape.
RESHAPED: tuple[tuple[str, Shape, Shape], ...] = (
    ("tf.reshape({}, [3, 2])", (2, 3), (3, 2)),
    ("tf.reshape({}, [-1])", (2, 3), (6,)),
    ("tf.reshape({}, [2, -1])", (2, 1, 3), (2, 3)),
    ("tf.transpose({})", (2, 3), (3, 2)),
    ("tf.transpose({})", (3, 2), (2, 3)),
    ("tf.transpose({}, [2, 0, 1])", (2, 1, 3), (3, 2, 1)),
    ("tf.expand_dims({}, 1)", (2, 3), (2, 1, 3)),
    ("tf.squeeze({}, axis=1)", (2, 1, 3), (2, 3)),
    ("{}[:, tf.newaxis]", (2, 3), (2, 1, 3)),
    ("{}[0]", (2, 3), (3,)),
    ("tf.roll({}, shift=1, axis=1)", (2, 3), (2, 3)),  # TensorFlow's jacobian of a roll by a negative axis is wrong
    ("{}[1:, :2]", (3, 3), (2, 2)),
    ("{}[:, 1]", (3, 3), (3,)),
    ("{}[:, 0]", (2, 1, 3), (2, 3)),
    ("{}[::2]", (3, 3), (2, 3)),
    ("{}[-1]", (3,), ()),
    ("{}[1:]", (3, 3), (2, 3)),
    ("tf.slice({}, [0, 1], [2, 2])", (2, 3), (2, 2)),
    ("tf.split({}, [1, 2])[1]", (3, 3), (2, 3)),
    ("tf.split({}, 3, axis=1)[2]", (2, 3), (2, 1)),
    ("tf.unstack({})[1]", (2, 3), (3,)),
    ("tf.add_n(tf.unstack({}, axis=1))", (2, 3), (2,)),
    ("tf.gather({}, [2, 0, 2])", (3, 3), (3, 3)),
    ("tf.gather({}, [1, 1], axis=0)", (3, 3), (2, 3)),
    ("tf.gather({}, [0, 2, 2], axis=1)", (2, 3), (2, 3)),
    ("tf.gather_nd({}, [[0, 1], [1, 2], [1, 2]])", (2, 3), (3,)),
    ("tf.nn.embedding_lookup({}, [2, 0])", (3, 3), (2, 3)),
    ("tf.boolean_mask({}, [True, False, True])", (3, 3), (2, 3)),
    ("tf.boolean_mask({}, [[True, False, True], [False, True, False]])", (2, 3), (3,)),
    ("tf.pad({}, [[0, 1], [0, 0]])", (2, 3), (3, 3)),
    ("tf.pad({}, [[1, 0], [0, 0]], constant_values=0.5)", (2, 3), (3, 3)),
    ("tf.pad({}, [[0, 1], [0, 0]], mode='REFLECT')", (2, 3), (3, 3)),
    ("tf.pad({}, [[1, 1]], mode='SYMMETRIC')", (3,), (5,)),
    ("tf.tile({}, [2, 1])", (2, 3), (4, 3)),
    ("tf.repeat({}, 2, axis=0)", (2, 3), (4, 3)),
    ("tf.repeat({}, [1, 2], axis=0)", (2, 3), (3, 3)),
    ("tf.broadcast_to({}, [2, 3])", (3,), (2, 3)),
    ("tf.broadcast_to({}, [3])", (), (3,)),
    ("tf.fill([2, 3], {})", (), (2, 3)),
    ("tf.linalg.diag({})", (3,), (3, 3)),
    ("tf.where(tf.constant([True, False, True]), {0}, tf.sin({0}))", (2, 3), (2, 3)),
    ("tf.scatter_nd([[2], [0]], {}, [3, 3])", (2, 3), (3, 3)),
    ("tf.math.unsorted_segment_sum({}, [1, 0, 1], 2)", (3, 3), (2, 3)),
    ("tf.math.segment_mean({}, [0, 0, 1])", (3, 3), (2, 3)),
    ("tf.foldl(lambda a, b: tf.sin(a) + b, {})", (3, 3), (3,)),
    ("tf.vectorized_map(lambda a: a * tf.reduce_sum(a), {})", (2, 3), (2, 3)),
    ("tf.nn.moments({}, axes=[0])[1]", (2, 3), (3,)),
    ("tf.nn.l2_loss({})", (2, 3), ()),
    ("tf.nn.crelu({} + 0.125)[:, :3]", (2, 3), (2, 3)),
    ("tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[2, 0], logits={})", (2, 3), (2,)),
    ("tf.keras.losses.sparse_categorical_crossentropy([1, 2], tf.nn.softmax({}))", (2, 3), (2,)),
    ("tf.meshgrid({0}, {0})[0] * tf.meshgrid({0}, {0})[1]", (3,), (3, 3)),
    ("tf.linalg.global_norm([{0}, tf.sin({0})])", (3,), ()),
    ("tf.clip_by_global_norm([{0}, tf.cos({0})], 0.75)[0][0]", (3,), ()),
    ("tf.linalg.norm({}, axis=[0, 1])", (2, 3), ()),
    ("tf.reshape(tf.nn.avg_pool2d(tf.reshape({}, [1, 3, 3, 1]), 2, 1, 'VALID'), [2, 2])", (3, 3), (2, 2)),
    ("tf.reduce_mean(tf.cast(tf.image.resize(tf.reshape({}, [3, 3, 1]), [2, 2]), main))", (3, 3), ()),
    ("tf.math.real(tf.complex({0}, 2.0 * {0}) * tf.complex({0}, tf.sin({0})))", (3,), (3,)),
)
RESHAPED_KINKED: tuple[tuple[str, Shape, Shape], ...] = (
    ("tf.math.top_k({}, k=2)[0]", (2, 3), (2, 2)),
    ("tf.reshape(tf.nn.max_pool2d(tf.reshape({}, [1, 3, 3, 1]), 2, 1, 'VALID'), [2, 2])", (3, 3), (2, 2)),
    ("tf.math.segment_max({}, [0, 0, 1])", (3, 3), (2, 3)),
    ("tf.math.unsorted_segment_max({}, [1, 0, 1], 2)", (3, 3), (2, 3)),
    ("tf.tensor_scatter_nd_max({0}, [[1]], [tf.sin({0}[0])])", (3, 3), (3, 3)),
)


@dataclass(frozen=True)
class Value:
    """A tensor that a name or an expression stands for. tied: some of its elements may be equal, or round numbers."""

    text: str
    shape: Shape
    tied: bool = False

    @property
    def size(self) -> int:
        """How many elements it has."""
        return math.prod(self.shape)


Operand = Callable[[Callable[[Value], bool]], Value | None]  # some value that a condition holds for


def operation(draw: Draw, operand: Operand) -> Value | None:
    """One operation on values that `operand` finds; None if it finds none for it."""
    kinds: dict[Callable[[Draw, Operand], Value | None], float] = {
        _elementwise: 4.0,
        _kinked: 1.3,
        _cut: 0.7,
        _binary: 3.5,
        _reduction: 1.5,
        _along_rows: 1.2,
        _product: 3.0,
        _of_square: 1.0,
        _reshaped: 3.5,
        _joined: 1.2,
    }
    return draw.weighted(kinds)(draw, operand)


def _anything(value: Value) -> bool:
    return True


def _elementwise(draw: Draw, operand: Operand) -> Value | None:
    x = operand(_anything)
    return x and Value(draw.one(SMOOTH).format(x.text), x.shape, x.tied)


def row_operation(draw: Draw, operand: Operand) -> Value | None:
    """An operation that computes every row from the same row alone, and keeps the shape."""
    x = operand(_anything)
    if x is None:
        return None
    text = draw.one(SMOOTH[:41] if draw.chance(0.6) else ALONG_ROWS)
    return Value(text.format(x.text), x.shape, True)


def _kinked(draw: Draw, operand: Operand) -> Value | None:
    x = operand(lambda v: not v.tied)
    return x and Value(draw.one(KINKED).format(x.text), x.shape, True)


def _cut(draw: Draw, operand: Operand) -> Value | None:
    x = operand(lambda v: not v.tied)
    return x and Value(draw.one(CUT).format(x.text), x.shape, True)


def _binary(draw: Draw, operand: Operand) -> Value | None:
    x = operand(_anything)
    if x is None:
        return None
    y = operand(lambda v: _broadcast(x.shape, v.shape) is not None)
    if y is None:
        return None
    shape = _broadcast(x.shape, y.shape)
    assert shape is not None
    kinked = not (x.tied or y.tied or x.text == y.text) and draw.chance(0.2)
    tied = x.tied or y.tied or kinked or x.text == y.text
    return Value(draw.one(BINARY_KINKED if kinked else BINARY).format(x.text, y.text), shape, tied)


def _broadcast(one: Shape, other: Shape) -> Shape | None:
    length = max(len(one), len(other))
    pairs = zip((1,) * (length - len(one)) + one, (1,) * (length - len(other)) + other, strict=True)
    dims = []
    for a, b in pairs:
        if a != b and 1 not in (a, b):
            return None
        dims.append(max(a, b))
    return tuple(dims) if math.prod(dims) <= MOST else None


def _reduction(draw: Draw, operand: Operand) -> Value | None:
    x = operand(lambda v: len(v.shape) > 0)
    if x is None:
        return None
    axis = draw.one([None, *range(len(x.shape)), -1])
    keep = draw.chance(0.25)
    text = "" if axis is None else f", axis={axis}"
    text += ", keepdims=True" if keep else ""
    kinked = not x.tied and draw.chance(0.3)
    template = draw.one(REDUCTIONS_KINKED if kinked else REDUCTIONS)
    reduced = range(len(x.shape)) if axis is None else [axis % len(x.shape)]
    shape = tuple(1 if i in reduced else d for i, d in enumerate(x.shape) if keep or i not in reduced)
    return Value(template.format(x.text, text), shape, x.tied or math.prod(shape) == x.size)


def _along_rows(draw: Draw, operand: Operand) -> Value | None:
    kinked = draw.chance(0.2)
    x = operand(lambda v: len(v.shape) > 0 and not (kinked and v.tied))
    if x is None:
        return None
    if draw.chance(0.15):
        return Value(draw.one(OF_ROWS).format(x.text), x.shape, x.tied)
    table = ALONG_ROWS_KINKED if kinked else ALONG_ROWS
    return Value(draw.one(table).format(x.text), x.shape, True)


def _product(draw: Draw, operand: Operand) -> Value | None:
    text, one, other, shape = draw.one(PRODUCTS)
    x, y = operand(lambda v: v.shape == one), operand(lambda v: v.shape == other)
    return Value(text.format(x.text, y.text), shape, True) if x and y else None


def _of_square(draw: Draw, operand: Operand) -> Value | None:
    x = operand(lambda v: v.shape == (3, 3) and not v.tied)
    if x is None:
        return None
    if draw.chance(0.5):
        return Value(draw.one(SQUARE).format(x.text), x.shape, True)
    text, shape = draw.one(SQUARE_TO)
    return Value(text.format(x.text), shape, True)


def _reshaped(draw: Draw, operand: Operand) -> Value | None:
    kinked = draw.chance(0.1)
    text, before, after = draw.one(RESHAPED_KINKED if kinked else RESHAPED)
    x = operand(lambda v: v.shape == before and not (kinked and v.tied))
    return x and Value(text.format(x.text), after, True)


def _joined(draw: Draw, operand: Operand) -> Value | None:
    x = operand(lambda v: v.size * 2 <= MOST)
    y = x and operand(lambda v: v.shape == x.shape)
    if x is None or y is None:
        return None
    if draw.chance(0.5) or not x.shape:
        return Value(f"tf.stack([{x.text}, {y.text}])", (2, *x.shape), True)
    axis = draw.one([0, -1])
    shape = list(x.shape)
    shape[axis] *= 2
    return Value(f"tf.concat([{x.text}, {y.text}], axis={axis})", tuple(shape), True)
