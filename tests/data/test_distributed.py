"""Distributed input: TensorFlow's measured divisions, placement, partial steps, and saving."""

import contextlib
import json
import threading
from collections.abc import Callable
from typing import Any

import jax
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import stratagem as tf
from stratagem._base.errors import OutOfRangeError, UnimplementedError
from stratagem._core.context import current, entered
from stratagem._core.mesh import ReplicaMesh
from stratagem._core.values import PerReplica, Separate, Stacked, TensorSpec
from stratagem._data import (
    INFINITE_CARDINALITY,
    AutoShardPolicy,
    Dataset,
    DistributedDataset,
    DistributedDatasetFromFunction,
    InputContext,
    InputOptions,
    InputReplicationMode,
    Options,
    PerReplicaSpec,
)
from stratagem._strategies import OneDeviceStrategy
from tests.data.recording import HostNeeded, StepRecorder

PER_REPLICA = InputReplicationMode.PER_REPLICA


def mesh(replicas: int) -> ReplicaMesh:
    return ReplicaMesh(tuple(jax.devices()[:replicas]))


def steps(distributed: Any) -> list[list[list[int]]]:
    """One list a replica a step."""
    return [[v.tolist() for v in element.values] for element in distributed]


def distribute(dataset: Any, replicas: int, options: InputOptions | None = None) -> DistributedDataset:
    return DistributedDataset(dataset, InputContext(1, 0, replicas), mesh(replicas), options)


def from_function(make: Callable[[], Dataset], replicas: int, **options: Any) -> DistributedDatasetFromFunction:
    context = InputContext(1, 0, replicas)
    return DistributedDatasetFromFunction(lambda _: make(), context, mesh(replicas), InputOptions(**options))


def with_policy(dataset: Dataset, policy: AutoShardPolicy) -> Dataset:
    options = Options()
    options.experimental_distribute.auto_shard_policy = policy
    return dataset.with_options(options)


# Measured on TensorFlow 2.15: rows, batch size, drop_remainder, replicas, what every replica got in every step.
BY_ACTUAL_SIZE = [
    (6, 4, False, 2, [[[0, 1], [2, 3]], [[4], [5]]]),
    (4, 4, False, 5, [[[0], [1], [2], [3], []]]),
    (8, 4, False, 3, [[[0, 1], [2, 3], []], [[4, 5], [6, 7], []]]),
    (14, 8, False, 2, [[[0, 1, 2, 3], [4, 5, 6, 7]], [[8, 9, 10], [11, 12, 13]]]),
    (5, 4, False, 2, [[[0, 1], [2, 3]], [[4], []]]),
    (7, 4, False, 2, [[[0, 1], [2, 3]], [[4, 5], [6]]]),
    (7, 7, False, 3, [[[0, 1, 2], [3, 4, 5], [6]]]),
    (10, 6, False, 3, [[[0, 1], [2, 3], [4, 5]], [[6, 7], [8, 9], []]]),
    (1, 4, False, 2, [[[0], []]]),
    (6, 4, True, 2, [[[0, 1], [2, 3]]]),
    (0, 4, False, 2, []),
    (10, 5, False, 2, [[[0, 1, 2], [3, 4]], [[5, 6, 7], [8, 9]]]),
]
BY_NOMINAL_SIZE = [
    (14, 8, False, 2, [[[0, 1, 2, 3], [4, 5, 6, 7]], [[8, 9, 10, 11], [12, 13]]]),
    (6, 4, False, 2, [[[0, 1], [2, 3]], [[4, 5], []]]),
    (7, 7, False, 3, [[[0, 1, 2], [3, 4], [5, 6]]]),
    (10, 5, False, 2, [[[0, 1, 2], [3, 4]], [[5, 6, 7], [8, 9]]]),
]
# In memory, and with user code in the pipeline, which is made ahead by a thread.
PIPELINES: dict[str, Callable[[Dataset], Dataset]] = {"memory": lambda d: d, "map": lambda d: d.map(lambda x: x)}
in_both_pipelines = pytest.mark.parametrize("pipeline", PIPELINES.values(), ids=PIPELINES.keys())


