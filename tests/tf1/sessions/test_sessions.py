"""Sessions: what they run and refuse, and how a graph is told apart from what runs at once."""

from collections.abc import Iterator
from typing import Any

import jax
import numpy as np
import pytest

import stratagem as tf
from stratagem._base.errors import ContextError
from tests.core.step.observing import compilations

v1 = tf.compat.v1


@pytest.fixture
def session() -> Iterator[Any]:
    with tf.Graph().as_default(), v1.Session() as session:
        yield session


@pytest.fixture
def graph_mode() -> Iterator[None]:
    v1.disable_eager_execution()
    try:
        yield
    finally:
        v1.enable_eager_execution()


def test_a_variable_has_no_value_in_a_session_before_it_is_given_one(session: Any) -> None:
    v = v1.get_variable("v", initializer=np.float32([1, 2]))
    with pytest.raises(tf.errors.FailedPreconditionError, match="uninitialized value v"):
        session.run(v)
    assert session.run(v1.report_uninitialized_variables()).tolist() == [b"v"]
    session.run(v.initializer)
    np.testing.assert_array_equal(session.run(v), [1, 2])
    assert not session.run(v1.report_uninitialized_variables()).size
    other = v1.Session(graph=session.graph)
    with pytest.raises(tf.errors.FailedPreconditionError):
        other.run(v)


def test_what_is_fed_may_change_when_a_run_is_over(session: Any) -> None:
    """A run that fetches nothing but operations may return while the device computes."""
    x = v1.placeholder(tf.float32, [1024, 1024])
    total = v1.get_variable("total", initializer=np.zeros((), np.float32))
    keep = tf.group(total.assign(tf.reduce_sum(tf.matmul(tf.matmul(x, x), x))))
    session.run(total.initializer)
    memory = np.zeros(1024 * 1024 * 4 + 64, np.uint8)
    first = -memory.ctypes.data % 64  # from where on a device of the host shares memory
    fed = memory[first : first + 1024 * 1024 * 4].view(np.float32).reshape(1024, 1024)
    for _ in range(3):
        fed[:] = 1
        session.run(keep, {x: fed})
        fed[:] = 0
        assert session.run(total) == 1024.0**4


def test_initializing_again_gives_the_first_values_back_also_to_slots(session: Any) -> None:
    x = v1.placeholder(tf.float32, [None, 3])
    w = v1.get_variable("w", initializer=np.ones((3, 2), np.float32))
    train = v1.train.AdagradOptimizer(0.5, initial_accumulator_value=0.25).minimize(tf.reduce_sum(tf.matmul(x, w) ** 2))
    slots = [v for v in v1.global_variables() if v is not w]
    init = v1.global_variables_initializer()
    session.run(init)
    for _ in range(2):
        session.run(train, {x: np.ones((4, 3))})
    assert not np.allclose(session.run(slots[0]), 0.25)
    session.run(init)
    np.testing.assert_array_equal(session.run(w), np.ones((3, 2)))
    np.testing.assert_array_equal(session.run(slots[0]), np.full((3, 2), 0.25))


def test_first_values_may_be_computed_from_other_variables_and_be_fed(session: Any) -> None:
    size = v1.placeholder(tf.float32, [2])
    first = v1.Variable(size * 2, name="first")
    second = v1.Variable(first.initialized_value() + 1, name="second")
    session.run(v1.global_variables_initializer(), {size: [1, 2]})
    np.testing.assert_array_equal(session.run([first, second]), [[2, 4], [3, 5]])


def test_random_first_values_are_new_in_each_initialization_unless_the_graph_has_a_seed() -> None:
    def drawn(seed: int | None) -> list[np.ndarray]:
        found = []
        with tf.Graph().as_default(), v1.Session() as session:
            if seed is not None:
                v1.set_random_seed(seed)
            v = v1.get_variable("v", [4], initializer=v1.random_normal_initializer())
            for _ in range(2):
                session.run(v1.global_variables_initializer())
                found.append(session.run(v))
                session.run(v.assign_add(tf.ones([4])))
        return found

    one, again = drawn(3), drawn(3)
    np.testing.assert_array_equal(one, again)
    first, second = drawn(None)
    assert not np.array_equal(first, second)


