"""TPUEstimator of TensorFlow 1: an Estimator that says the size of batches, on TPUs through the steps of TPUStrategy."""
