"""Functions of Keras 2's backend: TensorFlow's own functions under shorter names, with Keras' defaults."""

import contextlib
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import keras
import numpy as np

from stratagem import _ops as ops
from stratagem._base.errors import UnimplementedError
from stratagem._base.exports import exported
from stratagem._base.types import DTypeLike, ShapeLike, UserFunction
from stratagem._core.values import Variable
from stratagem._ops import flow

__all__ = [
    "all",
    "any",
    "arange",
    "argmax",
    "argmin",
    "batch_flatten",
    "batch_get_value",
    "batch_set_value",
    "binary_crossentropy",
    "cast",
    "cast_to_floatx",
    "categorical_crossentropy",
    "clip",
    "concatenate",
    "constant",
    "count_params",
    "dot",
    "dtype",
    "eval",
    "expand_dims",
    "flatten",
    "function",
    "get_value",
    "hard_sigmoid",
    "in_test_phase",
    "in_top_k",
    "in_train_phase",
    "int_shape",
    "is_sparse",
    "l2_normalize",
    "learning_phase",
    "learning_phase_scope",
    "manual_variable_initialization",
    "map_fn",
    "mean",
    "moving_average_update",
    "ndim",
    "ones",
    "permute_dimensions",
    "print_tensor",
    "relu",
    "repeat",
    "repeat_elements",
    "reset_uids",
    "reverse",
    "set_learning_phase",
    "set_value",
    "softmax",
    "sparse_categorical_crossentropy",
    "sqrt",
    "squeeze",
    "std",
    "switch",
    "tile",
    "to_dense",
    "update",
    "update_add",
    "update_sub",
    "var",
    "variable",
    "zeros",
]

# --- Values and variables ---------------------------------------------------------------------------------------------


@exported("keras.backend.get_value")
def get_value(x: Any) -> np.ndarray:
    """Returns the value of a variable or tensor as a NumPy array."""
    return x.numpy() if hasattr(x, "numpy") else np.asarray(x)


@exported("keras.backend.eval")
def eval(x: Any) -> np.ndarray:
    """Returns the value of a variable or tensor as a NumPy array."""
    return get_value(ops.convert_to_tensor(x))


@exported("keras.backend.is_sparse")
def is_sparse(tensor: Any) -> bool:
    """Returns False: there are no sparse tensors here."""
    return False


@exported("keras.backend.to_dense")
def to_dense(tensor: Any) -> Any:
    """Returns the tensor itself: there are no sparse ones here."""
    return tensor


@exported("keras.backend.print_tensor")
def print_tensor(x: Any, message: str = "", summarize: int = 3) -> Any:
    """Prints a message and the tensor, also in compiled functions; returns the tensor."""
    ops.print(message, x, summarize=summarize)
    return x


@exported("keras.backend.manual_variable_initialization")
def manual_variable_initialization(value: bool) -> None:
    """Does nothing: variables have their values when they are made."""


@exported("keras.backend.reset_uids")
def reset_uids() -> None:
    """Begins the numbers in the names of layers anew."""
    keras.backend.clear_session()


@exported("keras.backend.batch_get_value")
def batch_get_value(tensors: Iterable[Any]) -> list[np.ndarray]:
    """Returns the values of many variables or tensors."""
    return [get_value(x) for x in tensors]


@exported("keras.backend.set_value")
def set_value(x: keras.Variable, value: Any) -> None:
    """Sets a variable to a value."""
    x.assign(np.asarray(value, dtype=x.dtype))


@exported("keras.backend.batch_set_value")
def batch_set_value(tuples: Iterable[tuple[keras.Variable, Any]]) -> None:
    """Sets many variables, each to its value."""
    for variable, value in tuples:
        set_value(variable, value)


@exported("keras.backend.variable")
def variable(value: Any, dtype: DTypeLike | None = None, name: str | None = None, constraint: Any = None) -> Variable:
    """Returns a new variable."""
    return Variable(value, dtype=dtype or keras.config.floatx(), name=name, constraint=constraint)


@exported("keras.backend.zeros")
def zeros(shape: Iterable[Any], dtype: DTypeLike | None = None, name: str | None = None) -> Variable:
    """Returns a variable of zeros."""
    return Variable(np.zeros(tuple(shape), dtype or keras.config.floatx()), name=name)


