"""Ragged tensors in Keras' layers, as in Keras 2: what each layer makes of their values, or of their rows."""

import functools
from collections.abc import Callable, Sequence
from typing import Any

import keras
import numpy as np

from stratagem import _ops as ops
from stratagem._base.types import DTypeLike, UserFunction
from stratagem._ops.ragged import RaggedTensor, longest, uniform
from stratagem._private import take_ragged

layers = keras.layers
_DENSE = "tf.keras.layers.Lambda(lambda x: x.to_tensor())"
_RECURRENT = (layers.RNN, layers.LSTM, layers.GRU, layers.SimpleRNN, layers.Bidirectional)
# A rule: called with a layer, its `call`, and the arguments of the call.
Rule = Callable[..., Any]


def _as_it_is(layer: Any, call: UserFunction, *args: Any, **kwargs: Any) -> Any:
    return call(*args, **kwargs)


def _by_value(layer: Any, call: UserFunction, inputs: RaggedTensor, *args: Any, **kwargs: Any) -> Any:
    """The result for all values at once, in the same rows."""
    return inputs.with_flat_values(call(inputs._stored_flat(), *args, **kwargs))


def _along_last(layer: Any, call: UserFunction, inputs: RaggedTensor, *args: Any, **kwargs: Any) -> Any:
    """The result for all values at once of a layer that computes along the last dimension, which all values have."""
    inner, axis = inputs._stored_flat().ndim - 1, getattr(layer, "axis", -1)
    axes = axis if isinstance(axis, list | tuple) else [axis]
    if not inner or any(a % len(inputs.shape) != len(inputs.shape) - 1 for a in axes):
        raise _refused(layer, " along a dimension whose rows differ in length")
    return _by_value(layer, call, inputs, *args, **kwargs)


def _dense(layer: Any, call: UserFunction, inputs: RaggedTensor, *args: Any, **kwargs: Any) -> Any:
    if inputs._stored_flat().ndim == 1:
        raise ValueError(
            "The last dimension of the inputs to a Dense layer should be defined. Found None. "
            f"Full input shape received: {tuple(inputs.shape)}"
        )
    return _by_value(layer, call, inputs, *args, **kwargs)


def _masking(layer: Any, call: UserFunction, inputs: RaggedTensor) -> Any:
    if inputs._stored_flat().ndim == 1:
        raise _refused(layer, " along a dimension whose rows differ in length")
    return _by_value(layer, call, inputs)


def _mask_of(layer: Any, inputs: Any) -> Any:
    """Returns the mask of what a layer makes of ragged inputs, its own or theirs; of symbols, whether there will be one."""
    symbolic = isinstance(inputs, keras.KerasTensor)
    previous = getattr(inputs, "has_ragged_mask" if symbolic else "_keras_mask", None)
    if previous is not None and isinstance(layer, _RECURRENT):
        raise _unmasked(layer)
    if isinstance(layer, layers.Masking):
        return symbolic or inputs.with_flat_values(ops.reduce_any(inputs._stored_flat() != layer.mask_value, axis=-1))
    if isinstance(layer, layers.Embedding) and layer.mask_zero:
        return symbolic or inputs.with_flat_values(inputs._stored_flat() != 0)
    return previous if layer.supports_masking else None


def _dropout(layer: Any, call: UserFunction, inputs: RaggedTensor, *args: Any, **kwargs: Any) -> Any:
    if getattr(layer, "noise_shape", None) is not None:
        raise _refused(layer, " with a noise_shape")
    return _by_value(layer, call, inputs, *args, **kwargs)


def _each_step(layer: Any, call: UserFunction, inputs: RaggedTensor, *args: Any, **kwargs: Any) -> Any:
    """The result of TimeDistributed, for which all values are the steps of one row; a mask is only passed on."""
    kwargs.pop("mask", None)
    found = call(inputs._stored_flat()[None], *args, **kwargs)
    return inputs.with_flat_values(found[0])


