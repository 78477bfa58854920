"""TPUEstimator: an Estimator whose input_fn and model_fn are told the size of batches, on TPUs or without them."""

import logging
import os
from collections.abc import Callable
from typing import Any

from stratagem._base.errors import NotFoundError, UnimplementedError
from stratagem._base.exports import exported
from stratagem._strategies import AbstractStrategy, TPUStrategy
from stratagem._tf1.estimator import Estimator, EstimatorSpec, ModeKeys, argument_names, call_with
from stratagem._tf1.tpu._config import InputPipelineConfig, TPURunConfig, check_positive
from stratagem._tf1.tpu._spec import TPUEstimatorSpec

_log = logging.getLogger("stratagem.estimator")

_RESERVED = ("batch_size", "context", "use_tpu")


@exported(v1=["estimator.tpu.TPUEstimator"])
class TPUEstimator(Estimator):
    """An Estimator for TPUs, as `tf.compat.v1.estimator.tpu.TPUEstimator`.

    model_fn: returns a TPUEstimatorSpec or an EstimatorSpec; it takes `params`, which have `batch_size` and `use_tpu`.
    Input functions take `params`, too. config: a `tpu.RunConfig`.
    use_tpu: False trains on one device, or under the strategy of the config, with the whole batch size. True trains on all TPU
    cores of this machine by TPUStrategy; `params["batch_size"]` is then that of one core.
    train_batch_size, eval_batch_size, predict_batch_size: of all cores together.
    eval_on_tpu: False evaluates on one device. batch_axis: refused on TPUs unless all are 0.
    export_to_tpu, export_to_cpu, export_saved_model_api_version: kept; an exported model runs on any device.

    Raises:
        ValueError: the config is another, params have a reserved key, a size is missing or is not divisible by the cores, or
            as Estimator.
        NotFoundError: use_tpu without TPUs.
        UnimplementedError: an embedding_config_spec, or cores that share a replica.
    """

    def __init__(
        self,
        model_fn: Callable[..., EstimatorSpec | TPUEstimatorSpec] | None = None,
        model_dir: str | os.PathLike[str] | None = None,
        config: TPURunConfig | None = None,
        params: dict[str, Any] | None = None,
        use_tpu: bool = True,
        train_batch_size: int | None = None,
        eval_batch_size: int | None = None,
        predict_batch_size: int | None = None,
        batch_axis: Any = None,
        eval_on_tpu: bool = True,
        export_to_tpu: object = True,
        export_to_cpu: object = True,
        warm_start_from: Any = None,
        embedding_config_spec: Any = None,
        export_saved_model_api_version: object = 1,
    ) -> None:
        if not isinstance(config, TPURunConfig):
            raise ValueError("`config` must be provided with type `tf.compat.v1.estimator.tpu.RunConfig`")
        if model_fn is None:
            raise ValueError("model_fn must be provided to TPUEstimator.")
        if taken := [key for key in _RESERVED if key in (params or {})]:
            raise ValueError(f"{taken} are reserved keys but existed in params {params}.")
        if embedding_config_spec is not None:
            raise UnimplementedError(
                "TPUEstimator: embedding_config_spec is not provided; tables of tf.feature_column.embedding_column are on all "
                "cores, or on parameter servers."
            )
        sizes = {
            ModeKeys.TRAIN: ("train_batch_size", train_batch_size),
            ModeKeys.EVAL: ("eval_batch_size", eval_batch_size),
            ModeKeys.PREDICT: ("predict_batch_size", predict_batch_size),
        }
        for name, size in sizes.values():
            check_positive(size, name)
        strategy = _tpu_strategy(config, train_batch_size, batch_axis) if use_tpu else None
        self._on_tpu = {ModeKeys.TRAIN: use_tpu, ModeKeys.EVAL: use_tpu and eval_on_tpu, ModeKeys.PREDICT: False}
        self._batch_sizes = {
            mode: _of_replica(name, size, strategy if self._on_tpu[mode] else None)
            for mode, (name, size) in sizes.items()
        }
        if strategy is not None:
            config = config.replace(train_distribute=strategy, eval_distribute=strategy if eval_on_tpu else None)  # type: ignore[assignment]
        super().__init__(_with_estimator_specs(model_fn), model_dir, config, params, warm_start_from)

    def _params_in(self, mode: str) -> dict[str, Any]:
        """Returns a copy of the parameters, and the size of batches, if it is known, and whether there are TPUs."""
        size = self._batch_sizes[mode]
        known: dict[str, Any] = {} if size is None else {"batch_size": size}
        return {**self.params, **known, "use_tpu": self._on_tpu[mode]}

    def _check_input_fn(self, input_fn: Callable[..., Any]) -> None:
        if "params" not in argument_names(input_fn):
            raise ValueError(
                f"input_fn ({input_fn}) does not include params argument, required by TPUEstimator to pass batch size as "
                'params["batch_size"]'
            )


