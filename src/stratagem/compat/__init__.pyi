# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.

import stratagem as v2
from stratagem._core.values import dimension_at_index as dimension_at_index
from stratagem._core.values import dimension_value as dimension_value
from stratagem._ops import as_bytes as as_bytes
from stratagem._ops import as_str as as_str
from stratagem._ops import as_str_any as as_str_any
from stratagem._ops import as_text as as_text
from stratagem._ops import bytes_or_text_types as bytes_or_text_types
from stratagem._ops import complex_types as complex_types
from stratagem._ops import forward_compatibility_horizon as forward_compatibility_horizon
from stratagem._ops import forward_compatible as forward_compatible
from stratagem._ops import integral_types as integral_types
from stratagem._ops import path_to_str as path_to_str
from stratagem._ops import real_types as real_types
from stratagem.compat import v1 as v1

__all__ = [
    "as_bytes", "as_str", "as_str_any", "as_text", "bytes_or_text_types", "complex_types", "dimension_at_index",
    "dimension_value", "forward_compatibility_horizon", "forward_compatible", "integral_types", "path_to_str",
    "real_types", "v1", "v2"
]  # fmt: skip
