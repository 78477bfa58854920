"""Tables to which keys are added: `tf.lookup.experimental.MutableHashTable` and `DenseHashTable`."""

import base64
from collections.abc import Iterable
from typing import final

import numpy as np

from stratagem._base.errors import CheckpointError, InvalidArgumentError
from stratagem._base.types import DTypeLike, Json, TensorLike, Unused, Value
from stratagem._core.context import current
from stratagem._ops._convert import Tensor, is_traced, need_value, on_device, tensor
from stratagem._ops.lookup._static_tables import LookupTable


class MutableHashTable(LookupTable):
    """`tf.lookup.experimental.MutableHashTable`: a table that grows, in the memory of this process.

    default_value: the value of keys that the table lacks, a scalar or of the shape of every value. A `tf.function` that
    uses the table runs in Python; in a replica's step it raises TracedDecisionError. Checkpoints save the table.
    """

    def __init__(
        self,
        key_dtype: DTypeLike,
        value_dtype: DTypeLike,
        default_value: TensorLike,
        name: str = "MutableHashTable",
        checkpoint: bool = True,
        experimental_is_anonymous: Unused = False,
    ) -> None:
        super().__init__(key_dtype, value_dtype)
        self._default = np.asarray(tensor(default_value, self.value_dtype))
        self._key_shape: tuple[int, ...] = ()
        self._saved = checkpoint
        self._values: dict[Value, Value] = {}

    def size(self, name: str | None = None) -> Tensor:
        """Returns the number of keys, int64."""
        _leave_trace()
        return on_device(np.asarray(len(self._values), np.int64))

    def lookup(  # type: ignore[override]  # TensorFlow has the defaults before the name
        self, keys: TensorLike, dynamic_default_values: TensorLike = None, name: str | None = None
    ) -> Tensor:
        """Returns the value of each key, (*keys.shape, *default_value.shape).

        dynamic_default_values: those of keys that the table lacks, one for all or one for each key. Raises ValueError for keys
        of another dtype, and InvalidArgumentError for defaults of another shape.
        """
        array = self._known(keys, self.key_dtype)
        shape = (*array.shape[: array.ndim - len(self._key_shape)], *self._default.shape)
        default = self._default
        if dynamic_default_values is not None:
            default = self._known(dynamic_default_values, self.value_dtype)
        if default.shape not in (self._default.shape, shape):
            raise InvalidArgumentError(
                f"Default values for keys of shape {list(array.shape)} have the shape {list(self._default.shape)} or "
                f"{list(shape)}, got {list(default.shape)}."
            )
        found = np.broadcast_to(default, shape).copy()
        flat = found.reshape((-1, *self._default.shape))
        for place, key in enumerate(self._as_keys(array)):
            if key in self._values:
                flat[place] = self._values[key]
        return on_device(found)

    def insert(self, keys: TensorLike, values: TensorLike, name: str | None = None) -> None:
        """Gives each key a value, (*keys.shape, *default_value.shape); of a key that is there twice, the last one counts.

        Raises ValueError for another dtype, and InvalidArgumentError for values of another shape.
        """
        array, given = self._known(keys, self.key_dtype), self._known(values, self.value_dtype)
        shape = (*array.shape[: array.ndim - len(self._key_shape)], *self._default.shape)
        if given.shape != shape:
            raise InvalidArgumentError(
                f"Values for keys of shape {list(array.shape)} have the shape {list(shape)}, got {list(given.shape)}."
            )
        rows = given.reshape((-1, *self._default.shape)).copy()
        self._values.update(zip(self._as_keys(array), rows, strict=True))

    def remove(self, keys: TensorLike, name: str | None = None) -> None:
        """Removes keys; those that are not there are ignored. Raises TypeError for keys of another dtype."""
        _leave_trace()
        array = self._checked(keys)
        if is_traced(array):
            need_value("a key of a table that changes, which stays on the host")
        for key in self._as_keys(np.asarray(array)):
            self._values.pop(key, None)

    def export(self, name: str | None = None) -> tuple[Tensor, Tensor]:
        """Returns all keys, (n,), and values, (n, *default_value.shape), in the order in which the keys came."""
        _leave_trace()
        return on_device(self._all_keys()), on_device(self._all_values())

    def get_state(self) -> Json:
        """Returns the keys and values for a checkpoint; nothing for a table with `checkpoint=False`."""
        if not self._saved:
            return {}
        return {"keys": encoded_array(self._all_keys()), "values": encoded_array(self._all_values())}

    def set_state(self, state: Json) -> None:
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

    def _known(self, value: TensorLike, dtype: DTypeLike) -> np.ndarray:
        """Returns a tensor of this dtype as an array; leaves a trace, as the table has to be used at every call."""
        _leave_trace()
        array = tensor(value, dtype)
        if is_traced(array):
            need_value("a table that changes, which stays on the host, is used with it")
        return np.asarray(array)

    def _as_keys(self, keys: np.ndarray) -> list[Value]:
        """The keys as what a dict can have: bytes, numbers, or tuples of numbers if keys have a shape."""
        if not self._key_shape:
            listed: list[Value] = keys.ravel().tolist()
            return listed
        size = int(np.prod(self._key_shape))
        return [tuple(row) for row in keys.reshape(-1, size).tolist()]

    def _all_keys(self) -> np.ndarray:
        return _filled(list(self._values), self.key_dtype.dtype, self._key_shape)

    def _all_values(self) -> np.ndarray:
        return _filled(self._values.values(), self.value_dtype.dtype, self._default.shape)


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
        default_value: TensorLike,
        empty_key: TensorLike,
        deleted_key: TensorLike,
        initial_num_buckets: int | None = None,
        name: str = "MutableDenseHashTable",
        checkpoint: bool = True,
        experimental_is_anonymous: Unused = False,
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

    def insert_or_assign(self, keys: TensorLike, values: TensorLike, name: str | None = None) -> None:
        """Gives each key a value; see `insert`."""
        self.insert(keys, values)

    def erase(self, keys: TensorLike, name: str | None = None) -> None:
        """Removes keys; see `remove`."""
        self.remove(keys)

    def _as_keys(self, keys: np.ndarray) -> list[Value]:
        found = super()._as_keys(keys)
        for key in found:
            if key in getattr(self, "_refused", ()):
                raise InvalidArgumentError(
                    f"{key!r} is the {self._refused[key]} key of this table, and cannot be used."
                )
        return found


