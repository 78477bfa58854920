# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.

from stratagem._core.step import get_log_device_placement as get_log_device_placement
from stratagem._core.step import set_log_device_placement as set_log_device_placement
from stratagem._ops import Assert as Assert
from stratagem._ops import assert_all_finite as assert_all_finite
from stratagem._ops import assert_equal as assert_equal
from stratagem._ops import assert_greater as assert_greater
from stratagem._ops import assert_greater_equal as assert_greater_equal
from stratagem._ops import assert_integer as assert_integer
from stratagem._ops import assert_less as assert_less
from stratagem._ops import assert_less_equal as assert_less_equal
from stratagem._ops import assert_near as assert_near
from stratagem._ops import assert_negative as assert_negative
from stratagem._ops import assert_non_negative as assert_non_negative
from stratagem._ops import assert_non_positive as assert_non_positive
from stratagem._ops import assert_none_equal as assert_none_equal
from stratagem._ops import assert_positive as assert_positive
from stratagem._ops import assert_proper_iterable as assert_proper_iterable
from stratagem._ops import assert_rank as assert_rank
from stratagem._ops import assert_rank_at_least as assert_rank_at_least
from stratagem._ops import assert_rank_in as assert_rank_in
from stratagem._ops import assert_same_float_dtype as assert_same_float_dtype
from stratagem._ops import assert_scalar as assert_scalar
from stratagem._ops import assert_shapes as assert_shapes
from stratagem._ops import assert_type as assert_type
from stratagem._ops import check_numerics as check_numerics
from stratagem._ops import disable_check_numerics as disable_check_numerics
from stratagem._ops import disable_traceback_filtering as disable_traceback_filtering
from stratagem._ops import enable_check_numerics as enable_check_numerics
from stratagem._ops import enable_traceback_filtering as enable_traceback_filtering
from stratagem._ops import is_numeric_tensor as is_numeric_tensor
from stratagem._ops import is_traceback_filtering_enabled as is_traceback_filtering_enabled

__all__ = [
    "Assert", "assert_all_finite", "assert_equal", "assert_greater", "assert_greater_equal", "assert_integer",
    "assert_less", "assert_less_equal", "assert_near", "assert_negative", "assert_non_negative", "assert_non_positive",
    "assert_none_equal", "assert_positive", "assert_proper_iterable", "assert_rank", "assert_rank_at_least",
    "assert_rank_in", "assert_same_float_dtype", "assert_scalar", "assert_shapes", "assert_type", "check_numerics",
    "disable_check_numerics", "disable_traceback_filtering", "enable_check_numerics", "enable_traceback_filtering",
    "get_log_device_placement", "is_numeric_tensor", "is_traceback_filtering_enabled", "set_log_device_placement"
]  # fmt: skip
