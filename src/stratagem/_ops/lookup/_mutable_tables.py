"""Tables to which keys are added: `tf.lookup.experimental.MutableHashTable` and `DenseHashTable`."""

import base64
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, final

import jax
import numpy as np

from stratagem._base.errors import CheckpointError, InvalidArgumentError
from stratagem._base.exports import exported
from stratagem._base.types import DTypeLike
from stratagem._core.context import current
from stratagem._ops._convert import Tensor, is_traced, need_value, on_device, tensor
from stratagem._ops.lookup._calls_in_order import access, called_in_order, leave_trace
from stratagem._ops.lookup._static_tables import LookupTable


@exported("lookup.experimental.MutableHashTable")
class MutableHashTable(LookupTable):
    """`tf.lookup.experimental.MutableHashTable`: a table that grows, in the memory of this process.

    default_value: the value of keys that the table lacks, a scalar or of the shape of every value. The program of a compiled
    step calls the table where keys and values are numbers, in the order of its code; each replica does. Where they are strings,
    in branches and loops and for `export` a `tf.function` runs in Python, and a replica's step raises TracedDecisionError.
    Values have no gradients. Checkpoints save the table.
    """

    def __init__(
        self,
        key_dtype: DTypeLike,
        value_dtype: DTypeLike,
        default_value: Any,
        name: str = "MutableHashTable",
        checkpoint: bool = True,
        experimental_is_anonymous: object = False,
    ) -> None:
        super().__init__(key_dtype, value_dtype)
        self._default = np.asarray(tensor(default_value, self.value_dtype))
        self._key_shape: tuple[int, ...] = ()
        self._saved = checkpoint
        self._values: dict[Any, Any] = {}

    def size(self, name: str | None = None) -> Tensor:
        """Returns the number of keys, int64."""
        (found,) = self._called(
            lambda: [np.asarray(len(self._values), np.int64)], [], [jax.ShapeDtypeStruct((), np.int64)]
        )
        return found

    def lookup(  # type: ignore[override]  # TensorFlow has the defaults before the name
        self, keys: Any, dynamic_default_values: Any = None, name: str | None = None
    ) -> Tensor:
        """Returns the value of each key, (*keys.shape, *default_value.shape).

        dynamic_default_values: those of keys that the table lacks, one for all or one for each key. Raises ValueError for keys
        of another dtype, and InvalidArgumentError for defaults of another shape.
        """
        array = tensor(keys, self.key_dtype)
        shape = (*array.shape[: array.ndim - len(self._key_shape)], *self._default.shape)
        given = [] if dynamic_default_values is None else [tensor(dynamic_default_values, self.value_dtype)]
        for default in given:
            if default.shape not in (self._default.shape, shape):
                raise InvalidArgumentError(
                    f"Default values for keys of shape {list(array.shape)} have the shape {list(self._default.shape)} or "
                    f"{list(shape)}, got {list(default.shape)}."
                )
        spec = jax.ShapeDtypeStruct(tuple(shape), self._default.dtype)
        (found,) = self._called(self._found, [array, *given], [spec])
        return found

    def _found(self, keys: np.ndarray, default: np.ndarray | None = None) -> list[np.ndarray]:
        shape = (*keys.shape[: keys.ndim - len(self._key_shape)], *self._default.shape)
        found = np.broadcast_to(self._default if default is None else default, shape).copy()
        flat = found.reshape((-1, *self._default.shape))
        for place, key in enumerate(self._as_keys(keys)):
            if key in self._values:
                flat[place] = self._values[key]
        return [found]

    def insert(self, keys: Any, values: Any, name: str | None = None) -> None:
        """Gives each key a value, (*keys.shape, *default_value.shape); of a key that is there twice, the last one counts.

        Raises ValueError for another dtype, and InvalidArgumentError for values of another shape.
        """
        array, given = tensor(keys, self.key_dtype), tensor(values, self.value_dtype)
        shape = (*array.shape[: array.ndim - len(self._key_shape)], *self._default.shape)
        if given.shape != shape:
            raise InvalidArgumentError(
                f"Values for keys of shape {list(array.shape)} have the shape {list(shape)}, got {list(given.shape)}."
            )
        self._called(self._inserted, [array, given], [])

    def _inserted(self, keys: np.ndarray, values: np.ndarray) -> list[np.ndarray]:
        rows = values.reshape((-1, *self._default.shape)).copy()
        self._values.update(zip(self._as_keys(keys), rows, strict=True))
        return []

    def remove(self, keys: Any, name: str | None = None) -> None:
        """Removes keys; those that are not there are ignored. Raises TypeError for keys of another dtype."""
        self._called(self._removed, [self._checked(keys)], [])

    def _removed(self, keys: np.ndarray) -> list[np.ndarray]:
        for key in self._as_keys(keys):
            self._values.pop(key, None)
        return []

    def export(self, name: str | None = None) -> tuple[Tensor, Tensor]:
        """Returns all keys, (n,), and values, (n, *default_value.shape), in the order in which the keys came."""
        leave_trace("it exports a table that changes, whose size is known when the program runs")
        return on_device(self._all_keys()), on_device(self._all_values())

    def _called(
        self, function: Callable[..., list[np.ndarray]], arrays: Sequence[Tensor], specs: Sequence[jax.ShapeDtypeStruct]
    ) -> list[Tensor]:
        """Calls a function of the table now or, in a step that is traced, lets its program call it; returns its results."""
        recorder = current().recorder
        if not is_traced(list(arrays)) and (recorder is None or recorder.eager):
            with access:
                return list(map(on_device, function(*map(np.asarray, arrays))))
        if object in [*(each.dtype for each in arrays), *(each.dtype for each in specs)]:
            leave_trace("it uses a table that changes with strings, which no program has")
            need_value("strings of a table that changes, which stay on the host, depend on it")
        return called_in_order(self, function, arrays, specs)

    def get_state(self) -> Any:
        """Returns the keys and values for a checkpoint; nothing for a table with `checkpoint=False`."""
        if not self._saved:
            return {}
        return {"keys": encoded_array(self._all_keys()), "values": encoded_array(self._all_values())}

    def set_state(self, state: Any) -> None:
        """Replaces the keys and values by those of a checkpoint. Raises CheckpointError for those of other dtypes."""
        if not self._saved or not state:
            return
        keys, values = _decoded(state["keys"]), _decoded(state["values"])
        if keys.dtype != self.key_dtype.dtype or values.dtype != self.value_dtype.dtype:
            raise CheckpointError(
                f"The checkpoint has a table from {keys.dtype} to {values.dtype}, this one is from {self.key_dtype.name} to "
                f"{self.value_dtype.name}."
            )
        self._values = dict(zip(self._as_keys(keys), values, strict=True))

    def _as_keys(self, keys: np.ndarray) -> Iterator[Any]:
        """Yields the keys as what a dict can have: bytes, numbers, or tuples of numbers if keys have a shape."""
        if not self._key_shape:
            yield from keys.ravel().tolist()
        else:
            yield from map(tuple, keys.reshape(-1, int(np.prod(self._key_shape))).tolist())

    def _all_keys(self) -> np.ndarray:
        return _filled(list(self._values), self.key_dtype.dtype, self._key_shape)

    def _all_values(self) -> np.ndarray:
        return _filled(self._values.values(), self.value_dtype.dtype, self._default.shape)


