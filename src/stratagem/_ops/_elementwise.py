"""Arithmetic, comparison and logic, element by element: TensorFlow's dtype rules on top of JAX's functions."""

import math
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import jax
import jax.numpy as jnp
import numpy as np

from stratagem._base.errors import InvalidArgumentError
from stratagem._base.exports import exported
from stratagem._core.derivatives import reverse_only
from stratagem._core.values import quotient
from stratagem._ops._convert import Tensor, allow_x64, folds_constants, is_traced, operands, tensor
from stratagem._ops._moved_strings import moves_strings
from stratagem._ops._symbolic import accept_symbols


class Unary(Protocol):
    """A function of one tensor."""

    def __call__(self, x: Any, name: str | None = None) -> Tensor:
        """The result, element by element."""


class BinaryFunction(Protocol):
    """A function of two tensors of one dtype; Python numbers and NumPy arrays are converted to the dtype of the tensor."""

    def __call__(self, x: Any, y: Any, name: str | None = None) -> Tensor:
        """The result, element by element, with broadcasting."""


def _unary(label: str, function: Callable[[Tensor], Tensor]) -> Unary:
    @folds_constants
    def apply(x: Any, name: str | None = None) -> Tensor:
        return function(tensor(x))

    return _labelled(apply, label)


def _floating(label: str, function: Callable[[Tensor], Tensor]) -> Unary:
    def apply(x: Any, name: str | None = None) -> Tensor:
        array = tensor(x)
        if not jnp.issubdtype(array.dtype, np.inexact):
            raise InvalidArgumentError(f"tf.{label} takes floating-point tensors, got {array.dtype}. Use tf.cast.")
        return function(array)

    return _labelled(apply, label)


def _binary(label: str, function: Callable[[Tensor, Tensor], Tensor]) -> BinaryFunction:
    @folds_constants
    def apply(x: Any, y: Any, name: str | None = None) -> Tensor:
        return function(*operands(label, x, y))

    return _labelled(apply, label)


def _labelled(function: Any, label: str) -> Any:
    function.__name__ = function.__qualname__ = label.rpartition(".")[2]
    function.__doc__ = f"TensorFlow's `tf.{label}`, element by element."
    return function


def smooth(function: Callable[..., Tensor], *partials: Callable[..., Tensor] | None) -> Callable[..., Tensor]:
    """A function of tensors of one shape with these partial derivatives, which get its value and its arguments.

    None: there is no derivative. It is exact for 64 bits also where a derivative is taken outside of its call.
    """

    @jax.custom_jvp
    def call(*xs: Tensor) -> Tensor:
        with allow_x64(xs[0].dtype):
            return function(*xs)

    @call.defjvp
    def rule(primals: tuple[Tensor, ...], tangents: tuple[Tensor, ...]) -> tuple[Tensor, Tensor]:
        value = call(*primals)
        with allow_x64(value.dtype):
            parts = zip(partials, tangents, strict=True)
            slopes = [change * partial(value, *primals) for partial, change in parts if partial is not None]
        return value, sum(slopes[1:], slopes[0])

    return call


# TensorFlow divides by the slope of the inverse: NaN outside of the domain, exact far from 0.
_asinh = smooth(jnp.arcsinh, lambda y, x: 1 / jnp.cosh(y))
_acosh = smooth(jnp.arccosh, lambda y, x: 1 / jnp.sinh(y))
_digamma = smooth(
    jax.lax.digamma,
    lambda y, x: jnp.where(x == np.inf, 0, jax.lax.polygamma(jnp.ones_like(x), jnp.where(x == np.inf, 1, x))),
)
_remainder = smooth(jnp.mod, lambda r, x, y: jnp.ones_like(x), lambda r, x, y: -jnp.floor(x / y))


# --- One tensor -------------------------------------------------------------------------------------------------------

