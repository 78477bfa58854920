"""A program of TensorFlow 1, with flags and a main function."""

import stratagem.compat.v1 as tf

tf.app.flags.DEFINE_integer("steps", 3, "How many steps.")
tf.flags.DEFINE_string(flag_name="folder", default_value=None, docstring="Where checkpoints go.")
tf.flags.DEFINE_float("rate", 0.5, "The learning rate.")
tf.flags.DEFINE_bool("shuffle", True, "Nothing here.")
FLAGS = tf.flags.FLAGS


def model_fn(features, labels, mode):
    w = tf.get_variable("w", [])
    loss = tf.reduce_mean((w * features - labels) ** 2)
    train_op = tf.train.GradientDescentOptimizer(FLAGS.rate).minimize(loss, tf.train.get_global_step())
    answers = {"serving_default": tf.estimator.export.PredictOutput(w)}
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op, export_outputs=answers)


def main(arguments):
    print(FLAGS.steps, FLAGS.rate, FLAGS.shuffle, arguments[1:])
    tf.logging.set_verbosity(tf.logging.INFO)
    data = tf.data.Dataset.from_tensors((1.0, 2.0)).repeat()
    tf.estimator.Estimator(model_fn, FLAGS.folder).train(lambda: data, steps=FLAGS.steps)


if __name__ == "__main__":
    tf.app.run()