def test_the_seed_of_a_graph_leaves_random_numbers_outside_of_it_as_they_are() -> None:
    tf.random.set_seed(5)
    expected = tf.random.normal([3]).numpy()
    tf.random.set_seed(5)
    with tf.Graph().as_default():
        v1.set_random_seed(1)
    np.testing.assert_array_equal(tf.random.normal([3]), expected)


def test_each_run_draws_other_random_numbers_and_one_run_the_same_for_all_its_fetches(session: Any) -> None:
    drawn = tf.random.normal([5])
    twice = drawn * 2
    a, b = session.run([drawn, twice])
    np.testing.assert_array_equal(a * 2, b)
    assert not np.array_equal(session.run(drawn), session.run(drawn))


def test_a_part_is_compiled_once_for_each_size_of_what_is_fed(session: Any) -> None:
    x = v1.placeholder(tf.float32, [None, 3])
    y = tf.reduce_mean(tf.nn.relu(x) * 2.0)
    with compilations() as compiled:
        for rows in (4, 4, 7, 4, 7):
            assert session.run(y, {x: np.ones((rows, 3))}) == 2.0
    assert len(compiled) == 2


def test_a_placeholder_that_nothing_needs_is_not_fed(session: Any) -> None:
    x, y = v1.placeholder(tf.float32, [], name="x"), v1.placeholder(tf.float32, [], name="y")
    both, one = x + y, x * 2.0
    assert session.run(one, {x: 1.5}) == 3.0
    with pytest.raises(tf.errors.InvalidArgumentError, match="You must feed a value for placeholder tensor 'y'"):
        session.run(both, {x: 1.5})


@pytest.mark.parametrize(
    ("feed", "error", "text"),
    [
        (lambda x: {x: np.ones((2, 2))}, ValueError, r"Cannot feed value of shape \(2, 2\) for Tensor x:0"),
        (lambda x: {x: x}, TypeError, "feed cannot be a tf.Tensor"),
        (lambda x: {"no:0": 1}, KeyError, "does not exist"),
        (lambda x: {3: 1}, TypeError, "Cannot interpret feed_dict key 3"),
        (lambda x: {x: "text"}, ValueError, "could not convert"),
    ],
)
def test_what_does_not_fit_is_not_fed(session: Any, feed: Any, error: type[Exception], text: str) -> None:
    x = v1.placeholder(tf.float32, [None, 3], name="x")
    with pytest.raises(error, match=text):
        session.run(x * 2, feed(x))


def test_unknown_sizes_are_fetched(session: Any) -> None:
    x = v1.placeholder(tf.float32, [None, 2])
    with compilations() as compiled:
        for rows in (3, 3):
            found = session.run(
                [tf.shape(x), tf.shape(x)[0] * 2, v1.shape(x, out_type=tf.int64)], {x: np.ones((rows, 2))}
            )
    assert [np.asarray(each).tolist() for each in found] == [[3, 2], 6, [3, 2]]
    assert [np.asarray(each).dtype.name for each in found] == ["int32", "int32", "int64"]
    assert len(compiled) == 1


def test_a_placeholder_without_a_shape_is_a_scalar(session: Any) -> None:
    rate = v1.placeholder("float", name="rate")
    assert session.run(rate * 2.0, {rate: 1.5}) == 3.0
    with pytest.raises(ValueError, match=r"without a shape is a scalar; give it one"):
        session.run(rate * 2.0, {rate: [1.5]})


def test_sizes_of_one_axis_have_to_be_equal_where_they_are_unknown(session: Any) -> None:
    x, y = v1.placeholder(tf.float32, [None, 2], name="x"), v1.placeholder(tf.float32, [None], name="y")
    with pytest.raises(tf.errors.InvalidArgumentError, match="y:0 has the size 4 where x:0 has 3"):
        session.run([x, y], {x: np.ones((3, 2)), y: np.ones(4)})


@pytest.mark.parametrize("fetch", [None, object(), [None]])
def test_what_is_no_fetch_is_refused(session: Any, fetch: Any) -> None:
    with pytest.raises(TypeError, match="has invalid type"):
        session.run(fetch)


def test_fetches_keep_their_structure(session: Any) -> None:
    x = tf.constant(2.0)
    v = v1.Variable(1.0)
    session.run(v1.global_variables_initializer())
    found = session.run({"a": [x, (v, v.assign_add(x))], "b": v1.no_op()})
    assert found == {"a": [2.0, (1.0, 3.0)], "b": None}
    assert isinstance(found["a"][0], np.float32)
    assert session.run([]) == []


