"""TPUEstimator of TensorFlow 1: an Estimator that says the size of batches, on TPUs through the steps of TPUStrategy."""

from stratagem._tf1.tpu._config import InputPipelineConfig as InputPipelineConfig
from stratagem._tf1.tpu._config import TPUConfig as TPUConfig
from stratagem._tf1.tpu._config import TPURunConfig as TPURunConfig
from stratagem._tf1.tpu._cross_shard import CrossShardOptimizer as CrossShardOptimizer
from stratagem._tf1.tpu._cross_shard import bfloat16_scope as bfloat16_scope
from stratagem._tf1.tpu._cross_shard import cross_replica_sum as cross_replica_sum
from stratagem._tf1.tpu._estimator import TPUEstimator as TPUEstimator
from stratagem._tf1.tpu._spec import TPUEstimatorSpec as TPUEstimatorSpec
