"""Ragged tensors as inputs of Keras' layers and models, which on JAX take dense ones alone."""

import functools
import operator
from collections.abc import Callable
from typing import Any

import keras
from keras.src import backend
from keras.src.backend.jax import core as keras_core
from keras.src.layers.layer import Layer
from keras.src.ops.operation import Operation

from stratagem._base.types import UserFunction

_OPERATORS = ("__getitem__", *(f"__{r}{name}__" for name in ("add", "sub", "mul", "truediv") for r in ("", "r")))
RAGGED_PLACES = (
    "keras.src.backend.compute_output_spec",
    "keras.src.backend.convert_to_tensor",
    "keras.src.backend.jax.core.compute_output_spec",
    "keras.src.backend.jax.core.convert_to_tensor",
    "keras.src.layers.core.embedding.Embedding.compute_mask",
    "keras.src.layers.core.masking.Masking.compute_mask",
    "keras.src.layers.layer.Layer._set_mask_metadata",
    "keras.src.ops.operation.Operation.__call__",
    *(f"keras.src.backend.common.keras_tensor.KerasTensor.{name}" for name in _OPERATORS),
)

# In place of unknown sizes: of rows, as Keras itself does, and of the lengths of rows. What differs is unknown.
_SIZES = ((83, 3), (89, 5))


