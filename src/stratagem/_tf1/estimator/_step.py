"""One step of a model in one mode: the calls and operations of its trace, and its results."""

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, final

import jax
import jax.numpy as jnp
import keras

from stratagem._core.context import current
from stratagem._core.reduce_op import ReduceOp
from stratagem._core.step import agreed
from stratagem._core.values import on_read
from stratagem._private import KerasVariable
from stratagem._strategies import AbstractStrategy
from stratagem._tf1.estimator._class_names import ClassNames
from stratagem._tf1.estimator._hook_captures import operations_in, tensors_in
from stratagem._tf1.estimator._input import features_and_labels, row_count
from stratagem._tf1.estimator._model_spec import EstimatorSpec, ModeKeys
from stratagem._tf1.estimator._session_run_hook import SessionRunHook
from stratagem._tf1.graph import GraphKeys, ModelBuild, ModelState, Operation

CallModel = Callable[[Any, Any, bool], EstimatorSpec]  # features, labels, whether it is the first call

_LOSS = "loss"


@final
@dataclass(frozen=True)
class ModelFnResults:
    """The results of the first call of a model_fn.

    Later traces make the same again, but the hooks and the spec here stay in use.

    mean_loss: the metric of an evaluation's loss.
    keys: the key in `StepResults.tensors`, or "loss", of every tensor that can be fetched, by its id.
    tensors: these tensors, which keep their ids as long as they live.
    """

    spec: EstimatorSpec
    building: ModelBuild
    mean_loss: Any
    keys: dict[int, str] = field(default_factory=dict)
    tensors: list[Any] = field(default_factory=list)

    @property
    def loss(self) -> Any:
        """The loss over all replicas, as the step returns it."""
        return self.tensors[-1]

    def note(self, tensor: Any, key: str) -> None:
        """Makes a tensor available under this key."""
        self.keys.setdefault(id(tensor), key)
        self.tensors.append(tensor)

    def key_of(self, tensor: Any) -> str | None:
        """Returns the key of a tensor of the first trace; None if the step does not return it."""
        return self.keys.get(id(tensor))


@final
class ModelStep:
    """A step, traced by its runner: `step(batch, asked, final)` in the scope of `strategy`.

    It returns a dict with "loss", "before" (the global step) and "tensors" (the tensors for hooks and callers, by key).
    """

    def __init__(self, call: CallModel, graph: ModelState, mode: str, strategy: AbstractStrategy) -> None:
        self._call = call
        self.graph, self.mode, self.strategy = graph, mode, strategy
        self._asked: tuple[str, ...] = ()
        self._built: ModelFnResults | None = None

    @property
    def name(self) -> str:
        """A name for log lines and errors."""
        return f"the {self.mode} step of a model_fn"

    @property
    def asked(self) -> tuple[str, ...]:
        """The names of tensors that have been requested so far."""
        return self._asked

    def ask(self, names: set[str]) -> None:
        """Adds the tensors of these names (given by `tf.identity`) to the results, from the next step on."""
        if not names <= set(self._asked):
            self._asked = tuple(sorted({*self._asked, *names}))

    @property
    def built(self) -> ModelFnResults:
        """The results of the first trace. Raises RuntimeError before it."""
        if self._built is None:
            raise RuntimeError("The model has not been built yet.")
        return self._built

    def __call__(self, batch: Any, asked: tuple[str, ...], final: bool = False) -> dict[str, Any]:
        """Runs the step, in cross-replica code of a trace. final: runs no update, and only computes the values of metrics."""
        first = self._built is None
        results: dict[str, Any] = self.strategy.run(self._replica, args=(batch, asked, final))
        if "loss" in results:
            results["loss"] = self._reported(results)
            if first:
                self.built.note(results["loss"], _LOSS)
        return dict(agreed(results))

    def _reported(self, results: dict[str, Any]) -> Any:
        """Returns the loss over all replicas. In an uneven batch, some may have no rows, and so no loss."""
        loss, scaled, counts = results["loss"], results.pop("scaled"), results.pop("counts")
        recorder: Any = current().recorder
        if recorder.even or not scaled:
            return self.strategy.reduce(ReduceOp.MEAN if scaled else ReduceOp.SUM, loss, None)
        return self.strategy.reduce(ReduceOp.SUM, loss, None) / self.strategy.reduce(ReduceOp.SUM, counts, None)

    def _replica(self, batch: Any, asked: tuple[str, ...], final: bool) -> dict[str, Any]:
        features, labels = features_and_labels(batch)
        with self.graph.building(self.mode) as building:
            before = self.graph.global_step.value
            with self._only_operations(final):
                spec = self._call(features, labels, self._built is None)
            hooks = hooks_of(spec, self.mode)
            tensors = {**tensors_in(hooks), **_named(building, asked), **_summaries(building)}
            loss_metric = None
            if self.mode == ModeKeys.TRAIN:
                run_operation(spec.train_op)
            elif self.mode == ModeKeys.EVAL:
                loss_metric = self.graph.kept("estimator/loss", _new_mean)
                if final:
                    tensors |= {f"metric {n}": _present(m[0]) for n, m in spec.eval_metric_ops.items() if is_plain(m)}
                else:
                    _update_metrics(spec, loss_metric, features)
            else:
                tensors |= _predictions(spec)
            tensors |= _done(building, hooks)
            if self._built is None:
                self._remember(spec, building, tensors, loss_metric)
        results = {"before": before, "tensors": {k: jnp.asarray(v) for k, v in tensors.items()}}
        if spec.loss is not None:
            empty = row_count(features) == 0
            counts = jnp.zeros((), spec.loss.dtype) if empty else jnp.ones((), spec.loss.dtype)
            results |= {"loss": counts if empty else spec.loss, "scaled": _is_scaled(building), "counts": counts}
        return results

    @contextlib.contextmanager
    def _only_operations(self, final: bool) -> Iterator[None]:
        """Undoes what Keras objects assign at once while the body calls a model_fn that does not train.

        Assignments to metrics are kept, or, with `final`, ignored.
        """
        if self.mode == ModeKeys.TRAIN:
            yield
            return
        recorder: Any = current().recorder
        with recorder.undoing_assignments(on_read), recorder.ignoring(on_read) if final else contextlib.nullcontext():
            yield

    def _remember(
        self,
        spec: EstimatorSpec,
        building: ModelBuild,
        tensors: dict[str, Any],
        loss_metric: Any,
    ) -> None:
        self._built = ModelFnResults(spec, building, loss_metric)
        for key, tensor in tensors.items():
            self._built.note(tensor, key)
        self._built.note(spec.loss, _LOSS)


