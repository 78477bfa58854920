"""`tf.nn`: activations, losses on logits, convolution and pooling, and loss scaling over replicas."""
