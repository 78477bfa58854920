"""RunConfig: how an Estimator trains, saves and logs, and which task of the cluster it is."""

import copy
import dataclasses
import inspect
import logging
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from stratagem._base.exports import exported
from stratagem._base.storage import checked_path
from stratagem._checkpoints import CheckpointOptions
from stratagem._cluster import ClusterSpec, ConfigProto, tf_config
from stratagem._servers.strategy import ParameterServerStrategy
from stratagem._strategies import AbstractStrategy
from stratagem._tf1.estimator._task_info import TaskInfo, task_info_of

_log = logging.getLogger("stratagem.estimator")

_DEFAULT: Final[Any] = object()  # `None` means "never"
_SAVE_EVERY_SECS = 600
_SERVERS = (
    "A ParameterServerStrategy is not for RunConfig: to train with parameter servers, describe the cluster (chief, worker, "
    "ps) in TF_CONFIG, leave train_distribute out, and call tf.compat.v1.estimator.train_and_evaluate in every task."
)


@exported("estimator.RunConfig")
@dataclass(frozen=True, eq=False, repr=False)
class RunConfig:
    """The configuration of an Estimator, as `tf.estimator.RunConfig`. TF_CONFIG is read when the object is created.

    model_dir: the directory of checkpoints and event files; by default that of TF_CONFIG, else the Estimator's.
    tf_random_seed: the seed of initial values and random ops.
    save_summary_steps: steps between two summaries.
    save_checkpoints_steps, save_checkpoints_secs: steps or seconds between two checkpoints; give at most one. By default
        every 600 seconds; if both are None, no checkpoints are saved.
    keep_checkpoint_max: the number of checkpoints to keep; 0 or None keeps all.
    keep_checkpoint_every_n_hours: one checkpoint in this many hours is never deleted.
    log_step_count_steps: steps between two log lines with the loss, and between two with the speed.
    train_distribute, eval_distribute: the strategies to train and to evaluate under; None means one device.
    checkpoint_options: how checkpoints are saved; `tf.train.CheckpointOptions(format="tensorflow")` writes files with which
        TensorFlow's Estimator goes on. TensorFlow has no such argument.
    session_config, device_fn, protocol, experimental_max_worker_delay_secs, session_creation_timeout_secs,
        checkpoint_save_graph_def: validated and stored, without effect: they configure sessions and servers of TensorFlow 1.

    Raises:
        ValueError: a number is out of range, model_dir is empty, both save_* are given, a strategy is a
            ParameterServerStrategy, or TF_CONFIG does not describe a chief, worker, ps or evaluator.
        TypeError: train_distribute or eval_distribute is not a strategy.
    """

    model_dir: str | None = None
    tf_random_seed: int | None = None
    save_summary_steps: int | None = 100
    save_checkpoints_steps: int | None = _DEFAULT
    save_checkpoints_secs: int | None = _DEFAULT
    session_config: ConfigProto | None = None
    keep_checkpoint_max: int | None = 5
    keep_checkpoint_every_n_hours: float | None = 10000
    log_step_count_steps: int | None = 100
    train_distribute: AbstractStrategy | None = None
    device_fn: Callable[[Any], str] | None = None
    protocol: str | None = None
    eval_distribute: AbstractStrategy | None = None
    experimental_distribute: Any = None
    experimental_max_worker_delay_secs: int | None = None
    session_creation_timeout_secs: int | None = 7200
    checkpoint_save_graph_def: bool = True
    checkpoint_options: CheckpointOptions | None = None
    _task_info: TaskInfo = field(init=False)

    def __post_init__(self) -> None:
        steps, secs = _save_times(self.save_checkpoints_steps, self.save_checkpoints_secs)
        found = tf_config()
        if found:
            _log.info("TF_CONFIG environment variable: %s", found)
        self._set(
            model_dir=_model_dir(found, self.model_dir),
            save_checkpoints_steps=steps,
            save_checkpoints_secs=secs,
            **_strategies(self.experimental_distribute, self.train_distribute, self.eval_distribute),
        )
        _check(self)
        self._set(_task_info=task_info_of(found, together=self.train_distribute is not None))

    def _set(self, **fields: Any) -> None:
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    @property
    def cluster_spec(self) -> ClusterSpec:
        """The cluster; empty for a single task and for an evaluator."""
        return self._task_info.cluster

    @property
    def training_cluster(self) -> ClusterSpec:
        """The cluster of the tasks that train, which an evaluator waits for; empty for a single task. TensorFlow lacks it."""
        return self._task_info.training

    @property
    def task_type(self) -> str:
        """The type of this task: "chief", "worker", "ps" or "evaluator"."""
        return self._task_info.task_type

    @property
    def task_id(self) -> int:
        """The index of this task among those of its type."""
        return self._task_info.task_id

    @property
    def global_id_in_cluster(self) -> int | None:
        """The index of this task in the cluster: the chief is 0, then come the other types by name, parameter servers last."""
        return self._task_info.global_id

    @property
    def master(self) -> str:
        """The address that a session of TensorFlow 1 would connect to, such as "grpc://host:2222"; "" for a single task."""
        return self._task_info.master

    @property
    def evaluation_master(self) -> str:
        """The `eval_session_master` of TF_CONFIG, or ""."""
        return self._task_info.evaluation_master

    @property
    def is_chief(self) -> bool:
        """True for the task that saves and logs."""
        return self._task_info.is_chief

    @property
    def num_ps_replicas(self) -> int:
        """The number of parameter servers."""
        return self._task_info.servers

    @property
    def num_worker_replicas(self) -> int:
        """The number of tasks that train, including the chief."""
        return self._task_info.workers

    @property
    def service(self) -> dict[str, Any] | None:
        """The object `service` of TF_CONFIG."""
        return self._task_info.service

    def replace(self, **kwargs: Any) -> "RunConfig":
        """Returns a copy with new values of arguments of RunConfig. TF_CONFIG is not read again.

        Setting one of save_checkpoints_steps and save_checkpoints_secs sets the other to None.

        Raises:
            ValueError: a name is not that of an argument, or RunConfig refuses its value.
        """
        allowed = [f.name for f in dataclasses.fields(self) if f.init]
        for name in kwargs:
            if name not in allowed:
                raise ValueError(f"Replacing {name} is not supported. Allowed properties are {allowed}.")
        if kwargs.get("save_checkpoints_steps") is not None:
            kwargs.setdefault("save_checkpoints_secs", None)
        elif kwargs.get("save_checkpoints_secs") is not None:
            kwargs.setdefault("save_checkpoints_steps", None)
        new = copy.copy(self)
        new._set(**kwargs)
        new._set(
            model_dir=_path(new.model_dir),
            **_strategies(kwargs.get("experimental_distribute"), new.train_distribute, new.eval_distribute),
        )
        _save_times(new.save_checkpoints_steps, new.save_checkpoints_secs)
        _check(new)
        return new

    def __repr__(self) -> str:
        """Returns all values as a dict, in the form of TensorFlow's log line "Using config: {...}"."""
        task = self._task_info
        own = set() if self.checkpoint_options else {"checkpoint_options"}  # TensorFlow's line has no such entry
        shown = {
            f"_{f.name}": getattr(self, f.name) for f in dataclasses.fields(self) if f.init and f.name not in own
        } | {
            "_service": task.service,
            "_cluster_spec": task.cluster,
            "_task_type": task.task_type,
            "_task_id": task.task_id,
            "_global_id_in_cluster": task.global_id,
            "_master": task.master,
            "_evaluation_master": task.evaluation_master,
            "_is_chief": task.is_chief,
            "_num_ps_replicas": task.servers,
            "_num_worker_replicas": task.workers,
        }
        return repr(shown)