def test_a_tensor_of_a_graph_is_no_value_outside_of_it() -> None:
    with tf.Graph().as_default():
        x = v1.placeholder(tf.float32, [None, 2], name="x")
    with tf.Graph().as_default(), pytest.raises(ValueError, match="must be from the same graph"):
        x + tf.constant(1.0)
    with pytest.raises(ContextError, match=r"tensor of a tf.Graph has no value outside"):
        tf.reduce_sum(x)
    with (
        v1.Session(graph=tf.Graph()) as session,
        pytest.raises(ValueError, match="not an element of the session's graph"),
    ):
        session.run(x)
    assert {x: 1}[x] == 1
    assert x.shape.as_list() == [None, 2]


def test_python_does_not_decide_on_a_tensor_of_a_graph(session: Any) -> None:
    x = v1.placeholder(tf.float32, [], name="x")
    with pytest.raises(jax.errors.TracerBoolConversionError, match=r"a part of a tf\.Graph.*Use tf\.cond"):
        bool(x > 1)
    with pytest.raises(TypeError, match=r"'x:0'.*a part of a tf\.Graph.*make_initializable_iterator"):
        np.asarray(x)
    with pytest.raises(TypeError, match="feed_dict must be a dictionary"):
        session.run(x, [1.0])


def test_code_after_a_graph_runs_at_once() -> None:
    with tf.Graph().as_default():
        assert not tf.executing_eagerly()
        v1.get_variable("v", [2])
    assert tf.executing_eagerly()
    assert (tf.constant(1) + 1).numpy() == 2
    v = tf.Variable(1.0)
    v.assign_add(1.0)
    assert v.numpy() == 2.0


def test_a_tf_variable_of_a_graph_is_assigned_by_operations(session: Any) -> None:
    v = tf.Variable(np.float32(1))
    add = v.assign_add(2.0)
    session.run(v1.global_variables_initializer())
    assert (session.run(v), session.run(add), session.run(v)) == (1.0, 3.0, 3.0)
    v.load(7.0, session)
    assert v.eval() == 7.0


def test_after_disabling_eager_execution_a_default_graph_begins_where_one_is_needed(graph_mode: None) -> None:
    assert (tf.constant(1) + 1).numpy() == 2
    x = v1.placeholder(tf.float32, [])
    graph = v1.get_default_graph()
    session = v1.InteractiveSession()
    assert (x * 2).eval({x: 4.0}) == 8.0
    assert session.graph is graph
    session.close()
    v1.reset_default_graph()
    v1.placeholder(tf.float32, [])
    assert v1.get_default_graph() is not graph


def test_outside_of_graphs_their_names_say_where_they_work() -> None:
    for name in (lambda: v1.placeholder(tf.float32, []), v1.global_variables_initializer, v1.Session):
        with pytest.raises(ContextError, match="disable_eager_execution"):
            name()


def test_a_finalized_graph_does_not_grow_but_runs(session: Any) -> None:
    x = v1.placeholder(tf.float32, [])
    y, update = x * 2, v1.Variable(1.0).assign(x)
    init = v1.global_variables_initializer()
    session.graph.finalize()
    with pytest.raises(RuntimeError, match="finalized"):
        x + 1.0
    session.run(init)
    assert session.run([y, update], {x: 3.0}) == [6.0, 3.0]


def test_a_session_of_a_cluster_and_a_closed_one_are_refused(session: Any) -> None:
    with pytest.raises(tf.errors.UnimplementedError, match="grpc://host:1"):
        v1.Session("grpc://host:1")
    session.close()
    with pytest.raises(RuntimeError, match="closed Session"):
        session.run(tf.constant(1.0))


def test_a_server_that_is_alone_is_this_process() -> None:
    servers = [v1.train.Server.create_local_server() for _ in range(2)]
    assert servers[0].target != servers[1].target
    with tf.Graph().as_default(), v1.device(v1.train.replica_device_setter()), v1.Session(servers[1].target) as session:
        assert session.run(tf.constant(1.0)) == 1.0
    with pytest.raises(tf.errors.UnimplementedError, match="ParameterServerStrategy"):
        v1.train.replica_device_setter(cluster=tf.train.ClusterSpec({"ps": ["a:1"], "worker": ["b:1"]}))
    assert v1.train.replica_device_setter(cluster={"worker": ["b:1"]}) is None
    with pytest.raises(TypeError, match="cluster must be"):
        v1.train.replica_device_setter(cluster=3)


