"""Callbacks that know the workers of a job, and fits that can be resumed where they were interrupted."""

from stratagem._training.callbacks._callback_overrides import attach_callbacks as attach_callbacks
from stratagem._training.callbacks._fit import FitRun as FitRun
from stratagem._training.callbacks._fit import LoopHooks as LoopHooks
from stratagem._training.callbacks._history_table import attach_histories as attach_histories
