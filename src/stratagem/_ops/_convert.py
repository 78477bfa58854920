"""Converts anything that TensorFlow accepts as a tensor to a `jax.Array`, with TensorFlow's dtypes."""

import contextlib
import functools
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, NoReturn, ParamSpec, TypeVar, cast, final

import jax
import jax.numpy as jnp
import numpy as np

from stratagem._base.errors import InvalidArgumentError, TracedDecisionError
from stratagem._base.types import DTypeLike
from stratagem._core.context import current
from stratagem._core.numbers import is_stand_in, plain
from stratagem._core.step import TracedStrings, is_symbolic, of_asked_size, sizes_are_asked, user_line
from stratagem._core.values import Reference, TensorShape, has_conversion, registered_conversion
from stratagem._core.values import Tensor as Tensor
from stratagem._ops._dtypes import DType, as_dtype
from stratagem._ops._python_values import PYTHON_TYPES, is_of_python
from stratagem._private import OutsideOfTraces, current_recording, is_default_device, on_default_device, runs_at_once

P = ParamSpec("P")
_INT32 = np.iinfo(np.int32)
_FEW = 16  # tensors, of which programs are compiled for each number
_BYTES, _TEXT, _TEXTS = frozenset({bytes}), frozenset({str}), frozenset({bytes, str})
T = TypeVar("T")


_ADVICE: Final = (
    "Make it a Python number or take it from a static shape. A decision is tf.cond or tf.where, a loop tf.while_loop."
)


def need_value(what: str, advice: str = _ADVICE) -> NoReturn:
    """Leaves the trace because Python needs a tensor's value; if that is impossible, raises an error with advice.

    `what` completes "..., but its value is not known while the step is traced".
    """
    context = current()
    if context.recorder is not None and context.replica is None:
        context.recorder.need_host(what)
    raise TracedDecisionError(
        f"{user_line()}: Python needs a tensor's value here ({what}), but it is not known while the program is traced. {advice}"
    )


def is_traced(value: Any) -> bool:
    """Returns whether the value of `value` is not known yet."""
    if isinstance(value, list | tuple):
        return not is_of_python(value) and any(is_traced(v) for v in value)
    return isinstance(value, jax.core.Tracer)


@final
class StringTensor(np.ndarray):
    """A tensor of strings: bytes objects in a NumPy array, because JAX has no strings."""

    def numpy(self) -> Any:
        """The bytes object of a scalar, else an array of them, like `tf.Tensor.numpy()`."""
        return np.asarray(self)[()]

    @property  # type: ignore[misc]
    def shape(self) -> TensorShape:  # type: ignore[override]
        """The sizes, of TensorFlow's class as those of other tensors."""
        return TensorShape(super().shape)

    def get_shape(self) -> TensorShape:
        """Returns the shape."""
        return self.shape

    def ref(self) -> Reference:
        """Returns a hashable reference to this tensor."""
        return Reference(self)

    def __getitem__(self, key: Any) -> "StringTensor":
        """Returns a part; also of one string it is a tensor, where NumPy returns the bytes object."""
        found = np.asarray(self)[key]
        return (found if isinstance(found, np.ndarray) else _strings(np.array(found, object), None)).view(StringTensor)

    def __iter__(self) -> Iterator["StringTensor"]:
        """Yields the parts of the first dimension, which are tensors."""
        return map(self.__getitem__, range(len(self)))

    def __eq__(self, other: Any) -> Any:
        """Returns where the strings are equal, bool; False for None and for shapes that do not broadcast, as in TensorFlow."""
        return self._compared(np.equal, other, False)

    def __ne__(self, other: Any) -> Any:
        """Returns where the strings differ, bool; True for None and for shapes that do not broadcast, as in TensorFlow."""
        return self._compared(np.not_equal, other, True)

    def __add__(self, other: Any) -> Any:
        """Returns each string with the other's after it."""
        return NotImplemented if isinstance(other, TracedStrings) else _added(self, other)

    def __radd__(self, other: Any) -> Any:
        """Returns each string with the other's before it."""
        return NotImplemented if isinstance(other, TracedStrings) else _added(other, self)

    __hash__ = None  # as that of other tensors: `ref` is for dictionaries

    def __str__(self) -> str:
        return str(np.asarray(self))

    def __repr__(self) -> str:
        return (
            f"StringTensor({np.array2string(np.asarray(self), separator=', ', prefix='StringTensor(')}, dtype=object)"
        )

    def _compared(self, compare: Callable[..., Any], other: Any, otherwise: bool) -> Any:
        if other is None:
            return otherwise
        if is_traced(other) or np.asarray(other).dtype.kind not in "OSU":
            raise TypeError(f"A tensor of strings is compared with {other!r:.100}, which has none.")
        try:
            return on_device(np.asarray(compare(np.asarray(self), on_host(other, "string")), bool))
        except ValueError:  # the shapes do not broadcast
            return otherwise


