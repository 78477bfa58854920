"""Matrix products by oneDNN: `jax.lax.dot_general` as a primitive with its derivatives, which are such products again.

XLA's CPU compiler runs a call named `__onednn$matmul` by oneDNN (`onednn_matmul.cc`), and tells it how the operands lie in
memory. So they need not be copied into the order of XLA's kernels, which is what attention and the gradients of weights lose
most by. Products of operands that lie in that order stay with XLA, but for long sums. What `_onednn.py` says about versions of
jaxlib holds here.
"""

import json
import math
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import jax
from jax.extend import core as xc
from jax.interpreters import ad, batching, mlir

from stratagem._private._onednn import has_onednn

_TARGET: Final = "__onednn$matmul"

_LONG: Final = 3  # products for a result / results in a row
_OF_ATTENTION: Final = ((0, 2, 1, 3), (0, 3, 1, 2))

Axes = tuple[int, ...]
Dimensions = tuple[tuple[Axes, Axes], tuple[Axes, Axes]]

onednn_product_p = xc.Primitive("onednn_product")


def multiply_by_onednn(x: jax.Array, y: jax.Array, *, dimension_numbers: Dimensions, order: Axes) -> jax.Array:
    """Returns a product of float32 arrays, by oneDNN where this process can.

    Args:
        x: any array.
        y: any array.
        dimension_numbers: those of `jax.lax.dot_general`.
        order: how the axes of its result are transposed.
    """
    return onednn_product_p.bind(x, y, dimension_numbers=dimension_numbers, order=order)


def _by_xla(x: jax.Array, y: jax.Array, *, dimension_numbers: Dimensions, order: Axes) -> jax.Array:
    return jax.lax.transpose(jax.lax.dot_general(x, y, dimension_numbers), order)


# --- The call ----------------------------------------------------------------------------------------------------------------


class Matrices(NamedTuple):
    """An operand as oneDNN takes it: logically (batch..., rows, columns), or (batch..., columns, rows) if it is `turned`.

    layout: the order of these axes in memory.
    """

    values: jax.Array
    layout: Axes
    turned: bool

    def rows(self) -> int:
        """Returns how many rows each matrix has."""
        return self.values.shape[-1 if self.turned else -2]

    def columns(self) -> int:
        """Returns how many columns each matrix has."""
        return self.values.shape[-2 if self.turned else -1]


def _by_onednn(x: jax.Array, y: jax.Array, *, dimension_numbers: Dimensions, order: Axes) -> jax.Array:
    (of_x, of_y), (batch_x, batch_y) = dimension_numbers
    pairs = sorted(zip(of_x, of_y, strict=True))
    of_x, of_y = tuple(a for a, _ in pairs), tuple(b for _, b in pairs)
    kept_x, kept_y = _others(x.ndim, of_x, batch_x), _others(y.ndim, of_y, batch_y)
    batch, rows, columns = len(batch_x), len(kept_x), len(kept_y)
    # oneDNN has no fast kernel for a result whose columns are not neighbours in memory.
    if batch <= order[-1] < batch + rows:
        turned = [*range(batch), *range(batch + columns, batch + columns + rows), *range(batch, batch + columns)]
        numbers = (of_y, of_x), (batch_y, batch_x)
        return _by_onednn(y, x, dimension_numbers=numbers, order=tuple(turned[axis] for axis in order))
    first, second = _matrices(x, batch_x, kept_x, of_x), _matrices(y, batch_y, of_y, kept_y)
    batches = [(x.shape[axis],) for axis in batch_x]
    sizes = [*batches, tuple(x.shape[axis] for axis in kept_x), tuple(y.shape[axis] for axis in kept_y)]
    layout = _layout(_placed(sizes, order), first.values.shape[:-2])
    if _is_fast_by_xla(first, second, layout):
        return _by_xla(x, y, dimension_numbers=dimension_numbers, order=order)
    result = _call(first, second, layout or tuple(range(len(sizes))))
    if layout is None:
        return jax.lax.transpose(result.reshape([n for group in sizes for n in group]), order)
    return jax.lax.transpose(result, layout).reshape([n for i in layout for n in sizes[i]])


def _is_fast_by_xla(x: Matrices, y: Matrices, layout: Axes | None) -> bool:
    """Returns whether XLA computes a product as fast: if it need not copy an operand into the order of its own kernels.

    These take x with its rows one after another, and y in either order; the batch has to come first. Long sums are oneDNN's
    all the same, as of a dense layer behind a flattened image: with three times as many products for a result as results in a
    row it takes 0.58 to 1.1 of the time, half of the time 0.93 or less (33 shapes, two cores, AVX-512).
    """
    plain = tuple(range(len(x.layout)))
    long = len(plain) == 2 and y.rows() >= _LONG * y.columns()
    return not long and not x.turned and x.layout == y.layout == plain and layout in (plain, None)


def _call(x: Matrices, y: Matrices, layout: Axes) -> jax.Array:
    shape = (*x.values.shape[:-2], x.rows(), y.columns())
    how = {"onednn_matmul_config": {"transpose_a": x.turned, "transpose_b": y.turned}}
    call: Any = jax.ffi.ffi_call(
        _TARGET,
        jax.ShapeDtypeStruct(shape, x.values.dtype),
        custom_call_api_version=1,
        legacy_backend_config=json.dumps(how),
        input_layouts=(x.layout, y.layout),
        output_layouts=layout,
    )
    return call(x.values, y.values)


