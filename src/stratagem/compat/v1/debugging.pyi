# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.

from stratagem._tf1.graph.functions.reordered import assert_equal as assert_equal
from stratagem._tf1.graph.functions.reordered import assert_greater as assert_greater
from stratagem._tf1.graph.functions.reordered import assert_greater_equal as assert_greater_equal
from stratagem._tf1.graph.functions.reordered import assert_less as assert_less
from stratagem._tf1.graph.functions.reordered import assert_less_equal as assert_less_equal
from stratagem._tf1.graph.functions.reordered import assert_near as assert_near
from stratagem._tf1.graph.functions.reordered import assert_negative as assert_negative
from stratagem._tf1.graph.functions.reordered import assert_non_negative as assert_non_negative
from stratagem._tf1.graph.functions.reordered import assert_non_positive as assert_non_positive
from stratagem._tf1.graph.functions.reordered import assert_none_equal as assert_none_equal
from stratagem._tf1.graph.functions.reordered import assert_positive as assert_positive
from stratagem._tf1.graph.functions.reordered import assert_rank as assert_rank
from stratagem._tf1.graph.functions.reordered import assert_rank_at_least as assert_rank_at_least
from stratagem._tf1.graph.functions.reordered import assert_rank_in as assert_rank_in
from stratagem._tf1.graph.functions.reordered import assert_scalar as assert_scalar
from stratagem._tf1.graph.functions.reordered import verify_tensor_all_finite as assert_all_finite
from stratagem.debugging import Assert as Assert
from stratagem.debugging import assert_integer as assert_integer
from stratagem.debugging import assert_proper_iterable as assert_proper_iterable
from stratagem.debugging import assert_same_float_dtype as assert_same_float_dtype
from stratagem.debugging import assert_shapes as assert_shapes
from stratagem.debugging import assert_type as assert_type
from stratagem.debugging import check_numerics as check_numerics
from stratagem.debugging import disable_check_numerics as disable_check_numerics
from stratagem.debugging import disable_traceback_filtering as disable_traceback_filtering
from stratagem.debugging import enable_check_numerics as enable_check_numerics
from stratagem.debugging import enable_traceback_filtering as enable_traceback_filtering
from stratagem.debugging import get_log_device_placement as get_log_device_placement
from stratagem.debugging import is_numeric_tensor as is_numeric_tensor
from stratagem.debugging import is_traceback_filtering_enabled as is_traceback_filtering_enabled
from stratagem.debugging import set_log_device_placement as set_log_device_placement

__all__ = [
    "Assert", "assert_all_finite", "assert_equal", "assert_greater", "assert_greater_equal", "assert_integer",
    "assert_less", "assert_less_equal", "assert_near", "assert_negative", "assert_non_negative", "assert_non_positive",
    "assert_none_equal", "assert_positive", "assert_proper_iterable", "assert_rank", "assert_rank_at_least",
    "assert_rank_in", "assert_same_float_dtype", "assert_scalar", "assert_shapes", "assert_type", "check_numerics",
    "disable_check_numerics", "disable_traceback_filtering", "enable_check_numerics", "enable_traceback_filtering",
    "get_log_device_placement", "is_numeric_tensor", "is_traceback_filtering_enabled", "set_log_device_placement"
]  # fmt: skip
