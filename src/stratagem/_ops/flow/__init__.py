"""Control flow: branches and loops that depend on tensors. A folder of its own, because it needs Keras."""

from stratagem._ops.flow._branches import cond as cond
from stratagem._ops.flow._loops import foldl as foldl
from stratagem._ops.flow._loops import foldr as foldr
from stratagem._ops.flow._loops import map_fn as map_fn
from stratagem._ops.flow._loops import repeated as repeated
from stratagem._ops.flow._loops import scan as scan
from stratagem._ops.flow._loops import vectorized_map as vectorized_map
from stratagem._ops.flow._loops import while_loop as while_loop
from stratagem._ops.flow._state import MAX_UNROLLED as MAX_UNROLLED
from stratagem._ops.flow._state import BodyProgram as BodyProgram
from stratagem._ops.flow._state import as_tensors as as_tensors
from stratagem._ops.flow._state import body_program as body_program
from stratagem._ops.flow._state import check_worth as check_worth
from stratagem._ops.flow._state import choose as choose
from stratagem._ops.flow._state import is_slower as is_slower
from stratagem._ops.flow._state import loop_program as loop_program
from stratagem._ops.flow._state import publish as publish
from stratagem._ops.flow._state import values_of as values_of
from stratagem._ops.flow._tensor_array import Unallocated as Unallocated
from stratagem._ops.flow._tensor_array import is_array as is_array
from stratagem._ops.flow._tensor_array_spec import TensorArraySpec as TensorArraySpec