def _added(first: Any, second: Any) -> Tensor:
    """Returns strings one after the other; text of Python's is a tensor, too."""
    found = np.add(*(np.asarray(on_host(each, "string")) for each in (first, second)))
    return on_device(np.asarray(found, object))


def tensor(value: Any, dtype: DTypeLike | None = None) -> Tensor:
    """Converts `value` to a tensor; a tensor is returned without copying.

    Python numbers get TF's 32-bit types, NumPy values keep their type; `dtype` converts both, but never a tensor.
    Strings become NumPy arrays of bytes objects: JAX has no strings.

    Raises: ValueError for a tensor of another dtype, for None and for ragged lists; TypeError for 1.5 as an integer;
    InvalidArgumentError for an integer that does not fit.
    """
    if is_stand_in(value):
        return _input(value, dtype)
    if isinstance(value, TracedStrings):
        if dtype is not None and as_dtype(dtype).name != "string":
            raise ValueError(
                f"{dtype!r} was asked for, but the tensor has strings. `tf.strings.to_number` makes numbers."
            )
        return cast(Tensor, value)
    if isinstance(value, jax.Array) or (hasattr(value, "__jax_array__") and not isinstance(value, np.ndarray)):
        array: jax.Array = value if isinstance(value, jax.Array) else value.__jax_array__()
        if dtype is not None and array.dtype != as_dtype(dtype):
            raise ValueError(f"{dtype!r} was asked for, but the tensor is {array.dtype}. Use tf.cast. Tensor: {array}")
        return array
    if has_conversion(value) and (found := _converted(value, dtype)) is not None:
        return found
    if (
        isinstance(value, list | tuple)
        and not is_of_python(value)
        and (_first_tensor(value) is not None or _plain(value) is not value)
    ):
        return _stacked(value, dtype)
    return on_device(on_host(value, dtype))


def _converted(value: Any, dtype: Any) -> Tensor | None:
    """Converts an object of a class with a registered conversion; None if its functions do not."""
    found = registered_conversion(value, None if dtype is None else as_dtype(dtype))
    return None if found is None else tensor(found)


def _input(number: Any, dtype: Any) -> Tensor:
    """Converts a stand-in for a Python number to a tensor: an input of the program, if its type and dtype allow it."""
    requested = on_host(number.value).dtype if dtype is None else as_dtype(dtype).dtype
    wider = requested in (np.int32, np.int64) if type(number.value) is int else False
    if not wider and not jnp.issubdtype(requested, np.inexact):
        return on_device(on_host(number.known(), dtype))
    return number.tensor(requested)


def _plain(value: Any) -> Any:
    """Replaces the stand-ins for numbers in a list by the numbers; returns the same object if there are none."""
    if not isinstance(value, list | tuple):
        return plain(value)
    items = [_plain(v) for v in value]
    return value if all(a is b for a, b in zip(items, value, strict=True)) else items


def on_device(array: np.ndarray) -> Tensor:
    """Converts a NumPy array to a concrete tensor of exactly its dtype, even inside a trace."""
    if array.dtype == object:
        return cast(Tensor, array.view(StringTensor))
    return on_default_device(array)


def sized_by_contents(result: Tensor, *axes: int) -> Tensor:
    """Returns a result whose sizes along some axes only contents tell: as it is, unless `asking_sizes` wants another size."""
    asked = sizes_are_asked() and not is_traced(result)
    return on_device(of_asked_size(np.asarray(result), axes)) if asked else result


