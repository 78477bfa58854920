"""Tables that never change after they are made: `tf.lookup.StaticHashTable`, `StaticVocabularyTable`."""

import abc
from collections.abc import Mapping, Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np

from stratagem._base.errors import FailedPreconditionError
from stratagem._base.exports import exported
from stratagem._base.types import DTypeLike, UserFunction
from stratagem._core.step import HostKind, TracedStrings, entrywise, host_kind, pure_host_function
from stratagem._ops._convert import Tensor, allow_x64, is_traced, need_value, on_device, tensor
from stratagem._ops._dtypes import DType, as_dtype, int64, string
from stratagem._ops.lookup._composite_keys import of_values
from stratagem._ops.lookup._initializers import KeyValueTensorInitializer, NoEntries, TableInitializer
from stratagem._ops.lookup._search import KeySearch
from stratagem._ops.lookup._spans import StringSpans
from stratagem._ops.text import bucket_of_integers, buckets_of_strings, to_hash_bucket_fast


class LookupTable(abc.ABC):
    """A table from keys of one dtype to values of one dtype."""

    def __init__(self, key_dtype: DTypeLike, value_dtype: DTypeLike) -> None:
        self._key_dtype, self._value_dtype = as_dtype(key_dtype), as_dtype(value_dtype)

    @property
    def key_dtype(self) -> DType:
        """The dtype of the keys."""
        return self._key_dtype

    @property
    def value_dtype(self) -> DType:
        """The dtype of the values."""
        return self._value_dtype

    @property
    def name(self) -> str | None:
        """None: as in TensorFlow outside of graphs, a table has no name."""
        return None

    @abc.abstractmethod
    def size(self, name: str | None = None) -> Tensor:
        """Returns the number of keys, int64."""

    @abc.abstractmethod
    def lookup(self, keys: Any, name: str | None = None) -> Any:
        """Returns the value of each key. Raises TypeError for keys of another dtype."""

    def __getitem__(self, keys: Any) -> Any:
        """Returns the value of each key."""
        return self.lookup(keys)

    def _checked(self, keys: Any) -> Tensor:
        """Returns keys as a tensor. Raises TypeError if it is one of another dtype."""
        dtype = getattr(keys, "dtype", self.key_dtype.dtype)
        if as_dtype(dtype) != self.key_dtype:
            raise TypeError(f"Keys of this table are {self.key_dtype.name}, got {as_dtype(dtype).name}. Use tf.cast.")
        return tensor(keys, self.key_dtype)


@exported("lookup.StaticHashTable", v1=())
class StaticHashTable(LookupTable):
    """`tf.lookup.StaticHashTable`: a table that is filled once; keys that it lacks have the default value.

    Raises:
        FailedPreconditionError: a key is there twice, with different values.
        NotFoundError, InvalidArgumentError: see the initializer.
    """

    def __init__(
        self,
        initializer: TableInitializer,
        default_value: Any,
        name: str | None = None,
        experimental_is_anonymous: object = False,
    ) -> None:
        super().__init__(initializer.key_dtype, initializer.value_dtype)
        self._default = tensor(default_value, self.value_dtype)
        self._default_here = np.asarray(self._default)
        if self._default.shape != ():
            raise ValueError(f"The default value of a table is a scalar, got shape {list(self._default.shape)}.")
        self._keys, self._values = _without_repetitions(*initializer.entries())
        self._search = KeySearch(self._keys)

    @property
    def default_value(self) -> Tensor:
        """The value of keys that the table lacks."""
        return self._default

    def size(self, name: str | None = None) -> Tensor:
        """Returns the number of keys, int64."""
        return on_device(np.asarray(len(self._keys), np.int64))

    def export(self, name: str | None = None) -> tuple[Tensor, Tensor]:
        """Returns all keys and values, (n,) each, in the order in which they came."""
        return on_device(self._keys.copy()), on_device(self._values.copy())

    def lookup(self, keys: Any, name: str | None = None) -> Any:
        """Returns the value of each key, of the shape of `keys`, which may be ragged or sparse.

        Numbers are looked up inside a compiled step, too; values that are strings only where keys are known. Raises
        TypeError for keys of another dtype.
        """
        return of_values(self._looked_up, keys)

    def _looked_up(self, keys: Any) -> Tensor:
        array = self._checked(keys)
        if isinstance(array, TracedStrings) or self._values.dtype == object:
            return pure_host_function(self._known)(array)
        if not is_traced(array):
            return self._known(array)
        places = self._search.traced_places(array)
        if not len(self._values):
            return jnp.broadcast_to(self._default, places.shape)
        with allow_x64(self._values.dtype):
            return jnp.where(places < 0, self._default, on_device(self._values)[places])

    @entrywise
    def _known(self, keys: Tensor) -> Tensor:
        if is_traced(keys):
            need_value("strings of a table, which stay on the host, are looked up by it")
        return on_device(self.values_of(np.asarray(keys)))

    def values_of(self, keys: np.ndarray) -> np.ndarray:
        """Returns the value of each key, on the host."""
        return self._values_at(self._search.places(keys))

    def values_of_strings(self, keys: Sequence[bytes]) -> np.ndarray:
        """Returns the same for keys in a list, of a table of strings."""
        return self._values_at(self._search.places_of_strings(keys))

    def values_of_spans(self, keys: StringSpans) -> np.ndarray:
        """Returns the same for keys that are parts of a buffer, of a table of strings."""
        return self._values_at(self._search.places_of_spans(keys))

    def _values_at(self, places: np.ndarray) -> np.ndarray:
        if not len(self._values):
            return np.broadcast_to(self._default_here, places.shape).copy()
        return np.where(places < 0, self._default_here, self._values[places])


