"""Special functions, element by element, most of them of JAX: gamma, beta, zeta, integrals; numbers in order."""

import importlib
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.scipy import special

from stratagem._base.errors import InvalidArgumentError
from stratagem._base.exports import exported
from stratagem._base.types import DTypeLike
from stratagem._ops._convert import Tensor, allow_x64, on_device, operands, static_int, tensor
from stratagem._ops._dtypes import as_dtype, float32
from stratagem._ops._elementwise import Unary, smooth
from stratagem._ops._symbolic import accept_symbols


def floating(label: str, *values: Any) -> tuple[Tensor, ...]:
    """Converts the operands of `tf.<label>` to real tensors of one dtype. Raises InvalidArgumentError for other dtypes."""
    arrays = operands(label, *values)
    if not jnp.issubdtype(arrays[0].dtype, np.floating):
        raise InvalidArgumentError(f"tf.{label} takes floating-point tensors, got {arrays[0].dtype}. Use tf.cast.")
    return arrays


def unary(label: str, function: Callable[[Tensor], Tensor], doc: str) -> Unary:
    """A public function of one real tensor."""

    def apply(x: Any, name: str | None = None) -> Tensor:
        (array,) = floating(label, x)
        with allow_x64(array.dtype):
            return function(array)

    apply.__name__ = apply.__qualname__ = label.rpartition(".")[2]
    apply.__doc__ = f"{doc} Raises InvalidArgumentError for dtypes that are not floating point."
    return apply


# --- Bessel functions that JAX has ------------------------------------------------------------------------------------

bessel_i0 = exported("math.bessel_i0", "math.special.bessel_i0")(
    unary("math.bessel_i0", special.i0, "The modified Bessel function I0, element by element.")
)
bessel_i0e = exported("math.bessel_i0e", "math.special.bessel_i0e")(
    unary("math.bessel_i0e", jax.lax.bessel_i0e, "exp(-|x|) times the Bessel function I0, element by element.")
)
bessel_i1 = exported("math.bessel_i1", "math.special.bessel_i1")(
    unary("math.bessel_i1", special.i1, "The modified Bessel function I1, element by element.")
)
bessel_i1e = exported("math.bessel_i1e", "math.special.bessel_i1e")(
    unary("math.bessel_i1e", jax.lax.bessel_i1e, "exp(-|x|) times the Bessel function I1, element by element.")
)


# --- Integrals --------------------------------------------------------------------------------------------------------


def _of_positive(function: Callable[[Tensor], Tensor]) -> Callable[[Tensor], Tensor]:
    """A function that is NaN below 0 and at infinity, as in TensorFlow; JAX continues some there."""

    def limited(x: Tensor) -> Tensor:
        inside = (x >= 0) & jnp.isfinite(x)
        return jnp.where(inside, function(jnp.where(inside, x, 1)), jnp.nan)

    return limited


def _spence_slope(y: Tensor, x: Tensor) -> Tensor:
    at_one = x == 1
    return jnp.where(at_one, -1, jnp.log(x) / (1 - jnp.where(at_one, 2, x)))


_dawsn = smooth(special.dawsn, lambda y, x: 1 - 2 * x * y)
_expint = smooth(_of_positive(special.expi), lambda y, x: jnp.exp(x) / x)
_fresnel_sin = smooth(lambda x: special.fresnel(x)[0], lambda y, x: jnp.sin(np.pi / 2 * x * x))
_fresnel_cos = smooth(lambda x: special.fresnel(x)[1], lambda y, x: jnp.cos(np.pi / 2 * x * x))
_spence = smooth(_of_positive(special.spence), _spence_slope)

dawsn = exported("math.special.dawsn")(
    unary("math.special.dawsn", _dawsn, "exp(-x²) times the integral of exp(t²) from 0 to x.")
)
expint = exported("math.special.expint")(
    unary("math.special.expint", _expint, "The integral of exp(t) / t up to x; NaN below 0.")
)
fresnel_sin = exported("math.special.fresnel_sin")(
    unary("math.special.fresnel_sin", _fresnel_sin, "The integral of sin(π t² / 2) from 0 to x.")
)
fresnel_cos = exported("math.special.fresnel_cos")(
    unary("math.special.fresnel_cos", _fresnel_cos, "The integral of cos(π t² / 2) from 0 to x.")
)
spence = exported("math.special.spence")(
    unary("math.special.spence", _spence, "The integral of log(t) / (1 - t) from 1 to x; NaN below 0.")
)


