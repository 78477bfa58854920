"""Control flow: branches and loops that depend on tensors. A folder of its own, because it needs Keras."""

from stratagem._ops.flow._branches import case as case
from stratagem._ops.flow._branches import cond as cond
from stratagem._ops.flow._branches import switch_case as switch_case
from stratagem._ops.flow._loops import foldl as foldl
from stratagem._ops.flow._loops import foldr as foldr
from stratagem._ops.flow._loops import map_fn as map_fn
from stratagem._ops.flow._loops import scan as scan
from stratagem._ops.flow._loops import vectorized_map as vectorized_map
from stratagem._ops.flow._loops import while_loop as while_loop
