"""Saves a checkpoint, a model and an export to a file system of fsspec, and reads them; asks for one without its package."""

import stratagem as tf

v = tf.Variable(3.0)
path = tf.train.Checkpoint(v=v).save("memory://box/ckpt")
v.assign(0.0)
tf.train.Checkpoint(v=v).restore(path)
model = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(1)])
model.save("memory://box/model.keras")
tf.keras.models.load_model("memory://box/model.keras")
tf.saved_model.save(model, "memory://box/export")
assert tf.saved_model.load("memory://box/export")([[1.0, 2.0]]).shape == (1, 1)
try:
    tf.io.gfile.exists("gs://bucket/file")
except tf.errors.UnimplementedError as error:
    needed = "gcsfs" if "gcsfs" in str(error) else "nothing"
    print(f"restored {v.numpy()}, and gs:// needs {needed}")
