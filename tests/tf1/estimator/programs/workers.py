"""A worker of a job that trains and evaluates an Estimator under MultiWorkerMirroredStrategy; prints what it has in the end."""

import json
import logging
import sys
from typing import Any

import numpy as np

import stratagem as tf
import stratagem.compat.v1 as tf1

logging.basicConfig(level=logging.INFO)
folder, stop_at = sys.argv[1], int(sys.argv[2])
strategy = tf.distribute.MultiWorkerMirroredStrategy()
X = np.arange(1, 9, dtype=np.float32) / 8
Y = 3 * X - 1


def input_fn(input_context: Any) -> Any:
    """Every pipeline has its share of the rows."""
    rows = tf.data.Dataset.from_tensor_slices((X, Y))
    return rows.shard(input_context.num_input_pipelines, input_context.input_pipeline_id).batch(2).repeat(6)


def model_fn(features: Any, labels: Any, mode: str) -> Any:
    y = tf1.layers.dense(features[:, None], 1, name="output")[:, 0]
    loss = tf.identity(tf1.losses.mean_squared_error(labels, y), name="error")
    tf.identity(tf.reduce_sum(labels), name="labels")
    tf.identity(tf.reduce_sum(features), name="features")
    alone = tf1.train.LoggingTensorHook(["error"], every_n_iter=5)
    train_op = tf1.train.AdagradOptimizer(0.1).minimize(loss, global_step=tf1.train.get_global_step())
    metrics = {"mse": tf1.metrics.mean_squared_error(labels, y)}
    return tf.estimator.EstimatorSpec(
        mode, loss=loss, train_op=train_op, eval_metric_ops=metrics, training_chief_hooks=[alone]
    )


config = tf.estimator.RunConfig(
    folder, tf_random_seed=1, train_distribute=strategy, eval_distribute=strategy, save_checkpoints_steps=5
)
estimator = tf.estimator.Estimator(model_fn, config=config)
asked: list[int] = []


def stop() -> bool:
    """Only worker 1 wants to."""
    asked.append(1)
    return config.task_id == 1 and len(asked) == stop_at


hooks = [tf.estimator.experimental.make_early_stopping_hook(estimator, stop, run_every_secs=None, run_every_steps=2)]


class Asks(tf1.train.SessionRunHook):  # type: ignore[misc]
    """Asks for a tensor whose name is in its code, and in the end for one whose name nobody could know before."""

    seen: list[float] = []  # noqa: RUF012
    refused = ""

    def before_run(self, run_context: Any) -> Any:
        return tf1.train.SessionRunArgs("labels")

    def after_run(self, run_context: Any, run_values: Any) -> None:
        self.seen.append(float(run_values.results))

    def end(self, session: Any) -> None:
        try:
            session.run("".join(["fea", "tures"]))
        except ValueError as error:
            self.refused = str(error)


own = Asks()
estimator.train(input_fn, [*(hooks if stop_at else []), *([own] if config.is_chief else [])], max_steps=10)
print("asked", json.dumps([own.seen, own.refused]), flush=True)
found = estimator.evaluate(input_fn, steps=3)
names = estimator.get_variable_names()
values = {name: np.asarray(estimator.get_variable_value(name)).tolist() for name in names}
print("found", json.dumps([config.is_chief, {k: float(v) for k, v in found.items()}, values]), flush=True)
