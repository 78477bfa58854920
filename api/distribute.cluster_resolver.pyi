"""tf.distribute.cluster_resolver, and three resolvers that TensorFlow lacks: for torchrun, for Open MPI, and for Ray."""