def _pooled(reduction: UserFunction) -> Rule:
    def pool(layer: Any, call: UserFunction, inputs: RaggedTensor, mask: Any = None) -> Any:
        if layer.data_format != "channels_last":
            raise _refused(layer, f" with data_format={layer.data_format!r}")
        return reduction(inputs, axis=1, keepdims=layer.keepdims)

    return pool


def _average_pooled(layer: Any, call: UserFunction, inputs: RaggedTensor, mask: Any = None) -> Any:
    mean = _pooled(ops.reduce_mean)
    if mask is None:
        return mean(layer, call, inputs)
    counts: Any = ops.cast(mask, inputs.dtype)
    weighted = inputs.with_flat_values(inputs._stored_flat() * counts._stored_flat()[:, None])
    total = _pooled(ops.reduce_sum)(layer, call, weighted)
    return total / ops.reshape(ops.reduce_sum(counts, axis=1), (-1, *[1] * (len(total.shape) - 1)))


def _merged(function: UserFunction) -> Rule:
    def merge(layer: Any, call: UserFunction, inputs: Sequence[Any]) -> Any:
        return functools.reduce(function, inputs)

    return merge


def _average(layer: Any, call: UserFunction, inputs: Sequence[Any]) -> Any:
    return ops.truediv(functools.reduce(ops.add, inputs), float(len(inputs)))


def _concatenated(layer: Any, call: UserFunction, inputs: Sequence[Any]) -> Any:
    return ops.concat(list(inputs), layer.axis)


def _recurrent(layer: Any, call: UserFunction, sequences: RaggedTensor, *args: Any, **kwargs: Any) -> Any:
    """The result of a recurrent layer, for which rows end where a mask says; sequences are rows again."""
    if kwargs.pop("mask", None) is not None:
        raise _unmasked(layer)
    if getattr(layer, "unroll", False):
        raise ValueError(f"Layer {layer.name!r}: the input is a RaggedTensor, with which unroll=True cannot be used.")
    if sequences.ragged_rank != 1:
        raise _refused(layer, f" with {sequences.ragged_rank} ragged dimensions")
    steps = longest(sequences._splits, rounded=True)
    dense = sequences.to_tensor(shape=[None, steps, *[None] * (len(sequences.shape) - 2)])
    mask = ops.sequence_mask(sequences.row_lengths(), steps)
    found = call(dense, *args, mask=mask, **kwargs)
    if not layer.return_sequences:
        return found
    first, *states = found if isinstance(found, list | tuple) else (found,)
    rows = _in_rows(first, sequences, steps, bool(getattr(layer, "go_backwards", False)))
    return (rows, *states) if states else rows


def _in_rows(outputs: Any, like: RaggedTensor, steps: int, backwards: bool) -> RaggedTensor:
    """The outputs of the steps that there are. backwards: those of all steps begin with the ends of rows."""
    row = ops.minimum(
        ops.cast(like._stored_rowids(), np.int32), max(like._nrows() - 1, 0)
    )  # spare values are of no row
    begin, end = (ops.gather(ops.cast(part, np.int32), row) for part in (like.row_starts(), like.row_limits()))
    column = ops.subtract(ops.range(like._stored.shape[0], dtype=np.int32), begin)
    place = ops.minimum(column + steps - (end - begin) if backwards else column, steps - 1)
    return like.with_values(ops.gather_nd(outputs, ops.stack([row, place], axis=1)))


_RULES: dict[type, Rule] = {
    **dict.fromkeys((layers.Lambda, layers.Identity), _as_it_is),
    **dict.fromkeys(
        (
            *(layers.Activation, layers.ReLU, layers.LeakyReLU, layers.ELU, layers.PReLU, layers.Rescaling),
            *(layers.GaussianNoise, layers.GaussianDropout),
        ),
        _by_value,
    ),
    **dict.fromkeys((layers.Softmax, layers.LayerNormalization), _along_last),
    **dict.fromkeys((layers.Dropout, layers.AlphaDropout), _dropout),
    layers.Dense: _dense,
    layers.Embedding: _by_value,
    layers.Masking: _masking,
    layers.TimeDistributed: _each_step,
    layers.GlobalAveragePooling1D: _average_pooled,
    layers.GlobalMaxPooling1D: _pooled(ops.reduce_max),
    layers.Add: _merged(ops.add),
    layers.Subtract: _merged(ops.subtract),
    layers.Multiply: _merged(ops.multiply),
    layers.Maximum: _merged(ops.maximum),
    layers.Minimum: _merged(ops.minimum),
    layers.Average: _average,
    layers.Concatenate: _concatenated,
    **dict.fromkeys(_RECURRENT, _recurrent),
}


