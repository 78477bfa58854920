"""Names of values on the host, by which programs and their keys know them."""

from dataclasses import dataclass
from typing import Final, final

# Instead of the number of a call: of what the program computes.
LATE: Final = -2


@final
@dataclass(frozen=True)
class HostValue:
    """Names a value of a host prefix: a leaf of the step's arguments (`call` is -1), or of the result of one of its calls."""

    call: int
    leaf: int


@final
@dataclass(frozen=True)
class StringsResult:
    """Stands for strings in the result of a step. per_replica: whether it is of every replica's function."""

    value: HostValue
    per_replica: bool
