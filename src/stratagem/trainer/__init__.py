"""Keras' fit, evaluate and predict on the steps of a strategy."""

from stratagem.trainer import _attach as _attach
from stratagem.trainer import _served as _served
from stratagem.trainer._data import DatasetCreator as DatasetCreator
from stratagem.trainer._runner import Execution as Execution
from stratagem.trainer._runner import Runner as Runner
from stratagem.trainer._runner import open_runner as open_runner
from stratagem.trainer._runner import run_batch as run_batch
from stratagem.trainer._tensorboard import TensorBoard as TensorBoard
from stratagem.trainer.callbacks import SidecarEvaluator as SidecarEvaluator
