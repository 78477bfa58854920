"""Datasets that end, fail or cannot travel, and one whose batches differ."""

import json
import os
import sys
import threading
import warnings

from job import FOLDER, coordinator, draw, iterator_of, numbers, run, strategy

import stratagem as tf

# Private: a slow worker is not given several functions at once.
from stratagem._servers.coordinator import _batching_policy

scheduled = []


@tf.function
def add_up(iterator):
    """How many numbers there are in the next element, and their sum, which is added to all others."""
    batch = next(iterator)
    numbers.assign_add(tf.reduce_sum(batch))
    return tf.size(batch), tf.reduce_sum(batch)


def together(function, iterator):
    """The results of many calls, of which workers were given several at once, however slow they are."""
    calls, usual = 0, _batching_policy._BATCH_SECONDS
    _batching_policy._BATCH_SECONDS = 600.0

    def counted(call):
        def counting(method, *args):
            nonlocal calls
            calls += method == "follow"
            return call(method, *args)

        return counting

    for worker in strategy.tasks:
        worker.actor.call = counted(worker.actor.call)
    try:
        scheduled[:] = [coordinator.schedule(function, args=(iterator,)) for _ in range(400)]
        coordinator.join()
    finally:
        for worker in strategy.tasks:
            del worker.actor.call
        _batching_policy._BATCH_SECONDS = usual
        assert calls < 0.9 * sum(value._status.value == "READY" for value in scheduled)
    return coordinator.fetch(scheduled)


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


def a_data_set_raises_what_cannot_be_made_again():
    """Of what it hands on: its text arrives."""

    class BadRecord(Exception):
        def __init__(self, path, line):
            super().__init__(f"{path}:{line}")

    def dataset_fn():
        raise BadRecord("data.csv", 3)

    return run(draw, iterator_of(dataset_fn))


def a_data_set_ends_its_process():
    """It would end every one that is started for it."""
    try:
        run(draw, iterator_of(lambda: sys.exit("no data")))
    except SystemExit as error:
        raise RuntimeError(*error.args) from None


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


def a_data_set_prints():
    """In the process that makes it: the environment there is the task's own, and what it prints comes out there."""

    def dataset_fn():
        task = json.loads(os.environ["TF_CONFIG"])["task"]
        print(f"the data of {task['type']} {task['index']}")
        warnings.warn("careless data", stacklevel=1)
        worker = tf.distribute.coordinator.experimental_get_current_worker_index()
        return tf.data.Dataset.from_tensors((task["index"], worker))

    index, worker = run(draw, iterator_of(dataset_fn))
    return int(index) == int(worker)


def batches_change_their_shapes():
    """The sum of all is right, whoever draws them."""
    iterator = iterator_of(lambda: tf.data.Dataset.range(7).batch(3).repeat())
    found = [(int(n), int(total)) for n, total in (run(add_up, iterator) for _ in range(12))]
    assert int(numbers.numpy()) == sum(total for _, total in found) > 0
    return sorted(set(found))


def many_batches_change_their_shapes():
    """Also where several functions are given to a worker together."""
    numbers.assign(0)
    iterator = iterator_of(lambda: tf.data.Dataset.range(7).batch(3).repeat())
    found = [(int(n), int(total)) for n, total in together(add_up, iterator)]
    assert int(numbers.numpy()) == sum(total for _, total in found) > 0
    return sorted(set(found))


def a_data_set_ends_in_the_middle_of_many_functions():
    """What was drawn before counts, each element once."""
    numbers.assign(0)
    iterator = iterator_of(lambda: tf.data.Dataset.range(1, 151).batch(1))
    try:
        together(add_up, iterator)
    finally:
        found = [int(value.fetch()[1]) for value in scheduled if value._status.value == "READY"]
        assert int(numbers.numpy()) == sum(found) > 0
        assert {found.count(i) for i in range(1, 151)} <= {1, 2}  # one worker has come to the end


PARTS = (
    a_data_set_ends,
    a_data_set_fails_once,
    a_data_set_always_fails_on_one_worker,
    a_data_set_raises_what_cannot_be_made_again,
    a_data_set_ends_its_process,
    a_file_of_the_data_is_missing,
    a_data_set_cannot_travel,
    a_data_set_prints,
    batches_change_their_shapes,
    many_batches_change_their_shapes,
    a_data_set_ends_in_the_middle_of_many_functions,
)