abs = exported("abs", "math.abs", "keras.backend.abs")(_unary("abs", jnp.abs))
negative = exported("negative", "math.negative")(_unary("negative", jnp.negative))
sign = exported("sign", "math.sign", "keras.backend.sign")(_unary("sign", jnp.sign))
square = exported("square", "math.square", "keras.backend.square")(_unary("square", jnp.square))
round = exported("round", "math.round", "keras.backend.round")(_unary("round", jnp.round))
conj = exported("math.conj", v1=["conj", "math.conj"])(_unary("math.conj", jnp.conj))
is_nan = exported("math.is_nan", v1=["is_nan", "math.is_nan"])(_floating("math.is_nan", jnp.isnan))
is_inf = exported("math.is_inf", v1=["is_inf", "math.is_inf"])(_floating("math.is_inf", jnp.isinf))
is_finite = exported("math.is_finite", v1=["is_finite", "math.is_finite"])(_floating("math.is_finite", jnp.isfinite))
floor = exported("floor", "math.floor")(_floating("floor", jnp.floor))
ceil = exported("math.ceil", v1=["ceil", "math.ceil"])(_floating("math.ceil", jnp.ceil))
rint = exported("math.rint", v1=["rint", "math.rint"])(_floating("math.rint", jnp.rint))
sqrt = exported("sqrt", "math.sqrt")(_floating("sqrt", jnp.sqrt))
rsqrt = exported("math.rsqrt", v1=["rsqrt", "math.rsqrt"])(_floating("math.rsqrt", jax.lax.rsqrt))
reciprocal = exported("math.reciprocal", v1=["reciprocal", "math.reciprocal"])(
    _floating("math.reciprocal", jnp.reciprocal)
)
exp = exported("exp", "math.exp", "keras.backend.exp")(_floating("exp", jnp.exp))
expm1 = exported("math.expm1", v1=["expm1", "math.expm1"])(_floating("math.expm1", jnp.expm1))
log = exported("math.log", "keras.backend.log", v1=["log", "math.log"])(_floating("math.log", jnp.log))
log1p = exported("math.log1p", v1=["log1p", "math.log1p"])(_floating("math.log1p", jnp.log1p))
sin = exported("sin", "math.sin", "keras.backend.sin")(_floating("sin", jnp.sin))
cos = exported("cos", "math.cos", "keras.backend.cos")(_floating("cos", jnp.cos))
tan = exported("tan", "math.tan")(_floating("tan", jnp.tan))
asin = exported("asin", "math.asin")(_floating("asin", jnp.arcsin))
acos = exported("acos", "math.acos")(_floating("acos", jnp.arccos))
atan = exported("atan", "math.atan")(_floating("atan", jnp.arctan))
sinh = exported("sinh", "math.sinh")(_floating("sinh", jnp.sinh))
cosh = exported("cosh", "math.cosh")(_floating("cosh", jnp.cosh))
tanh = exported("tanh", "math.tanh", "nn.tanh", "keras.backend.tanh")(_floating("tanh", jnp.tanh))
asinh = exported("asinh", "math.asinh")(_floating("asinh", _asinh))
acosh = exported("acosh", "math.acosh")(_floating("acosh", _acosh))
atanh = exported("atanh", "math.atanh")(_floating("atanh", jnp.arctanh))
sigmoid = exported("sigmoid", "math.sigmoid", "nn.sigmoid", "keras.backend.sigmoid")(
    _floating("sigmoid", jax.nn.sigmoid)
)
log_sigmoid = exported("math.log_sigmoid", v1=["log_sigmoid", "math.log_sigmoid"])(
    _floating("math.log_sigmoid", jax.nn.log_sigmoid)
)
erf = exported("math.erf", v1=["erf", "math.erf"])(_floating("math.erf", jax.lax.erf))
erfc = exported("math.erfc", v1=["erfc", "math.erfc"])(_floating("math.erfc", jax.lax.erfc))
erfinv = exported("math.erfinv")(_floating("math.erfinv", jax.lax.erf_inv))
lgamma = exported("math.lgamma", v1=["lgamma", "math.lgamma"])(_floating("math.lgamma", jax.lax.lgamma))
digamma = exported("math.digamma", v1=["digamma", "math.digamma"])(_floating("math.digamma", _digamma))


# --- Two tensors ------------------------------------------------------------------------------------------------------


