# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.

from stratagem._devices import get_inter_op_parallelism_threads as get_inter_op_parallelism_threads
from stratagem._devices import get_intra_op_parallelism_threads as get_intra_op_parallelism_threads
from stratagem._devices import set_inter_op_parallelism_threads as set_inter_op_parallelism_threads
from stratagem._devices import set_intra_op_parallelism_threads as set_intra_op_parallelism_threads

__all__ = [
    "get_inter_op_parallelism_threads", "get_intra_op_parallelism_threads", "set_inter_op_parallelism_threads",
    "set_intra_op_parallelism_threads"
]  # fmt: skip
