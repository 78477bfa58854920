"""TPUEstimatorSpec: the result of a TPUEstimator's model_fn."""

import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, final

from stratagem._base.errors import UnimplementedError
from stratagem._base.exports import exported
from stratagem._tf1.estimator import EstimatorSpec, ModeKeys, Scaffold, SessionRunHook
from stratagem._tf1.estimator.export import ExportOutput
from stratagem._tf1.graph import Operation, group, operations

# A function, and its arguments: tensors in order or by name.
Call = tuple[Callable[..., Any], Any]


@exported(v1=["estimator.tpu.TPUEstimatorSpec"])
@final
@dataclass(frozen=True, eq=False)
class TPUEstimatorSpec:
    """The result of a model_fn, as `tf.compat.v1.estimator.tpu.TPUEstimatorSpec`.

    eval_metrics: a function and its tensors, in a list or by name; it returns metrics in the form of `eval_metric_ops`.
    host_call: a function and its tensors; the operations that it returns, of tf.summary for example, run in every step.
    scaffold_fn: returns the Scaffold. The other parts are those of EstimatorSpec.

    Raises ValueError, TypeError and RuntimeError for a call that is no pair of a function and its arguments; TypeError for
    what is no hook.
    """

    mode: str
    predictions: Any = None
    loss: Any = None
    train_op: Any = None
    eval_metrics: Call | None = None
    export_outputs: dict[str, ExportOutput] | None = None
    scaffold_fn: Callable[[], Scaffold] | None = None
    host_call: Call | None = None
    training_hooks: Iterable[SessionRunHook] | None = None
    evaluation_hooks: Iterable[SessionRunHook] | None = None
    prediction_hooks: Iterable[SessionRunHook] | None = None

    def __post_init__(self) -> None:
        for name in ("eval_metrics", "host_call"):
            if getattr(self, name) is not None:
                _check_call(name, getattr(self, name))
        for name in ("training_hooks", "evaluation_hooks", "prediction_hooks"):
            hooks = tuple(getattr(self, name) or ())
            for hook in hooks:
                if not isinstance(hook, SessionRunHook):
                    raise TypeError(f"All hooks must be SessionRunHook instances, given: {hook!r}.")
            object.__setattr__(self, name, hooks)

    def as_estimator_spec(self) -> EstimatorSpec:
        """Returns the same as an EstimatorSpec. Calls the functions of `eval_metrics`, `host_call` and `scaffold_fn`."""
        metrics: Any = None if self.eval_metrics is None else _called(self.eval_metrics)
        train_op: Any = self.train_op
        effects = [] if self.host_call is None else _operations(_called(self.host_call))
        if effects and self.mode == ModeKeys.TRAIN:
            train_op = group(train_op, *effects)
        elif effects and self.mode == ModeKeys.EVAL:
            metrics = _with_effects(metrics, effects)
        return EstimatorSpec(
            self.mode,
            self.predictions,
            self.loss,
            train_op,
            metrics,
            self.export_outputs,
            training_hooks=self.training_hooks,
            scaffold=None if self.scaffold_fn is None else self.scaffold_fn(),
            evaluation_hooks=self.evaluation_hooks,
            prediction_hooks=self.prediction_hooks,
        )


def _check_call(name: str, call: Any) -> None:
    if not isinstance(call, tuple | list):
        raise ValueError(f"{name} should be tuple or list, got {call!r:.200}.")
    if len(call) != 2:
        raise ValueError(f"{name} should have two elements, a function and its tensors, got {len(call)}.")
    function, tensors = call
    if not callable(function):
        raise TypeError(f"{name}[0] should be callable, got {function!r:.200}.")
    if not isinstance(tensors, tuple | list | dict):
        raise ValueError(f"{name}[1] should be tuple or list, or dict, got {tensors!r:.200}.")
    parameters = inspect.signature(function).parameters.values()
    if isinstance(tensors, dict) or any(p.kind is p.VAR_POSITIONAL for p in parameters):
        return
    if len(tensors) != len(parameters):
        raise RuntimeError(
            f"In TPUEstimatorSpec.{name}, length of tensors {len(tensors)} does not match method args of the function, which "
            f"takes {len(parameters)}."
        )


def _called(call: Call) -> Any:
    function, tensors = call
    return function(**tensors) if isinstance(tensors, dict) else function(*tensors)


def _operations(made: Any) -> list[Operation]:
    listed: Any = made
    if isinstance(listed, dict):
        listed = list(listed.values())
    return operations(listed if isinstance(listed, list | tuple) else [listed])


def _with_effects(metrics: Any, effects: list[Operation]) -> dict[str, Any]:
    """Returns metrics, the first of which runs operations with its update."""
    pairs = {name: value for name, value in (metrics or {}).items() if isinstance(value, tuple)}
    if not pairs:
        raise UnimplementedError(
            "host_call returned operations in an evaluation without metrics of tf.compat.v1.metrics, whose updates would run "
            "them: return None there, or add a metric."
        )
    name, (value, update) = next(iter(pairs.items()))
    return {**metrics, name: (value, group(update, *effects))}
