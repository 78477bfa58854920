# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.

from stratagem.keras import Optimizer as Optimizer
from stratagem.keras.optimizers import SGD as SGD
from stratagem.keras.optimizers import Adadelta as Adadelta
from stratagem.keras.optimizers import Adafactor as Adafactor
from stratagem.keras.optimizers import Adagrad as Adagrad
from stratagem.keras.optimizers import Adam as Adam
from stratagem.keras.optimizers import Adamax as Adamax
from stratagem.keras.optimizers import AdamW as AdamW
from stratagem.keras.optimizers import Ftrl as Ftrl
from stratagem.keras.optimizers import Nadam as Nadam
from stratagem.keras.optimizers import RMSprop as RMSprop

__all__ = [
    "Adadelta", "Adafactor", "Adagrad", "Adam", "AdamW", "Adamax", "Ftrl", "Nadam", "Optimizer", "RMSprop", "SGD"
]  # fmt: skip
