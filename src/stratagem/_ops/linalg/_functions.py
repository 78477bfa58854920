"""Functions of matrices: the exponential, the square root, the logarithm."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from stratagem._base.errors import InvalidArgumentError
from stratagem._base.exports import exported
from stratagem._ops._convert import Tensor, allow_x64, tensor
from stratagem._ops._symbolic import accept_symbols
from stratagem._ops.linalg._decompositions import square_matrices


@exported("linalg.expm")
def expm(input: Any, name: str | None = None) -> Tensor:
    """The exponential of square matrices; NaN for numbers greater than about 100,000. Raises ValueError for integers."""
    array = tensor(input)
    if not jnp.issubdtype(array.dtype, np.inexact):
        raise ValueError(f"tf.linalg.expm takes floating point, got {array.dtype}. Use tf.cast.")
    array = square_matrices("expm", array)
    return _each_matrix(jax.scipy.linalg.expm, array)


@exported("matrix_square_root", "linalg.sqrtm")
def sqrtm(input: Any, name: str | None = None) -> Tensor:
    """The square root of square matrices whose eigenvalues have a positive real part, on CPUs only.

    It is the one without eigenvalues of a negative real part; NaN if the input is real and it is not.
    """
    return _square_root(square_matrices("sqrtm", input))


matrix_square_root = sqrtm  # as it is called in `tf` itself


@jax.custom_jvp
def _square_root(array: Tensor) -> Tensor:
    root = _each_matrix(jax.scipy.linalg.sqrtm, array)
    if jnp.iscomplexobj(array):
        return root
    # Where rounding alone makes it complex, it is real.
    size = jnp.max(jnp.abs(root), (-1, -2), keepdims=True, initial=0)
    complex_by = jnp.max(jnp.abs(root.imag), (-1, -2), keepdims=True, initial=0)
    tolerance = float(jnp.finfo(array.dtype).eps) ** 0.5
    return jnp.where(complex_by <= tolerance * size, root.real, jnp.nan)


@_square_root.defjvp
def _square_root_rule(primals: tuple[Tensor], tangents: tuple[Tensor]) -> tuple[Tensor, Tensor]:
    """The change D of the root X solves X D + D X = (change of the input), here as n * n equations."""
    (array,), (change,) = primals, tangents
    root, n = _square_root(array), array.shape[-1]
    same = jnp.eye(n, dtype=root.dtype)
    both = jnp.einsum("...ik,jl->...ijkl", root, same) + jnp.einsum("ik,...lj->...ijkl", same, root)
    equations = both.reshape(*root.shape[:-2], n * n, n * n)
    found = jnp.linalg.solve(equations, change.reshape(*root.shape[:-2], n * n, 1))
    return root, found.reshape(root.shape)


@exported("linalg.logm")
def logm(input: Any, name: str | None = None) -> Tensor:
    """The principal logarithm of complex square matrices without eigenvalue 0, on CPUs only. It has no gradient.

    By inverse scaling and squaring: Higham, "Functions of Matrices" (2008), algorithm 11.9, with the partial fractions of the
    Pade approximant of log(1 + x). Raises InvalidArgumentError for real matrices.
    """
    array = square_matrices("logm", input)
    if not jnp.iscomplexobj(array):
        raise InvalidArgumentError(f"tf.linalg.logm takes complex matrices, got {array.dtype}. Use tf.cast.")
    return _each_matrix(_logarithm, array)


# Gauss-Legendre points in [0, 1]: with eight of them, the logarithm is exact in float64 for matrices as near to 1 as this.
_POINTS, _WEIGHTS = ((np.polynomial.legendre.leggauss(8)[0] + 1) / 2, np.polynomial.legendre.leggauss(8)[1] / 2)
_NEAR = 0.25
_MAX_ROOTS = 100


def _logarithm(array: Tensor) -> Tensor:
    triangle, basis = jax.scipy.linalg.schur(array, output="complex")
    one = jnp.eye(array.shape[-1], dtype=triangle.dtype)

    def far(state: Any) -> Any:
        count, root = state
        return (jnp.max(jnp.sum(jnp.abs(root - one), 0)) > _NEAR) & (count < _MAX_ROOTS)

    def rooted(state: Any) -> Any:
        return state[0] + 1, jnp.triu(jax.scipy.linalg.sqrtm(state[1]))

    count, root = jax.lax.while_loop(far, rooted, (jnp.int32(0), jnp.triu(triangle)))
    rest = root - one
    parts = [
        weight * jax.scipy.linalg.solve_triangular(one + point * rest, rest)
        for point, weight in zip(_POINTS.tolist(), _WEIGHTS.tolist(), strict=True)
    ]
    scale = jnp.ldexp(jnp.ones((), jnp.real(rest).dtype), count)
    return scale * (basis @ sum(parts[1:], parts[0]) @ jnp.conj(basis.T))


def _each_matrix(function: Callable[[Tensor], Tensor], array: Tensor) -> Tensor:
    """The function of every matrix: JAX's takes one, and in 64 bits needs its constants in 64 bits too."""
    if array.size == 0:
        return array
    with allow_x64(array.dtype):
        return jnp.vectorize(function, signature="(n,n)->(n,n)")(array)


accept_symbols(globals())
