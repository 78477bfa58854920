"""Ragged tensors and what is computed with them. A folder of its own, as some names are also those of other functions."""

from stratagem._ops.ragged import _along_rows, _counting, _operators, _reductions, _shape
from stratagem._ops.ragged._broadcasting import applied as applied
from stratagem._ops.ragged._broadcasting import map_flat_values as map_flat_values
from stratagem._ops.ragged._creation import constant as constant
from stratagem._ops.ragged._creation import range as range
from stratagem._ops.ragged._creation import row_splits_to_segment_ids as row_splits_to_segment_ids
from stratagem._ops.ragged._creation import segment_ids_to_row_splits as segment_ids_to_row_splits
from stratagem._ops.ragged._creation import stack_dynamic_partitions as stack_dynamic_partitions
from stratagem._ops.ragged._layout import stack as stack
from stratagem._ops.ragged._mapped_rows import has_rows_alone as has_rows_alone
from stratagem._ops.ragged._mapped_rows import map_rows as map_rows
from stratagem._ops.ragged._ragged_tensor import RaggedTensor as RaggedTensor
from stratagem._ops.ragged._reductions import reduced as reduced
from stratagem._ops.ragged._row_splits import from_lengths as from_lengths
from stratagem._ops.ragged._row_splits import longest as longest
from stratagem._ops.ragged._row_splits import rounded_up as rounded_up
from stratagem._ops.ragged._row_splits import uniform as uniform
from stratagem._ops.ragged._selection import boolean_mask as boolean_mask
from stratagem._ops.ragged._shape import DynamicRaggedShape as DynamicRaggedShape
from stratagem._ops.ragged._spec import RaggedTensorSpec as RaggedTensorSpec

_along_rows.give_rules()
_counting.give_rules()
_operators.give_rules()
_reductions.give_rules()
_shape.give_rules()
