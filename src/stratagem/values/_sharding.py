"""Sharding: makes a variable in shards where the strategy says so, and its optimizer slots views like itself."""

import functools
import inspect
import logging
import math
from collections.abc import Callable
from typing import Any, final

import jax
import keras

from stratagem._context import current
from stratagem._private import below_scope, in_stateless_scope, intercept_shards, is_making_own_state, is_view
from stratagem.values._partitioners import rows_of_shards
from stratagem.values._sharded import ShardedVariable
from stratagem.values._variable import dtype_of, initial_array

_log = logging.getLogger(__name__)

_LARGE = 1_000_000_000  # elements, TensorFlow's figure

Shape = tuple[int, ...]
Arguments = inspect.BoundArguments


def shards(variable: Any) -> list[Any]:
    """What keeps a variable's value: its shards, or the variable itself."""
    return list(variable.variables) if is_view(variable) else [variable]


@final
class _Initial:
    """The first value of a variable in shards: made whole, once, and cut, or part by part where `make` knows parts.

    make(**place): the value; place is empty or has TensorFlow's `partition_shape` and `partition_offset`.
    """

    def __init__(self, make: Callable[..., Any], shape: Shape, knows_parts: bool, label: str) -> None:
        self._make, self._shape, self._knows_parts, self._label = make, shape, knows_parts, label
        self._whole: Any = None
        self._taken = 0

    def part(self, offset: int, rows: int) -> Any:
        """These rows."""
        shape = (rows, *self._shape[1:])
        if self._knows_parts:
            made = self._make(partition_shape=shape, partition_offset=(offset, *[0] * len(shape[1:])))
            if tuple(made.shape) == shape:
                return made
        rest = self._value()[offset : offset + rows]
        self._taken = max(self._taken, offset + rows)
        if self._taken == self._shape[0]:
            self._whole = None  # the last shard has its part
        return rest

    def _value(self) -> Any:
        if self._whole is not None:
            return self._whole
        if not self._taken and math.prod(self._shape) > _LARGE:
            _log.warning(
                "Large variable %s is partitioned but its initial value is made whole before it is cut. Give it an "
                "initializer with the arguments partition_shape and partition_offset, which makes one part.",
                self._label,
            )
        value = self._make()
        if tuple(value.shape) != self._shape:
            raise ValueError(f"The initial value of {self._label} has shape {value.shape}, not {self._shape}.")
        if not isinstance(value, jax.core.Tracer):
            self._whole = value
        return value


@functools.cache
def _signature(cls: type) -> inspect.Signature:
    return inspect.signature(cls.__init__)  # type: ignore[misc]


def _knows_parts(make: Any, any_names: bool) -> bool:
    """True for what takes a part's place. any_names: also where it takes whatever names it is given."""
    parameters = inspect.signature(make).parameters.values()
    named = {"partition_shape", "partition_offset"} <= {p.name for p in parameters}
    return named or (any_names and any(p.kind is p.VAR_KEYWORD for p in parameters))