def with_model_dir(config: RunConfig | None, model_dir: Any) -> RunConfig:
    """Returns the configuration of an Estimator that was given these two, with a temporary directory if neither has one.

    Logs "Using default config." and the warning about the temporary directory as TensorFlow does.

    Raises:
        ValueError: the two name different directories, or an empty one.
        TypeError: `config` is not a RunConfig.
    """
    if config is None:
        _log.info("Using default config.")
        config = RunConfig()
    elif not isinstance(config, RunConfig):
        raise TypeError(f"config must be a tf.estimator.RunConfig, got {config!r}.")
    path = _path(model_dir)
    if path == "":
        raise ValueError("model_dir should be non-empty. Leave it out for a temporary directory.")
    if path is not None and config.model_dir not in (None, path):
        raise ValueError(
            f"model_dir is set both in the Estimator ({path!r}) and in its RunConfig ({config.model_dir!r}), and must have "
            "the same value. Give one."
        )
    path = path or config.model_dir
    if path is None:
        path = tempfile.mkdtemp()
        _log.warning("Using temporary folder as model directory: %s", path)
    return config.replace(model_dir=path)


def _path(model_dir: Any) -> str | None:
    return None if model_dir is None else checked_path(model_dir)


def _model_dir(found: dict[str, Any], given: Any) -> str | None:
    """Returns the directory that the program or TF_CONFIG names."""
    path, other = _path(given), _path(found.get("model_dir"))
    if path == "":
        raise ValueError("model_dir should be non-empty. Leave it out for a temporary directory.")
    if other == "":
        raise ValueError("model_dir in TF_CONFIG should be non-empty. Leave it out if there is none.")
    if other and path and other != path:
        raise ValueError(
            f"model_dir is {path!r} in RunConfig and {other!r} in TF_CONFIG, and must have the same value. Give one."
        )
    if other:
        _log.info("Using model_dir in TF_CONFIG: %s", other)
    return path or other


