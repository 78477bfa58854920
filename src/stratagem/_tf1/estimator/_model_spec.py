"""ModeKeys: the modes of a model_fn; EstimatorSpec: its result, checked for the mode."""

import math
from collections.abc import Iterable
from typing import Any, Final, NamedTuple, final

import keras

from stratagem._base.exports import exported
from stratagem._ops import is_tensor, reshape
from stratagem._tf1.estimator._class_names import ClassNames
from stratagem._tf1.estimator._scaffold import Scaffold
from stratagem._tf1.estimator._session_run_hook import SessionRunHook
from stratagem._tf1.estimator._train_eval_specs import checked_hooks
from stratagem._tf1.estimator.export import ExportOutput
from stratagem._tf1.graph import MetricValue, Operation


@exported("estimator.ModeKeys")
@final
class ModeKeys:
    """The modes that a model_fn is called in, as `tf.estimator.ModeKeys`."""

    TRAIN: Final = "train"
    EVAL: Final = "eval"
    PREDICT: Final = "infer"


_NEEDED: Final = {
    ModeKeys.TRAIN: ("train_op", "loss"),
    ModeKeys.EVAL: ("loss",),
    ModeKeys.PREDICT: ("predictions",),
}


class _EstimatorSpecFields(NamedTuple):
    """The fields of an EstimatorSpec."""

    mode: str
    predictions: Any
    loss: Any
    train_op: Any
    eval_metric_ops: dict[str, Any]
    export_outputs: dict[str, ExportOutput] | None
    training_chief_hooks: tuple[SessionRunHook, ...]
    training_hooks: tuple[SessionRunHook, ...]
    scaffold: Scaffold
    evaluation_hooks: tuple[SessionRunHook, ...]
    prediction_hooks: tuple[SessionRunHook, ...]


@exported("estimator.EstimatorSpec")
@final
class EstimatorSpec(_EstimatorSpecFields):
    """The result of a model_fn, as `tf.estimator.EstimatorSpec`.

    It may give everything in every mode; unused parts are ignored.

    mode: the mode that the model_fn was called in.
    predictions: a tensor, or a dict of tensors, with the rows of the batch in dimension 0; required in PREDICT.
    loss: a tensor with one element; required in TRAIN and EVAL.
    train_op: the operation of a training step, such as `optimizer.minimize(loss)`; required in TRAIN.
    eval_metric_ops: metrics by name: results of functions of `tf.compat.v1.metrics`, or updated Keras metrics.
    export_outputs: ExportOutputs by name.
    training_chief_hooks: run on the chief only.
    training_hooks, evaluation_hooks, prediction_hooks: run around every step of that mode.
    scaffold: the parts of the session that the model sets up itself.

    Raises:
        ValueError: a part required in this mode is missing, or the loss has several elements.
        TypeError: an argument has the wrong type.
    """

    def __new__(
        cls,
        mode: str,
        predictions: Any = None,
        loss: Any = None,
        train_op: Any = None,
        eval_metric_ops: dict[str, Any] | None = None,
        export_outputs: dict[str, ExportOutput] | None = None,
        training_chief_hooks: Iterable[SessionRunHook] | None = None,
        training_hooks: Iterable[SessionRunHook] | None = None,
        scaffold: Scaffold | None = None,
        evaluation_hooks: Iterable[SessionRunHook] | None = None,
        prediction_hooks: Iterable[SessionRunHook] | None = None,
    ) -> "EstimatorSpec":
        given = {"predictions": predictions, "loss": loss, "train_op": train_op}
        for name in _NEEDED.get(mode, ()):
            if given[name] is None:
                raise ValueError(
                    f"Missing {name}. A model_fn called with mode={mode!r} has to return it in its EstimatorSpec."
                )
        if train_op is not None and not (isinstance(train_op, Operation) or is_tensor(train_op)):
            raise TypeError(f"train_op must be Operation or Tensor, got {train_op!r}.")
        return super().__new__(
            cls,
            mode,
            _checked_predictions(predictions),
            None if loss is None else _checked_loss(loss),
            train_op,
            _checked_metrics(eval_metric_ops),
            _checked_outputs(export_outputs) if mode == ModeKeys.PREDICT else export_outputs,
            checked_hooks(training_chief_hooks),
            checked_hooks(training_hooks),
            _checked_scaffold(scaffold),
            checked_hooks(evaluation_hooks),
            checked_hooks(prediction_hooks),
        )

    def _replace(self, **changes: Any) -> "EstimatorSpec":
        """Returns a checked copy with other values. Raises ValueError for another mode."""
        if changes.get("mode", self.mode) != self.mode:
            raise ValueError(
                f"The mode of an EstimatorSpec cannot be changed, from {self.mode!r} to {changes['mode']!r}."
            )
        return EstimatorSpec(**(self._asdict() | changes))


