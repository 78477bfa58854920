"""`variable.values`: the components of a variable of a strategy, one for each replica."""

from collections.abc import Callable
from typing import Any, NoReturn, final

import jax
import keras
import numpy as np

from stratagem._base.errors import ContextError
from stratagem._base.types import DTypeLike
from stratagem._core.values._formatting import described
from stratagem._core.values._on_read import on_read
from stratagem._core.values._placement import placement_of, storage
from stratagem._core.values._sharded_placement import shard_layout
from stratagem._core.values._tensor_shape import TensorShape
from stratagem._private import add_variable_properties, initialized, movable, stored


@final
class VariableComponent:
    """The part of a variable that one replica has: a copy, or, of a sync-on-read variable, its own value. It can be read.

    name: as in TF, that of the variable, but for the first replica with the replica's number. device: TF's name.
    """

    def __init__(self, variable: keras.Variable, position: int, device: jax.Device) -> None:
        self._variable = variable
        self._position = position
        base = variable.name.removesuffix(":0")
        self.name = f"{base}:0" if position == 0 else f"{base}/replica_{position}:0"
        self.device = str(device)

    @property
    def variable(self) -> keras.Variable:
        """The variable of which this is a part."""
        return self._variable

    @property
    def shape(self) -> TensorShape:
        """The shape of the variable."""
        return TensorShape(self._variable.shape)

    @property
    def dtype(self) -> Any:
        """The dtype of the variable."""
        return self._variable.dtype

    @property
    def trainable(self) -> bool:
        """True if training changes the variable."""
        return bool(self._variable.trainable)

    def value(self) -> jax.Array:
        """Returns what the replica has now, on its device."""
        placement: Any = placement_of(self._variable)
        with storage:
            array = stored(self._variable)
            if on_read(self._variable):
                return placement.mesh.unstack(array)[self._position]
            device = placement.mesh.local_devices[self._position]
            if (
                shard_layout(self._variable, placement.mesh) is not None
            ):  # what the replica reads, not the shard it stores
                return movable(jax.device_put(placement.read(self._variable), device))
            return movable(jax.numpy.copy(next(s.data for s in array.addressable_shards if s.device == device)))

    read_value = value

    def numpy(self) -> np.ndarray:
        """Returns what the replica has now as a NumPy array."""
        return np.asarray(self.value())

    def assign(self, value: Any, use_locking: object = None, name: object = None) -> NoReturn:
        """Raises ContextError: a replica's part cannot be assigned by itself."""
        raise ContextError(
            f"{self.name} is one replica's part of a variable, whose copies are kept equal: assign to the variable, or, where "
            "replicas are to have values of their own, create it with synchronization=ON_READ and assign in strategy.run."
        )

    assign_add = assign_sub = assign

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> np.ndarray:
        return np.asarray(self.value(), dtype)

    def __jax_array__(self) -> jax.Array:
        return self.value()

    def __repr__(self) -> str:
        return described(self, self.numpy())


def _on_value(name: str) -> Callable[..., Any]:
    """Returns the method of this name, called on what the replica has now."""

    def method(self: VariableComponent, *args: Any) -> Any:
        return getattr(self.value(), name)(*args)

    return method


_BINARY = "add sub mul truediv floordiv mod pow matmul and or xor"
_OTHERS = "neg pos abs invert eq ne lt le gt ge getitem len iter bool float int index complex"
_METHODS = [*_OTHERS.split(), *_BINARY.split(), *(f"r{name}" for name in _BINARY.split())]
for _method in _METHODS:
    setattr(VariableComponent, f"__{_method}__", _on_value(f"__{_method}__"))
VariableComponent.__hash__ = None  # type: ignore[assignment]  # compared by its values, as a tensor


def _values(variable: Any) -> tuple[VariableComponent, ...]:
    """Each local replica's part of this variable of a strategy; other variables have no such attribute."""
    placement = placement_of(variable)
    if placement is None or placement.strategy is None or placement.remote or not initialized(variable):
        raise AttributeError(
            f"{variable.name} has no attribute 'values': it has one value, and not one for each replica of a strategy."
        )
    return tuple(VariableComponent(variable, i, device) for i, device in enumerate(placement.mesh.local_devices))


def _device(variable: Any) -> str:
    """TF's name of the device that has the value; of several copies, the first in this process."""
    placement = placement_of(variable)
    if placement is not None:
        return str(placement.mesh.local_devices[0])
    array = stored(variable) if initialized(variable) else None
    return str(next(iter(array.devices())) if isinstance(array, jax.Array) else jax.local_devices()[0])


def attach_components() -> None:
    """Let variables have TF's attributes `device` and, of a strategy, `values`."""
    add_variable_properties(values=_values, device=_device)