def _create(cls: type, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What takes the place of a variable that is being made: one in shards, one that it is known not to be, or None."""
    if current().strategy is None or is_making_own_state():
        return None
    try:
        given = _signature(cls).bind(None, *args, **kwargs)
    except TypeError:
        return None  # the constructor itself says it best
    if "initializer" in given.arguments:
        return _of_keras(cls, given)
    return _of_tensorflow(cls, given) if given.arguments.get("initial_value") is not None else None


def _shards(shape: Shape, dtype: Any) -> list[int]:
    """Rows of every shard; one number, or none, for a variable that is not cut."""
    asked = current().strategy.shards_of(shape, str(dtype)) if shape else 1
    return rows_of_shards(shape[0], max(1, min(asked, shape[0]))) if asked > 1 else []


def _of_keras(cls: type, given: Arguments) -> ShardedVariable | None:
    """`keras.Variable(initializer, shape, dtype, ...)`, by which layers and metrics make theirs."""
    initializer, shape, dtype = (given.arguments.get(name) for name in ("initializer", "shape", "dtype"))
    if isinstance(initializer, str):
        initializer = keras.initializers.get(initializer)
    if not callable(initializer):
        if in_stateless_scope():
            return None  # where only an initializer can make a variable
        array = keras.ops.convert_to_tensor(initializer, dtype=dtype)
        shape, dtype = array.shape, dtype or array.dtype
        initializer = lambda shape, dtype: array  # noqa: E731
    if not isinstance(shape, list | tuple) or not all(isinstance(d, int) for d in shape):
        return None
    dtype = keras.backend.standardize_dtype(dtype)
    sizes = _shards(tuple(shape), dtype)
    if len(sizes) < 2:
        return None
    name = given.arguments.get("name") or cls.__name__.lower()
    # A function that passes any name on, as the LSTM's does, has asked for none of these; a class has.
    knows = _knows_parts(initializer, isinstance(initializer, keras.initializers.Initializer))
    initial = _Initial(functools.partial(initializer, tuple(shape), dtype=dtype), tuple(shape), knows, name)
    made, offset = [], 0
    with below_scope(name):
        for i, rows in enumerate(sizes):

            def part(shape: Any, dtype: Any = None, offset: int = offset, rows: int = rows) -> Any:
                return initial.part(offset, rows)

            own = {"initializer": part, "shape": (rows, *shape[1:]), "dtype": dtype, "name": f"part_{i}"}
            made.append(_made(cls, given, own))
            offset += rows
    return ShardedVariable(made, name, path=made[0].path.removesuffix("/part_0"))


def _of_tensorflow(cls: type, given: Arguments) -> Any:
    """`tf.Variable(initial_value, ...)`."""
    source, shape, dtype = (given.arguments.get(name) for name in ("initial_value", "shape", "dtype"))
    label, constraint = given.arguments.get("name") or "Variable", given.arguments.get("constraint")
    if callable(source) and shape is not None and dtype is not None and None not in tuple(shape):
        make, knows = source, _knows_parts(source, any_names=True)
        shape, dtype = tuple(shape), dtype_of(dtype)
    else:
        value = source() if callable(source) else source
        array = initial_array(value, dtype_of(dtype))
        if len(_shards(array.shape, array.dtype)) < 2 or (shape is not None and tuple(shape) != array.shape):
            if not callable(source):
                return None
            whole: Any = object.__new__(cls)
            whole._initial_value = value
            return whole
        make, knows = (lambda: array), False
        shape, dtype = array.shape, array.dtype
    sizes = _shards(shape, dtype)
    if len(sizes) < 2:
        return None
    initial = _Initial(lambda **place: initial_array(make(**place), dtype), shape, knows, label)
    made, offset = [], 0
    for i, rows in enumerate(sizes):
        own = {"initial_value": initial.part(offset, rows), "shape": (rows, *shape[1:]), "dtype": dtype}
        made.append(_made(cls, given, own | {"name": f"{label}/part_{i}", "constraint": None}))
        offset += rows
    whole = ShardedVariable(made, label)
    whole.constraint = constraint
    return whole


def _made(cls: type, given: Arguments, own: dict[str, Any]) -> Any:
    """A variable of this class made with the arguments given but for its own."""
    given.arguments.update(own)
    shard: Any = object.__new__(cls)
    cls.__init__(shard, *given.args[1:], **given.kwargs)  # type: ignore[misc]
    return shard


def _slot(optimizer: Any, shard: Any, name: str, variable: Any) -> None:
    """An optimizer keeps `variable` for a shard: with those for the other shards it is a view, too."""
    whole = shard._of
    key = (id(optimizer), name)
    position = next(i for i, other in enumerate(whole.variables) if other is shard)
    found = whole._forming.setdefault(key, {})
    found[position] = variable
    if len(found) == len(whole.variables):
        del whole._forming[key]
        slots = [found[i] for i in range(len(found))]
        ShardedVariable(slots, slots[0].name, path=slots[0].path.replace("_part_0_", "_"))


intercept_shards(create=_create, slot=_slot)
