"""ReduceOp: how values of replicas become one."""

import enum
from typing import Any


class ReduceOp(enum.Enum):
    """Sum or mean, as `tf.distribute.ReduceOp`."""

    SUM = "SUM"
    MEAN = "MEAN"


def reduce_op(op: Any) -> ReduceOp:
    """A ReduceOp from itself or from its name in any case. Raises ValueError for other names, TypeError for the rest."""
    if isinstance(op, ReduceOp):
        return op
    if not isinstance(op, str):
        raise TypeError(f"A reduce op is tf.distribute.ReduceOp.SUM or MEAN, or their names; got {op!r}.")
    if op.upper() not in ReduceOp.__members__:
        raise ValueError(f"{op.upper()!r} is not a valid ReduceOp; use 'SUM' or 'MEAN'.")
    return ReduceOp[op.upper()]
