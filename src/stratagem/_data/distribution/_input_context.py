"""InputContext, ValueContext, InputOptions: the arguments of input functions, and options for placing their input."""

import enum
from dataclasses import dataclass
from typing import final

from stratagem._base.errors import UnimplementedError
from stratagem._base.exports import exported


@exported("distribute.InputContext")
@final
@dataclass(frozen=True)
class InputContext:
    """An input pipeline of the job: its index, the number of pipelines, and the number of replicas that they feed together."""

    num_input_pipelines: int = 1
    input_pipeline_id: int = 0
    num_replicas_in_sync: int = 1

    def get_per_replica_batch_size(self, global_batch_size: int) -> int:
        """The number of rows for one replica in a global batch.

        Raises:
            ValueError: the global batch cannot be divided evenly.
        """
        if global_batch_size % self.num_replicas_in_sync != 0:
            raise ValueError(
                f"The `global_batch_size` {global_batch_size} is not divisible by `num_replicas_in_sync` "
                f"{self.num_replicas_in_sync}. Use a multiple of {self.num_replicas_in_sync}."
            )
        return global_batch_size // self.num_replicas_in_sync

    def __str__(self) -> str:
        return (
            f"tf.distribute.InputContext(input pipeline id {self.input_pipeline_id}, total: {self.num_input_pipelines})"
        )


@exported("distribute.experimental.ValueContext")
@final
@dataclass(frozen=True)
class ValueContext:
    """The context of a value: the index of the replica that it is made for, and the number of replicas."""

    replica_id_in_sync_group: int = 0
    num_replicas_in_sync: int = 1

    def __str__(self) -> str:
        return (
            f"tf.distribute.ValueContext(replica id {self.replica_id_in_sync_group},  total replicas in sync: "
            f"{self.num_replicas_in_sync})"
        )


@exported("distribute.InputReplicationMode")
class InputReplicationMode(enum.Enum):
    """The number of calls of an input function: once per worker or once per replica."""

    PER_WORKER = "PER_WORKER"
    PER_REPLICA = "PER_REPLICA"


@exported("distribute.InputOptions")
@final
@dataclass(frozen=True)
class InputOptions:
    """Options for the placement of distributed input. A per-replica buffer size of 0 turns prefetching off."""

    experimental_fetch_to_device: bool | None = None
    experimental_replication_mode: InputReplicationMode = InputReplicationMode.PER_WORKER
    experimental_place_dataset_on_device: bool = False
    experimental_per_replica_buffer_size: int = 1

    def __post_init__(self) -> None:
        per_replica = self.experimental_replication_mode is InputReplicationMode.PER_REPLICA
        if self.experimental_place_dataset_on_device and not per_replica:
            raise ValueError(
                "experimental_place_dataset_on_device=True needs "
                "experimental_replication_mode=InputReplicationMode.PER_REPLICA, found PER_WORKER."
            )
        if self.experimental_place_dataset_on_device and self.experimental_fetch_to_device:
            raise ValueError(
                "experimental_place_dataset_on_device and experimental_fetch_to_device exclude each other."
            )
        if self.experimental_per_replica_buffer_size < 0:
            raise ValueError(
                "experimental_per_replica_buffer_size must be 0 (no prefetching) or more, "
                f"got {self.experimental_per_replica_buffer_size}."
            )


def refuse_per_replica(options: InputOptions) -> None:
    """Raises UnimplementedError for mode PER_REPLICA, which only works with input functions."""
    if options.experimental_replication_mode is InputReplicationMode.PER_REPLICA:
        raise UnimplementedError(
            "InputReplicationMode.PER_REPLICA works with `distribute_datasets_from_function` only. "
            "Use it there, or PER_WORKER for a dataset."
        )
