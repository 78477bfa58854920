"""tf.keras.metrics: Keras 3's metrics, and TensorFlow's short names of the functions."""

from keras.metrics import *
from keras.metrics import kl_divergence as KLD
from keras.metrics import kl_divergence as kld
from keras.metrics import kl_divergence as kullback_leibler_divergence
from keras.metrics import log_cosh as logcosh
from keras.metrics import mean_absolute_error as MAE
from keras.metrics import mean_absolute_error as mae
from keras.metrics import mean_absolute_percentage_error as MAPE
from keras.metrics import mean_absolute_percentage_error as mape
from keras.metrics import mean_squared_error as MSE
from keras.metrics import mean_squared_error as mse
from keras.metrics import mean_squared_logarithmic_error as MSLE
from keras.metrics import mean_squared_logarithmic_error as msle
