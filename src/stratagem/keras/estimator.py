"""tf.keras.estimator."""

from stratagem.estimator import model_to_estimator as model_to_estimator