def _xlogy(x: Tensor, y: Tensor) -> Tensor:
    # The inner `where` keeps the gradient finite where x is 0.
    return jnp.where(x == 0, jnp.zeros_like(x), x * jnp.log(jnp.where(x == 0, jnp.ones_like(y), y)))


@jax.custom_jvp
def _masked_product(x: Tensor, y: Tensor) -> Tensor:
    return jnp.where(y == 0, jnp.zeros_like(y), x * y)


# A zero is one of y, not of its tangent.
_masked_product.defjvps(lambda change, _, x, y: _masked_product(change, y), lambda change, _, x, y: x * change)


@jax.custom_vjp
def _product_no_nan(x: Tensor, y: Tensor) -> Tensor:
    product: Tensor = _masked_product(x, y)
    return product


@reverse_only
def _product_no_nan_backward(saved: tuple[Tensor, Tensor], gradient: Tensor) -> tuple[Tensor, Tensor]:
    x, y = saved
    return _product_no_nan(gradient, y), _product_no_nan(x, gradient)


_product_no_nan.defvjp(lambda x, y: (_product_no_nan(x, y), (x, y)), _product_no_nan_backward)


def _multiply_no_nan(x: Tensor, y: Tensor) -> Tensor:
    first, second = jnp.broadcast_arrays(x, y)
    return _product_no_nan(first, second) if first.size else first * second


def _quotient_no_nan(x: Tensor, y: Tensor) -> Tensor:
    return jnp.where(y == 0, 0, quotient(x, jnp.where(y == 0, jnp.ones_like(y), y)))


def _power(x: Tensor, y: Tensor) -> Tensor:
    if jnp.issubdtype(y.dtype, np.signedinteger) and not is_traced(y) and bool((y < 0).any()):
        raise InvalidArgumentError("tf.pow: an integer to a negative power is no integer. Use tf.cast first.")
    return jnp.power(x, y)


def _real_quotient(x: Tensor, y: Tensor) -> Tensor:
    if not jnp.issubdtype(x.dtype, np.inexact):
        raise InvalidArgumentError(f"tf.realdiv takes floating-point tensors, got {x.dtype}. Use tf.truediv.")
    return quotient(x, y)


def _floor_quotient(x: Tensor, y: Tensor) -> Tensor:
    # JAX divides what the remainder leaves: 5 // 0.1 is 49 there, and 50 in TensorFlow.
    return jnp.floor(x / y) if jnp.issubdtype(x.dtype, np.floating) else jnp.floor_divide(x, y)


def _floor_remainder(x: Tensor, y: Tensor) -> Tensor:
    if not jnp.issubdtype(x.dtype, np.floating):
        return jnp.mod(x, y)
    return _remainder(*jnp.broadcast_arrays(x, y))


