"""Files of models as programs name them: `model.save("folder")`, `save_weights("prefix")`, and what reads them.

In: a model, the path that a program gives.
Out: one file or checkpoint that is whole at every moment, and says what it is; errors that name what is found instead.
Never: changes what Keras writes to paths with its own endings.
"""

from stratagem._base.types import PathLike
from stratagem._private import accept_any_path, intercept_saving, note_arguments
from stratagem._training.saving._formats import MODEL_FILE as MODEL_FILE
from stratagem._training.saving._formats import FileFormat as FileFormat
from stratagem._training.saving._formats import format_of_model as format_of_model
from stratagem._training.saving._formats import format_of_weights as format_of_weights
from stratagem._training.saving._models import model_loader, model_saver
from stratagem._training.saving._weights import weights_loader, weights_saver


def attach_saving() -> None:
    """Let Keras' functions and `ModelCheckpoint` take the paths and arguments that TensorFlow's take."""
    intercept_saving(
        {
            "save_model": model_saver,
            "load_model": model_loader,
            "save_weights": weights_saver,
            "load_weights": weights_loader,
        }
    )
    accept_any_path(_stand_in)
    note_arguments()


def _stand_in(path: PathLike, save_weights_only: bool) -> str:
    return "any.weights.h5" if save_weights_only else "any.keras"
