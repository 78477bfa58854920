"""tf.estimator.experimental: early stopping."""

from stratagem._tf1.estimator.experimental._early_stopping import make_early_stopping_hook as make_early_stopping_hook
from stratagem._tf1.estimator.experimental._early_stopping import stop_if_higher_hook as stop_if_higher_hook
from stratagem._tf1.estimator.experimental._early_stopping import stop_if_lower_hook as stop_if_lower_hook
from stratagem._tf1.estimator.experimental._early_stopping import stop_if_no_decrease_hook as stop_if_no_decrease_hook
from stratagem._tf1.estimator.experimental._early_stopping import stop_if_no_increase_hook as stop_if_no_increase_hook
from stratagem._tf1.estimator.experimental._missing import __getattr__ as __getattr__
