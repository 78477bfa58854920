"""`tf.make_tensor_proto` and `tf.make_ndarray`, and what TensorFlow 2.15.1 gives for them."""
