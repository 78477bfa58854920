"""ArgumentWriter and ArgumentReader: arguments of calls as JSON, with names of values, and back.

They may be plain values, composite tensors, and objects of a few classes that describe what is parsed. They cannot be code.
"""

import base64
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, final

import jax
import numpy as np
from jax.tree_util import PyTreeDef

from stratagem._base.types import UserFunction
from stratagem._core.step import HostCall, HostValue
from stratagem._core.values import TensorShape
from stratagem._data.files import FixedLenFeature, FixedLenSequenceFeature, RaggedFeature, VarLenFeature
from stratagem._ops import DType, as_dtype
from stratagem._ops.ragged import RaggedTensor
from stratagem._ops.sparse import SparseTensor

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


@final
class ArgumentWriter:
    """Writes arguments. attach: returns what the reader gets a longer array by."""

    def __init__(self, attach: Callable[[np.ndarray], Any]) -> None:
        self._attach = attach

    def arguments(self, call: HostCall) -> dict[str, Any]:
        """Returns the arguments of a call. Raises ValueError for one that has no such form."""
        both = self._node(call.structure, iter(call.leaves))
        args, kwargs = both["tuple"]
        return {"args": args["tuple"], "kwargs": dict(kwargs["dict"])}

    def _node(self, structure: PyTreeDef, leaves: Iterator[Any]) -> Any:
        """Returns a structure with these leaves. It is not made: a composite tensor of names is none."""
        data = structure.node_data()
        if data is None:
            return self.value(next(leaves))
        kind, known = data
        children = [self._node(each, leaves) for each in structure.children()]
        if kind is dict:
            return {"dict": [[key, child] for key, child in zip(known, children, strict=True)]}
        if kind is OrderedDict:
            return {"ordered": [[key, child] for key, child in zip(known, children, strict=True)]}
        if kind in (list, tuple):
            return {kind.__name__: children}
        if kind is TensorShape:
            return {"sizes": None if known else children}
        if kind is type(None):
            return None
        if kind is SparseTensor:
            return {"sparse": children}
        if kind is RaggedTensor:
            return {"ragged": [*children, *known]}
        raise ValueError(f"A function of the host is called with a {kind.__name__}, which a SavedModel cannot hold.")

    def value(self, value: Any) -> Any:
        """Returns a value. Raises ValueError for one that has no such form."""
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
            return {"slice": [self.value(v) for v in (value.start, value.stop, value.step)]}
        if value is Ellipsis:
            return {"ellipsis": 0}
        for name, (kind, fields) in _FEATURES.items():
            if isinstance(value, kind):
                return {name: [self.value(getattr(value, field)) for field in fields]}
        for name, kind in _PARTITIONS.items():
            if isinstance(value, kind):
                return {"partition": [name, value[0]]}
        if isinstance(value, Mapping):
            return {"dict": [[self.value(k), self.value(v)] for k, v in value.items()]}
        if isinstance(value, list | tuple):
            return {"list" if isinstance(value, list) else "tuple": [*map(self.value, value)]}
        if isinstance(value, np.ndarray | np.generic | jax.Array):
            return self._array(np.asarray(value))
        raise ValueError(
            f"A function of the host is called with {value!r:.100} ({type(value).__name__}), which a SavedModel cannot hold."
        )

    def _array(self, array: np.ndarray) -> Any:
        return {"array": written_array(array)} if array.size <= _INLINE else {"file": self._attach(array)}


