"""ParameterServerStrategy: what it refuses, where it puts variables, and what cannot be done with them."""

from typing import Any

import numpy as np
import pytest

import stratagem as tf
from stratagem._cluster import ClusterSpec, SimpleClusterResolver
from stratagem._core.values import placement_of
from stratagem._servers.remote import Server
from stratagem._servers.strategy import ParameterServerStrategy
from stratagem.testing import free_ports
from tests.servers.remote.serving import Shards, cluster, serving, shrinking

Addresses = dict[str, list[str]]


# --- The cluster ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("jobs", "task", "message"),
    [
        ({}, None, "needs a cluster"),
        ({"worker": ["h:1"]}, None, "at least one ps"),
        ({"worker": ["h:1"], "ps": []}, None, "at least one ps"),
        ({"ps": ["h:1"]}, None, "at least one worker"),
        ({"ps": ["h:1"], "worker": ["h:2"], "chief": ["h:3", "h:4"]}, None, "at most one 'chief'"),
        ({"ps": ["h:1"], "worker": ["h:2"], "master": ["h:3"]}, None, "master"),
        ({"ps": ["h:1"], "worker": ["h:2"], "local": ["h:3"]}, None, "local"),
        ({"ps": ["h:1"], "worker": ["h:2"]}, "coordinator", "coordinator"),
    ],
)
def test_a_cluster_that_cannot_work_is_refused(jobs: Addresses, task: str | None, message: str) -> None:
    resolver = SimpleClusterResolver(ClusterSpec(jobs), task_type=task)
    with pytest.raises(ValueError, match=message):
        ParameterServerStrategy(resolver)


def test_a_chief_need_not_be_in_the_cluster() -> None:
    spec = cluster(1, 1)
    for task in (None, "chief"):
        assert ParameterServerStrategy(SimpleClusterResolver(spec, task_type=task)).num_replicas_in_sync == 1


def test_replicas_are_those_of_one_worker() -> None:
    strategy = serving(servers=2, workers=3)
    assert strategy.num_replicas_in_sync == 1
    assert strategy.workers == 3
    assert strategy.cluster_resolver.cluster_spec().num_tasks("ps") == 2


def test_both_names_are_one_class() -> None:
    assert tf.distribute.ParameterServerStrategy is tf.distribute.experimental.ParameterServerStrategy


# --- Servers ----------------------------------------------------------------------------------------------------------------


def addresses(count: int) -> list[str]:
    return [f"localhost:{port}" for port in free_ports(count)]


