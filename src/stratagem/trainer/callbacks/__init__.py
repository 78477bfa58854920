"""Callbacks that know the workers of a job, and a fit that can be taken up where it was left."""

from stratagem.trainer.callbacks import _routes as _routes
from stratagem.trainer.callbacks._course import Course as Course
from stratagem.trainer.callbacks._fit import Fit as Fit
from stratagem.trainer.callbacks._sidecar import SidecarEvaluator as SidecarEvaluator
