"""Matrix products: `jax.lax.dot_general` as a primitive whose derivatives are such products again.

The library takes operands as they lie in memory. XLA would copy them into the order of its own kernels, which is what attention
and the gradients of weights lose most by. Products of operands that lie in that order stay with XLA, but for long sums.
"""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, final

import jax
import numpy as np
from jax.extend import core as xc
from jax.interpreters import ad, batching, mlir

from stratagem._kernels._library import PRODUCT, has_kernels
from stratagem._kernels._primitives import define
from stratagem._private import runs_here_as_it_is

_LONG: Final = 3  # products for a result / results in a row

Axes = tuple[int, ...]
Dimensions = tuple[tuple[Axes, Axes], tuple[Axes, Axes]]

product_p = xc.Primitive("product")


def multiply(x: jax.Array, y: jax.Array, *, dimension_numbers: Dimensions, order: Axes) -> jax.Array:
    """Returns a product of float32 arrays.

    Args:
        x: any array.
        y: any array.
        dimension_numbers: those of `jax.lax.dot_general`.
        order: how the axes of its result are transposed.
    """
    return product_p.bind(x, y, dimension_numbers=dimension_numbers, order=order)


def _by_xla(x: jax.Array, y: jax.Array, *, dimension_numbers: Dimensions, order: Axes) -> jax.Array:
    return jax.lax.transpose(jax.lax.dot_general(x, y, dimension_numbers), order)


# --- By the library ----------------------------------------------------------------------------------------------------------


@final
@dataclass(frozen=True)
class _Matrices:
    """Matrices as they lie in an array: elements from one to the next of a batch, a row and a column.

    A distance is None where several axes of the array make one of the matrix, and lie apart.
    """

    batch: Axes
    rows: int | None
    columns: int | None

    @classmethod
    def of(cls, shape: Sequence[int], batch: Axes, rows: Axes, columns: Axes) -> "_Matrices":
        """Returns those of an array of that shape. The others are which of its axes they are made of."""
        steps = [math.prod(shape[axis + 1 :]) for axis in range(len(shape))]
        return cls(tuple(steps[a] for a in batch), _distance(shape, steps, rows), _distance(shape, steps, columns))

    def fits(self) -> bool:
        """Returns whether the library takes them: rows or columns are neighbours in memory."""
        return self.rows is not None and self.columns is not None and 1 in (self.rows, self.columns)


def _distance(shape: Sequence[int], steps: Sequence[int], axes: Axes) -> int | None:
    """Returns the elements from one to the next of several axes taken as one; None if these differ."""
    long = [axis for axis in axes if shape[axis] != 1]
    if any(steps[a] != steps[b] * shape[b] for a, b in itertools.pairwise(long)):
        return None
    return steps[long[-1]] if long else 1


class _Operand(NamedTuple):
    """An array, and which of its axes are a matrix product's batch, kept and summed over."""

    values: jax.Array
    batch: Axes
    kept: Axes
    shared: Axes

    def size(self, axes: Axes) -> int:
        """Returns how many elements these axes have together."""
        return math.prod(self.values.shape[axis] for axis in axes)

    def lying(self) -> tuple["_Operand", _Matrices]:
        """Returns one that the library takes, this one or a copy in another order, and how it lies."""
        matrices = _Matrices.of(self.values.shape, self.batch, self.kept, self.shared)
        if matrices.fits():
            return self, matrices
        copied = jax.lax.transpose(self.values, (*self.batch, *self.kept, *self.shared))
        batch, kept = len(self.batch), len(self.batch) + len(self.kept)
        there = _Operand(copied, tuple(range(batch)), tuple(range(batch, kept)), tuple(range(kept, copied.ndim)))
        return there, _Matrices.of(copied.shape, there.batch, there.kept, there.shared)


def _by_library(x: jax.Array, y: jax.Array, *, dimension_numbers: Dimensions, order: Axes) -> jax.Array:
    (of_x, of_y), (batch_x, batch_y) = dimension_numbers
    pairs = sorted(zip(of_x, of_y, strict=True))
    of_x, of_y = tuple(a for a, _ in pairs), tuple(b for _, b in pairs)
    first = _Operand(x, batch_x, _others(x.ndim, of_x, batch_x), of_x)
    second = _Operand(y, batch_y, _others(y.ndim, of_y, batch_y), of_y)
    if _is_fast_by_xla(first, second, order):
        return _by_xla(x, y, dimension_numbers=dimension_numbers, order=order)
    plain = [x.shape[axis] for axis in (*first.batch, *first.kept)] + [y.shape[axis] for axis in second.kept]
    shape, places = [plain[axis] for axis in order], _inverse(order)
    batch, rows = len(batch_x), len(batch_x) + len(first.kept)
    result = _Matrices.of(shape, places[:batch], places[batch:rows], places[rows:])
    if not result.fits():
        same = tuple(range(len(plain)))
        return jax.lax.transpose(_by_library(x, y, dimension_numbers=dimension_numbers, order=same), order)
    if result.columns == 1:
        return _call(first, second, result, shape)
    # The library wants a result whose columns are neighbours: the same product of the operands in the other order.
    return _call(second, first, _Matrices(result.batch, result.columns, result.rows), shape)


