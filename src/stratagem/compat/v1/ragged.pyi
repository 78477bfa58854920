# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.

from stratagem.ragged import boolean_mask as boolean_mask
from stratagem.ragged import constant as constant
from stratagem.ragged import cross as cross
from stratagem.ragged import cross_hashed as cross_hashed
from stratagem.ragged import map_flat_values as map_flat_values
from stratagem.ragged import range as range
from stratagem.ragged import row_splits_to_segment_ids as row_splits_to_segment_ids
from stratagem.ragged import segment_ids_to_row_splits as segment_ids_to_row_splits
from stratagem.ragged import stack as stack
from stratagem.ragged import stack_dynamic_partitions as stack_dynamic_partitions

__all__ = [
    "boolean_mask", "constant", "cross", "cross_hashed", "map_flat_values", "range", "row_splits_to_segment_ids",
    "segment_ids_to_row_splits", "stack", "stack_dynamic_partitions"
]  # fmt: skip
