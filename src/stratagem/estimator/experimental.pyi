# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.

from stratagem._tf1.canned.experimental import call_logit_fn as call_logit_fn
from stratagem._tf1.estimator import build_raw_supervised_input_receiver_fn as build_raw_supervised_input_receiver_fn
from stratagem._tf1.estimator.experimental import make_early_stopping_hook as make_early_stopping_hook
from stratagem._tf1.estimator.experimental import stop_if_higher_hook as stop_if_higher_hook
from stratagem._tf1.estimator.experimental import stop_if_lower_hook as stop_if_lower_hook
from stratagem._tf1.estimator.experimental import stop_if_no_decrease_hook as stop_if_no_decrease_hook
from stratagem._tf1.estimator.experimental import stop_if_no_increase_hook as stop_if_no_increase_hook

__all__ = [
    "build_raw_supervised_input_receiver_fn", "call_logit_fn", "make_early_stopping_hook", "stop_if_higher_hook",
    "stop_if_lower_hook", "stop_if_no_decrease_hook", "stop_if_no_increase_hook"
]  # fmt: skip
