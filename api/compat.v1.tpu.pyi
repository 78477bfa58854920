"""tf.compat.v1.tpu: what model_fns for TPUs use; the rest is TPUStrategy's."""