def _call(x: _Operand, y: _Operand, result: _Matrices, shape: Sequence[int]) -> jax.Array:
    """Returns the product of x with y, a matrix that is transposed."""
    (x, of_x), (y, of_y) = x.lying(), y.lying()
    sizes = [x.values.shape[axis] for axis in x.batch]
    call = jax.ffi.ffi_call(PRODUCT, jax.ShapeDtypeStruct(tuple(shape), x.values.dtype))
    return call(
        x.values,
        y.values,
        batch=np.asarray([*zip(sizes, of_x.batch, of_y.batch, result.batch, strict=True)], np.int64).reshape(-1),
        rows=np.asarray([x.size(x.kept), of_x.rows, 0, result.rows], np.int64),
        columns=np.asarray([y.size(y.kept), 0, of_y.rows, result.columns], np.int64),
        shared=np.asarray([x.size(x.shared), of_x.columns, of_y.columns, 0], np.int64),
    )


def _is_fast_by_xla(x: _Operand, y: _Operand, order: Axes) -> bool:
    """Returns whether XLA computes a product as fast: if it need not copy an operand into the order of its own kernels.

    These take x with its rows one after another, and y in either order. The batch has to come first. Long sums are oneDNN's
    all the same, as of a dense layer behind a flattened image: with three times as many products for a result as results in a
    row it takes 0.58 to 1.1 of the time, half of the time 0.93 or less (33 shapes, two cores, AVX-512).
    """
    batch = tuple(range(len(x.batch)))
    long = not batch and y.size(y.shared) >= _LONG * y.size(y.kept)
    plain = tuple(range(x.values.ndim))
    of_y = ((*y.batch, *y.shared, *y.kept), (*y.batch, *y.kept, *y.shared))
    return (
        not long
        and (*x.batch, *x.kept, *x.shared) == plain
        and tuple(range(y.values.ndim)) in of_y
        and order == tuple(range(len(order)))
    )


def _inverse(order: Sequence[int]) -> Axes:
    return tuple(map(list(order).index, range(len(order))))


def _others(rank: int, *taken: Axes) -> Axes:
    """Returns the axes that are in none of `taken`, ascending."""
    return tuple(axis for axis in range(rank) if not any(axis in axes for axes in taken))


# --- Derivatives -----------------------------------------------------------------------------------------------------------


class Cotangent(NamedTuple):
    """The axes of a cotangent: those of the batch, of the rows (of x) and of the columns (of y)."""

    batch: Axes
    rows: Axes
    columns: Axes


def _cotangent(dimension_numbers: Dimensions, rank_x: int, order: Axes) -> Cotangent:
    (of_x, _), (batch_x, _) = dimension_numbers
    batch, places = len(batch_x), _inverse(order)
    rows = rank_x - len(of_x)
    return Cotangent(places[:batch], places[batch:rows], places[rows:])


def _gradient_of_x(cotangent: jax.Array, x: Any, y: jax.Array, *, dimension_numbers: Dimensions, order: Axes) -> Any:
    """Returns the transpose in x: the cotangent times y, contracted over the columns."""
    (of_x, of_y), (batch_x, batch_y) = dimension_numbers
    rank = len(x.aval.shape)
    axes = _cotangent(dimension_numbers, rank, order)
    kept = dict(zip(axes.rows, _others(rank, of_x, batch_x), strict=True))
    partners = dict(zip(of_y, of_x, strict=True))
    lying = [*batch_x, *(kept[a] for a in sorted(kept)), *(partners[a] for a in sorted(partners))]
    numbers = (axes.columns, _others(y.ndim, of_y, batch_y)), (axes.batch, batch_y)
    return multiply(cotangent, y, dimension_numbers=numbers, order=_inverse(lying))


def _gradient_of_y(cotangent: jax.Array, x: jax.Array, y: Any, *, dimension_numbers: Dimensions, order: Axes) -> Any:
    """Returns the transpose in y: x times the cotangent, contracted over the rows."""
    (of_x, of_y), (batch_x, batch_y) = dimension_numbers
    axes = _cotangent(dimension_numbers, x.ndim, order)
    kept = dict(zip(axes.columns, _others(len(y.aval.shape), of_y, batch_y), strict=True))
    partners = dict(zip(of_x, of_y, strict=True))
    lying = [*batch_y, *(partners[a] for a in sorted(partners)), *(kept[a] for a in sorted(kept))]
    numbers = (_others(x.ndim, of_x, batch_x), axes.rows), (batch_x, axes.batch)
    return multiply(x, cotangent, dimension_numbers=numbers, order=_inverse(lying))


def _batched(operands: Any, dimensions: Any, **params: Any) -> tuple[jax.Array, int]:
    """Returns what `vmap` of JAX's own product gives."""
    return jax.vmap(lambda x, y: _by_xla(x, y, **params), in_axes=tuple(dimensions))(*operands), 0


def _lowered(context: Any, *operands: Any, **params: Any) -> Any:
    """Lowers to the library's call; to XLA's product where it cannot be called."""
    here = has_kernels() and runs_here_as_it_is(context) and all(v.size > 0 for v in context.avals_in)
    return mlir.lower_fun(_by_library if here else _by_xla, multiple_results=False)(context, *operands, **params)


def _abstract(x: Any, y: Any, **params: Any) -> Any:
    result = jax.eval_shape(lambda x, y: _by_xla(x, y, **params), x, y)
    return jax.core.ShapedArray(result.shape, result.dtype)


define(product_p, _abstract, _by_xla, _lowered)
ad.defbilinear(product_p, _gradient_of_x, _gradient_of_y)
batching.primitive_batchers[product_p] = _batched
