"""Calls of functions of the host as JSON, and back: their names in a fixed list, and arguments that are plain values.

A file names functions of ours and describes objects of known kinds, whose long lists are attached files. It cannot hold
code: what is called is in `_host_functions`, or registered by the class that describes itself (`HostKind`).
"""

import base64
import hashlib
import itertools
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, final

import jax
import numpy as np
from jax.tree_util import PyTreeDef

from stratagem._base.errors import UnimplementedError
from stratagem._base.types import UserFunction
from stratagem._core.step import (
    LATE,
    ExportedHost,
    HostCall,
    HostResults,
    HostValue,
    host_function_if_needed,
    kind_named,
    kind_of_method,
)
from stratagem._data.files import FixedLenFeature, FixedLenSequenceFeature, RaggedFeature, VarLenFeature
from stratagem._ops import DType, as_dtype
from stratagem._ops.ragged import RaggedTensor
from stratagem._ops.sparse import SparseTensor
from stratagem._saved_models._host_functions import known_function, name_of

_PLAIN = (bool, int, str)
_INLINE = 64  # entries; longer arrays are files
_COMPOSITES: Final = ("ragged", "sparse")
_FEATURES: Final[dict[str, tuple[Any, tuple[str, ...]]]] = {
    "fixed": (FixedLenFeature, ("shape", "dtype", "default_value")),
    "steps": (FixedLenSequenceFeature, ("shape", "dtype", "allow_missing", "default_value")),
    "any": (VarLenFeature, ("dtype",)),
    "rows": (RaggedFeature, ("dtype", "value_key", "partitions", "row_splits_dtype")),
}
_PARTITIONS: Final[dict[str, Any]] = {
    name: getattr(RaggedFeature, name)
    for name in ("RowSplits", "RowLengths", "RowStarts", "RowLimits", "ValueRowIds", "UniformRowLength")
}


_NAMED: Final = ("inputs", "shaped", "strings")


