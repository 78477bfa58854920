"""RunConfig and the specs take their arguments as in TensorFlow 2.15.1, errors included."""

import builtins
import json
import pathlib
from typing import Any

import numpy as np
import pytest

import stratagem as tf
from stratagem import estimator
from stratagem._tf1.graph import ModelState, no_op
from tests.tf1.estimator.constructors import CASES, CLUSTER, MASTER, config, key, spec, state

ANSWERS = json.loads((pathlib.Path(__file__).parent / "recorded" / "constructors.json").read_text())
# What of TensorFlow's text is in ours, by a part of the case; its lists and long texts are not.
WORDS = (
    "must have one", "must have only one", "task type must be", "task index must be", "is not a valid task_id", "model_dir",
    "should be", "must be integer", "cannot be both set", "not supported. Allowed properties are", "must be callable",
    "must have unique names", "Must specify", "Missing loss", "Missing train_op", "Missing predictions", "must be Tensor",
    "must be Operation or Tensor", "must be a dict", "must be dict", "Loss must be scalar", "instances",
)  # fmt: skip
# Where we differ on purpose: a path is text at once.
DIFFERENT = {"state(RunConfig().replace(model_dir=PATH))": "state(RunConfig().replace(model_dir='/tmp/a'))"}


class Exporter(estimator.Exporter):
    def __init__(self, name: Any) -> None:
        self._name = name

    @property
    def name(self) -> Any:
        return self._name

    def export(self, *arguments: Any) -> None:
        raise AssertionError

    def __repr__(self) -> str:
        return f"Exporter({self._name!r})"


class Hook(estimator.SessionRunHook):
    def __repr__(self) -> str:
        return "HOOK"


class Listener(estimator.CheckpointSaverListener):
    def __repr__(self) -> str:
        return "LISTENER"


def names() -> dict[str, Any]:
    """What the expressions are about."""
    found = {
        name: getattr(estimator, name) for name in ("RunConfig", "TrainSpec", "EvalSpec", "EstimatorSpec", "ModeKeys")
    }
    return found | {
        "PATH": pathlib.Path("/tmp/a"), "F": lambda: None, "HOOK": Hook(), "LISTENER": Listener(), "EXPORTER": Exporter,
        "LOSS": tf.constant(1.0), "ONE": tf.constant([1.0]), "TENSOR": tf.constant([1.0, 2.0]),
        "ARRAY": np.array([1.0, 2.0]), "OP": no_op(), "state": state, "spec": spec,
    }  # fmt: skip


@pytest.mark.parametrize(("environment", "expression"), CASES, ids=[key(*case) for case in CASES])
def test_as_tensorflow(environment: str, expression: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TF_CONFIG", environment)
    expected = ANSWERS[key(environment, DIFFERENT.get(expression, expression))]
    with ModelState().building("train"):
        values = names()
        if "result" in expected:
            assert json.loads(json.dumps(eval(expression, values), default=repr)) == expected["result"]
            return
        with pytest.raises(getattr(builtins, expected["error"])) as caught:
            eval(expression, values)
    for words in WORDS:
        assert words not in expected["text"] or words in str(caught.value)


def test_the_log_line_of_a_configuration_has_all_of_it_in_tensorflows_order() -> None:
    text = repr(estimator.RunConfig("/tmp/a"))
    assert text.startswith("{'_model_dir': '/tmp/a', '_tf_random_seed': None, '_save_summary_steps': 100, ")
    assert "'_save_checkpoints_secs': 600, '_session_config': None, '_keep_checkpoint_max': 5" in text
    assert text.endswith(
        "'_service': None, '_cluster_spec': ClusterSpec({}), '_task_type': 'worker', '_task_id': 0, "
        "'_global_id_in_cluster': 0, '_master': '', '_evaluation_master': '', '_is_chief': True, "
        "'_num_ps_replicas': 0, '_num_worker_replicas': 1}"
    )


def test_a_configuration_cannot_be_changed_and_replacing_leaves_the_old_one() -> None:
    before = estimator.RunConfig(model_dir="/tmp/a")
    after = before.replace(model_dir="/tmp/b", save_checkpoints_steps=3)
    assert (before.model_dir, before.save_checkpoints_secs) == ("/tmp/a", 600)
    assert (after.model_dir, after.save_checkpoints_secs, after.save_checkpoints_steps) == ("/tmp/b", None, 3)
    with pytest.raises(AttributeError):
        before.model_dir = "/tmp/c"  # type: ignore[misc]


def test_replacing_does_not_read_the_environment_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TF_CONFIG", config(CLUSTER, ("worker", 2)))
    found = estimator.RunConfig()
    monkeypatch.setenv("TF_CONFIG", config(MASTER, ("ps", 0)))
    assert found.replace(model_dir="/tmp/a").task_id == 2


def test_workers_without_a_chief_may_train_under_a_strategy(monkeypatch: pytest.MonkeyPatch) -> None:
    strategy = tf.distribute.MirroredStrategy(["CPU:0"])
    places = []
    for index in range(2):
        monkeypatch.setenv("TF_CONFIG", config({"worker": ["h1:1", "h2:1"]}, ("worker", index)))
        found = estimator.RunConfig(train_distribute=strategy)
        places.append((found.is_chief, found.task_id, found.global_id_in_cluster, found.num_worker_replicas))
    assert places == [(True, 0, 0, 2), (False, 1, 1, 2)]


class Both:
    """As TensorFlow's DistributeConfig."""

    def __init__(self, train: Any = None, evaluate: Any = None, cluster: Any = None) -> None:
        self.train_distribute, self.eval_distribute, self.remote_cluster = train, evaluate, cluster


def test_strategies_may_come_in_one_object() -> None:
    strategy = tf.distribute.MirroredStrategy(["CPU:0"])
    found = estimator.RunConfig(experimental_distribute=Both(strategy, strategy))
    assert found.train_distribute is found.eval_distribute is strategy
    with pytest.raises(ValueError, match="train_distribute and experimental_distribute"):
        estimator.RunConfig(train_distribute=strategy, experimental_distribute=Both(strategy))
    with pytest.raises(ValueError, match="remote_cluster is not supported"):
        estimator.RunConfig(experimental_distribute=Both(strategy, cluster={"worker": ["h:1"]}))


def test_what_is_no_strategy_is_refused() -> None:
    with pytest.raises(TypeError, match="eval_distribute must be a tf"):
        estimator.RunConfig(eval_distribute="mirrored")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="train_distribute must be a tf"):
        estimator.RunConfig().replace(train_distribute="mirrored")
