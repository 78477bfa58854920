"""A task of a cluster that trains a canned Estimator from TensorFlow's first checkpoint. Argument: its model_dir."""

import sys

import stratagem as tf
from tests.tf1.canned import strategies

estimator = strategies.classifier(tf, tf.estimator, sys.argv[1])
receiver = tf.estimator.export.build_parsing_serving_input_receiver_fn(strategies.parse_spec(tf))
tf.estimator.train_and_evaluate(
    estimator,
    tf.estimator.TrainSpec(strategies.rows(tf, 1), max_steps=strategies.STEPS),
    tf.estimator.EvalSpec(
        strategies.rows(tf, 1),
        steps=3,
        exporters=[tf.estimator.FinalExporter("served", receiver)],
        start_delay_secs=0,
        throttle_secs=0,
    ),
)
