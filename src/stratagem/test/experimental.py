"""tf.test.experimental."""

from typing import Any as _Any

from stratagem._ops import not_provided as _not_provided
from stratagem._test_cases import sync_devices as sync_devices


def __getattr__(name: str) -> _Any:
    raise _not_provided("test.experimental", name)