add = exported("add", "math.add")(_binary("add", jnp.add))
subtract = exported("subtract", "math.subtract")(_binary("subtract", jnp.subtract))
multiply = exported("multiply", "math.multiply")(_binary("multiply", jnp.multiply))
divide = exported("divide", "math.divide")(_binary("divide", quotient))
truediv = exported("truediv", "math.truediv")(_binary("math.truediv", quotient))
realdiv = exported("realdiv")(_binary("realdiv", _real_quotient))
divide_no_nan = exported("math.divide_no_nan", v1=["div_no_nan", "math.divide_no_nan"])(
    _binary("math.divide_no_nan", _quotient_no_nan)
)
multiply_no_nan = exported("math.multiply_no_nan")(_binary("math.multiply_no_nan", _multiply_no_nan))
floordiv = exported("math.floordiv", v1=["floor_div", "floordiv", "math.floordiv"])(
    _binary("math.floordiv", _floor_quotient)
)
floormod = exported("math.floormod", "math.mod", v1=["floormod", "mod", "math.floormod", "math.mod"])(
    _binary("math.floormod", _floor_remainder)
)
truncatediv = exported("truncatediv")(_binary("truncatediv", lambda x, y: jax.lax.div(*jnp.broadcast_arrays(x, y))))
truncatemod = exported("truncatemod")(_binary("truncatemod", lambda x, y: jax.lax.rem(*jnp.broadcast_arrays(x, y))))
pow = exported("pow", "math.pow", "keras.backend.pow")(_binary("pow", _power))
maximum = exported("maximum", "math.maximum", "keras.backend.maximum")(_binary("maximum", jnp.maximum))
minimum = exported("minimum", "math.minimum", "keras.backend.minimum")(_binary("minimum", jnp.minimum))
squared_difference = exported("math.squared_difference", v1=["squared_difference", "math.squared_difference"])(
    _binary("math.squared_difference", lambda x, y: jnp.square(x - y))
)
xlogy = exported("math.xlogy")(_binary("math.xlogy", _xlogy))
xdivy = exported("math.xdivy")(_binary("math.xdivy", lambda x, y: jnp.where(x == 0, 0, x / jnp.where(x == 0, 1, y))))
equal = exported("equal", "math.equal", "keras.backend.equal")(
    moves_strings("x", "y", compares=True)(_binary("equal", jnp.equal))
)
not_equal = exported("not_equal", "math.not_equal", "keras.backend.not_equal")(
    moves_strings("x", "y", compares=True)(_binary("not_equal", jnp.not_equal))
)
less = exported("less", "math.less", "keras.backend.less")(_binary("less", jnp.less))
less_equal = exported("less_equal", "math.less_equal", "keras.backend.less_equal")(
    _binary("less_equal", jnp.less_equal)
)
greater = exported("greater", "math.greater", "keras.backend.greater")(_binary("greater", jnp.greater))
greater_equal = exported("greater_equal", "math.greater_equal", "keras.backend.greater_equal")(
    _binary("greater_equal", jnp.greater_equal)
)
bitwise_and = exported("bitwise.bitwise_and")(_binary("bitwise.bitwise_and", jnp.bitwise_and))
bitwise_or = exported("bitwise.bitwise_or")(_binary("bitwise.bitwise_or", jnp.bitwise_or))
bitwise_xor = exported("bitwise.bitwise_xor")(_binary("bitwise.bitwise_xor", jnp.bitwise_xor))
left_shift = exported("bitwise.left_shift")(_binary("bitwise.left_shift", jnp.left_shift))
right_shift = exported("bitwise.right_shift")(_binary("bitwise.right_shift", jnp.right_shift))
invert = exported("bitwise.invert")(_unary("bitwise.invert", jnp.invert))


@exported("atan2", "math.atan2")
def atan2(y: Any, x: Any, name: str | None = None) -> Tensor:
    """The angle of the point (x, y), element by element."""
    return jnp.arctan2(*operands("atan2", y, x))


@exported("math.real", v1=["real", "math.real"])
def real(input: Any, name: str | None = None) -> Tensor:
    """The real part, element by element."""
    return jnp.real(tensor(input))


@exported("math.imag", v1=["imag", "math.imag"])
def imag(input: Any, name: str | None = None) -> Tensor:
    """The imaginary part, element by element."""
    return jnp.imag(tensor(input))


@exported("math.angle", v1=["angle", "math.angle"])
def angle(input: Any, name: str | None = None) -> Tensor:
    """The angle of complex numbers, element by element."""
    array = tensor(input)
    with allow_x64(array.dtype):
        return jnp.angle(array)


def _logical(label: str, function: Callable[..., Tensor]) -> Any:
    @folds_constants
    def apply(*values: Any, name: str | None = None) -> Tensor:
        arrays = [tensor(v) for v in values]
        wrong = next((a.dtype for a in arrays if a.dtype != np.bool_), None)
        if wrong is not None:
            raise TypeError(f"tf.{label} takes bool tensors, got {wrong}. Use tf.cast or a comparison.")
        return function(*arrays)

    return _labelled(apply, label)


_and: BinaryFunction = _logical("logical_and", jnp.logical_and)
_or: BinaryFunction = _logical("logical_or", jnp.logical_or)
_xor: BinaryFunction = _logical("math.logical_xor", jnp.logical_xor)
_not: Unary = _logical("logical_not", jnp.logical_not)


@exported("logical_and", "math.logical_and")
def logical_and(x: Any, y: Any, name: str | None = None) -> Tensor:
    """True where both are true. Raises TypeError for dtypes other than bool."""
    return _and(x, y)


