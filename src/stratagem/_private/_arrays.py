"""JAX's tensors: TensorFlow's methods are there, and errors take a text."""

import contextlib
import functools
import math
import operator
from collections.abc import Callable, Hashable, Sequence
from typing import Any

import jax
import keras
import numpy as np
from jax._src import core as jax_core
from jax._src.array import ArrayImpl
from jax._src.config import enable_x64
from jax._src.interpreters.pxla import get_default_device
from jax._src.lax import lax as jax_lax
from jax._src.lib import xla_client  # type: ignore[attr-defined]
from jax.sharding import SingleDeviceSharding

from stratagem._private._variables import KerasVariable

_ALIGNMENT = 64  # of memory that XLA takes without a copy


def allow_messages() -> None:
    """Let JAX's errors about decisions on tensors be made of a text alone.

    Keras, to tell what a layer was called with, makes an error anew from its class and a longer text.
    """

    def allow(cls: Any) -> None:
        init = cls.__init__

        @functools.wraps(init)
        def new_init(self: Any, tracer: Any, *args: Any) -> None:
            Exception.__init__(self, tracer) if isinstance(tracer, str) else init(self, tracer, *args)

        cls.__init__ = new_init

    for cls in (
        jax.errors.ConcretizationTypeError,
        jax.errors.TracerArrayConversionError,
        jax.errors.TracerBoolConversionError,
        jax.errors.TracerIntegerConversionError,
    ):
        allow(cls)


def _numpy_of_tensor(tensor: jax.Array) -> np.ndarray:
    """The tensor's value as a NumPy array (waits for it), as `tf.Tensor.numpy()`."""
    tensor.block_until_ready()  # NumPy would wait in the buffer protocol, where nobody sees it (`_waits`)
    return np.asarray(tensor)


def _numpy_of_tracer(tensor: Any) -> np.ndarray:
    """`.numpy()` inside a trace: the same decision as any other that needs a value."""
    return tensor.__array__()


def _set_shape(tensor: Any, shape: Any) -> None:
    """TF code tells shapes that TF cannot know, behind `py_function`: here they are known, and compared."""
    if not tensor.shape.is_compatible_with(shape):
        raise ValueError(f"Tensor's shape {tensor.shape} is not compatible with supplied shape {shape}.")


def add_tensor_methods(reference: Callable[[Any], Hashable]) -> None:
    """Give JAX's arrays, which are our tensors, variables and symbols the methods that TF code calls. Nothing is replaced.

    reference(tensor) returns what `tensor.ref()` does.
    """
    kinds: tuple[Any, ...] = (ArrayImpl, jax_core.Tracer, KerasVariable, keras.KerasTensor)
    array, tracer, variable, symbol = kinds
    array.numpy, tracer.numpy = _numpy_of_tensor, _numpy_of_tracer
    array.set_shape = tracer.set_shape = _set_shape
    array.get_shape = tracer.get_shape = variable.get_shape = symbol.get_shape = lambda tensor: tensor.shape
    array.ref = tracer.ref = variable.ref = symbol.ref = lambda tensor: reference(tensor)
    # So that NumPy leaves `np.float32(2) * variable` to the variable, as it does to an array.
    variable.__array_priority__ = array.__array_priority__


def _on_bits(function: Callable[..., Any], *, reflected: bool) -> Callable[..., Any]:
    def operate(self: Any, other: Any) -> Any:
        return function(other, self.value) if reflected else function(self.value, other)

    return operate


# By name, `&`, `|` and `^` of an object with a value that is a tensor: those of the value.
BIT_OPERATORS = {
    f"__{'r' if reflected else ''}{name}__": _on_bits(function, reflected=reflected)
    for name, function in (("and", operator.and_), ("or", operator.or_), ("xor", operator.xor))
    for reflected in (False, True)
}


def operate_on_bits() -> None:
    """Let `&`, `|` and `^` of variables be those of tensors, of integers the bits: Keras' tell which numbers are not 0."""
    for name, operate in BIT_OPERATORS.items():
        setattr(KerasVariable, name, operate)


