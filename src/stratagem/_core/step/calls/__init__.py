"""Calls of a function: tf.function, its programs by their keys, exports, graphs, eager replicas."""