def hooks_of(spec: EstimatorSpec, mode: str) -> list[SessionRunHook]:
    """Returns the model's own hooks of a mode."""
    if mode == ModeKeys.TRAIN:
        return [*spec.training_hooks, *spec.training_chief_hooks]
    return list(spec.evaluation_hooks if mode == ModeKeys.EVAL else spec.prediction_hooks)


def is_plain(metric: Any) -> bool:
    """Returns True for a pair of eval_metric_ops whose value is a variable, or a tensor that the model_fn computed."""
    return isinstance(metric, tuple) and isinstance(metric[0], jax.Array | KerasVariable)


def _present(value: Any) -> jax.Array:
    """Returns a plain value of a metric after all updates; for a variable with a part on each replica, over all replicas."""
    recorder: Any = current().recorder
    with recorder.aggregated_reads():
        return jnp.asarray(value)


def is_updated(metric: Any, recorder: Any) -> bool:
    """Returns True if a Keras metric has no variables, or if some have been assigned in this trace."""
    return not metric.variables or any(id(variable) in recorder.written for variable in metric.variables)


def demand_update(metric: Any) -> None:
    """Raises ValueError for a Keras metric that the model_fn did not update."""
    if not is_updated(metric, current().recorder):
        raise ValueError(
            f'Please call update_state(...) on the "{metric.name}" metric, in the model_fn, before it goes into '
            "eval_metric_ops."
        )


def run_operation(op: Any) -> Any:
    """Returns the result of an operation, which is run, or of what a step computed already: a tensor, or None."""
    return op.run() if isinstance(op, Operation) else op


def _new_mean() -> Any:
    return keras.metrics.Mean(name="loss")


def _update_metrics(spec: EstimatorSpec, mean_loss: Any, features: Any) -> None:
    for metric in spec.eval_metric_ops.values():
        if isinstance(metric, tuple):
            run_operation(metric[1])
        else:
            demand_update(metric)
    # A replica without rows in the last batch has no loss, but updates too: all replicas run the same program.
    empty = row_count(features) == 0
    mean_loss.update_state(jnp.zeros_like(spec.loss) if empty else spec.loss, sample_weight=0.0 if empty else 1.0)


def _named(building: ModelBuild, asked: tuple[str, ...]) -> dict[str, Any]:
    missing = [name for name in asked if name not in building.named]
    if missing:
        raise KeyError(
            f"A hook asks for the tensor {missing[0]!r}, and the model_fn has none of this name. It named "
            f"{', '.join(building.named) or 'none'}: tf.identity(x, name=...) gives a tensor a name."
        )
    return {f"name {name}": building.named[name] for name in asked}


def _done(building: ModelBuild, hooks: list[SessionRunHook]) -> dict[str, Any]:
    """Returns the results that are tensors, of the hooks' operations that the step has run."""
    results = {place: building.done.get(id(op), (op, None))[1] for place, op in operations_in(hooks).items()}
    return {place: result for place, result in results.items() if isinstance(result, jax.Array)}


def _summaries(building: ModelBuild) -> dict[str, Any]:
    found = [tensor for kind, _, tensor in building.summaries if kind != "text"]  # text is known before the step runs
    return {f"summary {number}": tensor for number, tensor in enumerate(found)}


def _predictions(spec: EstimatorSpec) -> dict[str, Any]:
    named = spec.predictions if isinstance(spec.predictions, dict) else {"": spec.predictions}
    given = {name: value.indices if isinstance(value, ClassNames) else value for name, value in named.items()}
    return {f"prediction {name}": value for name, value in given.items()}


def _is_scaled(building: ModelBuild) -> bool:
    """Returns True if the optimizer took the loss as a mean over replicas.

    If not, it is reported as a sum, as in TensorFlow.
    """
    by_optimizer = bool(building.collections[GraphKeys.TRAIN_OP])
    return by_optimizer and building.loss_reduction != "weighted_sum"
