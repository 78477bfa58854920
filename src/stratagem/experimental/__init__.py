"""tf.experimental."""

from typing import Any as _Any

from stratagem import _hooks
from stratagem._data import Optional as Optional
from stratagem._ops import async_clear_error as async_clear_error
from stratagem._ops import async_scope as async_scope
from stratagem._ops import float8_e4m3fn as float8_e4m3fn
from stratagem._ops import float8_e5m2 as float8_e5m2
from stratagem._ops import function_executor_type as function_executor_type
from stratagem._ops import int4 as int4
from stratagem._ops import not_provided as _not_provided
from stratagem._ops import uint4 as uint4
from stratagem._ops.ragged import DynamicRaggedShape as DynamicRaggedShape
from stratagem.experimental import dlpack as dlpack

_hooks.install()


def __getattr__(name: str) -> _Any:
    raise _not_provided("experimental", name)
