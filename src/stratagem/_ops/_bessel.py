"""Bessel functions that JAX does not have: sums over points, which converge to rounding, and Hankel's series for large x."""

import functools
import math
from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np

from stratagem._base.exports import exported
from stratagem._ops._convert import Tensor, allow_x64, on_device
from stratagem._ops._elementwise import smooth
from stratagem._ops._special import unary
from stratagem._ops._symbolic import accept_symbols

Function = Callable[[Tensor], Tensor]

# 128 points of a circle, on which the functions here repeat in every quarter, and the share of each in a mean.
_STEPS = 32
_ANGLES = np.linspace(0, math.pi / 2, _STEPS + 1)
_SHARES = np.array([0.5, *[1.0] * (_STEPS - 1), 0.5]) / _STEPS
_POINTS = 64  # of an integral
# The sums over points are exact up to here, Hankel's series from here.
_FAR = 20.0
# The weights of Neumann's series for Y0 at the angles: the sum of (-1)^k cos(2 k θ) / k.
_WEIGHTS = sum((-1) ** k * np.cos(2 * k * _ANGLES) / k for k in range(1, _STEPS))


def _constant(values: np.ndarray | float, like: Tensor) -> Tensor:
    return on_device(np.asarray(values, like.dtype))


def _mean(terms: Tensor) -> Tensor:
    return jnp.sum(terms * _constant(_SHARES, terms), -1, dtype=terms.dtype)


def _near(order: int, second: bool, x: Tensor) -> Tensor:
    """J (or, if `second`, Y) of 0 < x < 20: the means of cos(x sin θ) and of its derivative over a circle.

    Y0 is 2/π (log(x/2) + Euler's constant) J0 less 4/π times the sum of (-1)^k J_2k / k (DLMF 10.12),
    and Y1 its negative derivative.
    """
    sines, weights = _constant(np.sin(_ANGLES), x), _constant(_WEIGHTS, x)
    phases = x[..., None] * sines
    terms = jnp.cos(phases) if order == 0 else sines * jnp.sin(phases)
    first = _mean(terms)
    if not second:
        return first
    logarithm = jnp.log(x / 2) + np.euler_gamma
    found = (2 * logarithm * first - 4 * _mean(terms * weights)) / math.pi
    return found if order == 0 else found - 2 / math.pi * _near(0, False, x) / x


def _far(order: int, second: bool, x: Tensor) -> Tensor:
    """J or Y of a large x by Hankel's series (DLMF 10.17)."""
    factors = [1.0]
    for k in range(1, 18):
        factors.append(factors[-1] * (4 * order**2 - (2 * k - 1) ** 2) / (8 * k))
    even, odd = jnp.zeros_like(x), jnp.zeros_like(x)
    for k in reversed(range(9)):
        even = even / -(x * x) + factors[2 * k]
        odd = odd / -(x * x) + factors[2 * k + 1]
    odd, phase = odd / x, x - (order / 2 + 0.25) * math.pi
    cosine, sine = jnp.cos(phase), jnp.sin(phase)
    waves = even * sine + odd * cosine if second else even * cosine - odd * sine
    return jnp.sqrt(2 / (math.pi * x)) * waves


@functools.partial(jax.jit, static_argnums=(0, 1))
def _oscillating(order: int, second: bool, x: Tensor) -> Tensor:
    size = jnp.abs(x)
    far = size > _FAR
    near = jnp.where(far | (size == 0), 1, size)
    found = jnp.where(far, _far(order, second, jnp.where(far, size, _FAR)), _near(order, second, near))
    if second:
        return jnp.where(x <= 0, -jnp.inf, found)
    found = jnp.where(size == 0, 1 - order, found)
    return jnp.where(x < 0, -found, found) if order else found