def on_host(value: Any, dtype: Any = None) -> np.ndarray:
    """Converts Python numbers, strings, nested lists and NumPy values to a NumPy array of TF's dtype."""
    if value is None:
        raise ValueError("None cannot be converted to a tensor.")
    requested = None if dtype is None else as_dtype(dtype)
    if isinstance(value, np.ndarray | np.generic):
        array = np.asarray(value)
        if array.dtype.kind in "SUO":
            return _strings(array, requested)
        _check_strings(value, array, requested)
        return array if requested is None else array.astype(requested.dtype)
    array = _from_python(value)
    if array.dtype.kind in "SUO":
        # NumPy's own strings lose zeros at their ends, and tensors of one string remain objects of arrays.
        return _strings(np.asarray(_listed_strings(value), dtype=object), requested)
    if requested is None:
        return array.astype(_default_type(value, array))
    _check_strings(value, array, requested)
    if _rank(array.dtype) > _rank(requested.dtype) and array.size:
        raise TypeError(f"Cannot convert {value!r} to {requested!r} without loss. Use tf.cast.")
    try:
        return np.asarray(value, dtype=requested.dtype)
    except OverflowError as error:
        raise InvalidArgumentError(f"{value!r} does not fit into {requested!r}.") from error


def _listed_strings(value: Any) -> Any:
    """Replaces arrays of strings in a list by what they hold; returns the same object if there are none."""
    if isinstance(value, np.ndarray) and value.dtype.kind in "SUO":
        return value.tolist()
    if not isinstance(value, list | tuple) or is_of_python(value):
        return value
    items = [_listed_strings(v) for v in value]
    return value if all(a is b for a, b in zip(items, value, strict=True)) else items


def _from_python(value: Any) -> np.ndarray:
    if isinstance(value, list | tuple) and value and type(value[0]) in _TEXTS and _TEXTS.issuperset(map(type, value)):
        return np.asarray(value, dtype=object)  # NumPy's own strings take five times as long
    try:
        return np.asarray(value)
    except UnicodeDecodeError:  # NumPy reads bytes beside text as ASCII
        return np.asarray(value, dtype=object)
    except ValueError as error:
        raise ValueError(f"A list of lists of different lengths is no tensor: {value!r}") from error


def _check_strings(value: Any, array: np.ndarray, requested: DType | None) -> None:
    """Raises TypeError for Python numbers where strings are requested, ValueError for those of NumPy."""
    if requested is not None and requested.name == "string" and array.size:
        error = ValueError if isinstance(value, np.ndarray | np.generic) else TypeError
        raise error(
            f"Cannot convert {value!r:.100} to a tensor of strings. tf.strings.as_string makes text of numbers."
        )


def _strings(array: np.ndarray, requested: DType | None) -> np.ndarray:
    flat = array.ravel().tolist()
    whole = requested is None or requested.name == "string"
    kinds = {*map(type, flat)}
    if array.dtype == object and whole and kinds <= _BYTES:
        return array.copy()  # nearly all arrays of strings: no call for each of them
    flat = list(map(str.encode, flat)) if kinds <= _TEXT else [s.encode() if isinstance(s, str) else s for s in flat]
    if not whole or not (kinds <= _TEXT or all(isinstance(s, bytes) for s in flat)):
        raise ValueError(f"Cannot convert {array!r} to a tensor of {requested or 'any type'}.")
    result = np.empty(len(flat), dtype=object)
    result[:] = flat
    return result.reshape(array.shape)


def _default_type(value: Any, array: np.ndarray) -> np.dtype:
    """32 bits for Python numbers (integers that do not fit keep 64); in a list, the type of the first NumPy scalar."""
    while isinstance(value, list | tuple) and value:
        value = value[0]
    if isinstance(value, np.ndarray | np.generic):
        return value.dtype if _rank(array.dtype) == _rank(value.dtype) else array.dtype
    if array.dtype == np.float64:
        return np.dtype(np.float32)
    if array.dtype == np.int64 and (not array.size or _INT32.min <= array.min() <= array.max() <= _INT32.max):
        return np.dtype(np.int32)
    return array.dtype


