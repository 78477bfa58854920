"""ClusterSpec, the resolvers and a task's place in a cluster answer as TensorFlow 2.15.1 did, errors included."""

import builtins
import json
import os
from pathlib import Path
from typing import Any

import pytest

import stratagem as tf
from stratagem._cluster import ClusterSpec, SimpleClusterResolver, expand_counts, expand_nodes, job_of
from tests.cluster.behaviours import CASES, SLURM_TASK_INFO, A, assigned, key, parameters, state

ANSWERS = json.loads((Path(__file__).parent / "tensorflow_answers.json").read_text())
RESOLVERS = tf.distribute.cluster_resolver

# Where we differ on purpose.
DIFFERENT: dict[str, Any] = {
    # TF fails by accident.
    "ClusterSpec({'worker': []}).job_tasks('worker')": [],
    # TF takes any integer as an index.
    "ClusterSpec({'worker': {-1: 'a:1'}}).num_tasks('worker')": ValueError,
    "ClusterSpec({'worker': {None: 'a:1'}})": ValueError,
    # TF keeps bytes.
    "ClusterSpec({b'worker': [b'a:1']}).num_tasks('worker')": 1,
    # TF takes a `task_id` of 0 for none.
    f"state(Union(Simple({A}, 'm:1', 'worker', 1), task_id=0))": ["worker", 0, None, "", {}, "m:1"],
    # TF knows it only after the first `cluster_spec()`.
    key(*SLURM_TASK_INFO): ("worker", 1),
    # TF fails on a missing key: an evaluator need not be listed.
    **{
        f"place({cluster}, 'evaluator', 0)": [0, 1, True]
        for cluster in (
            {"worker": ["a:1", "b:2"]},
            {"chief": ["a:1"], "worker": ["b:2", "c:3"], "ps": ["d:4"]},
            {"chief": ["a:1"]},
            {"ps": ["a:1"]},
        )
    },
}
# Errors that TF does not word itself, or by chance.
OTHER_WORDS = ("int()", "Invalid part", "max() arg", "Can't instantiate", "ClusterDef", "Expecting", 'format "', "None")
# Those of which only the beginning is kept: the rest is a list.
BEGINNINGS = ("Disallowed task type found in cluster spec", "Unrecognized task_type: ")


def place(cluster: Any, job: str, index: int) -> list[Any]:
    """Rank, number of members and whether it is the chief."""
    found = job_of(SimpleClusterResolver(ClusterSpec(cluster), task_type=job, task_id=index))
    assert found is not None
    return [found.rank, found.size, found.is_chief]


NAMES = {
    "ClusterSpec": tf.train.ClusterSpec,
    "ClusterResolver": RESOLVERS.ClusterResolver,
    "Simple": RESOLVERS.SimpleClusterResolver,
    "Union": RESOLVERS.UnionResolver,
    "TFConfig": RESOLVERS.TFConfigClusterResolver,
    "Slurm": RESOLVERS.SlurmClusterResolver,
    "nodes": expand_nodes,
    "counts": expand_counts,
    "shown_gpus": lambda: os.environ.get("CUDA_VISIBLE_DEVICES"),
    "place": place,
    "state": state,
    "parameters": parameters,
    "assigned": assigned,
}


def from_json(value: Any) -> Any:
    """A recorded result."""
    if isinstance(value, dict):
        return {from_json(k): from_json(v) for k, v in value["dict"]}
    return [from_json(v) for v in value] if isinstance(value, list) else value


@pytest.mark.parametrize(("environment", "expression"), CASES, ids=[key(*case) for case in CASES])
def test_as_tensorflow(environment: dict[str, str], expression: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    for name in ("CUDA_VISIBLE_DEVICES", "STRATAGEM_GPUS_OF_NODE"):
        monkeypatch.setenv(name, environment.get(name, ""))  # so that what a resolver writes is taken back
        if name not in environment:
            monkeypatch.delenv(name)
    name = key(environment, expression)
    if name in DIFFERENT:
        compare(expression, DIFFERENT[name], "")
    elif "result" in ANSWERS[name]:
        compare(expression, from_json(ANSWERS[name]["result"]), "")
    else:
        compare(expression, getattr(builtins, ANSWERS[name]["error"]), ANSWERS[name]["text"])


def compare(expression: str, expected: Any, text: str) -> None:
    """The expression has this value, or raises this built-in error with this text in its one line."""
    if not isinstance(expected, type):
        assert eval(expression, dict(NAMES)) == expected
        return
    with pytest.raises(expected) as caught:
        eval(expression, dict(NAMES))
    assert "\n" not in str(caught.value)
    if not any(words in text for words in OTHER_WORDS):
        words = next((b for b in BEGINNINGS if text.startswith(b)), text.strip("'`."))
        assert words in str(caught.value)