@in_both_pipelines
@pytest.mark.parametrize(("rows", "batch_size", "drop", "replicas", "expected"), BY_ACTUAL_SIZE)
def test_a_batch_is_cut_by_its_actual_size(
    rows: int, batch_size: int, drop: bool, replicas: int, expected: Any, pipeline: Callable[[Dataset], Dataset]
) -> None:
    dataset = pipeline(Dataset.range(rows).batch(batch_size, drop))
    assert steps(distribute(dataset, replicas)) == expected


@in_both_pipelines
@pytest.mark.parametrize(("rows", "batch_size", "drop", "replicas", "expected"), BY_NOMINAL_SIZE)
def test_with_sharding_off_a_batch_is_cut_by_its_nominal_size(
    rows: int, batch_size: int, drop: bool, replicas: int, expected: Any, pipeline: Callable[[Dataset], Dataset]
) -> None:
    dataset = with_policy(pipeline(Dataset.range(rows).batch(batch_size, drop)), AutoShardPolicy.OFF)
    assert steps(distribute(dataset, replicas)) == expected


def test_with_sharding_off_and_an_unknown_batch_size_the_actual_one_counts() -> None:
    dataset = Dataset.from_generator(lambda: [[0, 1, 2], [3]], output_signature=TensorSpec((None,), np.int64))
    assert steps(distribute(with_policy(dataset, AutoShardPolicy.OFF), 2)) == [[[0, 1], [2]], [[3], []]]


# dataset, replicas, what every replica got in every step.
FROM_FUNCTIONS = [
    (lambda: Dataset.range(6).batch(2), 2, [[[0, 1], [2, 3]], [[4, 5], []]]),
    (lambda: Dataset.range(5).batch(2), 2, [[[0, 1], [2, 3]], [[4], []]]),
    (lambda: Dataset.range(6).batch(2, True), 2, [[[0, 1], [2, 3]]]),  # all shapes are static: the third is dropped
    (lambda: Dataset.range(9).batch(2, True), 2, [[[0, 1], [2, 3]], [[4, 5], [6, 7]]]),
    (lambda: Dataset.range(9).batch(2), 2, [[[0, 1], [2, 3]], [[4, 5], [6, 7]], [[8], []]]),
    (lambda: Dataset.range(5).repeat().batch(2).take(3), 2, [[[0, 1], [2, 3]], [[4, 0], []]]),
    (lambda: Dataset.range(3), 2, [[0, 1]]),
    (lambda: Dataset.range(0).batch(2), 2, []),
]


@pytest.mark.parametrize(("make", "replicas", "expected"), FROM_FUNCTIONS)
def test_every_replica_takes_a_batch_a_step(make: Callable[[], Dataset], replicas: int, expected: Any) -> None:
    assert steps(from_function(make, replicas)) == expected
    assert steps(from_function(lambda: make().map(lambda x: x), replicas)) == expected


def test_what_has_no_rows_exists_on_replicas_without_data() -> None:
    dataset = from_function(lambda: Dataset.range(1).batch(2).map(lambda x: (x, np.ones(3, np.float32))), 2)
    (x, ones), *rest = list(dataset)
    assert not rest
    assert [v.shape for v in x.values] == [(1,), (0,)]
    assert [v.tolist() for v in ones.values] == [[1, 1, 1], [0, 0, 0]]


def test_an_infinite_data_set_has_no_partial_steps() -> None:
    iterator = iter(from_function(lambda: Dataset.range(3).batch(2).repeat(), 2))
    assert [v.tolist() for v in next(iterator).values] == [[0, 1], [2]]


def test_an_input_function_may_be_called_once_a_replica() -> None:
    contexts: list[InputContext] = []

    def make(context: InputContext) -> Dataset:
        contexts.append(context)
        return Dataset.range(8).shard(context.num_input_pipelines, context.input_pipeline_id).batch(3)

    options = InputOptions(experimental_replication_mode=PER_REPLICA)
    dataset = DistributedDatasetFromFunction(make, InputContext(1, 0, 2), mesh(2), options)
    assert contexts == [InputContext(2, 0, 2), InputContext(2, 1, 2)]
    assert steps(dataset) == [[[0, 2, 4], [1, 3, 5]], [[6], [7]]]