def _leave_trace() -> None:
    """Goes on in Python where a step is traced: a program would have the table of the moment. An error in a replica."""
    recorder = current().recorder
    if recorder is not None:
        recorder.need_host("it uses a table that changes")


def _filled(entries: Iterable[Value], dtype: np.dtype, shape: tuple[int, ...]) -> np.ndarray:
    """Returns entries, each of this shape or flat, as an array."""
    listed = list(entries)
    if dtype.kind == "O" and not shape:
        array = np.empty(len(listed), object)
        array[:] = listed
        return array
    return np.array(listed, dtype).reshape((len(listed), *shape))


def encoded_array(array: np.ndarray) -> Json:
    """Returns an array as JSON. The numbers as bytes, for they are exact, and a list of them would be long."""
    parts = array.ravel().tolist() if array.dtype == object else [array.tobytes()]
    text = [base64.b64encode(part).decode("ascii") for part in parts]
    return {"dtype": array.dtype.name, "shape": list(array.shape), "content": text}


def _decoded(state: Json) -> np.ndarray:
    parts = [base64.b64decode(text) for text in state["content"]]
    if state["dtype"] == "object":
        return _filled(parts, np.dtype(object), ()).reshape(state["shape"])
    return np.frombuffer(parts[0], state["dtype"]).reshape(state["shape"])