def test_a_server_says_where_it_is() -> None:
    (address,) = addresses(1)
    assert Server({"ps": [address]}).target == f"grpc://{address}"
    assert tf.distribute.Server is Server


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"job_name": "worker"}, "worker"),
        ({"job_name": "ps"}, "explicit `task_index`"),
        ({"job_name": "ps", "task_index": 2}, "no task 2"),
        ({"job_name": "ps", "task_index": -1}, "no task -1"),
    ],
)
def test_a_server_is_a_task_of_the_cluster(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Server({"ps": ["localhost:1", "localhost:2"]}, **arguments)


def test_with_two_jobs_the_name_is_needed() -> None:
    with pytest.raises(ValueError, match="explicit `job_name`"):
        Server({"ps": ["localhost:1"], "worker": ["localhost:2"]})


# --- Placement --------------------------------------------------------------------------------------------------------------


def homes(*variables: Any) -> list[int]:
    parts = [part for v in variables for part in getattr(v, "variables", [v])]
    return [placement_of(part).home for part in parts]  # type: ignore[union-attr]


def test_servers_take_turns_in_the_order_of_creation() -> None:
    strategy = serving(servers=3)
    with strategy.scope():
        assert homes(*(tf.Variable(0.0) for _ in range(4))) == [0, 1, 2, 0]


def test_shards_take_turns_with_everything_else() -> None:
    strategy = serving(servers=3, shards=2)
    with strategy.scope():
        made = [tf.Variable(np.zeros((5, 2))), tf.Variable(0.0), tf.Variable(np.zeros(4))]
    assert [tuple(part.shape) for part in made[0].variables] == [(3, 2), (2, 2)]
    assert homes(*made) == [0, 1, 2, 0, 1]


def test_slots_lie_beside_their_variable_and_counters_wherever_updates_are() -> None:
    strategy = serving(servers=3)
    with strategy.scope():
        variables = [tf.Variable(np.zeros(4)) for _ in range(4)]
        optimizer = tf.keras.optimizers.Adam()
        optimizer.build(variables)
    slots = [v for v in optimizer.variables if v._slot_of is not None]
    assert len(slots) == 8
    assert all(homes(slot) == homes(slot._slot_of) for slot in slots)


def test_no_variable_has_more_shards_than_rows() -> None:
    strategy = serving(servers=2, shards=4)
    with strategy.scope():
        assert [tuple(p.shape) for p in tf.Variable(np.zeros((3, 2))).variables] == [(1, 2)] * 3
        assert not hasattr(tf.Variable(1.0), "variables")


@pytest.mark.parametrize("answer", [None, [], [0, 1, 1], [2, 2, 1], [-1, 1, 1]])
def test_a_partitioner_that_answers_nonsense_is_refused(answer: Any) -> None:
    strategy = ParameterServerStrategy(SimpleClusterResolver(cluster(1, 1)), lambda shape, dtype, **more: answer)
    with strategy.scope(), pytest.raises(ValueError, match="variable_partitioner"):
        tf.Variable(np.zeros((4, 2, 2)))


def test_an_initializer_that_knows_of_parts_makes_each_by_itself() -> None:
    strategy, asked = serving(servers=2, shards=2), []

    def initial(shape: Any, dtype: Any, partition_shape: Any = None, partition_offset: Any = None) -> Any:
        asked.append((tuple(partition_shape), tuple(partition_offset)))
        return tf.fill(partition_shape, float(partition_offset[0]))

    with strategy.scope():
        v = tf.Variable(lambda **place: initial((5, 2), None, **place), shape=(5, 2), dtype=tf.float32)
    assert asked == [((3, 2), (0, 0)), ((2, 2), (3, 0))]
    assert v.numpy()[:, 0].tolist() == [0, 0, 0, 3, 3]


# --- Scopes -----------------------------------------------------------------------------------------------------------------


def test_a_variable_is_read_and_assigned_anywhere() -> None:
    strategy = serving()
    with strategy.scope():
        v = tf.Variable([1.0, 2.0])
        v.assign_add([1.0, 1.0])
    v.assign_sub([0.5, 0.0])
    assert v.numpy().tolist() == [1.5, 3.0]
    assert float(tf.reduce_sum(v * 2)) == 9


def test_strategies_do_not_mix() -> None:
    first, second = serving(), serving()
    with first.scope():
        v = tf.Variable(1.0)
        with pytest.raises(RuntimeError, match="Mixing different"), second.scope():
            pass
    with second.scope():
        with pytest.raises(RuntimeError, match="Mixing different"):
            v.assign(2.0)
        other = tf.Variable(1.0)
        with pytest.raises(RuntimeError, match="Mixing different"):
            tf.function(lambda: other.assign_add(v))()
        assert other.numpy() == 1


def training(strategy: Any, optimizer: Any) -> Any:
    """A step on a kernel of four rows."""
    with strategy.scope():
        layer = tf.keras.layers.Dense(2)
        layer.build((None, 4))
    step = shrinking(layer, optimizer)

    def run() -> None:
        with strategy.scope():
            step(tf.ones((3, 4)))

    return run


def test_an_optimizer_from_outside_the_scope_is_refused() -> None:
    with pytest.raises(RuntimeError, match=r"adam\w* was created outside of strategy.scope\(\)"):
        training(serving(), tf.keras.optimizers.Adam(0.1))()


def test_loss_scaling_is_refused_by_name() -> None:
    strategy = serving()
    with strategy.scope():
        optimizer = tf.keras.optimizers.LossScaleOptimizer(tf.keras.optimizers.SGD(0.1))
    with pytest.raises(tf.errors.UnimplementedError, match="LossScaleOptimizer"):
        training(strategy, optimizer)()


class OwnLamb(tf.keras.optimizers.Lamb):  # type: ignore[misc]
    """A user's class, which needs all of a variable as much as Keras' does."""


@pytest.mark.parametrize("name", ["Lamb", "Adafactor", "OwnLamb"])
def test_an_optimizer_that_needs_all_of_a_variable_is_refused_for_shards(name: str) -> None:
    strategy = serving(shards=2)
    with strategy.scope():
        optimizer = OwnLamb(0.1) if name == "OwnLamb" else getattr(tf.keras.optimizers, name)(0.1)
    step = training(strategy, optimizer)
    with pytest.raises(tf.errors.UnimplementedError, match=f"{name} needs all of .*kernel"):
        step()


@pytest.mark.parametrize("option", ["global_clipnorm", "clipnorm"])
def test_a_norm_over_servers_cannot_wait_for_accumulated_gradients(option: str) -> None:
    strategy = serving(shards=2)
    with strategy.scope():
        optimizer = tf.keras.optimizers.SGD(0.1, gradient_accumulation_steps=2, **{option: 0.1})
    with pytest.raises(tf.errors.UnimplementedError, match=f"{option} with gradient_accumulation_steps"):
        training(strategy, optimizer)()


# --- Tables -----------------------------------------------------------------------------------------------------------------


@pytest.fixture
def small_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """A variable of more than 100 bytes must not travel whole."""
    # Private: 256 MiB otherwise, which tests need not move.
    monkeypatch.setattr("stratagem._servers.remote._step_analysis.WHOLE_LIMIT", 100)


@pytest.fixture(params=[None, 2])
def table(request: pytest.FixtureRequest) -> Any:
    """A table of 160 bytes, in one piece or two."""
    strategy = serving(servers=2, shards=request.param)
    with strategy.scope():
        layer = tf.keras.layers.Embedding(10, 4)
        layer.build(None)
    return layer


def gradient_step(layer: Any, loss_of: Any, optimizer: Any) -> None:
    @tf.function
    def step(ids: Any) -> None:
        with tf.GradientTape() as tape:
            loss = loss_of(layer, ids)
        variables = layer.trainable_variables
        optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))

    with placement_of(layer.trainable_variables[0]).strategy.scope():  # type: ignore[union-attr]
        step(np.array([[1, 2], [2, 9]], "int32"))