def _without_repetitions(keys: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Returns each key once. Raises FailedPreconditionError for a key with two values."""
    first: dict[bytes | float, int] = {}
    listed, given = keys.tolist(), values.tolist()
    for place, key in enumerate(listed):
        before = first.setdefault(key, place)
        if before != place and given[before] != given[place]:
            raise FailedPreconditionError(
                f"The key {key!r} of a table has two values, {given[before]!r} and {given[place]!r}."
            )
    if len(first) == len(listed):
        return keys, values
    places = list(first.values())
    return keys[places], values[places]


@exported("lookup.StaticVocabularyTable", v1=())
class StaticVocabularyTable(LookupTable):
    """`tf.lookup.StaticVocabularyTable`: the numbers of words; words that it lacks have one of further numbers, by their hash.

    initializer: keys, strings or int64, and their numbers, int64; None is a table without keys. num_oov_buckets: how many
    numbers there are for other words, from the number of keys on. lookup_key_dtype: for another type of integers.
    Raises TypeError for other dtypes, and ValueError for no buckets.
    """

    def __init__(
        self,
        initializer: TableInitializer | None,
        num_oov_buckets: int,
        lookup_key_dtype: DTypeLike | None = None,
        name: str | None = None,
        experimental_is_anonymous: object = False,
    ) -> None:
        if num_oov_buckets <= 0:
            raise ValueError(f"num_oov_buckets must be positive, got {num_oov_buckets}; use tf.lookup.StaticHashTable.")
        self._buckets = num_oov_buckets
        self._table: StaticHashTable | None = None
        key_dtype = string
        if initializer is not None:
            key_dtype = initializer.key_dtype if lookup_key_dtype is None else as_dtype(lookup_key_dtype)
            _check_vocabulary(initializer, key_dtype)
            self._table = StaticHashTable(initializer, -1)
        super().__init__(key_dtype, int64)

    def size(self, name: str | None = None) -> Tensor:
        """Returns the number of keys and buckets, int64."""
        return on_device(np.asarray(self._keys() + self._buckets, np.int64))

    def lookup(self, keys: Any, name: str | None = None) -> Any:
        """Returns the number of each key, int64, of the shape of `keys`, which may be ragged or sparse.

        Integers are looked up inside a compiled step, too. Raises TypeError for keys of another dtype.
        """
        return of_values(self._looked_up, keys)

    def _looked_up(self, keys: Any) -> Tensor:
        array = self._checked(keys)
        if self.key_dtype == string and not isinstance(array, TracedStrings):
            words = np.asarray(array)
            return on_device(self.values_of_strings(words.ravel().tolist()).reshape(words.shape))
        if self.key_dtype == string:
            buckets = to_hash_bucket_fast(array, self._buckets)
        else:
            buckets = bucket_of_integers(array, self._buckets)
        if self._table is None:
            return buckets
        with allow_x64(np.int64):
            whole = array if array.dtype == object else array.astype(self._table.key_dtype.dtype)
            found = self._table.lookup(whole)
            return jnp.where(found == -1, buckets + np.int64(self._keys()), found)

    def values_of_strings(self, keys: Sequence[bytes]) -> np.ndarray:
        """Returns the number of each word, (n,), on the host, of a table of strings; only words that it lacks are hashed."""
        found = np.full(len(keys), -1) if self._table is None else self._table.values_of_strings(keys)
        others = np.flatnonzero(found == -1)
        if others.size:
            missing = [keys[place] for place in others.tolist()]
            found[others] = buckets_of_strings(missing, self._buckets) + self._keys()
        return found

    def _keys(self) -> int:
        return 0 if self._table is None else len(self._table._keys)


def _check_vocabulary(initializer: TableInitializer, key_dtype: DType) -> None:
    """Raises TypeError unless keys are strings or int64, and values int64."""
    if initializer.key_dtype not in (int64, string):
        raise TypeError(f"The keys of a vocabulary are int64 or string, got {initializer.key_dtype.name}.")
    if initializer.key_dtype.is_integer != key_dtype.is_integer or not (key_dtype.is_integer or key_dtype == string):
        raise TypeError(f"Keys {initializer.key_dtype.name} of a vocabulary cannot be looked up as {key_dtype.name}.")
    if initializer.value_dtype != int64:
        raise TypeError(f"The values of a vocabulary are int64, got {initializer.value_dtype.name}.")


def _table_facts(table: StaticHashTable) -> dict[str, Any]:
    return {"keys": table._keys, "values": table._values, "default": np.asarray(table._default)}


def _known_of(facts: Mapping[str, Any]) -> UserFunction:
    keys, values = facts["keys"], facts["values"]
    filled = KeyValueTensorInitializer if len(keys) else NoEntries
    arguments = (keys, values) if len(keys) else (as_dtype(keys.dtype), as_dtype(values.dtype))
    return StaticHashTable(filled(*arguments), facts["default"])._known


host_kind(HostKind("lookup.StaticHashTable", StaticHashTable, "_known", _table_facts, _known_of))
