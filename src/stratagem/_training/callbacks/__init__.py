"""Callbacks that know the workers of a job, and fits that can be resumed where they were interrupted."""

from stratagem._training.callbacks import _routes as _routes
from stratagem._training.callbacks._fit import Fit as Fit
from stratagem._training.callbacks._loop_hooks import LoopHooks as LoopHooks
from stratagem._training.callbacks._sidecar import SidecarEvaluator as SidecarEvaluator