@exported("keras.backend.ones")
def ones(shape: Iterable[Any], dtype: DTypeLike | None = None, name: str | None = None) -> Variable:
    """Returns a variable of ones."""
    return Variable(np.ones(tuple(shape), dtype or keras.config.floatx()), name=name)


@exported("keras.backend.constant")
def constant(
    value: Any, dtype: DTypeLike | None = None, shape: ShapeLike | None = None, name: str | None = None
) -> Any:
    """Returns a tensor of the value, of Keras' float type."""
    return ops.constant(value, dtype or keras.config.floatx(), shape)


@exported("keras.backend.update")
def update(x: keras.Variable, new_x: Any) -> Any:
    """Sets a variable."""
    return x.assign(new_x)


@exported("keras.backend.update_add")
def update_add(x: keras.Variable, increment: Any) -> Any:
    """Adds to a variable."""
    return x.assign_add(increment)


@exported("keras.backend.update_sub")
def update_sub(x: keras.Variable, decrement: Any) -> Any:
    """Subtracts from a variable."""
    return x.assign_sub(decrement)


@exported("keras.backend.moving_average_update")
def moving_average_update(x: keras.Variable, value: Any, momentum: Any) -> Any:
    """Sets a variable to the weighted mean of itself and a value."""
    return x.assign(x * momentum + value * (1 - momentum))


@exported("keras.backend.count_params")
def count_params(x: Any) -> int:
    """Returns the number of elements."""
    return int(np.prod(tuple(x.shape), dtype=np.int64))


@exported("keras.backend.int_shape")
def int_shape(x: Any) -> tuple[int | None, ...] | None:
    """Returns the shape as a tuple; None for what has no shape."""
    return tuple(x.shape) if hasattr(x, "shape") else None


@exported("keras.backend.ndim")
def ndim(x: Any) -> int:
    """Returns the number of dimensions."""
    return len(x.shape)


@exported("keras.backend.dtype")
def dtype(x: Any) -> str:
    """Returns the name of the type."""
    return str(np.dtype(x.dtype)) if not isinstance(x.dtype, str) else x.dtype


@exported("keras.backend.function")
def function(inputs: Any, outputs: Any, updates: Any = None, name: str | None = None) -> UserFunction:
    """Returns a function that computes outputs of a functional model from arrays for its inputs."""
    if updates:
        raise UnimplementedError("K.function with updates is not provided: assign variables in a tf.function.")
    model = keras.Model(inputs, outputs)

    def call(arrays: Any) -> Any:
        single = isinstance(inputs, list) and len(inputs) == 1 and isinstance(arrays, list | tuple)
        return keras.tree.map_structure(
            get_value, model(list(arrays) if not single else [ops.convert_to_tensor(arrays[0])])
        )

    return call


# --- Phases -----------------------------------------------------------------------------------------------------------


@exported("keras.backend.learning_phase")
def learning_phase() -> int:
    """Returns 0: a layer that is not told `training` does not train."""
    return 0


@exported("keras.backend.set_learning_phase")
def set_learning_phase(value: bool | int) -> None:
    """Accepts 0. Raises UnimplementedError for 1, which would let every layer train that is not told otherwise."""
    if value:
        raise UnimplementedError("set_learning_phase(1) is not provided: call the model with training=True.")


@exported("keras.backend.learning_phase_scope")
@contextlib.contextmanager
def learning_phase_scope(value: bool | int) -> Iterator[None]:
    """Accepts 0 for the body. Raises UnimplementedError for 1, as `set_learning_phase`."""
    set_learning_phase(value)
    yield


@exported("keras.backend.in_train_phase")
def in_train_phase(x: Any, alt: Any, training: Any = None) -> Any:
    """Returns x while training, else alt; each may be a function without arguments."""
    return switch(False if training is None else training, x, alt)


@exported("keras.backend.in_test_phase")
def in_test_phase(x: Any, alt: Any, training: Any = None) -> Any:
    """Returns alt while training, else x."""
    return in_train_phase(alt, x, training)


