"""tf.keras.losses: Keras 3's losses, TensorFlow's short names of them, and its `Reduction`."""

import keras.losses as _losses
from keras.losses import *

from stratagem._legacy import LossReduction as _LossReduction
from stratagem._legacy import sparse_categorical_crossentropy as sparse_categorical_crossentropy

Reduction = _LossReduction

mse = MSE = _losses.mean_squared_error
mae = MAE = _losses.mean_absolute_error
mape = MAPE = _losses.mean_absolute_percentage_error
msle = MSLE = _losses.mean_squared_logarithmic_error
kld = KLD = kullback_leibler_divergence = _losses.kl_divergence
logcosh = _losses.log_cosh