def test_an_input_function_must_return_a_dataset() -> None:
    with pytest.raises(TypeError, match=r"must return a tf.data.Dataset, found int"):
        DistributedDatasetFromFunction(lambda _: 3, InputContext(), mesh(2))  # type: ignore[arg-type,return-value]


@pytest.mark.parametrize("replicas", [2, 3])
def test_pieces_lie_on_their_replicas_devices_with_exact_dtypes(replicas: int) -> None:
    x, y = np.random.default_rng(0).random((7, 2)), np.arange(7)
    dataset = Dataset.from_tensor_slices({"x": x, "y": y}).batch(6)
    full, short = list(distribute(dataset, replicas))
    assert isinstance(full["x"], Stacked)
    assert isinstance(short["x"], Separate)
    for element in (full, short):
        for leaf in (element["x"], element["y"]):
            assert [v.device for v in leaf.values] == list(mesh(replicas).devices)
    assert [v.dtype for v in short["x"].values] == [np.float64] * replicas
    assert [v.dtype for v in short["y"].values] == [np.int64] * replicas
    np.testing.assert_array_equal(np.concatenate([v for e in (full, short) for v in e["x"].values]), x)


def test_one_replica_gets_raw_arrays_on_its_device() -> None:
    device = jax.devices()[3]
    elements = list(DistributedDataset(Dataset.range(5).batch(4), InputContext(), ReplicaMesh((device,))))
    assert [e.tolist() for e in elements] == [[0, 1, 2, 3], [4]]
    assert all(isinstance(e, jax.Array) and e.device == device and e.dtype == np.int64 for e in elements)


def test_strings_stay_on_the_host() -> None:
    (element,) = distribute(Dataset.from_tensor_slices(["a", "b", "c"]).batch(3), 2)
    assert isinstance(element, PerReplica)
    assert [v.tolist() for v in element.values] == [[b"a", b"b"], [b"c"]]


@pytest.mark.parametrize("dataset", [Dataset.range(3), Dataset.range(3).map(lambda x: x)], ids=["memory", "map"])
def test_unbatched_scalars_cannot_be_distributed(dataset: Dataset) -> None:
    with pytest.raises(ValueError, match=r"\.batch\(global_batch_size\)"):
        next(iter(distribute(dataset, 2)))


def test_it_has_facts_but_no_length_and_no_transformations() -> None:
    distributed = distribute(Dataset.range(7).batch(4, True), 2)
    assert distributed.cardinality == 1
    assert distribute(Dataset.range(7).batch(4).repeat(), 2).cardinality == INFINITE_CARDINALITY
    assert distributed.element_spec == PerReplicaSpec(*[TensorSpec((2,), np.int64)] * 2)
    assert iter(distributed).element_spec == distributed.element_spec
    open_rows = distribute(Dataset.range(7).batch(4), 2)
    assert open_rows.element_spec == PerReplicaSpec(*[TensorSpec((None,), np.int64)] * 2)
    assert distribute(Dataset.range(7).batch(4), 1).element_spec == TensorSpec((None,), np.int64)
    with pytest.raises(TypeError, match="has no len"):
        len(distributed)  # type: ignore[arg-type]
    assert not hasattr(distributed, "map")


def test_the_end_is_tensorflows() -> None:
    iterator = iter(distribute(Dataset.range(4).batch(4), 2))
    assert iterator.get_next_as_optional().has_value()
    with pytest.raises(StopIteration):
        next(iterator)
    with pytest.raises(OutOfRangeError):
        iterator.get_next()
    assert not iterator.get_next_as_optional().has_value()