def looked_up(layer: Any, ids: Any) -> Any:
    return tf.reduce_sum(layer(ids) ** 2)


@pytest.mark.sampled
@pytest.mark.usefixtures("small_limit")
@pytest.mark.parametrize("name", ["SGD", "Adagrad", "Adam"])
def test_a_table_beyond_the_limit_is_trained_without_being_made_whole(name: str, table: Any) -> None:
    before = np.asarray(table.embeddings.numpy())
    with placement_of(table.trainable_variables[0]).strategy.scope():  # type: ignore[union-attr]
        optimizer = getattr(tf.keras.optimizers, name)(0.1)
    gradient_step(table, looked_up, optimizer)
    changed = np.any(np.asarray(table.embeddings.numpy()) != before, axis=1)
    assert changed.nonzero()[0].tolist() == [1, 2, 9]


@pytest.mark.usefixtures("small_limit")
def test_so_are_two_tables_that_are_asked_for_the_same_ids(table: Any) -> None:
    with placement_of(table.trainable_variables[0]).strategy.scope():  # type: ignore[union-attr]
        wide, optimizer = tf.keras.layers.Embedding(10, 4), tf.keras.optimizers.SGD(0.1)
        wide.build(None)
        both = tf.keras.Model()
        both.table, both.wide = table, wide
        for each in (table, wide):  # far from 0, where a difference has few digits
            each.embeddings.assign(np.arange(1, 41, dtype="float32").reshape(10, 4) / 40)
    before = [np.asarray(t.embeddings.numpy()) for t in (table, wide)]
    gradient_step(both, lambda m, ids: tf.reduce_sum(m.table(ids) * m.wide(ids)), optimizer)
    for one, other, value in ((table, 1, before[0]), (wide, 0, before[1])):
        wanted = value.copy()
        wanted[[1, 2, 9]] -= np.float32(0.1) * np.array([[1], [2], [1]]) * before[other][[1, 2, 9]]
        np.testing.assert_allclose(one.embeddings.numpy(), wanted, rtol=1e-5)