@functools.partial(jax.jit, static_argnums=0)
def _decaying(order: int, x: Tensor) -> Tensor:
    """exp(x) K(x): the integral of exp(-x (cosh t - 1)) cosh(order t) over t (DLMF 10.32.9), up to where that is nothing."""
    positive = (x > 0) & jnp.isfinite(x)
    inside = jnp.where(positive, x, 1)
    small = inside < 1e-5  # the series at 0 (DLMF 10.31), to terms of second order
    logarithm = jnp.log(inside / 2) + np.euler_gamma
    squared = inside * inside / 4
    leading = 1 / inside + inside / 2 * (logarithm - 0.5) if order else squared - logarithm * (1 + squared)
    series = jnp.exp(inside) * leading
    point = jnp.where(small, 1, inside)
    end = jnp.arccosh(1 + 40 / point)[..., None] / _POINTS
    steps = end * _constant(np.arange(_POINTS + 1), x)
    half = 2 * jnp.sinh(steps / 2) ** 2  # cosh t - 1, without cancellation
    terms = jnp.exp(-point[..., None] * half) * (1 + half if order else 1)
    total = end[..., 0] * (jnp.sum(terms, -1, dtype=x.dtype) - terms[..., 0] / 2)
    found = jnp.where(small, series, total)
    return jnp.where(positive, found, jnp.where(x == jnp.inf, 0, jnp.where(jnp.isnan(x), jnp.nan, jnp.inf)))


def _exact(function: Callable[..., Tensor], *options: int | bool) -> Function:
    def call(x: Tensor) -> Tensor:
        with allow_x64(x.dtype):
            return function(*options, x)

    return call


def _times_decay(order: int) -> Function:
    def call(x: Tensor) -> Tensor:
        scaled = _decaying(order, x)
        return jnp.where(x > 0, jnp.exp(-x) * scaled, scaled)

    return call


def _j1_slope(y: Tensor, x: Tensor) -> Tensor:
    return jnp.where(x == 0, 0.5, _j0(x) - y / jnp.where(x == 0, 1, x))


# The derivatives are those of DLMF 10.6(ii) and 10.29(ii).
_j0: Function = smooth(_exact(_oscillating, 0, False), lambda y, x: -_j1(x))
_j1: Function = smooth(
    _exact(_oscillating, 1, False), lambda y, x: jnp.where(x == 0, 0.5, _j0(x) - y / jnp.where(x == 0, 1, x))
)
_y0: Function = smooth(_exact(_oscillating, 0, True), lambda y, x: -_y1(x))
_y1: Function = smooth(_exact(_oscillating, 1, True), lambda y, x: _y0(x) - y / x)
_k0: Function = smooth(_times_decay(0), lambda y, x: -_k1(x))
_k1: Function = smooth(_times_decay(1), lambda y, x: -_k0(x) - y / x)
_k0e: Function = smooth(_exact(_decaying, 0), lambda y, x: y - _k1e(x))
_k1e: Function = smooth(_exact(_decaying, 1), lambda y, x: y * (1 - 1 / x) - _k0e(x))

bessel_j0 = exported("math.special.bessel_j0")(
    unary("math.special.bessel_j0", _j0, "The Bessel function J0, element by element.")
)
bessel_j1 = exported("math.special.bessel_j1")(
    unary("math.special.bessel_j1", _j1, "The Bessel function J1, element by element.")
)
bessel_k0 = exported("math.special.bessel_k0")(
    unary("math.special.bessel_k0", _k0, "The modified Bessel function K0; inf for negative numbers.")
)
bessel_k0e = exported("math.special.bessel_k0e")(
    unary("math.special.bessel_k0e", _k0e, "exp(x) times the Bessel function K0; inf for negative numbers.")
)
bessel_k1 = exported("math.special.bessel_k1")(
    unary("math.special.bessel_k1", _k1, "The modified Bessel function K1; inf for negative numbers.")
)
bessel_k1e = exported("math.special.bessel_k1e")(
    unary("math.special.bessel_k1e", _k1e, "exp(x) times the Bessel function K1; inf for negative numbers.")
)
bessel_y0 = exported("math.special.bessel_y0")(
    unary("math.special.bessel_y0", _y0, "The Bessel function Y0; -inf for negative numbers.")
)
bessel_y1 = exported("math.special.bessel_y1")(
    unary("math.special.bessel_y1", _y1, "The Bessel function Y1; -inf for negative numbers.")
)

accept_symbols(globals())
