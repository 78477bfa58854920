"""Users' mistakes and users' data, one after another in one job, which goes on after each. Then it waits for its end.

The argument is a folder for files. Every part prints its name, and the error that its user sees or the value that it returned.
"""

import json
import math
import os
import sys
import threading
from pathlib import Path

import numpy as np

import stratagem as tf
from stratagem.remote._server import Push
from stratagem.testing import free_ports
from stratagem.values import placement_of

resolver = tf.distribute.cluster_resolver.TFConfigClusterResolver()
if resolver.task_type in ("worker", "ps"):
    tf.distribute.Server(resolver.cluster_spec(), job_name=resolver.task_type, task_index=resolver.task_id).join()

FOLDER = Path(sys.argv[1])
Shards = tf.distribute.experimental.partitioners.FixedShardsPartitioner
strategy = tf.distribute.ParameterServerStrategy(resolver, variable_partitioner=Shards(2))
coordinator = tf.distribute.coordinator.ClusterCoordinator(strategy)
with strategy.scope():
    count, numbers = (tf.Variable(0, dtype=tf.int64) for _ in range(2))
    table = tf.Variable(np.arange(24.0).reshape(12, 2))
    optimizer = tf.keras.optimizers.SGD(0.1)
with tf.distribute.OneDeviceStrategy("cpu:0").scope():
    elsewhere = tf.Variable(7.0)


@tf.function
def add():
    """One more."""
    count.assign_add(1)
    return count + 0


@tf.function
def draw(iterator):
    """The next element."""
    return next(iterator)


@tf.function
def train(ids, factor):
    """A step on some rows."""
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.gather(table, ids) * factor)
    gradients = tape.gradient(loss, table.variables)
    optimizer.apply_gradients(zip(gradients, table.variables, strict=True))
    return loss


def run(function, *args):
    """What the function returns, or raises; its error is raised by nobody else."""
    value = coordinator.schedule(function, args=args)
    coordinator.join()
    return value.fetch()


def iterator_of(dataset_fn):
    """One on every worker."""
    return iter(coordinator.create_per_worker_dataset(dataset_fn))


def a_function_raises():
    """Once, and the rest is cancelled: what was counted is what ran."""

    @tf.function
    def wrong():
        raise KeyError("the user's own")

    before, values = int(count.numpy()), []
    try:
        for i in range(40):
            values.append(coordinator.schedule(wrong if i == 20 else add))
        coordinator.join()
    except KeyError:
        coordinator.join()
    ran = [value for i, value in enumerate(values) if i != 20 and not cancelled(value)]
    assert int(count.numpy()) - before == len(ran)
    values[20].fetch()


def cancelled(value):
    """Whether it did not run."""
    try:
        value.fetch()
    except tf.errors.CancelledError:
        return True
    return False


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


def a_step_cannot_travel():
    """Nor does what the host computes in the middle of a step."""

    @tf.function
    def step():
        def host():
            return tf.numpy_function(lambda x: x + 1, [tf.cast(count, tf.float32)], tf.float32, result_shape=())

        return strategy.run(host)

    return float(run(step))


def a_step_prints():
    """With tf.print."""

    @tf.function
    def telling():
        tf.print("count is", count)
        return count + 0

    return int(run(telling)) >= 0


def a_gradient_is_no_number():
    """It is not sent."""
    before = table.numpy()
    try:
        run(train, np.array([3, 4]), np.float64(math.nan))
    finally:
        assert np.array_equal(table.numpy(), before)


def an_id_is_out_of_range():
    """Nor is what comes of no row."""
    before = table.numpy()
    try:
        run(train, np.array([3, 12]), np.float64(1.0))
    finally:
        assert np.array_equal(table.numpy(), before)


def an_id_is_negative():
    """Which is not the last row."""
    return run(train, np.array([-1]), np.float64(1.0))


def an_assignment_has_another_shape():
    """Told where it is written."""

    @tf.function
    def wrong():
        count.assign_add(np.ones(3, "int64"))

    return run(wrong)


def a_push_has_another_shape():
    """Told by the server, which changes nothing."""
    before = table.numpy()
    placement = placement_of(table.variables[1])
    push = Push(added={placement.key: np.zeros((1, 2))})
    try:
        strategy.servers.actors[placement.home].call("push", None, push).result()
    finally:
        assert np.array_equal(table.numpy(), before)


def a_step_uses_a_variable_of_another_strategy():
    """Which is on no server."""

    @tf.function
    def wrong():
        count.assign_add(1)
        return elsewhere + 1.0

    return float(run(wrong))


def another_strategy_updates_a_variable_of_this_one():
    """Outside of any step."""
    other = tf.distribute.OneDeviceStrategy("cpu:0")
    return other.run(lambda: count.assign_add(1))