@pytest.mark.usefixtures("small_limit")
@pytest.mark.parametrize(
    "loss_of",
    [
        lambda t, ids: tf.reduce_sum(tf.matmul(t(ids), tf.transpose(t.embeddings.value))),
        lambda t, ids: looked_up(t, ids) + tf.reduce_sum(t.embeddings.value**2),
        lambda t, ids: tf.reduce_sum(tf.convert_to_tensor(t.embeddings)[:3]),
    ],
    ids=["as a kernel", "penalized", "a slice"],
)
def test_any_other_use_of_such_a_table_is_an_error_that_names_it(loss_of: Any, table: Any) -> None:
    with placement_of(table.trainable_variables[0]).strategy.scope():  # type: ignore[union-attr]
        optimizer = tf.keras.optimizers.SGD(0.1)
    before = np.asarray(table.embeddings.numpy())
    with pytest.raises(tf.errors.UnimplementedError, match=r"`\w+` needs all of variable .*embeddings, .*Look rows up"):
        gradient_step(table, loss_of, optimizer)
    np.testing.assert_array_equal(table.embeddings.numpy(), before)


@pytest.mark.usefixtures("small_limit")
def test_a_table_beyond_the_limit_is_no_result(table: Any) -> None:
    with (
        placement_of(table.trainable_variables[0]).strategy.scope(),
        pytest.raises(  # type: ignore[union-attr]
            tf.errors.UnimplementedError, match="needs all of variable"
        ),
    ):
        tf.function(lambda: table.embeddings.value + 0.0)()


@pytest.mark.sampled
@pytest.mark.usefixtures("small_limit")
def test_a_table_may_be_clipped_by_its_norm_and_all_norms(table: Any) -> None:
    with placement_of(table.trainable_variables[0]).strategy.scope():  # type: ignore[union-attr]
        optimizers = [tf.keras.optimizers.SGD(1.0, **o) for o in ({"clipnorm": 0.5}, {"global_clipnorm": 0.5})]
    for optimizer in optimizers:
        before = np.asarray(table.embeddings.numpy())
        gradient_step(table, lambda t, ids: 1e4 * looked_up(t, ids), optimizer)
        assert abs(np.linalg.norm(table.embeddings.numpy() - before) - 0.5) < 1e-5


@pytest.mark.usefixtures("small_limit")
@pytest.mark.parametrize("function", ["embedding_lookup", "gather", "take", "sparse_read"])
def test_every_way_to_look_rows_up_asks_for_rows(function: str) -> None:
    strategy = serving()
    with strategy.scope():
        v = tf.Variable(np.arange(40.0).reshape(10, 4))
        rows = {
            "embedding_lookup": lambda ids: tf.nn.embedding_lookup(v, ids),
            "gather": lambda ids: tf.gather(v, ids),
            "take": lambda ids: tf.keras.ops.take(v, ids, axis=0),
            "sparse_read": lambda ids: v.sparse_read(ids),
        }[function]
        found = tf.function(rows)(np.array([[3], [0]]))
    np.testing.assert_array_equal(found, np.arange(40.0).reshape(10, 4)[[[3], [0]]])


@pytest.mark.thorough
def test_a_table_of_more_than_a_gigabyte_trains_in_place() -> None:
    """20 million rows: a step touches 4096 of them, and takes neither the time nor the memory of the table."""
    strategy = ParameterServerStrategy(SimpleClusterResolver(cluster(2, 1)), Shards(2))
    rows = 20_000_000
    with strategy.scope():
        table, optimizer = tf.keras.layers.Embedding(rows, 16), tf.keras.optimizers.Adagrad(0.1)
        table.build(None)
    step = shrinking(table, optimizer)
    for seed in range(3):
        ids = np.random.default_rng(seed).integers(0, rows, 4096).astype("int32")
        before = np.asarray(tf.nn.embedding_lookup(table.embeddings, ids[:5]))
        with strategy.scope():
            step(ids)
        assert np.all(np.any(np.asarray(tf.nn.embedding_lookup(table.embeddings, ids[:5])) != before, axis=1))