def _matrices(values: jax.Array, batch: Axes, rows: Axes, columns: Axes) -> Matrices:
    """Returns an operand with its rows, and its columns, as one axis each: as it lies, or else transposed."""
    groups = [*((axis,) for axis in batch), rows, columns]
    layout = _layout(groups, [values.shape[axis] for axis in batch])
    if layout is None:
        values = jax.lax.transpose(values, [axis for group in groups for axis in group])
        rank = len(batch)
        kept = values.shape[rank : rank + len(rows)]
        shape = (*values.shape[:rank], math.prod(kept), math.prod(values.shape[rank + len(rows) :]))
        return Matrices(values.reshape(shape), tuple(range(rank + 2)), turned=False)
    lying = values.reshape([math.prod(values.shape[axis] for axis in groups[i]) for i in layout])
    turned = layout[-1] == len(batch)
    # Told so, rather than transposed without a copy: XLA would compute it twice to fuse that with what it is from.
    if turned:
        layout = _exchanged(layout, len(batch))
    return Matrices(jax.lax.transpose(lying, _inverse(layout)), layout, turned)


def _exchanged(layout: Axes, rows: int) -> Axes:
    """Returns a layout with the last two axes, `rows` and the one after it, in each other's places."""
    return tuple({rows: rows + 1, rows + 1: rows}.get(axis, axis) for axis in layout)


def _layout(groups: Sequence[Axes], batch: Sequence[int]) -> Axes | None:
    """Returns in which order groups of axes lie; None if one lies apart, or if oneDNN cannot be given such an order.

    It computes wrongly, or ends the process, in some orders in which the batch does not come first. Those that attention has,
    (batch, rows, batch, columns) and (batch, columns, batch, rows), are right; with a batch of one element, whose stride
    means nothing, they are not given to it, though none of 800 random products of this kind was wrong.
    """
    order = tuple(sorted(range(len(groups)), key=groups.__getitem__))
    axes = [axis for i in order for axis in groups[i]]
    if axes != list(range(len(axes))):
        return None
    rank = len(batch)
    first = order[:rank] == tuple(range(rank))
    return order if first or (rank == 2 and order in _OF_ATTENTION and min(batch) > 1) else None


def _placed(sizes: Sequence[Axes], order: Axes) -> list[Axes]:
    """Returns, for groups of axes that `order` transposes, where each of the axes comes to lie."""
    places = iter(_inverse(order))
    return [tuple(next(places) for _ in group) for group in sizes]


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
    return multiply_by_onednn(cotangent, y, dimension_numbers=numbers, order=_inverse(lying))


def _gradient_of_y(cotangent: jax.Array, x: jax.Array, y: Any, *, dimension_numbers: Dimensions, order: Axes) -> Any:
    """Returns the transpose in y: x times the cotangent, contracted over the rows."""
    (of_x, of_y), (batch_x, batch_y) = dimension_numbers
    axes = _cotangent(dimension_numbers, x.ndim, order)
    kept = dict(zip(axes.columns, _others(len(y.aval.shape), of_y, batch_y), strict=True))
    partners = dict(zip(of_x, of_y, strict=True))
    lying = [*batch_y, *(partners[a] for a in sorted(partners)), *(kept[a] for a in sorted(kept))]
    numbers = (_others(x.ndim, of_x, batch_x), axes.rows), (batch_x, axes.batch)
    return multiply_by_onednn(x, cotangent, dimension_numbers=numbers, order=_inverse(lying))


def _batched(operands: Any, dimensions: Any, **params: Any) -> tuple[jax.Array, int]:
    """Returns what `vmap` of JAX's own product gives."""
    return jax.vmap(lambda x, y: _by_xla(x, y, **params), in_axes=tuple(dimensions))(*operands), 0


def _lowered(context: Any, *operands: Any, **params: Any) -> Any:
    """Lowers to oneDNN's call; to XLA's product where there is none, and in exports, which other machines run."""
    here = has_onednn() and not context.module_context.lowering_parameters.for_export
    return mlir.lower_fun(_by_onednn if here else _by_xla, multiple_results=False)(context, *operands, **params)


def _abstract(x: Any, y: Any, **params: Any) -> Any:
    result = jax.eval_shape(lambda x, y: _by_xla(x, y, **params), x, y)
    return jax.core.ShapedArray(result.shape, result.dtype)


onednn_product_p.def_abstract_eval(_abstract)
onednn_product_p.def_impl(lambda x, y, **params: jax.jit(lambda x, y: multiply_by_onednn(x, y, **params))(x, y))
ad.defbilinear(onednn_product_p, _gradient_of_x, _gradient_of_y)
batching.primitive_batchers[onednn_product_p] = _batched
mlir.register_lowering(onednn_product_p, mlir.lower_fun(_by_xla, multiple_results=False))
mlir.register_lowering(onednn_product_p, _lowered, platform="cpu")
