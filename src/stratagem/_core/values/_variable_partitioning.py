"""Makes variables in shards if the strategy says so, and views of their optimizer slots."""

import functools
import inspect
from typing import Any

import keras

from stratagem._core.context import current, entered
from stratagem._core.values._initial_value import InitialValue, RowsInitializer, accepts_position, as_tensor
from stratagem._core.values._initializer_program import InitializerProgram
from stratagem._core.values._partitioners import rows_of_shards
from stratagem._core.values._sharded import ShardedVariable
from stratagem._core.values._variable import dtype_of, initial_array
from stratagem._private import below_scope, in_stateless_scope, intercept_shards, is_making_own_state, is_view

Shape = tuple[int, ...]
Arguments = inspect.BoundArguments


def shards(variable: keras.Variable) -> list[keras.Variable]:
    """Returns the variables that hold a variable's value: its shards, or the variable itself."""
    return list(variable.variables) if is_view(variable) else [variable]


@functools.cache
def _signature(cls: type) -> inspect.Signature:
    return inspect.signature(cls.__init__)  # type: ignore[misc]


def _create(cls: type, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Returns what replaces a variable that is being created: one in shards, one that is known to be in one piece, or None."""
    if current().strategy is None or is_making_own_state():
        return None
    try:
        bound = _signature(cls).bind(None, *args, **kwargs)
    except TypeError:
        return None  # the constructor itself raises a better error
    if "initializer" in bound.arguments:
        return _of_keras(cls, bound)
    return _of_tensorflow(cls, bound) if bound.arguments.get("initial_value") is not None else None


def _shards(shape: Shape, dtype: Any) -> list[int]:
    """Returns the number of rows of every shard; one number, or none, for a variable that is not cut."""
    strategy = current().strategy
    count = strategy.shards_of(shape, str(dtype)) if strategy is not None and shape else 1
    return rows_of_shards(shape[0], max(1, min(count, shape[0]))) if count > 1 else []


def _of_keras(cls: type, bound: Arguments) -> ShardedVariable | None:
    """Makes a `keras.Variable(initializer, shape, dtype, ...)`, as layers and metrics do, in shards."""
    initializer, shape, dtype = (bound.arguments.get(name) for name in ("initializer", "shape", "dtype"))
    if isinstance(initializer, str):
        initializer = keras.initializers.get(initializer)
    if not callable(initializer):
        if in_stateless_scope():
            return None  # in a stateless scope only an initializer can make a variable
        array = keras.ops.convert_to_tensor(initializer, dtype=dtype)
        shape, dtype = array.shape, dtype or array.dtype
        initializer = lambda shape, dtype: array  # noqa: E731
    if not isinstance(shape, list | tuple) or not all(isinstance(d, int) for d in shape):
        return None
    dtype = keras.backend.standardize_dtype(dtype)
    sizes = _shards(tuple(shape), dtype)
    if len(sizes) < 2:
        return None
    name = bound.arguments.get("name") or cls.__name__.lower()
    # Keyword arguments of any name count for a class; a function with them, such as the LSTM's, only passes them on.
    makes_parts = accepts_position(initializer, isinstance(initializer, keras.initializers.Initializer))
    make = functools.partial(initializer, tuple(shape), dtype=dtype)
    initial = InitialValue(make, tuple(shape), dtype, name, makes_parts=makes_parts)
    made, offset = [], 0
    with below_scope(name):
        for i, rows in enumerate(sizes):
            own = {"initializer": RowsInitializer(initial, offset, rows), "shape": (rows, *shape[1:]), "dtype": dtype}
            made.append(_made(cls, bound, own | {"name": f"part_{i}"}))
            offset += rows
    return ShardedVariable(made, name, path=made[0].path.removesuffix("/part_0"))


def _of_tensorflow(cls: type, bound: Arguments) -> Any:
    """Makes a `tf.Variable(initial_value, ...)` in shards, or in one piece if its value was made to find its shape."""
    source, shape, dtype = (bound.arguments.get(name) for name in ("initial_value", "shape", "dtype"))
    label, constraint = bound.arguments.get("name") or "Variable", bound.arguments.get("constraint")
    known = callable(source) and None not in (shape, dtype) and None not in tuple(shape or ())
    if known:
        shape, dtype = tuple(shape or ()), dtype_of(dtype)
        sizes, makes_parts = _shards(shape, dtype), accepts_position(source, any_names=True)
        make = functools.partial(_array, source, dtype)
        initial = InitialValue(make, shape, dtype, label, makes_parts=makes_parts and len(sizes) > 1)
    else:
        initial = _of_unknown_shape(source, dtype_of(dtype), label)
        sizes = _shards(initial.shape, initial.dtype) if shape is None or tuple(shape) == initial.shape else []
    if len(sizes) < 2:
        return _in_one_piece(cls, initial, known) if callable(source) else None
    made, offset = [], 0
    for i, rows in enumerate(sizes):
        value = RowsInitializer(initial, offset, rows) if _may_be_remote() else initial.part(offset, rows)
        own = {"initial_value": value, "shape": (rows, *initial.shape[1:]), "dtype": initial.dtype}
        made.append(_made(cls, bound, own | {"name": f"{label}/part_{i}", "constraint": None}))
        offset += rows
    whole = ShardedVariable(made, label)
    whole.constraint = constraint
    return whole


def _may_be_remote() -> bool:
    """Returns whether a server may make the initial value of a variable."""
    context = current()
    return context.strategy is not None and context.strategy.remote_variables and context.recorder is None


def _array(make: Any, dtype: Any, **position: Any) -> Any:
    return initial_array(make(**position), dtype)


def _of_unknown_shape(source: Any, dtype: Any, label: str) -> InitialValue:
    """Returns an initial value whose shape is not known before: makes it, or traces it if a server can make it."""
    if callable(source) and _may_be_remote():
        traced = InitializerProgram.of(lambda: as_tensor(initial_array(source(), dtype)))
        if traced is not None:
            return InitialValue(source, traced.shape, traced.dtype, label, traced=traced)
    with entered(first_value=True):
        array = initial_array(source() if callable(source) else source, dtype)
    return InitialValue(lambda: array, array.shape, array.dtype, label)


def _in_one_piece(cls: type, initial: InitialValue, known: bool) -> Any:
    """Returns a variable that is not cut, or None if its shape is known and no server makes its value: the constructor does."""
    if initial.shape and _may_be_remote():
        value: Any = RowsInitializer(initial, 0, initial.shape[0])
    elif known:
        return None
    else:
        value = initial.whole()
    whole: Any = object.__new__(cls)
    whole._initial_value = value
    return whole


def _made(cls: type, bound: Arguments, own: dict[str, Any]) -> Any:
    """Returns a variable of this class, made with the given arguments, some of them replaced by its own."""
    bound.arguments.update(own)
    shard: Any = object.__new__(cls)
    cls.__init__(shard, *bound.args[1:], **bound.kwargs)  # type: ignore[misc]
    return shard


def _slot(optimizer: Any, shard: Any, name: str, variable: Any) -> None:
    """Registers an optimizer's slot of a shard; when all shards have theirs, these become a view, too."""
    whole = shard._sharded_variable
    key = (id(optimizer), name)
    position = next(i for i, other in enumerate(whole.variables) if other is shard)
    found = whole._incomplete_slots.setdefault(key, {})
    found[position] = variable
    if len(found) == len(whole.variables):
        del whole._incomplete_slots[key]
        slots = [found[i] for i in range(len(found))]
        ShardedVariable(slots, slots[0].name, path=slots[0].path.replace("_part_0_", "_"))


def attach_shards() -> None:
    """Let a partitioner of the strategy decide whether a new variable is kept in shards."""
    intercept_shards(create=_create, slot=_slot)
