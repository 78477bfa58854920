"""Data sets that end, fail or cannot travel, and one whose batches differ."""

import os
import threading

from job import FOLDER, coordinator, draw, iterator_of, numbers, run

import stratagem as tf


def a_data_set_ends():
    """Its element is drawn once by every worker."""
    iterator = iterator_of(lambda: tf.data.Dataset.range(1))
    for _ in range(3):
        run(draw, iterator)


def a_data_set_fails_once():
    """It is made again."""

    def dataset_fn():
        if not (FOLDER / "failed").exists():
            (FOLDER / "failed").touch()
            raise OSError("not there yet")
        return tf.data.Dataset.from_tensors(5)

    return int(run(draw, iterator_of(dataset_fn)))


def a_data_set_always_fails_on_one_worker():
    """The error is the user's; others have taken steps meanwhile."""

    def dataset_fn():
        try:
            (FOLDER / "first").touch(exist_ok=False)
            (FOLDER / "first").write_text(str(os.getpid()))
        except FileExistsError:
            pass
        if (FOLDER / "first").read_text() == str(os.getpid()):
            raise FileNotFoundError("there is no file data.csv")
        return tf.data.Dataset.from_tensors(5).repeat()

    iterator = iterator_of(dataset_fn)
    values = []
    try:
        while True:
            values.append(coordinator.schedule(draw, args=(iterator,)))
    finally:
        assert all(value.fetch() == 5 for value in values if succeeded(value))


def succeeded(value):
    """Whether it ran to its end."""
    try:
        value.fetch()
    except (tf.errors.CancelledError, FileNotFoundError):
        return False
    return True


def a_file_of_the_data_is_missing():
    """On the worker, when it reads."""
    return run(draw, iterator_of(lambda: tf.data.TextLineDataset(str(FOLDER / "none.csv"))))


def a_data_set_cannot_travel():
    """A lock is a thing of its process."""
    lock = threading.Lock()

    def dataset_fn():
        with lock:
            return tf.data.Dataset.from_tensors(5)

    return run(draw, iterator_of(dataset_fn))


def batches_change_their_shapes():
    """The sum of all is right, whoever draws them."""
    iterator = iterator_of(lambda: tf.data.Dataset.range(7).batch(3).repeat())

    @tf.function
    def size(iterator):
        batch = next(iterator)
        numbers.assign_add(tf.reduce_sum(batch))
        return tf.size(batch), tf.reduce_sum(batch)

    found = [(int(n), int(total)) for n, total in (run(size, iterator) for _ in range(12))]
    assert int(numbers.numpy()) == sum(total for _, total in found) > 0
    return sorted(set(found))


PARTS = (
    a_data_set_ends,
    a_data_set_fails_once,
    a_data_set_always_fails_on_one_worker,
    a_file_of_the_data_is_missing,
    a_data_set_cannot_travel,
    batches_change_their_shapes,
)
