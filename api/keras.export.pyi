"""tf.keras.export: chosen functions of models, written so that no Python code is needed to call them."""
