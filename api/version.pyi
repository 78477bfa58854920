"""tf.version: the version of TensorFlow whose API this is; GIT_VERSION has the package's own."""

GRAPH_DEF_VERSION = 1645
GRAPH_DEF_VERSION_MIN_CONSUMER = 0
GRAPH_DEF_VERSION_MIN_PRODUCER = 0
VERSION = "2.15.1"
