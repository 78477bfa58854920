"""ClusterResolver: the interface of all resolvers; SimpleClusterResolver and UnionResolver, which hold and combine clusters."""

import abc
import os
from collections.abc import Mapping, MutableMapping
from typing import Any, final

from stratagem._base.errors import ClusterError
from stratagem._base.exports import exported
from stratagem._cluster._rules import task_index
from stratagem._cluster._spec import ClusterSpec
from stratagem._cluster._visible_gpus import visible_gpus


@exported("distribute.cluster_resolver.ClusterResolver")
class ClusterResolver(abc.ABC):
    """Knows the tasks of a cluster, and which of them this process is.

    A subclass implements `cluster_spec` and `master`. It returns what it finds out about its own task from
    `_found_task`, or sets `_task_type`, `_task_id` and `_rpc_layer`; a value that was set wins over one that was found.
    """

    _task_type: str | None = None
    _task_id: int | None = None
    _rpc_layer: str | None = None
    _environ: MutableMapping[str, str] = os.environ

    @abc.abstractmethod
    def cluster_spec(self) -> ClusterSpec:
        """Returns the cluster as it is now; empty if there is none."""

    @abc.abstractmethod
    def master(self, task_type: str | None = None, task_id: int | None = None, rpc_layer: str | None = None) -> str:
        """Returns the address of a task, by default the one that a TensorFlow 1 session connects to; "" if there is none."""

    def num_accelerators(
        self, task_type: str | None = None, task_id: int | None = None, config_proto: Any = None
    ) -> Mapping[str, int]:
        """Returns {"GPU": the number that this process sees}, or {} if none.

        It has to be the same for all tasks of a cluster.
        """
        count = len(visible_gpus(self._environ))
        return {"GPU": count} if count else {}

    def _found_task(self) -> tuple[str | None, int | None]:
        """Returns type and index of this process' task, if the resolver finds them out itself."""
        return None, None

    def _found_rpc_layer(self) -> str | None:
        """Returns the protocol, if the resolver finds it out itself."""
        return None

    @property
    def environment(self) -> str | None:
        """The name of the environment; "" if it is nothing special."""
        return ""

    @property
    def task_type(self) -> str | None:
        """The job of this process' task, such as "worker"; None if it is not known."""
        return self._task_type if self._task_type is not None else self._found_task()[0]

    @task_type.setter
    def task_type(self, task_type: str | None) -> None:
        self._task_type = None if task_type is None else str(task_type)

    @property
    def task_id(self) -> int | None:
        """The task's index in its job; None if it is not known."""
        return self._task_id if self._task_id is not None else self._found_task()[1]

    @task_id.setter
    def task_id(self, task_id: int | str | None) -> None:
        self._task_id = None if task_id is None else task_index(task_id, type(self).__name__)

    @property
    def rpc_layer(self) -> str | None:
        """The protocol that TensorFlow would put before an address."""
        return self._rpc_layer if self._rpc_layer is not None else self._found_rpc_layer()

    @rpc_layer.setter
    def rpc_layer(self, rpc_layer: str | None) -> None:
        self._rpc_layer = rpc_layer

    @property
    def source(self) -> str:
        """The source of the facts, for errors and logs. Not in TensorFlow."""
        return type(self).__name__

    @property
    def local(self) -> tuple[int, int] | None:
        """This task's index on this machine, and the number of tasks here, if a launcher tells. Not in TensorFlow."""
        return None


def with_protocol(address: str, rpc_layer: str | None) -> str:
    """Returns `grpc://host:port`, or the address alone if there is no protocol."""
    return f"{rpc_layer}://{address}" if rpc_layer else address


