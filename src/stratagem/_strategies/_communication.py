"""CommunicationOptions: hints for collectives, of which only the timeout has an effect."""

import dataclasses
import enum
from dataclasses import dataclass
from typing import final

from stratagem._cluster.control import TimeLimits


@final
class CommunicationImplementation(enum.Enum):
    """TensorFlow's implementations of collectives. Here it is always gloo between CPUs and NCCL between GPUs."""

    AUTO = "AUTO"
    RING = "RING"
    NCCL = "NCCL"


@final
@dataclass(frozen=True)
class CommunicationOptions:
    """Hints for collectives (`tf.distribute.experimental.CommunicationOptions`).

    bytes_per_pack, implementation: accepted and ignored; XLA chooses. timeout_seconds: the job fails if a worker does
    not take part in a collective for so long; 300 by default (TensorFlow: never). Raises ValueError for a value that is
    not above 0.
    """

    bytes_per_pack: int = 0
    timeout_seconds: float | None = None
    implementation: CommunicationImplementation = CommunicationImplementation.AUTO

    def __post_init__(self) -> None:
        if self.bytes_per_pack < 0:
            raise ValueError(f"bytes_per_pack must be >= 0, got {self.bytes_per_pack}.")
        if self.timeout_seconds is not None and not self.timeout_seconds > 0:
            raise ValueError(f"timeout_seconds must be above 0, got {self.timeout_seconds}.")

    def limits(self, defaults: TimeLimits) -> TimeLimits:
        """Returns the job's limits with this timeout."""
        return (
            defaults if self.timeout_seconds is None else dataclasses.replace(defaults, collective=self.timeout_seconds)
        )
