"""Metrics that a model is compiled with: which of them are of which output."""

import functools
from typing import Any

import keras
from keras.src.trainers.compile_utils import CompileMetrics


def let_a_list_of_metrics_be_of_every_output() -> None:
    """Let `compile(metrics=["mae", "mse"])` measure both of every output, and `metrics="mae"` be a list of one, as in Keras 2.

    Keras 3 takes the first metric for the first output, and the second for the second. A metric object is copied for each.
    """
    init, build = CompileMetrics.__init__, CompileMetrics._build_metrics_set

    @functools.wraps(init)
    def new_init(self: Any, metrics: Any, weighted_metrics: Any, *args: Any, **kwargs: Any) -> None:
        init(self, _listed(metrics), _listed(weighted_metrics), *args, **kwargs)

    @functools.wraps(build)
    def new_build(self: Any, metrics: Any, num_outputs: int, *args: Any, **kwargs: Any) -> Any:
        if num_outputs > 1 and isinstance(metrics, list | tuple) and not any(map(keras.tree.is_nested, metrics)):
            metrics = [[_copy(each) for each in metrics if each is not None] for _ in range(num_outputs)]
        return build(self, metrics, num_outputs, *args, **kwargs)

    CompileMetrics.__init__, CompileMetrics._build_metrics_set = new_init, new_build


def _listed(metrics: Any) -> Any:
    return metrics if metrics is None or isinstance(metrics, list | tuple | dict) else [metrics]


def _copy(metric: Any) -> Any:
    return type(metric).from_config(metric.get_config()) if isinstance(metric, keras.metrics.Metric) else metric
