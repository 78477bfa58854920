"""tf.keras.utils.experimental."""
