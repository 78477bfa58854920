# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.

from stratagem._data import Optional as Optional
from stratagem._ops import async_clear_error as async_clear_error
from stratagem._ops import async_scope as async_scope
from stratagem._ops import float8_e4m3fn as float8_e4m3fn
from stratagem._ops import float8_e5m2 as float8_e5m2
from stratagem._ops import function_executor_type as function_executor_type
from stratagem._ops import int4 as int4
from stratagem._ops import uint4 as uint4
from stratagem._ops.ragged import DynamicRaggedShape as DynamicRaggedShape
from stratagem.experimental import dlpack as dlpack

__all__ = [
    "DynamicRaggedShape", "Optional", "async_clear_error", "async_scope", "dlpack", "float8_e4m3fn", "float8_e5m2",
    "function_executor_type", "int4", "uint4"
]  # fmt: skip
