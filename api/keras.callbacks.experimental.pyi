"""tf.keras.callbacks.experimental: TensorFlow's old name of a callback."""

from keras.callbacks import BackupAndRestore as BackupAndRestore
