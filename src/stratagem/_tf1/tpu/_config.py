"""The configuration of a TPUEstimator: TPUConfig, InputPipelineConfig, and RunConfig with both."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, final

from stratagem._base.exports import exported
from stratagem._base.types import UserFunction
from stratagem._cluster import ClusterResolver
from stratagem._tf1.estimator import RunConfig


@exported(v1=["estimator.tpu.InputPipelineConfig"])
@final
class InputPipelineConfig:
    """Ways in which TensorFlow calls an input_fn on TPUs, as `tf.compat.v1.estimator.tpu.InputPipelineConfig`."""

    PER_SHARD_V1: Final = 1
    PER_HOST_V1: Final = 2
    PER_HOST_V2: Final = 3
    BROADCAST: Final = 4
    SLICED: Final = 5


_CORES: Final = (1, 2, 4, 8, 16, 32, 64, 128)


@exported(v1=["estimator.tpu.TPUConfig"])
@final
@dataclass(frozen=True)
class TPUConfig:
    """The TPU's part of the configuration, as `tf.compat.v1.estimator.tpu.TPUConfig`.

    The values are checked and kept; most configure TensorFlow's queues between host and TPU, which are not here.

    iterations_per_loop: the steps that TensorFlow takes between two returns to the host; a number, or a time such as "30s".
    num_cores_per_replica: more than 1 is refused by TPUEstimator, on TPUs: a replica is one core here.
    per_host_input_for_training: True and False mean PER_HOST_V1 and PER_SHARD_V1.

    Raises ValueError for a value that TensorFlow refuses.
    """

    iterations_per_loop: int | str = 2
    num_shards: int | None = None
    num_cores_per_replica: int | None = None
    per_host_input_for_training: int | bool = True
    tpu_job_name: str | None = None
    initial_infeed_sleep_secs: int | None = None
    input_partition_dims: Sequence[Any] | None = None
    eval_training_input_configuration: int = InputPipelineConfig.PER_HOST_V1
    experimental_host_call_every_n_steps: int = 1
    experimental_allow_per_host_v2_parallel_get_next: bool = False
    experimental_feed_hook: UserFunction | None = None

    def __post_init__(self) -> None:
        _check_iterations(self.iterations_per_loop)
        for name in ("num_shards", "initial_infeed_sleep_secs"):
            check_positive(getattr(self, name) or None, f"TPUConfig {name}")
        if self.num_shards == 0:
            raise ValueError("TPUConfig num_shards must be positive, got 0.")
        if self.num_cores_per_replica is not None and self.num_cores_per_replica not in _CORES:
            raise ValueError(f"num_cores_per_replica must be one of {_CORES}; got {self.num_cores_per_replica}")
        if self.eval_training_input_configuration not in (InputPipelineConfig.PER_HOST_V1, InputPipelineConfig.SLICED):
            raise ValueError(
                "eval_training_input_configuration must be PER_HOST_V1 or SLICED; got "
                f"{self.eval_training_input_configuration}"
            )
        self._check_dims()
        given = self.per_host_input_for_training
        if isinstance(given, bool):
            found = InputPipelineConfig.PER_HOST_V1 if given else InputPipelineConfig.PER_SHARD_V1
            object.__setattr__(self, "per_host_input_for_training", found)

    def _check_dims(self) -> None:
        dims = self.input_partition_dims
        if dims is None:
            return
        if len(dims) not in (1, 2):
            raise ValueError("input_partition_dims must be a list/tuple with one or two elements.")
        if (
            isinstance(self.per_host_input_for_training, bool)
            or self.per_host_input_for_training != InputPipelineConfig.PER_HOST_V2
        ):
            raise ValueError("input_partition_dims is only supported in PER_HOST_V2 mode.")
        if self.num_cores_per_replica is None:
            raise ValueError("input_partition_dims requires setting num_cores_per_replica.")


@exported(v1=["estimator.tpu.RunConfig"])
class TPURunConfig(RunConfig):
    """`tf.compat.v1.estimator.tpu.RunConfig`: the configuration of an Estimator, and that of its TPUs.

    It is a RunConfig, as in TensorFlow, where model_fns ask for either. tpu_config: by default `TPUConfig()`. master,
    evaluation_master: addresses that are kept. cluster: a resolver, which is kept. kwargs: the arguments of RunConfig.

    Raises ValueError for both master and cluster, TypeError for another tpu_config, and as RunConfig.
    """

    tpu_config: TPUConfig
    cluster: ClusterResolver | None

    def __init__(
        self,
        tpu_config: TPUConfig | None = None,
        evaluation_master: str | None = None,
        master: str | None = None,
        cluster: ClusterResolver | None = None,
        **kwargs: Any,
    ) -> None:
        if tpu_config is not None and not isinstance(tpu_config, TPUConfig):
            raise TypeError(f"tpu_config must be a tf.compat.v1.estimator.tpu.TPUConfig, got {tpu_config!r}.")
        if master is not None and cluster is not None:
            raise ValueError("Both master and cluster are set.")
        super().__init__(**kwargs)
        address = cluster.master() if cluster is not None else master
        used = RunConfig.master.fget(self) if address is None else address  # type: ignore[attr-defined]
        evaluation = RunConfig.evaluation_master.fget(self) or used  # type: ignore[attr-defined]
        self._set(
            tpu_config=tpu_config or TPUConfig(),
            cluster=cluster,
            _master=used,
            _evaluation_master=evaluation if evaluation_master is None else evaluation_master,
        )

    @property
    def master(self) -> str:
        """The address of the TPU's host that was given, or that of the cluster."""
        found: str = vars(self)["_master"]
        return found

    @property
    def evaluation_master(self) -> str:
        """The address for evaluation; by default `master`."""
        found: str = vars(self)["_evaluation_master"]
        return found


def check_positive(value: int | None, name: str) -> None:
    """Raises TypeError for what is no integer, ValueError for one that is not positive. None is allowed."""
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{name} must be int, got {value!r}.")
    if value < 1:
        raise ValueError(f"{name} must be positive, got {value}.")


def _check_iterations(iterations: Any) -> None:
    if isinstance(iterations, str) and not iterations.isdecimal():
        if not re.fullmatch(r"[1-9][0-9]*[smh]", iterations):
            raise ValueError(
                f"Invalid TPUConfig `iterations_per_loop` value {iterations!r}: a number of steps, or a time such as 30s, 5m "
                "or 1h."
            )
        return
    check_positive(int(iterations) if isinstance(iterations, str) else iterations, "TPUConfig iterations_per_loop")
