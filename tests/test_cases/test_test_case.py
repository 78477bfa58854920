"""`tf.test.TestCase`: its assertions hold and fail as they say; `tf.test.main` runs tests."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stratagem as tf
from tests import prepared


class Case(tf.test.TestCase):
    """A case to call assertions on."""

    __test__ = False


@pytest.fixture
def case() -> Any:
    return Case()


NAN = float("nan")

HOLD = [
    ("assertAllClose", ([1.0, 2.0], tf.constant([1.0, 2.0000001]))),
    ("assertAllClose", ({"a": [tf.constant([1.0]), 2]}, {"a": [np.ones(1), 2.0]})),
    ("assertAllClose", ([NAN], tf.constant([NAN]))),
    ("assertAllClose", (tf.constant(100.0), 101.0, 0.1)),
    ("assertAllClose", ((tf.constant([1.0]), [tf.constant(2.0)]), [[1.0], [2.0]])),
    ("assertAllClose", (tf.constant([1.0], tf.bfloat16), [1.0])),
    ("assertAllCloseAccordingToType", (tf.constant([1.0], tf.float16), [1.0005])),
    ("assertNotAllClose", ([1.0], [1.1])),
    ("assertNotAllClose", ([1.0], [1.0, 1.0])),
    ("assertAllEqual", ([[1, 2]], tf.constant([[1, 2]]))),
    ("assertAllEqual", (["a", "b"], tf.constant(["a", "b"]))),
    ("assertAllEqual", (tf.Variable([1, 2]), [1, 2])),
    ("assertNotAllEqual", ([1, 2], [1, 3])),
    ("assertNear", (1.0, 1.1, 0.2)),
    ("assertArrayNear", ([1.0, 2.0], [1.1, 2.0], 0.2)),
    ("assertNDArrayNear", (np.ones(2), tf.ones([2]), 1e-6)),
    ("assertAllGreater", (tf.constant([2, 3]), 1)),
    ("assertAllGreaterEqual", ([1, 3], 1)),
    ("assertAllLess", ([0, -3], 1)),
    ("assertAllLessEqual", ([1, -3], 1)),
    ("assertAllInRange", ([1, 2], 1, 2)),
    ("assertAllInSet", (tf.constant([1, 2, 1]), {1, 2})),
    ("assertShapeEqual", (tf.ones([2, 3]), np.zeros((2, 3)))),
    ("assertDTypeEqual", (tf.ones([2]), tf.float32)),
    ("assertDTypeEqual", (np.ones(2), np.float64)),
    ("assertDeviceEqual", ("/job:localhost/replica:0/task:0/device:CPU:0", "/cpu:0")),
]
FAIL = [
    ("assertAllClose", ([1.0, 2.0], [1.0, 2.1]), r"1 of 2 entries are not close"),
    ("assertAllClose", ({"a": [1.0]}, {"b": [1.0]}), r"'a'"),
    ("assertAllClose", ({"a": [1.0, 2.0]}, {"a": [1.0, 3.0]}), r"Value\['a'\]: 1 of 2"),
    ("assertAllClose", ([1.0], [1.0, 1.0]), r"Shape mismatch"),
    ("assertAllClose", (NAN, 1.0), r"not close"),
    ("assertAllCloseAccordingToType", (tf.constant([1.0]), [1.0005]), r"not close"),
    ("assertNotAllClose", ([1.0], [1.0]), r"close at all"),
    ("assertAllEqual", ([1, 2], [1, 3]), r"\(1,\): .*2.* and .*3"),
    ("assertAllEqual", ([1, 2], [[1, 2]]), r"Shape mismatch"),
    ("assertNotAllEqual", ([1], [1]), r"equal at all"),
    ("assertNear", (1.0, 1.3, 0.2), r"1.3"),
    ("assertAllGreater", ([2, 1], 1), r"1 of 2 entries are not > 1"),
    ("assertAllInRange", ([1, 2], 1, 2, True), r"in \(1, 2\]"),
    ("assertAllInSet", ([1, 5], [1]), r"not in \[1\]"),
    ("assertShapeEqual", (tf.ones([2]), np.zeros(3)), r"2"),
    ("assertDTypeEqual", (tf.ones([2]), tf.int32), r"int32"),
]


@pytest.mark.parametrize(("name", "arguments"), HOLD)
def test_an_assertion_holds(case: Any, name: str, arguments: tuple[Any, ...]) -> None:
    getattr(case, name)(*arguments)


@pytest.mark.parametrize(("name", "arguments", "message"), FAIL)
def test_an_assertion_fails_and_says_where(case: Any, name: str, arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises(AssertionError, match=message):
        getattr(case, name)(*arguments)


def test_evaluate_gives_arrays(case: Any) -> None:
    found = case.evaluate({"a": tf.constant([1, 2]), "b": [tf.Variable(3.0), "text", None], "c": tf.constant("x")})
    assert found["a"].tolist() == [1, 2]
    assert (found["b"][0], found["b"][1:]) == (3.0, ["text", None])
    assert isinstance(found["a"], np.ndarray)
    assert found["c"] == b"x"
    with case.cached_session() as session:
        assert session.run([tf.constant(4)]) == [4]
        with pytest.raises(tf.errors.InvalidArgumentError, match="no placeholders"):
            session.run(tf.constant(4), {"x": 1})


def test_a_thread_of_a_test_raises_its_error_where_it_is_joined(case: Any) -> None:
    failing = case.checkedThread(target=lambda: case.assertAllEqual([1], [2]))
    failing.start()
    with pytest.raises(AssertionError, match="not equal"):
        failing.join()


def test_op_errors_are_matched(case: Any) -> None:
    with case.assertRaisesOpError("shape|Input to reshape"):
        tf.reshape(tf.ones([3]), [2])
    with case.assertRaisesIncompatibleShapesError((ValueError, TypeError, tf.errors.InvalidArgumentError)):
        tf.ones([2]) + tf.ones([3])


OWN_TESTS = """
import numpy as np
import stratagem as tf