# --- Inverses ---------------------------------------------------------------------------------------------------------

_ndtri = smooth(special.ndtri, lambda y, x: np.sqrt(2 * np.pi) * jnp.exp(y * y / 2))
_erfcinv = smooth(lambda x: -np.sqrt(0.5) * special.ndtri(x / 2), lambda y, x: -np.sqrt(np.pi) / 2 * jnp.exp(y * y))

ndtri = exported("math.ndtri")(
    unary("math.ndtri", _ndtri, "The quantile of the standard normal distribution, NaN outside of [0, 1].")
)
erfcinv = exported("math.erfcinv")(unary("math.erfcinv", _erfcinv, "The inverse of erfc; NaN outside of [0, 2]."))


# --- Gamma, beta, zeta ------------------------------------------------------------------------------------------------


@exported("math.igamma", v1=["igamma", "math.igamma"])
def igamma(a: Any, x: Any, name: str | None = None) -> Tensor:
    """The lower incomplete gamma function, divided by gamma(a); NaN where a <= 0 or x < 0. Raises for integers."""
    arrays = floating("math.igamma", a, x)
    with allow_x64(arrays[0].dtype):
        return jax.lax.igamma(*jnp.broadcast_arrays(*arrays))


@exported("math.igammac", v1=["igammac", "math.igammac"])
def igammac(a: Any, x: Any, name: str | None = None) -> Tensor:
    """The upper incomplete gamma function, divided by gamma(a): 1 - igamma(a, x). Raises for integers."""
    arrays = floating("math.igammac", a, x)
    with allow_x64(arrays[0].dtype):
        return jax.lax.igammac(*jnp.broadcast_arrays(*arrays))


@exported("math.betainc", v1=["betainc", "math.betainc"])
def betainc(a: Any, b: Any, x: Any, name: str | None = None) -> Tensor:
    """The incomplete beta function, divided by the whole one; NaN where x is not in [0, 1]. Raises for integers.

    Only `x` has a gradient, as in TensorFlow.
    """
    first, second, upper = floating("math.betainc", a, b, x)
    arrays = jnp.broadcast_arrays(jax.lax.stop_gradient(first), jax.lax.stop_gradient(second), upper)
    return _betainc(*arrays)


def _beta_density(y: Tensor, a: Tensor, b: Tensor, x: Tensor) -> Tensor:
    log_beta = jax.lax.lgamma(a) + jax.lax.lgamma(b) - jax.lax.lgamma(a + b)
    return jnp.exp((b - 1) * jnp.log1p(-x) + special.xlogy(a - 1, x) - log_beta)


_betainc: Callable[..., Tensor] = smooth(jax.lax.betainc, None, None, _beta_density)


def _polygamma_of_numbers(order: Tensor, x: Tensor) -> Tensor:
    natural = (order >= 0) & (order == jnp.floor(order))
    return jnp.where(natural, jax.lax.polygamma(jnp.where(natural, order, 1), x), jnp.nan)


_polygamma: Callable[..., Tensor] = smooth(_polygamma_of_numbers, None, lambda y, a, x: _polygamma(a + 1, x))
_zeta: Callable[..., Tensor] = smooth(jax.lax.zeta, None, lambda y, x, q: -x * _zeta(x + 1, q))


@exported("math.polygamma", v1=["polygamma", "math.polygamma"])
def polygamma(a: Any, x: Any, name: str | None = None) -> Tensor:
    """The derivative number `a` of digamma (0: digamma itself) at `x`; NaN for an `a` that is no natural number.

    Only `x` has a gradient, as in TensorFlow. Raises InvalidArgumentError for integers.
    """
    order, array = floating("math.polygamma", a, x)
    return _polygamma(*jnp.broadcast_arrays(jax.lax.stop_gradient(order), array))


@exported("math.zeta", v1=["zeta", "math.zeta"])
def zeta(x: Any, q: Any, name: str | None = None) -> Tensor:
    """The Hurwitz zeta function, the sum of (k + q)^-x over k from 0; inf at x = 1, NaN below.

    Only `q` has a gradient, as in TensorFlow. Raises InvalidArgumentError for integers.
    """
    exponent, start = floating("math.zeta", x, q)
    return _zeta(*jnp.broadcast_arrays(jax.lax.stop_gradient(exponent), start))