def _rank(dtype: np.dtype) -> int:
    """Ranks dtypes: bool < integers < floating point < complex."""
    kinds = (np.bool_, np.integer, np.floating, np.complexfloating)
    return next((i for i, kind in enumerate(kinds) if jnp.issubdtype(dtype, kind)), len(kinds))


def _first_tensor(values: Sequence[Any]) -> Tensor | None:
    for value in values:
        found = value
        if isinstance(value, list | tuple):
            found = _first_tensor(value)
        elif is_tensor(value):
            found = tensor(value)
        if isinstance(found, jax.Array):
            return found
    return None


def _stacked(values: Any, dtype: Any) -> Tensor:
    """Converts a list that holds tensors: its rows are converted to one dtype and stacked."""
    first = _first_tensor(values)
    if dtype is None:
        dtype = on_host(_plain(values)).dtype if first is None else first.dtype
    return stacked([tensor(v, dtype) for v in values])


def stacked(tensors: Sequence[Tensor], axis: int = 0) -> Tensor:
    """Returns tensors along a new dimension.

    Many that are in the memory of the host are copied there: for each number of them a program would be compiled.
    """
    if len(tensors) > _FEW and current_recording() is None and runs_at_once() and all(map(_is_in_memory, tensors)):
        kinds = {each.dtype for each in tensors}
        if len(kinds) == 1 and len({each.shape for each in tensors}) == 1:
            return on_device(np.stack(list(map(np.asarray, tensors)), axis))
    return jnp.stack(tensors, axis)


def _is_in_memory(value: Any) -> bool:
    """Returns whether a tensor is known and in the memory of the host, where new tensors are."""
    known = isinstance(value, jax.Array) and not isinstance(value, jax.core.Tracer) and not _is_weak(value)
    return known and all(device.platform == "cpu" and is_default_device(device) for device in value.devices())


# --- Operands and constants -------------------------------------------------------------------------------------------


def is_tensor(x: Any) -> bool:
    """Returns whether `x` is a tensor or variable; NumPy arrays and Python numbers are not."""
    if type(x) in PYTHON_TYPES:
        return False
    # Variables have the method, and PerReplica, which refuses the conversion.
    return (
        (isinstance(x, jax.Array) or hasattr(x, "__jax_array__"))
        and not isinstance(x, np.ndarray | np.generic)
        and not is_stand_in(x)
    )


def operands(name: str, *values: Any) -> tuple[Tensor, ...]:
    """Converts the operands of `tf.<name>`: those that are not tensors get the dtype of the first tensor.

    Raises InvalidArgumentError for tensors of different dtypes, and for a float such as 1.5 with an integer tensor.
    """
    first = next((v for v in values if is_tensor(v)), values[0])
    lead = tensor(first)
    others = [lead if v is first else _like_first(v, lead, name) for v in values]
    types = {o.dtype for o in others}
    if len(types) > 1 and not any(_is_weak(o) for o in others):
        raise InvalidArgumentError(
            f"tf.{name} takes tensors of one dtype, got {' and '.join(str(o.dtype) for o in others)}. Use tf.cast."
        )
    return tuple(others)


def _like_first(value: Any, lead: Tensor, name: str) -> Tensor:
    if is_tensor(value) or lead.dtype == object:
        return tensor(value)
    if has_conversion(value):
        return tensor(value, lead.dtype)
    try:
        if _rank(on_host(plain(value)).dtype) > _rank(lead.dtype):
            raise TypeError("a fraction would be cut")  # TF truncates it when it comes from NumPy
        return tensor(value, lead.dtype)
    except (TypeError, ValueError) as error:
        raise InvalidArgumentError(f"tf.{name}: {value!r} does not fit beside a tensor of {lead.dtype}.") from error


def _is_weak(array: Tensor) -> bool:
    """Returns whether a tensor is one of JAX's weakly typed scalars (a Python number passed to a traced function)."""
    return bool(getattr(array, "weak_type", False))


def folds_constants(function: Callable[P, T]) -> Callable[P, T]:
    """Makes a function compute at once, even inside a trace, if all its arguments are integer constants.

    So `tf.reduce_prod(tf.shape(x)[1:])` stays a number that can be part of a shape. Floating-point constants are left
    to the trace: a gradient may be asked with respect to them.
    """

    @functools.wraps(function)
    def folded(*args: P.args, **kwargs: P.kwargs) -> T:
        if all(map(_is_integer_constant, args)) and all(map(_is_integer_constant, kwargs.values())):
            with OutsideOfTraces():
                return function(*args, **kwargs)
        return function(*args, **kwargs)

    return folded


