"""Arithmetic, comparison and logic, element by element: TensorFlow's dtype rules on top of JAX's functions."""

import math
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import jax
import jax.numpy as jnp
import numpy as np

from stratagem._base.errors import InvalidArgumentError
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

abs = _unary("abs", jnp.abs)
negative = _unary("negative", jnp.negative)
sign = _unary("sign", jnp.sign)
square = _unary("square", jnp.square)
round = _unary("round", jnp.round)
conj = _unary("math.conj", jnp.conj)
is_nan = _floating("math.is_nan", jnp.isnan)
is_inf = _floating("math.is_inf", jnp.isinf)
is_finite = _floating("math.is_finite", jnp.isfinite)
floor = _floating("floor", jnp.floor)
ceil = _floating("math.ceil", jnp.ceil)
rint = _floating("math.rint", jnp.rint)
sqrt = _floating("sqrt", jnp.sqrt)
rsqrt = _floating("math.rsqrt", jax.lax.rsqrt)
reciprocal = _floating("math.reciprocal", jnp.reciprocal)
exp = _floating("exp", jnp.exp)
expm1 = _floating("math.expm1", jnp.expm1)
log = _floating("math.log", jnp.log)
log1p = _floating("math.log1p", jnp.log1p)
sin = _floating("sin", jnp.sin)
cos = _floating("cos", jnp.cos)
tan = _floating("tan", jnp.tan)
asin = _floating("asin", jnp.arcsin)
acos = _floating("acos", jnp.arccos)
atan = _floating("atan", jnp.arctan)
sinh = _floating("sinh", jnp.sinh)
cosh = _floating("cosh", jnp.cosh)
tanh = _floating("tanh", jnp.tanh)
asinh = _floating("asinh", _asinh)
acosh = _floating("acosh", _acosh)
atanh = _floating("atanh", jnp.arctanh)
sigmoid = _floating("sigmoid", jax.nn.sigmoid)
log_sigmoid = _floating("math.log_sigmoid", jax.nn.log_sigmoid)
erf = _floating("math.erf", jax.lax.erf)
erfc = _floating("math.erfc", jax.lax.erfc)
erfinv = _floating("math.erfinv", jax.lax.erf_inv)
lgamma = _floating("math.lgamma", jax.lax.lgamma)
digamma = _floating("math.digamma", _digamma)


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


add = _binary("add", jnp.add)
subtract = _binary("subtract", jnp.subtract)
multiply = _binary("multiply", jnp.multiply)
divide = _binary("divide", quotient)
truediv = _binary("math.truediv", quotient)
realdiv = _binary("realdiv", _real_quotient)
divide_no_nan = _binary("math.divide_no_nan", _quotient_no_nan)
multiply_no_nan = _binary("math.multiply_no_nan", _multiply_no_nan)
floordiv = _binary("math.floordiv", _floor_quotient)
floormod = _binary("math.floormod", _floor_remainder)
truncatediv = _binary("truncatediv", lambda x, y: jax.lax.div(*jnp.broadcast_arrays(x, y)))
truncatemod = _binary("truncatemod", lambda x, y: jax.lax.rem(*jnp.broadcast_arrays(x, y)))
pow = _binary("pow", _power)
maximum = _binary("maximum", jnp.maximum)
minimum = _binary("minimum", jnp.minimum)
squared_difference = _binary("math.squared_difference", lambda x, y: jnp.square(x - y))
xlogy = _binary("math.xlogy", _xlogy)
xdivy = _binary("math.xdivy", lambda x, y: jnp.where(x == 0, 0, x / jnp.where(x == 0, 1, y)))
equal = moves_strings("x", "y", compares=True)(_binary("equal", jnp.equal))
not_equal = moves_strings("x", "y", compares=True)(_binary("not_equal", jnp.not_equal))
less = _binary("less", jnp.less)
less_equal = _binary("less_equal", jnp.less_equal)
greater = _binary("greater", jnp.greater)
greater_equal = _binary("greater_equal", jnp.greater_equal)
bitwise_and = _binary("bitwise.bitwise_and", jnp.bitwise_and)
bitwise_or = _binary("bitwise.bitwise_or", jnp.bitwise_or)
bitwise_xor = _binary("bitwise.bitwise_xor", jnp.bitwise_xor)
left_shift = _binary("bitwise.left_shift", jnp.left_shift)
right_shift = _binary("bitwise.right_shift", jnp.right_shift)
invert = _unary("bitwise.invert", jnp.invert)


def atan2(y: Any, x: Any, name: str | None = None) -> Tensor:
    """The angle of the point (x, y), element by element."""
    return jnp.arctan2(*operands("atan2", y, x))


def real(input: Any, name: str | None = None) -> Tensor:
    """The real part, element by element."""
    return jnp.real(tensor(input))


def imag(input: Any, name: str | None = None) -> Tensor:
    """The imaginary part, element by element."""
    return jnp.imag(tensor(input))


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


def logical_and(x: Any, y: Any, name: str | None = None) -> Tensor:
    """True where both are true. Raises TypeError for dtypes other than bool."""
    return _and(x, y)


def logical_or(x: Any, y: Any, name: str | None = None) -> Tensor:
    """True where at least one is true. Raises TypeError for dtypes other than bool."""
    return _or(x, y)


def logical_xor(x: Any, y: Any, name: str | None = "LogicalXor") -> Tensor:
    """True where exactly one is true. Raises TypeError for dtypes other than bool."""
    return _xor(x, y)


def logical_not(x: Any, name: str | None = None) -> Tensor:
    """True where `x` is false. Raises TypeError for dtypes other than bool."""
    return _not(x)


# --- Several tensors --------------------------------------------------------------------------------------------------


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


def accumulate_n(
    inputs: Sequence[Any], shape: object = None, tensor_dtype: object = None, name: str | None = None
) -> Tensor:
    """The same as `add_n`."""
    return add_n(inputs)


def scalar_mul(scalar: Any, x: Any, name: str | None = None) -> Tensor:
    """Multiplies a tensor by a number."""
    return multiply(tensor(x), scalar)


def clip_by_value(t: Any, clip_value_min: Any, clip_value_max: Any, name: str | None = None) -> Tensor:
    """Clips the values to [clip_value_min, clip_value_max]. Raises InvalidArgumentError for bounds of a larger shape."""
    array, low, high = operands("clip_by_value", tensor(t), clip_value_min, clip_value_max)
    clipped = jnp.maximum(jnp.minimum(array, high), low)
    if clipped.shape != array.shape:
        raise InvalidArgumentError(
            f"tf.clip_by_value: bounds make shape {array.shape} {clipped.shape}. Use tf.broadcast_to."
        )
    return clipped


def polyval(coeffs: Sequence[Any], x: Any, name: str | None = None) -> Tensor:
    """The value of the polynomial with these coefficients, the highest power first."""
    point = tensor(x)
    total = jnp.zeros_like(point)
    for coefficient in coeffs:
        total = total * point + tensor(coefficient).astype(point.dtype)
    return total


def softplus(features: Any, name: str | None = None) -> Tensor:
    """log(exp(x) + 1)."""
    return jax.nn.softplus(tensor(features))


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
