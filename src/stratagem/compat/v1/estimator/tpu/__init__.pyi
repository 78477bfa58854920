# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.

from stratagem._tf1.tpu import InputPipelineConfig as InputPipelineConfig
from stratagem._tf1.tpu import TPUConfig as TPUConfig
from stratagem._tf1.tpu import TPUEstimator as TPUEstimator
from stratagem._tf1.tpu import TPUEstimatorSpec as TPUEstimatorSpec
from stratagem._tf1.tpu import TPURunConfig as RunConfig
from stratagem.compat.v1.estimator.tpu import experimental as experimental

__all__ = [
    "InputPipelineConfig", "RunConfig", "TPUConfig", "TPUEstimator", "TPUEstimatorSpec", "experimental"
]  # fmt: skip
