"""Records what TensorFlow 2.15.1 answers to `behaviours.py`: run it where TensorFlow is, the tests need none.

/tmp/tensorflow/bin/python tests/cluster/record_tensorflow.py     (see tests/parity for the environment)
"""

import json
import os
from pathlib import Path
from typing import Any

import tensorflow as tf  # the real one
from behaviours import CASES, assigned, key, parameters, state
from tensorflow.python.distribute import multi_worker_util
from tensorflow.python.distribute.cluster_resolver import slurm_cluster_resolver

HERE = Path(__file__).parent
RESOLVERS = tf.distribute.cluster_resolver


def place(cluster: Any, job: str, index: int) -> Any:
    """Rank, number of members and whether it is the chief, as MultiWorkerMirroredStrategy finds them."""
    rank = multi_worker_util.id_in_cluster(cluster, job, index)
    return [rank, multi_worker_util.worker_count(cluster, job), multi_worker_util.is_chief(cluster, job, index)]


NAMES = {
    "ClusterSpec": tf.train.ClusterSpec,
    "ClusterResolver": RESOLVERS.ClusterResolver,
    "Simple": RESOLVERS.SimpleClusterResolver,
    "Union": RESOLVERS.UnionResolver,
    "TFConfig": RESOLVERS.TFConfigClusterResolver,
    "Slurm": RESOLVERS.SlurmClusterResolver,
    "nodes": slurm_cluster_resolver.expand_hostlist,
    "counts": slurm_cluster_resolver.expand_tasks_per_node,
    "shown_gpus": lambda: os.environ.get("CUDA_VISIBLE_DEVICES"),
    "place": place,
    "state": state,
    "parameters": parameters,
    "assigned": assigned,
}


def plain(value: Any) -> Any:
    """A result as JSON that keeps the keys of dicts as they are."""
    if isinstance(value, dict):
        return {"dict": [[plain(k), plain(v)] for k, v in value.items()]}
    return [plain(v) for v in value] if isinstance(value, list | tuple) else value


def answer(environment: dict[str, str], expression: str) -> Any:
    """The result, or the built-in class of the error and its text."""
    before = dict(os.environ)
    os.environ.update(environment)
    try:
        return {"result": plain(eval(expression, dict(NAMES)))}
    except Exception as error:
        builtin = next(kind for kind in type(error).__mro__ if kind.__module__ == "builtins")
        return {"error": builtin.__name__, "text": str(error)}
    finally:
        os.environ.clear()
        os.environ.update(before)


def main() -> None:
    """Write the answers, one a line."""
    answers = {key(*case): answer(*case) for case in CASES}
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(value, default=str)}" for name, value in answers.items())
    (HERE / "tensorflow_answers.json").write_text(f"{{\n{lines}\n}}\n")


if __name__ == "__main__":
    main()
