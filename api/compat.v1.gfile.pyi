"""tf.compat.v1.gfile: tf.io.gfile under TensorFlow 1's names."""
