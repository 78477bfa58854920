"""tf.compat.v1.feature_column: columns as in tf.feature_column, `input_layer` and `linear_model`."""
