"""Search for keys: where each of some keys is among a table's, on the host or in a compiled step."""

import functools
from collections.abc import Sequence
from itertools import repeat
from typing import final

import jax.numpy as jnp
import numpy as np

from stratagem._ops._convert import Tensor, allow_x64, on_device
from stratagem._ops.lookup._spans import SpanSearch, StringSpans


@final
class KeySearch:
    """The places of keys in a list of keys, (n,), that are all different."""

    def __init__(self, keys: np.ndarray) -> None:
        self._keys = keys
        self._places: dict[bytes, int] = {}
        if keys.dtype == object:
            self._places = {key: place for place, key in enumerate(keys.tolist())}
        else:
            self._order = np.argsort(keys, kind="stable")
            self._sorted = keys[self._order]

    def places(self, keys: np.ndarray) -> np.ndarray:
        """Returns the place of each key, -1 for those that are not there; the shape of `keys`."""
        if self._keys.dtype == object:
            return self.places_of_strings(keys.ravel().tolist()).reshape(keys.shape)
        if not len(self._sorted):
            return np.full(keys.shape, -1)
        near = np.minimum(np.searchsorted(self._sorted, keys), len(self._sorted) - 1)
        return np.where(self._sorted[near] == keys, self._order[near], -1)

    def places_of_strings(self, keys: Sequence[bytes]) -> np.ndarray:
        """Returns the same for strings in a list, (n,)."""
        return string_places(self._places, keys)

    def places_of_spans(self, keys: StringSpans) -> np.ndarray:
        """Returns the same for strings that are parts of a buffer, (n,), of which no objects are made."""
        return self._span_search.places(keys)

    @functools.cached_property
    def _span_search(self) -> SpanSearch:
        return SpanSearch(self._places)

    def traced_places(self, keys: Tensor) -> Tensor:
        """Returns the same for numbers that a compiled step computes, int32."""
        if not len(self._sorted):
            return jnp.full(keys.shape, -1, np.int32)
        with allow_x64(keys.dtype):
            found = on_device(self._sorted)
            near = jnp.minimum(jnp.searchsorted(found, keys), len(self._sorted) - 1)
            order = on_device(self._order.astype(np.int32))
            return jnp.where(found[near] == keys, order[near], np.int32(-1))


def string_places(places: dict[bytes, int], keys: Sequence[bytes]) -> np.ndarray:
    """Returns the place of each string, -1 for those without one, (n,) int64."""
    return np.fromiter(map(places.get, keys, repeat(-1)), np.int64, len(keys))
