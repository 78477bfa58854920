"""Callbacks that know the workers of a job, and a fit that can be taken up where it was left."""

from stratagem._training.callbacks._fit import Fit as Fit
from stratagem._training.callbacks._fit import LoopHooks as LoopHooks
from stratagem._training.callbacks._loop_hooks import LoopHooks as LoopHooks
from stratagem._training.callbacks._routes import attach_callbacks as attach_callbacks
from stratagem._training.callbacks._sidecar import SidecarEvaluator as SidecarEvaluator