class LossTest(tf.test.TestCase):
    def test_the_seed_is_set(self):
        first = tf.random.uniform([3])
        self.setUp()
        self.assertAllEqual(first, tf.random.uniform([3]))

    def test_a_derivative(self):
        theoretical, numerical = tf.test.compute_gradient(lambda x: tf.reduce_sum(x ** 3), [tf.constant([1.0, 2.0])])
        self.assertAllClose(theoretical, numerical, rtol=1e-2)

    def test_a_folder(self):
        with open(self.get_temp_dir() + "/a", "w") as file:
            file.write("x")

    def test_what_is_written(self):
        import os, sys
        with self.captureWritesToStream(sys.stderr) as written:
            os.write(2, b"from C")
        assert written.contents() == "from C"

    @tf.test.disable_with_predicate(lambda: not tf.test.is_gpu_available(), "needs a GPU")
    def test_a_gpu(self):
        assert tf.test.gpu_device_name()

    def test_wrong(self):
        self.assertAllClose(1.0, 2.0)

if __name__ == "__main__":
    tf.test.main()
"""


def test_main_runs_the_tests_of_a_program(tmp_path: Path) -> None:
    program = tmp_path / "loss_test.py"
    program.write_text(OWN_TESTS)
    run = prepared.run(program)
    assert run.returncode == 1
    assert "FAILED (failures=1, skipped=2)" in run.stderr
    assert "Ran 7 tests" in run.stderr
    assert "test_wrong" in run.stderr


def test_a_local_cluster_serves_a_strategy() -> None:
    workers, servers = tf.test.create_local_cluster(num_workers=1, num_ps=2)
    assert (len(workers), len(servers)) == (1, 2)
    addresses = {"worker": [w.target for w in workers], "ps": [s.target for s in servers]}
    cluster = {job: [each.removeprefix("grpc://") for each in tasks] for job, tasks in addresses.items()}
    resolver = tf.distribute.cluster_resolver.SimpleClusterResolver(
        tf.train.ClusterSpec(cluster), task_type="chief", task_id=0, rpc_layer="grpc"
    )
    strategy = tf.distribute.ParameterServerStrategy(resolver)
    with strategy.scope():
        variable = tf.Variable([1.0, 2.0])
    coordinator = tf.distribute.coordinator.ClusterCoordinator(strategy)
    coordinator.schedule(tf.function(lambda: variable.assign_add([1.0, 1.0])))
    coordinator.join()
    np.testing.assert_array_equal(variable.numpy(), [2.0, 3.0])
    tf.test.experimental.sync_devices()
