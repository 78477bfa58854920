"""tf.compat.v1.estimator.experimental: early stopping, as in tf.estimator; the parts of canned models."""

from stratagem._ops import not_provided_in as _not_provided_in
from stratagem._tf1.canned.experimental import call_logit_fn as call_logit_fn
from stratagem._tf1.canned.experimental import dnn_logit_fn_builder as dnn_logit_fn_builder
from stratagem._tf1.canned.experimental import linear_logit_fn_builder as linear_logit_fn_builder
from stratagem._tf1.estimator import build_raw_supervised_input_receiver_fn as build_raw_supervised_input_receiver_fn
from stratagem._tf1.estimator.experimental import make_early_stopping_hook as make_early_stopping_hook
from stratagem._tf1.estimator.experimental import stop_if_higher_hook as stop_if_higher_hook
from stratagem._tf1.estimator.experimental import stop_if_lower_hook as stop_if_lower_hook
from stratagem._tf1.estimator.experimental import stop_if_no_decrease_hook as stop_if_no_decrease_hook
from stratagem._tf1.estimator.experimental import stop_if_no_increase_hook as stop_if_no_increase_hook

__getattr__ = _not_provided_in("compat.v1.estimator.experimental")