def _save_times(steps: int | None, secs: int | None) -> tuple[int | None, int | None]:
    """Returns steps and seconds between checkpoints, of which one is None."""
    if steps is _DEFAULT and secs is _DEFAULT:
        return None, _SAVE_EVERY_SECS
    steps, secs = None if steps is _DEFAULT else steps, None if secs is _DEFAULT else secs
    if steps is not None and secs is not None:
        raise ValueError("`save_checkpoints_steps` and `save_checkpoints_secs` cannot be both set. Give one.")
    return steps, secs


def _strategies(both: Any, train: Any, evaluate: Any) -> dict[str, Any]:
    """Returns train_distribute and eval_distribute, either of which may come from `experimental_distribute`."""
    if both is not None:
        if getattr(both, "remote_cluster", None):
            raise ValueError(
                "experimental_distribute.remote_cluster is not supported: every task runs the program itself, "
                "with its TF_CONFIG."
            )
        inner = {"train_distribute": both.train_distribute, "eval_distribute": both.eval_distribute}
        for name, outer in (("train_distribute", train), ("eval_distribute", evaluate)):
            if inner[name] is not None and outer is not None:
                raise ValueError(f"{name} and experimental_distribute.{name} cannot be both set. Give one.")
        train, evaluate = train or inner["train_distribute"], evaluate or inner["eval_distribute"]
    for name, strategy in (("train_distribute", train), ("eval_distribute", evaluate)):
        if isinstance(strategy, ParameterServerStrategy):
            raise ValueError(_SERVERS)
        if strategy is not None and not isinstance(strategy, AbstractStrategy):
            raise TypeError(f"{name} must be a tf.distribute.Strategy, got {strategy!r}.")
    return {"train_distribute": train, "eval_distribute": evaluate}


def _check(config: RunConfig) -> None:
    """Raises ValueError for the first value that is out of range."""
    for name, met, rule in _RULES:
        value = getattr(config, name)
        if value is not None and not met(value):
            raise ValueError(f"{name} {rule}, got {value!r}.")


def _takes_op(device_fn: Any) -> bool:
    return callable(device_fn) and list(inspect.signature(device_fn).parameters) == ["op"]


_RULES: Final[tuple[tuple[str, Callable[[Any], bool], str], ...]] = (
    ("model_dir", bool, "should be non-empty"),
    ("save_summary_steps", lambda steps: steps >= 0, "should be >= 0"),
    ("save_checkpoints_steps", lambda steps: steps >= 0, "should be >= 0"),
    ("save_checkpoints_secs", lambda secs: secs >= 0, "should be >= 0"),
    ("session_config", lambda found: isinstance(found, ConfigProto), "must be instance of ConfigProto"),
    ("keep_checkpoint_max", lambda count: count >= 0, "should be >= 0"),
    ("keep_checkpoint_every_n_hours", lambda hours: hours > 0, "should be > 0"),
    ("log_step_count_steps", lambda steps: steps > 0, "should be > 0"),
    ("tf_random_seed", lambda seed: isinstance(seed, int), "must be integer"),
    ("experimental_max_worker_delay_secs", lambda secs: isinstance(secs, int), "must be an integer if set"),
    ("session_creation_timeout_secs", lambda secs: secs > 0, "should be > 0"),
    ("checkpoint_options", lambda found: isinstance(found, CheckpointOptions), "must be a tf.train.CheckpointOptions"),
    ("device_fn", _takes_op, 'must be callable with exactly one argument "op"'),
    ("protocol", lambda protocol: protocol in ("grpc", "grpc+verbs"), "should be grpc or grpc+verbs"),
)