@exported("lookup.experimental.DenseHashTable")
@final
class DenseHashTable(MutableHashTable):
    """`tf.lookup.experimental.DenseHashTable`: a table that grows, whose keys are never one of two.

    empty_key, deleted_key: keys that are not used, different ones; keys have their shape.
    Raises InvalidArgumentError if they are equal, or if `initial_num_buckets` is no power of two.
    """

    def __init__(
        self,
        key_dtype: DTypeLike,
        value_dtype: DTypeLike,
        default_value: Any,
        empty_key: Any,
        deleted_key: Any,
        initial_num_buckets: int | None = None,
        name: str = "MutableDenseHashTable",
        checkpoint: bool = True,
        experimental_is_anonymous: object = False,
    ) -> None:
        super().__init__(key_dtype, value_dtype, default_value, name, checkpoint)
        empty, deleted = (np.asarray(tensor(key, self.key_dtype)) for key in (empty_key, deleted_key))
        self._key_shape = empty.shape
        self._refused = {key: what for what, k in (("empty", empty), ("deleted", deleted)) for key in self._as_keys(k)}
        if len(self._refused) != 2 or empty.shape != deleted.shape:
            raise InvalidArgumentError(
                f"The empty and the deleted key of a table are two, of one shape, got {empty} and {deleted}."
            )
        if initial_num_buckets is not None and (
            initial_num_buckets < 1 or initial_num_buckets & (initial_num_buckets - 1)
        ):
            raise InvalidArgumentError(f"initial_num_buckets must be a power of two, got {initial_num_buckets}.")

    def insert_or_assign(self, keys: Any, values: Any, name: str | None = None) -> None:
        """Gives each key a value; see `insert`."""
        self.insert(keys, values)

    def erase(self, keys: Any, name: str | None = None) -> None:
        """Removes keys; see `remove`."""
        self.remove(keys)

    def _as_keys(self, keys: np.ndarray) -> Iterator[Any]:
        """Yields the keys up to one that is refused, as TensorFlow goes from key to key."""
        for key in super()._as_keys(keys):
            if key in getattr(self, "_refused", ()):
                raise InvalidArgumentError(
                    f"{key!r} is the {self._refused[key]} key of this table, and cannot be used."
                )
            yield key


def _filled(entries: Iterable[Any], dtype: np.dtype, shape: tuple[int, ...]) -> np.ndarray:
    """Returns entries, each of this shape or flat, as an array."""
    listed = list(entries)
    if dtype.kind == "O" and not shape:
        array = np.empty(len(listed), object)
        array[:] = listed
        return array
    return np.array(listed, dtype).reshape((len(listed), *shape))


def encoded_array(array: np.ndarray) -> Any:
    """Returns an array as JSON. The numbers as bytes, for they are exact, and a list of them would be long."""
    parts = array.ravel().tolist() if array.dtype == object else [array.tobytes()]
    text = [base64.b64encode(part).decode("ascii") for part in parts]
    return {"dtype": array.dtype.name, "shape": list(array.shape), "content": text}


def _decoded(state: Any) -> np.ndarray:
    parts = [base64.b64decode(text) for text in state["content"]]
    if state["dtype"] == "object":
        return _filled(parts, np.dtype(object), ()).reshape(state["shape"])
    return np.frombuffer(parts[0], state["dtype"]).reshape(state["shape"])