@final
class ArgumentReader:
    """Reads arguments. attached: returns an array that the writer has attached."""

    def __init__(self, attached: Callable[[Any], np.ndarray]) -> None:
        self._attached = attached

    def call(self, function: UserFunction, found: Mapping[str, Any]) -> HostCall:
        """Returns the call of a function with the arguments that were written.

        Raises: ValueError, TypeError, KeyError or AttributeError for what the writer never writes.
        """
        args = tuple(self.value(v) for v in found["args"])
        leaves, structure = jax.tree.flatten((args, {str(k): self.value(v) for k, v in found["kwargs"].items()}))
        return HostCall(function, tuple(leaves), structure, own=False)

    def value(self, found: Any) -> Any:
        """Returns a value. Raises as `call`."""
        if found is None or isinstance(found, _PLAIN):
            return found
        ((kind, content),) = found.items()
        match kind:
            case "value":
                return HostValue(*map(whole_number, content))
            case "float":
                return _float(content)
            case "bytes":
                return base64.b64decode(content, validate=True)
            case "dtype":
                return as_dtype(content)
            case "slice":
                return slice(*map(self.value, content))
            case "ellipsis":
                return Ellipsis
            case "ordered":
                return OrderedDict((self.value(k), self.value(v)) for k, v in content)
            case "sizes":
                return TensorShape.tree_unflatten(content is None, map(self.value, content or ()))
            case "dict":
                return {self.value(k): self.value(v) for k, v in content}
            case "list" | "tuple":
                return (list if kind == "list" else tuple)(map(self.value, content))
            case "array":
                return read_array(**content)
            case "file":
                return self._attached(content)
            case "partition":
                name, value = content
                return _PARTITIONS[name](value)
        if kind in _COMPOSITES:
            return _composite(kind, [*map(self.value, content)])
        if kind in _FEATURES:
            made, fields = _FEATURES[kind]
            return made(**dict(zip(fields, map(self.value, content), strict=True)))
        raise ValueError(f"a value of the kind {kind!r:.50}")


def _float(text: Any) -> float:
    try:
        return float.fromhex(text)
    except OverflowError:
        raise ValueError(f"{text!r:.50} is no number of 64 bits") from None


def whole_number(value: Any) -> int:
    """Returns a whole number. Raises TypeError for anything else."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"{value!r:.50} is no number of a value")
    return value


def written_array(array: np.ndarray) -> dict[str, Any]:
    """Returns an array as JSON. Raises ValueError for one that is no tensor of numbers or texts, as of dates."""
    shape = list(array.shape)
    if array.dtype.kind in "USO":
        entries = [v.encode() if isinstance(v, str) else v for v in array.ravel().tolist()]
        if not all(isinstance(v, bytes) for v in entries):
            raise ValueError(f"A function of the host is called with {array!r:.100}, which a SavedModel cannot hold.")
        return {"shape": shape, "dtype": "string", "entries": [base64.b64encode(v).decode() for v in entries]}
    try:
        name = as_dtype(array.dtype.newbyteorder("=")).name
    except TypeError:
        raise ValueError(
            f"A function of the host is called with {array!r:.100}, which a SavedModel cannot hold."
        ) from None
    native = np.ascontiguousarray(array, array.dtype.newbyteorder("="))
    return {"shape": shape, "dtype": name, "entries": base64.b64encode(native.tobytes()).decode()}


def _composite(kind: str, parts: list[Any]) -> Any:
    """Returns a composite tensor with names of values among its parts."""
    if kind == "sparse":
        example: Any = SparseTensor(np.zeros((0, 1), np.int64), np.zeros(0, np.float32), [0])
    else:
        *parts, uniform, spare = parts
        example = RaggedTensor(np.zeros(0, np.float32), np.zeros(1, np.int64), uniform, bool(spare))
    return jax.tree.unflatten(jax.tree.structure(example), parts)


def read_array(shape: list[int], dtype: str, entries: Any) -> np.ndarray:
    """Returns an array that `written_array` has written. Raises ValueError or TypeError for anything else."""
    kind = as_dtype(dtype)
    if kind.name != "string":
        return np.frombuffer(base64.b64decode(entries, validate=True), kind.dtype).reshape(shape).copy()
    found = np.empty(len(entries), object)
    found[:] = [base64.b64decode(each, validate=True) for each in entries]
    return found.reshape(shape)
