"""tf.keras.backend: Keras 3's settings, and the functions of Keras 2's backend."""

from keras.backend import *

from stratagem._core.values import name_scope as name_scope
from stratagem._legacy.backend import *
from stratagem._legacy.backend_layers import *
from stratagem._legacy.backend_random import *
from stratagem._ops import abs as abs
from stratagem._ops import cos as cos
from stratagem._ops import cumprod as cumprod
from stratagem._ops import cumsum as cumsum
from stratagem._ops import elu as elu
from stratagem._ops import equal as equal
from stratagem._ops import exp as exp
from stratagem._ops import eye as eye
from stratagem._ops import gather as gather
from stratagem._ops import greater as greater
from stratagem._ops import greater_equal as greater_equal
from stratagem._ops import less as less
from stratagem._ops import less_equal as less_equal
from stratagem._ops import log as log
from stratagem._ops import maximum as maximum
from stratagem._ops import minimum as minimum
from stratagem._ops import not_equal as not_equal
from stratagem._ops import one_hot as one_hot
from stratagem._ops import ones_like as ones_like
from stratagem._ops import pow as pow
from stratagem._ops import reduce_max as _reduce_max
from stratagem._ops import reduce_min as _reduce_min
from stratagem._ops import reduce_prod as _reduce_prod
from stratagem._ops import reduce_sum as _reduce_sum
from stratagem._ops import reshape as reshape
from stratagem._ops import round as round
from stratagem._ops import shape as shape
from stratagem._ops import sigmoid as sigmoid
from stratagem._ops import sign as sign
from stratagem._ops import sin as sin
from stratagem._ops import softplus as softplus
from stratagem._ops import softsign as softsign
from stratagem._ops import square as square
from stratagem._ops import stack as stack
from stratagem._ops import stop_gradient as stop_gradient
from stratagem._ops import tanh as tanh
from stratagem._ops import transpose as transpose
from stratagem._ops import zeros_like as zeros_like
from stratagem._ops.flow import foldl as foldl
from stratagem._ops.flow import foldr as foldr

max, min, prod, sum = _reduce_max, _reduce_min, _reduce_prod, _reduce_sum