@exported("distribute.cluster_resolver.SimpleClusterResolver")
@final
class SimpleClusterResolver(ClusterResolver):
    """Returns what it was given.

    num_accelerators: how many of each kind every task has, such as {"GPU": 2}; None for none.

    Raises:
        TypeError: `cluster_spec` is no ClusterSpec, or `master` no string.
    """

    def __init__(
        self,
        cluster_spec: ClusterSpec,
        master: str = "",
        task_type: str | None = None,
        task_id: int | None = None,
        environment: str = "",
        num_accelerators: Mapping[str, int] | None = None,
        rpc_layer: str | None = None,
    ) -> None:
        if not isinstance(cluster_spec, ClusterSpec):
            raise TypeError(f"cluster_spec must be a `tf.train.ClusterSpec`, got {cluster_spec!r}.")
        if not isinstance(master, str):
            raise TypeError(f"master must be a string, got {master!r}.")
        self.task_type, self.task_id, self.rpc_layer = task_type, task_id, rpc_layer
        self._cluster_spec, self._master, self._environment = cluster_spec, master, environment
        self._num_accelerators = {} if num_accelerators is None else num_accelerators

    def cluster_spec(self) -> ClusterSpec:
        """Returns the given cluster."""
        return self._cluster_spec

    def master(self, task_type: str | None = None, task_id: int | None = None, rpc_layer: str | None = None) -> str:
        """Returns the address of the named task, by default the given `master`."""
        address = self._master
        if task_type is not None and task_id is not None:
            address = self._cluster_spec.task_address(task_type, task_id)
        return with_protocol(address, rpc_layer or self.rpc_layer)

    def num_accelerators(
        self, task_type: str | None = None, task_id: int | None = None, config_proto: object = None
    ) -> Mapping[str, int]:
        """Returns the given numbers."""
        return self._num_accelerators

    @property
    def environment(self) -> str | None:
        """The given environment."""
        return self._environment


@exported("distribute.cluster_resolver.UnionResolver")
@final
class UnionResolver(ClusterResolver):
    """The union of several resolvers' clusters; everything else is the first one's.

    Raises:
        TypeError: an argument is no ClusterResolver.
        ClusterError: there is no argument, or an unknown keyword.
    """

    def __init__(
        self,
        *args: ClusterResolver,
        rpc_layer: str | None = None,
        task_type: str | None = None,
        task_id: int | None = None,
        **kwargs: object,
    ) -> None:
        if kwargs:
            raise ClusterError(f"Unexpected kwargs provided {kwargs!r}; there are rpc_layer, task_type and task_id.")
        if not args:
            raise ClusterError("At least one ClusterResolver is required.")
        for resolver in args:
            if not isinstance(resolver, ClusterResolver):
                raise TypeError(f"All arguments must be a sub-class of `ClusterResolver`, got {resolver!r}.")
        self.task_type, self.task_id, self.rpc_layer = task_type, task_id, rpc_layer
        self._members = args

    def cluster_spec(self) -> ClusterSpec:
        """Returns the merged cluster: lists of a job are concatenated; if one of them is a dict, all are merged as dicts.

        Raises:
            KeyError: two members that are merged as dicts have the same task.
        """
        clusters = [member.cluster_spec().as_dict() for member in self._members]
        names = dict.fromkeys(job for cluster in clusters for job in cluster)
        return ClusterSpec({job: _merged(job, [c[job] for c in clusters if job in c]) for job in names})

    def master(self, task_type: str | None = None, task_id: int | None = None, rpc_layer: str | None = None) -> str:
        """Returns the address of the named task, by default the first member's master."""
        if task_type is not None and task_id is not None:
            return with_protocol(self.cluster_spec().task_address(task_type, task_id), rpc_layer or self._rpc_layer)
        return self._members[0].master(rpc_layer=rpc_layer)

    def num_accelerators(
        self, task_type: str | None = None, task_id: int | None = None, config_proto: object = None
    ) -> Mapping[str, int]:
        """Returns the numbers of the first member."""
        return self._members[0].num_accelerators(task_type, task_id, config_proto)

    def _found_task(self) -> tuple[str | None, int | None]:
        return self._members[0].task_type, self._members[0].task_id

    def _found_rpc_layer(self) -> str | None:
        return self._members[0].rpc_layer

    @property
    def environment(self) -> str | None:
        """The environment of the first member."""
        return self._members[0].environment

    @property
    def source(self) -> str:
        """The sources of all members."""
        return " and ".join(dict.fromkeys(member.source for member in self._members))

    @property
    def local(self) -> tuple[int, int] | None:
        """The first member's `local`."""
        return self._members[0].local


def _merged(job: str, parts: list[Any]) -> list[str] | dict[int, str]:
    if all(isinstance(part, list) for part in parts):
        return [address for part in parts for address in part]
    merged: dict[int, str] = {}
    for part in parts:
        tasks = dict(enumerate(part)) if isinstance(part, list) else part
        twice = merged.keys() & tasks.keys()
        if twice:
            raise KeyError(f"Duplicate keys detected when merging two ClusterSpecs: {twice} of job {job!r}.")
        merged |= tasks
    return merged
