"""Records canned Estimators of TensorFlow 2.15.1: run it with a Python that has TensorFlow.

python -m tests.tf1.canned.record_tensorflow [case...]       "warm_start" is a case, too, and "linear_regressor on 2",
                                                             and "linear_classifier served"
"""

import contextlib
import json
import os
import socket
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf

from tests.tf1.canned import warm_starts
from tests.tf1.canned.programs import CASES, IN_CLUSTERS, ON_REPLICAS, STEPS, outcome, trained, values
from tests.tf1.recorder import Arrays, below, checkpoint, record

WARM = "warm_start"
RECORDED = Path(__file__).parent / "recorded"


def one_device(name: str, folder: Path) -> Arrays:
    """The checkpoint before the first step, and the outcome."""
    if name == WARM:
        return warm_start(folder)
    found = outcome(tf, tf.compat.v1, name, folder, str(folder / "model"))
    others = {key: found[key] for key in ("evaluation", "predictions")}
    return {
        **below("first", checkpoint(folder / "model" / "model.ckpt-0")),
        **below("variables", found["variables"]),
        "others": np.array(json.dumps(others)),
    }


def warm_start(folder: Path) -> Arrays:
    """The checkpoints that the new model starts with, and before its first step, and its variables after the last."""
    first = warm_starts.first(tf, folder, str(folder / "first"))
    warm_starts.trained(tf, first)
    path = first.latest_checkpoint()
    found = warm_starts.trained(tf, warm_starts.second(tf, tf.compat.v1, folder, str(folder / "second"), path))
    begin = tf.train.load_checkpoint(str(folder / "second" / "model.ckpt-0"))
    return {
        **below("checkpoint", checkpoint(path)),
        **below("begin", {key: begin.get_tensor(key) for key in begin.get_variable_to_shape_map()}),
        **below("variables", found),
    }


def mirrored(name: str, folder: Path) -> Arrays:
    """The checkpoint before the first step of MirroredStrategy on virtual devices, and the variables after the last."""
    case, count = name.split(" on ")
    strategy = tf.distribute.MirroredStrategy([f"CPU:{index}" for index in range(int(count))])
    # Replicas wait for each other in threads, of which there have to be enough.
    session = tf.compat.v1.ConfigProto(
        device_count={"CPU": int(count)}, inter_op_parallelism_threads=16, allow_soft_placement=True
    )
    options = {"train_distribute": strategy, "session_config": session}
    estimator = trained(tf, tf.compat.v1, case, folder, str(folder / "model"), **options)
    return {
        **below("first", checkpoint(folder / "model" / "model.ckpt-0")),
        **below("variables", values(estimator)),
    }


def in_cluster(name: str, folder: Path) -> Arrays:
    """The checkpoints before the first step and after the last one, and what the evaluator has found."""
    case, mode = name.split()
    tasks = ["worker 0", "worker 1"] if mode == "together" else ["chief 0", "worker 0", "ps 0", "evaluator 0"]
    found = [json.loads(said) for said in said_by(tasks, "tensorflow", str(folder), mode, case)]
    assert found[0][0] == STEPS, f"others have taken steps of the first task: {found}"
    model = folder / case
    last = tf.train.load_checkpoint(str(model / f"model.ckpt-{STEPS}"))
    return {
        **below("first", checkpoint(model / "model.ckpt-0")),
        **below("variables", {key: last.get_tensor(key) for key in last.get_variable_to_shape_map()}),
        "evaluation": np.array(json.dumps(found[-1][1])),
    }


def said_by(tasks: Sequence[str], *arguments: str) -> list[str]:
    """What every task of a cluster has printed behind the name of the case, once all but the servers have ended."""
    cluster: dict[str, list[str]] = {}
    with contextlib.ExitStack() as sockets:
        for task in tasks:
            bound = sockets.enter_context(socket.create_server(("127.0.0.1", 0)))
            if not task.startswith("evaluator"):
                cluster.setdefault(task.split()[0], []).append(f"127.0.0.1:{bound.getsockname()[1]}")
    processes = {}
    for task in tasks:
        kind, index = task.split()
        told: Any = {"cluster": cluster, "task": {"type": kind, "index": int(index)}}
        processes[task] = subprocess.Popen(
            [sys.executable, "-m", "tests.tf1.canned.task", *arguments],
            env={**os.environ, "TF_CONFIG": json.dumps(told), "TF_CPP_MIN_LOG_LEVEL": "3"},
            stdout=subprocess.PIPE,
            text=True,
        )
    try:
        outputs = [process.communicate()[0] for task, process in processes.items() if not task.startswith("ps")]
    finally:
        for process in processes.values():
            process.kill()
    lines = [[line for line in output.splitlines() if line.startswith(f"{arguments[-1]} ")] for output in outputs]
    return [line.removeprefix(f"{arguments[-1]} ") for (line,) in lines]


def main() -> None:
    tf.compat.v1.logging.set_verbosity(tf.compat.v1.logging.ERROR)
    replicas = [f"{name} on {count}" for name, count in ON_REPLICAS]
    clusters = [f"{name} {mode}" for name, mode in IN_CLUSTERS]
    asked = sys.argv[1:]
    record(RECORDED / "tensorflow.npz", one_device, [name for name in [*CASES, WARM] if name in asked or not asked])
    record(RECORDED / "mirrored.npz", mirrored, [name for name in replicas if name in asked or not asked])
    record(RECORDED / "clusters.npz", in_cluster, [name for name in clusters if name in asked or not asked])


if __name__ == "__main__":
    main()
