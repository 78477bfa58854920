"""Has TensorFlow 2.15.1 save the objects of `tensorflow_programs.py`. Run: python -m tests.checkpoints.record_tensorflow

What it writes to `recorded/`: checkpoints, the values in them (`values.npz`) and the losses of training that goes on
(`losses.json`). `python -m tests.checkpoints.record_tensorflow read FOLDER` restores from FOLDER what this library has saved
of these programs, demands that everything is consumed, and prints the next losses.
"""

import json
import os
import shutil
import sys
from pathlib import Path
from typing import Any

import numpy as np

from tests.checkpoints.tensorflow_programs import PROGRAMS, input_fn, losses, model_fn

RECORDED = Path(__file__).parent / "recorded"
TRAINED = ("adam", "legacy_adam", "momentum", "schedule")
DTYPES = "float16 bfloat16 float32 float64 int8 int16 int32 int64 uint8 uint16 uint32 uint64 bool complex64 complex128"


def record(tf: Any) -> None:
    shutil.rmtree(RECORDED, ignore_errors=True)
    RECORDED.mkdir()
    values: dict[str, np.ndarray] = {}
    continued: dict[str, Any] = {}
    for name, program in PROGRAMS.items():
        made = program(tf)
        save = tf.train.Checkpoint(**made).save(str(RECORDED / name))
        if name == "adam":
            made["model"].save_weights(str(RECORDED / "weights"))
        reader = tf.train.load_checkpoint(save)
        for key, dtype in reader.get_variable_to_dtype_map().items():
            if dtype not in (tf.string, tf.bfloat16):
                values[f"{name}:{key}"] = reader.get_tensor(key)
        if name in TRAINED:
            continued[name] = losses(made["model"], 5)
    continued["estimator"] = estimator(tf)
    tensors(tf)
    partitioned(tf)
    (RECORDED / "checkpoint").unlink()
    np.savez_compressed(RECORDED / "values.npz", **values)
    (RECORDED / "losses.json").write_text(json.dumps(continued, indent=1) + "\n")


def estimator(tf: Any) -> list[float]:
    folder = RECORDED / "estimator"
    trained = tf.estimator.Estimator(model_fn(tf), str(folder), tf.estimator.RunConfig(tf_random_seed=1))
    trained.train(input_fn(tf), steps=3)
    kept = ("checkpoint", "model.ckpt-3.index", "model.ckpt-3.data-00000-of-00001")
    copy = RECORDED / "copy"
    copy.mkdir()
    for name in kept:
        shutil.copy(folder / name, copy / name)
    found = []
    for _ in range(5):
        trained.train(input_fn(tf), steps=1)
        found.append(float(trained.evaluate(input_fn(tf), steps=1)["loss"]))
    shutil.rmtree(folder)
    copy.rename(folder)
    return found


def tensors(tf: Any) -> None:
    """A checkpoint without objects that has every dtype, strings, no elements, and no dimensions."""
    named = {dtype: tf.cast([[0, 1, 2], [3, 4, 5]], dtype) for dtype in DTYPES.split()}
    named |= {
        "strings": tf.constant([["", "a"], ["\0\xff" * 100, "ü"]]),
        "string": tf.constant("one"),
        "empty": tf.zeros((0, 3)),
        "scalar": tf.constant(2.5),
    }
    tf.raw_ops.SaveV2(
        prefix=str(RECORDED / "tensors"),
        tensor_names=list(named),
        shape_and_slices=[""] * len(named),
        tensors=list(named.values()),
    )


def partitioned(tf: Any) -> None:
    """Variables of TensorFlow 1 in several parts, in two shards, with a name whose code has an escape."""
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session() as session:
        for name, shape, axis in (("rows", (5, 2), 0), ("columns", (3, 70), 1)):
            v1.get_variable(
                name,
                initializer=tf.reshape(tf.range(np.prod(shape), dtype=tf.float32), shape),
                partitioner=v1.fixed_size_partitioner(3, axis),
            )
        session.run(v1.global_variables_initializer())
        v1.train.Saver(sharded=True).save(session, str(RECORDED / "partitioned"), write_meta_graph=False)


def read(tf: Any, folder: str) -> None:
    for name, program in PROGRAMS.items():
        made = program(tf)
        tf.train.Checkpoint(**made).restore(os.path.join(folder, f"{name}-1")).assert_consumed()
        if name in TRAINED:
            print(name, losses(made["model"], 5))


if __name__ == "__main__":
    import tensorflow

    if sys.argv[1:2] == ["read"]:
        read(tensorflow, sys.argv[2])
    else:
        record(tensorflow)