@exported("logical_or", "math.logical_or")
def logical_or(x: Any, y: Any, name: str | None = None) -> Tensor:
    """True where at least one is true. Raises TypeError for dtypes other than bool."""
    return _or(x, y)


@exported("math.logical_xor", v1=["logical_xor", "math.logical_xor"])
def logical_xor(x: Any, y: Any, name: str | None = "LogicalXor") -> Tensor:
    """True where exactly one is true. Raises TypeError for dtypes other than bool."""
    return _xor(x, y)


@exported("logical_not", "math.logical_not")
def logical_not(x: Any, name: str | None = None) -> Tensor:
    """True where `x` is false. Raises TypeError for dtypes other than bool."""
    return _not(x)


# --- Several tensors --------------------------------------------------------------------------------------------------


@exported("add_n", "math.add_n")
def add_n(inputs: Sequence[Any], name: str | None = None) -> Tensor:
    """The sum of tensors of one shape and dtype. Raises ValueError for an empty list or different shapes."""
    values = list(inputs) if isinstance(inputs, list | tuple) else [inputs]
    if not values:
        raise ValueError("tf.add_n needs at least one tensor.")
    arrays = operands("add_n", *values)
    if len({a.shape for a in arrays}) > 1:
        raise ValueError(f"tf.add_n takes tensors of one shape, got {[list(a.shape) for a in arrays]}.")
    total = arrays[0]
    for array in arrays[1:]:
        total = total + array
    return total


@exported("math.accumulate_n", v1=["accumulate_n", "math.accumulate_n"])
def accumulate_n(
    inputs: Sequence[Any], shape: object = None, tensor_dtype: object = None, name: str | None = None
) -> Tensor:
    """The same as `add_n`."""
    return add_n(inputs)


@exported("scalar_mul", "math.scalar_mul")
def scalar_mul(scalar: Any, x: Any, name: str | None = None) -> Tensor:
    """Multiplies a tensor by a number."""
    return multiply(tensor(x), scalar)


@exported("clip_by_value")
def clip_by_value(t: Any, clip_value_min: Any, clip_value_max: Any, name: str | None = None) -> Tensor:
    """Clips the values to [clip_value_min, clip_value_max]. Raises InvalidArgumentError for bounds of a larger shape."""
    array, low, high = operands("clip_by_value", tensor(t), clip_value_min, clip_value_max)
    clipped = jnp.maximum(jnp.minimum(array, high), low)
    if clipped.shape != array.shape:
        raise InvalidArgumentError(
            f"tf.clip_by_value: bounds make shape {array.shape} {clipped.shape}. Use tf.broadcast_to."
        )
    return clipped


@exported("math.polyval")
def polyval(coeffs: Sequence[Any], x: Any, name: str | None = None) -> Tensor:
    """The value of the polynomial with these coefficients, the highest power first."""
    point = tensor(x)
    total = jnp.zeros_like(point)
    for coefficient in coeffs:
        total = total * point + tensor(coefficient).astype(point.dtype)
    return total


@exported("math.softplus", "nn.softplus", "keras.backend.softplus")
def softplus(features: Any, name: str | None = None) -> Tensor:
    """log(exp(x) + 1)."""
    return jax.nn.softplus(tensor(features))


@exported("math.cumulative_logsumexp")
def cumulative_logsumexp(
    x: Any, axis: int = 0, exclusive: bool = False, reverse: bool = False, name: str | None = None
) -> Tensor:
    """The cumulative log(sum(exp(x))), without overflow."""
    array = jnp.flip(tensor(x), axis) if reverse else tensor(x)
    total = jax.lax.cumlogsumexp(array, axis=axis % array.ndim)
    if exclusive:
        widths = [(0, 0)] * array.ndim
        widths[axis] = (1, 0)
        padded = jnp.pad(total, widths, constant_values=-math.inf)
        total = jax.lax.slice_in_dim(padded, 0, array.shape[axis], axis=axis)
    return jnp.flip(total, axis) if reverse else total


accept_symbols(globals())
