"""Circulant operators: convolutions around a circle, which Fourier transforms make products of numbers."""

from typing import Any, ClassVar

import jax.numpy as jnp
import numpy as np

from stratagem._base.exports import exported
from stratagem._base.types import DTypeLike
from stratagem._core.values import TensorShape
from stratagem._ops._convert import Tensor, tensor
from stratagem._ops._debugging import assert_near, assert_positive
from stratagem._ops._dtypes import complex64
from stratagem._ops.operators._hints import Hint, always, real_is_self_adjoint
from stratagem._ops.operators._matrices import kept
from stratagem._ops.operators._operator import LinearOperator


class _Circulant(LinearOperator):
    """An operator F^H @ diag(spectrum) @ F, where F is the Fourier transform along so many dimensions.

    The spectrum is of shape [..., *block_shape]; vectors have as many entries as a block, in its order.
    """

    _block_depth: ClassVar[int]

    def __init__(
        self, spectrum: Any, input_output_dtype: DTypeLike = complex64, is_non_singular: Hint = None,
        is_self_adjoint: Hint = None, is_positive_definite: Hint = None, is_square: Hint = True,
        name: str | None = None,
    ) -> None:  # fmt: skip
        parameters = {k: v for k, v in locals().items() if k not in ("self", "__class__")}
        self._spectrum = kept("spectrum", spectrum, self._block_depth)
        is_complex = jnp.iscomplexobj(tensor(self._spectrum))
        self_adjoint = real_is_self_adjoint(
            is_self_adjoint, is_complex, "A real spectrum always corresponds to a self-adjoint operator."
        )
        square = always(is_square, "A circulant operator is always square.")
        hints = (is_non_singular, self_adjoint, is_positive_definite, square)
        super().__init__(input_output_dtype, None, *hints, name, parameters)

    @property
    def spectrum(self) -> Any:
        """The eigenvalues: the variable, if they were given as one."""
        return self._spectrum

    @property
    def block_depth(self) -> int:
        """The number of dimensions of a block."""
        return self._block_depth

    @property
    def block_shape(self) -> TensorShape:
        """The shape of a block."""
        return TensorShape(tensor(self._spectrum).shape[-self._block_depth :])

    def block_shape_tensor(self) -> Any:
        """Returns the shape of a block as an int32 tensor."""
        return tensor(np.array(tuple(self.block_shape), np.int32))

    def convolution_kernel(self, name: str = "convolution_kernel") -> Tensor:
        """Returns what is convolved with, of the operator's dtype: the inverse Fourier transform of the spectrum."""
        return self._converted(jnp.fft.ifftn(self._complex_spectrum(), axes=self._axes()))

    def assert_hermitian_spectrum(self, name: str = "assert_hermitian_spectrum") -> None:
        """Raises InvalidArgumentError if the matrix is not real: the kernel has an imaginary part."""
        imaginary = jnp.fft.ifftn(self._complex_spectrum(), axes=self._axes()).imag
        limit = float(jnp.finfo(imaginary.dtype).eps) * 5 * self.domain_dimension
        text = "Spectrum was not Hermitian: the convolution kernel has an imaginary part."
        assert_near(imaginary, jnp.zeros_like(imaginary), rtol=0.0, atol=limit, message=text)

    def _axes(self) -> tuple[int, ...]:
        return tuple(range(-self._block_depth, 0))

    def _complex_spectrum(self) -> Tensor:
        spectrum = tensor(self._spectrum)
        wide = np.result_type(spectrum.dtype, self._numpy_type(), np.complex64)
        return spectrum.astype(wide)

    def _flat_spectrum(self) -> Tensor:
        spectrum = tensor(self._spectrum)
        return spectrum.reshape(*spectrum.shape[: -self._block_depth], self.domain_dimension)

    def _converted(self, array: Tensor) -> Tensor:
        wanted = self._numpy_type()
        return (array if wanted.kind == "c" else array.real).astype(wanted)

    def _shape(self) -> TensorShape:
        shape = tensor(self._spectrum).shape
        size = int(np.prod(shape[-self._block_depth :], dtype=int))
        return TensorShape((*shape[: -self._block_depth], size, size))

    def _transformed(self, x: Tensor, factors: Tensor) -> Tensor:
        """Returns F^H @ diag(factors) @ F @ x."""
        rows = jnp.swapaxes(x, -1, -2)
        blocks = rows.reshape(*rows.shape[:-1], *self.block_shape)
        leading = factors.shape[: -self._block_depth]
        aligned = factors.reshape(*leading, 1, *self.block_shape)  # one for all columns of x
        product = jnp.fft.ifftn(aligned * jnp.fft.fftn(blocks, axes=self._axes()), axes=self._axes())
        flat = product.reshape(*product.shape[: -self._block_depth], self.domain_dimension)
        return self._converted(jnp.swapaxes(flat, -1, -2))

    def _matmul(self, x: Tensor, adjoint: bool = False) -> Tensor:
        spectrum = self._complex_spectrum()
        return self._transformed(x, jnp.conj(spectrum) if adjoint else spectrum)

    def _solve(self, rhs: Tensor, adjoint: bool = False) -> Tensor:
        spectrum = self._complex_spectrum()
        return self._transformed(rhs, 1 / (jnp.conj(spectrum) if adjoint else spectrum))

    def _diag_part(self) -> Tensor:
        mean = jnp.mean(self._flat_spectrum(), -1, keepdims=True)
        return self._converted(jnp.broadcast_to(mean, (*mean.shape[:-1], self.domain_dimension)))

    def _trace(self) -> Tensor:
        return self._converted(jnp.sum(self._flat_spectrum(), -1))

    def _determinant(self) -> Tensor:
        return self._converted(jnp.prod(self._flat_spectrum(), -1))

    def _log_abs_determinant(self) -> Tensor:
        return self._converted(jnp.sum(jnp.log(jnp.abs(self._flat_spectrum())), -1))

    def _eigvals(self) -> Tensor:
        return self._flat_spectrum()

    def _cond(self) -> Tensor:
        sizes = jnp.abs(self._flat_spectrum())
        return jnp.max(sizes, -1) / jnp.min(sizes, -1)

    def _assert_positive_definite(self) -> None:
        assert_positive(
            jnp.real(self._flat_spectrum()), message="The spectrum has an entry whose real part is not positive."
        )

    def _with_spectrum(self, spectrum: Tensor) -> LinearOperator:
        return type(self)(spectrum, self.dtype, *self._hints)

    def _adjoint(self) -> LinearOperator:
        return self._with_spectrum(jnp.conj(tensor(self._spectrum)))

    def _inverse(self) -> LinearOperator:
        return self._with_spectrum(1 / tensor(self._spectrum))


@exported("linalg.LinearOperatorCirculant")
class LinearOperatorCirculant(_Circulant):
    """A square matrix, each of whose columns is the one before it, moved down by one row around the end."""

    _block_depth = 1


@exported("linalg.LinearOperatorCirculant2D")
class LinearOperatorCirculant2D(_Circulant):
    """A circulant matrix of blocks that are circulant: a convolution in two dimensions."""

    _block_depth = 2


@exported("linalg.LinearOperatorCirculant3D")
class LinearOperatorCirculant3D(_Circulant):
    """A nested block circulant matrix: a convolution in three dimensions."""

    _block_depth = 3
