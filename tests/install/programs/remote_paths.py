"""Saves a checkpoint to a file system of fsspec, and restores it; asks for a scheme whose package is not installed."""

import stratagem as tf

v = tf.Variable(3.0)
path = tf.train.Checkpoint(v=v).save("memory://box/ckpt")
v.assign(0.0)
tf.train.Checkpoint(v=v).restore(path)
try:
    tf.io.gfile.exists("gs://bucket/file")
except tf.errors.UnimplementedError as error:
    needed = "gcsfs" if "gcsfs" in str(error) else "nothing"
    print(f"restored {v.numpy()}, and gs:// needs {needed}")
