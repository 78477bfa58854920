"""64-bit (wide) numbers stay exact where they are asked for; the default types have 32 bits."""

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax._src import core as jax_core
from jax._src.interpreters import mlir
from jax._src.lax import lax as jax_lax
from jax._src.lax import windowed_reductions
from jax._src.literals import TypedNdArray
from jax._src.nn import functions as nn_functions
from jax._src.numpy import ufuncs
from keras.src.backend.common import dtypes as promotion
from keras.src.backend.jax import numpy as keras_numpy

from stratagem._private._variables import KerasVariable

_WIDE = tuple(map(np.dtype, (np.float64, np.complex128, np.int64, np.uint64)))
_NUMBERS = {float, int, complex, np.ndarray, *(dtype.type for dtype in _WIDE)}
_INT32 = np.iinfo(np.int32)


def _takes_two(function: Any) -> bool:
    return inspect.isfunction(function) and list(inspect.signature(function).parameters)[:2] == ["x1", "x2"]


# Functions that JAX compiles with their numbers as arguments. (Most of its ufuncs are of one class.)
_UFUNCS = (
    *("arctan2", "atan2", "copysign", "divide", "divmod", "equal", "float_power", "floor_divide", "fmod", "greater"),
    *("greater_equal", "heaviside", "hypot", "less", "less_equal", "mod", "nextafter", "not_equal", "pow", "power"),
    *("remainder", "true_divide"),
)
_ACTIVATIONS = ("celu", "elu", "leaky_relu", "squareplus")
_WITH_NUMBERS = (
    (jnp, "clip"),
    *((owner, name) for owner in (jnp, ufuncs) for name in _UFUNCS),
    *((owner, name) for owner in (jax.nn, nn_functions) for name in _ACTIVATIONS),
    # Keras', which are its variables' operators, too, make a tensor of each operand before they combine them.
    *((keras_numpy, name) for name, f in vars(keras_numpy).items() if _takes_two(f)),
    (keras_numpy, "clip"),
)
_WHERES: tuple[Any, ...] = (jnp, keras_numpy)
WIDE_PLACES = (
    "jax.numpy.ufunc.__call__",
    *(f"{owner.__name__}.{name}" for owner, name in _WITH_NUMBERS),
    *(f"{owner.__name__}.where" for owner in _WHERES),
)


def keep_64_bits() -> None:
    """Let 64-bit types exist where they are asked for, and be exact there; defaults stay 32-bit (design: Dtypes).

    Keras promotes float64 to float32 on JAX, as JAX without 64-bit types does: in a float64 model means (so most losses),
    BatchNormalization and more would round to 32 bits. With a float64 argument the result is float64, as in TF.
    """
    jax.config.update("jax_explicit_x64_dtypes", "allow")
    promotion.BIT64_TO_BIT32_DTYPE["float64"] = "float64"
    _convert_exactly()
    _operate_exactly()
    _combine_exactly()
    _compile_exactly()


def _convert_exactly() -> None:
    """Let a number that is converted to a 64-bit type where that is asked for keep its 64 bits.

    JAX (0.10.2) takes `jnp.asarray(0.1, "float64")` through float32, as its conversion first cuts NumPy's numbers, so every
    Python number in Keras, an optimizer's hyperparameters for example, would be rounded. (A tensor times a NumPy number
    converts implicitly, and JAX still rounds that.)
    """
    convert = jax_lax._convert_element_type

    @functools.wraps(convert)
    def new_convert(operand: Any, new_dtype: Any = None, *args: Any, **kwargs: Any) -> Any:
        if isinstance(operand, np.ndarray | np.generic) and operand.dtype == new_dtype and new_dtype in _WIDE:
            operand = TypedNdArray(np.asarray(operand))
        return convert(operand, new_dtype, *args, **kwargs)

    jax_lax._convert_element_type = new_convert


def _exact_number(value: Any, dtype: Any) -> Any:
    """A NumPy number of this 64-bit type as a tensor; anything else as it is."""
    is_one = isinstance(value, np.ndarray | np.generic) and value.dtype == dtype
    return jnp.asarray(value, dtype=dtype) if is_one else value


