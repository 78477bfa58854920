"""TFConfigClusterResolver: the cluster in the environment variable TF_CONFIG, which is checked as a whole."""

import difflib
import functools
import json
import logging
import os
from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass
from typing import Any, final

from stratagem._base.errors import ClusterError
from stratagem._base.exports import exported
from stratagem._cluster._resolver import ClusterResolver, with_protocol
from stratagem._cluster._rules import check_cluster, check_task, check_task_type, shown, task_index
from stratagem._cluster._spec import ClusterSpec

TF_CONFIG = "TF_CONFIG"
# The keys that TensorFlow reads, and those that Estimator, Kubeflow and Vertex AI write.
_KEYS = {
    "cluster", "task", "environment", "rpc_layer", "session_master", "eval_session_master", "service", "model_dir", "job",
}  # fmt: skip
_TASK_KEYS = {"type", "index", "trial", "cloud"}
_FORM = '{"cluster": {"worker": ["host:port", ...]}, "task": {"type": "worker", "index": 0}}'

_log = logging.getLogger("stratagem.cluster")


@exported("distribute.cluster_resolver.TFConfigClusterResolver")
@final
class TFConfigClusterResolver(ClusterResolver):
    """Reads TF_CONFIG at every access; arguments and assignments override its values.

    environ: the environment to read; by default the process' own. Not in TensorFlow.

    Every access raises ClusterError if any part of TF_CONFIG is wrong, in one line that says what was found and what to do.
    """

    def __init__(
        self,
        task_type: str | None = None,
        task_id: int | str | None = None,
        rpc_layer: str | None = None,
        environment: str | None = None,
        *,
        environ: MutableMapping[str, str] = os.environ,
    ) -> None:
        self.task_type, self.task_id, self.rpc_layer = task_type, task_id, rpc_layer
        self._environment, self._environ = environment, environ

    def cluster_spec(self) -> ClusterSpec:
        """Returns the cluster; empty without TF_CONFIG or without a cluster in it."""
        return self._read().cluster

    def master(self, task_type: str | None = None, task_id: int | None = None, rpc_layer: str | None = None) -> str:
        """Returns the `session_master` of TF_CONFIG, else the address of the task; "" for a cluster of one task or none.

        Raises:
            ClusterError: there are several tasks, and it is not known which one this is.
        """
        config = self._read()
        if config.session_master is not None:
            return config.session_master
        if sum(len(config.cluster.job_tasks(job)) for job in config.cluster.jobs) <= 1:
            return ""
        job = self.task_type if task_type is None else task_type
        index = self.task_id if task_id is None else task_id
        if job is None or index is None:
            raise ClusterError(
                f"{TF_CONFIG} has no 'task', so it is not known whose address is asked for. Add one: {_FORM}."
            )
        return with_protocol(
            config.cluster.task_address(job, index), self.rpc_layer if rpc_layer is None else rpc_layer
        )

    def _found_task(self) -> tuple[str | None, int | None]:
        config = self._read()
        return config.task_type, config.task_id

    def _found_rpc_layer(self) -> str | None:
        return self._read().rpc_layer

    def _read(self) -> "_Config":
        return _parsed(self._environ.get(TF_CONFIG, "{}"))

    @property
    def environment(self) -> str | None:
        """The argument of the same name."""
        return self._environment

    @property
    def source(self) -> str:
        """The name "TF_CONFIG", for errors and logs."""
        return TF_CONFIG


@final
@dataclass(frozen=True)
class _Config:
    """The parsed contents of TF_CONFIG."""

    cluster: ClusterSpec
    task_type: str | None
    task_id: int | None
    rpc_layer: str | None
    session_master: str | None


def tf_config(environ: Mapping[str, str] = os.environ) -> dict[str, Any]:
    """Returns the JSON object in TF_CONFIG, otherwise unchecked; {} without it. Raises ClusterError if it is no such object."""
    return _object("", _decoded(environ.get(TF_CONFIG, "{}")))


def unread_keys(environ: Mapping[str, str] = os.environ) -> list[str]:
    """Returns the keys of TF_CONFIG that nothing reads, sorted, those of a task as `task.key`.

    Raises ClusterError if TF_CONFIG or its task is no JSON object.
    """
    config = tf_config(environ)
    task = _object("task", config.get("task", {}))
    return sorted([*config.keys() - _KEYS, *(f"task.{key}" for key in task.keys() - _TASK_KEYS)])