@pytest.mark.parametrize("first", ["draw", "assign"])
def test_a_step_that_finds_the_end_changes_nothing(first: str) -> None:
    """In TensorFlow the optimizer has counted one step more: what does not need the element runs in spite of the end."""
    variable, optimizer = tf.Variable([1.0, 2.0]), tf.keras.optimizers.SGD(0.1)
    optimizer.build([variable])

    @tf.function
    def step(iterator: Any) -> Any:
        element = next(iterator) if first == "draw" else None
        optimizer.apply_gradients([(tf.ones_like(variable), variable)])
        return next(iterator) if element is None else element

    for epoch in (1, 2):
        iterator = iter(Dataset.range(3))
        for _ in range(3):
            step(iterator)
        with pytest.raises(OutOfRangeError):
            step(iterator)
        assert int(optimizer.iterations) == 3 * epoch
        np.testing.assert_allclose(variable, np.array([1.0, 2.0]) - 0.3 * epoch, rtol=1e-6)


def test_iterating_anew_reshuffles() -> None:
    distributed = distribute(Dataset.range(40).shuffle(40).batch(40), 2)
    first, second = steps(distributed), steps(distributed)
    assert first != second
    assert sorted(np.ravel(first)) == sorted(np.ravel(second)) == list(range(40))


@pytest.mark.parametrize("replicas", [1, 2])
@in_both_pipelines
def test_a_trace_draws_placed_elements(pipeline: Callable[[Dataset], Dataset], replicas: int) -> None:
    distributed = distribute(pipeline(Dataset.range(8).batch(4)), replicas)
    iterator = iter(distributed)
    recorder = StepRecorder()

    def step(x: Any) -> Any:
        with entered(recorder=recorder):
            drawn = next(iterator)
            assert not isinstance(drawn.array if replicas > 1 else drawn, jax.core.Tracer)
            with pytest.raises(HostNeeded):
                iter(distributed)
        return x

    jax.jit(step)(1.0)
    assert recorder.drawn == [iterator]
    assert len(list(iterator)) == 2  # the trace consumed nothing


@given(
    rows=st.integers(0, 20),
    batch_size=st.integers(1, 6),
    replicas=st.sampled_from([1, 2, 3]),
    before=st.integers(0, 6),
    peek=st.booleans(),
    function=st.booleans(),
    pipeline=st.sampled_from(sorted(PIPELINES)),
)
def test_a_restored_iterator_goes_on_with_the_very_next_example(
    rows: int, batch_size: int, replicas: int, before: int, peek: bool, function: bool, pipeline: str
) -> None:
    def build() -> Any:
        dataset = PIPELINES[pipeline](Dataset.range(rows).shuffle(5, seed=2).batch(batch_size))
        return from_function(lambda: dataset, replicas) if function else distribute(dataset, replicas)

    def rest(iterator: Any) -> list[Any]:
        return [[v.tolist() for v in (e.values if replicas > 1 else [e])] for e in iterator]

    iterator, other = iter(build()), iter(build())
    for _ in range(before):
        next(iterator, None)
    if peek:
        with contextlib.suppress(StopIteration):
            iterator.peek()
    state = json.loads(json.dumps(iterator.get_state()))
    next(other, None)
    other.set_state(state)
    assert rest(other) == rest(iterator)
    iterator.close()
    other.close()


def test_elements_of_user_code_are_made_one_step_ahead_in_a_thread_of_the_callers_context() -> None:
    made: list[tuple[int, str, Any]] = []
    ahead = threading.Event()

    def f(x: Any) -> Any:
        made.append((int(x[0].numpy()), threading.current_thread().name, current().strategy))
        if len(made) == 2:
            ahead.set()
        return x

    with entered(strategy="mine"):
        iterator = iter(distribute(Dataset.range(8).batch(2).map(f), 2))
        next(iterator)
    assert ahead.wait(120)
    assert [m[0] for m in made] == [0, 2]
    assert {m[1:] for m in made} == {("stratagem-read-ahead", "mine")}
    iterator.close()


def test_a_source_that_blocks_does_not_hold_back_what_is_ready() -> None:
    gate = threading.Event()

    def generate() -> Any:
        yield [1, 2]
        gate.wait(120)
        yield [3, 4]

    dataset = Dataset.from_generator(generate, output_signature=TensorSpec((2,), np.int64))
    iterator = iter(distribute(dataset, 2))
    assert [v.tolist() for v in next(iterator).values] == [[1], [2]]
    gate.set()
    assert [v.tolist() for v in next(iterator).values] == [[3], [4]]


