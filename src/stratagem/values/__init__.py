"""What a value is when there are many replicas."""

from stratagem.values._module import Module as Module
from stratagem.values._per_replica import DistributedValues as DistributedValues
from stratagem.values._per_replica import PerReplica as PerReplica
from stratagem.values._per_replica import Separate as Separate
from stratagem.values._per_replica import Stacked as Stacked
from stratagem.values._per_replica import is_per_replica as is_per_replica
from stratagem.values._per_replica import map_structure as map_structure
from stratagem.values._per_replica import per_replica as per_replica
from stratagem.values._placement import Placement as Placement
from stratagem.values._placement import adopt as adopt
from stratagem.values._placement import on_read as on_read
from stratagem.values._placement import placement_of as placement_of
from stratagem.values._placement import share as share
from stratagem.values._placement import storage as storage
from stratagem.values._variable import IndexedSlices as IndexedSlices
from stratagem.values._variable import Variable as Variable
from stratagem.values._variable import VariableAggregation as VariableAggregation
from stratagem.values._variable import VariableSynchronization as VariableSynchronization
