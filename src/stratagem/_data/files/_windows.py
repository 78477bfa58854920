"""Windows of a series in memory: `tf.keras.utils.timeseries_dataset_from_array`."""

from typing import Any

import numpy as np

from stratagem._base.exports import exported
from stratagem._data._dataset import Dataset
from stratagem._data.stages._options import AUTOTUNE
from stratagem._ops import gather, tensor


@exported("keras.preprocessing.timeseries_dataset_from_array", "keras.utils.timeseries_dataset_from_array")
def timeseries_dataset_from_array(
    data: Any, targets: Any, sequence_length: int, sequence_stride: int = 1, sampling_rate: int = 1,
    batch_size: int | None = 128, shuffle: bool = False, seed: int | None = None, start_index: int | None = None,
    end_index: int | None = None,
) -> Dataset:  # fmt: skip
    """Returns a dataset of batches of windows of `data`, (batch, sequence_length, ...), with targets.

    targets: a row for each row that begins a window, or None for windows alone. sequence_stride: rows between the beginnings of
    two windows. sampling_rate: rows between two rows of a window. batch_size: None for single windows. shuffle: windows in
    the order that NumPy draws from `seed`, shuffled again in each epoch. start_index, end_index: the part of `data`
    (and, as in Keras 2, of `targets`) that is used.

    Raises:
        ValueError: numbers outside of the data.
    """
    rows, wanted = np.asarray(tensor(data)), None if targets is None else np.asarray(tensor(targets))
    _check(len(rows), sequence_stride, sampling_rate, start_index, end_index)
    first, last = start_index or 0, end_index or len(rows)
    count = last - first - (sequence_length - 1) * sampling_rate
    count = count if wanted is None else min(count, len(wanted))
    starts = np.arange(0, count, sequence_stride, dtype=np.int32 if count < 2**31 - 1 else np.int64)
    if shuffle:
        seed = int(np.random.randint(1_000_000)) if seed is None else seed
        np.random.RandomState(seed).shuffle(starts)
    offsets = np.arange(0, sequence_length * sampling_rate, sampling_rate, dtype=starts.dtype)
    series = tensor(rows[first:last])
    answers = None if wanted is None else tensor(wanted[first:last])

    def window(start: Any) -> Any:
        found = gather(series, start + offsets)
        return found if answers is None else (found, gather(answers, start))

    dataset = Dataset.from_tensor_slices(starts)
    if shuffle:  # beginnings instead of windows, which have the same order
        dataset = dataset.shuffle(1024 if batch_size is None else 8 * batch_size, seed=seed)
    dataset = dataset.map(window, num_parallel_calls=AUTOTUNE)
    dataset = dataset if batch_size is None else dataset.batch(batch_size)
    return dataset.prefetch(AUTOTUNE)


def _check(length: int, stride: int, rate: int, start: int | None, end: int | None) -> None:
    if start and not 0 <= start < length:
        raise ValueError(f"`start_index` must be from 0 to below the length of the data, {length}; received: {start}")
    if end and not (start or 0) < end < length:
        raise ValueError(
            f"`end_index` must be above `start_index` and below the length of the data, {length}; received: {end}"
        )
    for name, number in (("sampling_rate", rate), ("sequence_stride", stride)):
        if not 0 < number < length:
            raise ValueError(f"`{name}` must be above 0 and below the length of the data, {length}; received: {number}")