@functools.lru_cache(maxsize=8)  # unknown keys are logged once; an access with the same text costs nothing
def _parsed(text: str) -> _Config:
    """Parses and checks TF_CONFIG. Raises ClusterError at the first thing that is wrong."""
    config = _object("", _decoded(text))
    _check_spelling("", config, _KEYS, ("cluster", "task"))
    task = _object("task", config.get("task", {}))
    _check_spelling("task.", task, _TASK_KEYS, ("type", "index"))
    task_type, index = task.get("type"), task.get("index")
    if task_type is not None:
        check_task_type(task_type, TF_CONFIG)
    task_id = None if index is None else task_index(index, TF_CONFIG)
    cluster = _cluster(_object("cluster", config.get("cluster", {})))
    check_cluster(cluster, TF_CONFIG)
    if cluster and task_type is not None and task_id is not None:
        check_task(cluster, task_type, task_id, TF_CONFIG)
    _warn_about_unknown("", config, _KEYS)
    _warn_about_unknown("task.", task, _TASK_KEYS)
    return _Config(cluster, task_type, task_id, _string(config, "rpc_layer"), _string(config, "session_master"))


def _decoded(text: str) -> Any:
    try:
        return json.loads(text, object_pairs_hook=_without_repetition)
    except json.JSONDecodeError as error:
        near = f", near {shown(text[error.pos :][:20])}" if text[error.pos :] else ""
        raise ClusterError(
            f"{TF_CONFIG} is not JSON: {error.msg} at line {error.lineno}, column {error.colno}{near}. "
            f"Write it with json.dumps({_FORM})."
        ) from None
    except RecursionError:
        raise ClusterError(f"{TF_CONFIG} is nested too deeply. It has the form {_FORM}.") from None
    except ClusterError:
        raise
    except ValueError as error:  # a number of thousands of digits
        raise ClusterError(f"{TF_CONFIG} has a number that is too large: {error}. It has the form {_FORM}.") from None


def _without_repetition(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Returns an object's pairs as a dict.

    Raises ClusterError for a repeated key, of which JSON would silently keep the last.
    """
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise ClusterError(f"{TF_CONFIG} has the key {shown(key)} twice in one object. Remove one.")
        found[key] = value
    return found


def _object(key: str, value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        what = f"{TF_CONFIG}: {key!r}" if key else TF_CONFIG
        raise ClusterError(f"{what} has to be an object, got {shown(value)}. {TF_CONFIG} has the form {_FORM}.")
    return value


def _string(config: dict[str, Any], key: str) -> str | None:
    value = config.get(key)
    if value is not None and not isinstance(value, str):
        raise ClusterError(f"{TF_CONFIG}: {key!r} has to be a string, got {shown(value)}.")
    return value


def _cluster(jobs: dict[str, Any]) -> ClusterSpec:
    for job, tasks in jobs.items():
        if not isinstance(tasks, list | dict):
            raise ClusterError(
                f"{TF_CONFIG}: the tasks of {shown(job)} have to be a list of addresses, got {shown(tasks)}. "
                f"{TF_CONFIG} has the form {_FORM}."
            )
        for i, address in tasks.items() if isinstance(tasks, dict) else enumerate(tasks):
            if not isinstance(address, str) or not address:
                raise ClusterError(
                    f"{TF_CONFIG}: the address of task {i} of {shown(job)} has to be 'host:port', got {shown(address)}."
                )
    try:
        return ClusterSpec(jobs)
    except ClusterError as error:
        raise ClusterError(f"{TF_CONFIG}: {error}") from None


def _check_spelling(where: str, found: dict[str, Any], known: set[str], needed: tuple[str, ...]) -> None:
    """Raises ClusterError if a needed key is not there, and one that nothing reads has almost its name.

    A process whose cluster or task is passed over would train alone, or as another task.
    """
    for key in needed:
        near = difflib.get_close_matches(key, found.keys() - known, 1) if key not in found else []
        if near:
            raise ClusterError(
                f"{TF_CONFIG} has the keys {', '.join(shown(where + each) for each in sorted(found))}, and needs "
                f"{' and '.join(repr(where + each) for each in needed)}: rename {shown(where + near[0])} to {where + key!r}. "
                f"Write it with json.dumps({_FORM})."
            )


def _warn_about_unknown(where: str, found: dict[str, Any], known: set[str]) -> None:
    unknown = sorted(found.keys() - known)
    if unknown:
        _log.warning(
            "%s has keys that nothing reads: %s. Known are %s.",
            TF_CONFIG,
            ", ".join(shown(where + key) for key in unknown),
            ", ".join(sorted(where + key for key in known)),
        )
