"""Tensors from and to other libraries without a copy: `tf.experimental.dlpack`."""

import ctypes
from typing import Any, final

import jax

from stratagem._base.exports import exported
from stratagem._ops._convert import Tensor, tensor

# A capsule's DLManagedTensor begins with the address of the data, then the kind and number of the device (dlpack.h).
_DEVICE_OFFSET = ctypes.sizeof(ctypes.c_void_p)


@exported("experimental.dlpack.to_dlpack")
def to_dlpack(tf_tensor: Any) -> Any:
    """Returns a DLPack capsule of a tensor's memory, which the library that takes it then shares. It must not be changed."""
    return tensor(tf_tensor).__dlpack__()


@exported("experimental.dlpack.from_dlpack")
def from_dlpack(dlcapsule: Any) -> Tensor:
    """Returns a tensor of a DLPack capsule's memory, or of an array that makes one (`__dlpack__`).

    Raises TypeError for anything else.
    """
    if hasattr(dlcapsule, "__dlpack__"):
        return jax.dlpack.from_dlpack(dlcapsule)
    if type(dlcapsule).__name__ != "PyCapsule":
        raise TypeError(f"from_dlpack takes a DLPack capsule or an array with __dlpack__, got {dlcapsule!r}.")
    return jax.dlpack.from_dlpack(_CapsuleOwner(dlcapsule))


@final
class _CapsuleOwner:
    """A capsule in the form that JAX takes: an object that makes it and names its device."""

    def __init__(self, capsule: Any) -> None:
        self._capsule = capsule

    def __dlpack__(self, **options: object) -> Any:
        return self._capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
        pointer_of.restype, pointer_of.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
        address = pointer_of(self._capsule, b"dltensor")
        kind, number = (ctypes.c_int32 * 2).from_address(address + _DEVICE_OFFSET)
        return kind, number