@exported("keras.backend.switch")
def switch(condition: Any, then_expression: Any, else_expression: Any) -> Any:
    """Returns one of two values, or of what two functions return."""

    def value(given: Any) -> Any:
        return given() if callable(given) else given

    if isinstance(condition, bool | int):
        return value(then_expression if condition else else_expression)
    condition = ops.cast(condition, "bool")
    rank = len(value(then_expression).shape)
    condition = ops.reshape(condition, [*condition.shape, *([1] * (rank - len(condition.shape)))])
    return ops.where(condition, value(then_expression), value(else_expression))


# --- Shapes -----------------------------------------------------------------------------------------------------------


@exported("keras.backend.cast")
def cast(x: Any, dtype: DTypeLike) -> Any:
    """Returns a tensor in another type."""
    return ops.cast(x, dtype)


@exported("keras.backend.cast_to_floatx")
def cast_to_floatx(x: Any) -> Any:
    """Returns a tensor in Keras' float type; what has no type yet as a NumPy array."""
    if hasattr(x, "dtype") and not isinstance(x, np.ndarray):
        return ops.cast(x, keras.config.floatx())
    return np.asarray(x, dtype=keras.config.floatx())


@exported("keras.backend.concatenate")
def concatenate(tensors: Sequence[Any], axis: int = -1) -> Any:
    """Returns tensors in one, along a dimension."""
    return ops.concat(tensors, axis)


@exported("keras.backend.flatten")
def flatten(x: Any) -> Any:
    """Returns all elements in one row."""
    return ops.reshape(x, [-1])


@exported("keras.backend.batch_flatten")
def batch_flatten(x: Any) -> Any:
    """Returns the elements of every example in one row."""
    return ops.reshape(x, [-1, int(np.prod(tuple(x.shape)[1:]))])


@exported("keras.backend.expand_dims")
def expand_dims(x: Any, axis: int = -1) -> Any:
    """Returns the tensor with one more dimension, of size 1."""
    return ops.expand_dims(x, axis)


@exported("keras.backend.squeeze")
def squeeze(x: Any, axis: int) -> Any:
    """Returns the tensor without a dimension of size 1."""
    return ops.squeeze(x, [axis])


@exported("keras.backend.permute_dimensions")
def permute_dimensions(x: Any, pattern: Sequence[int]) -> Any:
    """Returns the tensor with its dimensions in another order."""
    return ops.transpose(x, pattern)


@exported("keras.backend.repeat")
def repeat(x: Any, n: int) -> Any:
    """Returns the rows of a matrix (b, d), each n times: (b, n, d)."""
    return ops.tile(ops.expand_dims(x, 1), [1, n, 1])


@exported("keras.backend.repeat_elements")
def repeat_elements(x: Any, rep: int, axis: int) -> Any:
    """Returns the tensor with every element so many times in a row."""
    return ops.repeat(x, rep, axis)


@exported("keras.backend.tile")
def tile(x: Any, n: Any) -> Any:
    """Returns the tensor so many times along its dimensions."""
    return ops.tile(x, [n] if isinstance(n, int) else n)


@exported("keras.backend.reverse")
def reverse(x: Any, axes: Any) -> Any:
    """Returns the tensor backwards along dimensions."""
    return ops.reverse(x, [axes] if isinstance(axes, int) else axes)


@exported("keras.backend.arange")
def arange(start: Any, stop: Any = None, step: int = 1, dtype: str = "int32") -> Any:
    """Returns numbers at equal distances."""
    first, last = (0, start) if stop is None else (start, stop)
    return ops.range(first, last, step, dtype)


# --- Reductions -------------------------------------------------------------------------------------------------------