def _operate_exactly() -> None:
    """Let operations on 64-bit tensors take NumPy numbers of the same type, as JAX itself does in places.

    It does so in the gradient of a pad, where it draws normal numbers (so in many initializers) and in `argmax`, but cuts the
    numbers to 32 bits, and then refuses the two types. Every operation of `lax` sends its operands through one function, but
    for general reductions, of windows too (as in the gradient of a pooling layer's gradient).
    """
    reshard: Callable[..., Any] = jax_core.auto_insert_reshard

    @functools.wraps(reshard)
    def new_reshard(*operands: Any) -> Any:
        wide = next((v.dtype for v in operands if isinstance(v, jax.Array) and v.dtype in _WIDE), None)
        return reshard(*operands) if wide is None else reshard(*(_exact_number(v, wide) for v in operands))

    jax_core.auto_insert_reshard = new_reshard
    jax_lax.reduce = _with_exact_initial_values(jax_lax.reduce)
    windowed_reductions.reduce_window = _with_exact_initial_values(windowed_reductions.reduce_window)


def _combine_exactly() -> None:
    """Let a 64-bit tensor combined with a number of Python or NumPy be exact, as in TensorFlow: `x * 0.1`, `elu(x, 0.3)`.

    JAX takes the number, an argument of a compiled function, for one of 32 bits.
    """
    ufuncs_class: Any = jnp.ufunc
    call = ufuncs_class.__call__

    @functools.wraps(call)
    def new_call(self: Any, *args: Any, **kwargs: Any) -> Any:
        return call(self, *_exact_arguments(args), **kwargs)

    ufuncs_class.__call__ = new_call
    for owner, name in _WITH_NUMBERS:
        setattr(owner, name, _with_exact_arguments(getattr(owner, name)))
    for owner in _WHERES:  # after the condition
        owner.where = _with_exact_arguments(owner.where, 1)


def _with_exact_arguments(function: Callable[..., Any], first: int = 0) -> Callable[..., Any]:
    @functools.wraps(function)
    def exact(*args: Any, **kwargs: Any) -> Any:
        found = _exact_arguments((*args[first:], *kwargs.values()))
        count = max(len(args) - first, 0)
        return function(*args[:first], *found[:count], **dict(zip(kwargs, found[count:], strict=True)))

    return exact


def _exact_arguments(args: Sequence[Any]) -> Sequence[Any]:
    """Arguments of an operation: with a 64-bit tensor, numbers that JAX would cut are tensors of its type."""
    if _NUMBERS.isdisjoint(map(type, args)):  # the usual case
        return args
    for arg in args:
        if isinstance(arg, jax.Array | KerasVariable) and arg.dtype in _WIDE:
            return [_exact_argument(v, np.dtype(arg.dtype)) for v in args]
    return args


def _exact_argument(value: Any, dtype: np.dtype) -> Any:
    # JAX does better with a small integer itself, as an exponent say.
    if type(value) is int:
        return value if _INT32.min <= value <= _INT32.max else jnp.asarray(value, dtype)
    if (type(value) is float and dtype.kind in "fc") or (type(value) is complex and dtype.kind == "c"):
        return jnp.asarray(value, dtype)
    return _exact_number(value, dtype)


def _with_exact_initial_values(reduce: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(reduce)
    def new_reduce(operands: Any, init_values: Any, *args: Any, **kwargs: Any) -> Any:
        if len(jax.tree.leaves(operands)) > 1:  # sums and the like know their first value by its number
            pairs = functools.partial(jax.tree.map, lambda v, x: _exact_number(v, x.dtype) if x.dtype in _WIDE else v)
            init_values = pairs(init_values, operands)
        return reduce(operands, init_values, *args, **kwargs)

    return new_reduce


def _compile_exactly() -> None:
    """Let functions that JAX writes out only when it compiles them (igamma and betainc, say) have constants of 64 bits there.

    It writes them out without 64-bit types, and then refuses the two types.
    """
    for primitive in (lax.igamma_p, lax.igammac_p, lax.igamma_grad_a_p, lax.regularized_incomplete_beta_p):
        entry = mlir._lowerings[primitive]
        mlir.register_lowering(primitive, _exact_lowering(entry.rule), inline=entry.inline)


def _exact_lowering(rule: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(rule)
    def lowered(context: Any, *args: Any, **params: Any) -> Any:
        with jax.enable_x64(any(aval.dtype in _WIDE for aval in context.avals_in)):
            return rule(context, *args, **params)

    return lowered
