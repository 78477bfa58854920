"""tf.keras.metrics: Keras 3's metrics, and TensorFlow's short names of the functions."""

import keras.metrics as _metrics
from keras.metrics import *

from stratagem._legacy import binary_accuracy as binary_accuracy
from stratagem._legacy import sparse_categorical_crossentropy as sparse_categorical_crossentropy

mse = MSE = _metrics.mean_squared_error
mae = MAE = _metrics.mean_absolute_error
mape = MAPE = _metrics.mean_absolute_percentage_error
msle = MSLE = _metrics.mean_squared_logarithmic_error
kld = KLD = kullback_leibler_divergence = _metrics.kl_divergence
logcosh = _metrics.log_cosh