def _is_integer_constant(value: Any) -> bool:
    if is_stand_in(value):
        return False
    if value is None or isinstance(value, int | str | DType | type | np.dtype):
        return True
    if isinstance(value, list | tuple):
        return all(map(_is_integer_constant, value))
    if isinstance(value, np.ndarray | np.generic):
        return not jnp.issubdtype(value.dtype, np.inexact)
    return isinstance(value, jax.Array) and not is_traced(value) and not jnp.issubdtype(value.dtype, np.inexact)


def allow_x64(dtype: DTypeLike) -> contextlib.AbstractContextManager[None]:
    """Allows 64-bit types around JAX functions that mix in 32-bit constants and would refuse 64-bit tensors."""
    return jax.enable_x64(True) if np.dtype(dtype).itemsize >= 8 else contextlib.nullcontext()


def numpy_type(dtype: Any, default: Any) -> np.dtype:
    """The NumPy dtype for an optional TF dtype argument."""
    return as_dtype(default if dtype is None else dtype).dtype


# --- Numbers that shapes are made of ----------------------------------------------------------------------------------


def static_int(value: Any, what: str) -> int:
    """Converts an integer that must be known now. `what` names it in the error for a traced tensor.

    The unknown size of a function that is exported stays what it is: a symbol, with which JAX computes as with an integer.
    """
    if is_symbolic(value):
        return value
    array = value if isinstance(value, int | np.ndarray | np.generic) else tensor(value)
    return as_size(need_value(what) if (found := known_sizes(array)) is None else found)


def as_size(size: Any) -> int:
    """Returns a size that is known as an integer; a symbol stays what it is."""
    found: Any = size[()] if isinstance(size, np.ndarray) else size
    return found if is_symbolic(found) else int(found)


def known_sizes(sizes: Any) -> np.ndarray | None:
    """Returns an array of sizes that are known now, as those that the host computes before a step; None for others.

    In a graph, those that the host computes are symbols, with which JAX computes as with integers.
    """
    if not is_traced(sizes):
        return np.asarray(sizes)
    recorder = current().recorder
    found: np.ndarray | None = None if recorder is None else recorder.prefix.size(sizes)
    return found


def static_shape(shape: Any) -> tuple[int, ...]:
    """Converts a shape, given as a number, a list, a 1-D tensor or a TensorShape, to Python integers."""
    what = "a tensor is part of a shape"
    if isinstance(shape, int | np.integer):
        return (int(shape),)
    if isinstance(shape, np.ndarray | jax.Array):
        sizes = known_sizes(shape)
        return tuple(map(as_size, np.atleast_1d(need_value(what) if sizes is None else sizes)))
    return tuple(static_int(d, what) for d in shape)


def static_axes(axis: Any) -> int | tuple[int, ...] | None:
    """Converts the `axis` of a reduction: None, one number or several."""
    if axis is None or isinstance(axis, int):
        return axis
    if isinstance(axis, list | tuple):
        return tuple(static_int(a, "a tensor is an axis") for a in axis)
    if np.ndim(axis):
        return static_shape(axis)
    return static_int(axis, "a tensor is an axis")


def inferred_shape(old: tuple[int, ...], new: Any) -> tuple[int, ...]:
    """Fills in the -1 of `new`. Zero-sized dimensions cancel, as in TF: (0, 4, 3) as (0, -1) is (0, 12)."""
    requested = static_shape(new)
    if any(map(is_symbolic, (*old, *requested))):
        return requested  # JAX fills in
    if requested.count(-1) > 1:
        raise InvalidArgumentError(f"Only one dimension of a shape can be -1, got {list(requested)}.")
    if -1 not in requested:
        return requested
    known = [d for d in requested if d != -1]
    sizes = [d for d in old if d] if 0 in known else old
    missing = math.prod(sizes) // max(math.prod(d for d in known if d), 1)
    return tuple(missing if d == -1 else d for d in requested)
