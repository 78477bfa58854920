"""ReduceOp: the reduction of the replicas' values to one."""

import enum
from typing import Any

from stratagem._base.exports import exported


@exported("distribute.ReduceOp")
class ReduceOp(enum.Enum):
    """A sum or a mean, as `tf.distribute.ReduceOp`."""

    SUM = "SUM"
    MEAN = "MEAN"


def reduce_op(op: Any) -> ReduceOp:
    """Returns a ReduceOp from itself or its name in any case. Raises ValueError for other names, TypeError for other types."""
    if isinstance(op, ReduceOp):
        return op
    if not isinstance(op, str):
        raise TypeError(f"A reduce op is tf.distribute.ReduceOp.SUM or MEAN, or their names; got {op!r}.")
    if op.upper() not in ReduceOp.__members__:
        raise ValueError(f"{op.upper()!r} is not a valid ReduceOp; use 'SUM' or 'MEAN'.")
    return ReduceOp[op.upper()]