def add_variable_properties(**properties: Callable[[keras.Variable], Any]) -> None:
    """Give variables these properties, each computed by a function of the variable."""
    for name, compute in properties.items():
        setattr(KerasVariable, name, property(compute, doc=compute.__doc__))


def on_device(array: np.ndarray, device: jax.Device, *, committed: bool = False) -> jax.Array:
    """The array on a device, of exactly its dtype, in a fifth of the time that `jnp.asarray(array, dtype)` takes.

    committed: it stays there, as after `jax.device_put`, whatever it is used with. The memory may be the same: nobody is to
    write to the array any more.
    """
    aval = _abstract(array.shape, array.dtype)
    # The transfer cuts 64 bits otherwise. Entering the mode takes as long as a small transfer: other types go without.
    with enable_x64(True) if array.dtype.itemsize >= 8 else contextlib.nullcontext():
        return xla_client.batched_device_put(aval, on_only(device), [array], [device], committed)


@functools.lru_cache(maxsize=1024)
def _abstract(shape: tuple[int, ...], dtype: np.dtype) -> jax_core.ShapedArray:
    return jax_core.ShapedArray(shape, dtype)


def zeros_to_share(shape: Sequence[int], dtype: np.dtype) -> np.ndarray:
    """Zeros in memory that begins at a multiple of 64 bytes: a CPU's JAX array then shares it, and copies any other."""
    size = math.prod(shape) * dtype.itemsize
    memory = np.zeros(size + _ALIGNMENT, np.uint8)
    first = -memory.ctypes.data % _ALIGNMENT
    return memory[first : first + size].view(dtype).reshape(shape)


def on_default_device(array: np.ndarray) -> jax.Array:
    """The same, uncommitted, on the device where JAX makes arrays now, and outside of any trace. Raises TypeError for a dtype
    that JAX lacks.
    """
    _check(array.dtype)
    return on_device(array, get_default_device())


@functools.cache
def _check(dtype: np.dtype) -> None:
    """Raises JAX's TypeError for a dtype that it lacks, as those in the other order of bytes."""
    jax_core.shaped_abstractify(np.empty(0, dtype))


@functools.cache
def on_only(device: jax.Device) -> SingleDeviceSharding:
    """The place of an array that lies on one device: the same object each time."""
    return SingleDeviceSharding(device)


@functools.cache
def _default_device() -> jax.Device:
    return jax.local_devices()[0]


def is_default_device(device: jax.Device) -> bool:
    """True for the device whose arrays JAX moves to where they are used, whether or not somebody chose it (`movable`)."""
    return device == _default_device()


def movable(array: jax.Array) -> jax.Array:
    """The same buffer as an array that JAX moves to where it is used: values of several devices can then be used together.

    JAX refuses that for arrays whose device somebody chose ("committed"), as each replica's was. No copy; 6 µs, which only
    arrays cost that lie elsewhere than on the default device: what others move to may stay as it is.
    """
    if not isinstance(array, ArrayImpl) or not array.committed or array.devices() == {_default_device()}:
        return array
    return ArrayImpl(array.aval, array.sharding, array._arrays, committed=False, _skip_checks=True)


def on_a_mesh(value: Any) -> bool:
    """True for an array whose type names a mesh: JAX keeps that of an operand, also for values that lie on one device."""
    return isinstance(value, ArrayImpl) and not value.aval.sharding.mesh.empty


def local_copy(value: jax.Array) -> jax.Array:
    """The value of an array on a mesh as one that lies on this process' first device of it, and may be moved.

    Raises RuntimeError if other processes have parts of it.
    """
    whole = value.addressable_data(0) if value.is_fully_replicated else np.asarray(value)
    return movable(jax.device_put(whole, SingleDeviceSharding(value.addressable_shards[0].device), may_alias=False))


def weakly(value: jax.Array, dtype: str) -> jax.Array:
    """The value with a type that, as that of a Python number, gives way to those of tensors which it meets."""
    return jax_lax._convert_element_type(value, np.dtype(dtype), weak_type=True)