def test_an_iterator_says_that_it_was_not_initialized(session: Any) -> None:
    iterator = v1.data.make_initializable_iterator(tf.data.Dataset.range(3))
    element = iterator.get_next()
    with pytest.raises(tf.errors.FailedPreconditionError, match="iterator has not been initialized"):
        session.run(element)


def test_one_iterator_may_have_two_datasets(session: Any) -> None:
    train, test = tf.data.Dataset.range(3), tf.data.Dataset.range(10, 12)
    iterator = v1.data.Iterator.from_structure(v1.data.get_output_types(train), v1.data.get_output_shapes(train))
    begin_train, begin_test = iterator.make_initializer(train), iterator.make_initializer(test)
    element = iterator.get_next()
    for begin, expected in ((begin_train, [0, 1, 2]), (begin_test, [10, 11])):
        session.run(begin)
        assert [session.run(element) for _ in expected] == expected
        with pytest.raises(tf.errors.OutOfRangeError):
            session.run(element)


def test_keras_layers_are_parts_of_a_graph(session: Any) -> None:
    x = v1.placeholder(tf.float32, [None, 4])
    layer = tf.keras.layers.Dense(3)
    y = tf.keras.layers.BatchNormalization()(layer(x), training=True)
    updates = v1.get_collection(v1.GraphKeys.UPDATE_OPS)
    assert len(updates) == 2
    session.run(v1.global_variables_initializer())
    rows = np.random.default_rng(0).normal(size=(6, 4)).astype(np.float32)
    kernel, bias = session.run(layer.trainable_variables)
    mean = next(v for v in v1.global_variables() if v.name.startswith("moving_mean"))
    session.run(y, {x: rows})
    assert not session.run(mean).any()  # nothing has run the updates
    session.run(updates, {x: rows})
    np.testing.assert_allclose(session.run(mean), 0.01 * (rows @ kernel + bias).mean(0), rtol=1e-5, atol=1e-7)


def test_a_check_is_an_operation_that_raises_when_it_is_run(session: Any) -> None:
    x = v1.placeholder(tf.float32, [None, 3], name="x")
    good, bad = {x: np.ones((2, 3))}, {x: -np.ones((1, 3))}
    check = tf.debugging.assert_positive(x, message="Mine.")
    with tf.control_dependencies([check]):
        after = tf.identity(x) * 2.0
    grown = v1.get_variable("grown", initializer=np.float32(1))
    session.run(grown.initializer)
    with tf.control_dependencies([v1.assert_less(x, 0.0)]):
        grow = grown.assign_add(1.0)
    np.testing.assert_array_equal(session.run(x * 1.0, bad), bad[x])  # nothing runs it
    for fetch in (check, after, [check, x]):
        session.run(fetch, good)
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"Mine\. Condition x > 0 did not hold[^=]*= -1"):
            session.run(fetch, bad)
    with pytest.raises(tf.errors.InvalidArgumentError, match="x < y"):
        session.run(grow, good)
    assert session.run(grown) == 1.0
    assert session.run(grow, bad) == 2.0
    numbers = tf.debugging.check_numerics(x, "Numbers") + 1.0
    assert session.run(numbers, good)[0, 0] == 2.0
    with pytest.raises(tf.errors.InvalidArgumentError, match="Numbers"):
        session.run(numbers, {x: np.full((1, 3), np.nan)})


def test_what_is_known_while_a_graph_is_built_is_checked_at_once(session: Any) -> None:
    x = v1.placeholder(tf.float32, [None, 3])
    assert session.run([tf.debugging.assert_equal(tf.constant(1), 1), v1.assert_rank(x, 2)]) == [None, None]
    with pytest.raises(tf.errors.InvalidArgumentError, match="x == y"):
        tf.debugging.assert_equal(tf.constant(1), 2)
    with pytest.raises(ValueError, match="rank 3"):
        v1.assert_rank(x, 3)


