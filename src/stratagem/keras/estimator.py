"""tf.keras.estimator."""

from stratagem._tf1.estimator import model_to_estimator as model_to_estimator
