"""CommunicationOptions: how long workers wait for one another, and in which form their gradients travel."""

import dataclasses
import enum
from dataclasses import dataclass
from typing import final

from stratagem._base.exports import exported
from stratagem._cluster.control import TimeLimits
from stratagem._core.mesh import PACK_BYTES, Communication


@exported("distribute.experimental.CollectiveCommunication", "distribute.experimental.CommunicationImplementation")
@final
class CommunicationImplementation(enum.Enum):
    """TensorFlow's implementations of collectives. Here it is always gloo between CPUs and NCCL between GPUs."""

    AUTO = "AUTO"
    RING = "RING"
    NCCL = "NCCL"


@exported("distribute.experimental.CollectiveHints", "distribute.experimental.CommunicationOptions")
@final
@dataclass(frozen=True)
class CommunicationOptions:
    """Options of collectives (`tf.distribute.experimental.CommunicationOptions`), for `MultiWorkerMirroredStrategy`.

    bytes_per_pack: gradients that share an all-reduce have at most so many bytes together; 0 is 64 MiB. It has an effect on
    CPUs only: for GPUs XLA chooses. timeout_seconds: the job fails if a worker does not take part in a collective for so
    long; 300 by default (TensorFlow: never). implementation: accepted and ignored.

    gradient_dtype, which TensorFlow lacks: "bfloat16" sends the gradients that optimizers sum over replicas in half the
    bytes: each replica's float32 or float64 gradient is rounded to bfloat16 (8 bits of precision), the sum is
    computed in float32 and rounded once more. Gradients that a step sums itself by `all_reduce` are sent as they are.

    Raises ValueError for a negative `bytes_per_pack`, a timeout that is not above 0, another `gradient_dtype`.
    """

    bytes_per_pack: int = 0
    timeout_seconds: float | None = None
    implementation: CommunicationImplementation = CommunicationImplementation.AUTO
    gradient_dtype: str | None = None

    def __post_init__(self) -> None:
        if self.bytes_per_pack < 0:
            raise ValueError(f"bytes_per_pack must be >= 0, got {self.bytes_per_pack}.")
        if self.timeout_seconds is not None and not self.timeout_seconds > 0:
            raise ValueError(f"timeout_seconds must be above 0, got {self.timeout_seconds}.")
        if self.gradient_dtype not in (None, "bfloat16"):
            raise ValueError(f'gradient_dtype must be None or "bfloat16", got {self.gradient_dtype!r}.')

    def limits(self, defaults: TimeLimits) -> TimeLimits:
        """Returns the job's limits with this timeout."""
        return (
            defaults if self.timeout_seconds is None else dataclasses.replace(defaults, collective=self.timeout_seconds)
        )

    @property
    def communication(self) -> Communication:
        """The form in which gradients travel."""
        return Communication(self.gradient_dtype, self.bytes_per_pack or PACK_BYTES)