def _checked_loss(loss: Any) -> Any:
    """Returns the loss as a scalar."""
    if not is_tensor(loss):
        raise TypeError(f"loss must be Tensor, got {loss!r}.")
    if math.prod(loss.shape) != 1:
        raise ValueError(
            f"Loss must be scalar, got one of the shape {tuple(loss.shape)}. Reduce it, by tf.reduce_mean say."
        )
    return reshape(loss, ()) if tuple(loss.shape) else loss


def _checked_predictions(predictions: Any) -> Any:
    if predictions is None:
        return {}
    named = predictions if isinstance(predictions, dict) else {"": predictions}
    for key, value in named.items():
        if not is_tensor(value) and not isinstance(value, ClassNames):
            raise TypeError(f"predictions{f'[{key}]' if key else ''} must be Tensor, got {value!r}.")
    return predictions


def _checked_metrics(metrics: Any) -> dict[str, Any]:
    """Returns metrics by name, each a Keras metric or a pair of a value and the operation that updates it.

    The operation may be None, the result of a Keras metric's `update_state`.
    """
    if metrics is None:
        return {}
    if not isinstance(metrics, dict):
        raise TypeError(f"eval_metric_ops must be a dict, got {metrics!r}.")
    for key, value in metrics.items():
        if not isinstance(value, keras.metrics.Metric) and not (isinstance(value, tuple) and len(value) == 2):
            raise TypeError(
                "Values of eval_metric_ops must be Keras metrics or (metric_value, update_op) tuples, "
                f"got {value!r} for key {key!r}."
            )
        if isinstance(value, tuple):
            _check_pair(key, *value)
    return metrics


def _check_pair(key: str, value: Any, update: Any) -> None:
    where = f"eval_metric_ops[{key!r}]"
    if isinstance(value, Operation) or not (isinstance(value, MetricValue) or is_tensor(value)):
        raise TypeError(
            f"{where}: the value must be Tensor, a variable, or the value that a function of tf.compat.v1.metrics returns, got "
            f"{value!r}. An update_op, which changes the metric, is the second of the pair."
        )
    if not (update is None or isinstance(update, Operation) or is_tensor(update)):
        raise TypeError(f"{where}: update_op must be Operation or Tensor, got {update!r}.")


def _checked_outputs(outputs: Any) -> Any:
    if outputs is not None and not isinstance(outputs, dict):
        raise TypeError(f"export_outputs must be dict, got {outputs!r}.")
    for key, output in (outputs or {}).items():
        if not isinstance(output, ExportOutput):
            raise TypeError(f"Values in export_outputs must be ExportOutput objects, got {output!r} for key {key!r}.")
    return outputs


def _checked_scaffold(scaffold: Any) -> Scaffold:
    if scaffold is not None and not isinstance(scaffold, Scaffold):
        raise TypeError(f"scaffold must be tf.train.Scaffold, got {scaffold!r}.")
    return scaffold or Scaffold()