def a_step_is_scheduled_in_the_scope_of_another():
    """As by mistake."""
    with tf.distribute.OneDeviceStrategy("cpu:0").scope():
        return int(run(add)) > 0


def a_job_has_a_second_strategy():
    """Whose variables would take the place of the first one's."""
    return tf.distribute.ParameterServerStrategy(resolver)


def another_strategy_has_a_coordinator():
    """Only this kind has."""
    return tf.distribute.coordinator.ClusterCoordinator(tf.distribute.OneDeviceStrategy("cpu:0"))


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


def results_are_nested():
    """As structures of arrays."""

    @tf.function
    def nested(x):
        return {"a": (x + 1, [x * 2, None]), "b": count}

    values = [coordinator.schedule(nested, args=(tf.constant(float(i)),)) for i in range(3)]
    found = coordinator.fetch({"all": values, "other": 1})
    assert isinstance(found["all"][0]["b"], np.ndarray)
    return [[float(x["a"][0]), float(x["a"][1][0]), x["a"][1][1]] for x in found["all"]]


def made(strategy):
    """A table with slots, in the shards that the strategy says, and its checkpoint."""
    tf.keras.utils.set_random_seed(5)
    with strategy.scope():
        model = tf.keras.Sequential([tf.keras.Input((2,), dtype="int32"), tf.keras.layers.Embedding(11, 4)])
        optimizer = tf.keras.optimizers.Adam(0.1)
        optimizer.build(model.trainable_variables)
    return model, optimizer, tf.train.Checkpoint(model=model, optimizer=optimizer)


def numbers_of(model, optimizer):
    """The table and its two slots, one after another, however they are cut."""
    slots = [v for v in optimizer.variables if v.shape]
    whole = [np.concatenate([part.numpy() for part in parts]) for parts in (model.variables, slots[::2], slots[1::2])]
    assert [each.shape for each in whole] == [(11, 4)] * 3
    return np.stack(whole)


def a_checkpoint_goes_to_other_shards_and_servers():
    """From three servers of this process to two of the job, a step there, and back to one."""

    def in_this_process(servers):
        ports = free_ports(servers + 1)
        spec = tf.train.ClusterSpec({"ps": [f"localhost:{p}" for p in ports[1:]], "worker": [f"localhost:{ports[0]}"]})
        for index in range(servers):
            tf.distribute.Server(spec, "ps", index)
        resolver = tf.distribute.cluster_resolver.SimpleClusterResolver(spec)
        return tf.distribute.ParameterServerStrategy(resolver, variable_partitioner=Shards(servers))

    first, there, last = made(in_this_process(3)), made(strategy), made(in_this_process(1))

    def step(model, optimizer):
        def taken():
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(model(np.array([[0, 3], [10, 3]], "int32")) ** 2)
            gradients = tape.gradient(loss, model.trainable_variables)
            optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))

        return tf.function(taken)

    step(*first[:2])()
    first[2].write(FOLDER / "out")
    there[2].restore(FOLDER / "out").assert_consumed()
    assert np.array_equal(numbers_of(*there[:2]), numbers_of(*first[:2]))
    run(step(*there[:2]))
    step(*first[:2])()
    there[2].write(FOLDER / "back")
    last[2].restore(FOLDER / "back").assert_consumed()
    assert np.array_equal(numbers_of(*last[:2]), numbers_of(*there[:2]))
    assert np.allclose(numbers_of(*there[:2]), numbers_of(*first[:2]), atol=1e-6)
    return len(last[0].variables), len(there[0].variables), len(first[0].variables)


PARTS = [
    a_function_raises,
    a_data_set_ends,
    a_data_set_fails_once,
    a_data_set_always_fails_on_one_worker,
    a_file_of_the_data_is_missing,
    a_data_set_cannot_travel,
    a_step_cannot_travel,
    a_step_prints,
    a_gradient_is_no_number,
    an_id_is_out_of_range,
    an_id_is_negative,
    an_assignment_has_another_shape,
    a_push_has_another_shape,
    a_step_uses_a_variable_of_another_strategy,
    another_strategy_updates_a_variable_of_this_one,
    a_step_is_scheduled_in_the_scope_of_another,
    a_job_has_a_second_strategy,
    another_strategy_has_a_coordinator,
    batches_change_their_shapes,
    results_are_nested,
    a_checkpoint_goes_to_other_shards_and_servers,
]
for part in PARTS:
    try:
        found = ["", part()]
    except Exception as error:
        found = [type(error).__name__, "\n".join([str(error), *getattr(error, "__notes__", [])])]
    coordinator.join()  # its error was raised
    before = int(count.numpy())
    for _ in range(4):
        coordinator.schedule(add)
    coordinator.join()
    assert int(count.numpy()) == before + 4, part
    print(part.__name__, json.dumps(found))
print("waiting")
while True:
    coordinator.schedule(add)
    coordinator.join()
