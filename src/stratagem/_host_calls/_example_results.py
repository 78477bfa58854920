"""Results of functions of strings for strings that are no real ones, of the shapes and dtypes that real ones have.

An exported function is traced with examples. Most functions of strings take any; these take texts that have a meaning.
"""

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from stratagem._base.types import DTypeLike, UserFunction
from stratagem._core.step import example_counts
from stratagem._data.files import (
    BytesList,
    Example,
    Feature,
    Features,
    FixedLenFeature,
    FixedLenSequenceFeature,
    FloatList,
    Int64List,
    RaggedFeature,
    VarLenFeature,
    parse_example,
    parse_single_example,
)
from stratagem._ops import as_dtype, float32, on_device


def _number(run: int, input: Any, out_type: DTypeLike = float32, name: str | None = None) -> Any:
    return on_device(np.zeros(np.shape(input), as_dtype(out_type).dtype))


def _raw(
    run: int,
    input_bytes: Any,
    out_type: DTypeLike,
    little_endian: object = True,
    fixed_length: int | None = None,
    name: str | None = None,
) -> Any:
    dtype = as_dtype(out_type).dtype
    (count,) = example_counts(1, 0, run)
    numbers = count if fixed_length is None else int(fixed_length) // dtype.itemsize
    return on_device(np.zeros((*np.shape(input_bytes), numbers), dtype))


def _strings(run: int, input: Any, *_: object, **__: object) -> Any:
    return input


def _csv(run: int, records: Any, record_defaults: Any, *_: object, **options: Any) -> list[Any]:
    chosen = options.get("select_cols")
    defaults = record_defaults if chosen is None else [record_defaults[i] for i in range(len(chosen))]
    return [on_device(_filled(np.shape(records), _kind(default))) for default in defaults]


def _kind(default: Any) -> np.dtype:
    """The dtype of a column of CSV: given itself, or that of the default value."""
    if isinstance(default, str | bytes):
        return np.dtype(object)
    if isinstance(default, int | float):
        return np.dtype(np.int32 if isinstance(default, int) else np.float32)
    try:
        return np.dtype(as_dtype(default).dtype)
    except TypeError:
        found = np.asarray(default)
        if isinstance(default, list | tuple) and len(default):
            return _kind(default[0])
        return np.dtype(object) if found.dtype.kind in "OSU" else found.dtype


def _filled(shape: Any, dtype: np.dtype) -> np.ndarray:
    return np.full(shape, b"" if dtype.hasobject else 0, dtype)


def _example(run: int, serialized: Any, features: Mapping[str, Any], *_: object, **__: object) -> Any:
    shape = np.shape(serialized)
    records = np.empty(shape, object)
    rows = int(np.prod(shape))
    made = [_serialized(features, row, rows, run) for row in range(rows)]
    if not shape:
        return parse_single_example(made[0], features)
    records[:] = made
    return parse_example(records, features)


def _serialized(features: Mapping[str, Any], row: int, rows: int, run: int) -> bytes:
    """An Example with as many values as are asked for, or as the run has for a feature of any length."""
    found = {}
    for number, (key, expected) in enumerate(sorted(features.items())):
        count = [*example_counts(rows, number, run)][row]
        match expected:
            case FixedLenFeature():
                found[key] = _values(expected.kind.dtype, expected.size)
            case FixedLenSequenceFeature():
                found[key] = _values(expected.kind.dtype, count * int(np.prod(expected.dims)))
            case VarLenFeature():
                found[key] = _values(expected.kind.dtype, count)
            case RaggedFeature() if not expected.partitions:
                found[expected.value_key or key] = _values(expected.kind.dtype, count)
    data: bytes = Example(features=Features(feature=found)).SerializeToString()
    return data


def _values(dtype: np.dtype, count: int) -> Any:
    if dtype.hasobject:
        return Feature(bytes_list=BytesList(value=[b"1"] * count))
    if dtype == np.int64:
        return Feature(int64_list=Int64List(value=[0] * count))
    return Feature(float_list=FloatList(value=[0.0] * count))


# By the name that a file has for the function; the first argument is the number of the run.
STAND_INS: Final[dict[str, UserFunction]] = {
    "strings.to_number": _number,
    "io.decode_base64": _strings,
    "io.decode_csv": _csv,
    "io.decode_raw": _raw,
    "io.parse_example": _example,
    "io.parse_single_example": _example,
}