def _with_estimator_specs(model_fn: Callable[..., Any]) -> Callable[..., EstimatorSpec]:
    """Returns the model_fn as one that returns EstimatorSpecs. Raises ValueError for one without `features` and `params`."""
    names = argument_names(model_fn)
    for name in ("features", "params"):
        if name not in names:
            raise ValueError(
                f"model_fn ({model_fn}) does not include {name} argument"
                + (", required by TPUEstimator to pass batch size as params['batch_size']" if name == "params" else ".")
            )
    if unknown := sorted(names - {"features", "labels", "mode", "params", "config"}):
        raise ValueError(f"model_fn ({model_fn}) has following not expected args: {unknown}.")

    def of_estimator(features: Any, labels: Any, mode: str, params: Any, config: Any) -> EstimatorSpec:
        if labels is not None and "labels" not in names:
            raise ValueError("model_fn does not take labels, but input_fn returns labels.")
        given = {"features": features, "labels": labels, "mode": mode, "params": params, "config": config}
        made = call_with(model_fn, **given)
        return made.as_estimator_spec() if isinstance(made, TPUEstimatorSpec) else made

    return of_estimator


def _tpu_strategy(config: TPURunConfig, train_batch_size: int | None, batch_axis: Any) -> AbstractStrategy:
    """Returns the strategy of all TPU cores. Raises NotFoundError without TPUs, and for what one step over them cannot do."""
    if train_batch_size is None:
        raise ValueError("`train_batch_size` cannot be `None`")
    if (config.tpu_config.num_cores_per_replica or 1) > 1:
        raise UnimplementedError(
            f"TPUConfig: num_cores_per_replica={config.tpu_config.num_cores_per_replica}: a replica is one core here. Leave it "
            "out, or divide the model with keras.distribution."
        )
    if config.tpu_config.per_host_input_for_training == InputPipelineConfig.BROADCAST:
        raise UnimplementedError(
            "TPUConfig: InputPipelineConfig.BROADCAST is not provided: every core takes batches of its own. Use PER_HOST_V2."
        )
    if batch_axis is not None and any(axis not in (0, None) for axis in batch_axis):
        raise UnimplementedError(
            f"TPUEstimator: batch_axis={batch_axis}: rows are in dimension 0 of every tensor here."
        )
    if config.train_distribute is not None:
        raise ValueError(
            "TPUEstimator with use_tpu=True trains by TPUStrategy: leave train_distribute out of its RunConfig."
        )
    try:
        return TPUStrategy()
    except (NotFoundError, ValueError) as error:
        raise NotFoundError(
            f"TPUEstimator: use_tpu=True, and JAX finds no TPU in this process ({error}). Pass use_tpu=False to train on its "
            "other devices."
        ) from error


def _of_replica(name: str, size: int | None, strategy: AbstractStrategy | None) -> int | None:
    """Returns the size of one core's batches. Raises ValueError if the cores do not divide it."""
    if size is None or strategy is None:
        return size
    cores = strategy.num_replicas_in_sync
    if size % cores:
        raise ValueError(f"{name} {size} must be divisible by the number of TPU cores, {cores}.")
    return size // cores
