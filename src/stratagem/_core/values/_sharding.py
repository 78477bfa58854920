"""Sharding: makes a variable in shards where the strategy says so, and its optimizer slots views like itself."""

import functools
import inspect
from typing import Any

import keras

from stratagem._core.context import current
from stratagem._core.values._initial import Initial, InitialRows, as_tensor, knows_parts
from stratagem._core.values._initializer_program import InitializerProgram
from stratagem._core.values._partitioners import rows_of_shards
from stratagem._core.values._sharded import ShardedVariable
from stratagem._core.values._variable import dtype_of, initial_array
from stratagem._private import below_scope, in_stateless_scope, intercept_shards, is_making_own_state, is_view

Shape = tuple[int, ...]
Arguments = inspect.BoundArguments


def shards(variable: Any) -> list[Any]:
    """What keeps a variable's value: its shards, or the variable itself."""
    return list(variable.variables) if is_view(variable) else [variable]


@functools.cache
def _signature(cls: type) -> inspect.Signature:
    return inspect.signature(cls.__init__)  # type: ignore[misc]


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
    strategy = current().strategy
    asked = strategy.shards_of(shape, str(dtype)) if strategy is not None and shape else 1
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
    knows = knows_parts(initializer, isinstance(initializer, keras.initializers.Initializer))
    make = functools.partial(initializer, tuple(shape), dtype=dtype)
    initial = Initial(make, tuple(shape), dtype, name, knows_parts=knows)
    made, offset = [], 0
    with below_scope(name):
        for i, rows in enumerate(sizes):
            own = {"initializer": InitialRows(initial, offset, rows), "shape": (rows, *shape[1:]), "dtype": dtype}
            made.append(_made(cls, given, own | {"name": f"part_{i}"}))
            offset += rows
    return ShardedVariable(made, name, path=made[0].path.removesuffix("/part_0"))


def _of_tensorflow(cls: type, given: Arguments) -> Any:
    """`tf.Variable(initial_value, ...)`."""
    source, shape, dtype = (given.arguments.get(name) for name in ("initial_value", "shape", "dtype"))
    label, constraint = given.arguments.get("name") or "Variable", given.arguments.get("constraint")
    known = callable(source) and None not in (shape, dtype) and None not in tuple(shape or ())
    if known:
        shape, dtype = tuple(shape or ()), dtype_of(dtype)
        sizes, knows = _shards(shape, dtype), knows_parts(source, any_names=True)
        make = functools.partial(_array, source, dtype)
        initial = Initial(make, shape, dtype, label, knows_parts=knows and len(sizes) > 1)
    else:
        initial = _of_unknown_shape(source, dtype_of(dtype), label)
        sizes = _shards(initial.shape, initial.dtype) if shape is None or tuple(shape) == initial.shape else []
    if len(sizes) < 2:
        return _in_one_piece(cls, initial, known) if callable(source) else None
    made, offset = [], 0
    for i, rows in enumerate(sizes):
        value = InitialRows(initial, offset, rows) if _made_elsewhere() else initial.part(offset, rows)
        own = {"initial_value": value, "shape": (rows, *initial.shape[1:]), "dtype": initial.dtype}
        made.append(_made(cls, given, own | {"name": f"{label}/part_{i}", "constraint": None}))
        offset += rows
    whole = ShardedVariable(made, label)
    whole.constraint = constraint
    return whole


def _made_elsewhere() -> bool:
    """True where the first value of a variable may be left to a server."""
    context = current()
    return context.strategy is not None and context.strategy.remote_variables and context.recorder is None


def _array(make: Any, dtype: Any, **place: Any) -> Any:
    return initial_array(make(**place), dtype)


def _of_unknown_shape(source: Any, dtype: Any, label: str) -> Initial:
    """A first value whose shape only its making tells: it is made, or, where a server can make it, traced."""
    if callable(source) and _made_elsewhere():
        traced = InitializerProgram.of(lambda: as_tensor(initial_array(source(), dtype)))
        if traced is not None:
            return Initial(source, traced.shape, traced.dtype, label, traced=traced)
    array = initial_array(source() if callable(source) else source, dtype)
    return Initial(lambda: array, array.shape, array.dtype, label)


def _in_one_piece(cls: type, initial: Initial, known: bool) -> Any:
    """A variable that is not cut. known: its shape is; then, unless a server makes its value, the constructor does."""
    if initial.shape and _made_elsewhere():
        value: Any = InitialRows(initial, 0, initial.shape[0])
    elif known:
        return None
    else:
        value = initial.whole()
    whole: Any = object.__new__(cls)
    whole._initial_value = value
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


def attach_shards() -> None:
    """Let a partitioner of the strategy decide whether a new variable is kept in shards."""
    intercept_shards(create=_create, slot=_slot)