def take_ragged(
    ragged: type,
    called: Callable[[keras.Layer], UserFunction | None],
    converted: Callable[[Any, Any], Any],
    example: Callable[[Any, tuple[int | None, ...], int, int], Any],
    operators: dict[str, UserFunction],
    mask_of: Callable[[keras.Layer, Any], Any],
) -> None:
    """Let ragged tensors through the calls of layers and models, and symbolic ones stand for them.

    The shapes that a layer makes of ragged tensors are found with rows of a few values.

    ragged: the class. called(layer): what is called in place of its `call`; None if it knows by itself. converted(x, dtype):
    what a conversion to a tensor makes of a ragged one. example(flat values, shape, ragged_rank, length): a ragged tensor
    whose rows all have this length. operators: of symbolic ragged tensors, by name. mask_of(layer, inputs): the mask of the
    ragged tensor that a layer returns, something if it is symbolic, or None; also what `compute_mask` returns of layers that
    make masks.
    """
    backend.SUPPORTS_RAGGED_TENSORS = True
    convert, calling, masking = keras_core.convert_to_tensor, Operation.__call__, Layer._set_mask_metadata

    def is_rows(value: Any) -> bool:
        return isinstance(value, ragged)

    def has_ragged(values: Any) -> bool:
        for value in values:
            if isinstance(value, ragged) or is_ragged_symbol(value):
                return True
            nested = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ()
            if nested and has_ragged(nested):
                return True
        return False

    @functools.wraps(convert)
    def new_convert(x: Any, dtype: Any = None, *args: Any, **kwargs: Any) -> Any:
        return converted(x, dtype) if isinstance(x, ragged) else convert(x, dtype, *args, **kwargs)

    @functools.wraps(calling)
    def new_call(self: Any, *args: Any, **kwargs: Any) -> Any:
        if not has_ragged(args) and not has_ragged(kwargs.values()):
            return calling(self, *args, **kwargs)
        call = called(self)
        if call is None:
            return calling(self, *args, **kwargs)
        if any(isinstance(v, keras.KerasTensor) for v in keras.tree.flatten((args, kwargs))):
            found: Any = backend.compute_output_spec(call, *args, **kwargs)
        else:
            found = call(*args, **kwargs)
        mask = mask_of(self, args[0]) if args and isinstance(self, Layer) else None
        if mask is not None and is_rows(found):
            found._keras_mask = mask
        elif mask is not None and is_ragged_symbol(found):
            found.has_ragged_mask = True  # the mask itself goes with the values, not through the model's graph
        return found

    @functools.wraps(masking)
    def new_masking(self: Any, inputs: Any, outputs: Any, previous_mask: Any) -> None:
        if not has_ragged((inputs, outputs)):  # whose masks are those of `mask_of`
            masking(self, inputs, outputs, previous_mask)

    def with_rows(compute_mask: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(compute_mask)
        def computed(self: Any, inputs: Any, mask: Any = None) -> Any:
            return mask_of(self, inputs) if is_rows(inputs) else compute_mask(self, inputs, mask)

        return computed

    for maker in (keras.layers.Masking, keras.layers.Embedding):
        maker.compute_mask = with_rows(maker.compute_mask)
    keras_core.convert_to_tensor = backend.convert_to_tensor = new_convert
    Operation.__call__, Layer._set_mask_metadata = new_call, new_masking
    keras_core.compute_output_spec = backend.compute_output_spec = _with_rows(
        ragged, example, keras_core.compute_output_spec
    )
    for name in _OPERATORS:
        setattr(keras.KerasTensor, name, _of_symbols(getattr(keras.KerasTensor, name), operators[name]))


def is_ragged_symbol(value: Any) -> bool:
    """Returns whether a value is a symbolic tensor that stands for a ragged one."""
    return isinstance(value, keras.KerasTensor) and value.ragged


def ragged_symbol(shape: tuple[int | None, ...], dtype: str, ragged_rank: int) -> keras.KerasTensor:
    """Returns a symbolic tensor that stands for a ragged one."""
    return keras.KerasTensor(shape, dtype=dtype, ragged=True, ragged_rank=ragged_rank)


def ragged_rank_of(symbol: keras.KerasTensor) -> int:
    """Returns the number of ragged dimensions: up to the last of unknown size, as in Keras 2, if nothing else was said."""
    if symbol.ragged_rank is not None:
        return int(symbol.ragged_rank)
    return max([i for i, size in enumerate(symbol.shape) if size is None and i], default=0)


def _of_symbols(original: Callable[..., Any], ours: Callable[..., Any]) -> Callable[..., Any]:
    """Returns an operator of symbolic tensors, which for ragged ones is another."""

    @functools.wraps(original)
    def chosen(self: Any, other: Any) -> Any:
        return ours(self, other) if self.ragged or is_ragged_symbol(other) else original(self, other)

    return chosen


def _with_rows(ragged: type, example: Callable[..., Any], original: Callable[..., Any]) -> Callable[..., Any]:
    """Returns Keras' function that finds what a function of symbolic tensors returns, for symbolic ragged ones, too."""

    @functools.wraps(original)
    def found(fn: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        leaves = keras.tree.flatten((args, kwargs))
        if not any(map(is_ragged_symbol, leaves)):
            return original(fn, *args, **kwargs)
        first, second = (with_sizes(sizes, fn, leaves, (args, kwargs)) for sizes in _SIZES)
        return keras.tree.map_structure(_merged, first, second)

    def with_sizes(sizes: tuple[int, int], fn: Callable[..., Any], leaves: list[Any], structure: Any) -> Any:
        symbols = [i for i, v in enumerate(leaves) if isinstance(v, keras.KerasTensor)]
        shapes: list[Any] = []

        def is_rows(value: Any) -> bool:
            return isinstance(value, ragged)

        def call(tensors: list[Any]) -> Any:
            given = dict(enumerate(leaves))
            for i, tensor in zip(symbols, tensors, strict=True):
                symbol = leaves[i]
                rows = (sizes[0] if symbol.shape[0] is None else symbol.shape[0], *symbol.shape[1:])
                given[i] = example(tensor, rows, ragged_rank_of(symbol), sizes[1]) if symbol.ragged else tensor
            args, kwargs = keras.tree.pack_sequence_as(structure, list(given.values()))
            result = fn(*args, **kwargs)
            shapes[:] = [(tuple(v.shape), v.ragged_rank) if is_rows(v) else None for v in keras.tree.flatten(result)]
            return keras.tree.map_structure(lambda v: v.flat_values if is_rows(v) else v, result)

        spec = original(call, [_flat(sizes, leaves[i]) for i in symbols])
        made = zip(keras.tree.flatten(spec), shapes, strict=True)
        return keras.tree.pack_sequence_as(
            spec, [v if known is None else ragged_symbol(known[0], v.dtype, known[1]) for v, known in made]
        )

    return found


def _flat(sizes: tuple[int, int], symbol: Any) -> Any:
    """A symbolic tensor with sizes for the unknown ones; of a ragged one its flat values."""
    rows, length = sizes
    if not symbol.ragged:
        return keras.KerasTensor([rows if d is None else d for d in symbol.shape], dtype=symbol.dtype)
    outer = ragged_rank_of(symbol) + 1
    known = [rows if symbol.shape[0] is None else symbol.shape[0]]
    known += [length if d is None else d for d in symbol.shape[1:]]
    return keras.KerasTensor([functools.reduce(operator.mul, known[:outer]), *known[outer:]], dtype=symbol.dtype)


def _merged(first: Any, second: Any) -> Any:
    if not isinstance(first, keras.KerasTensor):
        return first
    shape = tuple(a if a == b else None for a, b in zip(first.shape, second.shape, strict=True))
    if first.ragged:
        return ragged_symbol(shape, first.dtype, first.ragged_rank)
    return keras.KerasTensor(shape, dtype=first.dtype)
