"""`contents_of`: checksums of what look-up layers and tables hold, with which the host computes for a step."""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

import keras
import numpy as np

from stratagem._base.errors import UnimplementedError
from stratagem._core.step.host._host_prefix import HostPrefix
from stratagem._core.step.keys._host_kinds import kind_of_method


def contents_of(prefix: HostPrefix) -> list[list[str]]:
    """Returns the name and a checksum of the contents of every layer and table that the calls of a prefix use.

    What calls code of the user's has no facts by which it could be compared, and is left out.
    """
    found = []
    for call in prefix.calls:
        kind = kind_of_method(call.function)
        if kind is None:
            continue
        owner = call.function.__self__  # type: ignore[attr-defined]
        try:
            facts = kind.facts(owner)
        except UnimplementedError:
            continue
        name = f"The layer {owner.name}" if isinstance(owner, keras.Layer) else f"A {type(owner).__name__}"
        checksum = hashlib.blake2b(digest_size=16)
        _add(checksum, facts)
        found.append([name, checksum.hexdigest()])
    return found


def _add(checksum: Any, value: Any) -> None:
    """Adds a fact: numbers, texts, arrays, and lists, tuples and dicts of them."""
    checksum.update(type(value).__name__.encode())
    if isinstance(value, np.ndarray) and value.dtype != object:
        checksum.update(f"{value.dtype}{value.shape}".encode())
        checksum.update(np.ascontiguousarray(value).tobytes())
    elif isinstance(value, Mapping):
        for name in sorted(value):
            _add(checksum, name)
            _add(checksum, value[name])
    elif isinstance(value, np.ndarray | list | tuple):
        _add_all(checksum, list(value.flat) if isinstance(value, np.ndarray) else value)
    else:
        checksum.update(value if isinstance(value, bytes) else str(value).encode("utf-8", "surrogatepass"))


def _add_all(checksum: Any, values: Sequence[Any]) -> None:
    checksum.update(f"{len(values)}:".encode())
    kinds = set(map(type, values))
    if kinds in ({str}, {bytes}):  # a vocabulary may have millions
        lengths = np.fromiter(map(len, values), np.int64, len(values))
        checksum.update(lengths.tobytes())
        joined = "".join(values).encode("utf-8", "surrogatepass") if kinds == {str} else b"".join(values)
        checksum.update(joined)
        return
    for value in values:
        _add(checksum, value)