def test_without_a_buffer_nothing_is_made_ahead() -> None:
    made: list[int] = []
    dataset = Dataset.range(8).batch(2).map(lambda x: made.append(x[0].numpy()) or x)
    options = InputOptions(experimental_per_replica_buffer_size=0)
    next(iter(distribute(dataset, 2, options)))
    assert len(made) == 1


def test_an_error_reaches_the_step_it_belongs_to() -> None:
    def f(x: Any) -> Any:
        if x[0] == 2:
            raise ZeroDivisionError("two")
        return x

    iterator = iter(distribute(Dataset.range(6).batch(2).map(f), 2))
    next(iterator)
    with pytest.raises(ZeroDivisionError, match="two"):
        next(iterator)
    assert [v.tolist() for v in next(iterator).values] == [[4], [5]]


def test_input_options_refuse_what_excludes_each_other() -> None:
    with pytest.raises(ValueError, match="PER_REPLICA, found PER_WORKER"):
        InputOptions(experimental_place_dataset_on_device=True)
    with pytest.raises(ValueError, match="exclude each other"):
        InputOptions(True, PER_REPLICA, experimental_place_dataset_on_device=True)
    with pytest.raises(ValueError, match="buffer_size must be 0"):
        InputOptions(experimental_per_replica_buffer_size=-1)
    with pytest.raises(UnimplementedError, match="distribute_datasets_from_function"):
        distribute(Dataset.range(4).batch(2), 2, InputOptions(experimental_replication_mode=PER_REPLICA))


def test_an_input_context_divides_the_global_batch() -> None:
    context = InputContext(num_input_pipelines=2, input_pipeline_id=1, num_replicas_in_sync=4)
    assert context.get_per_replica_batch_size(8) == 2
    assert str(context) == "tf.distribute.InputContext(input pipeline id 1, total: 2)"
    with pytest.raises(ValueError, match="The `global_batch_size` 7 is not divisible by `num_replicas_in_sync` 4"):
        context.get_per_replica_batch_size(7)


def test_what_is_computed_of_a_batch_stays_on_its_device() -> None:
    strategy = OneDeviceStrategy("CPU:1")
    dataset = strategy.experimental_distribute_dataset(Dataset.range(4).batch(2))
    batch = next(iter(dataset))
    assert batch.dtype == "int64"
    assert (batch + 1).devices() == batch.devices() == {jax.devices("cpu")[1]}


@pytest.mark.parametrize("dtype", ["float32", "int64", "uint8", "float16"])
def test_even_batches_reach_the_replicas_in_one_transfer_unchanged(dtype: str) -> None:
    strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
    rows = np.arange(48).reshape(8, 6).astype(dtype)
    views = {"plain": rows, "column": rows[:, 2:3], "turned": rows[::-1]}  # not all of them lie in one piece of memory
    data = tf.data.Dataset.from_tensors(views).unbatch().batch(4)
    for step, batch in enumerate(strategy.experimental_distribute_dataset(data)):
        for name, whole in views.items():
            parts = [value.numpy() for value in batch[name].values]
            assert [part.dtype for part in parts] == [rows.dtype] * 2
            np.testing.assert_array_equal(np.concatenate(parts), whole[4 * step : 4 * step + 4])


def test_what_a_program_of_the_users_yields_may_be_written_to_after_it_was_taken() -> None:
    strategy, buffer = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"]), np.zeros((4, 300), "float32")

    def batches() -> Any:
        for step in range(3):
            buffer[:] = step
            yield buffer

    data = tf.data.Dataset.from_generator(batches, output_signature=tf.TensorSpec((4, 300), tf.float32))
    taken = list(iter(strategy.experimental_distribute_dataset(data)))
    assert [float(tf.reduce_max(batch.values[1])) for batch in taken] == [0.0, 1.0, 2.0]
