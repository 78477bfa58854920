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
    loss = tf1.losses.mean_squared_error(labels, y)
    train_op = tf1.train.AdagradOptimizer(0.1).minimize(loss, global_step=tf1.train.get_global_step())
    metrics = {"mse": tf1.metrics.mean_squared_error(labels, y)}
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op, eval_metric_ops=metrics)


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
estimator.train(input_fn, hooks if stop_at else [], max_steps=10)
found = estimator.evaluate(input_fn, steps=3)
names = estimator.get_variable_names()
values = {name: np.asarray(estimator.get_variable_value(name)).tolist() for name in names}
print("found", json.dumps([config.is_chief, {k: float(v) for k, v in found.items()}, values]), flush=True)
