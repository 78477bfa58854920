"""tf.compat.v1.tpu: what model_fns for TPUs use; the rest is TPUStrategy's."""

from stratagem._ops import not_provided_in as _not_provided_in
from stratagem._tf1.tpu import CrossShardOptimizer as CrossShardOptimizer
from stratagem._tf1.tpu import bfloat16_scope as bfloat16_scope
from stratagem._tf1.tpu import cross_replica_sum as cross_replica_sum
from stratagem.compat.v1.tpu import experimental as experimental

__getattr__ = _not_provided_in("compat.v1.tpu")
