"""tf.compat.v1.estimator.tpu: TPUEstimator and its configuration."""

from stratagem._ops import not_provided_in as _not_provided_in
from stratagem._tf1.tpu import InputPipelineConfig as InputPipelineConfig
from stratagem._tf1.tpu import TPUConfig as TPUConfig
from stratagem._tf1.tpu import TPUEstimator as TPUEstimator
from stratagem._tf1.tpu import TPUEstimatorSpec as TPUEstimatorSpec
from stratagem._tf1.tpu import TPURunConfig as RunConfig  # noqa: F401
from stratagem.compat.v1.estimator.tpu import experimental as experimental

__getattr__ = _not_provided_in("compat.v1.estimator.tpu")
