"""`tf.ragged`: tensors whose rows differ in length."""

from stratagem import _hooks
from stratagem._ops import not_provided as _not_provided
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

_hooks.install()


def __getattr__(name: str) -> object:
    raise _not_provided("ragged", name)
