"""`tf.summary.experimental`: the default step, summary scopes, and raw protobuf summaries."""