@final
class HostWriter:
    """Writes calls as JSON, and collects what is to be attached: `files`, by name. Equal contents are one file."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}

    def host(self, host: ExportedHost, where: str) -> Any:
        """Returns the work of the host as JSON; None if there is none. where: of what it is, for messages.

        Raises: UnimplementedError for a function that no file may name, ValueError for an argument that has no such form.
        """
        if not host.calls and not host.strings:
            return None
        try:
            calls = [self._call(call) for call in host.calls]
        except UnimplementedError as error:
            raise UnimplementedError(f"{where} cannot be exported: {error}") from None
        named = {key: [[v.call, v.leaf] for v in getattr(host, key)] for key in _NAMED}
        return {"calls": calls, "late": host.late, **named}

    def _call(self, call: HostCall) -> Any:
        both = self._node(call.structure, iter(call.leaves))
        args, kwargs = both["tuple"]
        arguments = {"args": args["tuple"], "kwargs": dict(kwargs["dict"])}
        kind = kind_of_method(call.function)
        if kind is None:
            return {"function": name_of(call.function), **arguments}
        owner = call.function.__self__  # type: ignore[attr-defined]
        return {"object": kind.name, "facts": self._value(kind.facts(owner)), **arguments}

    def _node(self, structure: PyTreeDef, leaves: Iterator[Any]) -> Any:
        """Returns a structure with these leaves. It is not made: a composite tensor of names is none."""
        data = structure.node_data()
        if data is None:
            return self._value(next(leaves))
        kind, known = data
        children = [self._node(each, leaves) for each in structure.children()]
        if kind is dict:
            return {"dict": [[key, child] for key, child in zip(known, children, strict=True)]}
        if kind in (list, tuple):
            return {kind.__name__: children}
        if kind is type(None):
            return None
        if kind is SparseTensor:
            return {"sparse": children}
        if kind is RaggedTensor:
            return {"ragged": [*children, *known]}
        raise ValueError(f"A function of the host is called with a {kind.__name__}, which a SavedModel cannot hold.")

    def _value(self, value: Any) -> Any:
        if value is None or isinstance(value, _PLAIN):
            return value
        if isinstance(value, HostValue):
            return {"value": [value.call, value.leaf]}
        if isinstance(value, float):
            return {"float": value.hex()}
        if isinstance(value, bytes):
            return {"bytes": base64.b64encode(value).decode()}
        if isinstance(value, DType | np.dtype) or (isinstance(value, type) and issubclass(value, np.generic)):
            return {"dtype": as_dtype(value).name}
        if isinstance(value, slice):
            return {"slice": [self._value(v) for v in (value.start, value.stop, value.step)]}
        if value is Ellipsis:
            return {"ellipsis": 0}
        for name, (kind, fields) in _FEATURES.items():
            if isinstance(value, kind):
                return {name: [self._value(getattr(value, field)) for field in fields]}
        for name, kind in _PARTITIONS.items():
            if isinstance(value, kind):
                return {"partition": [name, value[0]]}
        if isinstance(value, Mapping):
            return {"dict": [[self._value(k), self._value(v)] for k, v in value.items()]}
        if isinstance(value, list | tuple):
            return {"list" if isinstance(value, list) else "tuple": [*map(self._value, value)]}
        if isinstance(value, np.ndarray | np.generic | jax.Array):
            return self._array(np.asarray(value))
        raise ValueError(
            f"A function of the host is called with {value!r:.100} ({type(value).__name__}), which a SavedModel cannot hold."
        )

    def _array(self, array: np.ndarray) -> Any:
        strings = array.dtype == object
        entries = [base64.b64encode(v).decode() for v in array.ravel().tolist()] if strings else None
        numbers = None if strings else base64.b64encode(np.ascontiguousarray(array).tobytes()).decode()
        found = {
            "shape": list(array.shape),
            "dtype": "string" if strings else as_dtype(array.dtype).name,
            "entries": entries if strings else numbers,
        }
        if array.size <= _INLINE:
            return {"array": found}
        content = json.dumps(found).encode()
        name = f"host/{hashlib.sha256(content).hexdigest()[:16]}.json"
        self.files[name] = content
        return {"file": name}


@final
@dataclass(frozen=True)
class LoadedHost:
    """The work of the host before and after a program, of a file.

    calls: in their order. late: how many tensors the program returns for the calls that come after it. inputs, shaped,
    strings: see `ExportedHost`.
    """

    calls: tuple[HostCall, ...] = ()
    inputs: tuple[HostValue, ...] = ()
    shaped: tuple[HostValue, ...] = ()
    late: int = 0
    strings: tuple[HostValue, ...] = ()

    def before(self, tensors: Sequence[Any]) -> HostResults:
        """Makes the calls that come before the program. tensors: those of the call."""
        results = HostResults(tensors)
        for call in itertools.takewhile(lambda call: all(v.call != LATE for v in call.named), self.calls):
            results.make(call, kind_of=None)
        return results

    def after(self, results: HostResults, late: Sequence[Any]) -> None:
        """Makes the calls that come after it, and adds their results. late: what the program has returned for them."""
        results.late = late
        for call in self.calls[len(results.results) :]:
            results.make(call, kind_of=None)


@final
class HostReader:
    """Reads calls from JSON. read: returns the contents of an attached file. Equal objects are made once."""

    def __init__(self, read: Callable[[str], bytes]) -> None:
        self._read = read
        self._objects: dict[str, UserFunction] = {}
        self._arrays: dict[str, np.ndarray] = {}

    def host(self, found: Any, tensors: int) -> LoadedHost:
        """Returns the work of the host. tensors: how many the call has.

        Raises: ValueError, TypeError or KeyError for what `HostWriter` never writes: a function that is not in the list.
        """
        if found is None:
            return LoadedHost()
        calls: list[HostCall] = []
        for call in found["calls"]:
            args = [self._value(v) for v in call["args"]]
            kwargs = {str(k): self._value(v) for k, v in call["kwargs"].items()}
            leaves, structure = jax.tree.flatten((tuple(args), kwargs))
            calls.append(HostCall(self._function(call), tuple(leaves), structure, own=False))
            for each in calls[-1].named:
                _check(each, len(calls) - 1, tensors, found["late"])
        named = {key: tuple(HostValue(*map(_integer, each)) for each in found[key]) for key in _NAMED}
        for each in (value for values in named.values() for value in values):
            _check(each, len(calls), tensors, 0)
        return LoadedHost(tuple(calls), late=_integer(found["late"]), **named)

    def _function(self, call: dict[str, Any]) -> UserFunction:
        if "function" in call:
            try:
                return known_function(call["function"])
            except KeyError:
                raise ValueError(
                    f"it calls {call['function']!r:.80}, which is no function that a SavedModel may name"
                ) from None
        text = json.dumps([call["object"], call["facts"]])
        if text not in self._objects:
            try:
                kind = kind_named(call["object"])
            except KeyError:
                raise ValueError(f"it has an object of the kind {call['object']!r:.80}, which is not known") from None
            self._objects[text] = host_function_if_needed(kind.make(self._value(call["facts"])))
        return self._objects[text]

    def _value(self, found: Any) -> Any:
        if found is None or isinstance(found, _PLAIN):
            return found
        ((kind, content),) = found.items()
        match kind:
            case "value":
                return HostValue(*map(_integer, content))
            case "float":
                return float.fromhex(content)
            case "bytes":
                return base64.b64decode(content, validate=True)
            case "dtype":
                return as_dtype(content)
            case "slice":
                return slice(*map(self._value, content))
            case "ellipsis":
                return Ellipsis
            case "dict":
                return {self._value(k): self._value(v) for k, v in content}
            case "list" | "tuple":
                return (list if kind == "list" else tuple)(map(self._value, content))
            case "array":
                return _array(**content)
            case "file":
                if content not in self._arrays:
                    self._arrays[content] = _array(**json.loads(self._read(content)))
                return self._arrays[content]
            case "partition":
                name, value = content
                return _PARTITIONS[name](value)
        if kind in _COMPOSITES:
            return _composite(kind, [*map(self._value, content)])
        if kind in _FEATURES:
            made, fields = _FEATURES[kind]
            return made(**dict(zip(fields, map(self._value, content), strict=True)))
        raise ValueError(f"a value of the kind {kind!r:.50}")


def _integer(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"{value!r:.50} is no number of a value")
    return value


def _check(value: HostValue, calls: int, tensors: int, late: int) -> None:
    """Raises ValueError for the name of a value that is not there yet."""
    limits = {-1: tensors, LATE: late}
    if value.leaf < 0 or not (value.leaf < limits.get(value.call, 0) or 0 <= value.call < calls):
        raise ValueError(f"a value that is not there: {value}")


def _composite(kind: str, parts: list[Any]) -> Any:
    """Returns a composite tensor with names of values among its parts."""
    if kind == "sparse":
        example: Any = SparseTensor(np.zeros((0, 1), np.int64), np.zeros(0, np.float32), [0])
    else:
        *parts, uniform, spare = parts
        example = RaggedTensor(np.zeros(0, np.float32), np.zeros(1, np.int64), uniform, bool(spare))
    return jax.tree.unflatten(jax.tree.structure(example), parts)


def _array(shape: list[int], dtype: str, entries: Any) -> np.ndarray:
    kind = as_dtype(dtype)
    if kind.name != "string":
        return np.frombuffer(base64.b64decode(entries, validate=True), kind.dtype).reshape(shape).copy()
    found = np.empty(len(entries), object)
    found[:] = [base64.b64decode(each, validate=True) for each in entries]
    return found.reshape(shape)
