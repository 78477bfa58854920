"""Workers that train as one through train_and_evaluate. Argument: model_dir."""

import json
import sys
import time

import stratagem as tf
from stratagem.compat import v1 as tf1

FEATURES = [[1.0, 1.5], [2.0, 2.5], [3.0, 3.5], [4.0, 4.5]]
LABELS = [[0.3], [0.5], [0.7], [0.9]]


def input_fn(input_context=None):
    """Every worker reads its own rows."""
    data = tf.data.Dataset.from_tensor_slices((FEATURES, LABELS))
    if input_context is not None:
        data = data.shard(input_context.num_input_pipelines, input_context.input_pipeline_id)
    return data.repeat(5).batch(1)


def model_fn(features, labels, mode):
    weights = tf1.get_variable("weights", (2, 1), initializer=tf1.zeros_initializer())
    loss = tf.reduce_mean((tf.matmul(features, weights) - labels) ** 2)
    train_op = tf1.train.GradientDescentOptimizer(0.01).minimize(
        loss, global_step=tf1.train.get_or_create_global_step()
    )
    return tf1.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


class SlowLastSave(tf1.train.CheckpointSaverListener):
    """Delays the last save, for which nobody but the chief has anything to do."""

    def before_save(self, session, step):
        time.sleep(3 if step == 10 else 0)


strategy = tf.distribute.MultiWorkerMirroredStrategy()
config = tf1.estimator.RunConfig(sys.argv[1], train_distribute=strategy, save_checkpoints_steps=4)
estimator = tf1.estimator.Estimator(model_fn, config=config)
found = tf1.estimator.train_and_evaluate(
    estimator,
    tf1.estimator.TrainSpec(input_fn, max_steps=10, saving_listeners=[SlowLastSave()]),
    tf1.estimator.EvalSpec(input_fn, start_delay_secs=1, throttle_secs=0),
)
print("found", json.dumps([config.task_type, config.task_id, config.is_chief, found]))
print("newest", json.dumps(estimator.latest_checkpoint()))
