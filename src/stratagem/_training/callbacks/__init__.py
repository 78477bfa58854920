"""Callbacks that know the workers of a job, and fits that can be resumed where they were interrupted."""

from stratagem._training.callbacks._fit import FitPosition as FitPosition
from stratagem._training.callbacks._fit import PassHooks as PassHooks
from stratagem._training.callbacks._learning_rates import LearningRateScheduler as LearningRateScheduler
from stratagem._training.callbacks._learning_rates import ReduceLROnPlateau as ReduceLROnPlateau
from stratagem._training.callbacks._routes import attach_callbacks as attach_callbacks
from stratagem._training.callbacks._sidecar import SidecarEvaluator as SidecarEvaluator