@exported("keras.backend.mean")
def mean(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Returns the mean; of booleans, the share that is true."""
    return ops.reduce_mean(ops.cast(x, keras.config.floatx()) if dtype(x) == "bool" else x, axis, keepdims)


@exported("keras.backend.var")
def var(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Returns the variance."""
    x = ops.cast(x, keras.config.floatx()) if dtype(x) == "bool" else x
    return ops.reduce_mean(ops.square(x - ops.reduce_mean(x, axis, True)), axis, keepdims)


@exported("keras.backend.std")
def std(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Returns the standard deviation."""
    return ops.sqrt(var(x, axis, keepdims))


@exported("keras.backend.any")
def any(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Returns whether one is not zero."""
    return ops.reduce_any(ops.cast(x, "bool"), axis, keepdims)


@exported("keras.backend.all")
def all(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Returns whether none is zero."""
    return ops.reduce_all(ops.cast(x, "bool"), axis, keepdims)


@exported("keras.backend.argmax")
def argmax(x: Any, axis: int = -1) -> Any:
    """Returns the position of the largest element along a dimension."""
    return ops.argmax(x, axis)


@exported("keras.backend.argmin")
def argmin(x: Any, axis: int = -1) -> Any:
    """Returns the position of the smallest element along a dimension."""
    return ops.argmin(x, axis)


@exported("keras.backend.in_top_k")
def in_top_k(predictions: Any, targets: Any, k: int) -> Any:
    """Returns for each target class whether it is among the k best predictions."""
    return ops.in_top_k(targets, predictions, k)


@exported("keras.backend.map_fn")
def map_fn(fn: UserFunction, elems: Any, name: str | None = None, dtype: DTypeLike | None = None) -> Any:
    """Returns what a function returns for every row of tensors, in one tensor."""
    return flow.map_fn(fn, elems, dtype=dtype)


# --- Functions of elements --------------------------------------------------------------------------------------------


@exported("keras.backend.sqrt")
def sqrt(x: Any) -> Any:
    """Returns the square root; 0 for negative numbers."""
    return ops.sqrt(ops.maximum(x, ops.zeros_like(x)))


@exported("keras.backend.clip")
def clip(x: Any, min_value: Any, max_value: Any) -> Any:
    """Returns the tensor between two bounds; None is no bound."""
    if isinstance(min_value, int | float) and isinstance(max_value, int | float):
        max_value = max(min_value, max_value)
    low, high = (-np.inf if min_value is None else min_value), (np.inf if max_value is None else max_value)
    return ops.clip_by_value(x, low, high)


@exported("keras.backend.dot")
def dot(x: Any, y: Any) -> Any:
    """Returns the product of matrices; of more dimensions, along the last of x and the last but one of y."""
    if len(x.shape) <= 2 and len(y.shape) <= 2:
        return ops.matmul(x, y)
    return ops.tensordot(x, y, [[len(x.shape) - 1], [max(len(y.shape) - 2, 0)]])


@exported("keras.backend.relu")
def relu(x: Any, alpha: float = 0.0, max_value: float | None = None, threshold: float = 0.0) -> Any:
    """Returns the rectified tensor."""
    return keras.activations.relu(x, negative_slope=alpha, max_value=max_value, threshold=threshold)


@exported("keras.backend.hard_sigmoid")
def hard_sigmoid(x: Any) -> Any:
    """Returns 0.2 · x + 0.5 between 0 and 1, the slope of Keras 2."""
    return ops.clip_by_value(0.2 * x + 0.5, 0.0, 1.0)


@exported("keras.backend.softmax")
def softmax(x: Any, axis: int = -1) -> Any:
    """Returns probabilities along a dimension."""
    return ops.softmax(x, axis)


@exported("keras.backend.l2_normalize")
def l2_normalize(x: Any, axis: Any = None) -> Any:
    """Returns the tensor, divided by its norm."""
    return ops.l2_normalize(x, axis)


# --- Losses -----------------------------------------------------------------------------------------------------------


@exported("keras.backend.binary_crossentropy")
def binary_crossentropy(target: Any, output: Any, from_logits: bool = False) -> Any:
    """Returns the loss of every element."""
    return keras.ops.binary_crossentropy(target, output, from_logits=from_logits)


@exported("keras.backend.categorical_crossentropy")
def categorical_crossentropy(target: Any, output: Any, from_logits: bool = False, axis: int = -1) -> Any:
    """Returns the loss of every example."""
    return keras.ops.categorical_crossentropy(target, output, from_logits=from_logits, axis=axis)


@exported("keras.backend.sparse_categorical_crossentropy")
def sparse_categorical_crossentropy(target: Any, output: Any, from_logits: bool = False, axis: int = -1) -> Any:
    """Returns the loss of every example."""
    return keras.ops.sparse_categorical_crossentropy(target, output, from_logits=from_logits, axis=axis)