def test_what_is_printed_is_printed_by_the_runs_that_need_it(session: Any, capsys: pytest.CaptureFixture[str]) -> None:
    x = v1.placeholder(tf.float32, [None], name="x")
    printed = tf.print("one", x)
    two = v1.Print(x, [x * 2], "two") * 1.0
    three = tf.cond(tf.reduce_sum(x) > 0, lambda: v1.Print(x, [x * 3], "three"), lambda: x)
    for fetch, text in ((x * 1.0, ""), (printed, "one [1 2]\n"), (two, "two [2 4]\n"), (three, "three [3 6]\n")):
        session.run(fetch, {x: [1.0, 2.0]})
        assert capsys.readouterr().err == text
    with tf.control_dependencies([printed]):
        after = tf.identity(x)
    session.run([after, two], {x: [1.0]})
    assert sorted(capsys.readouterr().err.splitlines()) == ["one [1]", "two [2]"]


def test_an_exception_of_a_python_function_is_that_of_the_run_which_needs_it(session: Any) -> None:
    def positive(values: np.ndarray) -> np.ndarray:
        if values[0] < 0:
            raise LookupError("mine")
        return values + 1

    x = v1.placeholder(tf.float32, [2])
    grown = tf.numpy_function(positive, [x], tf.float32, result_shape=[2]) * 2.0
    np.testing.assert_array_equal(session.run(grown, {x: [0, 1]}), [2, 4])
    with pytest.raises(LookupError, match="mine"):
        session.run(grown, {x: [-1, 1]})
    np.testing.assert_array_equal(session.run(x * 1.0, {x: [-1, 1]}), [-1, 1])
    with pytest.raises(tf.errors.UnimplementedError, match="result_shape"):
        tf.numpy_function(positive, [x], tf.float32)


def test_tensors_are_found_by_the_names_that_functions_were_given(session: Any) -> None:
    """The names are those that TensorFlow 2.15.1 gives in this program."""
    x = v1.placeholder(tf.float32, [None, 3], name="x")
    assert tf.nn.softmax(x, name="probs").name == "probs:0"
    assert (v1.reduce_mean(x, name="mean").name, tf.nn.l2_loss(x, name="l2/").name) == ("mean:0", "l2:0")
    assert [t.name for t in tf.split(x, 3, axis=1, name="parts")] == ["parts:0", "parts:1", "parts:2"]
    assert [t.name for t in tf.nn.top_k(x, 2, name="top")] == ["top:0", "top:1"]
    with tf.name_scope("a"):
        assert [tf.identity(x, name=name).name for name in ("i", "i", "b/")] == ["a/i:0", "a/i_1:0", "b:0"]
        for expected in ("a/b/", "a/b_1/"):
            with tf.name_scope("b") as scope:
                assert scope == expected
                assert tf.add(x, 1.0, name="plus").name == f"{expected}plus:0"
        with tf.name_scope(scope):
            assert tf.add(x, 2.0, name="plus").name == "a/b_1/plus_1:0"
    assert tf.random.normal([2], name="drawn").name == "drawn:0"
    assert tf.cond(x[0, 0] > 0, lambda: tf.abs(x, name="inner"), lambda: x, name="chosen").name == "chosen:0"
    assert (tf.cast(x, tf.float32, name="same").name, x.name) == ("same:0", "x:0")
    tf.constant(3.0, name="three")
    found = session.run(["three:0", "top:1", "a/b_1/plus_1:0", "same:0"], {"x:0": [[1, 2, 3]]})
    for value, expected in zip(found, (3.0, [[2, 1]], [[3, 4, 5]], [[1, 2, 3]]), strict=True):
        np.testing.assert_array_equal(value, expected)
    with pytest.raises(KeyError, match="does not exist"):
        session.graph.get_tensor_by_name("inner:0")
    with pytest.raises(ValueError, match="must be of the form"):
        session.graph.get_tensor_by_name("probs")


def test_a_name_scope_begins_the_default_graph(graph_mode: None) -> None:
    with v1.name_scope("input"):
        x = v1.placeholder(tf.float32, [], name="x")
    assert x.name == "input/x:0"
    v1.reset_default_graph()
    with tf.name_scope("other"):
        assert v1.placeholder(tf.float32, [], name="x").name == "other/x:0"
