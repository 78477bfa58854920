"""`tf.train`: checkpoints, clusters, threads, averages, and examples as protobuf messages."""