@exported("math.lbeta", v1=["lbeta", "math.lbeta"])
def lbeta(x: Any, name: str | None = None) -> Tensor:
    """The logarithm of the absolute value of the multivariate beta function of the last dimension; -inf of no entries."""
    (array,) = floating("math.lbeta", x)
    if not array.ndim:
        raise InvalidArgumentError("tf.math.lbeta takes the last dimension of a tensor, got a scalar.")
    total = jnp.sum(array, -1, dtype=array.dtype)
    return jnp.sum(jax.lax.lgamma(array), -1, dtype=array.dtype) - jax.lax.lgamma(total)


# --- Without NaN, next numbers, sequences -----------------------------------------------------------------------------


@exported("math.reciprocal_no_nan")
def reciprocal_no_nan(x: Any, name: str | None = None) -> Tensor:
    """1 / x, and 0 where x is 0. Raises InvalidArgumentError for integers."""
    array = tensor(x)
    if not jnp.issubdtype(array.dtype, np.inexact):
        raise InvalidArgumentError(f"tf.math.reciprocal_no_nan takes floating-point tensors, got {array.dtype}.")
    zero = array == 0
    return jnp.where(zero, 0, 1 / jnp.where(zero, 1, array))


@exported("math.xlog1py")
def xlog1py(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x log(1 + y), and 0 where x is 0. Raises InvalidArgumentError for integers."""
    factor, array = operands("math.xlog1py", x, y)
    if not jnp.issubdtype(factor.dtype, np.inexact):
        raise InvalidArgumentError(f"tf.math.xlog1py takes floating-point tensors, got {factor.dtype}.")
    # The inner `where` keeps the gradient finite where x is 0.
    return jnp.where(factor == 0, 0, factor * jnp.log1p(jnp.where(factor == 0, 1, array)))


_next = smooth(jnp.nextafter, lambda y, x, towards: jnp.ones_like(x), lambda y, x, towards: jnp.zeros_like(x))


@exported("math.nextafter")
def nextafter(x1: Any, x2: Any, name: str | None = None) -> Tensor:
    """The next number that the dtype has after `x1` in the direction of `x2`; Python's integers are float32."""
    given = [float(v) if isinstance(v, int) else v for v in (x1, x2)]
    first, second = jnp.broadcast_arrays(*floating("math.nextafter", *given))
    return _next(first, second)


@exported("math.invert_permutation", v1=["invert_permutation", "math.invert_permutation"])
def invert_permutation(x: Any, name: str | None = None) -> Tensor:
    """The places of 0, 1, 2, ... in a permutation, which is 1-D and of int32 or int64.

    Raises InvalidArgumentError for other tensors; for numbers that are no permutation where they are known, else such a
    number's place is not determined.
    """
    array = tensor(x)
    if array.ndim != 1 or not jnp.issubdtype(array.dtype, np.integer):
        raise InvalidArgumentError(
            f"tf.math.invert_permutation takes a 1-D tensor of integers, got {array.dtype}{list(array.shape)}."
        )
    if not isinstance(array, jax.core.Tracer) and sorted(np.asarray(array).tolist()) != list(range(array.size)):
        raise InvalidArgumentError(
            f"tf.math.invert_permutation: {array} does not have each of 0 to {array.size - 1} once."
        )
    return jnp.zeros_like(array).at[array].set(on_device(np.arange(array.size, dtype=array.dtype)))


def _neighbours(label: str, x: Any) -> tuple[Tensor, Tensor]:
    array = tensor(x)
    if array.dtype == object or not jnp.issubdtype(array.dtype, np.number):
        raise TypeError(f"tf.{label} takes numbers, got {array.dtype}.")
    flat = array.ravel()
    return flat[:-1], flat[1:]


@exported("math.is_non_decreasing", v1=["is_non_decreasing", "math.is_non_decreasing"])
def is_non_decreasing(x: Any, name: str | None = None) -> Tensor:
    """True if each entry, of all dimensions in order, is not above the next: a bool scalar. Raises TypeError for bool."""
    first, second = _neighbours("math.is_non_decreasing", x)
    return jnp.all(first <= second)


@exported("math.is_strictly_increasing", v1=["is_strictly_increasing", "math.is_strictly_increasing"])
def is_strictly_increasing(x: Any, name: str | None = None) -> Tensor:
    """True if each entry, of all dimensions in order, is below the next: a bool scalar. Raises TypeError for bool."""
    first, second = _neighbours("math.is_strictly_increasing", x)
    return jnp.all(first < second)


@exported("math.sobol_sample")
def sobol_sample(
    dim: Any, num_results: Any, skip: Any = 0, dtype: DTypeLike = float32, name: str | None = None
) -> Tensor:
    """Points of Sobol's sequence in the unit cube, without the first, which is 0, and without `skip` more.

    Of shape (num_results, dim), float32 or float64; SciPy's, from the direction numbers of Joe and Kuo (2008).
    """
    kind = as_dtype(dtype)
    size, count, first = (static_int(v, "a tensor is a size of tf.math.sobol_sample") for v in (dim, num_results, skip))
    if size < 1 or count < 1 or first < 0 or kind.name not in ("float32", "float64"):
        raise InvalidArgumentError(
            "tf.math.sobol_sample takes dim and num_results of 1 or more, skip of 0 or more and float32 or float64, got "
            f"{size}, {count}, {first} and {kind!r}."
        )
    sequences = importlib.import_module("scipy.stats.qmc")  # takes a second, which programs without it do not wait
    points = sequences.Sobol(size, scramble=False).fast_forward(first + 1).random(count)
    return on_device(np.asarray(points, kind.dtype))


# --- The largest, approximately ---------------------------------------------------------------------------------------


class ApproxTopK(NamedTuple):
    """The result of `approx_max_k` and `approx_min_k`."""

    values: Tensor
    indices: Tensor


def _extremes(label: str, function: Callable[..., Any], operand: Any, k: Any, *options: Any) -> ApproxTopK:
    array, count = tensor(operand), static_int(k, f"a tensor is the k of tf.{label}")
    if array.dtype not in (np.float16, np.float32, as_dtype("bfloat16").dtype):
        raise InvalidArgumentError(f"tf.{label} takes half, bfloat16 or float32, got {array.dtype}. Use tf.math.top_k.")
    dimension, recall, size, aggregate = options
    if not array.ndim or not 0 <= count <= array.shape[dimension]:
        raise InvalidArgumentError(
            f"tf.{label}: there are no {count} entries along {dimension} of {list(array.shape)}."
        )
    return ApproxTopK(*function(array, count, dimension, recall, size, aggregate))


@exported("math.approx_max_k", "nn.approx_max_k")
def approx_max_k(
    operand: Any,
    k: Any,
    reduction_dimension: int = -1,
    recall_target: float = 0.95,
    reduction_input_size_override: int = -1,
    aggregate_to_topk: bool = True,
    name: str | None = None,
) -> ApproxTopK:
    """The `k` largest entries along a dimension, of which on a TPU some may be missed, and their places, int32.

    Raises InvalidArgumentError for other dtypes than half, bfloat16 and float32.
    """
    options = reduction_dimension, recall_target, reduction_input_size_override, aggregate_to_topk
    return _extremes("math.approx_max_k", jax.lax.approx_max_k, operand, k, *options)


@exported("math.approx_min_k", "nn.approx_min_k")
def approx_min_k(
    operand: Any,
    k: Any,
    reduction_dimension: int = -1,
    recall_target: float = 0.95,
    reduction_input_size_override: int = -1,
    aggregate_to_topk: bool = True,
    name: str | None = None,
) -> ApproxTopK:
    """The `k` smallest entries along a dimension, otherwise the same as `approx_max_k`."""
    options = reduction_dimension, recall_target, reduction_input_size_override, aggregate_to_topk
    return _extremes("math.approx_min_k", jax.lax.approx_min_k, operand, k, *options)


@exported("approx_top_k")
def approx_top_k(
    input: Any,
    k: Any,
    reduction_dimension: int = -1,
    recall_target: float = 0.95,
    is_max_k: bool = True,
    reduction_input_size_override: int = -1,
    aggregate_to_topk: bool = True,
    name: str | None = None,
) -> ApproxTopK:
    """The same as `approx_max_k`, or without `is_max_k` as `approx_min_k`."""
    options = reduction_dimension, recall_target, reduction_input_size_override, aggregate_to_topk
    function = jax.lax.approx_max_k if is_max_k else jax.lax.approx_min_k
    return _extremes("approx_top_k", function, input, k, *options)


accept_symbols(globals())
