"""Saves a model, trains it and is killed within the next save, when all but the last rename is done.

Arguments: "folder" or "weights"; the working directory, where `it` is saved, and the first weights to `before.npy`.
"""

import os
import signal
import sys
from pathlib import Path
from typing import Any

import numpy as np

import stratagem as tf
from tests.training.saving_programs import losses, model

form, folder = sys.argv[1:]
os.chdir(folder)
made = model(tf)
losses(made)
save = made.save if form == "folder" else made.save_weights
save("it")
np.save("before.npy", made.get_weights()[0])
losses(made)
replace = os.replace


def kill(source: Any, target: Any) -> None:
    """In place of the rename with which the new values would count."""
    if Path(target).name in ("stratagem_model.keras", "it.index"):
        os.kill(os.getpid(), signal.SIGKILL)
    replace(source, target)


os.replace = kill
save("it")
