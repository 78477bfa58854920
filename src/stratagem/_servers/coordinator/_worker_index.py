"""The index of the worker that runs the current code."""

from typing import Any

import numpy as np

from stratagem._base.exports import exported
from stratagem._core.context import current
from stratagem._ops import tensor


@exported("distribute.coordinator.experimental_get_current_worker_index")
def experimental_get_current_worker_index() -> Any:
    """The index of the worker that runs the current dataset function or scheduled function, as an int64 scalar.

    A scheduled function that asks for it runs as Python, one program for each operation: compiled, it would be one program for
    all workers.

    Raises:
        RuntimeError: no worker runs this code.
    """
    context = current()
    index = None if context.worker is None else context.worker.index
    if index is None:
        raise RuntimeError(
            "Cannot retrieve the worker index: no worker runs this code. Call experimental_get_current_worker_index in a "
            "dataset_fn that is passed to ClusterCoordinator.create_per_worker_dataset, or in a tf.function that is passed to "
            "ClusterCoordinator.schedule."
        )
    if context.recorder is not None:
        context.recorder.need_host("it asks for the index of the worker")
    return tensor(np.int64(index))
