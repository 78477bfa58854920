# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.

from stratagem._tf1.tpu import CrossShardOptimizer as CrossShardOptimizer
from stratagem._tf1.tpu import bfloat16_scope as bfloat16_scope
from stratagem._tf1.tpu import cross_replica_sum as cross_replica_sum
from stratagem.compat.v1.tpu import experimental as experimental

__all__ = [
    "CrossShardOptimizer", "bfloat16_scope", "cross_replica_sum", "experimental"
]  # fmt: skip
