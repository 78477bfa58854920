"""What the documents promise without extras: `fit`, summaries, files, checkpoints, exports, Estimators, local servers."""

import subprocess
import sys
from pathlib import Path

import numpy as np

import stratagem as tf
import stratagem.compat.v1 as tf1
from stratagem.testing import free_ports

features = np.random.default_rng(0).normal(size=(64, 4)).astype("float32")
labels = features.sum(1, keepdims=True)


def fit_and_save() -> None:
    """On two replicas, with all that writes files."""
    with tf.distribute.MirroredStrategy().scope():
        model = tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(1)])
        model.compile("adam", "mse")
    callbacks = [
        tf.keras.callbacks.TensorBoard("logs", histogram_freq=1),
        tf.keras.callbacks.BackupAndRestore("backup"),
    ]
    model.fit(features, labels, epochs=2, verbose=2, callbacks=callbacks)
    with tf.summary.create_file_writer("logs/pictures").as_default():
        tf.summary.image("noise", features[None, :, :, None], step=0)
    for name in ("model.keras", "model.weights.h5"):
        (model.save if name.endswith(".keras") else model.save_weights)(name)
    again = tf.keras.models.load_model("model.keras")
    np.testing.assert_array_equal(model.predict(features, verbose=0), again.predict(features, verbose=0))
    path = tf.train.Checkpoint(model=model).save("checkpoints/ckpt")
    tf.train.Checkpoint(model=again).restore(path).assert_consumed()


def read_files() -> None:
    """Records and text."""
    with tf.io.TFRecordWriter("data.tfrecord") as writer:
        writer.write(b"a record")
    Path("data.csv").write_text("x,y\n1,2.5\n")
    assert [bytes(x.numpy()) for x in tf.data.TFRecordDataset("data.tfrecord")] == [b"a record"]
    rows = tf.data.experimental.CsvDataset("data.csv", [tf.int32, tf.float32], header=True)
    assert [[float(v) for v in row] for row in rows] == [[1.0, 2.5]]


def export_and_load() -> None:
    """A model with strings, which a process loads that has none of its code."""
    words = tf.keras.Input((None,), dtype="string", name="words")
    found = tf.keras.layers.Embedding(3, 2)(tf.keras.layers.StringLookup(vocabulary=["a", "b"])(words))
    model = tf.keras.Model(words, tf.keras.layers.GlobalAveragePooling1D()(found))
    tf.saved_model.save(model, "saved")
    model.export("exported")
    given = tf.constant([["a", "b"], ["b", "c"]])
    np.save("served.npy", model(given))
    program = """
import numpy as np
import stratagem as tf

given = tf.constant([["a", "b"], ["b", "c"]])
np.testing.assert_array_equal(tf.saved_model.load("saved")(given), np.load("served.npy"))
np.testing.assert_array_equal(tf.saved_model.load("exported").serve(given), np.load("served.npy"))
"""
    subprocess.run([sys.executable, "-c", program], check=True)


def serve_variables() -> None:
    """A worker and two servers in this process."""
    ports = free_ports(3)
    cluster = tf.train.ClusterSpec({"ps": [f"localhost:{p}" for p in ports[:2]], "worker": [f"localhost:{ports[2]}"]})
    for index in range(2):
        tf.distribute.Server(cluster, "ps", index)
    resolver = tf.distribute.cluster_resolver.SimpleClusterResolver(cluster)
    strategy = tf.distribute.ParameterServerStrategy(resolver)
    coordinator = tf.distribute.coordinator.ClusterCoordinator(strategy)
    with strategy.scope():
        counter = tf.Variable(0.0)
    add = tf.function(lambda: counter.assign_add(1.0))
    for _ in range(10):
        coordinator.schedule(add)
    coordinator.join()
    assert float(counter.numpy()) == 10.0


def estimate() -> None:
    """As in TensorFlow 1."""

    def model_fn(features, labels, mode):
        loss = tf1.losses.mean_squared_error(labels=labels, predictions=tf1.layers.Dense(1)(features))
        train_op = tf1.train.AdagradOptimizer(0.05).minimize(loss, global_step=tf1.train.get_global_step())
        return tf1.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)

    estimator = tf1.estimator.Estimator(model_fn, model_dir="estimator")
    estimator.train(lambda: tf1.data.Dataset.from_tensor_slices((features, labels)).repeat().batch(16), max_steps=3)
    assert int(estimator.get_variable_value("global_step")) == 3
    receive = tf.estimator.experimental.build_raw_supervised_input_receiver_fn(features, labels)
    path = estimator.export_saved_model("exports", receive, experimental_mode="eval")
    assert tf.saved_model.load(path).signatures["eval"](feature=features, label=labels)["loss"] > 0


tf.config.set_logical_device_configuration(
    tf.config.list_physical_devices("CPU")[0], [tf.config.LogicalDeviceConfiguration()] * 2
)
for promise in (fit_and_save, read_files, export_and_load, serve_variables, estimate):
    promise()
    print("kept", promise.__name__)
