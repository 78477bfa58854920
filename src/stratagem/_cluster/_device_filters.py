"""ClusterDeviceFilters: which devices of other tasks a task of TensorFlow's sees; no task sees another's here."""

from collections.abc import Sequence
from typing import final

from stratagem._base.exports import exported


@exported("config.experimental.ClusterDeviceFilters")
@final
class ClusterDeviceFilters:
    """Remembers filters, as `tf.config.experimental.ClusterDeviceFilters`. They have no effect: a task has its own devices."""

    def __init__(self) -> None:
        self._filters: dict[tuple[str, int], tuple[str, ...]] = {}

    def set_device_filters(self, job_name: str, task_index: int, device_filters: Sequence[str]) -> None:
        """Sets the filters of a task. Raises TypeError unless each is a str."""
        for each in device_filters:
            if not isinstance(each, str):
                raise TypeError(f"A device filter is a str such as '/job:ps', got {each!r}.")
        self._filters[job_name, task_index] = tuple(device_filters)
