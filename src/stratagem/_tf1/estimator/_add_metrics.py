"""add_metrics: an Estimator with more metrics."""

from collections.abc import Callable
from typing import Any

from stratagem._base.exports import exported
from stratagem._tf1.estimator._call import argument_names, call_with
from stratagem._tf1.estimator._estimator import Estimator
from stratagem._tf1.estimator._model_spec import EstimatorSpec, ModeKeys

_ARGUMENTS = {"features", "labels", "predictions", "config"}


@exported("estimator.add_metrics")
def add_metrics(estimator: Estimator, metric_fn: Callable[..., dict[str, Any]]) -> Estimator:
    """Returns a new Estimator that also evaluates the metrics that `metric_fn` returns, as `tf.estimator.add_metrics`.

    metric_fn: takes any of `features`, `labels`, `predictions`, `config`, and returns metrics in the form of
        `eval_metric_ops`. They replace metrics of the same names.

    Raises:
        TypeError: `estimator` is not an Estimator.
        ValueError: metric_fn has other arguments.
    """
    if not isinstance(estimator, Estimator):
        raise TypeError(f"estimator must be a tf.estimator.Estimator, got {estimator!r}.")
    unknown = sorted(argument_names(metric_fn) - _ARGUMENTS)
    if unknown:
        raise ValueError(
            f"metric_fn ({metric_fn}) has following not expected args: {unknown}. It may have {sorted(_ARGUMENTS)}."
        )

    def model_fn(features: Any, labels: Any, mode: str, config: Any) -> EstimatorSpec:
        spec: EstimatorSpec = estimator.model_fn(features, labels, mode, config)
        if mode != ModeKeys.EVAL:
            return spec
        known = {"features": features, "labels": labels, "predictions": spec.predictions, "config": config}
        return spec._replace(eval_metric_ops={**spec.eval_metric_ops, **call_with(metric_fn, **known)})

    return Estimator(model_fn, config=estimator.config, warm_start_from=estimator.warm_start)
