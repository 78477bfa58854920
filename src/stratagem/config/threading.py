"""tf.config.threading."""

from typing import Any as _Any

from stratagem._devices import get_inter_op_parallelism_threads as get_inter_op_parallelism_threads
from stratagem._devices import get_intra_op_parallelism_threads as get_intra_op_parallelism_threads
from stratagem._devices import set_inter_op_parallelism_threads as set_inter_op_parallelism_threads
from stratagem._devices import set_intra_op_parallelism_threads as set_intra_op_parallelism_threads
from stratagem._ops import not_provided as _not_provided


def __getattr__(name: str) -> _Any:
    raise _not_provided("config.threading", name)
