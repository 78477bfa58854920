# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.

from stratagem._ops import DType as DType
from stratagem._ops import as_dtype as as_dtype
from stratagem._ops import bfloat16 as bfloat16
from stratagem._ops import boolean as bool
from stratagem._ops import boolean as boolean
from stratagem._ops import cast as cast
from stratagem._ops import complex as complex
from stratagem._ops import complex64 as complex64
from stratagem._ops import complex128 as complex128
from stratagem._ops import double as double
from stratagem._ops import float16 as float16
from stratagem._ops import float32 as float32
from stratagem._ops import float64 as float64
from stratagem._ops import half as half
from stratagem._ops import int8 as int8
from stratagem._ops import int16 as int16
from stratagem._ops import int32 as int32
from stratagem._ops import int64 as int64
from stratagem._ops import saturate_cast as saturate_cast
from stratagem._ops import string as string
from stratagem._ops import uint8 as uint8
from stratagem._ops import uint16 as uint16
from stratagem._ops import uint32 as uint32
from stratagem._ops import uint64 as uint64
from stratagem.dtypes import experimental as experimental

__all__ = [
    "DType", "as_dtype", "bfloat16", "bool", "boolean", "cast", "complex", "complex128", "complex64", "double",
    "experimental", "float16", "float32", "float64", "half", "int16", "int32", "int64", "int8", "saturate_cast",
    "string", "uint16", "uint32", "uint64", "uint8"
]  # fmt: skip
