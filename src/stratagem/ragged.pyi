# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.

from stratagem._ops.ragged import boolean_mask as boolean_mask
from stratagem._ops.ragged import constant as constant
from stratagem._ops.ragged import map_flat_values as map_flat_values
from stratagem._ops.ragged import range as range
from stratagem._ops.ragged import row_splits_to_segment_ids as row_splits_to_segment_ids
from stratagem._ops.ragged import segment_ids_to_row_splits as segment_ids_to_row_splits
from stratagem._ops.ragged import stack as stack
from stratagem._ops.ragged import stack_dynamic_partitions as stack_dynamic_partitions
from stratagem._ops.ragged_crosses import cross as cross
from stratagem._ops.ragged_crosses import cross_hashed as cross_hashed

__all__ = [
    "boolean_mask", "constant", "cross", "cross_hashed", "map_flat_values", "range", "row_splits_to_segment_ids",
    "segment_ids_to_row_splits", "stack", "stack_dynamic_partitions"
]  # fmt: skip
