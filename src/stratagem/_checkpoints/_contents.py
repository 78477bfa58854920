"""CheckpointContents: the graph and the values of one checkpoint, whatever format its files have."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from stratagem._checkpoints._graph import Node
from stratagem._checkpoints._naming import OWN, Naming
from stratagem._checkpoints.tensorflow import StoredTensor

# A value in memory, or one that is read from its file when it is assigned.
Stored = np.ndarray | StoredTensor


@dataclass(frozen=True, kw_only=True)
class CheckpointContents:
    """The contents of a checkpoint: the graph, each variable's array and each stateful object's state, by path.

    non_finite: the arrays that hold a NaN or an infinity. naming: how the graph's edges are named. slots: of optimizers whose
    slots no edge leads to, by node: the node of the slot for a variable's node and the slot's name.
    """

    nodes: list[Node]
    arrays: dict[str, Stored]
    states: dict[str, Any]
    non_finite: list[str] = field(default_factory=list)
    naming: Naming = OWN
    slots: Mapping[int, Mapping[tuple[int, str], int]] = field(default_factory=dict)
