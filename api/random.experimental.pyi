"""`tf.random.experimental`: the names under which TensorFlow first had these functions."""