def _unmasked(layer: Any) -> ValueError:
    return ValueError(
        f"Layer {layer.name!r}: a mask cannot be applied to RaggedTensor inputs. Leave out what makes it before this layer: "
        "rows of a RaggedTensor have no padding."
    )


def _refused(layer: Any, where: str) -> ValueError:
    return ValueError(
        f"Layer {layer.name!r} ({type(layer).__name__}) takes no RaggedTensor{where}. Make it dense before, as by "
        f"{_DENSE}, or compute with it in a Lambda or in a layer of your own."
    )


def _called(layer: Any) -> UserFunction | None:
    """Returns what is called for ragged tensors in place of a layer's `call`; None for one that notes symbols by itself."""
    kinds = type(layer).__mro__
    owner = next(kind for kind in kinds if "call" in vars(kind))
    rule: Rule = _as_it_is
    if isinstance(layer, keras.Model):
        return layer.call
    if owner.__module__.startswith("keras."):
        found: Rule | None = next((_RULES[kind] for kind in kinds if kind in _RULES and issubclass(kind, owner)), None)
        if found is None or getattr(layer, "activity_regularizer", None) is not None:
            raise _refused(layer, "" if found is None else " with an activity_regularizer")
        rule = found
    elif type(layer).symbolic_call is not keras.Layer.symbolic_call:
        return None
    return functools.partial(_with_compute_dtype, layer, rule, layer.call)


def _with_compute_dtype(layer: Any, rule: Rule, call: UserFunction, *args: Any, **kwargs: Any) -> Any:
    """Calls a rule, with floats of ragged tensors in the layer's dtype, to which Keras converts tensors alone."""

    def cast(value: Any) -> Any:
        floats = isinstance(value, RaggedTensor) and value.dtype != object and ops.as_dtype(value.dtype).is_floating
        return ops.cast(value, layer.compute_dtype) if floats and layer.autocast else value

    if isinstance(layer, keras.Layer):
        args, kwargs = keras.tree.map_structure(cast, (args, kwargs))
    return rule(layer, call, *args, **kwargs)


def _converted(value: Any, dtype: DTypeLike) -> Any:
    """Returns the ragged tensor as a model takes it."""
    return value if dtype is None or str(value.dtype) == dtype or dtype == "string" else ops.cast(value, dtype)


def _example(values: Any, shape: tuple[int | None, ...], ragged_rank: int, length: int) -> Any:
    """Returns a ragged tensor whose rows all have this length, which its shape does not tell."""
    for level in range(ragged_rank, 0, -1):
        size = length if shape[level] is None else shape[level]
        rows = int(np.shape(values)[0] if level == ragged_rank else values.nrows()) // size  # type: ignore[operator]
        values = RaggedTensor(values, uniform(size, rows), None if shape[level] is None else size)  # type: ignore[arg-type]
    return values


def attach_ragged() -> None:
    """Let Keras' layers and models take ragged tensors."""
    names = {"add": ops.add, "sub": ops.subtract, "mul": ops.multiply, "truediv": ops.truediv}
    operators = {f"__{name}__": function for name, function in names.items()}
    operators |= {f"__r{name}__": _reversed(function) for name, function in names.items()}
    take_ragged(
        RaggedTensor, _called, _converted, _example, operators | {"__getitem__": ops.getitem_of_symbol}, _mask_of
    )


def _reversed(function: UserFunction) -> UserFunction:
    return lambda first, second: function(second, first)
