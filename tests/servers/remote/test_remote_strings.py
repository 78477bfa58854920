"""A worker in another process computes with strings itself, before each step: the coordinator does once, while it traces."""

import pickle
import subprocess
import sys
from typing import Any, final

import numpy as np
import pytest

import stratagem as tf

# Where a prefix runs.
from stratagem._core.step import HostPrefix, named_host_functions

# Private: functions that are known by name, and which of them can go to a worker.
from stratagem._host_calls import _functions_of_files, place_of
from stratagem._servers.remote import _carried_prefix
from tests.servers.remote.remote_tasks import remote_job

WORDS = ["a bb", "bb", "ccc a a", "dddd", "bb a", "zz"]  # three, four and three in a batch


@pytest.fixture
def places(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Where prefixes have run so far. A worker has the values that a prefix names alone, the coordinator all."""
    found: list[str] = []
    run = HostPrefix.results

    def results(self: HostPrefix, leaves: Any, replicas: int = 1) -> Any:
        found.append("worker" if isinstance(leaves, dict) else "coordinator")
        return run(self, leaves, replicas)

    monkeypatch.setattr(HostPrefix, "results", results)
    return found


@final
class Looking:
    """A step that trains the rows of a table which words have; it returns their numbers and strings of them."""

    def __init__(self, strategy: Any) -> None:
        with strategy.scope():
            self.table = tf.Variable(np.zeros((8, 2)), dtype=tf.float32)
            self.lookup = tf.keras.layers.StringLookup(vocabulary=["a", "bb", "ccc", "dddd"], name="words")
            self.optimizer = tf.keras.optimizers.SGD(1.0)
        self.strategy = strategy
        self.step = tf.function(self.run)

    def run(self, iterator: Any) -> Any:
        return self.strategy.run(self.replica, args=(next(iterator),))

    def replica(self, words: Any) -> Any:
        numbers = self.lookup(tf.strings.split(words))
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.nn.embedding_lookup(self.table, numbers.flat_values))
        self.optimizer.apply_gradients([(tape.gradient(loss, self.table), self.table)])
        return tf.reduce_sum(numbers, axis=1), tf.strings.upper(words), words


def data() -> Any:
    return tf.data.Dataset.from_tensor_slices(WORDS).batch(2).repeat()


def outcome(result: Any) -> list[Any]:
    return [np.asarray(each).tolist() for each in result]


def test_words_are_looked_up_by_the_worker_that_draws_them_as_by_one_process(
    monkeypatch: pytest.MonkeyPatch, places: list[str]
) -> None:
    """Rows have different numbers of words: for each number in a batch there is a program, and only its traces run here."""
    alone = Looking(tf.distribute.OneDeviceStrategy("/cpu:0"))
    elements = iter(data())
    expected = [outcome(alone.step(elements)) for _ in range(12)]
    places.clear()
    with remote_job(monkeypatch, servers=2, workers=1) as coordinator:
        looking = Looking(coordinator.strategy)
        iterator = iter(coordinator.create_per_worker_dataset(data))
        found, here = [], []
        for _ in range(2):
            results = [coordinator.schedule(looking.step, args=(iterator,)) for _ in range(6)]
            coordinator.join()
            found += [outcome(result.get()) for result in results]
            here.append(places.count("coordinator"))
        assert found == expected
        assert looking.table.numpy().tolist() == alone.table.numpy().tolist()
    assert here[0] <= 3
    assert here[1] == here[0], "all kinds have been traced"
    assert places.count("worker") >= 12


def test_a_worker_has_what_a_layer_has_learned_since_and_a_new_process_is_told_again(
    monkeypatch: pytest.MonkeyPatch, places: list[str]
) -> None:
    with remote_job(monkeypatch, servers=1, workers=1) as coordinator:
        looking = Looking(coordinator.strategy)
        iterator = iter(
            coordinator.create_per_worker_dataset(
                lambda: tf.data.Dataset.from_tensors(tf.constant(["zz", "bb"])).repeat()
            )
        )

        def numbers() -> list[int]:
            result = coordinator.schedule(looking.step, args=(iterator,))
            coordinator.join()
            return np.asarray(result.get()[0]).tolist()

        assert numbers() == [0, 2]
        looking.lookup.set_vocabulary(["zz"])
        assert numbers() == [1, 0]
        task = coordinator.strategy.tasks[0].actor.target
        assert len(task._prefixes._objects) == 2
        assert numbers() == [1, 0]
        assert len(task._prefixes._objects) == 1, "what the layer had learned before is dropped"
        task._plans.clear()
        task._prefixes.__init__()  # as in a process that has taken the lost one's place
        assert numbers() == [1, 0]
    assert places.count("coordinator") == 1


def test_an_error_of_a_function_of_strings_comes_from_the_worker_and_the_next_step_has_the_next_words(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with remote_job(monkeypatch, servers=1, workers=1) as coordinator:
        with coordinator.strategy.scope():
            total = tf.Variable(0, dtype=tf.int64)
            lookup = tf.keras.layers.StringLookup(vocabulary=["a", "bb"], num_oov_indices=0, name="known_words")

        @tf.function
        def step(iterator: Any) -> Any:
            def replica(words: Any) -> Any:
                total.assign_add(tf.reduce_sum(lookup(words)))

            coordinator.strategy.run(replica, args=(next(iterator),))

        words = ["a", "bb", "zz", "bb"]
        iterator = iter(coordinator.create_per_worker_dataset(tf.data.Dataset.from_tensor_slices(words).batch(1)))
        outcomes = []
        for _ in range(5):
            coordinator.schedule(step, args=(iterator,))
            try:
                coordinator.join()
                outcomes.append("done")
            except tf.errors.InvalidArgumentError as error:
                outcomes.append(f"{error} {error.__notes__}")
            except tf.errors.OutOfRangeError:
                outcomes.append("end")
        assert outcomes[:2] + outcomes[3:] == ["done", "done", "done", "end"]
        assert outcomes[2].startswith("known_words: ")
        assert "zz" in outcomes[2]
        assert "worker:0 raised it" in outcomes[2]
        assert int(total.numpy()) == 0 + 1 + 1


def test_fit_lets_workers_look_up_the_words_of_the_batches_that_it_hands_out(
    monkeypatch: pytest.MonkeyPatch, places: list[str]
) -> None:
    with remote_job(monkeypatch, servers=1, workers=2) as coordinator:
        with coordinator.strategy.scope():
            layers = tf.keras.layers
            lookup = layers.StringLookup(vocabulary=["a", "bb"], output_mode="multi_hot")
            model = tf.keras.Sequential([tf.keras.Input((1,), dtype="string"), lookup, layers.Dense(1)])
            model.compile("sgd", "mse")
        words, labels = np.array([["a"], ["bb"], ["zz"], ["a"]] * 8, object), np.ones((32, 1), np.float32)
        model.fit(tf.data.Dataset.from_tensor_slices((words, labels)).batch(4), epochs=2, verbose=0)
    assert places.count("worker") == 16
    assert places.count("coordinator") <= 4, "at most twice for each worker, for it traces"


@pytest.mark.parametrize("kind", ["a function of the user's", "an object of an unknown class"])
def test_what_may_change_unseen_is_computed_by_the_coordinator(
    monkeypatch: pytest.MonkeyPatch, places: list[str], kind: str
) -> None:
    seen: list[int] = []

    class Louder(tf.keras.layers.StringLookup):
        """A class that only this program has."""

    def shorten(words: Any) -> Any:
        seen.append(1)
        return tf.strings.substr(words, 0, 1)

    with remote_job(monkeypatch, servers=1, workers=1) as coordinator:
        with coordinator.strategy.scope():
            total = tf.Variable(0, dtype=tf.int64)
            layer: Any = Louder(vocabulary=["a", "bb"])
            if kind == "a function of the user's":
                layer = tf.keras.layers.TextVectorization(standardize=shorten, vocabulary=["a", "b"])

        @tf.function
        def step(iterator: Any) -> Any:
            def replica(words: Any) -> Any:
                total.assign_add(tf.reduce_sum(tf.cast(layer(words), tf.int64)))

            coordinator.strategy.run(replica, args=(next(iterator),))

        dataset = tf.data.Dataset.from_tensor_slices(["a", "bb"]).batch(2).repeat(3)
        iterator = iter(coordinator.create_per_worker_dataset(dataset))
        for _ in range(3):
            coordinator.schedule(step, args=(iterator,))
        coordinator.join()
        numbers = 5 if kind == "a function of the user's" else 3
        assert int(total.numpy()) == 3 * numbers
    assert places == ["coordinator"] * 3


def test_every_function_of_strings_of_the_library_can_go_to_a_worker() -> None:
    named = {**_functions_of_files._PUBLIC, **named_host_functions()}
    assert len(named) > 200
    assert [name for name, function in named.items() if place_of(function) is None] == []


def test_a_process_that_has_met_no_column_so_far_makes_one() -> None:
    """As a worker does, which has attached the hooks, and is sent the columns of the step that it is to take."""
    column = tf.feature_column.categorical_column_with_vocabulary_list("word", ["a", "bb"])
    bound = _carried_prefix.BoundFunction.of(column._identified)
    assert bound is not None
    program = (
        "import pickle, sys; from stratagem._hooks import install; install(); "
        "print(pickle.load(sys.stdin.buffer).function().__self__.vocabulary_list)"
    )
    sent = pickle.dumps(bound.described())
    answer = subprocess.run([sys.executable, "-c", program], input=sent, capture_output=True, check=True)
    assert answer.stdout.decode().split() == ["(b'a',", "b'bb')"]
