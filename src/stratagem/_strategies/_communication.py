"""CommunicationOptions: hints for collectives, of which XLA needs none but the time to wait."""

import dataclasses
import enum
from dataclasses import dataclass
from typing import final

from stratagem._cluster.control import Limits


@final
class CommunicationImplementation(enum.Enum):
    """How TensorFlow's workers reduce. Here it is gloo between CPUs and NCCL between GPUs."""

    AUTO = "AUTO"
    RING = "RING"
    NCCL = "NCCL"


@final
@dataclass(frozen=True)
class CommunicationOptions:
    """Hints for collectives (`tf.distribute.experimental.CommunicationOptions`).

    bytes_per_pack, implementation: accepted; XLA chooses. timeout_seconds: after which a worker that does not do its part
    in a collective fails the job, 300 by default (TensorFlow: never). Raises ValueError for a value that is not above 0.
    """

    bytes_per_pack: int = 0
    timeout_seconds: float | None = None
    implementation: CommunicationImplementation = CommunicationImplementation.AUTO

    def __post_init__(self) -> None:
        if self.bytes_per_pack < 0:
            raise ValueError(f"bytes_per_pack must be >= 0, got {self.bytes_per_pack}.")
        if self.timeout_seconds is not None and not self.timeout_seconds > 0:
            raise ValueError(f"timeout_seconds must be above 0, got {self.timeout_seconds}.")

    def limits(self, defaults: Limits) -> Limits:
        """The job's limits with this timeout."""
        return (
            defaults if self.timeout_seconds is None else dataclasses.replace(defaults, collective=self.timeout_seconds)
        )
